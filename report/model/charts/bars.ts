/** Cells → the bars of requests per second. */
import type { Cell } from "../runs/cells.ts";
import { type BarsChart, compact } from "./charts.ts";
import { formatNumber } from "../numbers/units.ts";

export function barsOf(cells: readonly Cell[]): BarsChart {
  return {
    kind: "bars",
    alt: `Bars of requests per second: ${cells.map(barText).join("; ")}`,
    unit: "requests/s",
    bars: cells.map(({ label, color, rate, runs }) => ({
      label,
      color,
      value: compact(rate.mean),
      runs: runs.map(({ repetition, rate }) => ({ repetition, value: compact(rate) })),
      text: formatNumber(rate.mean),
    })),
  };
}

function barText({ label, rate }: Cell): string {
  return `${label} ${formatNumber(rate.mean)}`;
}
