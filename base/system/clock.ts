/** The clock of a worker. Reading Deno's own takes 40 to 75 ns, libc's 27 ns, and each request is timed twice. */
import { CLOCK_MONOTONIC, type Libc, libc } from "./libc.ts";

// struct timespec as 32-bit words, little-endian; neither high word is ever set.
const SECONDS = 0;
const NANOSECONDS = 2;

/** A monotonic clock: microseconds since an arbitrary moment, with fractions. */
export type Clock = () => number;

export function monotonicClock(): Clock {
  return sharedClock() ?? (() => performance.now() * 1_000);
}

/** The clock shared by all isolates of this process; null if libc can't be called. */
function sharedClock(): Clock | null {
  try {
    return libcClock(libc());
  } catch {
    return null;
  }
}

/** A moment in a form that another isolate of this process can read. */
export interface Moment {
  /** Milliseconds since the epoch, by the clock of the sending isolate (`epochNowMs`). */
  readonly epochMs: number;
  /** The same moment by the shared clock; null if there is none. */
  readonly sharedUs: number | null;
}

/**
 * Milliseconds since the epoch by this isolate: it reads the system's clock once, at its start, and then adds the time
 * of a monotonic clock. When the system's clock steps, isolates that start later disagree by that step.
 */
export function epochNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** @param epochMs The moment by the clock of this isolate. */
export function momentOf(epochMs: number): Moment {
  const clock = sharedClock();
  return { epochMs, sharedUs: clock && clock() + (epochMs - epochNowMs()) * 1_000 };
}

/** Converts a moment to microseconds of `clock`, which is this isolate's `monotonicClock()`. */
export function momentUs(
  { epochMs, sharedUs }: Moment,
  clock: Clock,
  nowMs = epochNowMs(),
): number {
  return sharedUs ?? clock() + (epochMs - nowMs) * 1_000;
}

function libcClock({ clock_gettime }: Libc): Clock {
  const time = new Int32Array(4);
  return () => {
    clock_gettime(CLOCK_MONOTONIC, time);
    return time[SECONDS] * 1e6 + time[NANOSECONDS] / 1e3;
  };
}

const STEPS = 20;
const MOST_READS = 100_000;

/**
 * The smallest step of a clock in microseconds: times that differ by less look the same. If a reading takes longer than
 * the clock's step, the result is the time of a reading. Infinity for a clock that stands still.
 */
export function stepUsOf(clock: () => number): number {
  let smallestUs = Infinity;
  let lastUs = clock();
  for (let reads = 0, steps = 0; reads < MOST_READS && steps < STEPS; reads++) {
    const nowUs = clock();
    if (nowUs > lastUs) {
      smallestUs = Math.min(smallestUs, nowUs - lastUs);
      steps++;
    }
    lastUs = nowUs;
  }
  return smallestUs;
}
