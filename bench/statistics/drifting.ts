/** Tests what is gained and lost on machines that drift if runs are only compared with runs of the same block. */
import { DEFAULT_MARGIN_RATIO } from "../../report/judge/comparison.ts";
import type { Row, Section } from "../bench.ts";
import type { Machine } from "./experiment.ts";
import { atLeast, atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { compareMany, type ManyCells } from "./verdicts.ts";

const CELLS = 20;
const CASES = 200;
/** The number of runs in a block, which consists of one run of each side of each cell. */
const BLOCK = 2 * CELLS;
const RUN = 0.02;

const driftsOf = (block: number): readonly [name: string, machine: Machine][] => [
  ["linear, 20 %", { drift: 0.2, run: RUN }],
  ["steps of 10 %", { levels: 0.1, run: RUN }],
  ["a sine of ± 10 %, its period a block", { sine: { height: 0.1, period: block }, run: RUN }],
  ["a sine of ± 10 %, 0.9 blocks", { sine: { height: 0.1, period: 0.9 * block }, run: RUN }],
];

function share(cases: number, isSo: () => boolean): number {
  return Array.from({ length: cases }, isSo).filter(Boolean).length / cases;
}

/**
 * Tests how often at least one cell is called better or worse, by rate or p99, although both sides are the same
 * program.
 */
export function driftAlarms(): Section {
  const rows = [["no drift", { run: 0.05 }] as const, ...driftsOf(BLOCK)].flatMap((
    [name, machine],
  ) =>
    [true, false].map((inPairs) => {
      const random = new Random(41);
      const many: ManyCells = {
        pairs: CELLS,
        repetitions: 5,
        machine,
        inPairs,
        isPaired: true,
      };
      const found = share(
        CASES,
        () =>
          compareMany(random, many).flat()
            .some(({ verdict }) => verdict === "better" || verdict === "worse"),
      );
      const order = inPairs ? "sides next to each other" : "all of a block shuffled";
      return row(`${name}; ${order}`, found, atMost(5));
    })
  );
  return {
    caption:
      `Any alarm over ${CELLS} cells, A against A, 5 repetitions, ${CASES} experiments a line`,
    unit: "%",
    rows,
    notes: ["2 % between runs; 5 % without drift, as the margin of 2 % hides less of it."],
  };
}

/** The share of cases in which the slower cell is called worse by its rate. */
function power(many: Omit<ManyCells, "inPairs" | "figures">, cases: number): number {
  const random = new Random(many.repetitions);
  return share(cases, () => {
    const [[rate]] = compareMany(random, { ...many, inPairs: true, figures: ["rate"] });
    return rate.verdict === "worse";
  });
}

/** The number of cases for a lone cell, which is quick to simulate. */
const LONE_CASES = 2_000;

/** Compares the power of paired runs with that of the same runs unpaired, on a machine without drift. */
export function pairedPower(): Section {
  const rows = [[CELLS, 1.08], [1, 1.06], [1, 1 + DEFAULT_MARGIN_RATIO]].flatMap((
    [pairs, slower],
  ) =>
    [5, 7, 10].flatMap((repetitions): Row[] => {
      const many = { pairs, repetitions, machine: { run: RUN }, slower };
      const cases = pairs === 1 ? LONE_CASES : CASES;
      const [paired, unpaired] = [true, false].map((isPaired) =>
        power({ ...many, isPaired }, cases)
      );
      const isAlarm = slower === 1 + DEFAULT_MARGIN_RATIO;
      const name = `${pairs} ${pairs === 1 ? "cell" : "cells"}, one ${
        (100 * (slower - 1)).toFixed(0)
      } % slower, ${repetitions} repetitions`;
      return [
        row(
          `${name}: by pairs`,
          paired,
          isAlarm ? atMost(5) : atLeast(Number((100 * unpaired).toFixed(2))),
        ),
        row(`${name}: unpaired`, unpaired),
      ];
    })
  );
  return {
    caption:
      `A slower cell called worse, no drift, ${CASES} experiments a line, ${LONE_CASES} of one cell`,
    unit: "%",
    rows,
    notes: [
      `${
        100 * RUN
      } % between runs. One that is 2 % slower is at the edge of the margin: to call it worse is a false alarm.`,
      "Six cells or more lend each other what they know of their spread. One alone pays for pairs with half of its degrees of freedom.",
    ],
  };
}

/** The standard deviations between repetitions: none, the same as between runs, and five times that. */
const BLOCKS = [0, RUN, 5 * RUN] as const;
/** The bar in percent: 5.5 %, plus two standard errors of that share over `LONE_CASES`. */
const MOST_ERRORS = 5.5 + 200 * Math.sqrt(0.055 * 0.945 / LONE_CASES);

/**
 * Tests how often the interval of a lone cell misses a ratio of 1, on either side, if both sides are the same program.
 */
export function loneErrors(): Section {
  const rows = BLOCKS.flatMap((block) =>
    [4, 5, 7, 10].map((repetitions) => {
      const random = new Random(43);
      const machine = { run: RUN, block };
      const lone = { ...{ pairs: 1, inPairs: true, isPaired: true }, repetitions, machine };
      const found = share(LONE_CASES, () => {
        const [[{ interval }]] = compareMany(random, { ...lone, figures: ["rate"] });
        return interval !== null && (interval.low > 1 || interval.high < 1);
      });
      const name = `${100 * block} % between repetitions, ${repetitions} repetitions`;
      return row(name, found, atMost(Number(MOST_ERRORS.toFixed(1))));
    })
  );
  return {
    caption: `95 % intervals of one cell alone that miss 1, A against A, ${LONE_CASES} a line`,
    unit: "%",
    rows,
    notes: [`${100 * RUN} % between runs. The bar is 5.5 % and two standard errors.`],
  };
}

/** The numbers of repetitions to try. The result is the smallest that finds a slower cell in 80 % of the cases. */
const REPETITIONS = [4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56] as const;
const PAIRS = 6;
const POWER_CASES = 100;

function repetitionsNeeded(machine: Machine, isPaired: boolean): number {
  const isEnough = (repetitions: number): boolean =>
    power({ pairs: PAIRS, repetitions, machine, slower: 1.08, isPaired }, POWER_CASES) >= 0.8;
  return REPETITIONS.find(isEnough) ?? Infinity;
}

export function runsUnderDrift(): Section {
  const rows = driftsOf(2 * PAIRS).map(([name, machine]): Row => {
    const [paired, unpaired] = [true, false].map((isPaired) =>
      repetitionsNeeded(machine, isPaired)
    );
    const most = REPETITIONS[REPETITIONS.length - 1];
    const isMore = unpaired === Infinity;
    return {
      what: `${name}: ${paired} repetitions by pairs, ${
        isMore ? `more than ${most}` : unpaired
      } unpaired`,
      samples: [(isMore ? most : unpaired) / paired],
      bar: { text: "≥ 1.3", holds: (found) => found >= 1.3 },
    };
  });
  return {
    caption: `Repetitions that find 8 % in 80 of 100, unpaired over paired, ${PAIRS} cells`,
    unit: "×",
    rows,
  };
}
