/** The capacity of a cell: of one search its own interval, of several that over the runs. */
import type { RunCapacity } from "../../../runner/result/capacity.ts";
import type { Run } from "../../../runner/result/result.ts";
import { capacityOverRuns } from "../../../runner/stats/capacity/over_runs.ts";
import type { Range } from "./figure_range.ts";

type RunWithSearch = Partial<Pick<Run, "capacity">>;

/** Rates per second; `isAtLeast`: the capacity may be any larger. */
export type CapacityRange = Range & { readonly isAtLeast: boolean };

/** Null where no run found one. @param confidence Of the interval. */
export function capacityRange(
  runs: readonly RunWithSearch[],
  confidence: number,
): CapacityRange | null {
  const found = runs.flatMap(({ capacity }) => capacity?.capacity ?? []);
  if (found.length === 1) return oneSearch(found[0]);
  const cell = capacityOverRuns(
    found.map((one) => ({ value: one.value, isAtLeast: isLowerBound(one) })),
    confidence,
  );
  if (cell === null) return null;
  const { value, isAtLeast, low, high } = cell;
  return { value, isAtLeast, interval: low === null ? null : { low, high: high ?? Infinity } };
}

function oneSearch(found: FoundRate): CapacityRange {
  const { value, low, high } = found;
  const isAtLeast = isLowerBound(found);
  return { value, isAtLeast, interval: isAtLeast || high === null ? null : { low, high } };
}

type FoundRate = NonNullable<RunCapacity["capacity"]>;

/** Whether something else than the target's rules ended the search, or no rate that breaks is known. */
export function isLowerBound({ bound, high }: Pick<FoundRate, "bound" | "high">): boolean {
  return bound === "generator" || high === null;
}
