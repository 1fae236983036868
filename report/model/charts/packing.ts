/**
 * The intervals of a scenario's runs as few bytes, which travel with the page, so that it can recompute a part
 * of the runs. Nothing is rounded: a percentile from 50 up of any steps of any runs of one cell is the one
 * that their whole histograms give.
 *
 * Three streams of LEB128 numbers, each after its length in bytes, as like beside like deflates better. Heads:
 * for each cell how many runs it has; for each run how many steps; for each step its microseconds, what it
 * completed and failed, and its buckets, twice as many and one more where some values are lower bounds, whose
 * buckets follow. Gaps and counts: for each bucket in use, the empty ones before it and what it counts. In each
 * cell, values below the lowest p50 of any step, and below every bound, are counted together in the bucket right
 * below it, as no percentile from 50 up of a sum of steps can lie there, nor does any hang on where they lie.
 */
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import { EMPTY, type SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import { highestUsOf, lowestUsOf } from "../../../runner/stats/histogram/histogram_counts.ts";

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

export function packSteps(cells: readonly CellSteps[]): Uint8Array<ArrayBuffer> {
  const streams = {
    heads: new Leb128Writer(),
    gaps: new Leb128Writer(),
    counts: new Leb128Writer(),
  };
  for (const runs of cells) {
    const lowest = runs.flat().reduce(
      (least, step) => Math.min(least, medianBucket(step), step.bounds.indices[0] ?? Infinity),
      Infinity,
    );
    streams.heads.push(runs.length);
    for (const steps of runs) {
      streams.heads.push(steps.length);
      for (const step of steps) packStep(step, lowest, streams);
    }
  }
  return joined([streams.heads, streams.gaps, streams.counts]);
}

/** The bucket of a step's p50; Infinity for a step without values. */
function medianBucket({ latency: { indices, counts, count } }: PackedStep): number {
  let seen = 0;
  for (let i = 0; i < counts.length; i++) {
    seen += counts[i];
    if (seen >= count / 2) return indices[i];
  }
  return Infinity;
}

interface Streams {
  readonly heads: Leb128Writer;
  readonly gaps: Leb128Writer;
  readonly counts: Leb128Writer;
}

function packStep(step: PackedStep, lowest: number, streams: Streams): void {
  const { seconds, completed, failed, latency, bounds } = step;
  const { heads } = streams;
  heads.push(Math.round(seconds * SECOND_US));
  heads.push(completed);
  heads.push(failed);
  const used = packBuckets(latency, lowest, streams);
  heads.push(2 * used + (bounds.count > 0 ? 1 : 0));
  if (bounds.count > 0) heads.push(packBuckets(bounds, lowest, streams));
}

/** @returns How many they are. */
// hot: a large report packs millions of buckets.
function packBuckets(
  { indices, counts }: SparseHistogram,
  lowest: number,
  { gaps, counts: packed }: Streams,
): number {
  const used = indices.length;
  let first = 0;
  let below = 0;
  while (first < used && indices[first] < lowest) below += counts[first++];
  let next = 0;
  if (below > 0) {
    gaps.push(lowest - 1);
    packed.push(below);
    next = lowest;
  }
  for (let i = first; i < used; i++) {
    gaps.push(indices[i] - next);
    packed.push(counts[i]);
    next = indices[i] + 1;
  }
  return used - first + (below > 0 ? 1 : 0);
}

/** Reads what `packSteps` wrote. Only percentiles from 50 up may be read from the histograms. */
export function unpackSteps(bytes: Uint8Array): CellSteps[] {
  const [heads, gaps, counts] = separate(bytes);
  const cells: CellSteps[] = [];
  while (!heads.isAtEnd) {
    cells.push(listOf(heads, () => listOf(heads, () => unpackStep(heads, gaps, counts))));
  }
  return cells;
}

function listOf<T>(numbers: Leb128Reader, next: () => T): T[] {
  return Array.from({ length: numbers.next() }, next);
}

function unpackStep(heads: Leb128Reader, gaps: Leb128Reader, counts: Leb128Reader): PackedStep {
  const seconds = heads.next() / SECOND_US;
  const completed = heads.next();
  const failed = heads.next();
  const used = heads.next();
  const latency = unpackBuckets(Math.floor(used / 2), gaps, counts);
  const bounds = used % 2 === 0 ? EMPTY : unpackBuckets(heads.next(), gaps, counts);
  return { seconds, completed, failed, latency, bounds };
}

// hot: a page reads thousands of steps when somebody begins to brush.
function unpackBuckets(used: number, gaps: Leb128Reader, packed: Leb128Reader): SparseHistogram {
  const indices = new Uint16Array(used);
  const counts = new Float64Array(used);
  let count = 0;
  for (let i = 0, index = 0; i < used; i++, index++) {
    index += gaps.next();
    indices[i] = index;
    counts[i] = packed.next();
    count += counts[i];
  }
  return {
    indices,
    counts,
    count,
    // Lost with the depth; nobody is to read them by mistake.
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
  const ends = [lengths.next(), lengths.next(), lengths.next()];
  let from = lengths.at;
  return ends.map((length) => new Leb128Reader(bytes.subarray(from, from += length)));
}
