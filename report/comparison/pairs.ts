/**
 * Which cells of an experiment are compared with each other, and all of these comparisons made together, so
 * that Holm's method sees every verdict that the report gives.
 */
import type { Cell } from "../cells.ts";
import {
  comparePairs,
  type FigureComparison,
  type GroupComparison,
  type JudgeOptions,
} from "../comparison.ts";
import { type ComparedFigure, figureOf, type Group } from "./group.ts";
import { parametersKey } from "./match.ts";

/** A target with more wrong or failed requests than this does not compete: a fast error is no answer. */
export const TOLERATED_WRONG_RATIO = 0.01;

/** A cell as a side of comparisons within its report. */
export function cellGroup({ runs, confidence }: Cell): Group {
  return { runs, estimates: confidence.estimates };
}

/** Cells whose answers were right, but for a few. */
export function rightCells(cells: readonly Cell[]): Cell[] {
  return cells.filter(({ wrongRatio }) => wrongRatio <= TOLERATED_WRONG_RATIO);
}

/** Whether requests come at a pace of their own: then they are the same for all, and latency decides. */
export function isOpen(cells: readonly Cell[]): boolean {
  return cells.every(({ runs }) => runs.every(({ load }) => load.kind !== "closed"));
}

/** From the fastest: the best cell of each target that answered right; of one target only, its cells. */
export function rankedCells(cells: readonly Cell[]): Cell[] {
  const right = rightCells(cells);
  const value = (cell: Cell, figure: ComparedFigure): number => figureOf(cellGroup(cell), figure);
  const competitors = bestOfEach(right, (cell) => value(cell, "rate"));
  return isOpen(right) && competitors.every((cell) => value(cell, 99) > 0)
    ? competitors.sort((a, b) => value(a, 99) - value(b, 99))
    : competitors.sort((a, b) => value(b, "rate") - value(a, "rate"));
}

function bestOfEach(cells: readonly Cell[], rateOf: (cell: Cell) => number): Cell[] {
  const byTarget = Map.groupBy(cells, ({ target }) => target);
  if (byTarget.size <= 1) return [...cells];
  return [...byTarget.values()].map((group) =>
    group.reduce((best, cell) => rateOf(cell) > rateOf(best) ? cell : best)
  );
}

export interface CellPair {
  readonly base: Cell;
  readonly next: Cell;
}

/**
 * Each cell against that of the first target with the same parameters; of one target only, each cell
 * against the first.
 */
export function basePairs(cells: readonly Cell[]): CellPair[] {
  const [first, ...others] = rightCells(cells);
  if (!first) return [];
  const bases = [first, ...others.filter(({ target }) => target === first.target)];
  const rivals = others.filter(({ target }) => target !== first.target);
  const compared = rivals.length > 0 ? rivals : others;
  return compared.map((next) => ({
    base: rivals.length > 0
      ? bases.find((base) => parametersKey(base) === parametersKey(next)) ?? first
      : first,
    next,
  }));
}

/** The comparison of two cells that were among the pairs, either way around. */
export type Lookup = (base: Cell, next: Cell) => GroupComparison;

export function compareCells(pairs: readonly CellPair[], options: JudgeOptions): Lookup {
  const distinct = pairs.filter(({ base, next }, i) =>
    !pairs.slice(0, i).some((other) =>
      (other.base === base && other.next === next) || (other.base === next && other.next === base)
    )
  );
  const comparisons = comparePairs(
    distinct.map(({ base, next }) => ({ base: cellGroup(base), next: cellGroup(next) })),
    options,
  );
  return (base, next) => {
    const straight = distinct.findIndex((pair) => pair.base === base && pair.next === next);
    if (straight >= 0) return comparisons[straight];
    const turned = distinct.findIndex((pair) => pair.base === next && pair.next === base);
    if (turned >= 0) return inverse(comparisons[turned]);
    throw new Error(`Cannot find the comparison of ${base.label} and ${next.label}`);
  };
}

const OPPOSITE = {
  better: "worse",
  worse: "better",
  equivalent: "equivalent",
  inconclusive: "inconclusive",
} as const;

/** The same comparison seen from the other side. */
function inverse({ figures, runs, marginRatio }: GroupComparison): GroupComparison {
  return {
    figures: figures.map(inverseFigure),
    runs: { base: runs.next, next: runs.base },
    marginRatio,
  };
}

function inverseFigure(comparison: FigureComparison): FigureComparison {
  const { base, next, ratio, interval, verdict } = comparison;
  return {
    ...comparison,
    base: next,
    next: base,
    ratio: ratio === null ? null : 1 / ratio,
    interval: interval === null ? null : {
      ...interval,
      value: 1 / interval.value,
      low: 1 / interval.high,
      high: 1 / interval.low,
    },
    verdict: OPPOSITE[verdict],
  };
}
