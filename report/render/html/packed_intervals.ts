/**
 * Packs the intervals of every scenario on a page, from which the page's client recomputes figures. If a page has
 * thousands of intervals, several are joined into one step, to keep the page small enough to share.
 */
import type { Run } from "../../../runner/result/result.ts";
import { decodeInterval, decodeSparse, eachInterval } from "../../../runner/stats/histogram/hdr.ts";
import { type SparseHistogram, sumOfSparse } from "../../../runner/stats/histogram/histogram.ts";
import { type PackedStep, packSteps } from "../../subjects/charts/packing.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { sum } from "../../writing/spread.ts";
import type { IntervalPoint } from "../../figures/intervals.ts";
import { deflateSync } from "node:zlib";

export interface PackedSteps {
  /** Length of a step. The last step of a run may be shorter. */
  readonly seconds: number;
  /** All cells, as encoded by `packSteps` and then deflated. */
  readonly packed: string;
}

/** Approximate limit for all scenarios of a page together. */
const MOST_CHARACTERS = 2_800_000;
/**
 * To estimate the packed size of all cells, only cells with about this many runs in total are packed. Counting the
 * values would not suffice, because widely spread latencies take several times as much space as others.
 */
const TRIED_RUNS = 30;

/**
 * Packs scenarios with the shortest steps for which the page has room: steps of one interval, two, four and so on, up
 * to a whole run.
 *
 * @param scenarios The scenarios, by the ids of the sections that show them.
 * @param most Approximate limit for all scenarios together, in characters.
 */
export function packScenarios(
  scenarios: ReadonlyMap<string, { readonly cells: readonly CellRuns[] }>,
  most = MOST_CHARACTERS,
): ReadonlyMap<string, PackedSteps> {
  const all = new Map(
    [...scenarios].map(([id, { cells }]) => [id, cells.map(({ runs }) => runs)]),
  );
  const joined = intervalsOfStep([...all.values()].flat(), most);
  return new Map([...all].map(([id, cells]) => [id, packedSteps(cells, joined)]));
}

/**
 * How many intervals a step must have so that all packed steps together take at most `most` characters.
 * @param cells The runs of each cell.
 */
function intervalsOfStep(cells: readonly (readonly Run[])[], most: number): number {
  const runs = cells.flat();
  const tried = cells.filter((_, i) => i % Math.ceil(runs.length / TRIED_RUNS) === 0);
  const size = charactersOf(runs);
  const scale = size / charactersOf(tried.flat());
  const longest = Math.max(1, ...runs.map(({ timeline }) => timeline.points.length));
  let intervals = 1;
  // Packed steps never take more characters than the histograms in the results.
  if (size <= most) return intervals;
  while (intervals < longest && scale * packedSteps(tried, intervals).packed.length > most) {
    intervals *= 2;
  }
  return intervals;
}

function charactersOf(runs: readonly Run[]): number {
  return sum(runs, ({ timeline }) => sum(timeline.points, ({ histogram }) => histogram.length));
}

/**
 * Packs the runs of each cell.
 * @param joined Number of intervals in a step; if intervals differ in length between runs, the number of the longest
 * ones.
 */
function packedSteps(cells: readonly (readonly Run[])[], joined: number): PackedSteps {
  // Long runs have longer intervals than short runs. Steps of equal length are a multiple of the
  // longest interval.
  const seconds = joined * Math.max(...cells.flat().map(({ timeline }) => timeline.intervalS));
  const steps = cells.map((runs) =>
    runs.map((run) => stepsOf(run, Math.max(1, Math.round(seconds / run.timeline.intervalS))))
  );
  return { seconds, packed: deflated(packSteps(steps)) };
}

/** Compresses to the zlib format in base64, which `inflated` in the page's client decodes. */
export function deflated(content: string | Uint8Array): string {
  return deflateSync(content).toString("base64");
}

function stepsOf({ timeline: { points } }: Run, intervals: number): PackedStep[] {
  const count = Math.ceil(points.length / intervals);
  return Array.from({ length: count }, (_, i) => {
    const first = i * intervals;
    const fromS = points[first - 1]?.endS ?? 0;
    return stepOf(points.slice(first, first + intervals), fromS);
  });
}

/**
 * Joins intervals into one step. Histograms are decoded one at a time while they are summed, because those of thousands
 * of runs would not fit in memory.
 */
function stepOf(points: readonly IntervalPoint[], fromS: number): PackedStep {
  const [alone] = points;
  return {
    seconds: points[points.length - 1].endS - fromS,
    completed: sum(points, ({ completed }) => completed),
    failed: sum(points, ({ failed }) => failed),
    latency: points.length === 1 ? decodeInterval(alone) : sumOfSparse(eachInterval(points)),
    bounds: sumOfSparse(points.flatMap(boundsOf)),
  };
}

/**
 * The latencies of an interval that are only lower bounds, because their requests never ended. Results of earlier
 * versions do not mark them: there, they are the latencies of requests that timed out, and so the largest of the
 * interval. Where not even the kinds of errors are known, all failures count as time-outs.
 */
function boundsOf(point: IntervalPoint): SparseHistogram[] {
  const { censoredHistogram, failed, errors } = point;
  if (censoredHistogram !== undefined) return [decodeSparse(censoredHistogram)];
  const count = errors === undefined ? failed : errors.timeout ?? 0;
  return count > 0 ? [largest(decodeInterval(point), count)] : [];
}

/** The `count` largest values of a histogram. Its `sumUs`, which is not packed, remains the sum of all values. */
function largest(latency: SparseHistogram, count: number): SparseHistogram {
  let first = latency.indices.length;
  let left = count;
  while (first > 0 && left > 0) left -= latency.counts[--first];
  const counts = latency.counts.slice(first);
  if (left < 0) counts[0] += left;
  const kept = sum([...counts], (one) => one);
  return { ...latency, indices: latency.indices.slice(first), counts, count: kept };
}
