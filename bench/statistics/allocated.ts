/**
 * Tests whether the runs that `plateau plan` advises show the intended change, and how much time they take relative to
 * the best choice of runs.
 */
import {
  allocationFor,
  type PlannedCosts,
  type RunNoise,
  runNoiseOf,
} from "../../runner/stats/comparison/allocation.ts";
import {
  effectSeen,
  pairNoiseOf,
  type PlannedFamily,
} from "../../runner/stats/comparison/planning.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { atMost } from "../bar.ts";
import { Random } from "./random.ts";

/** What `plateau plan` measures: five blocks of two runs, one on each side. Each run is divided into five parts. */
const BLOCKS = 5;
const RUN_S = 10;
const PARTS = 5;
const PLANS = 300;
const CHANGE = 0.05;
const FAMILY: PlannedFamily = { tests: 1, cells: 1, borrowed: 0, marginRatio: 0.02 };

/**
 * The costs that `plateau plan` assumes, in seconds. It may advise runs from a quarter of the length of the measured
 * runs to four times that length.
 */
const COSTS: PlannedCosts = { runS: 3, shortestS: RUN_S / 4, longestS: 4 * RUN_S };
const SESSIONS = { stdev: 0.01, setUpS: 120 };

const NEAR = { text: "0.8 to 1.25", holds: (ratio: number) => ratio > 0.8 && ratio < 1.25 };

interface Machine {
  readonly name: string;
  /** Standard deviations: `run` between runs, however long they are, and `second` between single seconds of a run. */
  readonly run: number;
  readonly second: number;
  /** The noise of successive seconds of a run. It has mean 0 and standard deviation 1. */
  readonly noise: NoiseOf;
  /** The variance of the mean of many seconds, relative to what it would be if the seconds were independent. */
  readonly clustering: number;
}

/** @param memory The correlation between consecutive seconds. */
function remembering(memory: number): Pick<Machine, "noise" | "clustering"> {
  return {
    noise: (seed) => {
      const random = new Random(seed);
      let value = random.normal();
      return () => {
        value = memory * value + Math.sqrt(1 - memory ** 2) * random.normal();
        return value;
      };
    },
    clustering: (1 + memory) / (1 - memory),
  };
}

const MACHINES: readonly Machine[] = [
  { name: "runs differ by 2 %, their seconds by 2 %", run: 0.02, second: 0.02, ...remembering(0) },
  { name: "runs by 1 %, seconds by 5 %", run: 0.01, second: 0.05, ...remembering(0) },
  { name: "runs by 0.5 %, seconds by 10 %", run: 0.005, second: 0.1, ...remembering(0) },
  {
    name: "runs by 1 %, seconds by 5 %, each like the last (0.5)",
    run: 0.01,
    second: 0.05,
    ...remembering(0.5),
  },
];

/**
 * The number and the length, in seconds, of the stretches from which the clustering of unknown noise is computed. A
 * stretch must be much longer than the noise's memory.
 */
const STRETCHES = 2_000;
const STRETCH = 500;

/** A machine with noise that the user supplies. Its runs vary by 1 %, and the seconds of a run by 5 %. */
function machineOf(noise: NoiseOf): Machine {
  const next = noise(1_000_003);
  const squares = Array.from({ length: STRETCHES }, () => {
    let sum = 0;
    for (let i = 0; i < STRETCH; i++) sum += next();
    return sum ** 2;
  });
  const clustering = meanOf(squares) / STRETCH;
  return {
    name: "runs by 1 %, seconds by 5 %, handed in",
    run: 0.01,
    second: 0.05,
    noise,
    clustering,
  };
}

/**
 * @param sessions How much sessions differ and what each costs; null: there is only one session.
 * @param noise The noise of the seconds of a run; absent: that of each of MACHINES.
 */
function advisedRuns(sessions: typeof SESSIONS | null, noise?: NoiseOf): Section {
  const machines = noise === undefined ? MACHINES : [machineOf(noise)];
  return {
    caption: `Runs that plateau plan advises for a change of 5 %, ${
      sessions ? "with sessions that differ by 1 % and take 2 min to set up" : "in one session"
    }: over ${PLANS} plans of ${BLOCKS} blocks`,
    unit: "×",
    rows: machines.flatMap((machine) => rowsOf(machine, { ...COSTS, ...sessions && { sessions } })),
    notes: [
      "Change seen: what the advised runs show in 80 of 100 comparisons, relative to the change that was asked for.",
      "Time: that of the advised runs, relative to the shortest time in which the change shows. " +
      "Both are computed with the true noise.",
    ],
  };
}

export const advisedInOne = (noise?: NoiseOf): Section => advisedRuns(null, noise);
export const advisedInSeveral = (noise?: NoiseOf): Section => advisedRuns(SESSIONS, noise);

function rowsOf(machine: Machine, costs: PlannedCosts): Row[] {
  const random = new Random(91);
  const truth = { run: machine.run ** 2, second: machine.second ** 2 * machine.clustering };
  const advised = Array.from({ length: PLANS }, () => {
    return allocationFor(CHANGE, measured(random, machine), costs, FAMILY);
  }).filter((allocation) => allocation !== null);
  const least = leastTimeS(truth, costs);
  const seen = advised.map(({ runS, runs, sessions }) => {
    const ofPair = 2 * (truth.run + truth.second / runS);
    const [count, variance] = costs.sessions
      ? [sessions, costs.sessions.stdev ** 2 + ofPair / runs]
      : [runs, ofPair];
    return Math.expm1(
      Math.log1p(FAMILY.marginRatio) + effectOf(count) * Math.sqrt(variance),
    ) / CHANGE;
  });
  return [
    { what: `change seen: ${machine.name}`, samples: seen, bar: NEAR },
    {
      what: `time: ${machine.name}`,
      samples: advised.map(({ totalS }) => totalS / least),
      bar: atMost(1.1),
    },
  ];
}

/** Simulates five blocks, and returns the noise that `plateau plan` estimates from them. */
function measured(random: Random, machine: Machine): RunNoise {
  const parts: number[][] = [];
  const run = (): number => {
    const level = machine.run * random.normal();
    const secondsAPart = RUN_S / PARTS;
    const next = machine.noise(random.whole(1, 2 ** 31));
    const values = Array.from({ length: PARTS }, () => {
      let sum = 0;
      for (let i = 0; i < secondsAPart; i++) sum += machine.second * next();
      return level + sum / secondsAPart;
    });
    parts.push(values);
    return values.reduce((sum, value) => sum + value, 0) / PARTS;
  };
  const pairs = Array.from({ length: BLOCKS }, () => run() - run());
  const [stdev] = pairNoiseOf([pairs]).stdevs;
  return runNoiseOf(stdev ** 2, RUN_S, { parts, partS: RUN_S / PARTS });
}

const effects = new Map<number, number>();

function effectOf(count: number): number {
  const known = effects.get(count) ?? effectSeen(count, FAMILY);
  effects.set(count, known);
  return known;
}

const LENGTHS = 60;
const MOST_RUNS = 60;
const MOST_REPEATED = 300;

/**
 * The shortest time in which the change can be seen. It is searched for over all numbers of runs and sessions, and over
 * run lengths that increase by equal factors.
 */
function leastTimeS(
  noise: RunNoise,
  { runS, shortestS, longestS, sessions }: PlannedCosts,
): number {
  const room = Math.log1p(CHANGE) - Math.log1p(FAMILY.marginRatio);
  let least = Infinity;
  for (let i = 0; i < LENGTHS; i++) {
    const lengthS = shortestS * (longestS / shortestS) ** (i / (LENGTHS - 1));
    const ofPair = 2 * (noise.run + noise.second / lengthS);
    for (let runs = 1; runs <= (sessions ? MOST_RUNS : 1); runs++) {
      const variance = (sessions?.stdev ?? 0) ** 2 + ofPair / runs;
      for (let count = 3; count <= MOST_REPEATED; count++) {
        if (effectOf(count) * Math.sqrt(variance) > room) continue;
        const seconds = (sessions?.setUpS ?? 0) + runs * 2 * (runS + lengthS);
        least = Math.min(least, count * seconds);
        break;
      }
    }
  }
  return least;
}
