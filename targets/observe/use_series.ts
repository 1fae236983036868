/** What a watch of processes gives, when it looks, and the points that are made of what processes used between two looks. */
import { JoinedSeries, mostIntervalsOf } from "../../base/intervals.ts";
import type { WatchedPart } from "../launch/launcher.ts";

/** What processes used at one moment; rates are over the interval that ends there. */
export interface UsePoint {
  /** Seconds since the start of the load. */
  readonly endS: number;
  /** Cores in use: 1 is one whole core. */
  readonly cpu: number;
  /** The highest of the intervals that were joined to this one; absent where none was. */
  readonly peakCpu?: number;
  /** Resident memory, bytes; what processes share is counted for each. */
  readonly memory: number;
  /** The user part of `cpu`, and then the system's. From here on, a figure is absent if it is unknown. */
  readonly user?: number;
  readonly system?: number;
  readonly processes?: number;
  readonly threads?: number;
  /** Open files, sockets and pipes. */
  readonly files?: number;
  /** Files that the process with fewest left could still open. */
  readonly filesLeft?: number;
  /** Context switches per second. */
  readonly switches?: { readonly voluntary: number; readonly involuntary: number };
}

export interface WatchedUse {
  /** Use of the whole target; none when it has no process of ours. */
  readonly resources: UsePoint[];
  /** Use of each of its parts, if there are several, and of Redis. */
  readonly parts: PartUse[];
}

export interface PartUse {
  readonly role: WatchedPart["role"] | "redis";
  readonly name: string;
  readonly points: UsePoint[];
  readonly keyspace?: Keyspace;
  /** Share of the time in which Redis carried out commands. */
  readonly busy?: number;
}

/** Look-ups in Redis that found a key, and those that did not. */
export interface Keyspace {
  readonly hits: number;
  readonly misses: number;
}

export interface ResourceWatch {
  /** Ends the watch, after a last look. */
  stop(): Promise<WatchedUse>;
}

export interface LookTimes {
  readonly intervalMs: number;
  /** The moment of t = 0, on this isolate's `performance.now()`; it may be to come. */
  readonly sinceMs: number;
}

/**
 * Looks at t = 0, or at once when that is over, and at the end of each interval from then on: not an interval
 * after the look before, which would be later and later. Returns what ends it.
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

/** Since the look before, but for what it holds: memory, threads and files are those of the moment. */
export interface UseSample {
  readonly cpuMs: number;
  /** The part of `cpuMs` that the kernel spent for it. */
  readonly systemMs: number;
  readonly memoryBytes: number;
  /** Null if the number cannot be had. */
  readonly processes: number | null;
  readonly threads: number | null;
  readonly files: number | null;
  readonly filesLeft: number | null;
  readonly switches: Switches | null;
}

/** A process tree that is looked at again and again. */
export interface TreeWatch {
  /** Since the last look, or else since this was made. */
  take(): UseSample;
  /** Whether there was anything to see of it, ever: without /proc, and of hidden processes, there is not. */
  readonly isSeen: boolean;
}

export interface Switches {
  readonly voluntary: number;
  readonly involuntary: number;
}

/** Sum of several uses at the same time; a figure is unknown in the sum if it is unknown in one of them. */
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

/** Joins uses one after the other: for what is held at a moment the most, and the fewest files left. */
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

/** The fewest among those that are known; null: none is. */
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

/** Times are on this isolate's `performance.now()`. */
interface UseSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly use: UseSample;
  /** The most cores in use among the intervals that it is made of; null: it is a single one. */
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

/** What one of those that are watched used, look by look; of a long run several looks together. */
export class UseSeries {
  readonly #spans: JoinedSeries<UseSpan>;
  #lastMs: number | null = null;

  constructor(private readonly times: LookTimes) {
    this.#spans = new JoinedSeries(mostIntervalsOf(times.intervalMs), joinSpans);
  }

  /**
   * The first look only begins it. A rest much shorter than an interval is joined to what is before it, as a
   * rate over it would say little.
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
