/** What a watch of processes gives, and when it looks. */
import type { WatchedPart } from "../launch/launcher.ts";

/** What processes used at one moment; rates are over the interval that ends there. */
export interface UsePoint {
  /** Seconds since the start of the load. */
  readonly endS: number;
  /** Cores in use: 1 is one whole core. */
  readonly cpu: number;
  /** Resident memory, bytes; what processes share is counted for each. */
  readonly memory: number;
  /** Of `cpu`. The rest is absent where it is unknown. */
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
  /** Of the whole target; none when there is no process of ours. */
  readonly resources: UsePoint[];
  /** Of each of its parts, where there are several, and of Redis. */
  readonly parts: PartUse[];
}

export interface PartUse {
  readonly role: WatchedPart["role"] | "redis";
  readonly name: string;
  readonly points: UsePoint[];
  readonly keyspace?: Keyspace;
  /** Of Redis: share of the time in which it carried out commands. */
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
