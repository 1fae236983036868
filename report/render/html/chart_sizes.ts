/** How high each chart is: its box has its height before it is drawn, so that nothing moves. */
import type { Chart, Row, Rows } from "../../chart.ts";

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
  if (chart.kind === "rows") return (placedRows(chart).at(-1)?.bottom ?? 0) + FOOT_PX;
  const isHigh = chart.kind === "xy" && chart.ridges && chart.series.length > RIDGES;
  return isHigh ? RIDGES_PX + (chart.series.length - RIDGES) * RIDGE_PX : null;
}

/** Of the axis. */
export const FOOT_PX = 22;
const ROW_PX = 40;
/** Of a row whose name has a line of its own. */
const APART_PX = 55;
const HEADING_PX = 24;

export interface PlacedRow {
  readonly row: Row;
  /** Middle of the heading above it, px; null where it is still in the group of the row before. */
  readonly heading: number | null;
  readonly top: number;
  readonly bottom: number;
}

export function placedRows({ rows, namesApart }: Rows): PlacedRow[] {
  let bottom = 0;
  return rows.map((row, i) => {
    const isFirst = row.group !== undefined && row.group !== rows[i - 1]?.group;
    const heading = isFirst ? bottom + HEADING_PX / 2 + 2 : null;
    const top = bottom + (isFirst ? HEADING_PX : 0);
    bottom = top + (namesApart ? APART_PX : ROW_PX);
    return { row, heading, top, bottom };
  });
}
