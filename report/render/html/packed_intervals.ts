/**
 * The intervals of every scenario of a page, packed: its client recomputes figures from them. A page of thousands of
 * intervals joins several into one step, so that it stays small enough to send to others.
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
  /** Length of a whole step. */
  readonly seconds: number;
  /** `packSteps` of all cells, deflated. */
  readonly packed: string;
}

/** Approximate size limit for all scenarios of a page. */
const MOST_CHARACTERS = 2_800_000;
/**
 * Cells with about this many runs are packed to estimate the size of all cells. The number of values would not show it,
 * because widely spread latencies take several times as much room as others.
 */
const TRIED_RUNS = 30;

/**
 * Packs scenarios with the shortest steps that the page has room for: one interval, two, four, … up to a whole run.
 *
 * @param scenarios The scenarios by the ids of the sections that show them.
 * @param most Approximate limit for all scenarios, characters.
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

/** How many intervals make a step, so that all packed steps stay below `most` characters. @param cells Runs by cell. */
function intervalsOfStep(cells: readonly (readonly Run[])[], most: number): number {
  const runs = cells.flat();
  const tried = cells.filter((_, i) => i % Math.ceil(runs.length / TRIED_RUNS) === 0);
  const size = charactersOf(runs);
  const scale = size / charactersOf(tried.flat());
  const longest = Math.max(1, ...runs.map(({ timeline }) => timeline.points.length));
  let intervals = 1;
  // The packed steps are never longer than the histograms in the results.
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
 * The packed runs of each cell.
 * @param joined How many intervals make a step, counted in the longest intervals.
 */
function packedSteps(cells: readonly (readonly Run[])[], joined: number): PackedSteps {
  // Long runs have longer intervals than short ones, so the longest interval decides for all.
  const seconds = joined * Math.max(...cells.flat().map(({ timeline }) => timeline.intervalS));
  const steps = cells.map((runs) =>
    runs.map((run) => stepsOf(run, Math.max(1, Math.round(seconds / run.timeline.intervalS))))
  );
  return { seconds, packed: deflated(packSteps(steps)) };
}

/** zlib's format in base64, which `inflated` in the page's client decodes. */
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

/** Intervals as one step. They are summed while being read, because those of thousands of runs would not fit in memory. */
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

/** Results of earlier versions don't mark lower bounds; in those, time-outs are the largest values. */
function boundsOf(point: IntervalPoint): SparseHistogram[] {
  const { censoredHistogram, failed, errors } = point;
  if (censoredHistogram !== undefined) return [decodeSparse(censoredHistogram)];
  const count = errors?.timeout ?? failed;
  return count > 0 ? [largest(decodeInterval(point), count)] : [];
}

/** The histogram's `count` largest values. Its sums stay those of all values, because sums are not packed. */
function largest(latency: SparseHistogram, count: number): SparseHistogram {
  let first = latency.indices.length;
  let left = count;
  while (first > 0 && left > 0) left -= latency.counts[--first];
  const counts = latency.counts.slice(first);
  if (left < 0) counts[0] += left;
  const kept = sum([...counts], (one) => one);
  return { ...latency, indices: latency.indices.slice(first), counts, count: kept };
}
