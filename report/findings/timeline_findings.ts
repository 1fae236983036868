/**
 * Notable features of a scenario's timelines: the slowest moment, the least steady run, and bursts of slow requests.
 */
import type { Run } from "../../runner/result/result.ts";
import { isChanging } from "../../runner/result/warmup.ts";
import { decodeInterval } from "../../runner/stats/histogram/hdr.ts";
import type { SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { intervalsOf, isEmpty, lowerBoundsIn } from "../figures/intervals.ts";
import { percentileOf } from "../figures/pool.ts";
import { sum } from "../writing/spread.ts";
import { formatMs, formatNumber, formatShare, formatTick } from "../writing/units.ts";
import { counted } from "../writing/words.ts";

export function timelineFindings(cells: readonly CellRuns[]): Finding[] {
  const runs = cells.flatMap(({ label, runs }) =>
    runs.map((run) => ({ name: `${label}, run ${run.repetition}`, run }))
  );
  return [slowestInterval(runs), ...leastSteadyRun(runs)];
}

interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

function slowestInterval(runs: readonly NamedRun[]): Finding {
  const moments = runs.flatMap(({ name, run }) =>
    intervalsOf(run).filter(({ point }) => !isEmpty(point)).map(({ point }) => ({ name, point }))
  );
  const slowest = highest(moments, ({ point }) => point.p99);
  if (slowest === null) return { code: "no-request-ended", text: "No request ended." };
  const { name, point } = slowest;
  const atLeast = lowerBoundsIn(point).includes("p99") ? "at least " : "";
  return {
    code: "slowest-interval",
    text: `The slowest interval had a p99 of ${atLeast}${formatMs(point.p99)}: ${name}, ${
      formatNumber(point.endS)
    } s after its start.`,
  };
}

/** The run whose requests/s vary the most. Empty if no run varies; runs with a changing load are not considered. */
function leastSteadyRun(runs: readonly NamedRun[]): Finding[] {
  const steady = runs.filter(({ run: { load } }) => !isChanging(load))
    .map(({ name, run }) => ({ name, swing: swingOf(run) }));
  const worst = highest(steady, ({ swing }) => swing);
  return worst === null || worst.swing === 0 ? [] : [{
    code: "least-steady-run",
    text: `Requests/s were least steady in ${worst.name}: ±${
      formatShare(worst.swing)
    } around their mean.`,
  }];
}

/** Coefficient of variation of the rates in a run's intervals. */
function swingOf(run: Run): number {
  const rates = intervalsOf(run).map(({ ratePerSec }) => ratePerSec);
  const mean = sum(rates, (rate) => rate) / rates.length;
  const variance = sum(rates, (rate) => (rate - mean) ** 2) / rates.length;
  return mean > 0 ? Math.sqrt(variance) / mean : 0;
}

/** The item with the largest value; the first if several are equal; null if there are no items. */
function highest<T>(items: readonly T[], of: (item: T) => number): T | null {
  return items.reduce<T | null>(
    (best, item) => best !== null && of(best) >= of(item) ? best : item,
    null,
  );
}

/**
 * The finding that names the target whose slowest requests are concentrated in the smallest share of its intervals. No
 * finding if there were no requests.
 */
export function burstFindings(cells: readonly CellRuns[]): Finding[] {
  const [burst] = cells.flatMap((cell) => burstOf(cell) ?? [])
    .sort((a, b) => a.needed / a.of - b.needed / b.of);
  if (burst === undefined) return [];
  const { target, needed, of, most: { run, fromS, toS } } = burst;
  return [{
    code: "slow-moments",
    text: `Half of the slowest 1 % of ${target} ended in ${needed} of ${
      counted(of, "interval")
    }, the most at ${formatTick(fromS)}–${formatTick(toS)} s of run ${run}.`,
  }];
}

interface Burst {
  readonly target: string;
  /** The smallest number of intervals that together contain half of the slowest 1 % of requests. */
  readonly needed: number;
  readonly of: number;
  readonly most: { readonly run: number; readonly fromS: number; readonly toS: number };
}

function burstOf({ label: target, runs, latency }: CellRuns): Burst | null {
  const slowUs = Math.round(percentileOf(latency, 99) * 1_000);
  const intervals = runs.flatMap(({ repetition, timeline: { points } }) =>
    points.map((point, i) => ({
      run: repetition,
      fromS: points[i - 1]?.endS ?? 0,
      toS: point.endS,
      slow: countFrom(decodeInterval(point), slowUs),
    }))
  ).sort((a, b) => b.slow - a.slow);
  const half = sum(intervals, ({ slow }) => slow) / 2;
  if (half === 0) return null;
  let seen = 0;
  const needed = intervals.findIndex(({ slow }) => (seen += slow) >= half) + 1;
  return { target, needed, of: intervals.length, most: intervals[0] };
}

/**
 * Number of requests in the bucket that contains `us` and in all higher buckets. The bucket of `us` is included because
 * it holds every request if all take equally long.
 */
function countFrom({ indices, counts }: SparseHistogram, us: number): number {
  let count = 0;
  for (let i = indices.length - 1; i >= 0 && highestUsOf(indices[i]) >= us; i--) count += counts[i];
  return count;
}
