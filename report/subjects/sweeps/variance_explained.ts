/** How much of the differences in requests/s within a scenario each factor explains, and its effect from end to end. */
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

/** With fewer cells, shares of the variance say little about the factors. */
const FEWEST_WEIGHED = 5;

/**
 * The share of the variance that each factor explains, and its effect. No rows with fewer than two factors (the target
 * is one), for few cells, or unless every combination of values was measured.
 */
export function weightsTable(scenario: string, cells: readonly CellRuns[]): Table {
  const dimensions = dimensionsOf(cells);
  const isWeighed = cells.length >= FEWEST_WEIGHED && dimensions.length > 1 &&
    factorPaths(cells).length > 0;
  const logs = isWeighed ? logsOf(dimensions, cells) : null;
  // Without every combination, the effects of factors can't be separated.
  const isFull = logs !== null && varianceExplained(logs) !== null;
  const shares = isFull ? sharesShown(logs) : null;
  const rows: FactorRow[] = [
    ...dimensions.map((dimension, i) => ({
      name: dimension.name,
      ends: `${dimension.levels[0]} → ${dimension.levels.at(-1)}`,
      effect: effectOf(dimension, cells),
      share: shares?.factors[i],
    })),
    ...shares === null ? [] : [
      { name: "interaction", share: shares.together },
      { name: "between runs", share: shares.runs },
    ],
  ];
  const [caption, notes] = shares === null
    ? [`How factors change requests/s in ${scenario}`, [RATIOS]]
    : [`Variance explained in ${scenario}`, [SHARES, RATIOS]];
  return tableOf({ caption, notes }, isFull ? rows : [], [
    column.name("Factor", ({ name }) => name),
    column.text("From → to", ({ ends = "" }) => ends),
    ...shares === null ? [] : [
      column.number<FactorRow>("Variance of requests/s", ({ share }) => share, FINE_PERCENT),
    ],
    column.number<FactorRow>("Ratio of requests/s", ({ effect }) => effect, unitNamed("×")),
  ]);
}

/** A factor, or the rest that factors do not explain. */
interface FactorRow {
  readonly name: string;
  readonly ends?: string;
  readonly effect?: number;
  readonly share?: SharesShown["runs"];
}

const SHARES =
  "Each share is the part of the variance of the logarithm of requests/s, over all runs, that goes with " +
  "this factor alone, less what noise alone is expected to add (analysis of variance, ω²). " +
  "In brackets: the 95 % interval of the share over repetitions. " +
  "A row shows no share if noise alone could produce one as large. Interaction: the part where the effect of one " +
  "factor depends on another.";

const RATIOS =
  "The ratios compare a factor's last value with its first, as geometric means over all other factors; values that are not numbers are ordered from " +
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

/** The logarithms of requests/s of each cell's runs; null if a run completed nothing. */
function logsOf(
  dimensions: readonly Dimension[],
  cells: readonly CellRuns[],
): FactorialCell[] | null {
  const logs = cells.map((cell) => ({
    levels: dimensions.map(({ levelOf }) => levelOf(cell)),
    values: cell.runs.map(({ rate }) => Math.log(rate)),
  }));
  return logs.every(({ values }) => values.every(Number.isFinite)) ? logs : null;
}

/** The last value over the first, all else equal: the plan is full, so all else is the same on both sides. */
function effectOf(
  { levels, levelOf }: Dimension,
  cells: readonly CellRuns[],
): number {
  const meanAt = (level: string): number =>
    mean(
      cells.filter((cell) => levelOf(cell) === level)
        .map(({ runs }) => mean(runs.map(({ rate }) => Math.log(rate)))),
    );
  return Math.exp(meanAt(levels[levels.length - 1]) - meanAt(levels[0]));
}
