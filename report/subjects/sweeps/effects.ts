/**
 * How much of the differences in requests/s within a scenario each factor explains, the largest effect of each factor,
 * and how much each of its values shifts p99.
 */
import {
  type FactorialCell,
  type SharesShown,
  sharesShown,
  varianceExplained,
} from "../../../runner/stats/regression/variance_explained.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { factorName, factorPaths, numericFactor, valueOf, valueText } from "../../cells/factors.ts";
import { basedOn, type ComparedChoice, comparedFactor, listedValues } from "../../cells/recast.ts";
import { FINE_PERCENT } from "../../writing/units.ts";
import { mean, sum } from "../../writing/spread.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf, unitNamed } from "../tables/table.ts";
import {
  distributionOf,
  type PartEffect,
  quantileEffects,
  type RegressedCell,
} from "../../../runner/stats/regression/quantile_regression.ts";

/** The target or a factor. */
interface Dimension {
  readonly name: string;
  readonly levelOf: (cell: CellRuns) => string;
  /**
   * At least two. The first, with which the others are compared, is the base if there is one. Numbers are in ascending
   * order, targets and words in the order of the file.
   */
  readonly levels: readonly string[];
}

/** With fewer cells than this, shares of the variance say little about the factors. */
const FEWEST_WEIGHED = 5;

/**
 * The share of the variance that each factor explains, and the effect of each factor. Without rows if there are fewer
 * than two factors (the target counts as one), if there are few cells, or unless every combination of values was
 * measured.
 */
export function weightsTable(
  { name: scenario, cells }: ScenarioRuns,
  choice: ComparedChoice,
): Table {
  const dimensions = dimensionsOf(cells, choice);
  const logs = cells.length >= FEWEST_WEIGHED && areSeveral(dimensions, cells)
    ? logsOf(dimensions, cells)
    : null;
  // Unless every combination was measured, the effects of factors can't be separated.
  const isFull = logs !== null && varianceExplained(logs) !== null;
  const shares = isFull ? sharesShown(logs) : null;
  const rows: FactorRow[] = [
    ...dimensions.map((dimension, i) => ({
      name: dimension.name,
      ...effectOf(dimension, cells),
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

/** A factor, or a part of the variance that no single factor explains. */
interface FactorRow {
  readonly name: string;
  readonly ends?: string;
  readonly effect?: number;
  readonly share?: SharesShown["runs"];
}

const SHARES =
  "A share says how much of the differences in requests/s between all runs comes from this factor by itself: at 0 % it " +
  "makes no difference, at 100 % it explains all of them. In brackets: the 95 % interval over repetitions. " +
  "No share is shown where noise could have produced one as large. Interaction: the part where the effect of one " +
  "factor depends on another. Method: ω² of an analysis of variance of the logarithm of requests/s, from which what noise " +
  "is expected to add is already subtracted.";

const RATIOS =
  "A ratio compares requests/s at two values of a factor: the first (the base, or else the smallest number or the first " +
  "in the file) and the one that differs most from it. It is a geometric mean over all other factors.";

/**
 * The dimensions in which cells differ. Factors that not all targets have become part of the target, because their
 * effects can't be separated from the target's.
 */
function dimensionsOf(cells: readonly CellRuns[], choice: ComparedChoice): Dimension[] {
  const compared = comparedFactor(cells, choice);
  const paths = factorPaths(cells);
  const isOwn = (path: string): boolean => cells.some((cell) => valueOf(cell, path) === undefined);
  const own = paths.filter(isOwn);
  const targetLevel = (cell: CellRuns): string => {
    const values = own.flatMap((path) => {
      const value = valueOf(cell, path);
      return value === undefined ? [] : [`${factorName(cells, path)} ${valueText(value)}`];
    });
    return [cell.target, ...values].join(" · ");
  };
  return [
    {
      name: ["target", ...own.map((path) => factorName(cells, path))].join(" and "),
      levelOf: targetLevel,
      levels: [
        ...new Set(basedOn(cells, compared === null ? choice.base : null).map(targetLevel)),
      ],
    },
    ...paths.filter((path) => !isOwn(path)).map((path) => {
      const levelOf = (cell: CellRuns): string => valueText(valueOf(cell, path));
      const levels = numericFactor(cells, path)?.values.map(({ text }) => text) ??
        listedValues(cells, path, choice.experiment)
          .filter((level) => cells.some((cell) => levelOf(cell) === level));
      const base = path === compared && choice.base !== null ? valueText(choice.base) : null;
      const isBase = (level: string): boolean => level === base;
      return {
        name: factorName(cells, path),
        levelOf,
        levels: levels.toSorted((a, b) => Number(isBase(b)) - Number(isBase(a))),
      };
    }),
  ].filter(({ levels }) => levels.length > 1);
}

/** Whether the cells differ in several dimensions, of which at least one is a factor. */
function areSeveral(dimensions: readonly Dimension[], cells: readonly CellRuns[]): boolean {
  return dimensions.length > 1 && factorPaths(cells).length > 0;
}

/** The logarithms of requests/s of each cell's runs; null if a run completed no request. */
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

/**
 * The level whose requests/s differ most from those of the first, and the ratio of the two. Everything else is equal,
 * because every combination was measured.
 */
function effectOf(
  { levels: [first, ...others], levelOf }: Dimension,
  cells: readonly CellRuns[],
): Pick<FactorRow, "ends" | "effect"> {
  const meanAt = (level: string): number => {
    const those = cells.filter((cell) => levelOf(cell) === level);
    return mean(those.map(({ runs }) => mean(runs.map(({ rate }) => Math.log(rate)))));
  };
  const base = meanAt(first);
  const effects = others.map((to) => ({ to, log: meanAt(to) - base }));
  const { to, log } = effects.reduce((most, one) =>
    Math.abs(one.log) > Math.abs(most.log) ? one : most
  );
  return { ends: `${first} → ${to}`, effect: Math.exp(log) };
}

// How much each value of each factor shifts p99.

const SHARE = 0.99;
/** Any fixed seed will do. */
const SEED = 16;
/** A cell with fewer requests would have fewer than ten beyond its p99. */
const LEAST_REQUESTS = 1_000;
/** The most cells for which this is computed, because each costs a page some 5 ms. */
const MOST_CELLS = 40;

/**
 * The effect of each value of each factor on p99. Without rows if there are fewer than two factors (the target counts
 * as one), more than MOST_CELLS cells, a single run per cell, or too few requests.
 */
export function tailTable({ name: scenario, cells }: ScenarioRuns, choice: ComparedChoice): Table {
  const dimensions = dimensionsOf(cells, choice);
  const isSought = cells.length <= MOST_CELLS && areSeveral(dimensions, cells);
  const caption = `What moves p99 in ${scenario}`;
  return tableOf({ caption, notes: [NOTE] }, isSought ? rowsOf(dimensions, cells) : [], [
    column.name("Factor", ({ name }) => name),
    column.text("From → to", ({ from, to }) => `${from} → ${to}`),
    column.number<TailRow>("p99", ({ effect: { value, low, high } }) => ({
      value: Math.exp(value),
      interval: { low: Math.exp(low), high: Math.exp(high) },
    }), unitNamed("×")),
  ]);
}

interface TailRow {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly effect: PartEffect;
}

const NOTE =
  "Quantile regression of all requests at p99: by how much a value of a factor multiplies p99, compared with " +
  "the factor's first value (the base, or else the smallest number or the first in the file), whatever the other factors' values. In brackets: the 95 % interval over the runs. " +
  "Where factors interact, the figure is a weighted average of the factor's effects at the others' values. R. Koenker and G. Bassett, Econometrica 46 " +
  "(1978); Y. Zhang et al.: Treadmill, ISCA 2016.";

function rowsOf(dimensions: readonly Dimension[], cells: readonly CellRuns[]): TailRow[] {
  const parts = dimensions.flatMap(({ name, levels }) =>
    levels.slice(1).map((to) => ({ name, from: levels[0], to }))
  );
  const regressed = cells.flatMap((cell) => regressedOf(cell, dimensions));
  if (parts.length >= cells.length || regressed.length < cells.length) return [];
  const effects = isSeparable(regressed)
    ? quantileEffects(regressed, { share: SHARE, seed: SEED })
    : null;
  return effects === null ? [] : parts.map((part, i) => ({ ...part, effect: effects[i + 1] }));
}

/** A cell as input for the regression; empty if it has too few requests. */
function regressedOf(cell: CellRuns, dimensions: readonly Dimension[]): RegressedCell[] {
  const latencies = cell.parts.flatMap(({ blocks }) => blocks.map(({ latency }) => latency));
  if (sum(latencies, ({ count }) => count) < LEAST_REQUESTS) return [];
  const row = dimensions.flatMap(({ levelOf, levels }) =>
    levels.slice(1).map((level) => Number(levelOf(cell) === level))
  );
  return [{ row: [1, ...row], runs: latencies.flatMap((one) => distributionOf(one) ?? []) }];
}

/**
 * Whether the effects of the factors can be separated, because each value occurs together with different values of the
 * other factors.
 */
function isSeparable(cells: readonly RegressedCell[]): boolean {
  return new Set(cells.map(({ row }) => row.join())).size === cells.length &&
    rankOf(cells.map(({ row }) => row)) === cells[0].row.length;
}

function rankOf(matrix: readonly (readonly number[])[]): number {
  const rows = matrix.map((row) => [...row]);
  let rank = 0;
  for (let at = 0; at < rows[0].length; at++) {
    const pivot = rows.findIndex((row, i) => i >= rank && Math.abs(row[at]) > 1e-9);
    if (pivot === -1) continue;
    [rows[rank], rows[pivot]] = [rows[pivot], rows[rank]];
    for (let i = rank + 1; i < rows.length; i++) {
      const times = rows[i][at] / rows[rank][at];
      for (let j = at; j < rows[i].length; j++) rows[i][j] -= times * rows[rank][j];
    }
    rank++;
  }
  return rank;
}
