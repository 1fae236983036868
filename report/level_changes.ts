/** Where a run changes its level: the change points by which its steady state was judged. */
import type { Run } from "../runner/result/result.ts";
import { classifyRun } from "../runner/stats/steady_state/steady_state.ts";
import { intervalsOf, isEmpty } from "./intervals.ts";

/** Changes of latency and rate that are this many intervals apart, or fewer, are one. */
const SAME = 3;

/** Seconds at which latency or rate changes, in order; none for a load that itself changes. */
export function levelChangesS(run: Run): number[] {
  const intervals = intervalsOf(run);
  if (run.warmup === null || intervals.length === 0) return [];
  const { latency, rate } = classifyRun(intervals.map(({ point, ratePerSec }, i) => {
    const seconds = point.endS - (intervals[i - 1]?.point.endS ?? 0);
    return {
      seconds,
      completed: ratePerSec * seconds,
      medianMs: isEmpty(point) ? null : point.p50,
    };
  }));
  const starts = [...latency.segments, ...rate.segments].map(({ from }) => from);
  return starts.filter((from) => from > 0)
    .sort((a, b) => a - b)
    .filter((from, i, all) => !(all[i + 1] - from <= SAME))
    .map((from) => intervals[from - 1].point.endS);
}
