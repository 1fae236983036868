/** The latency that one in so many requests exceeds: all runs of a cell as a thick line, each run as a thin one. */
import type { ChartConfiguration, ChartDataset, Point, Scale } from "chart.js";
import { type TailsChart } from "../../subjects/charts/charts.ts";
import { boundText, formatNumber } from "../../writing/units.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

export function tailsConfig(data: TailsChart, theme: Theme): ChartConfiguration<"line", Point[]> {
  const { odds, series, axis } = data;
  const line = (values: readonly number[]): Point[] => values.map((y, i) => ({ x: odds[i], y }));
  const thick = series.map((one): ChartDataset<"line", Point[]> => ({
    label: one.label,
    data: line(one.pooled),
    borderColor: theme.series(one.color),
    borderWidth: 2.25,
    segment: {
      borderDash: ({ p1DataIndex }) => isAtLeast(one, p1DataIndex) ? [2, 2] : undefined,
    },
  }));
  const thin = series.flatMap(({ color, runs }) =>
    runs.map((values): ChartDataset<"line", Point[]> => ({
      data: line(values),
      borderColor: faded(theme.series(color), 0.4),
      borderWidth: 0.75,
    }))
  );
  return {
    type: "line",
    data: { datasets: [...thick, ...thin] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      elements: { point: { radius: 0, hoverRadius: 0 } },
      scales: { x: oddsScale(odds, theme), y: valueScale(axis, theme, 7) },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          filter: ({ datasetIndex }) => datasetIndex < series.length,
          callbacks: {
            title: ([item]) => item ? oddsText(odds[item.dataIndex]) : "",
            label: ({ dataset, datasetIndex, dataIndex, parsed }) => {
              const text = `${formatNumber(parsed.y ?? 0)} ${axis.unit}`;
              return `${dataset.label}: ${
                boundText(text, isAtLeast(series[datasetIndex], dataIndex))
              }`;
            },
          },
        },
      },
    },
  };
}

/** Whether lower bounds could turn out to make the curve higher there. */
function isAtLeast({ boundsFrom = Infinity }: TailsChart["series"][number], i: number): boolean {
  return i >= boundsFrom;
}

function oddsText(odds: number): string {
  return `one in ${formatNumber(odds)} requests takes longer (p${percentText(odds)})`;
}

/** With as many decimals as show the share that lies beyond it. */
function percentText(odds: number): string {
  return String(
    Number((100 * (1 - 1 / odds)).toFixed(Math.max(0, Math.ceil(Math.log10(odds)) - 1))),
  );
}

/** Percentiles, each tick ten times as rare as the one before. */
function oddsScale(odds: readonly number[], theme: Theme): AxisOptions {
  const last = odds[odds.length - 1];
  const decades = Array.from(
    { length: Math.floor(Math.log10(last) + 1e-6) },
    (_, i) => 10 ** (i + 1),
  );
  const scale = valueScale({ unit: "", scale: "log", min: odds[0], max: last }, theme);
  return {
    ...scale,
    ticks: { ...scale.ticks, callback: (value) => `p${percentText(Number(value))}` },
    afterBuildTicks: (drawn: Scale) => {
      drawn.ticks = [2, ...decades].map((value) => ({ value }));
    },
  };
}
