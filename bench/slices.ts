/**
 * Tests what comparisons in slices promise, in simulations whose truth is known: how often intervals contain the true
 * ratio, both for two processes that are never restarted and for fresh pairs of processes, and how often an `ab` that
 * looks at its results repeatedly reports a difference.
 */
import { comparePairs, comparisonOf, type FigureComparison } from "../report/judge/comparison.ts";
import { intervalOverRounds } from "../report/judge/rounds.ts";
import { aloneOf, type Sliced } from "../report/judge/slices.ts";
import { estimateOfMean } from "../runner/stats/confidence/bootstrap.ts";
import { LOOK_CONFIDENCE } from "../runner/stats/confidence/sequential.ts";
import { disturbanceOf, type Rest } from "../runner/stats/slices/disturbance.ts";
import { decide, PROCESS_LOOK_SIGNIFICANCE, PROCESS_LOOKS } from "../runner/stats/slices/looks.ts";
import {
  joinedSeries,
  pairedSeries,
  type SideSlices,
  sliceRatioOf,
} from "../runner/stats/slices/slice_ratio.ts";
import { meanOf, medianOf } from "../runner/stats/quantile.ts";
import type { Bench, Effort, Row, Section } from "./bench.ts";
import { type Behaviour, PAIR_S, type SimulatedPair, simulatedPair } from "./slices/simulated.ts";
import { atLeast, atMost, between, row } from "./statistics/percent.ts";
import { Random } from "./statistics/random.ts";
import { groupOf } from "./statistics/verdicts.ts";

const CASES = 200;
/**
 * The factor by which more cases are simulated where even a coverage above 97 % counts as wrong, because the coverage
 * must then be known more precisely. These cases are quick to simulate.
 */
const MANY = 5;
const SHORT_CASES = 30;

export const slices: Bench = {
  about: "comparisons in slices: intervals, looks and refusals, in simulations",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: (effort): Promise<Section[]> => Promise.resolve(sectionsOf(effort)),
};

function sectionsOf({ short, only = "" }: Effort): Section[] {
  const cases = short ? SHORT_CASES : CASES;
  return Object.entries(PARTS).filter(([name]) => name.includes(only.toLowerCase()))
    .flatMap(([, part]) => part(cases));
}

/** The parts of the bench, each under the name that `--only` matches. */
const PARTS: Readonly<Record<string, (cases: number) => Section | Section[]>> = {
  "two processes": twoProcesses,
  "fresh processes": (cases) => freshProcesses(MANY * cases),
  "no change, fresh": noChange,
  "no change, two": noChangeInTwo,
  "planted, fresh": planted,
  "planted, two": plantedInTwo,
  "thresholds, two": thresholdsOnTwo,
  "disturbance": disturbances,
};

type Kinds = Readonly<Record<string, Behaviour>>;

/** Kinds of noise within a process. Some of them cancel in a pair of slices, others do not. */
const WITHIN: Kinds = {
  "3 % between slices": {},
  "requests that wait for each other in a slice": { stalls: { share: 0.2, lost: 0.2 } },
  "waves of 3 % from slice to slice, AR(0.5)": { waves: { stdev: 0.03, correlation: 0.5 } },
  "waves of 3 %, AR(0.9)": { waves: { stdev: 0.03, correlation: 0.9 } },
  "the machine slows down by 30 %": { drift: 0.3 },
  "a neighbour that takes half, in bursts of 0.3 s": {
    bursts: { lost: 0.5, burstS: 0.3, gapS: 0.7 },
  },
  "a neighbour that takes 80 %, in bursts of 50 ms": {
    bursts: { lost: 0.8, burstS: 0.05, gapS: 0.2 },
  },
  "freezes of 0.3 s every 2 s": { freezes: { everyS: 2, forS: 0.3 } },
  "freezes of 40 ms every 0.22 s, as long as a pair": { freezes: { everyS: 0.22, forS: 0.04 } },
  "each side pauses for 30 ms every second": { pauses: { everyS: 1, forS: 0.03 } },
};

const WANDERING: Kinds = {
  "waves of 3 %, AR(0.98)": { waves: { stdev: 0.03, correlation: 0.98 } },
};

const DRIFTING: Kinds = {
  ...WANDERING,
  "the new side alone slows down by 5 %": { ownDrift: 0.05 },
};

const BETWEEN: Kinds = {
  "1 % between processes": { process: 0.01 },
  "3 % between processes": { process: 0.03 },
  "half of the processes of both sides 10 % slower": {
    layout: { share: 0.5, slower: 0.1, sides: "both" },
  },
  "one in five processes of both sides 10 % slower": {
    layout: { share: 0.2, slower: 0.1, sides: "both" },
  },
};

/**
 * The number of pairs of slices from which each compared value is computed: for a fresh pair of processes in an `ab`,
 * 1.5 s of slices of 50 ms on each side; for two processes that are never restarted (`versus`), 0.4 s.
 */
const PAIRS_OF_SLICES = { fresh: 30, these: 8, sessions: 8 } as const;
/** The number of pairs of slices in the shortest sessions, which occur if requests are slow. */
const FEWEST_OF_SESSION = 2;
/**
 * The number of pairs of slices in a `versus`: when it first looks at its results if requests are slow, when it first
 * looks if they are fast, after about 11 s, and after about 55 s.
 */
const PAIRS_ALONE = [8, 32, 100, 500] as const;

const LOG_RATIO = Math.log(0.97);

function twoProcesses(cases: number): Section {
  const rows = Object.entries({ ...WITHIN, ...DRIFTING }).flatMap(([kind, behaviour]) =>
    PAIRS_ALONE.map((pairs): Row => {
      const random = new Random(61);
      let [given, right] = [0, 0];
      for (let at = 0; at < cases; at++) {
        const one = simulatedPair(random, { behaviour, pairs, logRatio: LOG_RATIO });
        const { interval } = compared([one], "these", 0.95);
        if (interval === null) continue;
        given++;
        const truth = Math.exp(one.logRatio);
        if (interval.low <= truth && truth <= interval.high) right++;
      }
      const what = `${kind}, ${pairs} pairs: ${Math.round(100 * given / cases)} % have one`;
      return row(what, right / given, atLeast(93));
    })
  );
  return {
    caption:
      `Intervals of two processes by their slices alone that hold their ratio, ${cases} cases a line`,
    unit: "%",
    rows,
    notes: [
      "Where the pairs are few, or their level wanders, the interval is as wide as that of a further pair, or stretch of pairs; " +
      "100 pairs are too few to see a dependence over 50, and their intervals are twice as wide as they look.",
    ],
  };
}

const FIXED = [4, 8, 16] as const;

/** Tests confidence intervals over a fixed number of pairs of processes, without looks at the results in between. */
function freshProcesses(cases: number): Section {
  const rows = Object.entries({ ...WITHIN, ...DRIFTING, ...BETWEEN }).flatMap(([kind, behaviour]) =>
    FIXED.map((processes): Row => {
      const random = new Random(67);
      let right = 0;
      for (let at = 0; at < cases; at++) {
        const pairs = pairsBy(random, { behaviour, processes, logRatio: LOG_RATIO });
        const { interval } = compared(pairs, "fresh", 0.95);
        const truth = Math.exp(LOG_RATIO);
        if (interval !== null && interval.low <= truth && truth <= interval.high) right++;
      }
      return row(`${kind}, ${processes} pairs of processes`, right / cases, between(93, 97));
    })
  );
  return {
    caption:
      `95 % intervals over fresh pairs of processes that hold the ratio, ${cases} cases a line`,
    unit: "%",
    rows,
    notes: [`Each of ${PAIRS_OF_SLICES.fresh} pairs of slices of 50 ms.`],
  };
}

const MARGINS = [0, 0.02] as const;

/** Tests how often comparisons of a program with itself report a difference. */
function calledRows(
  cases: number,
  { processes, perSession }: {
    readonly processes: Processes;
    readonly perSession?: number;
  },
): Row[] {
  const isFresh = processes === "fresh";
  const kinds = isFresh ? { ...WITHIN, ...DRIFTING, ...BETWEEN } : { ...WITHIN, ...WANDERING };
  return Object.entries(kinds).flatMap(([kind, behaviour]) =>
    MARGINS.map((marginRatio): Row => {
      const plan = { processes, behaviour, logRatio: 0, marginRatio, perSession };
      const found = simulatedLooks(cases, plan);
      return row(
        `${kind}, margin of ${100 * marginRatio} %`,
        found.filter(isCalled).length / cases,
        // No bar if the noise outlasts the time before the first looks at the results: the few
        // rounds until then, with one value each, cannot show such noise.
        kind in WANDERING && (processes === "sessions" || !isFresh && marginRatio === 0)
          ? undefined
          : atMost(5),
      );
    })
  );
}

function noChange(cases: number): Section {
  return {
    caption: `A against A called better or worse at any look, ${cases} cases a line`,
    unit: "%",
    rows: calledRows(cases, { processes: "fresh" }),
    notes: [`Looks after ${PROCESS_LOOKS.join(", ")} pairs of processes.`],
  };
}

function noChangeInTwo(cases: number): Section[] {
  return [
    {
      caption: `The same of two processes that nobody restarts, ${cases} cases a line`,
      unit: "%",
      rows: calledRows(cases, { processes: "these" }),
      notes: [
        `Looks after as many rounds of ${PAIRS_OF_SLICES.these} pairs of slices. Without a margin nothing is ` +
        "promised of a ratio that wanders for longer than the first looks last.",
      ],
    },
    {
      caption: `The same where requests are slow, ${cases} cases a line`,
      unit: "%",
      rows: calledRows(cases, { processes: "these", perSession: FEWEST_OF_SESSION }),
      notes: [`Rounds of ${FEWEST_OF_SESSION} pairs of slices.`],
    },
    {
      caption: `The same by one value a round, as percentiles have it, ${cases} cases a line`,
      unit: "%",
      rows: calledRows(cases, { processes: "sessions" }),
    },
  ];
}

/**
 * Tests thresholds for the requests/s of the new server alone. The limit is their true value, so any decision is wrong.
 */
function thresholdsOnTwo(cases: number): Section {
  // On a machine that drifts, the requests/s have no true value.
  const kinds = Object.entries({ ...WITHIN, ...WANDERING }).filter(([, { drift }]) => !drift);
  return {
    caption:
      `Thresholds at the true requests/s of a server that nobody restarts, held or broken at any look, ${cases} cases a line`,
    unit: "%",
    rows: kinds.map(([kind, behaviour]) => {
      const random = new Random(83);
      const plan = { behaviour, logRatio: 0, perSession: PAIRS_OF_SLICES.these };
      const rates = Array.from(
        { length: cases },
        () => timesOf(random, plan).map(({ next }) => rateOf(next)),
      );
      const truth = meanOf(rates.map(meanOf));
      const decided = rates.filter((all) =>
        PROCESS_LOOKS.some((look) => isBeyond(all.slice(0, look), truth))
      );
      return row(kind, decided.length / cases, kind in WANDERING ? undefined : atMost(5));
    }),
    notes: [`Looks after as many rounds of ${PAIRS_OF_SLICES.these} pairs of slices.`],
  };
}

/** Whether the rates prove on which side of the limit their mean is, by the same method as thresholds. */
function isBeyond(rates: readonly number[], limit: number): boolean {
  const interval = intervalOverRounds(meanOf(rates), rates, 1 - PROCESS_LOOK_SIGNIFICANCE);
  return interval !== null && (interval.low > limit || interval.high < limit);
}

interface PlantedChanges {
  readonly beside: string;
  readonly behaviour: Behaviour;
  /**
   * The planted changes: up to 1, the share by which the new side is slower; above 1, the share by which it is faster,
   * so 2 means three times as fast.
   */
  readonly changes: readonly number[];
}

const PLANTED_IN_TWO: readonly PlantedChanges[] = [
  {
    beside: "a neighbour",
    behaviour: { bursts: { lost: 0.5, burstS: 0.3, gapS: 0.7 } },
    changes: [2, 0.3, 0.1, 0.05, 0.02],
  },
  {
    // Noise like that of CPU times measured in ticks of 10 ms, or of slices with few requests.
    beside: "40 % between slices, and waves of 20 %, AR(0.98)",
    behaviour: { slice: 0.4, waves: { stdev: 0.2, correlation: 0.98 } },
    changes: [2, 0.8, 0.5, 0.3],
  },
];

/** Tests how soon a `versus` reports a difference. */
function plantedInTwo(cases: number): Section[] {
  return PLANTED_IN_TWO.map(({ beside, behaviour, changes }) => ({
    caption:
      `Planted changes of two processes that nobody restarts, beside ${beside}, ${cases} cases a line`,
    unit: "%",
    rows: changes.flatMap((change) => plantedRows(cases, behaviour, change)),
    notes: ["Margin 2 %, and 0.5 % of a change of 2 %. Seconds are of slices alone."],
  }));
}

function plantedRows(cases: number, behaviour: Behaviour, change: number): Row[] {
  const logRatio = change > 1 ? Math.log1p(change) : Math.log1p(-change);
  const marginRatio = change > 0.02 ? 0.02 : 0.005;
  const found = simulatedLooks(cases, { processes: "these", behaviour, logRatio, marginRatio });
  const called = found.filter(({ verdict }) => verdict === (change > 1 ? "better" : "worse"));
  const truth = Math.exp(logRatio);
  const right = found.filter(({ interval }) =>
    interval !== null && interval.low <= truth && truth <= interval.high
  );
  const what = change > 1 ? `${change + 1} times as fast` : `${100 * change} % slower`;
  const secondsOf = (rounds: number): number => rounds * PAIRS_OF_SLICES.these * PAIR_S;
  const middle = medianOf(called.map(({ processes }) => secondsOf(processes)));
  return [
    row(`${what}: called, the middle after ${middle.toFixed(1)} s`, called.length / cases),
    row(`${what}: the interval then holds the ratio`, right.length / cases, atLeast(93)),
  ];
}

/** Tests how often and how soon `ab` reports a difference, and whether its interval then contains the true ratio. */
function planted(cases: number): Section {
  const neighbour = {
    process: 0.01,
    bursts: { lost: 0.5, burstS: 0.3, gapS: 0.7 },
  };
  const lucky: Behaviour = {
    layout: { share: 0.2, slower: 0.2, sides: "next" },
  };
  const changes = [0.3, 0.1, 0.05, 0.02];
  return {
    caption:
      `Planted slowdowns beside a neighbour, 1 % between processes, margin 0.5 %, ${cases} cases a line`,
    unit: "%",
    rows: [
      ...changes.flatMap((slower): Row[] => {
        const found = simulatedLooks(cases, {
          processes: "fresh",
          behaviour: neighbour,
          logRatio: Math.log1p(-slower),
          marginRatio: 0.005,
        });
        const what = `${100 * slower} % slower`;
        const called = found.filter(({ verdict }) => verdict === "worse");
        const within = (processes: number): number =>
          called.filter((one) => one.processes <= processes).length / cases;
        const truth = 1 - slower;
        const right = found.filter(({ interval }) =>
          interval !== null && interval.low <= truth && truth <= interval.high
        );
        const middle = medianOf(found.map(({ processes }) => processes));
        return [
          row(`${what}: called worse, the middle after ${middle} pairs of processes`, within(64)),
          row(`${what}: called worse within 19 pairs of processes, or 60 s`, within(19)),
          row(`${what}: the interval then holds the ratio`, right.length / cases, atLeast(93)),
        ];
      }),
      row(
        "one in five new processes 20 % slower: called after the first look",
        simulatedLooks(cases, {
          processes: "fresh",
          behaviour: lucky,
          logRatio: 0,
          marginRatio: 0.02,
        })
          .filter(({ verdict, processes }) => verdict === "worse" && processes === PROCESS_LOOKS[0])
          .length / cases,
        atMost(5),
      ),
    ],
  };
}

const RESTLESS = [
  { cores: 0.005, slows: 1 },
  { cores: 0.05, slows: 1 },
  { cores: 0.3, slows: 1 },
  { cores: 0.3, slows: 0 },
] as const;

function disturbances(cases: number): Section {
  const rows = RESTLESS.flatMap((restless): Row[] => {
    const random = new Random(73);
    const found = Array.from({ length: cases }, () => {
      const behaviour = { restless, process: 0.005 };
      return compared(pairsBy(random, { behaviour, processes: 8, logRatio: 0 }), "fresh", 0.95);
    });
    const shareOf = (is: (one: FigureComparison) => boolean): number =>
      found.filter(is).length / cases;
    const what = `the base uses ${100 * restless.cores} % of a core at rest` +
      (restless.slows === 0 ? ", and slows nobody" : "");
    return [
      row(`${what}: called better or worse`, shareOf(isCalled), atMost(5)),
      row(
        `${what}: named`,
        shareOf(({ sliced }) => sliced?.disturbance?.side === "base"),
        restless.cores < 0.01 ? atMost(5) : atLeast(95),
      ),
    ];
  });
  return {
    caption: `A side that disturbs the other at rest, ${cases} cases a line`,
    unit: "%",
    rows,
  };
}

function isCalled({ verdict }: Pick<FigureComparison, "verdict">): boolean {
  return verdict === "better" || verdict === "worse";
}

/**
 * Where the values come from: "fresh" means pairs of processes; "these", all slices of one pair of processes that is
 * never restarted; "sessions", one value for each session of such a pair.
 */
type Processes = "fresh" | "these" | "sessions";

interface Ended extends Pick<FigureComparison, "verdict" | "interval"> {
  readonly processes: number;
}

/** Simulates an `ab` or a `versus`, which looks at its results repeatedly, until it decides about the requests/s. */
function simulatedLooks(
  cases: number,
  { processes, marginRatio, perSession = PAIRS_OF_SLICES[processes], ...plan }: {
    readonly processes: Processes;
    readonly behaviour: Behaviour;
    readonly logRatio: number;
    readonly marginRatio: number;
    /** The number of pairs of slices in a session. */
    readonly perSession?: number;
  },
): Ended[] {
  const random = new Random(71);
  return Array.from({ length: cases }, (): Ended => {
    const pairs: SimulatedPair[] = [];
    const times = processes === "fresh" ? null : timesOf(random, { ...plan, perSession });
    for (;;) {
      const next = PROCESS_LOOKS.find((look) => look > pairs.length) ?? pairs.length;
      pairs.push(
        ...times?.slice(pairs.length, next) ??
          pairsBy(random, { ...plan, processes: next - pairs.length }),
      );
      const one = compared(pairs, processes, LOOK_CONFIDENCE, marginRatio);
      const options = { processes: pairs.length, marginRatio };
      if (!decide([one], options).goesOn) return { ...one, processes: pairs.length };
    }
  });
}

/**
 * Simulates one pair of processes that is never restarted, and divides its slices into sessions. There are as many
 * sessions as `ab` has pairs of processes at its last look.
 */
function timesOf(
  random: Random,
  { perSession, ...plan }: {
    readonly behaviour: Behaviour;
    readonly logRatio: number;
    readonly perSession: number;
  },
): SimulatedPair[] {
  const times = PROCESS_LOOKS[PROCESS_LOOKS.length - 1];
  const all = simulatedPair(random, { ...plan, pairs: times * perSession });
  return Array.from({ length: times }, (_, at) => {
    const [from, to] = [at * perSession, (at + 1) * perSession];
    return { ...all, base: partOf(all.base, from, to), next: partOf(all.next, from, to) };
  });
}

function partOf(side: SideSlices, from: number, to: number): SideSlices {
  return {
    pair: side.pair.slice(from, to),
    measuredS: side.measuredS.slice(from, to),
    completed: side.completed.slice(from, to),
    serviceSumMs: side.serviceSumMs.slice(from, to),
    served: side.served.slice(from, to),
    cpuMs: side.cpuMs.slice(from, to),
    restCpuMs: side.restCpuMs.slice(from, to),
  };
}

function pairsBy(
  random: Random,
  { processes, ...plan }: {
    readonly behaviour: Behaviour;
    readonly processes: number;
    readonly logRatio: number;
  },
): SimulatedPair[] {
  return Array.from(
    { length: processes },
    () => simulatedPair(random, { ...plan, pairs: PAIRS_OF_SLICES.fresh }),
  );
}

/** Compares the requests/s of the two sides as reports and `compare` do. */
function compared(
  pairs: readonly SimulatedPair[],
  processes: Processes,
  level: number,
  marginRatio = 0.02,
): FigureComparison {
  const repetitions = pairs.map((_, i) => i + 1);
  // Slices are equally long, so the rate over all runs is the mean of the runs' rates.
  const groupBy = (side: "base" | "next") =>
    groupOf([estimateOfMean(pairs.map((pair) => rateOf(pair[side])), {
      session: "one",
      repetitions,
    })]);
  const series = processes === "these"
    ? pairs.flatMap(({ base, next }) => pairedSeries(base, next, "rate") ?? [])
    : [];
  const alone = series.length === 0 ? null : sliceRatioOf(joinedSeries(series));
  const sliced: Sliced = {
    // Null, because slices within one pair of processes say nothing about the differences between
    // pairs.
    pairs: repetitions.map((repetition) => ({ repetition, slices: null })),
    areTheseTwo: processes !== "fresh",
    alone: alone && aloneOf(alone),
    disturbance: disturbanceOf(restOf(pairs, "base", "next"), restOf(pairs, "next", "base")),
  };
  const [found] = comparePairs(
    [{ base: groupBy("base"), next: groupBy("next"), sliced: () => sliced, decisive: ["rate"] }],
    { level, marginRatio },
  );
  return comparisonOf(found, "rate");
}

function rateOf({ measuredS, completed }: SideSlices): number {
  return sumOf(completed) / sumOf(measuredS);
}

function restOf(
  pairs: readonly SimulatedPair[],
  side: "base" | "next",
  other: "base" | "next",
): Rest {
  return {
    cpuMs: sumOf(pairs.flatMap((pair) => pair[side].restCpuMs.map((ms) => ms ?? 0))),
    seconds: sumOf(pairs.flatMap((pair) => pair[other].measuredS)),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
