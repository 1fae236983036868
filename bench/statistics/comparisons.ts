/** Tests what verdicts and intervals of comparisons promise on machines with disturbances, with fixed seeds. */
import type { Row, Section } from "../bench.ts";
import { type Covered, rateCoverage, untilCoverage } from "./coverage.ts";
import type { Machine } from "./experiment.ts";
import { atLeast, atMost, row } from "./percent.ts";
import { driftAlarms, loneErrors, pairedPower, runsUnderDrift } from "./drifting.ts";
import { advisedInOne, advisedInSeveral } from "./allocated.ts";
import { plannedChanges } from "./planned.ts";
import { Random } from "./random.ts";
import { RATIOS, ratios } from "./ratios.ts";
import { tailEffects } from "./tail_effects.ts";
import { compareCells, compareSessions, type Simulated, type Verdicts } from "./verdicts.ts";

export const COMPARED: readonly (() => Section)[] = [
  alarms,
  sessions,
  sizes,
  ratios,
  driftAlarms,
  pairedPower,
  loneErrors,
  runsUnderDrift,
  plannedChanges,
  advisedInOne,
  advisedInSeveral,
  tailEffects,
  twoGroups,
  sequences,
];

const CASES = 300;

/** The share of comparisons whose verdicts satisfy `is`. */
function share(
  cases: number,
  compare: () => Verdicts,
  is: (verdicts: Verdicts) => boolean,
): number {
  return Array.from({ length: cases }, compare).filter(is).length / cases;
}

const isAlarm = (verdicts: Verdicts): boolean =>
  verdicts.some(({ verdict }) => verdict === "better" || verdict === "worse");

const MACHINES: readonly [name: string, machine: Machine][] = [
  ["2 % between runs", { run: 0.02 }],
  ["waves of 5 % in time, AR(0.8)", { waves: 0.05, run: 0.01 }],
  ["a drift of 10 %", { drift: 0.1, run: 0.01 }],
  ["a step of 10 %", { step: 0.1, run: 0.01 }],
  ["5 % between repetitions", { block: 0.05, run: 0.01 }],
  ["stalls, 2 % of the time on average", { stall: 0.02, run: 0.01 }],
  ["10 % slow runs", { slowShare: 0.1, run: 0.01 }],
  ["20 % slow runs", { slowShare: 0.2, run: 0.01 }],
  ["30 % slow runs", { slowShare: 0.3, run: 0.01 }],
];

function alarms(): Section {
  const rows = MACHINES.flatMap(([name, machine]) =>
    [5, 10].map((repetitions) => {
      const random = new Random(repetitions);
      const found = share(CASES, () => compareCells(random, { repetitions, machine }), isAlarm);
      return row(`${name}, ${repetitions} repetitions`, found, atMost(5));
    })
  );
  const notes = [
    "By rate or p99, the two that decide how a comparison ends; slow runs take 1.25 times as long.",
  ];
  return {
    caption: `A against A called better or worse, ${CASES} comparisons a line`,
    unit: "%",
    rows,
    notes,
  };
}

const SESSIONS: readonly [name: string, aSide: number, earlier: number, most: number][] = [
  ["one session a side, nothing known of sessions", 1, 0, 0],
  ["one session a side, 12 earlier ones", 1, 12, 5],
  ["3 sessions a side", 3, 0, 5],
];

function sessions(): Section {
  const machine = { session: 0.03, run: 0.02 };
  const rows = SESSIONS.flatMap(([name, aSide, earlier, most]) =>
    [5, 20].map((repetitions) => {
      const random = new Random(20 + repetitions);
      const compare = (): Verdicts =>
        compareSessions(random, { repetitions, machine, aSide, earlier });
      return row(
        `${name}, ${repetitions} repetitions each`,
        share(CASES, compare, isAlarm),
        atMost(most),
      );
    })
  );
  return {
    caption: `A against A in other sessions called better or worse, ${CASES} comparisons a line`,
    unit: "%",
    rows,
    notes: ["3 % between sessions, 2 % between runs."],
  };
}

const isWorse = ([rate]: Verdicts): boolean => rate.verdict === "worse";

function sizes(): Section {
  const found = (simulated: Simulated): number => {
    const random = new Random(simulated.repetitions);
    return share(CASES, () => compareCells(random, simulated), isWorse);
  };
  const block = { block: 0.05, run: 0.01 };
  const wide = { block: 0.05, run: 0.02 };
  const less = (percent: number): number => 1 / (1 - percent / 100);
  const seen = (repetitions: number, machine: Machine, least?: number): Row =>
    row(
      `5 % less is called worse: ${
        100 * (machine.run ?? 0)
      } % between runs, ${repetitions} repetitions`,
      found({ repetitions, machine, slower: less(5) }),
      least === undefined ? undefined : atLeast(least),
    );
  const within = [5, 10, 20].map((repetitions) =>
    row(
      `1.9 % less, within the margin, is called worse: ${repetitions} repetitions`,
      found({ repetitions, machine: block, slower: less(1.9) }),
      atMost(5),
    )
  );
  return {
    caption: `What differs, by rate, ${CASES} comparisons a line`,
    unit: "%",
    rows: [seen(5, block, 70), seen(5, wide), seen(10, wide), ...within],
    notes: ["5 % between repetitions; the margin is 2 %."],
  };
}

/** Rows for the share of all cases in which no interval is given, and in which one is given but misses the truth. */
function groupRows(name: string, { share, refused }: Covered): Row[] {
  return [
    row(`${name}: refused, as the runs fall into two groups`, refused),
    row(`${name}: misses the truth, and nobody sees it`, (1 - refused) * (1 - share)),
  ];
}

function twoGroups(): Section {
  const coverageOf = (repetitions: number, machine: Machine): Covered =>
    rateCoverage(new Random(repetitions), RATIOS, { repetitions, machine });
  const rows = [0.1, 0.2, 0.3].flatMap((slowShare) =>
    [5, 10, 14].flatMap((repetitions) =>
      groupRows(
        `${100 * slowShare} % slow runs, ${repetitions} repetitions`,
        coverageOf(repetitions, { slowShare, run: 0.01 }),
      )
    )
  );
  const even = [5, 10, 20].map((repetitions) =>
    row(
      `5 % between runs, ${repetitions} repetitions: refused`,
      coverageOf(repetitions, { run: 0.05 }).refused,
      atMost(5),
    )
  );
  const notes = [
    "What few runs do not hold nobody can see: of 5 runs none is slow in 59, 33 and 17 %, of 14 in 23, 4 and 1 %.",
  ];
  return {
    caption: "Two groups of runs, 1,000 cells a line",
    unit: "%",
    rows: [...even, ...rows],
    notes,
  };
}

function sequences(): Section {
  const until = (machine: Machine): ReturnType<typeof untilCoverage> =>
    untilCoverage(new Random(11), CASES, { targetRatio: 0.02, machine });
  const named = (name: string, repetitions: number): string =>
    `${name}, ${repetitions.toFixed(0)} repetitions on average`;
  const even = [0.02, 0.05].map((run) => {
    const { share, repetitions } = until({ run });
    return row(named(`${run * 100} % between runs`, repetitions), share, atLeast(93));
  });
  const mixed = [0.1, 0.2, 0.3].flatMap((slowShare) => {
    const found = until({ run: 0.01, slowShare });
    return groupRows(named(`${100 * slowShare} % slow runs`, found.repetitions), found);
  });
  return {
    caption:
      `Intervals that hold the truth after \`repeat: until 2%\`, ${CASES} experiments a line`,
    unit: "%",
    rows: [...even, ...mixed],
    notes: [
      "Where the first 5 runs hold no slow one, the sequence ends there: in 59, 33 and 17 %.",
    ],
  };
}
