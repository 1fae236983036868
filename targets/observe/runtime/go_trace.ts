/**
 * Collections of a Go program, by the lines that `GODEBUG=gctrace=1` lets its runtime print to standard error
 * (https://pkg.go.dev/runtime#hdr-Environment_Variables):
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

/** Whether a line was printed by the Go runtime and not by the program. */
export function isGoTrace(line: string): boolean {
  return /^gc \d+ @\d/.test(line);
}

/** The most by which a line may be read late, because the program's pipes are read with pauses. */
export const OUTPUT_LATE_MS = 20;
/** The longest line of the Go runtime. */
const LONGEST_LINE = 1_000;
/** The most collections to keep: those of some minutes at 200 a second. */
const MOST_COLLECTIONS = 100_000;

interface TracedCollection {
  /** The start of the collection, in milliseconds since the start of the program. */
  readonly sinceStartMs: number;
  readonly clockMs: readonly [number, number, number];
  readonly cpuMs: number;
  readonly heapBytes: number;
}

/** Reads the output of one program as it comes. */
export class GoTrace {
  readonly #decoder = new TextDecoder();
  #begun = "";
  /** The moment at which the first byte of the present line arrived. */
  #begunMs = Infinity;
  #found: TracedCollection[] = [];
  /**
   * The program's start, in ms since the epoch: the earliest moment that a line allows, because no line can arrive
   * before the moment it reports.
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

  /** @param seenMs When the line's first byte arrived: the rest is written at once, but may be read later. */
  #takeLine(line: string, seenMs: number): void {
    const traced = tracedIn(line);
    if (traced === null) return;
    const endMs = traced.sinceStartMs + sum(traced.clockMs);
    this.#startedMs = Math.min(this.#startedMs, seenMs - endMs);
    if (this.#found.length < MOST_COLLECTIONS) this.#found.push(traced);
  }

  /** Forgets the collections of earlier runs. */
  forget(): void {
    this.#found = [];
  }

  /** The counters of the program; null if there was no line. */
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
 * The largest number in a line: a century in ms. A larger one is not a time, and sums would not be exact.
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
    cpuMs: sweep + assist + dedicated + termination, // without the work that was done on idle processors
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
