/**
 * The intervals of a scenario's runs as few bytes, which travel with the page, so that it can recompute a part
 * of the runs. No percentile that the page shows is rounded: any steps of any runs of one cell give those of their whole
 * histograms. `groupsOf` says which buckets that takes.
 *
 * Five streams, each after its length in bytes, as like beside like deflates better; of LEB128 numbers.
 * Heads: for each cell how many runs it has; for each run how many steps; for each step its microseconds, what it
 * completed and failed. Then twice, for all latencies of the cell and for those that are lower bounds: how many
 * columns, which are the buckets that any step uses, and how many counts. Columns: for each, the buckets before it that
 * nobody uses. Counts: column by column, as the counts of one bucket are alike, a number for each step that uses
 * it, which says in one byte how many don't before it and what it counts. Gaps and large: what is too large for that byte.
 */
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import { groupsOf } from "../../../runner/stats/histogram/censoring.ts";
import type { SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import {
  BUCKETS,
  highestUsOf,
  lowestUsOf,
} from "../../../runner/stats/histogram/histogram_counts.ts";

/** One or more intervals of a run. */
export interface PackedStep {
  readonly seconds: number;
  readonly completed: number;
  readonly failed: number;
  readonly latency: SparseHistogram;
  /** Values of `latency` that are lower bounds. */
  readonly bounds: SparseHistogram;
}

/** Of a cell: its runs, of each its steps in order. */
export type CellSteps = readonly (readonly PackedStep[])[];

const SECOND_US = 1e6;
const STREAMS = 5;

export function packSteps(cells: readonly CellSteps[]): Uint8Array<ArrayBuffer> {
  const streams = {
    heads: new Leb128Writer(),
    columns: new Leb128Writer(),
    counts: new Leb128Writer(),
    gaps: new Leb128Writer(),
    large: new Leb128Writer(),
  };
  for (const runs of cells) {
    streams.heads.push(runs.length);
    for (const steps of runs) packHeads(steps, streams.heads);
    const all = runs.flat();
    const latencies = all.map(({ latency }) => latency);
    const bounds = all.map(({ bounds }) => bounds);
    const groups = groupsOf(latencies, bounds);
    packBuckets(latencies, groups, streams);
    packBuckets(bounds, groups, streams);
  }
  return joined(Object.values(streams));
}

function packHeads(steps: readonly PackedStep[], heads: Leb128Writer): void {
  heads.push(steps.length);
  for (const { seconds, completed, failed } of steps) {
    heads.push(Math.round(seconds * SECOND_US));
    heads.push(completed);
    heads.push(failed);
  }
}

interface Streams {
  readonly heads: Leb128Writer;
  readonly columns: Leb128Writer;
  readonly counts: Leb128Writer;
  readonly gaps: Leb128Writer;
  readonly large: Leb128Writer;
}

/** What steps count in the groups of their buckets: a column for each group that any uses, in order. */
interface Columns {
  /** Where the counts of each bucket begin, if it has any; the last number is where all end. */
  readonly starts: Uint32Array;
  /** Of each count, by columns: its step. */
  readonly steps: Uint32Array;
  readonly counts: Float64Array;
}

// hot: a large report packs millions of buckets.
function columnsOf(steps: readonly SparseHistogram[], groups: Uint16Array): Columns {
  const starts = new Uint32Array(BUCKETS + 1);
  for (const { indices } of steps) {
    for (let i = 0, last = -1; i < indices.length; i++) {
      const group = groups[indices[i]];
      if (group !== last) starts[group + 1]++;
      last = group;
    }
  }
  for (let i = 0; i < BUCKETS; i++) starts[i + 1] += starts[i];
  const next = starts.slice();
  const stepOf = new Uint32Array(starts[BUCKETS]);
  const countOf = new Float64Array(starts[BUCKETS]);
  steps.forEach(({ indices, counts }, step) => {
    for (let i = 0, last = -1; i < indices.length; i++) {
      const group = groups[indices[i]];
      if (group !== last) stepOf[next[group]++] = step;
      countOf[next[group] - 1] += counts[i];
      last = group;
    }
  });
  return { starts, steps: stepOf, counts: countOf };
}

// hot: likewise.
function packBuckets(
  histograms: readonly SparseHistogram[],
  groups: Uint16Array,
  streams: Streams,
): void {
  const { starts, steps, counts } = columnsOf(histograms, groups);
  const packed = new Uint8Array(counts.length);
  let columns = 0;
  let column = 0;
  let next = 0;
  let free = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (starts[bucket] === starts[bucket + 1]) continue;
    streams.columns.push(bucket - next);
    next = bucket + 1;
    for (let i = starts[bucket]; i < starts[bucket + 1]; i++) {
      const place = column + steps[i];
      const [gap, count] = [place - free, counts[i]];
      packed[i] = (gap < MOST_GAP ? gap : MOST_GAP) * MOST_COUNT +
        (count < MOST_COUNT ? count : MOST_COUNT);
      if (gap >= MOST_GAP) streams.gaps.push(gap - MOST_GAP);
      if (count >= MOST_COUNT) streams.large.push(count - MOST_COUNT);
      free = place + 1;
    }
    columns++;
    column += histograms.length;
  }
  streams.counts.pushSmall(packed);
  streams.heads.push(columns);
  streams.heads.push(counts.length);
}

/** A number says gaps below this, and that the rest follows; likewise counts. Both take seven bits. */
const MOST_GAP = 3;
const MOST_COUNT = 31;

/** Reads what `packSteps` wrote. Only percentiles that are `EXACT` may be read from the histograms. */
export function unpackSteps(bytes: Uint8Array): CellSteps[] {
  const [heads, columns, counts, gaps, large] = separate(bytes);
  const readers = { heads, columns, counts, gaps, large };
  const cells: CellSteps[] = [];
  while (!heads.isAtEnd) cells.push(unpackCell(readers));
  return cells;
}

interface PackedNumbers {
  readonly heads: Leb128Reader;
  readonly columns: Leb128Reader;
  readonly counts: Leb128Reader;
  readonly gaps: Leb128Reader;
  readonly large: Leb128Reader;
}

function unpackCell(readers: PackedNumbers): CellSteps {
  const { heads } = readers;
  const runs = listOf(heads, () =>
    listOf(heads, () => ({
      seconds: heads.next() / SECOND_US,
      completed: heads.next(),
      failed: heads.next(),
    })));
  const length = runs.flat().length;
  const latencies = unpackBuckets(length, readers);
  const bounds = unpackBuckets(length, readers);
  let at = 0;
  return runs.map((steps) =>
    steps.map((step) => ({ ...step, latency: latencies[at], bounds: bounds[at++] }))
  );
}

function listOf<T>(numbers: Leb128Reader, next: () => T): T[] {
  return Array.from({ length: numbers.next() }, next);
}

// hot: a page reads thousands of steps when somebody begins to brush.
function unpackBuckets(
  length: number,
  { heads, columns, counts: packed, gaps, large }: PackedNumbers,
): SparseHistogram[] {
  const buckets = new Uint16Array(heads.next());
  const total = heads.next();
  for (let i = 0, next = 0; i < buckets.length; i++, next++) {
    next += columns.next();
    buckets[i] = next;
  }
  const used = new Uint32Array(length);
  const columnOf = new Uint32Array(total);
  const stepOf = new Uint32Array(total);
  const countOf = new Float64Array(total);
  for (let i = 0, place = 0; i < total; i++, place++) {
    const number = packed.next() - 1;
    const gap = Math.floor(number / MOST_COUNT);
    place += gap < MOST_GAP ? gap : gap + gaps.next();
    const count = number % MOST_COUNT + 1;
    countOf[i] = count < MOST_COUNT ? count : count + large.next();
    columnOf[i] = Math.floor(place / length);
    stepOf[i] = place % length;
    used[stepOf[i]]++;
  }
  const found = Array.from(used, (size) => ({
    indices: new Uint16Array(size),
    counts: new Float64Array(size),
  }));
  used.fill(0);
  for (let i = 0; i < total; i++) {
    const { indices, counts } = found[stepOf[i]];
    const at = used[stepOf[i]]++;
    indices[at] = buckets[columnOf[i]];
    counts[at] = countOf[i];
  }
  return found.map(histogramOf);
}

function histogramOf(
  { indices, counts }: Pick<SparseHistogram, "indices" | "counts">,
): SparseHistogram {
  const used = indices.length;
  let count = 0;
  for (const one of counts) count += one;
  return {
    indices,
    counts,
    count,
    // Lost with the groups; nobody is to read them by mistake.
    sumUs: NaN,
    sumSquaresUs: NaN,
    minUs: used === 0 ? Infinity : lowestUsOf(indices[0]),
    maxUs: used === 0 ? 0 : highestUsOf(indices[used - 1]),
  };
}

function joined(streams: readonly Leb128Writer[]): Uint8Array<ArrayBuffer> {
  const lengths = new Leb128Writer();
  for (const { length } of streams) lengths.push(length);
  const whole = new Uint8Array(streams.reduce((sum, { length }) => sum + length, lengths.length));
  let at = 0;
  for (const stream of [lengths, ...streams]) {
    whole.set(stream.bytes, at);
    at += stream.length;
  }
  return whole;
}

function separate(bytes: Uint8Array): Leb128Reader[] {
  const lengths = new Leb128Reader(bytes);
  const ends = Array.from({ length: STREAMS }, () => lengths.next());
  let from = lengths.at;
  return ends.map((length) => new Leb128Reader(bytes.subarray(from, from += length)));
}
