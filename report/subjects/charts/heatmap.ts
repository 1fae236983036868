/**
 * Requests by moment and latency, from the packed intervals: for each interval, how many requests took how long. The
 * page computes a heatmap when it comes near the screen, so this module imports nothing that a browser lacks.
 */
import { lowestUsOf } from "../../../runner/stats/histogram/histogram_counts.ts";
import type { SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import { type DisplayUnit, formatCount, formatShare, formatTick } from "../../writing/units.ts";
import type { CellSteps } from "./packing.ts";

/** One interval of a run, or several if the page has no room for a column for each interval. */
export interface HeatColumn {
  /** Seconds since the start of the run. */
  readonly fromS: number;
  readonly toS: number;
  /** The number of requests in each row, that is, between two edges. */
  readonly counts: Float64Array;
  /**
   * For each row, how many of the requests in `counts` never got a response, so that their latencies are only lower
   * bounds.
   */
  readonly bounds: Float64Array;
  readonly total: number;
}

export interface Heatmap {
  /** Edges of the rows in microseconds. There is one more edge than there are rows. */
  readonly edgesUs: readonly number[];
  /** For each run, its columns from left to right. */
  readonly runs: readonly (readonly HeatColumn[])[];
  /**
   * Index of the lowest row with requests. If it is the first row, requests below its lower edge are counted there,
   * too.
   */
  readonly lowest: number;
}

/** Preferred numbers (ISO 3, R20 rounded), so that every edge is easy to read. */
const STEPS = "1 1.12 1.25 1.4 1.6 1.8 2 2.24 2.5 2.8 3.15 3.55 4 4.5 5 5.6 6.3 7.1 8 9"
  .split(" ").map(Number);
const MOST_ROWS = 32;

/** Edges of rows that cover every latency of the cells. Each row spans a fifth, a tenth or a twentieth of a decade. */
export function heatEdgesUs(cells: readonly CellSteps[]): number[] {
  const filled = cells.flat(2).map(({ latency }) => latency).filter(({ count }) => count > 0);
  const low = filled.reduce((least, { minUs }) => Math.min(least, minUs), Infinity);
  const high = filled.reduce((most, { maxUs }) => Math.max(most, maxUs), 0);
  if (high === 0) return [1, 10];
  const decades = [...Array(Math.ceil(Math.log10(high + 1)) + 1).keys()];
  const choices = [1, 2, 4].map((every) => {
    const steps = STEPS.filter((_, i) => i % every === 0);
    const edges = decades.flatMap((decade) => steps.map((step) => step * 10 ** decade));
    const first = edges.findLastIndex((edge) => edge <= Math.max(1, low));
    return edges.slice(first, edges.findIndex((edge) => edge > high) + 1);
  });
  return choices.find(({ length }) => length <= MOST_ROWS + 1) ?? choices[2];
}

/** The heatmap of one cell. @param edgesUs Edges of the rows, shared by all cells that are shown side by side. */
export function heatmapOf(runs: CellSteps, edgesUs: readonly number[]): Heatmap {
  const columns = runs.map((steps) => {
    let endS = 0;
    return steps.map(({ seconds, latency, bounds }): HeatColumn => ({
      fromS: endS,
      toS: endS += seconds,
      counts: countedBetween(latency, edgesUs),
      bounds: countedBetween(bounds, edgesUs),
      total: latency.count,
    }));
  });
  const used = columns.flat().map(({ counts }) => counts.findIndex((count) => count > 0))
    .filter((row) => row >= 0);
  return { edgesUs, runs: columns, lowest: used.length === 0 ? 0 : Math.min(...used) };
}

function countedBetween(
  { indices, counts }: SparseHistogram,
  edgesUs: readonly number[],
): Float64Array {
  const counted = new Float64Array(edgesUs.length - 1);
  let row = 0;
  for (let i = 0; i < indices.length; i++) {
    const valueUs = lowestUsOf(indices[i]);
    while (row < counted.length - 1 && edgesUs[row + 1] <= valueUs) row++;
    counted[row] += counts[i];
  }
  return counted;
}

// What the colours mean, and the text shown at the pointer.

/** The shares of an interval's requests at which each colour begins. */
export const HEAT_SHARES = [0, 0.001, 0.01, 0.03, 0.1, 0.3] as const;

/** Index of the colour for this many requests, where 0 is the palest; -1 if there are none. */
export function heatOf(count: number, total: number): number {
  if (count === 0) return -1;
  const share = count / total;
  return HEAT_SHARES.findLastIndex((from) => share >= from);
}

/** For example `312 requests between 8 and 10 ms, 12.4 % of 2,510.` */
export function heatText(
  { edgesUs, lowest }: Omit<Heatmap, "runs">,
  { counts, bounds, total }: Pick<HeatColumn, "counts" | "bounds" | "total">,
  { row, unit }: { readonly row: number; readonly unit: DisplayUnit },
): string {
  if (total === 0) return "no request ended.";
  const count = counts[row];
  const share = count === 0 ? "" : `, ${formatShare(count / total)} of ${formatCount(total)}`;
  const requests = `${count === 0 ? "no" : formatCount(count)} request${count === 1 ? "" : "s"}`;
  const longer = bounds[row] === 0
    ? ""
    : ` ${formatCount(bounds[row])} of them took longer: ${
      bounds[row] === 1 ? "it" : "they"
    } had no response by then.`;
  return `${requests} ${rowText({ edgesUs, lowest }, row, unit)}${share}.${longer}`;
}

/** For example `between 8 and 10 ms`, or `under 10 ms` for the lowest row, because that includes faster requests. */
export function rowText(
  { edgesUs, lowest }: Omit<Heatmap, "runs">,
  row: number,
  unit: DisplayUnit,
): string {
  const [from, to] = [edgesUs[row], edgesUs[row + 1]]
    .map((us) => formatTick(us / 1_000 / unit.size));
  return row === lowest ? `under ${to} ${unit.name}` : `between ${from} and ${to} ${unit.name}`;
}
