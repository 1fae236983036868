/**
 * Whether garbage collections or a blocked event loop kept a target from serving more, judging by its runtime's
 * counters. Pure.
 */
import type { Counters } from "../result/runtime/counters.ts";
import type { Bottleneck } from "../result/findings.ts";
import type { Measurement, Run } from "../result/result.ts";
import { COMPUTED_RATIO } from "../counters/run_counters.ts";
import { medianOf } from "../stats/quantile.ts";

type PausedRun =
  & Pick<Measurement, "service" | "elapsedS" | "generator">
  & Partial<Pick<Run, "counters">>;

interface PausesFinding extends Pick<Bottleneck, "collectionShare" | "stoppedShare" | "pauses"> {
  readonly kind: "gc" | "blocked-loop";
}

/**
 * Share of the target's CPU time, and of the run, that collections take. With usual allocation it is a few per cent.
 */
const COLLECTING_CPU = 0.25;
const COLLECTING_TIME = 0.2;
/** Cores used or waited for: an idle target has time for its collections. */
const BUSY_CORES = 0.5;

/**
 * While other programs compete for the core of a busy target, its stalls count as its own from this share of CPU time
 * on; with less, the others caused part of the stall.
 */
const HELD_UP_RATIO = 0.9;

/** Shorter pauses are usual: collections of the young generation, and the event loop's own callbacks. */
const LONG_MS = 10;
/**
 * Multiple of the median service time: a loop that serves many requests in turn makes each wait for those before it.
 */
const LONG_TIMES = 5;
/** Share of the run spent in long pauses. */
const PAUSED_RATIO = 0.02;
const LEAST_PAUSES = 3;
/** With fewer requests among the slowest, no cause is looked for. */
const LEAST_REQUESTS = 10;
const OVERLAP_RATIO = 0.5;
const OVERLAP_TIMES = 2;

/**
 * A finding if collections or a blocked loop held requests up; null if the counters show neither, or if there are no
 * counters.
 *
 * @param isHeldUp Whether other programs held the target up: its collections and stalls then take longer, but most take
 * no larger share of its time.
 */
export function pausesFinding(run: PausedRun, isHeldUp: boolean): PausesFinding | null {
  const { counters, elapsedS, generator: { target } } = run;
  if (counters === undefined || elapsedS === 0) return null;
  const cpu = target?.cpu ?? 0;
  const { collectionShare, stoppedShare } = collecting(counters, { cpu, elapsedS, isHeldUp });
  const isBusy = cpu + (target?.waiting ?? 0) >= BUSY_CORES;
  if (isBusy && collectionShare >= COLLECTING_CPU) {
    return { kind: "gc", collectionShare };
  }
  if (isBusy && stoppedShare >= COLLECTING_TIME) return { kind: "gc", stoppedShare };
  const stopping = counters.collections.map(({ stoppedMs: ms }) => ({ ms }));
  const collected = isHeldUp ? null : tailPauses(stopping, counters.slowest.collections, run);
  const computedRatio = isHeldUp && isBusy ? HELD_UP_RATIO : COMPUTED_RATIO;
  const computed = counters.stalls.filter(({ ms, cpuMs }) => cpuMs >= computedRatio * ms);
  const blocked = tailPauses(computed, counters.slowest.stalls, run);
  if (blocked !== null && blocked.overlapping > (collected?.overlapping ?? 0)) {
    return { kind: "blocked-loop", pauses: blocked };
  }
  return collected && { kind: "gc", pauses: collected };
}

/**
 * If other programs delay the target, one collection may last as long as a whole halt: so the longest one of each
 * process is not counted.
 */
function collecting(
  { processes }: Counters,
  { cpu, elapsedS, isHeldUp }: {
    readonly cpu: number;
    readonly elapsedS: number;
    readonly isHeldUp: boolean;
  },
): { readonly collectionShare: number; readonly stoppedShare: number } {
  const counted = processes.map(({ cpuMs, stoppedMs, longestMs, collectionMs }) => {
    const ratio = isHeldUp && collectionMs > 0 ? Math.max(0, 1 - longestMs / collectionMs) : 1;
    return { cpuMs: ratio * (cpuMs ?? 0), stoppedMs: ratio * stoppedMs };
  });
  const cpuMs = counted.reduce((sum, each) => sum + each.cpuMs, 0);
  const stoppedMs = Math.max(0, ...counted.map((each) => each.stoppedMs));
  return {
    collectionShare: cpu === 0 ? 0 : Math.min(1, cpuMs / 1_000 / elapsedS / cpu),
    stoppedShare: Math.min(1, stoppedMs / 1_000 / elapsedS),
  };
}

/** Null if pauses are few or short, or if the slowest requests overlap them no more than by chance. */
function tailPauses(
  all: readonly { readonly ms: number }[],
  { overlapping, expected }: Counters["slowest"]["stalls"],
  { counters, service, elapsedS }: PausedRun,
): NonNullable<Bottleneck["pauses"]> | null {
  const shortest = Math.max(LONG_MS, LONG_TIMES * service.percentiles["50"]);
  const long = all.map(({ ms }) => ms).filter((ms) => ms >= shortest);
  const share = long.reduce((sum, ms) => sum + ms, 0) / 1_000 / elapsedS;
  const requests = counters?.slowest.requests ?? 0;
  const isCause = requests >= LEAST_REQUESTS && overlapping >= OVERLAP_RATIO * requests &&
    overlapping >= OVERLAP_TIMES * expected;
  if (long.length < LEAST_PAUSES || share < PAUSED_RATIO || !isCause) return null;
  return { ms: medianOf(long), share: Math.min(1, share), requests, overlapping, expected };
}
