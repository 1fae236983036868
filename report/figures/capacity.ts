/**
 * The capacity of a cell. If only one run found a capacity, the interval is that of this run's search; otherwise the
 * interval is computed over the runs.
 */
import type { RunCapacity } from "../../runner/result/capacity.ts";
import type { Run } from "../../runner/result/result.ts";
import { capacityOverRuns } from "../../runner/stats/capacity/over_runs.ts";
import type { Ends, Range } from "./range.ts";
import type { Spread } from "../writing/spread.ts";
import { type Bounded, bounded } from "./lower_bounds.ts";

type Searched = Partial<Pick<Run, "capacity">>;

/** A capacity in requests per second; `isAtLeast` if it may be higher. */
export type CapacityRange = Range & { readonly isAtLeast: boolean };

/** The capacity that a run found, or why it found none. */
export function foundCapacity({ capacity }: Searched): Bounded | { readonly none: string } {
  if (capacity === undefined) return { none: "the load does not search for a capacity" };
  const found = capacity.capacity;
  if (found === null) return { none: "the search found no rate at which every rule holds" };
  return bounded(found.value, isLowerBound(found));
}

/** Whether any run searched for the capacity, in which case the requests/s are the most that the target can take. */
export function isSearched(runs: readonly Searched[]): boolean {
  return runs.some(({ capacity }) => capacity !== undefined);
}

/** Whether the capacity of the target may be higher than what a run found. */
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

/** The capacity of a cell, or its throughput if no run found a capacity. */
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

/** Whether latencies were measured at the capacity itself, where they are as high as the rules allow. */
export function isAtLimit({ runs }: { readonly runs: readonly Pick<Run, "load">[] }): boolean {
  return runs.some(({ load }) => load.kind === "capacity" && (load.share ?? 1) >= 1);
}

/** Whether the generator's limit ended the search, or no rate is known at which a rule is broken. */
function isLowerBound({ bound, high }: NonNullable<RunCapacity["capacity"]>): boolean {
  return bound === "generator" || high === null;
}
