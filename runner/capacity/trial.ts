/** One trial of a search: a rate for a while, ended as soon as its outcome is certain, and the time to recover from it. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { RateLoad } from "../../scenarios/load/load.ts";
import type { Loader, LoadRequest } from "../measure/loader.ts";
import { measureLoad } from "../measure/measure.ts";
import type { CapacityTrial } from "../result/capacity.ts";
import { type FindingCode, TARGET_FINDINGS } from "../result/findings.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Measurement } from "../result/result.ts";
import { holdsIn, type SearchedTrial } from "../stats/capacity/search.ts";
import { certainlyBroken, shareOfTrial, type TrialSlice } from "../stats/capacity/slices.ts";
import { countBeyond, decodeSparse } from "../stats/histogram/hdr.ts";
import { isOverload } from "./overload.ts";

export interface TrialHooks {
  readonly loader: Loader;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

export interface PlannedTrial {
  readonly ratePerSec: number;
  readonly plannedS: number;
}

interface KnownTarget {
  /** The most that it completed in any trial so far, without an error. */
  readonly servedPerSec: number;
}

export interface MadeTrial {
  /** Why it does not count: the generator was the limit, or something disturbed it; null: it counts. */
  readonly doubt: "generator" | "disturbed" | null;
  readonly searched: SearchedTrial;
  readonly shown: CapacityTrial;
}

/** Of the request, what a trial changes. */
export type TrialRequest = Omit<LoadRequest, "load"> & {
  readonly load: RateLoad;
};

export async function makeTrial(
  request: TrialRequest,
  objectives: readonly Objective[],
  { ratePerSec, plannedS, servedPerSec }: PlannedTrial & KnownTarget,
  hooks: TrialHooks,
): Promise<MadeTrial> {
  const load = { ...request.load, ratePerSec, durationMs: plannedS * 1_000 };
  const end = new AbortController();
  const watch = new CertainOutcome(objectives, { ratePerSec, plannedS });
  const measurement = await measureLoad({ ...request, load }, {
    ...hooks,
    onProgress: (event) => {
      hooks.onProgress(event);
      if (event.kind === "live" && watch.isCertain(event)) end.abort();
    },
    signal: AbortSignal.any([hooks.signal, end.signal]),
  });
  return tried(measurement, objectives, {
    ratePerSec,
    ...{ plannedS, servedPerSec },
    isCutShort: end.signal.aborted,
  });
}

type LiveEvent = Extract<Parameters<OnProgress>[0], { kind: "live" }>;

/** Poisson arrivals are fewer than expected by so many standard deviations at most. */
const STRAY = 5;

/** Counts, while a trial goes on, until a rule is surely broken. */
class CertainOutcome {
  readonly #beyond: number[];
  #failed = 0;

  constructor(
    private readonly objectives: readonly Objective[],
    private readonly planned: PlannedTrial,
  ) {
    this.#beyond = objectives.map(() => 0);
  }

  isCertain(event: LiveEvent): boolean {
    this.#count(event);
    const { ratePerSec, plannedS } = this.planned;
    return this.objectives.some((objective, i) =>
      this.#beyond[i] + this.#overdue(objective, event) >=
        certainlyBroken(objective.allowed, ratePerSec * plannedS)
    );
  }

  #count({ latency, failed }: LiveEvent): void {
    this.#failed += failed;
    this.objectives.forEach(({ isBeyond }, i) => {
      this.#beyond[i] += failed +
        (isBeyond === null ? 0 : countBeyond(latency, latency.maxUs / 1_000, isBeyond));
    });
  }

  /** Of the requests that did not end, at least so many are beyond the limit: a target that hangs ends none. */
  #overdue({ isBeyond, limitMs }: Objective, { elapsedMs, completed }: LiveEvent): number {
    if (isBeyond === null) return 0;
    const due = this.planned.ratePerSec * Math.max(0, elapsedMs - limitMs) / 1_000;
    return Math.max(0, due - STRAY * Math.sqrt(due) - completed - this.#failed);
  }
}

function tried(
  measurement: Measurement,
  objectives: readonly Objective[],
  planned: PlannedTrial & KnownTarget & { readonly isCutShort: boolean },
): MadeTrial {
  const { ratePerSec, plannedS } = planned;
  const { timeline: { intervalS }, requests, checks, generator, latency } = measurement;
  const shares = objectives.map((objective) =>
    shareOfTrial(slicesOf(measurement, objective), { ...planned, sliceS: intervalS })
  );
  const isHeld = holdsIn({ allowed: objectives.map(({ allowed }) => allowed) }, shares) &&
    requests.completed > 0;
  const doubt = isHeld ? null : doubtOf(measurement, objectives, planned);
  const ended = requests.completed + requests.failed + requests.dropped;
  return {
    doubt,
    searched: {
      ...{ ratePerSec, plannedS, shares },
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
        beyond: shares[i].beyond,
        allowed,
      })),
      p50: latency.percentiles["50"],
      p99: latency.percentiles["99"],
      success: ended === 0 ? 0 : (requests.completed - checks.failed) / ended,
      trust: generator.trust,
      findings: generator.findings,
      bottleneck: measurement.bottleneck,
      recoveryS: null,
    },
  };
}

/** Findings that come with the rate: at a higher one they are as bad or worse. */
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
 * Whether the generator or its machine may have broken the rules. A trial that held needs no such question: whatever they
 * did made it look worse. Nor does an overload that no disturbance explains.
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

// What the requests of a trial say about a rule, interval by interval.

type TimedRequests = Pick<Measurement, "timeline"> & {
  readonly requests: Pick<Measurement["requests"], "dropped">;
};

/**
 * By interval of the timeline. Requests that were still open within the limit are on neither side. Where more responses are
 * wrong than late, the interval is one of refusals: nobody is served by an error, however fast.
 */
export function slicesOf(
  { timeline, requests: { dropped } }: TimedRequests,
  { isBeyond }: Objective,
): TrialSlice[] {
  const last = timeline.points.length - 1;
  return timeline.points.map((point, i) => {
    const { completed, failed, wrong = 0, histogram, censoredHistogram = "" } = point;
    if (isBeyond === null) {
      const lost = failed + (i === last ? dropped : 0);
      const ended = completed + lost;
      return byOutcome(ended, wrong + lost);
    }
    const all = withinTimes(histogram, isBeyond);
    const open = withinTimes(censoredHistogram, isBeyond);
    const within = all.limit - open.limit;
    const requests = Math.max(completed + failed, within + all.count - all.limit);
    if (wrong + failed > requests - within) return byOutcome(requests, wrong + failed);
    return {
      requests,
      beyondQuarter: requests - (all.quarter - open.quarter),
      beyondHalf: requests - (all.half - open.half),
      beyond: requests - within,
      // One that was open before twice the limit is beyond the limit alone, as far as is known.
      beyondDouble: requests - (all.double - open.limit),
    };
  });
}

/** Without a limit of time. */
function byOutcome(requests: number, beyond: number): TrialSlice {
  return { requests, beyondQuarter: requests, beyondHalf: requests, beyond, beyondDouble: 0 };
}

/** Requests within parts of the limit and twice of it. */
interface WithinTimes {
  readonly count: number;
  readonly quarter: number;
  readonly half: number;
  readonly limit: number;
  readonly double: number;
}

function withinTimes(encoded: string, isBeyond: (ms: number) => boolean): WithinTimes {
  if (encoded === "") return { count: 0, quarter: 0, half: 0, limit: 0, double: 0 };
  const histogram = decodeSparse(encoded);
  const { count, maxUs } = histogram;
  const within = (times: number): number =>
    count - countBeyond(histogram, maxUs / 1_000, (ms) => isBeyond(ms / times));
  return {
    count,
    quarter: within(0.25),
    half: within(0.5),
    limit: within(1),
    double: within(2),
  };
}
