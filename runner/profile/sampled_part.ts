/** Which part of a run is profiled: the steady one, as the measured runs of the cell had it. Pure; times in seconds. */
import type { Run } from "../result/result.ts";

type MeasuredRun = Pick<Run, "elapsedS"> & {
  readonly warmup: Pick<NonNullable<Run["warmup"]>, "steadyFromS"> | null;
};

interface SampledPart {
  readonly fromS: number;
  readonly forS: number;
}

/** Where no run shows when it was steady. */
const START_RATIO = 0.25;
/** Of a run: whatever its start was like, so much of it is profiled at least. */
const LEAST_RATIO = 1 / 3;
/** A run that ends by count may take this share of the time of those before. */
const COUNTED_RATIO = 0.8;
/** Before the end of the load: stopping takes time, and must not see an idle target. */
const END_RATIO = 0.02;

/**
 * @param durationS Of the load; null: it ends by count.
 * @param discardS What the figures leave out of each run.
 * @param runs The measured runs of the cell. Null: how long a run takes is not known.
 */
export function sampledPart(
  durationS: number | null,
  discardS: number,
  runs: readonly MeasuredRun[],
): SampledPart | null {
  const endS = durationS ?? (runs.length === 0 ? null : COUNTED_RATIO * shortestOf(runs));
  if (endS === null || endS <= 0) return null;
  const steady = runs.flatMap(({ warmup }) => warmup?.steadyFromS ?? []);
  const startS = Math.max(
    discardS,
    steady.length === 0 ? START_RATIO * endS : Math.max(...steady),
  );
  const fromS = Math.min(startS, (1 - LEAST_RATIO) * endS);
  return { fromS, forS: endS * (1 - END_RATIO) - fromS };
}

function shortestOf(runs: readonly MeasuredRun[]): number {
  return Math.min(...runs.map(({ elapsedS }) => elapsedS));
}
