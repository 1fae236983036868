/**
 * Finds out from the runtime's counters whether garbage collections or a blocked event loop kept a target from serving
 * more. Pure.
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
 * Garbage collections are taken for the bottleneck if they take at least this share of the target's CPU time, or of the
 * run. A few per cent are usual.
 */
const COLLECTING_CPU = 0.25;
const COLLECTING_TIME = 0.2;
/** Cores used or waited for. A target below this has idle time for its collections. */
const BUSY_CORES = 0.5;

/**
 * If other programs compete for the core of a busy target, a stall counts as the target's own only if the target was
 * using the CPU for at least this share of the stall. Otherwise, the other programs caused part of it.
 */
const HELD_UP_RATIO = 0.9;

/**
 * Shorter pauses are usual, because young-generation collections and the event loop's own callbacks take a few
 * milliseconds.
 */
const LONG_MS = 10;
/**
 * A pause is long only if it lasts this many times the median service time, because an event loop that serves many
 * requests in turn always makes some wait for others.
 */
const LONG_TIMES = 5;
/** Long pauses are reported only if they take at least this share of the run. */
const PAUSED_RATIO = 0.02;
const LEAST_PAUSES = 3;
/** With fewer slow requests, no cause is sought for them. */
const LEAST_REQUESTS = 10;
const OVERLAP_RATIO = 0.5;
const OVERLAP_TIMES = 2;

/**
 * A finding if collections or a blocked event loop held up requests; null if the counters show neither, or if there are
 * no counters.
 *
 * @param isHeldUp Whether other programs held up the target. Its collections and stalls then take longer, but most of
 * them do not take a larger share of its CPU time.
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
 * Shares of the target's CPU time and of the run that garbage collections took. If other programs delay the target, the
 * longest collection of each process is left out, because such a delay may have prolonged it.
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

/**
 * The long pauses, if they may explain the slowest requests; null if pauses are few or short, or if they overlap those
 * requests no more than by chance.
 */
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
