/** Tests the two stages of `ab` on a known difference: how often they find it, and what difference they report. */
import {
  comparePairs,
  comparisonOf,
  type FigureComparison,
} from "../../report/judge/comparison.ts";
import { meanOf, medianOf } from "../../runner/stats/quantile.ts";
import { mayBeWorse } from "../../runner/stats/comparison/two_stage.ts";
import type { Bar } from "../bar.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { estimatesOf, type Machine, simulateCells } from "./experiment.ts";
import { atLeast, atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { groupOf } from "./verdicts.ts";

const BLOCKS = 5;
const MARGIN_RATIO = 0.02;
const TRUTHS = [1, 0.98, 0.97, 0.95, 0.93] as const;

/**
 * The standard deviation between runs. With it, five blocks detect −5 % in a third of the cases, and ten blocks in
 * seven of ten.
 */
const RUN = 0.025;

type MachineOf = (seed: number) => Machine;

const MACHINES: readonly (readonly [name: string, machine: MachineOf])[] = [
  ["2.5 % between runs", () => ({ run: RUN })],
  ["waves of 5 %, AR(0.8), and 2 % between runs", () => ({ waves: 0.05, run: 0.02 })],
];

interface Outcome {
  /**
   * The comparisons of the two sides: `first` by the first five blocks alone, `ten` by ten blocks that are always made,
   * and `staged` by `ab`, which adds the second five only if the first five suggest a loss.
   */
  readonly first: FigureComparison;
  readonly ten: FigureComparison;
  readonly staged: FigureComparison;
  /** Whether the first five blocks and the second five, each on their own, show that the new side is worse. */
  readonly isWorseTwice: boolean;
  readonly isAgain: boolean;
}

function outcomeOf(machine: Machine, random: Random, truth: number): Outcome {
  const plan = { cells: 2, repetitions: 2 * BLOCKS, machine, slower: [1, 1 / truth] };
  const cells = simulateCells(random, { ...plan, recorded: 1, inPairs: true });
  const compared = (runs: typeof cells, firstStage?: number): FigureComparison => {
    const [base, next] = estimatesOf(runs, ["rate"]).map((side) => groupOf(side));
    const options = { marginRatio: MARGIN_RATIO, firstStage };
    return comparisonOf(comparePairs([{ base, next, decisive: ["rate"] }], options)[0], "rate");
  };
  const [first, second] = [
    cells.map((runs) => runs.slice(0, BLOCKS)),
    cells.map((runs) => runs.slice(BLOCKS)),
  ].map((runs) => compared(runs));
  const ten = compared(cells);
  const rule = { marginRatio: MARGIN_RATIO, better: "higher" } as const;
  const isAgain = first.interval !== null && mayBeWorse(first.interval, rule);
  return {
    ...{ first, ten, isAgain },
    staged: isAgain ? compared(cells, BLOCKS) : first,
    isWorseTwice: first.verdict === "worse" && second.verdict === "worse",
  };
}

const isWorse = ({ verdict }: FigureComparison): boolean => verdict === "worse";

function covers({ interval }: FigureComparison, truth: number): boolean {
  return interval !== null && interval.low <= truth && truth <= interval.high;
}

function shareOf<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.filter(is).length / all.length;
}

/** How far the median and the geometric mean of the reported ratios are from the true ratio, as a share of it. */
function biasesOf(
  all: readonly FigureComparison[],
  truth: number,
): { readonly median: number; readonly mean: number } {
  const logs = all.map(({ ratio }) => Math.log((ratio ?? NaN) / truth));
  return { median: Math.expm1(medianOf(logs)), mean: Math.expm1(meanOf(logs)) };
}

/** How many fewer changes `ab` may find than ten blocks that are always made, in percent of all cases. */
const MOST_LOST = 7;
/**
 * The bar for the bias of the median in cases with a second stage, because half of their ratios should lie on each side
 * of the truth. The mean has no bar, because only cases with a bad first stage get a second.
 */
const MOST_BIAS: Bar = { text: "± 0.3", holds: (found) => Math.abs(found) <= 0.3 };

function rowsOf(truth: number, outcomes: readonly Outcome[]): Row[] {
  const again = outcomes.filter(({ isAgain }) => isAgain).map(({ staged }) => staged);
  const worse = again.filter(isWorse);
  const bias = biasesOf(again, truth);
  const ten = shareOf(outcomes, (one) => isWorse(one.ten));
  const seen = shareOf(outcomes, (one) => isWorse(one.staged));
  const bar = truth >= 1 / (1 + MARGIN_RATIO)
    ? atMost(5)
    : truth === 0.95
    ? atLeast(Number((100 * ten - MOST_LOST).toFixed(1)))
    : undefined;
  const what = (text: string): string => `true ${truth}×: ${text}`;
  return [
    row(what("worse by the first five blocks"), shareOf(outcomes, (one) => isWorse(one.first))),
    row(what("worse in five, and in five more"), shareOf(outcomes, (one) => one.isWorseTwice)),
    row(what("worse by ten blocks, always made"), ten),
    row(what("worse by both stages"), seen, bar),
    row(what("measured again"), again.length / outcomes.length),
    ...again.length < 30 ? [] : [
      row(
        what("the interval holds it, of those measured again"),
        shareOf(again, (one) => covers(one, truth)),
        atLeast(93),
      ),
      row(what("the median ratio shown over it, less one, of these"), bias.median, MOST_BIAS),
      row(what("the mean ratio shown over it, less one, of these"), bias.mean),
    ],
    ...worse.length < 30 ? [] : [
      row(
        what("the interval holds it, of those called worse"),
        shareOf(worse, (one) => covers(one, truth)),
      ),
    ],
  ];
}

/** @param cases The number of cases per row. */
export function confirmations(cases: number, noise?: NoiseOf): Section[] {
  const machines: typeof MACHINES = noise === undefined ? MACHINES : [[
    "2.5 % between runs, by the noise handed in",
    (seed) => {
      const next = noise(seed);
      return { noise: () => RUN * next() };
    },
  ]];
  return machines.map(([name, machineOf]) => ({
    caption: `ab in two stages of ${BLOCKS} blocks, ${name}, ${cases} cases a truth`,
    unit: "%",
    rows: TRUTHS.flatMap((truth) => {
      const random = new Random(61);
      const outcomes = Array.from(
        { length: cases },
        (_, i) => outcomeOf(machineOf(7_919 * i + 1), random, truth),
      );
      return rowsOf(truth, outcomes);
    }),
    notes: [`By requests/s of one cell; the margin is ${100 * MARGIN_RATIO} %.`],
  }));
}
