/** What a watch of processes returns, when it looks, and how the use between two looks becomes a point of a series. */
import { JoinedSeries, mostIntervalsOf } from "../../base/intervals.ts";
import type { WatchedPart } from "../launch/launcher.ts";

/** The use of processes at one moment; rates are over the interval that ends there. */
export interface UsePoint {
  /** The end of the interval, in seconds since the start of the load. */
  readonly endS: number;
  /** The number of cores in use: 1 is one whole core. */
  readonly cpu: number;
  /** The highest value of `cpu` among the intervals joined to this one; absent if none was joined. */
  readonly peakCpu?: number;
  /** Resident memory in bytes; memory that processes share is counted for each of them. */
  readonly memory: number;
  /** The user part of `cpu`; the system's part follows. From here on, a figure is absent if it is unknown. */
  readonly user?: number;
  readonly system?: number;
  readonly processes?: number;
  readonly threads?: number;
  /** The number of open files, sockets and pipes. */
  readonly files?: number;
  /** The number of files that the process with the fewest left could still open. */
  readonly filesLeft?: number;
  /** Context switches per second. */
  readonly switches?: { readonly voluntary: number; readonly involuntary: number };
}

export interface WatchedUse {
  /** The use of the whole target; empty if Plateau started none of its processes. */
  readonly resources: UsePoint[];
  /** The use of each of the target's parts, if there are several, and of Redis. */
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

/** The number of look-ups in Redis that found a key, and of those that did not. */
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
  /** The moment of t = 0, on this isolate's `performance.now()`; may be in the future. */
  readonly sinceMs: number;
}

/**
 * Looks at t = 0, or at once if that is over, and then at the end of each interval. A look is not timed from the end of
 * the one before, because looks would then become later and later. Returns a function that stops the looks.
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

/** The use since the look before; memory, threads and files are those of the moment. */
export interface UseSample {
  readonly cpuMs: number;
  /** The part of `cpuMs` that the processes spent in the kernel. */
  readonly systemMs: number;
  readonly memoryBytes: number;
  /** The number of processes; null if unknown. */
  readonly processes: number | null;
  readonly threads: number | null;
  readonly files: number | null;
  readonly filesLeft: number | null;
  readonly switches: Switches | null;
}

/** A process tree that is looked at again and again. */
export interface TreeWatch {
  /** The use since the last look or, at the first, since this object was made. */
  take(): UseSample;
  /** Whether any process of the tree has ever been seen; never true without /proc, or if all processes are hidden. */
  readonly isSeen: boolean;
}

export interface Switches {
  readonly voluntary: number;
  readonly involuntary: number;
}

/** The sum of several uses at the same time; a figure of the sum is unknown if any of them lacks it. */
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
 * Joins two successive uses: adds CPU times, and takes the larger figure of memory, threads and files, and the smaller
 * one of files left.
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

/** The least of the numbers that are known; null if none is. */
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

/** A use between two moments on this isolate's `performance.now()`. */
interface UseSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly use: UseSample;
  /** The most cores in use among the intervals that were joined; null: this is a single interval. */
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

/** The use of one process tree, look by look; in a long run, several looks are joined. */
export class UseSeries {
  readonly #spans: JoinedSeries<UseSpan>;
  #lastMs: number | null = null;

  constructor(private readonly times: LookTimes) {
    this.#spans = new JoinedSeries(mostIntervalsOf(times.intervalMs), joinSpans);
  }

  /**
   * Adds a look; the first one only starts the series. An interval much shorter than usual is joined to the one before,
   * because a rate over it would say little.
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
