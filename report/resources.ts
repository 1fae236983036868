/** CPU and memory of a target over one run. */
import type { Run } from "../runner/result.ts";

type Watched = Pick<Run, "resources">;

/** CPU seconds over the run's resource points: each gives the cores in use since the one before. */
export function cpuSecondsOf({ resources }: Watched): number {
  return resources.reduce(
    (total, { t, cpu }, i) => total + cpu * Math.max(0, t - (resources[i - 1]?.t ?? 0)),
    0,
  );
}

/** Cores in use, on average over the run; 0 without resource points. */
export function meanCoresOf(run: Watched): number {
  const seconds = run.resources.at(-1)?.t ?? 0;
  return seconds > 0 ? cpuSecondsOf(run) / seconds : 0;
}

export function peakCoresOf({ resources }: Watched): number {
  return resources.reduce((most, { cpu }) => Math.max(most, cpu), 0);
}

export function peakMemoryBytesOf({ resources }: Watched): number {
  return resources.reduce((most, { memory }) => Math.max(most, memory), 0);
}
