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
import {
  EMPTY,
  highestUsOf,
  lowestUsOf,
  type SparseHistogram,
} from "../../../runner/stats/histogram/histogram.ts";

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
  const streams = { heads: new Numbers(), gaps: new Numbers(), counts: new Numbers() };
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
  readonly heads: Numbers;
  readonly gaps: Numbers;
  readonly counts: Numbers;
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

/** Reads what `packSteps` wrote. Only percentiles from 50 up may be asked of the histograms. */
export function unpackSteps(bytes: Uint8Array): CellSteps[] {
  const [heads, gaps, counts] = separate(bytes);
  const cells: CellSteps[] = [];
  while (!heads.isAtEnd) {
    cells.push(listOf(heads, () => listOf(heads, () => unpackStep(heads, gaps, counts))));
  }
  return cells;
}

function listOf<T>(numbers: Cursor, next: () => T): T[] {
  return Array.from({ length: numbers.next() }, next);
}

function unpackStep(heads: Cursor, gaps: Cursor, counts: Cursor): PackedStep {
  const seconds = heads.next() / SECOND_US;
  const completed = heads.next();
  const failed = heads.next();
  const used = heads.next();
  const latency = unpackBuckets(Math.floor(used / 2), gaps, counts);
  const bounds = used % 2 === 0 ? EMPTY : unpackBuckets(heads.next(), gaps, counts);
  return { seconds, completed, failed, latency, bounds };
}

// hot: a page reads thousands of steps when somebody begins to brush.
function unpackBuckets(used: number, gaps: Cursor, packed: Cursor): SparseHistogram {
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

function joined(streams: readonly Numbers[]): Uint8Array<ArrayBuffer> {
  const lengths = new Numbers();
  for (const { length } of streams) lengths.push(length);
  const whole = new Uint8Array(streams.reduce((sum, { length }) => sum + length, lengths.length));
  let at = 0;
  for (const stream of [lengths, ...streams]) {
    whole.set(stream.bytes, at);
    at += stream.length;
  }
  return whole;
}

function separate(bytes: Uint8Array): Cursor[] {
  const lengths = new Cursor(bytes);
  const ends = [lengths.next(), lengths.next(), lengths.next()];
  let from = lengths.at;
  return ends.map((length) => new Cursor(bytes.subarray(from, from += length)));
}

/** Whole numbers from 0 up as LEB128, by arithmetic, as counts pass 2³¹. */
class Numbers {
  #bytes = new Uint8Array(1 << 12);
  length = 0;

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  push(value: number): void {
    if (this.length + 8 > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.length++] = rest % 0x80 + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.length++] = rest;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

class Cursor {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(): number {
    let value = this.#bytes[this.at++];
    // Each byte from 128 on says that another follows, which takes those 128 away.
    for (let scale = 0x80; value >= scale; scale *= 0x80) {
      value += (this.#bytes[this.at++] - 1) * scale;
    }
    return value;
  }
}
