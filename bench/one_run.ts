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
  noisyRun,
  noisyTruth,
  queueRun,
  queueTruth,
  RATE_PER_SEC,
  SimulatedRun,
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
  if (noise !== undefined) return [underNoise(cases, noise)];
  return Object.entries(PARTS).filter(([name]) => name.includes(only.toLowerCase()))
    .map(([, part]) => part(cases));
}

/** By the names that `--only` reads. */
const PARTS: Readonly<Record<string, (cases: number) => Section>> = {
  "thresholds of queues": gatesOfQueues,
  "thresholds of bursts": gatesOfBursts,
  "intervals of queues": intervalsOfQueues,
  "intervals of bursts": intervalsOfBursts,
  "intervals of waves": intervalsOfWaves,
  "walks": walks,
};

/** Seconds of a run; the longest of each is the one that decides. */
const QUEUES = [
  { utilization: 0.5, seconds: [5, 10, 30] },
  { utilization: 0.7, seconds: [5, 10, 30, 60] },
  { utilization: 0.9, seconds: [10, 30, 60, 300] },
] as const;

type RunOf = (random: Random, at: number) => Measurement;

function thresholdOf(text: string): Threshold {
  const parsed = parseThreshold(text);
  if ("threshold" in parsed) return parsed.threshold;
  throw new Error(`Cannot read "${text}"`);
}

/** Shares of the outcomes of a threshold. */
function outcomesOf(cases: number, threshold: string, runOf: RunOf): Record<Outcome, number> {
  const rules = [thresholdOf(threshold)];
  const shares = { held: 0, broken: 0, inconclusive: 0 };
  const random = new Random(51);
  for (let at = 0; at < cases; at++) {
    const [{ evidence }] = measurementGates(rules, runOf(random, at), null);
    shares[evidence.outcome] += 1 / cases;
  }
  return shares;
}

function atLimit(what: string, { held, broken }: Record<Outcome, number>): Row[] {
  return [
    row(`${what}: passes`, held, atMost(5)),
    row(`${what}: fails`, broken, atMost(5)),
  ];
}

const MOST = atLeast(50);

function gatesOfQueues(cases: number): Section {
  const rows = QUEUES.flatMap(({ utilization, seconds }) =>
    seconds.flatMap((length, i) => {
      const limitMs = queueTruth(utilization).p99;
      const at = (times: number): Record<Outcome, number> =>
        outcomesOf(
          cases,
          `p99 < ${(limitMs * times).toFixed(4)}ms`,
          (random) => queueRun(random, { utilization, seconds: length }),
        );
      const what = `M/M/1 at ${utilization}, ${length} s`;
      const exact = atLimit(what, at(1));
      if (i < seconds.length - 1) return exact;
      return [
        ...exact,
        row(`${what}, true p99 30 % under the limit: passes`, at(1 / 0.7).held, MOST),
        row(`${what}, true p99 30 % over the limit: fails`, at(1 / 1.3).broken, MOST),
      ];
    })
  );
  return {
    caption: `p99 against its limit, 1,000 requests/s, ${cases} runs a line`,
    unit: "%",
    rows,
    notes: ["The true p99 is exactly at the limit, unless said otherwise."],
  };
}

function gatesOfBursts(cases: number): Section {
  const rows = [1, 20].flatMap((burst) =>
    [5, 10, 30, 60].flatMap((seconds) => {
      const at = (share: number): Record<Outcome, number> =>
        outcomesOf(cases, "errors < 1%", (random) => burstRun(random, { share, burst, seconds }));
      const what = `bursts of ${burst}, ${seconds} s`;
      const exact = atLimit(what, at(0.01));
      if (seconds < 60) return exact;
      return [
        ...exact,
        row(`${what}, 0.5 % fail: passes`, at(0.005).held, MOST),
        row(`${what}, 2 % fail: fails`, at(0.02).broken, MOST),
      ];
    })
  );
  return {
    caption: `errors < 1%, of which exactly 1 % fail, ${cases} runs a line`,
    unit: "%",
    rows,
  };
}

const FIGURES = ["rate", "mean", "p50", "p99", "errors"] as const satisfies readonly InRunFigure[];

/** Where fewer runs have an interval, those are the ones that look less dependent than they are. */
const ENOUGH_SHARE = 0.5;

/** For each figure: how many have an interval, and how many of these hold the truth. */
function intervalRows(
  what: string,
  cases: number,
  { truth, runOf, figures = FIGURES }: {
    readonly truth: Truth;
    readonly runOf: RunOf;
    readonly figures?: readonly (typeof FIGURES[number])[];
  },
): Row[] {
  const found = figures.map((figure) => ({ figure, given: 0, right: 0 }));
  const random = new Random(52);
  for (let at = 0; at < cases; at++) {
    const inRun = inRunOf(runOf(random, at));
    for (const one of found) {
      const interval = inRun.figures[one.figure]?.interval;
      if (!interval) continue;
      const value = truth[one.figure];
      one.given++;
      if (interval.low <= value * WIDER && value <= interval.high * WIDER) one.right++;
    }
  }
  return found.map(({ figure, given, right }) => {
    const text = `${what}, ${figure}: ${Math.round(100 * given / cases)} % have one`;
    return given < ENOUGH_SHARE * cases
      ? row(`${text}; wrong, of all runs`, (given - right) / cases, atMost(7))
      : row(text, right / given, atLeast(93));
  });
}

/** By a bucket of a histogram. */
const WIDER = 1.001;

function intervalsOfQueues(cases: number): Section {
  const rows = QUEUES.flatMap(({ utilization, seconds }) =>
    seconds.filter((length) => length >= 10).flatMap((length) =>
      intervalRows(`M/M/1 at ${utilization}, ${length} s`, cases, {
        truth: queueTruth(utilization),
        runOf: (random) => queueRun(random, { utilization, seconds: length }),
        figures: ["rate", "mean", "p50", "p99"],
      })
    )
  );
  return intervalSection("of a queue", cases, rows);
}

function intervalSection(of: string, cases: number, rows: readonly Row[]): Section {
  return {
    caption: `Intervals in this run that hold the truth, ${of}, ${cases} runs a line`,
    unit: "%",
    rows,
  };
}

function intervalsOfBursts(cases: number): Section {
  const rows = [1, 20].flatMap((burst) =>
    [10, 30, 60].flatMap((seconds) =>
      intervalRows(`bursts of ${burst}, ${seconds} s`, cases, {
        truth: { rate: 990, mean: 5, p50: 5, p99: 5, errors: 0.01 },
        runOf: (random) => burstRun(random, { share: 0.01, burst, seconds }),
        figures: ["errors"],
      })
    )
  );
  return intervalSection("of failures", cases, rows);
}

/** Each value so much like the one before. */
const CORRELATIONS = [0, 0.5, 0.8, 0.9, 0.95] as const;
const LENGTHS_S = [10, 30, 60, 120] as const;
const LONG = 200_000;

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

function noiseRows(name: string, cases: number, noise: NoiseOf): Row[] {
  const long = noise(1_000_003);
  const truth = noisyTruth(Float64Array.from({ length: LONG }, long));
  return LENGTHS_S.flatMap((seconds) =>
    intervalRows(`${name}, ${seconds} s`, cases, {
      truth,
      runOf: (random, at) => noisyRun(random, noise(at + 1), seconds),
      figures: ["rate", "mean", "p50", "p99"],
    })
  );
}

function intervalsOfWaves(cases: number): Section {
  const rows = CORRELATIONS.flatMap((correlation) =>
    noiseRows(`AR(${correlation})`, cases, wavesOf(correlation))
  );
  return {
    ...intervalSection("whose intervals wander", cases, rows),
    notes: [
      "The level of an interval, and so requests and latencies in it, swings by 10 %. An interval is 250 ms.",
    ],
  };
}

/** Standard deviations of independent noise, of a step of the walk. */
const NOISES = [0, 1, 3, 10] as const;

function walks(cases: number): Section {
  const rows = NOISES.flatMap((noise) =>
    LENGTHS_S.slice(0, 3).map((seconds) => {
      const random = new Random(53);
      let given = 0;
      for (let at = 0; at < cases; at++) {
        let level = 0;
        const run = noisyRun(random, () => {
          level += STEP * random.normal();
          return level + noise * STEP * random.normal();
        }, seconds);
        if (inRunOf(run).figures.rate?.interval) given++;
      }
      const what = `noise of ${noise} steps, ${seconds} s`;
      return row(what, given / cases, noise === 0 ? atMost(5) : undefined);
    })
  );
  return {
    caption: `Random walks that get an interval of their rate, ${cases} runs a line`,
    unit: "%",
    rows,
    notes: [
      "A step is 2 % of the level. What is buried in noise is not to be seen in a short run.",
    ],
  };
}

/** In units of the swing. */
const STEP = 0.2;

/** Under noise that is handed in: of intervals, and of single requests. */
function underNoise(cases: number, noise: NoiseOf): Section {
  return {
    caption: `Under the noise handed in, ${cases} runs a line`,
    unit: "%",
    rows: [...noiseRows("noise", cases, noise), ...requestRows(cases, noise)],
  };
}

/** Latencies are a value of the noise each; the limit is the p99 of a long series of it. */
function requestRows(cases: number, noise: NoiseOf): Row[] {
  const long = noise(1_000_003);
  const times = Float64Array.from({ length: LONG }, () => msOf(long())).sort();
  const limitMs = times[Math.floor(0.99 * LONG)];
  return [10, 30].flatMap((seconds) => {
    const runOf: RunOf = (_, at) => {
      const next = noise(at + 1);
      const run = new SimulatedRun(seconds);
      for (let i = 0; i < RATE_PER_SEC * seconds; i++) run.end(i / RATE_PER_SEC, msOf(next()));
      return run.measurement();
    };
    return atLimit(
      `each request, p99 at the limit, ${seconds} s`,
      outcomesOf(cases, `p99 < ${limitMs.toFixed(4)}ms`, runOf),
    );
  });
}

function msOf(value: number): number {
  return 10 * Math.exp(value / 2);
}
