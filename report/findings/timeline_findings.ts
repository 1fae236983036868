/** What stands out in the timelines of a scenario: the slowest moment and the least steady run. */
import type { Run } from "../../runner/result/result.ts";
import { isChanging } from "../../runner/result/warmup.ts";
import { sum } from "../writing/spread.ts";
import { formatCount, formatMs, formatNumber, formatShare, formatTick } from "../writing/units.ts";
import { percentileOf } from "../figures/pool.ts";
import { counted } from "../writing/words.ts";
import { decodeInterval } from "../../runner/stats/histogram/hdr.ts";
import type { SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { type IntervalPoint, intervalsOf, isEmpty, lowerBoundsIn } from "../figures/intervals.ts";

interface TimelineEvidence {
  readonly "no-request-ended": Readonly<Record<never, never>>;
  /** `p99`: milliseconds; `endS`: since the start of the run. */
  readonly "slowest-interval": {
    readonly run: string;
    readonly p99: number;
    readonly isAtLeast: boolean;
    readonly endS: number;
  };
  /** `swing`: standard deviation of the intervals' rates over their mean. */
  readonly "least-steady-run": { readonly run: string; readonly swing: number };
  /** In how few intervals half of the slowest 1 % ended; `fromS`, `toS`: of the one with most of them. */
  readonly "slow-in-bursts": {
    readonly target: string;
    readonly intervals: number;
    readonly of: number;
    readonly run: number;
    readonly fromS: number;
    readonly toS: number;
  };
  readonly "slow-all-along": { readonly share: number };
  readonly "slow-unknown": { readonly most: number };
}

export type TimelineCode = keyof TimelineEvidence;

const SENTENCES: {
  readonly [Code in TimelineCode]: (evidence: TimelineEvidence[Code]) => string;
} = {
  "no-request-ended": () => "No request ended.",
  "slowest-interval": ({ run, p99, isAtLeast, endS }) =>
    `The slowest interval had a p99 of ${isAtLeast ? "at least " : ""}${formatMs(p99)}: ${run}, ` +
    `${formatNumber(endS)} s after its start.`,
  "least-steady-run": ({ run, swing }) =>
    `Requests/s were least steady in ${run}: ±${formatShare(swing)} around their mean.`,
  "slow-in-bursts": ({ target, intervals, of, run, fromS, toS }) =>
    `Half of the slowest 1 % of ${target} ended in ${intervals} of ${counted(of, "interval")}, ${
      intervals === 1 ? "" : "most of them "
    }at ${formatTick(fromS)}–${formatTick(toS)} s of run ${run}.`,
  "slow-all-along": ({ share }) =>
    `No target is slow in bursts: half of its slowest 1 % took more than ${
      formatShare(share)
    } of the intervals.`,
  "slow-unknown": ({ most }) =>
    `Whether slow requests come in bursts is unknown: that takes ${
      formatCount(LEAST_REQUESTS)
    } requests of a target, and its intervals have ${formatCount(most)} at most.`,
};

export function timelineFinding<Code extends TimelineCode>(
  code: Code,
  evidence: TimelineEvidence[Code],
): Finding {
  return { code, text: SENTENCES[code](evidence) };
}

interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

/** The slowest moment and the least steady run. */
export function timelineFindings(cells: readonly CellRuns[]): Finding[] {
  const runs = cells.flatMap(({ label, runs }) =>
    runs.map((run) => ({ name: `${label}, run ${run.repetition}`, run }))
  );
  return [slowestInterval(runs), ...leastSteadyRun(runs)];
}

function slowestInterval(runs: readonly NamedRun[]): Finding {
  const moments = runs.flatMap(({ name, run }) =>
    intervalsOf(run).filter(({ point }) => !isEmpty(point)).map(({ point }) => ({ name, point }))
  );
  const slowest = highest(moments, ({ point }: { point: IntervalPoint }) => point.p99);
  if (!slowest) return timelineFinding("no-request-ended", {});
  const { name: run, point } = slowest;
  const isAtLeast = lowerBoundsIn(point).includes("p99");
  return timelineFinding("slowest-interval", { run, p99: point.p99, isAtLeast, endS: point.endS });
}

/** None where no run swings, or the load itself does. */
function leastSteadyRun(runs: readonly NamedRun[]): Finding[] {
  const swings = runs.filter(({ run: { load } }) => !isChanging(load)).map((
    { name, run },
  ) => ({ run: name, swing: swingOf(run) }));
  const worst = highest(swings, ({ swing }) => swing);
  return !worst || worst.swing === 0 ? [] : [timelineFinding("least-steady-run", worst)];
}

/** Standard deviation of the intervals' rates over their mean. */
function swingOf(run: Run): number {
  const rates = intervalsOf(run).map(({ ratePerSec }) => ratePerSec);
  const mean = sum(rates, (rate) => rate) / rates.length;
  const variance = sum(rates, (rate) => (rate - mean) ** 2) / rates.length;
  return mean > 0 ? Math.sqrt(variance) / mean : 0;
}

function highest<T>(items: readonly T[], of: (item: T) => number): T | null {
  return items.reduce<T | null>(
    (best, item) => best !== null && of(best) >= of(item) ? best : item,
    null,
  );
}

// Whether the slowest requests come at a few moments, as the heatmap shows them.

/** Fewer have no 1 % worth a sentence. */
const LEAST_REQUESTS = 1_000;
/** Half of the slow requests in no more of the intervals than this are bursts. */
const BURST_SHARE = 0.15;

export function burstFinding(cells: readonly CellRuns[]): Finding {
  const filled = cells.filter((cell) => endedIn(cell) >= LEAST_REQUESTS);
  if (filled.length === 0) {
    return timelineFinding("slow-unknown", { most: Math.max(...cells.map(endedIn)) });
  }
  const bursts = filled.map(burstOf).sort((a, b) => a.intervals / a.of - b.intervals / b.of);
  const [evidence] = bursts;
  return evidence.intervals / evidence.of > BURST_SHARE
    ? timelineFinding("slow-all-along", { share: BURST_SHARE })
    : timelineFinding("slow-in-bursts", evidence);
}

/** As many requests as the intervals know of. */
function endedIn({ runs }: CellRuns): number {
  return sum(
    runs,
    ({ timeline }) => sum(timeline.points, ({ completed, failed }) => completed + failed),
  );
}

function burstOf({ label: target, runs, latency }: CellRuns): TimelineEvidence["slow-in-bursts"] {
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
  let seen = 0;
  const needed = intervals.findIndex(({ slow }) => (seen += slow) >= half) + 1;
  const [{ run, fromS, toS }] = intervals;
  return { target, intervals: needed, of: intervals.length, run, fromS, toS };
}

/** Those in the bucket of `us` are among them: where all requests take as long, no other is slower. */
function countFrom({ indices, counts }: SparseHistogram, us: number): number {
  let count = 0;
  for (let i = indices.length - 1; i >= 0 && highestUsOf(indices[i]) >= us; i--) count += counts[i];
  return count;
}
