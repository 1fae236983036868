/// <reference lib="dom" />
/** A run over time: a bar an interval, its parts one above the other. */
import type { ChartConfiguration } from "chart.js";
import { formatTick } from "../../model/numbers/units.ts";
import type { Theme } from "./theme.ts";
import { tooltip } from "./tooltip.ts";

export interface StackedBars {
  /** End of each interval, seconds since the start of the run. */
  readonly t: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** One for each interval. */
    readonly values: readonly number[];
  }[];
  /** How a part is told. */
  readonly text: (value: number) => string;
  /** What is there is seen, however little it is: pixels. */
  readonly leastBar: number;
}

export function stackedBars(
  { t, series, text, leastBar }: StackedBars,
  theme: Theme,
): ChartConfiguration<"bar"> {
  const font = { family: theme.font, size: 11 };
  const ticks = { color: theme.muted, font, maxRotation: 0 };
  return {
    type: "bar",
    data: {
      labels: t.map(formatTick),
      datasets: series.map(({ label, color, values }) => ({
        label,
        data: [...values],
        backgroundColor: theme.series(color),
        minBarLength: leastBar,
        categoryPercentage: 1,
        barPercentage: 0.9,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: {
          stacked: true,
          border: { color: theme.line },
          grid: { display: false },
          title: { display: true, text: "end of the interval, s", color: theme.muted, font },
          ticks: { ...ticks, autoSkip: true, autoSkipPadding: 12 },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { color: theme.line },
          grid: { color: theme.line, drawTicks: false },
          ticks: { ...ticks, precision: 0, maxTicksLimit: 5, padding: 5 },
        },
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          filter: ({ parsed }) => parsed.y !== 0,
          callbacks: {
            title: ([item]) => item === undefined ? "" : `until ${item.label} s`,
            label: ({ dataset, parsed }) => `${dataset.label}: ${text(parsed.y ?? 0)}`,
          },
        },
      },
    },
  };
}
