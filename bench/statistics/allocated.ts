/** Whether the runs that `plateau plan` advises see the change that they are to see, and what they cost beside the best. */
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
import type { Row, Section } from "../bench.ts";
import { atMost } from "../bar.ts";
import { Random } from "./random.ts";

/** As `plateau plan` measures: five blocks of two runs, each taken apart into five. */
const BLOCKS = 5;
const RUN_S = 10;
const PARTS = 5;
const PLANS = 300;
const CHANGE = 0.05;
const FAMILY: PlannedFamily = { tests: 1, cells: 1, borrowed: 0, marginRatio: 0.02 };

/** Runs may become four times as long or as short as those that were measured, as there. */
const COSTS: PlannedCosts = { runS: 3, shortestS: RUN_S / 4, longestS: 4 * RUN_S };
const SESSIONS = { stdev: 0.01, setUpS: 120 };

const NEAR = { text: "0.8 to 1.25", holds: (ratio: number) => ratio > 0.8 && ratio < 1.25 };

interface Machine {
  readonly name: string;
  /** Standard deviations: of a run that is as long as can be, and of a second in it. */
  readonly run: number;
  readonly second: number;
  /** Correlation of a second with the one before. */
  readonly memory: number;
}

const MACHINES: readonly Machine[] = [
  { name: "runs differ by 2 %, their seconds by 2 %", run: 0.02, second: 0.02, memory: 0 },
  { name: "runs by 1 %, seconds by 5 %", run: 0.01, second: 0.05, memory: 0 },
  { name: "runs by 0.5 %, seconds by 10 %", run: 0.005, second: 0.1, memory: 0 },
  {
    name: "runs by 1 %, seconds by 5 %, each like the last (0.5)",
    run: 0.01,
    second: 0.05,
    memory: 0.5,
  },
];

/** @param sessions Null: one. */
function advisedRuns(sessions: typeof SESSIONS | null): Section {
  return {
    caption: `Runs that plateau plan advises for a change of 5 %, ${
      sessions ? "with sessions that differ by 1 % and take 2 min to set up" : "in one session"
    }: over ${PLANS} plans of ${BLOCKS} blocks`,
    unit: "×",
    rows: MACHINES.flatMap((machine) => rowsOf(machine, { ...COSTS, ...sessions && { sessions } })),
    notes: [
      "The change that the advised runs see in 80 of 100 comparisons, over the one that was asked for, both by the true noise.",
      "Their time over the least of a grid of run lengths, runs and sessions that sees the change, by the true noise.",
    ],
  };
}

export const advisedInOne = (): Section => advisedRuns(null);
export const advisedInSeveral = (): Section => advisedRuns(SESSIONS);

function rowsOf(machine: Machine, costs: PlannedCosts): Row[] {
  const random = new Random(91);
  const truth = { run: machine.run ** 2, second: longRunVariance(machine) };
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

/** Of the mean of many seconds, by second. */
function longRunVariance({ second, memory }: Machine): number {
  return second ** 2 * (1 + memory) / (1 - memory);
}

/** What `plateau plan` makes of five blocks. */
function measured(random: Random, machine: Machine): RunNoise {
  const parts: number[][] = [];
  const run = (): number => {
    const level = machine.run * random.normal();
    const secondsAPart = RUN_S / PARTS;
    let deviation = random.normal();
    const values = Array.from({ length: PARTS }, () => {
      let sum = 0;
      for (let i = 0; i < secondsAPart; i++) {
        deviation = machine.memory * deviation +
          Math.sqrt(1 - machine.memory ** 2) * random.normal();
        sum += machine.second * deviation;
      }
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

/** Of a grid of lengths in equal steps of their logarithm, and of all counts. */
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
