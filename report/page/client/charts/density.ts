/** How the latencies of the cells are distributed: one outlined area each, on a logarithmic axis. */
import type { ChartConfiguration, Point } from "chart.js";
import { type DensityChart } from "../../../model/charts/charts.ts";
import { formatNumber } from "../../../model/numbers/units.ts";
import { valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

const WIDE_AXIS_TICKS = 7;

export function densityConfig(
  data: DensityChart,
  theme: Theme,
): ChartConfiguration<"line", Point[]> {
  const most = Math.max(...data.series.flatMap(({ shares }) => shares));
  return {
    type: "line",
    data: {
      datasets: data.series.map(({ label, color, shares }) => ({
        label,
        data: stepsOf(data.edges, shares),
        stepped: "after",
        fill: "origin",
        borderColor: theme.series(color),
        borderWidth: 1.75,
        backgroundColor: faded(theme.series(color), 0.14),
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      elements: { point: { radius: 0, hoverRadius: 0 } },
      scales: {
        x: valueScale(data.axis, theme, WIDE_AXIS_TICKS),
        y: valueScale({ unit: "%", scale: "linear", min: 0, max: most * 1.05 }, theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? stepText(data, item.dataIndex) : "",
            label: ({ dataset, parsed }) => `${dataset.label}: ${formatNumber(parsed.y ?? 0)} %`,
          },
        },
      },
    },
  };
}

/** A point at the start of each step, and one at the end of the last. */
function stepsOf(edges: readonly number[], shares: readonly number[]): Point[] {
  return edges.map((x, i) => ({ x, y: shares[Math.min(i, shares.length - 1)] }));
}

function stepText({ edges, axis }: DensityChart, index: number): string {
  const i = Math.min(index, edges.length - 2);
  return `${formatNumber(edges[i])}–${formatNumber(edges[i + 1])} ${axis.unit}`;
}
