/**
 * Computes the figures of a pool of blocks, in which each block may count any number of times. A bootstrap does this
 * thousands of times. Percentiles are never averaged; they are computed from the summed histogram counts. For speed,
 * the counts are stored cumulatively and for each block. The rank of a value under given weights is then one sum over
 * the blocks, and a percentile is a binary search for its rank.
 */
import { EMPTY, type SparseHistogram, sumOfSparse } from "../histogram/histogram.ts";
import { decodeInterval, decodeSparse, eachInterval } from "../histogram/hdr.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "../histogram/histogram_counts.ts";

/** The surviving shares in `#productLimit` are products of rounded terms, so differences below this mean nothing. */
const ROUNDING = 1e-12;

/** A part of one run. */
export interface RunBlock {
  readonly seconds: number;
  readonly completed: number;
  readonly latency: SparseHistogram;
  /**
   * The values of `latency` that are lower bounds, and whose weight the product limit may redistribute
   * (`censoring.ts`). Absent if there are none, or if bounds count as values.
   */
  readonly censored?: SparseHistogram;
}

/** `rate` is completed requests per second. `mean` and percentiles (0–100) are of the latency, in microseconds. */
export type PooledFigure = "rate" | "mean" | number;

export class Pool {
  readonly #seconds: Float64Array;
  readonly #completed: Float64Array;
  readonly #sumUs: Float64Array;
  readonly #count: Float64Array;
  /** Histogram buckets that any block uses, ascending. */
  readonly #buckets: Uint16Array;
  /**
   * A row for each bucket in `#buckets`, with a column for each block: the number of values up to and in that bucket.
   */
  readonly #cumulated: Float64Array;
  /** The same as `#cumulated` for lower bounds alone; null if there are none. */
  readonly #censored: Float64Array | null;
  /** Rows of buckets in which any block has lower bounds, and the last row. */
  readonly #boundRows: readonly number[];

  constructor(blocks: readonly RunBlock[]) {
    const column = (of: (block: RunBlock) => number): Float64Array => Float64Array.from(blocks, of);
    this.#seconds = column(({ seconds }) => seconds);
    this.#completed = column(({ completed }) => completed);
    this.#sumUs = column(({ latency }) => latency.sumUs);
    this.#count = column(({ latency }) => latency.count);
    this.#buckets = bucketsOf(blocks);
    this.#cumulated = cumulate(blocks.map(({ latency }) => latency), this.#buckets);
    this.#censored = blocks.some(({ censored = EMPTY }) => censored.count > 0)
      ? cumulate(blocks.map(({ censored = EMPTY }) => censored), this.#buckets)
      : null;
    const bounded = new Set(blocks.flatMap(({ censored = EMPTY }) => [...censored.indices]));
    const last = this.#buckets.length - 1;
    this.#boundRows = [...this.#buckets.keys()].filter((row) =>
      row === last || bounded.has(this.#buckets[row])
    );
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return this.#cumulated.byteLength + (this.#censored?.byteLength ?? 0);
  }

  /**
   * @param weights How often each block counts.
   * @returns NaN if the blocks that count have no seconds, or no values.
   */
  figure(figure: PooledFigure, weights: Float64Array): number {
    if (figure === "rate") return weigh(this.#completed, weights) / weigh(this.#seconds, weights);
    if (figure === "mean") return weigh(this.#sumUs, weights) / weigh(this.#count, weights);
    return this.#percentile(figure, weights);
  }

  /**
   * Values are taken to be spread evenly over their bucket, which reaches half a microsecond further on both sides
   * because of rounding. If a percentile could only step by whole buckets, intervals would have the width of a bucket,
   * or none.
   */
  #percentile(percentile: number, weights: Float64Array): number {
    const total = weigh(this.#count, weights);
    if (total === 0) return NaN;
    if (this.#censored !== null) return this.#productLimit(percentile, this.#censored, weights);
    return this.#atRank(percentile / 100 * total, weights);
  }

  /**
   * Does the same as `productLimitUs` (`censoring.ts`), for weighted blocks and with values spread over their buckets.
   * Returns the longest value if the estimate does not reach the percentile.
   *
   * Between two buckets with bounds, the surviving share S falls by equal steps, one for each request that ended: it is
   * S·(1 − e/n) after e of the n at risk. So it reaches the target t at e = n·(1 − t/S), which is a rank.
   */
  #productLimit(percentile: number, censored: Float64Array, weights: Float64Array): number {
    const target = 1 - percentile / 100;
    const total = weigh(this.#count, weights);
    let atRisk = total;
    let surviving = 1;
    let boundsSeen = 0;
    for (const row of this.#boundRows) {
      const bounds = weigh(censored, weights, row * weights.length) - boundsSeen;
      const seen = total - atRisk;
      const ended = this.#upTo(row, weights) - seen - bounds;
      if (ended > 0 && surviving * (1 - ended / atRisk) <= target + ROUNDING) {
        const needed = Math.min(ended, atRisk * (1 - target / surviving));
        return this.#atRank(seen + needed, weights, { row, bounds });
      }
      if (ended + bounds === atRisk) break;
      surviving *= 1 - ended / atRisk;
      atRisk -= ended + bounds;
      boundsSeen += bounds;
    }
    return this.#atRank(total, weights);
  }

  /** @param last The highest row in which the rank may lie, and the number of lower bounds in its bucket. */
  #atRank(
    rank: number,
    weights: Float64Array,
    last = { row: this.#buckets.length - 1, bounds: 0 },
  ): number {
    let bucket = 0;
    for (let highest = last.row; bucket < highest;) {
      const middle = (bucket + highest) >> 1;
      if (this.#upTo(middle, weights) >= rank) highest = middle;
      else bucket = middle + 1;
    }
    const below = bucket === 0 ? 0 : this.#upTo(bucket - 1, weights);
    const inside = this.#upTo(bucket, weights) - below - (bucket === last.row ? last.bounds : 0);
    return this.#within(bucket, (rank - below) / inside);
  }

  /**
   * @param bucket Row of the bucket.
   * @param share Position within the bucket, 0–1.
   */
  #within(bucket: number, share: number): number {
    const bottomUs = lowestUsOf(this.#buckets[bucket]) - 0.5;
    const topUs = highestUsOf(this.#buckets[bucket]) + 0.5;
    return bottomUs + share * (topUs - bottomUs);
  }

  /** Number of values up to and in the bucket of a row. */
  #upTo(bucket: number, weights: Float64Array): number {
    return weigh(this.#cumulated, weights, bucket * weights.length);
  }
}

// hot: called some ten times for each percentile of each resample.
function weigh(values: Float64Array, weights: Float64Array, from = 0): number {
  let sum = 0;
  for (let j = 0; j < weights.length; j++) sum += weights[j] * values[from + j];
  return sum;
}

function bucketsOf(blocks: readonly RunBlock[]): Uint16Array {
  const isUsed = new Uint8Array(BUCKETS);
  for (const { latency } of blocks) for (const index of latency.indices) isUsed[index] = 1;
  const buckets: number[] = [];
  for (let index = 0; index < BUCKETS; index++) if (isUsed[index] === 1) buckets.push(index);
  return Uint16Array.from(buckets);
}

// hot: a report does this for each of its cells, over thousands of buckets.
function cumulate(columns: readonly SparseHistogram[], buckets: Uint16Array): Float64Array {
  const width = columns.length;
  const rows = new Float64Array(buckets.length * width);
  const rowOf = new Uint16Array(BUCKETS);
  buckets.forEach((bucket, row) => rowOf[bucket] = row);
  columns.forEach(({ indices, counts }, j) => {
    for (let i = 0; i < indices.length; i++) rows[rowOf[indices[i]] * width + j] = counts[i];
  });
  for (let at = width; at < rows.length; at++) rows[at] += rows[at - width];
  return rows;
}

// Merges the parts of a run, because a bootstrap draws whole runs; see `bootstrap.ts`.

export function mergeBlocks(parts: readonly RunBlock[]): RunBlock {
  if (parts.length === 1) return parts[0];
  const censored = parts.some((part) => part.censored !== undefined)
    ? sumOfSparse(parts.map(({ censored = EMPTY }) => censored))
    : EMPTY;
  return {
    seconds: parts.reduce((whole, { seconds }) => whole + seconds, 0),
    completed: parts.reduce((whole, { completed }) => whole + completed, 0),
    latency: sumOfSparse(parts.map(({ latency }) => latency)),
    ...(censored.count > 0 && { censored }),
  };
}

// The decoded intervals of a run's timeline are its smallest blocks. The figures of a report, and
// those that `repeat: until` checks, are computed from them.

/** An interval of the timeline, as in `results.json`. */
interface TimelinePoint {
  /** End of the interval, in seconds since the start of the run. */
  readonly endS: number;
  readonly completed: number;
  /** Compressed HdrHistogram V2 in base64; "" for an empty one. */
  readonly histogram: string;
  /** The values of `histogram` that are lower bounds; absent if there are none. */
  readonly censoredHistogram?: string;
}

/**
 * One block for each interval, in order. An interval costs some 20 µs the first time, and 2 µs once its histogram is
 * cached.
 *
 * @param clock When the clock of a latency starts. If it starts when a request is sent (closed loop), the end of the
 * run cuts requests off independently of how long they take, so the product limit applies. If it starts at the intended
 * time (open loop), a slow server leaves unfinished exactly the requests that wait longest. Their bounds then count as
 * values, and figures that reach the bounds are lower bounds.
 */
export function intervalBlocks(
  points: readonly TimelinePoint[],
  clock: "intended" | "sent",
): RunBlock[] {
  return points.map((point, index) => ({
    seconds: point.endS - (points[index - 1]?.endS ?? 0),
    completed: point.completed,
    latency: decodeInterval(point),
    ...(clock === "sent" && point.censoredHistogram !== undefined &&
      { censored: decodeSparse(point.censoredHistogram) }),
  }));
}

/**
 * Merges several consecutive intervals into one block. The cost is proportional to their number.
 * @param fromS When the first interval begins, in seconds since the start of the run.
 */
export function blockOfIntervals(
  points: readonly TimelinePoint[],
  clock: "intended" | "sent",
  fromS: number,
): RunBlock {
  const bounds = clock === "sent" ? points.flatMap((point) => point.censoredHistogram ?? []) : [];
  const censored = sumOfSparse(bounds.map(decodeSparse));
  return {
    seconds: (points.at(-1)?.endS ?? fromS) - fromS,
    completed: points.reduce((sum, { completed }) => sum + completed, 0),
    latency: sumOfSparse(eachInterval(points)),
    ...censored.count > 0 && { censored },
  };
}

/**
 * Index of the first interval that begins at `seconds` or later, or the number of intervals if none does. Tolerates
 * rounding, because intervals end only approximately at multiples of their length.
 */
export function firstFrom(points: readonly TimelinePoint[], seconds: number): number {
  return points.filter((_, index) => (points[index - 1]?.endS ?? 0) < seconds - 1e-6).length;
}

/** The parts of a run's results that `countedFrom` reads. */
interface TimedRun {
  readonly timeline: { readonly points: readonly TimelinePoint[] };
  readonly warmup: { readonly steadyFromS: number | null } | null;
}

/** Which part of a run its figures are computed from. */
export interface CountedPart {
  /** Seconds at the start that do not count. */
  readonly discardS: number;
  /** Whether all of the rest counts or only its steady part. A run without a steady part counts as a whole. */
  readonly figures: "whole" | "steady";
}

/** Index of the first interval that counts towards the figures of a run. */
export function countedFrom(
  { timeline: { points }, warmup }: TimedRun,
  { discardS, figures }: CountedPart,
): number {
  const steadyFrom = figures === "steady" ? warmup?.steadyFromS ?? 0 : 0;
  return keptFrom(points, Math.max(discardS, steadyFrom));
}

/**
 * Index of the first interval that counts if the first `discardS` seconds do not. If that leaves no interval, all
 * intervals count, because figures that include the start are better than none.
 */
function keptFrom(points: readonly TimelinePoint[], discardS: number): number {
  const from = firstFrom(points, discardS);
  return from < points.length ? from : 0;
}
