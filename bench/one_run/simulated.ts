/** Simulates single runs whose true figures are known: queues, bursts of failures, and autocorrelated series. */
import { Histogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { distributionOf } from "../../runner/measure/totals.ts";
import type { inRunOf } from "../../runner/result/in_run.ts";
import { warmupOf } from "../../runner/result/warmup.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Random } from "../statistics/random.ts";

export const RATE_PER_SEC = 1_000;
const INTERVAL_S = 0.25;
/** The most intervals in a run. Longer runs of a queue have longer intervals, as real runs do. */
const MOST_INTERVALS = 240;

export interface Truth {
  readonly rate: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

type Point = Measurement["timeline"]["points"][number];

/** Accepts requests in the order in which they end, and assembles a measurement from them. */
class SimulatedRun {
  readonly #points: Point[] = [];
  readonly #all = new Histogram();
  /**
   * The histogram of the current interval. It is reused, because creating one per interval would take longer than
   * filling it.
   */
  readonly #histogram = new Histogram();
  #failed = 0;

  constructor(private readonly seconds: number, private readonly intervalS = INTERVAL_S) {}

  /** @param isFailed Whether the request failed, in which case its latency is ignored. */
  end(atS: number, latencyMs: number, isFailed = false): void {
    const last = Math.round(this.seconds / this.intervalS) - 1;
    const at = Math.min(last, Math.floor(atS / this.intervalS));
    while (this.#points.length < at) this.#close();
    if (isFailed) this.#failed++;
    else this.#histogram.record(latencyMs * 1_000);
  }

  #close(): void {
    const part = this.#histogram.drain();
    this.#all.addSparse(part);
    const at = (percentile: number): number => valueAtPercentile(part, percentile) / 1_000;
    this.#points.push({
      endS: (this.#points.length + 1) * this.intervalS,
      completed: part.count,
      failed: this.#failed,
      bytes: 0,
      ...{ p50: at(50), p75: at(75), p90: at(90), p99: at(99), max: part.maxUs / 1_000 },
      histogram: part.count === 0 ? "" : encodeHistogram(part),
    });
    this.#failed = 0;
  }

  measurement(): Measurement {
    const { seconds, intervalS } = this;
    while (this.#points.length < Math.round(seconds / intervalS)) this.#close();
    const [points, all] = [this.#points, this.#all];
    const completed = all.count;
    const failed = points.reduce((sum, { failed }) => sum + failed, 0);
    const requests = { due: completed + failed, completed, failed, unfinished: 0, dropped: 0 };
    const times = distributionOf(all);
    const latency = { ...times, clock: "intended" as const, censored: 0, fastest: times.min };
    return {
      ...BARE,
      elapsedS: seconds,
      requests,
      status: { "200": completed },
      errors: failed > 0 ? { reset: failed } : {},
      checks: { passed: completed, failed: 0 },
      rate: completed / seconds,
      latency,
      service: times,
      firstByte: times,
      timeline: { intervalS, points },
      warmup: warmupOf(points, intervalS),
      histogram: encodeHistogram(all.toSparse()),
    };
  }
}

const NO_TIMES = distributionOf(new Histogram());
const NO_SPREAD = { p1: 0, p2_5: 0, p50: 0, p97_5: 0, mean: 0, stdev: 0, min: 0 };

/** The fields of a measurement that no simulated figure depends on, with arbitrary values. */
const BARE: Omit<
  Measurement,
  | ("elapsedS" | "requests" | "status" | "errors" | "checks" | "rate" | "latency" | "service")
  | ("firstByte" | "timeline" | "warmup" | "histogram")
> = {
  schema: "plateau.bench/2",
  version: "0.1.0",
  url: "http://127.0.0.1/",
  driver: "epoll",
  load: {
    kind: "rate",
    ...{ connections: 1_000, keepAlive: true, timeout: 10_000, arrivals: "poisson", seed: 1 },
    ...{ rate: RATE_PER_SEC, durationS: 10 },
  },
  reasons: {},
  reconnects: 0,
  bytes: { in: 0, out: 0, inPerSecond: 0 },
  connect: NO_TIMES,
  perSecond: { requests: NO_SPREAD, bytes: NO_SPREAD },
  sessions: null,
  generator: {
    workers: 1,
    cpu: 0.1,
    waiting: 0.01,
    lag: { p50: 0, p99: 0, max: 0 },
    delay: { p50: 0, p99: 0, max: 0 },
    each: [{ cpu: 0.1, waiting: 0.01, spinning: 0, lag: 0, delay: 0 }],
    timer: 0.0002,
    hostActivity: { cores: 4, busy: 0.4, steal: 0, throttled: null },
    peakThroughput: null,
    baselineLatency: null,
    trust: "valid",
    findings: [],
  },
};

interface Queue {
  readonly utilization: number;
  /**
   * The utilization at the end of the run, to which it rises linearly from `utilization`; absent: it does not change.
   */
  readonly risesTo?: number;
  readonly seconds: number;
}

/**
 * Simulates Poisson arrivals at a single server with exponential service times, which is idle at the start (Lindley's
 * recursion, 1952).
 */
export function queueRun(
  random: Random,
  { utilization, risesTo = utilization, seconds }: Queue,
): Measurement {
  const run = new SimulatedRun(seconds, Math.max(INTERVAL_S, seconds / MOST_INTERVALS));
  let [atS, sojournS] = [0, 0];
  for (;;) {
    const gapS = random.exponential() / RATE_PER_SEC;
    atS += gapS;
    if (atS >= seconds) return run.measurement();
    const servedPerSec = RATE_PER_SEC /
      (utilization + (risesTo - utilization) * atS / seconds);
    sojournS = Math.max(0, sojournS - gapS) + random.exponential() / servedPerSec;
    run.end(atS + sojournS, 1_000 * sojournS);
  }
}

/**
 * Simulates a closed loop on a server whose speed is drawn anew after every `stretch` requests: all requests of a
 * stretch take 10 ms times the same exponential variate. Plateau assumes such changes of speed when a run is too short
 * to show how the speed changes.
 */
export function closedRun(
  random: Random,
  { connections, requests, stretch }: {
    readonly connections: number;
    readonly requests: number;
    readonly stretch: number;
  },
): Measurement {
  const seconds = requests / RATE_PER_SEC;
  const run = new SimulatedRun(seconds);
  let level = 0;
  for (let i = 0; i < requests; i++) {
    if (i % stretch === 0) level = random.exponential();
    run.end(i / RATE_PER_SEC, 10 * level);
  }
  const measured = run.measurement();
  const { keepAlive, timeout } = measured.load;
  const load = { connections, keepAlive, timeout, requests, durationS: null, pipeline: 1 };
  return { ...measured, load: { kind: "closed", ...load } };
}

/**
 * The latency in milliseconds that a given share of the requests of `closedRun` exceeds, over infinitely many
 * stretches.
 */
export function closedLimit(share: number): number {
  return 10 * Math.log(1 / share);
}

/** The true figures of a queue at this utilization. The response times of an M/M/1 queue are exponential. */
export function queueTruth(utilization: number): Truth {
  const mean = 1_000 / (RATE_PER_SEC / utilization - RATE_PER_SEC);
  return {
    ...{ rate: RATE_PER_SEC, mean, p50: mean * Math.LN2, p99: mean * Math.log(100), errors: 0 },
  };
}

/**
 * Simulates a run in which requests fail in bursts of `burst` consecutive requests, at random intervals. On average,
 * `share` of all requests fail.
 */
export function burstRun(
  random: Random,
  { share, burst, seconds }: {
    readonly share: number;
    readonly burst: number;
    readonly seconds: number;
  },
): Measurement {
  const run = new SimulatedRun(seconds);
  const requests = RATE_PER_SEC * seconds;
  const between = burst * (1 - share) / share;
  let next = between * random.exponential();
  let left = 0;
  for (let i = 0; i < requests; i++) {
    if (left === 0 && next <= 0) [left, next] = [burst, between * random.exponential()];
    run.end(i / RATE_PER_SEC, 5, left > 0);
    if (left > 0) left--;
    else next--;
  }
  return run.measurement();
}

/** The average number of requests in an interval. */
const OF_INTERVAL = RATE_PER_SEC * INTERVAL_S;
/** The relative change in the number of requests in an interval per standard deviation of the noise. */
const SWING = 0.1;

/**
 * Simulates a run of which only the number of completed requests in each interval is known.
 * @param noise Returns the noise of the next interval, with mean 0 and standard deviation 1.
 */
export function countedRun(noise: () => number, seconds: number): Parameters<typeof inRunOf>[0] {
  const points = Array.from({ length: seconds / INTERVAL_S }, (_, i) => ({
    endS: (i + 1) * INTERVAL_S,
    completed: Math.max(0, OF_INTERVAL * (1 + SWING * noise())),
    failed: 0,
    histogram: "",
  }));
  return {
    timeline: { intervalS: INTERVAL_S, points },
    warmup: null,
    requests: { dropped: 0 },
    latency: { censored: 0 },
  };
}

/** Simulates a run in which the latency of each request is computed from the next value of the noise. */
export function requestRun(noise: () => number, seconds: number): Measurement {
  const run = new SimulatedRun(seconds);
  for (let i = 0; i < RATE_PER_SEC * seconds; i++) run.end(i / RATE_PER_SEC, latencyOf(noise()));
  return run.measurement();
}

/** The number of values from which the true distribution is estimated. */
const LONG = 1_000_000;

export function requestTruth(noise: () => number): Truth {
  const sorted = Float64Array.from({ length: LONG }, () => latencyOf(noise())).sort();
  return {
    rate: RATE_PER_SEC,
    mean: sorted.reduce((sum, ms) => sum + ms, 0) / LONG,
    p50: sorted[LONG / 2],
    p99: sorted[0.99 * LONG],
    errors: 0,
  };
}

/**
 * Converts a value of the noise to a latency in milliseconds. The conversion is linear above 0, so the latencies have
 * as heavy a tail as the noise, and have a mean if the noise does.
 */
function latencyOf(value: number): number {
  return value >= 0 ? 10 * (1 + value) : 10 / (1 - value);
}
