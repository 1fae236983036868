/**
 * What one run shows: how often its thresholds are judged right, and how often the intervals of its figures hold the truth, where
 * requests depend on each other.
 */
import { measurementGates } from "../report/judge/gates.ts";
import type { Outcome } from "../report/judge/found.ts";
import { type InRunFigure, inRunOf } from "../runner/result/in_run.ts";
import type { Measurement, Threshold } from "../runner/result/result.ts";
import { parseThreshold } from "../scenarios/claims/threshold.ts";
import type { Bench, Effort, NoiseOf, Row, Section } from "./bench.ts";
import {
  burstRun,
  countedRun,
  queueRun,
  queueTruth,
  RATE_PER_SEC,
  requestRun,
  requestTruth,
  type Truth,
} from "./one_run/simulated.ts";
import { atLeast, atMost, row } from "./statistics/percent.ts";
import { Random } from "./statistics/random.ts";

const CASES = 300;
const SHORT_CASES = 30;

export const oneRun: Bench = {
  about: "thresholds and intervals of one run, in simulations of queues, bursts and waves",
  rounds: 1, // the seeds are fixed
  run: (effort): Promise<Section[]> => Promise.resolve(sectionsOf(effort)),
};

function sectionsOf({ short, noise, only = "" }: Effort): Section[] {
  const cases = short ? SHORT_CASES : CASES;
  if (noise !== undefined) return underNoise(cases, noise);
  return Object.entries(PARTS).filter(([name]) => name.includes(only.toLowerCase()))
    .flatMap(([, part]) => part(cases));
}

/** By the names that `--only` reads. */
const PARTS: Readonly<Record<string, (cases: number) => Section[]>> = {
  queues,
  bursts,
  waves,
  walks,
};

type RunOf = (random: Random, at: number) => Measurement;
type Outcomes = Record<Outcome, number>;

const FIGURES = ["rate", "mean", "p50", "p99", "errors"] as const satisfies readonly InRunFigure[];

interface Simulated {
  readonly runOf: RunOf;
  /** Thresholds to judge, each by itself. */
  readonly thresholds?: readonly string[];
  /** Figures whose intervals are held against the truth. */
  readonly figures?: readonly (typeof FIGURES[number])[];
  readonly truth: Truth;
}

interface Observed {
  /** Shares of the runs, of each threshold. */
  readonly outcomes: readonly Outcomes[];
  /** Of each figure: how many runs give it an interval, and how many of these hold the truth. */
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
      outcomes[i][outcome] += 1 / cases;
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
  return { outcomes, intervals };
}

/** By a bucket of a histogram. */
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

/** Where fewer runs have an interval, those are the ones that look less dependent than they are. */
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
    caption: `Intervals in this run that hold the truth, ${of}, ${cases} runs a line`,
    unit: "%",
    rows,
  };
}

/** Seconds of a run; the longest of each decides. */
const QUEUES = [
  { utilization: 0.5, lengths: [10, 30] },
  { utilization: 0.7, lengths: [10, 60] },
  { utilization: 0.9, lengths: [30, 300] },
] as const;

function queues(cases: number): Section[] {
  const [judged, held]: [Row[], Row[]] = [[], []];
  for (const { utilization, lengths } of QUEUES) {
    for (const seconds of lengths) {
      const truth = queueTruth(utilization);
      const { outcomes: [at, under, over], intervals } = observe(cases, {
        runOf: (random) => queueRun(random, { utilization, seconds }),
        thresholds: [1, 1 / 0.7, 1 / 1.3].map((times) =>
          `p99 < ${(truth.p99 * times).toFixed(4)}ms`
        ),
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
  }
  return [
    {
      caption: `p99 against its limit, 1,000 requests/s, ${cases} runs a line`,
      unit: "%",
      rows: judged,
      notes: ["The true p99 is exactly at the limit, unless said otherwise."],
    },
    intervalSection("of a queue", cases, held),
  ];
}

function bursts(cases: number): Section[] {
  const [judged, held]: [Row[], Row[]] = [[], []];
  for (const burst of [1, 20]) {
    for (const seconds of [10, 60]) {
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

/** Each value so much like the one before. */
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
  return [intervalSection("whose intervals of 250 ms come in waves", cases, rows)];
}

/** Standard deviations of independent noise, in steps of the walk. */
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

/** In units of the swing. */
const STEP = 0.1;

/** Under noise that is handed in: of intervals, and of the latencies of single requests. */
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
