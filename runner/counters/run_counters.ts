/**
 * Turns the reports of a target's processes into the runtime counters of one run. Takes nearly linear time, because a
 * target may report any amount of data. Pure.
 */
import type {
  Collection,
  CompilerWork,
  CounterSpan,
  ProcessCounters,
  Reports,
  Stall,
} from "../../targets/observe/runtime/counter_records.ts";
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { Counters, CountersPoint } from "../result/runtime/counters.ts";
import { firstIndex } from "../stats/histogram/histogram.ts";
import type { TailRequest } from "../load/recording/tail.ts";

interface ReportedRun {
  /** Start of the run, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly elapsedS: number;
  readonly intervalS: number;
  readonly slowest: readonly TailRequest[];
  /**
   * If two targets are loaded alternately, the turns in which this one was loaded; absent if it was loaded all the
   * time. With turns, all figures cover only the measured parts of these turns.
   */
  readonly turns?: TurnsSpec;
}

/** At most this many garbage collections are listed, and at most this many stalls. */
const MOST_LISTED = 200;
/**
 * A stall that used at least this share of its length as CPU time was computation; in any other, the process waited,
 * perhaps for a core.
 */
export const COMPUTED_RATIO = 0.5;
/** A stall is explained by garbage collections if they took at least this share of it. */
const COLLECTED_RATIO = 0.5;

/** Milliseconds from the start of a run to its end, including the turns of the other target. */
export function lastedMsOf({ elapsedS, turns }: Pick<ReportedRun, "elapsedS" | "turns">): number {
  if (turns === undefined) return 1_000 * elapsedS;
  return Math.min(turns.durationUs, new Turns(turns).whenUs(1e6 * elapsedS)) / 1_000;
}

/**
 * The counters of a run; null if no process reported anything within the run, and nothing was left out of the reports.
 */
export function runCounters({ processes, leftOut }: Reports, run: ReportedRun): Counters | null {
  const clock = run.turns && new Turns(run.turns);
  const within = processes.map((report) => withinRun(report, run))
    .map((report) => clock === undefined ? report : onOwnClock(report, clock));
  const isEmpty = within.every(({ spans, collections }) => spans.length + collections.length === 0);
  const hasLeftOut = Object.values(leftOut).some((count) => count > 0);
  if (isEmpty && !hasLeftOut) return null;
  const collections = within.flatMap((report) => report.collections);
  const stalls = within.flatMap((report) => report.stalls);
  const requests = run.slowest.map(({ dueS, latency }) => (
    { from: 1_000 * dueS, to: 1_000 * dueS + latency }
  )).flatMap((request) => clock === undefined ? [request] : ownPeriod(request, clock));
  const whole = { from: 0, to: 1_000 * run.elapsedS };
  return {
    processes: within.filter(({ spans }) => spans.length > 0).map(processOf),
    points: pointsOf(within, run),
    collections: longest(collections).map((each) => ({
      startS: each.atMs / 1_000,
      ms: each.ms,
      stoppedMs: each.stoppedMs,
      kind: each.kind,
      ...each.withinMs > 0 && { withinMs: each.withinMs },
    })),
    stalls: longest(stalls).map(({ atMs, ms, cpuMs }) => ({ startS: atMs / 1_000, ms, cpuMs })),
    slowest: {
      requests: requests.length,
      collections: overlapOf(requests, collections.map(pauseOf), whole),
      stalls: overlapOf(requests, stalls.filter(isComputed).map(pauseOf), whole),
    },
    ...hasLeftOut && { leftOut: { ...leftOut } },
  };
}

/**
 * The part of a report that lies within the run, without stalls that garbage collections explain. Times are
 * milliseconds since the start of the run.
 */
function withinRun(report: ProcessCounters, run: ReportedRun): ProcessCounters {
  const endMs = lastedMsOf(run);
  const shifted = <T extends { readonly atMs: number }>(all: readonly T[]): T[] =>
    all.map((each) => ({ ...each, atMs: each.atMs - run.sinceMs }));
  const isIn = ({ atMs, ms }: Collection | Stall): boolean => atMs + ms > 0 && atMs < endMs;
  const collections = shifted(report.collections).filter(isIn);
  return {
    ...report,
    collections,
    stalls: ownStalls(shifted(report.stalls).filter(isIn), collections),
    // A span is dated by its end. The last span is kept although it ends after the run.
    spans: shifted(report.spans).filter(({ atMs, forMs }) => atMs > 0 && atMs - forMs < endMs),
  };
}

/**
 * The report on a clock that runs only during the measured parts of this target's turns. Everything outside those parts
 * is dropped, because no figure counts it.
 */
function onOwnClock(report: ProcessCounters, turns: Turns): ProcessCounters {
  const own = ({ atMs, ms }: Collection | Stall): Period[] =>
    ownPeriod({ from: atMs, to: atMs + ms }, turns);
  return {
    ...report,
    collections: report.collections.flatMap((each) =>
      own(each).map(({ from, to }): Collection => {
        const share = (to - from) / each.ms;
        return {
          ...{ kind: each.kind, atMs: from, ms: to - from, stoppedMs: share * each.stoppedMs },
          withinMs: ownMs(each.atMs + each.withinMs, turns) - from,
          cpuMs: each.cpuMs && share * each.cpuMs,
        };
      })
    ),
    stalls: report.stalls.flatMap((each) =>
      own(each).map(({ from, to }): Stall => (
        { atMs: from, ms: to - from, cpuMs: each.cpuMs * (to - from) / each.ms }
      ))
    ),
    // A span without a duration is kept, because it does not affect any mean. All that a span
    // counts is attributed to this target's turns, because a process that is not loaded allocates
    // next to nothing.
    spans: report.spans.flatMap((span) => {
      const [from, to] = [span.atMs - span.forMs, span.atMs].map((ms) => ownMs(ms, turns));
      return span.forMs > 0 && from === to ? [] : [{ ...span, atMs: to, forMs: to - from }];
    }),
  };
}

function ownMs(ms: number, turns: Turns): number {
  return turns.ownUs(1_000 * ms) / 1_000;
}

/**
 * The measured part of a period, on a clock that runs only while the target is measured; empty if no part was measured.
 */
function ownPeriod(period: Period, turns: Turns): Period[] {
  const [from, to] = [ownMs(period.from, turns), ownMs(period.to, turns)];
  return from < to ? [{ from, to }] : [];
}

function ownStalls(stalls: readonly Stall[], collections: readonly Collection[]): Stall[] {
  const collected = new CollectedTime(collections.map(pauseOf));
  return stalls.filter((stall) => {
    const { from, to } = pauseOf(stall);
    return collected.msIn(from, to) < COLLECTED_RATIO * stall.ms;
  });
}

/**
 * How long one process collected garbage within a given period, found by binary search. Collections of one process
 * never overlap.
 */
class CollectedTime {
  /** The collections as disjoint pauses, ordered by time. */
  readonly #pauses: Pause[] = [];
  /** Total milliseconds of all pauses before each pause. */
  readonly #msBefore: number[] = [];

  constructor(pauses: readonly Pause[]) {
    for (const pause of pauses.toSorted((a, b) => a.from - b.from)) this.#add(pause);
    let ms = 0;
    for (const { lasts } of this.#pauses) {
      this.#msBefore.push(ms);
      ms += lasts;
    }
  }

  /**
   * Adds a pause. With Deno, all that is known may be a period that contains several pauses; their durations are then
   * added up.
   */
  #add({ from, to, lasts }: Pause): void {
    const before = this.#pauses.at(-1);
    if (before !== undefined && to <= before.to) {
      const both = Math.min(before.lasts + lasts, before.to - before.from);
      this.#pauses[this.#pauses.length - 1] = { ...before, lasts: both };
      return;
    }
    const start = Math.max(from, before?.to ?? from);
    this.#pauses.push({ from: start, to, lasts: Math.min(lasts, to - start) });
  }

  msIn(from: number, to: number): number {
    const pauses = this.#pauses;
    const first = firstIndex(pauses.length, (at) => pauses[at].to > from);
    const last = firstIndex(pauses.length, (at) => pauses[at].from >= to) - 1;
    if (last < first) return 0;
    const share = (at: number): number => {
      const shared = Math.min(to, pauses[at].to) - Math.max(from, pauses[at].from);
      return Math.max(0, Math.min(pauses[at].lasts, shared));
    };
    if (last === first) return share(first);
    const between = this.#msBefore[last] - this.#msBefore[first] - pauses[first].lasts;
    return share(first) + between + share(last);
  }
}

function isComputed({ ms, cpuMs }: Stall): boolean {
  return cpuMs >= COMPUTED_RATIO * ms;
}

/**
 * The pause of a stall or a collection. If its exact start is unknown, the period covers all of the time in which it
 * may have happened.
 */
function pauseOf(each: Stall | Collection): Pause {
  const lengthMs = "withinMs" in each ? Math.max(each.ms, each.withinMs) : each.ms;
  return { from: each.atMs, to: each.atMs + lengthMs, lasts: each.ms };
}

function longest<T extends { readonly atMs: number; readonly ms: number }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => b.ms - a.ms).slice(0, MOST_LISTED)
    .sort((a, b) => a.atMs - b.atMs);
}

function processOf(
  { pid, runtime, collections, spans }: ProcessCounters,
): Counters["processes"][number] {
  const more = { count: sumOf(spans, (span) => span.more.count), ms: sumOf(spans, moreMs) };
  const known = spans.flatMap(({ delay, forMs }) => delay === null ? [] : [{ ...delay, forMs }]);
  const used = spans.flatMap(({ utilization, forMs }) =>
    utilization === null ? [] : [{ utilization, forMs }]
  );
  const mean = <T extends { readonly forMs: number }>(all: readonly T[], of: (one: T) => number) =>
    sumOf(all, (one) => of(one) * one.forMs) / Math.max(1, sumOf(all, ({ forMs }) => forMs));
  return {
    pid,
    runtime,
    collections: collections.length + more.count,
    collectionMs: sumOf(collections, ({ ms }) => ms) + more.ms,
    stoppedMs: sumOf(collections, (each) => each.stoppedMs) + more.ms,
    longestMs: highest(collections.map(({ ms }) => ms)) ?? 0,
    cpuMs: collections.some(({ cpuMs }) => cpuMs !== null)
      ? sumOf(collections, ({ cpuMs }) => cpuMs ?? 0)
      : null,
    delay: known.length === 0 ? null : {
      mean: mean(known, (one) => one.mean),
      max: highest(known.map(({ max }) => max)) ?? 0,
    },
    utilization: used.length === 0 ? null : Math.min(1, mean(used, (one) => one.utilization)),
    heap: highest(spans.flatMap(({ heap }) => heap ?? [])),
    ...compilerOf(spans),
  };
}

function pointsOf(
  reports: readonly ProcessCounters[],
  { elapsedS, intervalS }: ReportedRun,
): CountersPoint[] {
  const count = Math.ceil(elapsedS / intervalS - 1e-9);
  const intervalOf = (atMs: number): number =>
    Math.min(count - 1, Math.max(0, Math.floor(atMs / 1_000 / intervalS)));
  const all = <T extends { readonly atMs: number }>(items: readonly T[]) =>
    Map.groupBy(items, ({ atMs }) => intervalOf(atMs));
  const collections = all(reports.flatMap((report) => report.collections));
  const spans = reports.map((report) => all(report.spans));
  return Array.from({ length: count }, (_, i): CountersPoint => {
    const here = spans.map((byInterval) => byInterval.get(i) ?? []);
    const ended = collections.get(i) ?? [];
    const flat = here.flat();
    return {
      endS: Math.min(elapsedS, (i + 1) * intervalS),
      collections: ended.length + sumOf(flat, ({ more }) => more.count),
      stoppedMs: sumOf(ended, ({ stoppedMs }) => stoppedMs) + sumOf(flat, moreMs),
      delay: highest(flat.flatMap(({ delay }) => delay?.max ?? [])),
      utilization: highest(flat.flatMap(({ utilization }) => utilization ?? [])),
      heap: heapOf(here),
      ...compilerOf(flat),
    };
  }).filter(({ collections, delay, heap }) => collections > 0 || delay !== null || heap !== null);
}

function compilerOf(spans: readonly CounterSpan[]): { readonly compiler?: CompilerWork } {
  const known = spans.flatMap(({ compiler }) => compiler ?? []);
  if (known.length === 0) return {};
  return {
    compiler: {
      maglev: sumOf(known, ({ maglev }) => maglev),
      turbofan: sumOf(known, ({ turbofan }) => turbofan),
      deoptimized: sumOf(known, ({ deoptimized }) => deoptimized),
    },
  };
}

/** The sum of the last heap size of each process, bytes; null if none was reported. */
function heapOf(spans: readonly (readonly CounterSpan[])[]): number | null {
  const last = spans.flatMap((ofOne) => ofOne.flatMap(({ heap }) => heap ?? []).slice(-1));
  return last.length === 0 ? null : sumOf(last, (bytes) => bytes);
}

function moreMs({ more }: CounterSpan): number {
  return more.ms;
}

function highest(all: readonly number[]): number | null {
  return all.length === 0 ? null : all.reduce((most, each) => Math.max(most, each));
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

// Counts how many slow requests overlap a pause that is long enough to explain them, and how many
// would by chance. All times are on one clock.

/** A period; its start and end are in the same unit and on the same clock. */
interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Pause extends Period {
  /** Duration of the pause, which lies somewhere within the period. */
  readonly lasts: number;
}

/** A pause shorter than this share of a request's time does not explain why the request was slow. */
const LEAST_RATIO = 0.1;
/**
 * At most this many pauses, the longest ones, are compared, because each of up to a thousand requests is tested against
 * all of them. The observed and the expected overlaps are counted over the same pauses.
 */
const MOST_COMPARED = 10_000;

interface Overlap {
  readonly overlapping: number;
  /** The number of overlaps to expect by chance, if each request, with its own duration, began at a random moment. */
  readonly expected: number;
}

/**
 * Counts the requests that overlap a pause. For each request, pauses shorter than a tenth of it are ignored.
 * @param whole The run, in which the requests may begin.
 */
export function overlapOf(
  requests: readonly Period[],
  pauses: readonly Pause[],
  whole: Period,
): Overlap {
  let [overlapping, expected] = [0, 0];
  const longest = pauses.toSorted((a, b) => b.lasts - a.lasts).slice(0, MOST_COMPARED);
  let merged = NO_PERIODS;
  let taken = 0;
  for (const request of requests.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    const from = taken;
    const least = LEAST_RATIO * lengthOf(request);
    while (taken < longest.length && longest[taken].lasts >= least) taken++;
    if (taken > from) merged = mergedWith(merged, longest.slice(from, taken));
    if (meets(merged, request)) overlapping++;
    expected += chanceOf(request, merged, whole);
  }
  return { overlapping, expected };
}

function lengthOf({ from, to }: Period): number {
  return to - from;
}

/** Disjoint periods, ordered by start, as plain numbers, because every request is tested against them. */
interface Periods {
  readonly count: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

const NO_PERIODS: Periods = { count: 0, from: new Float64Array(), to: new Float64Array() };

function mergedWith(periods: Periods, others: readonly Period[]): Periods {
  const more = others.toSorted((a, b) => a.from - b.from);
  const most = periods.count + more.length;
  const [from, to] = [new Float64Array(most), new Float64Array(most)];
  let count = 0;
  for (let at = 0, next = 0; at + next < most;) {
    const isOther = at === periods.count ||
      (next < more.length && more[next].from < periods.from[at]);
    const start = isOther ? more[next].from : periods.from[at];
    const end = isOther ? more[next].to : periods.to[at];
    if (isOther) next++;
    else at++;
    if (count > 0 && start <= to[count - 1]) {
      to[count - 1] = Math.max(to[count - 1], end);
    } else {
      from[count] = start;
      to[count] = end;
      count++;
    }
  }
  return { count, from, to };
}

function meets({ count, from, to }: Periods, period: Period): boolean {
  for (let at = 0; at < count && from[at] < period.to; at++) {
    if (to[at] > period.from) return true;
  }
  return false;
}

/**
 * The probability that a request of this length, begun at a random moment, overlaps a pause. It does if it begins no
 * more than its own length before the pause and no later than the pause's end.
 */
function chanceOf(request: Period, pauses: Periods, whole: Period): number {
  const length = Math.min(lengthOf(request), lengthOf(whole));
  const last = whole.to - length;
  if (last <= whole.from) return meets(pauses, whole) ? 1 : 0;
  let covered = 0;
  let end = whole.from;
  for (let at = 0; at < pauses.count && end < last; at++) {
    const start = Math.max(end, pauses.from[at] - length);
    const stop = Math.min(last, pauses.to[at]);
    if (stop <= start) continue;
    covered += stop - start;
    end = stop;
  }
  return covered / (last - whole.from);
}
