/** How much each value of each factor shifts the p99 of a scenario, with an interval. */
import {
  distributionOf,
  type PartEffect,
  quantileEffects,
  type RegressedCell,
} from "../../../runner/stats/regression/quantile_regression.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { factorPaths } from "../../cells/factors.ts";
import { sum } from "../../writing/spread.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf, unitNamed } from "../tables/table.ts";
import { type Dimension, dimensionsOf } from "./variance_explained.ts";

const SHARE = 0.99;
/** Any fixed seed. */
const SEED = 16;
/** With fewer requests in a cell, fewer than ten lie beyond its p99. */
const LEAST_REQUESTS = 1_000;
/** The most cells, because each costs a page some 5 ms. */
const MOST_CELLS = 40;

/**
 * The effect of each value of each factor on p99. No rows with fewer than two factors (the target is one), with a single
 * run per cell, or with too few requests.
 */
export function tailTable(scenario: string, cells: readonly CellRuns[]): Table {
  const dimensions = dimensionsOf(cells);
  const isSought = dimensions.length > 1 && factorPaths(cells).length > 0 &&
    cells.length <= MOST_CELLS;
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
  "the factor's first value, whatever the other factors' values. In brackets: the 95 % interval over the runs. " +
  "Where factors interact, the figure is a weighted average of the factor's effects at the others' values. R. Koenker and G. Bassett, Econometrica 46 " +
  "(1978); Y. Zhang et al.: Treadmill, ISCA 2016.";

function rowsOf(dimensions: readonly Dimension[], cells: readonly CellRuns[]): TailRow[] {
  const parts = dimensions.flatMap(({ name, levels }) =>
    levels.slice(1).map((to) => ({ name, from: levels[0], to }))
  );
  const regressed = cells.map((cell) => regressedOf(cell, dimensions));
  if (parts.length >= cells.length || regressed.some((cell) => cell === null)) return [];
  const known = regressed.flatMap((cell) => cell ?? []);
  const effects = isSeparable(known) ? quantileEffects(known, { share: SHARE, seed: SEED }) : null;
  return effects === null ? [] : parts.map((part, i) => ({ ...part, effect: effects[i + 1] }));
}

function regressedOf(cell: CellRuns, dimensions: readonly Dimension[]): RegressedCell | null {
  const latencies = cell.parts.flatMap(({ blocks }) => blocks.map(({ latency }) => latency));
  if (sum(latencies, ({ count }) => count) < LEAST_REQUESTS) return null;
  const row = dimensions.flatMap(({ levelOf, levels }) =>
    levels.slice(1).map((level) => Number(levelOf(cell) === level))
  );
  return { row: [1, ...row], runs: latencies.flatMap((latency) => distributionOf(latency) ?? []) };
}

/** Whether each value occurs with different values of the other factors, so that their effects can be separated. */
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
