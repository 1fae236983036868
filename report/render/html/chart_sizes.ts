/** How high each chart is: its box has its height before it is drawn, so that nothing moves. */
import type { Chart } from "../../chart.ts";

/** The class of the charts that are as high as this one. */
export function sizeOf(chart: Chart): string {
  const px = heightPx(chart);
  if (px !== null) return `high-${px}`;
  switch (chart.kind) {
    case "xy":
      return chart.size;
    case "timeline":
      return `tracks-${2 + chart.tracks.length}`;
    default:
      return chart.kind;
  }
}

/** Rules for the heights of charts that grow, as the page's policy forbids styles on elements. */
export function heightRules(charts: Iterable<Chart>): string {
  const heights = new Set([...charts].flatMap((chart) => heightPx(chart) ?? []));
  return [...heights].map((px) => `.high-${px}{height:${px}px}`).join("");
}

/** Of ridges in a large chart; each further one makes it so much higher. */
const RIDGES = 6;
const RIDGES_PX = 300;
const RIDGE_PX = 44;

/** Of a chart that is the higher the more it shows; null for others. */
export function heightPx(chart: Chart): number | null {
  const isHigh = chart.kind === "xy" && chart.ridges && chart.series.length > RIDGES;
  return isHigh ? RIDGES_PX + (chart.series.length - RIDGES) * RIDGE_PX : null;
}
