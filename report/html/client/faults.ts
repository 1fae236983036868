/// <reference lib="dom" />
/** What went wrong over time: a bar an interval, its parts the kinds. */
import type { ChartConfiguration } from "chart.js";
import type { FaultsChart } from "../../model/charts/charts.ts";
import { formatCount } from "../../model/numbers/units.ts";
import { stackedBars } from "./stacked_bars.ts";
import type { Theme } from "./theme.ts";

export function faultsConfig({ t, series }: FaultsChart, theme: Theme): ChartConfiguration<"bar"> {
  const kinds = series.map(({ label, color, counts }) => ({ label, color, values: counts }));
  return stackedBars({ t, series: kinds, text: formatCount, leastBar: 2 }, theme);
}
