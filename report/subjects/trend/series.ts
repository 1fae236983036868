/** The same cells in several results of one experiment, in the order of time. */
import type { Results } from "../../../runner/result/result.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { parametersKey } from "../../cells/match.ts";
import type { ReportModel } from "../../model.ts";
import { formatMoment } from "../../writing/units.ts";
import { unique } from "../../writing/words.ts";
import type { Axis, XyPoint } from "../../chart.ts";
import {
  type Drawing,
  figureAxis,
  figurePoint,
  type Shown,
  shownFigures,
} from "../sweeps/charts.ts";

/** Results with what the report makes of them. */
export interface Reported {
  readonly results: Results;
  readonly model: ReportModel;
}

/** One of the results. */
export interface TrendPoint extends Reported {
  /** What charts and tables call it: its commit, or where that does not name it, its time. */
  readonly label: string;
  readonly isDirty: boolean;
}

export interface TrendSeries {
  readonly scenario: string;
  readonly label: string;
  readonly color: number;
  /** One for each of the points; null where a result has no such cell. */
  readonly cells: readonly (CellRuns | null)[];
}

/** From the oldest. */
export function trendPoints(reported: readonly Reported[]): TrendPoint[] {
  const inTime = [...reported].sort((a, b) => startedMs(a) - startedMs(b));
  const labels = labelsOf(inTime.map(({ results }) => results));
  return inTime.map((one, i) => ({
    ...one,
    label: labels[i],
    isDirty: one.results.commit?.dirty ?? false,
  }));
}

function startedMs({ results }: Reported): number {
  return Date.parse(results.startedAt);
}

const HASH_LENGTH = 7;

/** Each different from the others. */
function labelsOf(results: readonly Results[]): string[] {
  const hashes = results.map(hashOf);
  const moments = results.map(({ startedAt }) => formatMoment(startedAt));
  if (!hashes.includes("") && isDistinct(hashes)) return hashes;
  if (isDistinct(moments)) return moments;
  const both = results.map((_, i) => [hashes[i], moments[i]].filter(Boolean).join(" "));
  return isDistinct(both) ? both : both.map((text, i) => `${i + 1}: ${text}`);
}

/** `0123456`, with a + where files differed from the commit; "" where git knew none. */
function hashOf({ commit }: Results): string {
  return commit === null ? "" : commit.hash.slice(0, HASH_LENGTH) + (commit.dirty ? "+" : "");
}

function isDistinct(texts: readonly string[]): boolean {
  return unique(texts).length === texts.length;
}

/** Cells that two results have or more, in the order of the newest result that has them. */
export function seriesOf(points: readonly TrendPoint[]): TrendSeries[] {
  const placed = points.map(({ model }) => placesOf(model));
  const keys = unique(placed.toReversed().flatMap((places) => [...places.keys()]));
  const all = keys.map((key) => {
    const cells = placed.map((places) => places.get(key)?.cell ?? null);
    return { scenario: placed.flatMap((places) => places.get(key)?.scenario ?? [])[0], cells };
  });
  const drawn = all.filter(({ cells }) => cells.filter(Boolean).length > 1);
  return drawn.map(({ scenario, cells }) => {
    const newest = cells.findLast((cell) => cell !== null);
    return { scenario, label: labelOf({ cells }), color: newest?.color ?? 0, cells };
  });
}

function labelOf({ cells }: Pick<TrendSeries, "cells">): string {
  return cells.findLast((cell) => cell !== null)?.label ?? "";
}

interface SeriesCell {
  readonly scenario: string;
  readonly cell: CellRuns;
}

function placesOf({ context: { scenarios } }: ReportModel): Map<string, SeriesCell> {
  return new Map(scenarios.flatMap(({ name, cells }) =>
    cells.map((cell) => [
      JSON.stringify([name, cell.target, parametersKey(cell)]),
      { scenario: name, cell },
    ])
  ));
}

// The drawings of a trend: requests/s and p99 of each cell, a step on the axis for each of the results.

/** Beside the outermost points, in steps. */
const PADDING = 0.2;

/** @param series Those of one scenario. */
export function trendDrawings(
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): Drawing[] {
  const cells = series.flatMap(({ cells }) => cells.flatMap((cell) => cell ?? []));
  const x = axisOfResults(points);
  return shownFigures(cells).filter(({ figure }) => figure !== 50).map((shown) => ({
    title: shown.title,
    chart: {
      kind: "xy",
      alt: altOf(shown, series, points),
      size: "small",
      x,
      y: figureAxis(cells, shown),
      series: series.map(({ label, color, cells }) => ({
        label,
        color,
        draw: "line",
        points: cells.flatMap((cell, i) =>
          cell === null ? [] : [chartPoint(cell, { shown, at: i, label: points[i].label })]
        ),
      })),
    },
  }));
}

function axisOfResults(points: readonly TrendPoint[]): Axis {
  const isCommits = points.every(({ results: { commit }, label }) =>
    commit !== null && label.startsWith(commit.hash.slice(0, 4))
  );
  return {
    unit: "",
    title: isCommits ? "commit, from the oldest" : "result, from the oldest",
    scale: "linear",
    min: -PADDING,
    max: points.length - 1 + PADDING,
    ticks: points.map(({ label }, at) => ({ at, text: label })),
  };
}

function chartPoint(
  cell: CellRuns,
  { shown, at, label }: { shown: Shown; at: number; label: string },
): XyPoint {
  const point = figurePoint(cell, shown);
  return { x: at, ...point, lines: [`${label}: ${point.lines[0]}`] };
}

function altOf(
  { title }: Shown,
  [{ scenario }, ...others]: readonly TrendSeries[],
  points: readonly TrendPoint[],
): string {
  const lines = others.length === 0 ? "one line" : `${others.length + 1} lines`;
  return `${title} of ${scenario} over ${points.length} results, ${lines}. The table below has its values.`;
}
