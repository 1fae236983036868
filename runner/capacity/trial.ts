/**
 * One trial of a search for a capacity: loads the target at one rate, ends as soon as a rule is certainly broken, and
 * judges whether the rules held.
 */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { RateLoad } from "../../scenarios/load/load.ts";
import { overdueOf } from "../measure/abort_watch.ts";
import type { Loader, LoadRequest } from "../measure/loader.ts";
import { measureLoad } from "../measure/measure.ts";
import type { CapacityTrial } from "../result/capacity.ts";
import { type FindingCode, TARGET_FINDINGS } from "../result/findings.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Measurement } from "../result/result.ts";
import { LEVELS, type Rule } from "../stats/capacity/queue.ts";
import { holdsIn, type SearchedTrial, type TrialPlan } from "../stats/capacity/search.ts";
import { certainlyBroken, shareOfTrial, type TrialSlice } from "../stats/capacity/slices.ts";
import { countBeyond, decodeSparse } from "../stats/histogram/hdr.ts";
import { EMPTY, sumOfSparse, valueAtPercentile } from "../stats/histogram/histogram.ts";
import { isOverload } from "./overload.ts";

export interface TrialHooks {
  readonly loader: Loader;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

interface KnownTarget {
  /** The highest rate of correct responses in any trial so far. */
  readonly servedPerSec: number;
}

export interface MadeTrial {
  /** Why the trial is not valid: the generator was the limit, or something disturbed the trial. Null if it is valid. */
  readonly doubt: "generator" | "disturbed" | null;
  readonly searched: SearchedTrial;
  readonly shown: CapacityTrial;
}

/** A load request whose own rate and length are ignored, because each trial sets them. */
export type TrialRequest = Omit<LoadRequest, "load"> & {
  readonly load: RateLoad;
};

export async function makeTrial(
  request: TrialRequest,
  objectives: readonly Objective[],
  { servedPerSec, ...plan }: TrialPlan & KnownTarget,
  hooks: TrialHooks,
): Promise<MadeTrial> {
  const { ratePerSec, plannedS, burst } = plan;
  const load: RateLoad = {
    ...request.load,
    ...{ ratePerSec, durationMs: plannedS * 1_000 },
    ...burst && { burst: { ratePerSec: burst.ratePerSec, durationMs: burst.seconds * 1_000 } },
  };
  const end = new AbortController();
  const watch = new CertainOutcome(objectives, plan);
  const measurement = await measureLoad({ ...request, load }, {
    ...hooks,
    onProgress: (event) => {
      hooks.onProgress(event);
      if (event.kind === "live" && watch.isCertain(event)) end.abort();
    },
    signal: AbortSignal.any([hooks.signal, end.signal]),
  });
  return tried(measurement, objectives, {
    ...plan,
    servedPerSec,
    isCutShort: end.signal.aborted,
  });
}

type LiveEvent = Extract<Parameters<OnProgress>[0], { kind: "live" }>;

/**
 * Watches a trial's requests, and the messages of its streams, to end the trial as soon as a rule is certainly broken.
 */
export class CertainOutcome {
  readonly #beyond: number[];
  #failed = 0;
  /** Number of gaps between messages so far. */
  #gaps = 0;

  constructor(
    private readonly objectives: readonly Objective[],
    private readonly planned: Pick<TrialPlan, "ratePerSec" | "plannedS" | "startS" | "burst">,
  ) {
    this.#beyond = objectives.map(() => 0);
  }

  isCertain(event: LiveEvent): boolean {
    const { burst, startS } = this.planned;
    // With a burst at the beginning, nothing counts against the target before `startS`, because it
    // is not to blame for requests that the burst made late.
    const isWatched = burst === null || event.elapsedMs >= startS * 1_000;
    this.#count(event, isWatched);
    return isWatched &&
      this.objectives.some((objective, i) =>
        this.#beyond[i] + (burst === null ? this.#overdue(objective, event) : 0) >=
          certainlyBroken(ruleOf(objective), this.planned) * this.#perRequest(objective, event)
      );
  }

  /**
   * The number of durations that a rule judges per request: one, or, for a rule about gaps, the mean number of gaps per
   * ended request. Gaps in streams that are still open raise the mean, which can only end the trial later, never too
   * early.
   */
  #perRequest({ messages }: Objective, { completed }: LiveEvent): number {
    if (messages !== "gap") return 1;
    return Math.max(1, this.#gaps / Math.max(1, completed + this.#failed));
  }

  #count({ latency, failed, messages }: LiveEvent, isWatched: boolean): void {
    this.#failed += failed;
    this.#gaps += messages?.gap.all.count ?? 0;
    if (!isWatched) return;
    this.objectives.forEach(({ isBeyond, messages: of }, i) => {
      const times = of === null ? latency : messages?.[of].all ?? EMPTY;
      this.#beyond[i] += (of === null ? failed : messages?.failed ?? 0) +
        (isBeyond === null ? 0 : countBeyond(times, times.maxUs / 1_000, isBeyond));
    });
  }

  /**
   * Number of unfinished requests that are certainly beyond the limit. Without them, a target that hangs would never
   * break a rule, because it finishes no request.
   */
  #overdue(
    { isBeyond, limitMs, messages }: Objective,
    { elapsedMs, completed }: LiveEvent,
  ): number {
    if (isBeyond === null || messages !== null) return 0;
    const ended = completed + this.#failed;
    return overdueOf(this.planned.ratePerSec, { elapsedMs, limitMs, ended });
  }
}

function tried(
  measurement: Measurement,
  objectives: readonly Objective[],
  planned: TrialPlan & KnownTarget & { readonly isCutShort: boolean },
): MadeTrial {
  const { ratePerSec, plannedS, burst, isCutShort } = planned;
  const { timeline: { intervalS }, requests, checks, generator } = measurement;
  // Without a burst, a trial is ended early on account of all its requests since its beginning, so
  // all of them count here, too.
  const startS = isCutShort && burst === null ? 0 : planned.startS;
  const shares = objectives.map((objective) =>
    shareOfTrial(slicesOf(measurement, objective), { ratePerSec, startS, sliceS: intervalS })
  );
  // No rule holds in a trial that measured nothing.
  const isMeasured = requests.completed > 0 &&
    objectives.every(({ messages }, i) => messages === null || shares[i].requests > 0);
  const isHeld = isMeasured && holdsIn({ rules: objectives.map(ruleOf) }, shares);
  const latency = latencyAfter(measurement, startS);
  const doubt = isHeld ? null : doubtOf(measurement, objectives, planned);
  const ended = requests.completed + requests.failed + requests.dropped;
  return {
    doubt,
    searched: {
      ...{ ratePerSec, plannedS, shares, isSustained: burst !== null },
      servedPerSec: Math.max(0, requests.completed - checks.failed) / measurement.elapsedS,
    },
    shown: {
      ratePerSec,
      plannedS,
      elapsedS: measurement.elapsedS,
      completedPerSec: measurement.rate,
      outcome: isHeld ? "held" : "broken",
      counts: doubt === null,
      rules: objectives.map(({ text, allowed }, i) => ({
        rule: text,
        requests: shares[i].requests,
        beyond: shares[i].levels[0].beyond,
        allowed,
      })),
      ...latency,
      ...burst !== null && { isSustained: true },
      success: ended === 0 ? 0 : (requests.completed - checks.failed) / ended,
      droppedRatio: ended === 0 ? 0 : requests.dropped / ended,
      ...requests.failed > 0 && { errors: measurement.errors },
      ...checks.failed > 0 && { wrong: checks.failed },
      trust: generator.trust,
      findings: generator.findings,
      bottleneck: measurement.bottleneck,
      recoveryS: null,
    },
  };
}

function ruleOf({ allowed, limitMs }: Objective): Rule {
  return { allowed, limitS: limitMs / 1_000 };
}

/** Latency in milliseconds of the requests that ended after the first `startS` seconds; of all requests if none did. */
function latencyAfter(
  { timeline: { points, intervalS }, latency }: Pick<Measurement, "timeline" | "latency">,
  startS: number,
): Pick<CapacityTrial, "p50" | "p99"> {
  const counted = points.slice(Math.ceil(startS / intervalS))
    .filter(({ histogram }) => histogram !== "").map(({ histogram }) => decodeSparse(histogram));
  if (startS === 0 || counted.length === 0) {
    return { p50: latency.percentiles["50"], p99: latency.percentiles["99"] };
  }
  const all = sumOfSparse(counted);
  return { p50: valueAtPercentile(all, 50) / 1_000, p99: valueAtPercentile(all, 99) / 1_000 };
}

/** Findings that are caused by the rate itself, so they are as bad or worse at any higher rate. */
const OF_THE_RATE: readonly FindingCode[] = [
  "generator-busy",
  "generator-starved",
  "requests-dropped",
  "near-peak-throughput",
  "shared-cores",
  "crowded-core",
  "ports",
  "open-files",
];

/**
 * What, other than the target, may have broken the rules: the generator, or a disturbed machine; null if neither, or if
 * the overload is too large for the disturbance to explain. Not used for trials that held, because a disturbance can
 * only make a trial look worse.
 */
function doubtOf(
  measurement: Measurement,
  objectives: readonly Objective[],
  { servedPerSec }: KnownTarget,
): MadeTrial["doubt"] {
  const { generator: { findings } } = measurement;
  const codes = findings.map(({ code }) => code).filter((code) => !TARGET_FINDINGS.includes(code));
  if (codes.length === 0) return null;
  if (codes.some((code) => OF_THE_RATE.includes(code))) return "generator";
  return isOverload(measurement, objectives, { codes, servedPerSec }) ? null : "disturbed";
}

// How a trial's requests count for or against a rule, interval by interval.

type TimedRequests = Pick<Measurement, "timeline"> & {
  readonly requests: Pick<Measurement["requests"], "dropped">;
};

/**
 * The trial's requests, one slice for each interval, without those that were still open and within the limit. If more
 * responses are wrong or failed than are late (beyond the limit), the wrong and failed ones are counted in place of the
 * late ones, because an error serves nobody, however fast it is.
 */
export function slicesOf(
  { timeline, requests: { dropped } }: TimedRequests,
  { isBeyond, messages }: Objective,
): TrialSlice[] {
  const last = timeline.points.length - 1;
  return timeline.points.map((point, i) => {
    const { completed, failed, wrong = 0, histogram, censoredHistogram = "" } = messages === null
      ? point
      : messagesIn(point, messages);
    if (isBeyond === null) {
      const lost = failed + (i === last ? dropped : 0);
      const ended = completed + lost;
      return byOutcome(ended, wrong + lost);
    }
    const all = withinParts(histogram, isBeyond);
    const open = withinParts(censoredHistogram, isBeyond);
    // A request that was still open when last seen, at an age between the limit and twice the
    // limit, counts as beyond the limit, but not as beyond twice the limit.
    const within = all.parts.map((count, level) =>
      count - (LEVELS[level] > 1 ? open.parts[0] : open.parts[level])
    );
    const requests = Math.max(completed + failed, within[0] + all.count - all.parts[0]);
    if (wrong + failed > requests - within[0]) return byOutcome(requests, wrong + failed);
    return { requests, beyond: within.map((count) => requests - count) };
  });
}

/**
 * Counts messages as if they were requests: those that arrived as completed, and those that a stream waited for in vain
 * as failed.
 */
function messagesIn(
  { messages = { received: 0 } }: TimedRequests["timeline"]["points"][number],
  of: NonNullable<Objective["messages"]>,
): Pick<
  TimedRequests["timeline"]["points"][number],
  "completed" | "failed" | "wrong" | "histogram" | "censoredHistogram"
> {
  const { histogram = "", censoredHistogram } = messages[of] ?? {};
  const bounds = censoredHistogram === undefined ? 0 : decodeSparse(censoredHistogram).count;
  const completed = histogram === "" ? 0 : decodeSparse(histogram).count - bounds;
  return { completed, failed: messages.failed ?? 0, histogram, censoredHistogram };
}

/** Counts wrong and failed requests as beyond the limit, however fast they were, but not as beyond twice the limit. */
function byOutcome(requests: number, beyond: number): TrialSlice {
  return { requests, beyond: LEVELS.map((part) => part > 1 ? 0 : beyond) };
}

/** Number of all requests, and of those within each part or multiple of the limit in `LEVELS`. */
interface WithinParts {
  readonly count: number;
  readonly parts: readonly number[];
}

function withinParts(encoded: string, isBeyond: (ms: number) => boolean): WithinParts {
  if (encoded === "") return { count: 0, parts: LEVELS.map(() => 0) };
  const histogram = decodeSparse(encoded);
  const { count, maxUs } = histogram;
  const within = (part: number): number =>
    count - countBeyond(histogram, maxUs / 1_000, (ms) => isBeyond(ms / part));
  return { count, parts: LEVELS.map(within) };
}
