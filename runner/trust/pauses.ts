/** Whether collections or a blocked event loop are what kept a target from serving more, by its runtime counters. Pure. */
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

/** Share of the target's CPU time, and of the run. Servers that allocate as usual spend some per cent. */
const COLLECTING_CPU = 0.25;
const COLLECTING_TIME = 0.2;
/** Cores in use or waited for: a target that idles has time for its collections. */
const BUSY_CORES = 0.5;

/**
 * Share of a stall in CPU time, for a busy target beside others who want its core; with less, the stall is theirs as
 * well.
 */
const HELD_UP_RATIO = 0.9;

/** Shorter pauses are usual: young generations, and the event loop's own callbacks. */
const LONG_MS = 10;
/** Multiple of the median service time: a loop that serves many requests in turn is as late as those before it take. */
const LONG_TIMES = 5;
/** Share of the run in long pauses. */
const PAUSED_RATIO = 0.02;
const LEAST_PAUSES = 3;
/** With fewer requests among the slowest, no cause is sought. */
const LEAST_REQUESTS = 10;
const OVERLAP_RATIO = 0.5;
const OVERLAP_TIMES = 2;

/**
 * Null where the counters show neither collections nor a blocked loop to hold requests up, or where there are no counters.
 *
 * @param isHeldUp By other programs: its collections and stalls then take longer, but most take no larger share of its
 * time.
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
 * Where other programs hold the target up, one collection may last as long as a whole halt: each process counts without
 * its longest.
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

/** Null where the pauses are few or short, or the slowest requests overlap them no more than by chance. */
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
