/** How much of the differences within a scenario each factor explains, and its effect from end to end. */
import type { Run } from "../../../runner/result/result.ts";
import {
  type FactorialCell,
  type SharesShown,
  sharesShown,
  varianceExplained,
} from "../../../runner/stats/regression/variance_explained.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { factorName, factorPaths, numericFactor, valueOf, valueText } from "../../cells/factors.ts";
import { FINE_PERCENT } from "../../writing/units.ts";
import { mean, median } from "../../writing/spread.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf, unitNamed } from "../tables/table.ts";

/** The target, or a factor; with its values from one end to the other. */
export interface Dimension {
  readonly name: string;
  readonly levelOf: (cell: CellRuns) => string;
  readonly levels: readonly string[];
}

interface ExplainedFigure {
  readonly name: string;
  readonly of: (run: Run) => number;
}

const FIGURES: readonly ExplainedFigure[] = [
  { name: "requests/s", of: ({ rate }) => rate },
  { name: "p99", of: ({ latency }) => latency.percentiles["99"] },
];

/** With fewer cells, shares of the variance say little about the factors. */
const FEWEST_WEIGHED = 5;

/** No rows with fewer than two factors (the target is one), for few cells, or unless every combination was measured. */
export function weightsTable(scenario: string, cells: readonly CellRuns[]): Table {
  const dimensions = dimensionsOf(cells);
  const isWeighed = cells.length >= FEWEST_WEIGHED && dimensions.length > 1 &&
    factorPaths(cells).length > 0;
  const explained = FIGURES.flatMap((figure) => {
    const logs = isWeighed ? logsOf(figure, dimensions, cells) : null;
    // Without every combination, the effects of factors can't be separated.
    const isFull = logs !== null && varianceExplained(logs) !== null;
    return isFull ? [{ figure, weights: sharesShown(logs) }] : [];
  });
  const isShared = explained.some(({ weights }) => weights !== null);
  const rows: FactorRow[] = [
    ...dimensions.map((dimension, i) => ({
      name: dimension.name,
      ends: `${dimension.levels[0]} → ${dimension.levels.at(-1)}`,
      effect: (figure: ExplainedFigure) => effectOf(dimension, figure, cells),
      share: ({ factors }: SharesShown) => factors[i],
    })),
    ...isShared
      ? [
        { name: "interaction", share: ({ together }: SharesShown) => together },
        { name: "between runs", share: ({ runs }: SharesShown) => runs },
      ]
      : [],
  ];
  const caption = isShared ? `Variance explained in ${scenario}` : `What factors do in ${scenario}`;
  return tableOf(
    { caption, notes: isShared ? [SHARES, RATIOS] : [RATIOS] },
    explained.length === 0 ? [] : rows,
    [
      column.name("Factor", ({ name }) => name),
      column.text("From → to", ({ ends = "" }) => ends),
      ...explained.flatMap(({ figure, weights }) =>
        weights === null ? [] : [
          column.number<FactorRow>(`Variance of ${figure.name}`, ({ share }) =>
            share(weights), FINE_PERCENT),
        ]
      ),
      ...explained.map(({ figure }) =>
        column.number<FactorRow>(`Ratio of ${figure.name}`, ({ effect }) => effect?.(figure), TIMES)
      ),
    ],
  );
}

/** A factor, or the rest that factors do not explain. */
interface FactorRow {
  readonly name: string;
  readonly ends?: string;
  readonly effect?: (figure: ExplainedFigure) => number;
  readonly share: (weights: SharesShown) => SharesShown["runs"];
}

const TIMES = unitNamed("×");

const SHARES =
  "Each share is of the variance of logarithms over runs, less what noise alone is expected to add (analysis of " +
  "variance, ω²): how much of the difference goes with this factor alone, in brackets its 95 % interval over " +
  "repetitions. There is none where noise alone may be as large, or for fewer than three repetitions. Interaction: where " +
  "the effect of one factor depends on another.";

const RATIOS =
  "The ratios are geometric means over all other factors, from the first value to the last; values that are not numbers are ordered from " +
  "the fewest requests/s to the most.";

/** Factors that not all targets have are shown with the target, because their effects can't be separated. */
export function dimensionsOf(cells: readonly CellRuns[]): Dimension[] {
  const paths = factorPaths(cells);
  const isOwn = (path: string): boolean => cells.some((cell) => valueOf(cell, path) === undefined);
  const own = paths.filter(isOwn);
  const targetLevel = (cell: CellRuns): string =>
    [
      cell.target,
      ...own.flatMap((path) => {
        const value = valueOf(cell, path);
        return value === undefined ? [] : [`${factorName(cells, path)} ${valueText(value)}`];
      }),
    ].join(" · ");
  return [
    {
      name: ["target", ...own.map((path) => factorName(cells, path))].join(" and "),
      levelOf: targetLevel,
      levels: byRate(cells, targetLevel),
    },
    ...paths.filter((path) => !isOwn(path)).map((path) => {
      const levelOf = (cell: CellRuns): string => valueText(valueOf(cell, path));
      const numbers = numericFactor(cells, path)?.values.map(({ text }) => text);
      return { name: factorName(cells, path), levelOf, levels: numbers ?? byRate(cells, levelOf) };
    }),
  ].filter(({ levels }) => levels.length > 1);
}

/** The values of a factor, from the lowest requests/s to the highest. */
function byRate(cells: readonly CellRuns[], levelOf: Dimension["levelOf"]): string[] {
  return [...Map.groupBy(cells, levelOf)]
    .map(([level, those]) => ({ level, rate: median(those.map(({ rate }) => rate.mean)) }))
    .sort((a, b) => a.rate - b.rate).map(({ level }) => level);
}

/** Null if a run lacks the figure. */
function logsOf(
  { of }: ExplainedFigure,
  dimensions: readonly Dimension[],
  cells: readonly CellRuns[],
): FactorialCell[] | null {
  const logs = cells.map((cell) => ({
    levels: dimensions.map(({ levelOf }) => levelOf(cell)),
    values: cell.runs.map((run) => Math.log(of(run))),
  }));
  return logs.every(({ values }) => values.every(Number.isFinite)) ? logs : null;
}

/** The last value over the first, all else equal: the plan is full, so all else is the same on both sides. */
function effectOf(
  { levels, levelOf }: Dimension,
  { of }: ExplainedFigure,
  cells: readonly CellRuns[],
): number {
  const meanAt = (level: string): number =>
    mean(
      cells.filter((cell) => levelOf(cell) === level)
        .map(({ runs }) => mean(runs.map((run) => Math.log(of(run))))),
    );
  return Math.exp(meanAt(levels[levels.length - 1]) - meanAt(levels[0]));
}
