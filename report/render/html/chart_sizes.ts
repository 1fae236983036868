/** How high each chart is: its box has its height before it is drawn, so that nothing moves. */
import type { Chart, Row, Rows } from "../../chart.ts";

/** The class of the charts that are as high as this one. */
export function sizeOf(chart: Chart): string {
  switch (chart.kind) {
    case "xy":
      return chart.size;
    case "rows":
      return `rows-${rowsHeightPx(chart)}`;
    case "timeline":
      return `tracks-${2 + chart.tracks.length}`;
    case "heatmap":
    case "overlay":
      return chart.kind;
  }
}

/** Rules for the heights of rows, as the page's policy forbids styles on elements. */
export function rowsHeights(charts: Iterable<Chart>): string {
  const heights = new Set(
    [...charts].flatMap((chart) => chart.kind === "rows" ? [rowsHeightPx(chart)] : []),
  );
  return [...heights].map((px) => `.rows-${px}{height:${px}px}`).join("");
}

export function rowsHeightPx(chart: Rows): number {
  return (placedRows(chart).at(-1)?.bottom ?? 0) + FOOT_PX;
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
