/**
 * What a watch of processes returns, when it looks at the processes, and how it makes a series of points from its
 * looks.
 */
import { JoinedSeries, mostIntervalsOf } from "../../base/intervals.ts";
import type { WatchedPart } from "../launch/launcher.ts";

/** What processes use in one interval. Rates are averages over the interval; the other figures hold at its end. */
export interface UsePoint {
  /** The end of the interval, in seconds since the start of the load. */
  readonly endS: number;
  /** The average number of cores in use. */
  readonly cpu: number;
  /** The highest `cpu` among the intervals that were joined into this one; absent if this is a single interval. */
  readonly peakCpu?: number;
  /** Resident memory in bytes. Memory that processes share is counted once for each of them. */
  readonly memory: number;
  /**
   * The part of `cpu` spent in user mode; `system` is the rest. This field and all that follow are absent if unknown.
   */
  readonly user?: number;
  readonly system?: number;
  readonly processes?: number;
  readonly threads?: number;
  /** The number of open files, including sockets and pipes. */
  readonly files?: number;
  /** How many more files the process closest to its limit can open. */
  readonly filesLeft?: number;
  /** Context switches per second. */
  readonly switches?: { readonly voluntary: number; readonly involuntary: number };
}

export interface WatchedUse {
  /** The use of the whole target; empty if it can't be measured, such as when Plateau started none of its processes. */
  readonly resources: UsePoint[];
  /** The use of each part of the target, if it has several, and of Redis. */
  readonly parts: PartUse[];
}

export interface PartUse {
  readonly role: WatchedPart["role"] | "redis";
  readonly name: string;
  readonly points: UsePoint[];
  readonly keyspace?: Keyspace;
  /** The share of the time in which Redis carried out commands. */
  readonly busy?: number;
}

/** The number of look-ups in Redis that found a key, and of those that found none. */
export interface Keyspace {
  readonly hits: number;
  readonly misses: number;
}

export interface ResourceWatch {
  /** Takes a last look, and ends the watch. */
  stop(): Promise<WatchedUse>;
}

export interface LookTimes {
  readonly intervalMs: number;
  /** The moment of t = 0 in terms of this isolate's `performance.now()`; may be in the future. */
  readonly sinceMs: number;
}

/**
 * Looks at t = 0, or right away if that has passed, and then at the end of each interval. Each look is scheduled from t
 * = 0 and not from the look before, because small delays would add up. Returns a function that stops the looks.
 */
export function lookEachInterval(
  { intervalMs, sinceMs }: LookTimes,
  look: (nowMs: number) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const lookLater = (): void => {
    const nowMs = performance.now();
    const next = Math.max(0, Math.floor((nowMs - sinceMs) / intervalMs) + 1);
    timer = setTimeout(lookNow, Math.ceil(sinceMs + next * intervalMs - nowMs));
  };
  const lookNow = (): void => {
    look(performance.now());
    lookLater();
  };
  if (performance.now() >= sinceMs) lookNow();
  else lookLater();
  return () => clearTimeout(timer);
}

/** The use since the previous look. Memory, processes, threads and files are as they were at the look. */
export interface UseSample {
  readonly cpuMs: number;
  /** The part of `cpuMs` spent in the kernel. */
  readonly systemMs: number;
  readonly memoryBytes: number;
  /** Here and below, null means unknown. */
  readonly processes: number | null;
  readonly threads: number | null;
  readonly files: number | null;
  readonly filesLeft: number | null;
  readonly switches: Switches | null;
}

export interface TreeWatch {
  /** What the tree has used since the last call; at the first call, since this object was made. */
  take(): UseSample;
  /** Whether any process of the tree has been seen so far. Remains false if this user may not see the processes. */
  readonly isSeen: boolean;
}

export interface Switches {
  readonly voluntary: number;
  readonly involuntary: number;
}

/**
 * Adds up what several process trees use at the same time. A sum is null if it is unknown for any tree, but `filesLeft`
 * is the least that is known.
 */
export function sumOfUses([first, ...others]: readonly UseSample[]): UseSample {
  return others.reduce((sum, use) => ({
    cpuMs: sum.cpuMs + use.cpuMs,
    systemMs: sum.systemMs + use.systemMs,
    memoryBytes: sum.memoryBytes + use.memoryBytes,
    processes: sumOrNull(sum.processes, use.processes),
    threads: sumOrNull(sum.threads, use.threads),
    files: sumOrNull(sum.files, use.files),
    filesLeft: fewestLeft([sum.filesLeft, use.filesLeft]),
    switches: sumOfSwitches(sum.switches, use.switches),
  }), first);
}

/**
 * Joins two successive uses. CPU times and context switches are added; for memory and the other counts, the larger
 * figure is kept, and for files left, the smaller one.
 */
function joinUses(use: UseSample, next: UseSample): UseSample {
  return {
    cpuMs: use.cpuMs + next.cpuMs,
    systemMs: use.systemMs + next.systemMs,
    memoryBytes: Math.max(use.memoryBytes, next.memoryBytes),
    processes: mostOrNull(use.processes, next.processes),
    threads: mostOrNull(use.threads, next.threads),
    files: mostOrNull(use.files, next.files),
    filesLeft: fewestLeft([use.filesLeft, next.filesLeft]),
    switches: sumOfSwitches(use.switches, next.switches),
  };
}

function mostOrNull(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

function sumOrNull(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** The smallest known number; null if none is known. */
export function fewestLeft(all: readonly (number | null)[]): number | null {
  const known = all.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function sumOfSwitches(a: Switches | null, b: Switches | null): Switches | null {
  return a && b && {
    voluntary: a.voluntary + b.voluntary,
    involuntary: a.involuntary + b.involuntary,
  };
}

/** The use between two moments of this isolate's `performance.now()`. */
interface UseSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly use: UseSample;
  /** The most cores in use in any of the joined intervals; null if this is a single interval. */
  readonly peakCpu: number | null;
}

function joinSpans(span: UseSpan, next: UseSpan): UseSpan {
  return {
    fromMs: span.fromMs,
    toMs: next.toMs,
    use: joinUses(span.use, next.use),
    peakCpu: Math.max(peakOf(span), peakOf(next)),
  };
}

function peakOf(span: UseSpan): number {
  return span.peakCpu ?? span.use.cpuMs / (span.toMs - span.fromMs);
}

/** The use of one process tree, as a series of points. In a long run, neighbouring intervals are joined. */
export class UseSeries {
  readonly #spans: JoinedSeries<UseSpan>;
  #lastMs: number | null = null;

  constructor(private readonly times: LookTimes) {
    this.#spans = new JoinedSeries(mostIntervalsOf(times.intervalMs), joinSpans);
  }

  /**
   * Adds a look. The first look only starts the series. An interval that is shorter than half of the usual length is
   * joined to the one before, because a rate over so short a time would say little.
   */
  add(nowMs: number, use: UseSample): void {
    const fromMs = this.#lastMs;
    this.#lastMs = nowMs;
    if (fromMs === null || nowMs <= fromMs) return;
    const span = { fromMs, toMs: nowMs, use, peakCpu: null };
    if (nowMs - fromMs < this.times.intervalMs / 2) this.#spans.joinToLast(span);
    else this.#spans.add(span);
  }

  points(): UsePoint[] {
    return this.#spans.entries.map((span) => pointOf(span, this.times));
  }
}

function pointOf({ fromMs, toMs, use, peakCpu }: UseSpan, { sinceMs }: LookTimes): UsePoint {
  const { cpuMs, systemMs, memoryBytes, processes, threads, files, filesLeft, switches } = use;
  const perSec = (amount: number): number => amount * 1_000 / (toMs - fromMs);
  return {
    endS: (toMs - sinceMs) / 1_000,
    cpu: perSec(cpuMs / 1_000),
    ...peakCpu !== null && { peakCpu },
    memory: memoryBytes,
    user: perSec((cpuMs - systemMs) / 1_000),
    system: perSec(systemMs / 1_000),
    ...processes !== null && { processes },
    ...threads !== null && { threads },
    ...files !== null && { files },
    ...filesLeft !== null && { filesLeft },
    ...switches && {
      switches: {
        voluntary: perSec(switches.voluntary),
        involuntary: perSec(switches.involuntary),
      },
    },
  };
}
