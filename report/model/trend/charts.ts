/** The drawings of a trend: requests/s and p99 of each cell, a step on the axis for each of the results. */
import type { Cell } from "../runs/cells.ts";
import type { SweepChart } from "../charts/charts.ts";
import { roomyTicks } from "../sweeps/axes.ts";
import { axisOf, type Drawing, figurePoint, type Shown, shownFigures } from "../sweeps/charts.ts";
import type { TrendPoint, TrendSeries } from "./series.ts";

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
      kind: "sweep",
      alt: altOf(shown, series, points),
      x,
      y: axisOf(cells, shown),
      isOffered: false,
      series: series.map(({ label, color, cells }) => ({
        label,
        color,
        points: cells.flatMap((cell, i) =>
          cell === null ? [] : [chartPoint(cell, { shown, at: i, label: points[i].label })]
        ),
        knee: null,
      })),
    },
  }));
}

function axisOfResults(points: readonly TrendPoint[]): SweepChart["x"] {
  const ticks = points.map(({ label }, at) => ({ at, text: label }));
  const isCommits = points.every(({ results: { commit }, label }) =>
    commit !== null && label.startsWith(commit.hash.slice(0, 4))
  );
  return {
    unit: isCommits ? "commit, from the oldest" : "result, from the oldest",
    scale: "linear",
    min: -PADDING,
    max: points.length - 1 + PADDING,
    ticks: roomyTicks(ticks, false),
    breakAt: null,
  };
}

function chartPoint(
  cell: Cell,
  { shown, at, label }: { shown: Shown; at: number; label: string },
): SweepChart["series"][number]["points"][number] {
  const { text, ...point } = figurePoint(cell, shown);
  return { x: at, ...point, text: `${label}: ${text}` };
}

function altOf(
  { title }: Shown,
  [{ scenario }, ...others]: readonly TrendSeries[],
  points: readonly TrendPoint[],
): string {
  const lines = others.length === 0 ? "one line" : `${others.length + 1} lines`;
  return `${title} of ${scenario} over ${points.length} results, ${lines}. The table below has its values.`;
}
