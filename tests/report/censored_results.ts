/** Results in which some latencies are lower bounds, request by request, so that a test can reckon what is right. */
import { sum } from "../../report/writing/spread.ts";
import { type Measurement, type Results, results } from "../../runner/result/result.ts";
import { isMovable, productLimitUs } from "../../runner/stats/histogram/censoring.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import {
  Histogram,
  type SparseHistogram,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { distributionOf } from "./intervals.ts";

/** What became of a request. */
export interface Ended {
  /** Seconds since the start of the run, when it ended, or until it was watched. */
  readonly atS: number;
  readonly ms: number;
  readonly as: "completed" | "timeout" | "unfinished" | "dropped";
}

export interface Load {
  readonly clock: "intended" | "sent";
  /** Up to the deadline. */
  readonly durationS: number;
  readonly requests: readonly Ended[];
}

/** 200/s for 5 s on ten connections, of a server that freezes after 3.035 s: 383 of 1,000 are never sent. */
export const FROZEN: Load = {
  clock: "intended",
  durationS: 5,
  requests: Array.from({ length: 1_000 }, (_, i): Ended => {
    const dueS = i / 200;
    if (i < 607) return { atS: dueS + 0.005, ms: 5 + i % 7, as: "completed" };
    return { atS: 5, ms: (5 - dueS) * 1_000, as: i < 617 ? "unfinished" : "dropped" };
  }),
};

/** Every answer takes a second; the run was interrupted 0.2 s after most requests were sent. */
export const INTERRUPTED: Load = {
  clock: "sent",
  durationS: 1.2,
  requests: Array.from(
    { length: 100 },
    (_, i): Ended =>
      i < 40
        ? { atS: 1.0 + i / 1_000, ms: 1_000 + i, as: "completed" }
        : { atS: 1.2, ms: 200, as: "unfinished" },
  ),
};

/** A closed loop of 10,000 requests, 200 of which timed out after a second, the last five of them after the deadline. */
export const TIMED_OUT: Load = {
  clock: "sent",
  durationS: 4,
  requests: Array.from({ length: 10_000 }, (_, i): Ended => {
    const atS = (i + 1) / 2_500;
    if (i % 50 === 49) return { atS: atS + 0.1, ms: 1_000, as: "timeout" };
    return { atS, ms: 10 + i % 17 / 4, as: "completed" };
  }),
};

const INTERVAL_S = 0.25;

/** As the engine leaves it. */
export function censoredMeasurement(load: Load): Measurement {
  const { clock, durationS, requests } = load;
  const count = (as: Ended["as"]): number => requests.filter((one) => one.as === as).length;
  const completed = count("completed");
  const inTime = requests.filter(({ as, atS }) => as === "completed" && atS <= durationS);
  const base = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const failed = count("timeout");
  const late = requests.filter(({ atS, as }) => as !== "dropped" && atS > durationS);
  return {
    ...base,
    load: clock === "sent" ? { ...CLOSED, durationS } : OPEN,
    elapsedS: durationS,
    requests: {
      due: requests.length,
      completed,
      failed,
      unfinished: count("unfinished"),
      dropped: count("dropped"),
    },
    status: { "200": completed },
    errors: failed > 0 ? { timeout: failed } : {},
    reasons: failed > 0 ? { "no whole answer after 1,000 ms": failed } : {},
    checks: { passed: completed, failed: 0 },
    rate: inTime.length / durationS,
    ...distributionsOf(load),
    ...(late.length > 0 && {
      drain: {
        durationS: Math.max(...late.map(({ atS }) => atS)) - durationS,
        completed: completed - inTime.length,
        failed: late.filter(({ as }) => as === "timeout").length,
      },
    }),
    timeline: { intervalS: INTERVAL_S, points: pointsOf(load) },
    warmup: clock === "sent" ? { label: "too-short", steadyFromS: null } : null,
  };
}

const CLOSED = {
  kind: "closed",
  connections: 60,
  pipeline: 1,
  keepAlive: true,
  timeout: 1_000,
  requests: null,
} as const;

const OPEN = {
  kind: "rate",
  rate: 200,
  durationS: 5,
  connections: 10,
  keepAlive: true,
  timeout: 5_000,
  arrivals: "uniform",
  seed: 1,
} as const;

interface Recorded {
  readonly all: SparseHistogram;
  readonly censored: SparseHistogram;
}

function recorded(requests: readonly Ended[]): Recorded {
  const [all, censored] = [new Histogram(), new Histogram()];
  for (const { ms, as } of requests) {
    all.record(ms * 1_000);
    if (as !== "completed") censored.record(ms * 1_000);
  }
  return { all: all.toSparse(), censored: censored.toSparse() };
}

function distributionsOf(
  { clock, requests }: Load,
): Pick<Measurement, "latency" | "service" | "histogram" | "censoredHistogram"> {
  const { all, censored } = recorded(requests);
  const latency = withBounds({ all, censored }, clock);
  const answers = requests.filter(({ as }) => as === "completed").map(({ ms }) => ms);
  return {
    latency: { ...latency, clock, censored: censored.count, fastest: Math.min(...answers) },
    service: withBounds(recorded(requests.filter(({ as }) => as !== "dropped")), clock),
    histogram: encodeHistogram(all),
    ...(censored.count > 0 && { censoredHistogram: encodeHistogram(censored) }),
  };
}

function withBounds({ all, censored }: Recorded, clock: Load["clock"]): Measurement["service"] {
  const whole = new Histogram();
  whole.addSparse(all);
  const plain = distributionOf(whole);
  const lowerBounds = [
    ...PERCENTILES.filter((p) => isMovable(all, censored, p)).map(String),
    ...(censored.count > 0 ? ["mean", "max"] : []),
  ];
  return {
    ...plain,
    percentiles: clock === "intended" ? plain.percentiles : Object.fromEntries(
      PERCENTILES.map((p) => [p, productLimitUs(all, censored, p) / 1_000]),
    ) as Measurement["service"]["percentiles"],
    ...(lowerBounds.length > 0 && { lowerBounds }),
  };
}

/** What ended after the deadline, and what was never sent, stands in the last one's histogram alone. */
function pointsOf({ clock, durationS, requests }: Load): Measurement["timeline"]["points"] {
  const count = Math.ceil(durationS / INTERVAL_S - 1e-9);
  return Array.from({ length: count }, (_, i) => {
    const [fromS, toS] = [i * INTERVAL_S, Math.min(durationS, (i + 1) * INTERVAL_S)];
    const own = requests.filter(({ atS }) => atS > fromS && (atS <= toS || i === count - 1));
    const ended = own.filter(({ atS, as }) => atS <= toS && as !== "unfinished");
    const { all, censored } = recorded(own);
    const at = (p: number): number =>
      (clock === "sent" ? productLimitUs(all, censored, p) : valueAtPercentile(all, p)) / 1_000;
    const completed = sum(ended, ({ as }) => as === "completed" ? 1 : 0);
    const failed = sum(ended, ({ as }) => as === "timeout" ? 1 : 0);
    const times = { p50: at(50), p75: at(75), p90: at(90), p99: at(99), max: at(100) };
    return {
      ...{ endS: toS, completed, failed, bytes: completed * 180, ...times },
      ...(failed > 0 && { errors: { timeout: failed } }),
      histogram: own.length === 0 ? "" : encodeHistogram(all),
      ...(censored.count > 0 && { censoredHistogram: encodeHistogram(censored) }),
    };
  });
}

/** One run a target. */
export function censoredResults(
  loads: Readonly<Record<string, Load>>,
  experiment: Record<string, unknown> = {},
): Results {
  const cells = Object.keys(loads).map((target) => ({ target, scenario: "static", medianMs: 5 }));
  const fixture = resultsFixture({ cells, experiment });
  return results.parse({
    ...fixture,
    runs: fixture.runs.map((run) => ({ ...run, ...censoredMeasurement(loads[run.target]) })),
  });
}
