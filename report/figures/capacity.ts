/** The capacity of a cell. Its interval is that of the search if there is only one, otherwise one over the runs. */
import type { RunCapacity } from "../../runner/result/capacity.ts";
import type { Run } from "../../runner/result/result.ts";
import { capacityOverRuns } from "../../runner/stats/capacity/over_runs.ts";
import type { Ends, Range } from "./range.ts";
import type { Spread } from "../writing/spread.ts";
import { type Bounded, bounded } from "./lower_bounds.ts";

type Searched = Partial<Pick<Run, "capacity">>;

/** A capacity per second; `isAtLeast` if it may be higher. */
export type CapacityRange = Range & { readonly isAtLeast: boolean };

/** The capacity found in one run, or why there is none. */
export function foundCapacity({ capacity }: Searched): Bounded | { readonly none: string } {
  if (capacity === undefined) return { none: "the load does not search for a capacity" };
  const found = capacity.capacity;
  if (found === null) return { none: "the search found no rate at which every rule holds" };
  return bounded(found.value, isLowerBound(found));
}

/** Whether the load of any run is a search, so that requests/s are what the target can take. */
export function isSearched(runs: readonly Searched[]): boolean {
  return runs.some(({ capacity }) => capacity !== undefined);
}

/** Whether the target may be able to take more than its runs found. */
export function isOpenAbove(runs: readonly Searched[]): boolean {
  return runs.some(({ capacity }) => capacity?.capacity && isLowerBound(capacity.capacity));
}

/** The capacity of a cell over its runs; null if no run found one. @param confidence Level of the interval. */
export function capacityRange(
  runs: readonly Searched[],
  confidence: number,
): CapacityRange | null {
  const found = runs.flatMap(({ capacity }) => capacity?.capacity ?? [])
    .map((one) => ({ ...one, isAtLeast: isLowerBound(one) }));
  if (found.length === 1) {
    const [{ value, isAtLeast, low, high }] = found;
    return { value, isAtLeast, interval: isAtLeast || high === null ? null : { low, high } };
  }
  const cell = capacityOverRuns(found, confidence);
  if (cell === null) return null;
  const { value, isAtLeast, low, high } = cell;
  return { value, isAtLeast, interval: low === null ? null : { low, high: high ?? Infinity } };
}

/** The capacity of a cell whose runs searched for it; otherwise its throughput. */
export function takenPerSec(
  { runs, rate, interval }: {
    readonly runs: readonly Pick<Run, "capacity">[];
    readonly rate: Pick<Spread, "mean">;
    readonly interval: (figure: "rate") => Ends | null;
  },
): CapacityRange {
  return capacityRange(runs, 0.95) ??
    { value: rate.mean, interval: interval("rate"), isAtLeast: false };
}

/** Whether latencies are those at the limit itself, where they are as high as the rules allow. */
export function isAtLimit({ runs }: { readonly runs: readonly Pick<Run, "load">[] }): boolean {
  return runs.some(({ load }) => load.kind === "capacity" && (load.share ?? 1) >= 1);
}

/** Whether something other than the target's rules ended the search, or no rate that breaks a rule is known. */
function isLowerBound({ bound, high }: NonNullable<RunCapacity["capacity"]>): boolean {
  return bound === "generator" || high === null;
}
