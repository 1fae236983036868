/** Which functions take more time per request in one profile than in another, and how much of the whole that explains. Pure. */
import type { CallTree } from "./call_tree.ts";
import { frameTimes } from "./frame_times.ts";

/** Profile runs of one cell. */
export interface ProfiledRuns {
  readonly runs: readonly {
    readonly tree: CallTree;
    /** Completed while it was sampled, about. */
    readonly requests: number;
  }[];
}

export interface FrameChange {
  readonly name: string;
  readonly module: string;
  /** Own time per request, milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Of the whole's change; beyond 1 where others shrank. */
  readonly explainedRatio: number;
  /** Whether every run after is beyond every run before; null: there is one run of either, which shows no noise. */
  readonly isBeyondNoise: boolean | null;
}

export interface ProfileChange {
  /** All time per request, milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Those that take more, the most first. */
  readonly grown: readonly FrameChange[];
}

/** Less than this share of the time per request is not named. */
const LEAST_RATIO = 0.01;

/** Functions are the same by name and module: lines move from one commit to the next. Null without any request. */
export function profileChange(before: ProfiledRuns, after: ProfiledRuns): ProfileChange | null {
  const [first, second] = [timesPerRequest(before), timesPerRequest(after)];
  if (first.length === 0 || second.length === 0) return null;
  const [beforeMs, afterMs] = [first, second].map((runs) => mean(runs.map(sumOf)));
  const keys = new Set([...first, ...second].flatMap((run) => [...run.keys()]));
  const grown = [...keys].flatMap((key): FrameChange[] => {
    const [was, is] = [first, second].map((runs) => runs.map((run) => run.get(key) ?? 0));
    const growthMs = mean(is) - mean(was);
    if (growthMs < LEAST_RATIO * Math.max(beforeMs, afterMs)) return [];
    const [name, module] = JSON.parse(key);
    return [{
      name,
      module,
      beforeMs: mean(was),
      afterMs: mean(is),
      explainedRatio: growthMs / (afterMs - beforeMs),
      isBeyondNoise: was.length < 2 || is.length < 2 ? null : Math.min(...is) > Math.max(...was),
    }];
  });
  const sizeOf = (change: FrameChange): number => change.afterMs - change.beforeMs;
  return { beforeMs, afterMs, grown: grown.sort((a, b) => sizeOf(b) - sizeOf(a)) };
}

/** Own time of each function per request, a map for each run that had requests. */
function timesPerRequest({ runs }: ProfiledRuns): Map<string, number>[] {
  return runs.filter(({ requests, tree }) => requests > 0 && tree.frame.length > 0)
    .map(({ tree, requests }) => {
      const times = new Map<string, number>();
      for (const { frame: { name, module }, ownMs } of frameTimes(tree)) {
        const key = JSON.stringify([name, module]);
        times.set(key, (times.get(key) ?? 0) + ownMs / requests);
      }
      return times;
    });
}

function sumOf(times: ReadonlyMap<string, number>): number {
  return [...times.values()].reduce((sum, ms) => sum + ms, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
