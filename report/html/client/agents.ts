/// <reference lib="dom" />
/** Requests per second over one run: a bar an interval, its parts the agents. */
import type { ChartConfiguration } from "chart.js";
import type { AgentsChart } from "../../model/charts/charts.ts";
import { formatNumber } from "../../model/numbers/units.ts";
import { stackedBars } from "./stacked_bars.ts";
import type { Theme } from "./theme.ts";

export function agentsConfig({ t, series }: AgentsChart, theme: Theme): ChartConfiguration<"bar"> {
  const agents = series.map(({ label, color, rate }) => ({ label, color, values: rate }));
  const text = (rate: number): string => `${formatNumber(rate)} requests/s`;
  return stackedBars({ t, series: agents, text, leastBar: 0 }, theme);
}
