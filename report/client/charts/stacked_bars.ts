/// <reference lib="dom" />
/** A run over time: a bar an interval, its parts one above the other. */
import type { ChartConfiguration } from "chart.js";
import type { AgentsChart, ErrorsChart } from "../../subjects/charts/charts.ts";
import { formatCount, formatNumber, formatTick } from "../../writing/units.ts";
import { type Theme, tooltip } from "./theme.ts";

interface StackedBars {
  /** End of each interval, seconds since the start of the run. */
  readonly t: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** One for each interval. */
    readonly values: readonly number[];
  }[];
  /** A part as text, for its tooltip. */
  readonly text: (value: number) => string;
  /** What is there is seen, however little it is: pixels. */
  readonly leastBar: number;
}

function stackedBars(
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

/** Requests per second over one run: a bar an interval, its parts the agents. */
export function agentsConfig({ t, series }: AgentsChart, theme: Theme): ChartConfiguration<"bar"> {
  const agents = series.map(({ label, color, rate }) => ({ label, color, values: rate }));
  const text = (rate: number): string => `${formatNumber(rate)} requests/s`;
  return stackedBars({ t, series: agents, text, leastBar: 0 }, theme);
}

/** Errors over time: a bar an interval, its parts the kinds. */
export function errorsConfig({ t, series }: ErrorsChart, theme: Theme): ChartConfiguration<"bar"> {
  const kinds = series.map(({ label, color, counts }) => ({ label, color, values: counts }));
  return stackedBars({ t, series: kinds, text: formatCount, leastBar: 2 }, theme);
}
