/**
 * The intervals of a scenario's runs as bytes that are embedded in the page, so that the page can recompute figures for
 * a part of the runs.
 *
 * The bytes are LEB128 numbers: for each cell its number of runs, for each run its number of steps (each is one or more
 * intervals), and for each step its length in microseconds, how many requests completed and failed, and two histograms,
 * one of all latencies and one of those that are lower bounds. A histogram is its length in bytes, followed by its
 * counts in HdrHistogram's V2 encoding. `groupsOf` merges only buckets that no percentile on the page needs. So the
 * page's percentiles are exact: for any selection of steps, they equal those of the full histograms.
 */
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import { groupsOf, inGroups } from "../../../runner/stats/histogram/censoring.ts";
import { decodeCounts, encodeCounts } from "../../../runner/stats/histogram/hdr_counts.ts";
import type { SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";

/** One or more intervals of a run. */
export interface PackedStep {
  readonly seconds: number;
  readonly completed: number;
  readonly failed: number;
  readonly latency: SparseHistogram;
  /** Values of `latency` that are lower bounds. */
  readonly bounds: SparseHistogram;
}

/** The runs of a cell, with the steps of each run in the order of time. */
export type CellSteps = readonly (readonly PackedStep[])[];

const SECOND_US = 1e6;

export function packSteps(cells: readonly CellSteps[]): Uint8Array<ArrayBuffer> {
  const bytes = new Leb128Writer();
  for (const runs of cells) {
    const all = runs.flat();
    const groups = groupsOf(all.map(({ latency }) => latency), all.map(({ bounds }) => bounds));
    bytes.push(runs.length);
    for (const steps of runs) {
      bytes.push(steps.length);
      for (const { seconds, completed, failed, latency, bounds } of steps) {
        bytes.push(Math.round(seconds * SECOND_US));
        bytes.push(completed);
        bytes.push(failed);
        for (const histogram of [latency, bounds]) {
          const counts = encodeCounts(inGroups(histogram, groups));
          bytes.push(counts.length);
          bytes.pushBytes(counts);
        }
      }
    }
  }
  return bytes.bytes;
}

/**
 * Reads the output of `packSteps`. Because values were grouped, only the `EXACT` percentiles may be read from the
 * histograms, and no sums.
 */
export function unpackSteps(bytes: Uint8Array): CellSteps[] {
  const numbers = new Leb128Reader(bytes);
  const listOf = <T>(next: () => T): T[] => Array.from({ length: numbers.next() }, next);
  const histogram = (): SparseHistogram => {
    const length = numbers.next();
    return decodeCounts(bytes.subarray(numbers.at, numbers.at += length));
  };
  const step = (): PackedStep => ({
    seconds: numbers.next() / SECOND_US,
    completed: numbers.next(),
    failed: numbers.next(),
    latency: histogram(),
    bounds: histogram(),
  });
  const cells: CellSteps[] = [];
  while (!numbers.isAtEnd) cells.push(listOf(() => listOf(step)));
  return cells;
}
