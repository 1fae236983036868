/**
 * Tests the conclusions drawn from a single run: how often its thresholds are judged correctly, and how often the
 * confidence intervals of its figures contain the truth, if requests depend on each other.
 */
import { measurementGates } from "../report/judge/thresholds.ts";
import type { Outcome } from "../report/judge/reasons.ts";
import { type InRunFigure, inRunOf } from "../runner/result/in_run.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import type { Measurement, Threshold } from "../runner/result/result.ts";
import { parseThreshold } from "../scenarios/claims/threshold.ts";
import type { Bench, Effort, NoiseOf, Row, Section } from "./bench.ts";
import {
  burstRun,
  closedLimit,
  closedRun,
  countedRun,
  queueRun,
  queueTruth,
  RATE_PER_SEC,
  requestRun,
  requestTruth,
  type Truth,
} from "./one_run/simulated.ts";
import { atLeast, atMost, between, row } from "./statistics/percent.ts";
import { Random } from "./statistics/random.ts";

const CASES = 300;
const SHORT_CASES = 30;

export const oneRun: Bench = {
  about: "thresholds and intervals of one run, in simulations of queues, bursts and waves",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: (effort): Promise<Section[]> => Promise.resolve(sectionsOf(effort)),
};

function sectionsOf({ short, noise, only = "" }: Effort): Section[] {
  const cases = short ? SHORT_CASES : CASES;
  if (noise !== undefined) return underNoise(cases, noise);
  return Object.entries(PARTS).filter(([name]) => name.includes(only.toLowerCase()))
    .flatMap(([, part]) => part(cases));
}

/** The parts of the bench, each under the name that `--only` matches. */
const PARTS: Readonly<Record<string, (cases: number) => Section[]>> = {
  "queues at 0.5": (cases) => queues(cases, { utilization: 0.5, lengths: [10, 30] }),
  "queues at 0.7": (cases) => queues(cases, { utilization: 0.7, lengths: [10, 60] }),
  "queues at 0.9": (cases) => queues(cases, { utilization: 0.9, lengths: [30, 300] }),
  seconds,
  short,
  drifts,
  bursts,
  waves,
  walks,
};

type RunOf = (random: Random, at: number) => Measurement;
type Outcomes = Record<Outcome, number>;

const FIGURES = ["rate", "mean", "p50", "p99", "errors"] as const satisfies readonly InRunFigure[];

interface Simulated {
  readonly runOf: RunOf;
  /** The thresholds, each judged on its own. */
  readonly thresholds?: readonly string[];
  /** The figures whose confidence intervals are compared with the truth. */
  readonly figures?: readonly (typeof FIGURES[number])[];
  readonly truth: Truth;
}

interface Observed {
  /** For each threshold, the share of runs with each outcome. */
  readonly outcomes: readonly Outcomes[];
  /**
   * For each figure, the number of runs that gave a confidence interval, and the number of those intervals that contain
   * the truth.
   */
  readonly intervals: readonly {
    readonly figure: string;
    readonly given: number;
    readonly right: number;
  }[];
}

function observe(
  cases: number,
  { runOf, thresholds = [], figures = [], truth }: Simulated,
): Observed {
  const random = new Random(51);
  const rules = thresholds.map(thresholdOf);
  const outcomes = rules.map((): Outcomes => ({ held: 0, broken: 0, inconclusive: 0 }));
  const intervals = figures.map((figure) => ({ figure, given: 0, right: 0 }));
  for (let at = 0; at < cases; at++) {
    const run = runOf(random, at);
    rules.forEach((rule, i) => {
      const [{ evidence: { outcome } }] = measurementGates([rule], run, null);
      outcomes[i][outcome]++;
    });
    const found = figures.length === 0 ? {} : inRunOf(run).figures;
    for (const one of intervals) {
      const interval = found[one.figure]?.interval;
      if (!interval) continue;
      const value = truth[one.figure];
      one.given++;
      if (interval.low <= value * WIDER && value <= interval.high * WIDER) one.right++;
    }
  }
  const shares = outcomes.map(({ held, broken, inconclusive }): Outcomes => ({
    held: held / cases,
    broken: broken / cases,
    inconclusive: inconclusive / cases,
  }));
  return { outcomes: shares, intervals };
}

/**
 * An interval that misses the truth by at most this factor still counts as right, because the factor is the width of a
 * histogram bucket.
 */
const WIDER = 1.001;

function thresholdOf(text: string): Threshold {
  const parsed = parseThreshold(text);
  if ("threshold" in parsed) return parsed.threshold;
  throw new Error(`Cannot read "${text}"`);
}

function atLimit(what: string, { held, broken }: Outcomes): Row[] {
  return [
    row(`${what}: passes`, held, atMost(5)),
    row(`${what}: fails`, broken, atMost(5)),
  ];
}

const MOST = atLeast(50);

/**
 * The coverage is judged only if at least this share of the runs have an interval. If fewer have one, they are mostly
 * runs whose requests happen to look less dependent than they are.
 */
const ENOUGH_SHARE = 0.5;

function intervalRows(what: string, cases: number, intervals: Observed["intervals"]): Row[] {
  return intervals.map(({ figure, given, right }) => {
    const text = `${what}, ${figure}: ${Math.round(100 * given / cases)} % have one`;
    return given < ENOUGH_SHARE * cases
      ? row(`${text}; wrong, of all runs`, (given - right) / cases, atMost(7))
      : row(text, right / given, atLeast(93));
  });
}

function intervalSection(of: string, cases: number, rows: readonly Row[]): Section {
  return {
    caption: `Intervals of one run that contain the truth, ${of}, ${cases} runs a line`,
    unit: "%",
    rows,
  };
}

interface QueueLengths {
  readonly utilization: number;
  /** Two run lengths in seconds; bars apply to the longer one. */
  readonly lengths: readonly [number, number];
}

function queues(cases: number, { utilization, lengths }: QueueLengths): Section[] {
  const [judged, held]: [Row[], Row[]] = [[], []];
  const truth = queueTruth(utilization);
  for (const seconds of lengths) {
    const { outcomes: [at, under, over], intervals } = observe(cases, {
      runOf: (random) => queueRun(random, { utilization, seconds }),
      thresholds: [1, 1 / 0.7, 1 / 1.3].map((times) => `p99 < ${(truth.p99 * times).toFixed(4)}ms`),
      figures: ["rate", "mean", "p50", "p99"],
      truth,
    });
    const what = `M/M/1 at ${utilization}, ${seconds} s`;
    const bar = seconds === lengths[1] ? MOST : undefined;
    judged.push(
      ...atLimit(what, at),
      row(`${what}, true p99 30 % under the limit: passes`, under.held, bar),
      row(`${what}, true p99 30 % over the limit: fails`, over.broken, bar),
    );
    held.push(...intervalRows(what, cases, intervals));
  }
  return [
    {
      caption: `p99 against its limit, 1,000 requests/s at ${utilization}, ${cases} runs a line`,
      unit: "%",
      rows: judged,
      notes: ["The true p99 is exactly at the limit, unless said otherwise."],
    },
    intervalSection(`of a queue at ${utilization}`, cases, held),
  ];
}

/** A threshold that holds with room to spare: the true p99 is 30 % below its limit. */
const underLimit = (utilization: number): string =>
  `p99 < ${(queueTruth(utilization).p99 / 0.7).toFixed(4)}ms`;

/**
 * Tests whether the run length that a short, inconclusive run advises is right: how often runs of about that length
 * pass.
 */
function seconds(cases: number): Section[] {
  const few = Math.ceil(cases / 5);
  const rows = [{ utilization: 0.5, short: 6 }, { utilization: 0.7, short: 12 }, {
    utilization: 0.9,
    short: 60,
  }].flatMap(({ utilization, short }) => {
    const thresholds = [underLimit(utilization)];
    const truth = queueTruth(utilization);
    const random = new Random(59);
    const named = Array.from({ length: few }, () => {
      const run = queueRun(random, { utilization, seconds: short });
      const [{ evidence: { reason } }] = measurementGates(thresholds.map(thresholdOf), run, null);
      return reason?.code === "few-clusters" || reason?.code === "more-requests"
        ? reason.seconds ?? []
        : [];
    }).flat();
    const median = Math.round(medianOf(named));
    return [0.7, 1, 1.3].map((times) => {
      const { outcomes: [{ held }] } = observe(few, {
        runOf: (random) => queueRun(random, { utilization, seconds: times * median }),
        thresholds,
        truth,
      });
      const what = `M/M/1 at ${utilization}, after ${short} s, which say ${median} s`;
      return row(`${what}: ${times} times that`, held, times === 1 ? between(45, 85) : undefined);
    });
  });
  return [{
    caption:
      `A true p99 30 % under the limit passes in the time that a short run says, ${few} runs a line`,
    unit: "%",
    rows,
    notes: ["The time is the median of what short runs say that do not decide."],
  }];
}

/** Judges runs that are too short to show how their requests depend on each other. */
function short(cases: number): Section[] {
  const queued = [0.5, 0.7, 0.9].flatMap((utilization) =>
    [2, 4].flatMap((seconds) => {
      const truth = queueTruth(utilization);
      const { outcomes: [at] } = observe(cases, {
        runOf: (random) => queueRun(random, { utilization, seconds }),
        thresholds: [`p99 < ${truth.p99.toFixed(4)}ms`],
        truth,
      });
      return atLimit(`M/M/1 at ${utilization}, ${seconds} s`, at);
    })
  );
  const closed = [1_000, 1_500, 3_000].flatMap((requests) => {
    const connections = 50;
    const { outcomes: [at] } = observe(cases, {
      runOf: (random) => closedRun(random, { connections, requests, stretch: 10 * connections }),
      thresholds: [`p99 < ${closedLimit(0.01).toFixed(4)}ms`],
      truth: queueTruth(0.5),
    });
    return atLimit(`closed loop of ${connections}, ${requests} requests`, at);
  });
  return [{
    caption: `p99 at its limit in short runs, ${cases} runs a line`,
    unit: "%",
    rows: [...queued, ...closed],
    notes: [
      "The speed of the closed loop's server is another, exponential one every ten rounds of its connections.",
    ],
  }];
}

const DRIFTS = [{ from: 0.4, to: 0.5, seconds: 30 }, { from: 0.6, to: 0.7, seconds: 60 }, {
  from: 0.65,
  to: 0.7,
  seconds: 120,
}] as const;

/**
 * Judges queues whose utilization rises during the run: their p99 reaches the limit only at the end, and is below it on
 * average.
 */
function drifts(cases: number): Section[] {
  return [{
    caption: `Queues that fill while they run, to a p99 at the limit, ${cases} runs a line`,
    unit: "%",
    rows: DRIFTS.map(({ from, to, seconds }) => {
      const truth = queueTruth(to);
      const { outcomes: [{ held }] } = observe(cases, {
        runOf: (random) => queueRun(random, { utilization: from, risesTo: to, seconds }),
        thresholds: [`p99 < ${truth.p99.toFixed(4)}ms`],
        truth,
      });
      return row(`M/M/1 from ${from} to ${to}, ${seconds} s: passes`, held, atMost(10));
    }),
  }];
}

function bursts(cases: number): Section[] {
  const [judged, held]: [Row[], Row[]] = [[], []];
  for (const burst of [1, 20]) {
    for (const seconds of [8, 10, 60]) {
      const of = (share: number): Observed =>
        observe(cases, {
          runOf: (random) => burstRun(random, { share, burst, seconds }),
          thresholds: ["errors < 1%"],
          figures: ["errors"],
          truth: { rate: 0, mean: 5, p50: 5, p99: 5, errors: share },
        });
      const what = `bursts of ${burst}, ${seconds} s`;
      const { outcomes: [at], intervals } = of(0.01);
      judged.push(...atLimit(what, at));
      held.push(...intervalRows(what, cases, intervals));
      if (seconds < 60) continue;
      judged.push(
        row(`${what}, 0.5 % fail: passes`, of(0.005).outcomes[0].held, MOST),
        row(`${what}, 2 % fail: fails`, of(0.02).outcomes[0].broken, MOST),
      );
    }
  }
  return [
    {
      caption: `errors < 1%, of which exactly 1 % fail, ${cases} runs a line`,
      unit: "%",
      rows: judged,
    },
    intervalSection("of failures", cases, held),
  ];
}

/** The correlations between consecutive values. */
const CORRELATIONS = [0, 0.5, 0.8, 0.9, 0.95] as const;
const LENGTHS_S = [10, 30, 60, 120, 300] as const;

function wavesOf(correlation: number): NoiseOf {
  return (seed) => {
    const random = new Random(seed);
    let value = random.normal();
    return () => {
      const now = value;
      value = correlation * value + Math.sqrt(1 - correlation ** 2) * random.normal();
      return now;
    };
  };
}

function rateRows(name: string, cases: number, noise: NoiseOf): Row[] {
  return LENGTHS_S.flatMap((seconds) => {
    let [given, right] = [0, 0];
    for (let at = 0; at < cases; at++) {
      const interval = inRunOf(countedRun(noise(at + 1), seconds)).figures.rate?.interval;
      if (!interval) continue;
      given++;
      if (interval.low <= RATE_PER_SEC && RATE_PER_SEC <= interval.high) right++;
    }
    return intervalRows(`${name}, ${seconds} s`, cases, [{ figure: "rate", given, right }]);
  });
}

function waves(cases: number): Section[] {
  const rows = CORRELATIONS.flatMap((correlation) =>
    rateRows(`AR(${correlation})`, cases, wavesOf(correlation))
  );
  return [intervalSection("whose 250 ms intervals come in waves", cases, rows)];
}

/** The standard deviations of independent noise added to the random walk, relative to its step. */
const NOISES = [0, 1, 3, 10] as const;

function walks(cases: number): Section[] {
  const rows = NOISES.flatMap((noise) =>
    LENGTHS_S.map((seconds) => {
      const random = new Random(53);
      let given = 0;
      for (let at = 0; at < cases; at++) {
        let level = 0;
        const run = countedRun(() => {
          level += STEP * random.normal();
          return level + noise * STEP * random.normal();
        }, seconds);
        if (inRunOf(run).figures.rate?.interval) given++;
      }
      const what = `noise of ${noise} steps, ${seconds} s`;
      return row(what, given / cases, noise === 0 ? atMost(5) : undefined);
    })
  );
  return [{
    caption: `Random walks that get an interval of their rate, ${cases} runs a line`,
    unit: "%",
    rows,
    notes: [
      "A step is 1 % of the level. What is buried in noise is not to be seen in a short run.",
    ],
  }];
}

/**
 * The standard deviation of a step of the random walk. `countedRun` turns a noise of 1 into 10 % of the requests of an
 * interval, so such a step is 1 % of them.
 */
const STEP = 0.1;

/**
 * Tests thresholds and confidence intervals under noise that the user supplies, used once for the latencies of single
 * requests, and once for the number of requests completed in each interval of time.
 */
function underNoise(cases: number, noise: NoiseOf): Section[] {
  const truth = requestTruth(noise(1_000_003));
  const observed = [10, 30].map((seconds) =>
    [
      `each request, ${seconds} s`,
      observe(cases, {
        runOf: (_, at) => requestRun(noise(at + 1), seconds),
        thresholds: [`p99 < ${truth.p99.toFixed(4)}ms`],
        figures: ["mean", "p50", "p99"],
        truth,
      }),
    ] as const
  );
  return [
    {
      caption: `p99 against its limit under the noise handed in, ${cases} runs a line`,
      unit: "%",
      rows: observed.flatMap(([what, { outcomes: [at] }]) => atLimit(what, at)),
    },
    intervalSection("under the noise handed in", cases, [
      ...rateRows("each interval", cases, noise),
      ...observed.flatMap(([what, { intervals }]) => intervalRows(what, cases, intervals)),
    ]),
  ];
}
