/** Reports of a target's processes → the runtime counters of one run. Pure. */
import type {
  Collection,
  CounterSpan,
  ProcessCounters,
  Stall,
} from "../../targets/observe/runtime/counter_records.ts";
import type { Counters, CountersPoint } from "../result/runtime/counters.ts";
import type { TailRequest } from "../load/recording/tail.ts";

interface ReportedRun {
  /** Its start, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly elapsedS: number;
  readonly intervalS: number;
  readonly slowest: readonly TailRequest[];
}

/** Of either kind. */
const MOST_LISTED = 200;
/** Of a stall, in CPU time: with less the process stood in line for a core, or waited. */
export const COMPUTED_RATIO = 0.5;
/** Of a stall, in collections: it is theirs. */
const COLLECTED_RATIO = 0.5;

/** Null where no process reported anything. */
export function runCounters(
  reports: readonly ProcessCounters[],
  run: ReportedRun,
): Counters | null {
  const within = reports.map((report) => withinRun(report, run));
  if (within.every(({ spans, collections }) => spans.length + collections.length === 0)) {
    return null;
  }
  const collections = within.flatMap((report) => report.collections);
  const stalls = within.flatMap(ownStalls);
  const requests = run.slowest.map(({ dueS, latency }) => (
    { from: 1_000 * dueS, to: 1_000 * dueS + latency }
  ));
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
  };
}

/** What was in the run; times since its start, milliseconds. */
function withinRun(report: ProcessCounters, { sinceMs, elapsedS }: ReportedRun): ProcessCounters {
  const shifted = <T extends { readonly atMs: number }>(all: readonly T[]): T[] =>
    all.map((each) => ({ ...each, atMs: each.atMs - sinceMs }));
  const isIn = ({ atMs, ms }: Collection | Stall): boolean =>
    atMs + ms > 0 && atMs < 1_000 * elapsedS;
  return {
    ...report,
    collections: shifted(report.collections).filter(isIn),
    stalls: shifted(report.stalls).filter(isIn),
    // Each is by its end, and the last one ends after the run.
    spans: shifted(report.spans)
      .filter(({ atMs, forMs }) => atMs > 0 && atMs - forMs < 1_000 * elapsedS),
  };
}

/** Those that no collections explain. */
function ownStalls({ collections, stalls }: ProcessCounters): Stall[] {
  const pauses = collections.map(pauseOf);
  return stalls.filter((stall) => {
    const { from, to } = pauseOf(stall);
    const collectedMs = pauses.reduce((sum, pause) => {
      const sharedMs = Math.min(to, pause.to) - Math.max(from, pause.from);
      return sum + Math.max(0, Math.min(pause.lasts, sharedMs));
    }, 0);
    return collectedMs < COLLECTED_RATIO * stall.ms;
  });
}

function isComputed({ ms, cpuMs }: Stall): boolean {
  return cpuMs >= COMPUTED_RATIO * ms;
}

/** Of a collection whose start is not known exactly, all that it may have been in. */
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
    };
  }).filter(({ collections, delay, heap }) => collections > 0 || delay !== null || heap !== null);
}

/** The last of each process; null where nobody said. */
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

// How many slow requests overlap a pause that matters to them, all on one clock, and how many would by chance.

/** Of one clock, in one unit. */
interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Pause extends Period {
  /** How long it took, somewhere in its period. */
  readonly lasts: number;
}

/** Of a request's time: it did not wait for a pause that is shorter. */
const LEAST_RATIO = 0.1;

interface Overlap {
  readonly overlapping: number;
  /** The mean number where each request, as long as it was, came at a random moment. */
  readonly expected: number;
}

/** Pauses shorter than a tenth of a request are none of its causes. @param whole The run, in which the requests may begin. */
export function overlapOf(
  requests: readonly Period[],
  pauses: readonly Pause[],
  whole: Period,
): Overlap {
  let overlapping = 0;
  let expected = 0;
  for (const request of requests) {
    const leastLength = LEAST_RATIO * (request.to - request.from);
    const merged = mergedPeriods(pauses.filter(({ lasts }) => lasts >= leastLength));
    if (merged.some((pause) => meet(request, pause))) overlapping++;
    expected += chanceOf(request, merged, whole);
  }
  return { overlapping, expected };
}

function meet(a: Period, b: Period): boolean {
  return a.from < b.to && b.from < a.to;
}

/** Share of the moments at which a request of this length overlaps a pause: from its length before each to its end. */
function chanceOf({ from, to }: Period, pauses: readonly Period[], whole: Period): number {
  const length = Math.min(to - from, whole.to - whole.from);
  const last = whole.to - length;
  if (last <= whole.from) return pauses.some((pause) => meet(whole, pause)) ? 1 : 0;
  const starts = mergedPeriods(
    pauses.map((pause) => ({
      from: Math.max(whole.from, pause.from - length),
      to: Math.min(last, pause.to),
    })).filter((span) => span.to > span.from),
  );
  return starts.reduce((sum, span) => sum + span.to - span.from, 0) / (last - whole.from);
}

/** Apart from each other, by their start. */
function mergedPeriods(spans: readonly Period[]): Period[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
