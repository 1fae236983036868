/** Measures how often intervals contain the truth. */
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  contrastOf,
  intervalOf,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { RunBlock } from "../../runner/stats/confidence/pool.ts";
import {
  isNarrow,
  LEAST_OF_GROUPS,
  LOOK_CONFIDENCE,
  LOOKS,
} from "../../runner/stats/confidence/sequential.ts";
import { twoGroupsOf } from "../../runner/stats/comparison/bimodality.ts";
import { estimatesOf, FIGURES, type Machine, simulateCells, SLOW_FACTOR } from "./experiment.ts";
import type { Random } from "./random.ts";

export interface Covered {
  /** The share of the 95 % intervals that contain the truth. */
  readonly share: number;
  /** The share of cases without an interval because the runs fall into two groups. */
  readonly refused: number;
}

/**
 * The exponents of the cells in a ratio: +1 for factors, −1 for divisors. All cells are alike, so the true ratio is 1.
 */
export const RATIO = [1, -1];
export const RATIO_OF_RATIOS = [1, -1, -1, 1];

/** The coverage of the ratio's interval, for each figure. */
export function ratioCoverage(
  random: Random,
  cases: number,
  { powers, ...plan }: { powers: readonly number[]; repetitions: number; machine: Machine },
): Covered[] {
  const found = Array.from({ length: cases }, () => {
    const cells = estimatesOf(simulateCells(random, { ...plan, cells: powers.length }));
    return FIGURES.map((_, f) => {
      const terms = cells.flatMap((estimates, c) => {
        const estimate = estimates[f];
        return estimate === null ? [] : [{ estimate, power: powers[c] }];
      });
      const interval = contrastOf(terms);
      return { isCovered: interval !== null && holds(interval, 1), isRefused: isGrouped(terms) };
    });
  });
  return FIGURES.map((_, f) => coveredOf(found.map((one) => one[f])));
}

/** Whether the ratios of the single repetitions fall into two groups. */
function isGrouped(terms: readonly { estimate: Estimate; power: number }[]): boolean {
  const [{ estimate: { byRun } }] = terms;
  const ratios = byRun.map((_, i) =>
    terms.reduce((product, { estimate, power }) => product * estimate.byRun[i] ** power, 1)
  );
  return twoGroupsOf(ratios) !== null;
}

function holds({ low, high }: ConfidenceInterval, truth: number): boolean {
  return low <= truth && truth <= high;
}

function coveredOf(
  found: readonly { readonly isCovered: boolean; readonly isRefused: boolean }[],
): Covered {
  const promised = found.filter(({ isRefused }) => !isRefused);
  const covered = promised.filter(({ isCovered }) => isCovered);
  return {
    share: covered.length / promised.length,
    refused: 1 - promised.length / found.length,
  };
}

/** The coverage of the interval of a single cell's rate. */
export function rateCoverage(
  random: Random,
  cases: number,
  { repetitions, machine }: { repetitions: number; machine: Machine },
): Covered {
  return coveredOf(Array.from({ length: cases }, () => {
    const [runs] = simulateCells(random, { cells: 1, repetitions, machine, recorded: 1 });
    const [[rate]] = estimatesOf([runs], ["rate"]);
    const interval = rate && intervalOf(rate);
    return {
      isCovered: interval !== null && holds(interval, trueRatio(machine) * BASE_RATE),
      isRefused: rate !== null && twoGroupsOf(rate.byRun) !== null,
    };
  }));
}

const BASE_RATE = 2_000;

/** The mean rate over all possible runs, relative to the median rate of runs that are not slow. */
function trueRatio({ run = 0, slowShare = 0 }: Machine): number {
  return Math.exp(run ** 2 / 2) * (1 - slowShare + slowShare / SLOW_FACTOR);
}

interface Sequences extends Covered {
  /** The mean number of repetitions until the rate was known. */
  readonly repetitions: number;
}

/** The coverage if runs are repeated until the rate is known to ± `targetRatio`. */
export function untilCoverage(
  random: Random,
  cases: number,
  { targetRatio, machine }: { targetRatio: number; machine: Machine },
): Sequences {
  const ends = Array.from({ length: cases }, () => {
    const [runs] = simulateCells(random, {
      cells: 1,
      repetitions: LOOKS[LOOKS.length - 1],
      machine,
      recorded: 1,
    });
    return endOf(runs, targetRatio, trueRatio(machine) * BASE_RATE);
  });
  const repetitions = ends.reduce((sum, end) => sum + end.repetitions, 0) / cases;
  return { ...coveredOf(ends), repetitions };
}

function endOf(
  runs: RunBlock[][],
  targetRatio: number,
  truth: number,
): { isCovered: boolean; isRefused: boolean; repetitions: number } {
  for (const look of LOOKS) {
    const [[rate]] = estimatesOf([runs.slice(0, look)], ["rate"]);
    const interval = rate && intervalOf(rate, LOOK_CONFIDENCE);
    const isRefused = rate !== null && twoGroupsOf(rate.byRun) !== null;
    const isEnough = isNarrow([interval], targetRatio) && (look >= LEAST_OF_GROUPS || !isRefused);
    if (isEnough || look === LOOKS[LOOKS.length - 1]) {
      return {
        isCovered: interval !== null && holds(interval, truth),
        isRefused,
        repetitions: look,
      };
    }
  }
  throw new Error("There is a last look");
}
