/**
 * Garbage collections of a Go program, from the lines that its runtime prints to standard error with
 * `GODEBUG=gctrace=1` (https://pkg.go.dev/runtime#hdr-Environment_Variables):
 *
 *     gc 5 @0.071s 4%: 0.018+1.1+0.003 ms clock, 0.14+0.35/1.0/0.2+0.02 ms cpu, 4->4->0 MB, 4 MB goal, …, 8 P
 */
import type { Collection, CounterSpan, ProcessCounters } from "./counter_records.ts";

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const LINE = new RegExp(
  String.raw`^gc \d+ @${NUMBER}s \d+%: ${NUMBER}\+${NUMBER}\+${NUMBER} ms clock, ` +
    String.raw`${NUMBER}\+${NUMBER}/${NUMBER}/${NUMBER}\+${NUMBER} ms cpu, ` +
    String.raw`(\d+)->(\d+)->(\d+) MB`,
);

/** Whether the Go runtime, rather than the program, printed this line. */
export function isGoTrace(line: string): boolean {
  return /^gc \d+ @\d/.test(line);
}

/**
 * A line may be read up to this long after it was written, because there are pauses between reads of a program's pipes.
 */
export const OUTPUT_LATE_MS = 20;
/** The longest line that is read in full. */
const LONGEST_LINE = 1_000;
/** The maximum number of collections to keep, enough for some minutes at 200 a second. */
const MOST_COLLECTIONS = 100_000;

interface TracedCollection {
  /** The start of the collection, in milliseconds since the program started. */
  readonly sinceStartMs: number;
  readonly clockMs: readonly [number, number, number];
  readonly cpuMs: number;
  readonly heapBytes: number;
}

/** Reads the standard error of one program as it arrives. */
export class GoTrace {
  readonly #decoder = new TextDecoder();
  #begun = "";
  /** When the first byte of the unfinished line arrived. */
  #begunMs = Infinity;
  #found: TracedCollection[] = [];
  /**
   * The program's start, in ms since the epoch. This is the earliest time that any line implies, because a line can
   * only arrive after the moment it reports, never before.
   */
  #startedMs = Infinity;

  take(bytes: Uint8Array, nowMs: number): void {
    const lines = (this.#begun + this.#decoder.decode(bytes, { stream: true })).split("\n");
    let lineMs = this.#begun === "" ? nowMs : this.#begunMs;
    this.#begun = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) {
      this.#takeLine(line, lineMs);
      lineMs = nowMs;
    }
    this.#begunMs = lineMs;
  }

  /**
   * @param seenMs When the line's first byte arrived. Go writes the whole line at once, but the rest may be read later.
   */
  #takeLine(line: string, seenMs: number): void {
    const traced = tracedIn(line);
    if (traced === null) return;
    const endMs = traced.sinceStartMs + sum(traced.clockMs);
    this.#startedMs = Math.min(this.#startedMs, seenMs - endMs);
    if (this.#found.length < MOST_COLLECTIONS) this.#found.push(traced);
  }

  /** Drops all collections found so far, because they belong to earlier runs. */
  forget(): void {
    this.#found = [];
  }

  /** The counters of the program; null if it has reported no collection. */
  counters(): ProcessCounters | null {
    if (this.#found.length === 0) return null;
    const collections = this.#found.map((traced) => collectionOf(traced, this.#startedMs));
    const spans = this.#found.map((traced, i): CounterSpan => ({
      atMs: collections[i].atMs + collections[i].ms,
      forMs: 0,
      more: { count: 0, ms: 0 },
      delay: null,
      utilization: null,
      heap: traced.heapBytes,
    }));
    return { pid: null, runtime: "go", collections, stalls: [], spans };
  }
}

/**
 * The largest valid number, about a century in ms. A larger one can't be a time, and sums with it would not be exact.
 */
const MOST = 3e12;

function tracedIn(line: string): TracedCollection | null {
  const [, ...texts] = LINE.exec(line.trim()) ?? [];
  if (texts.length === 0 || texts.some((text) => Number(text) > MOST)) return null;
  const [startS, first, middle, last, sweep, assist, dedicated, , termination, , , live] = texts
    .map(Number);
  return {
    sinceStartMs: 1_000 * startS,
    clockMs: [first, middle, last],
    // Work on otherwise idle processors is not included.
    cpuMs: sweep + assist + dedicated + termination,
    heapBytes: live * 1_048_576,
  };
}

function collectionOf(
  { sinceStartMs, clockMs, cpuMs }: TracedCollection,
  startedMs: number,
): Collection {
  return {
    atMs: startedMs + sinceStartMs,
    ms: sum(clockMs),
    stoppedMs: clockMs[0] + clockMs[2],
    kind: "cycle",
    withinMs: 0,
    cpuMs,
  };
}

function sum(all: readonly number[]): number {
  return all.reduce((whole, each) => whole + each, 0);
}
