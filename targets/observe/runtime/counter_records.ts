/**
 * The reports of the runtime of one process: collections of its garbage collector, delays of its event loop, its heap.
 * They are read from lines that a target may have damaged: a line that is not a record is left out. Pure.
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { isWithin, LIMITS } from "../../../base/limits.ts";
import { jsonOrNull } from "../../../base/yaml/json_text.ts";

export const COLLECTION_KINDS = ["minor", "major", "incremental", "weak", "cycle"] as const;
export type CollectionKind = typeof COLLECTION_KINDS[number];

/** A garbage collection. Times are milliseconds since the epoch. */
export interface Collection {
  readonly atMs: number;
  /** The time from the start to the end of the collection. */
  readonly ms: number;
  /** The part of that time in which the program stood still. */
  readonly stoppedMs: number;
  readonly kind: CollectionKind;
  /** The collection began at most this long after `atMs`; 0 if the runtime says exactly when. */
  readonly withinMs: number;
  /** The CPU time of the collection, of all threads; null if the runtime does not say. */
  readonly cpuMs: number | null;
}

/** A time in which the event loop did not turn; the true time may have been longer. */
export interface Stall {
  readonly atMs: number;
  readonly ms: number;
  /** The CPU time of the process meanwhile; small if it had no core, or waited in a system call. */
  readonly cpuMs: number;
}

/** The counts of work that V8's optimising compilers did. */
export const compilerWork = z.strictObject({
  maglev: z.int().min(0).describe("Functions that Maglev optimised"),
  turbofan: z.int().min(0).describe("Functions that TurboFan optimised"),
  deoptimized: z.int().min(0).describe(
    "Number of times that optimised code was given up for slower code",
  ),
});

export type CompilerWork = z.output<typeof compilerWork>;

/** A stretch of the run, with the runtime's reports of it. */
export interface CounterSpan {
  /** The end of the stretch. */
  readonly atMs: number;
  readonly forMs: number;
  /** The number and the total time of collections that are not listed. */
  readonly more: { readonly count: number; readonly ms: number };
  /** How late timers of the event loop were, in ms. */
  readonly delay: { readonly mean: number; readonly max: number } | null;
  /** The share of the time in which the event loop had work. */
  readonly utilization: number | null;
  /** The size of the heap in bytes. */
  readonly heap: number | null;
  /** The work of V8's compilers; undefined if the runtime does not report it. */
  readonly compiler?: CompilerWork;
}

export interface ProcessCounters {
  readonly pid: number | null;
  /** The runtime with its version. */
  readonly runtime: string;
  readonly collections: readonly Collection[];
  readonly stalls: readonly Stall[];
  readonly spans: readonly CounterSpan[];
  /** Whether the runtime reports all the time, not only when something happens. */
  readonly isSteady?: boolean;
}

/** The reports of a target's processes in one run. */
export interface Reports {
  readonly processes: readonly ProcessCounters[];
  readonly leftOut: LeftOut;
}

/** Reports of the runtimes of a target. */
export interface CounterSource {
  /** Must be called when a load begins: earlier reports do not count. */
  begin(): void;
  /**
   * The reports since `begin`.
   * @param untilMs The end of the load, milliseconds since the epoch.
   * @param signal Ends the wait for reports that are still to come.
   */
  take(untilMs: number, signal: AbortSignal): Promise<Reports>;
}

/** The arguments and environment with which a target is started so that its runtime reports counters. */
export interface CounterSink {
  /** The URL of the module that reports, for V8's runtimes. */
  readonly module: string;
  env(given: Readonly<Record<string, string>>): Record<string, string>;
  /** Deno's arguments, with those that load the module. */
  args(args: readonly string[]): string[];
  /** Returns a function that takes the standard error of one program. */
  errorReader(): (bytes: Uint8Array) => void;
}

/**
 * The largest figure; no runtime reports larger ones, and their sums would exceed the numbers that results can hold.
 */
const MOST_MS = 1e15;
const MOST_COUNT = 1e9;

const ms = z.number().min(0).max(MOST_MS);
const pair = z.tuple([ms, ms]);

const head = z.strictObject({
  pid: z.int().min(1),
  runtime: z.string().max(100),
  isSteady: z.boolean().optional(),
});

const record = z.strictObject({
  at: ms,
  forMs: ms,
  collections: z.array(z.tuple([ms, ms, z.enum(COLLECTION_KINDS), ms])),
  more: z.tuple([z.int().min(0).max(MOST_COUNT), ms]),
  stalls: z.array(z.tuple([ms, ms, ms])),
  delay: pair.nullable(),
  utilization: z.number().min(0).max(1).nullable(),
  heap: ms.nullable(),
  compiler: compilerWork.refine((work) => Object.values(work).every((each) => each <= MOST_COUNT))
    .optional(),
});

/**
 * How much of the reports of a target's processes in one run is not read, or is no record, or is not listed. All are 0
 * if nothing was left out.
 */
export interface LeftOut {
  /** The number of processes, or of files that look like the reports of one. */
  readonly processes: number;
  readonly bytes: number;
  /** The number of lines that are no records. */
  readonly lines: number;
  /** The number of collections that are in the sums but not listed. */
  readonly collections: number;
  readonly stalls: number;
}

/** Keeps count of how much of the reports of one run may still be read, and how much was left out. */
export class ReportRoom {
  readonly leftOut = { processes: 0, bytes: 0, lines: 0, collections: 0, stalls: 0 };
  #bytes = LIMITS.runtimeReports.most;
  #collections = LIMITS.collections.most;
  #stalls = LIMITS.stalls.most;

  /** How many of the `found` new bytes of one process to read; `before` bytes of it were read in this run already. */
  takeBytes(found: number, before: number): number {
    const taken = Math.min(found, this.#bytes, Math.max(0, LIMITS.runtimeReport.most - before));
    this.#bytes -= taken;
    this.leftOut.bytes += found - taken;
    return taken;
  }

  /** How many of the `found` collections can still be listed. */
  takeCollections(found: number): number {
    const taken = Math.min(found, this.#collections);
    this.#collections -= taken;
    this.leftOut.collections += found - taken;
    return taken;
  }

  takeStalls(found: number): number {
    const taken = Math.min(found, this.#stalls);
    this.#stalls -= taken;
    this.leftOut.stalls += found - taken;
    return taken;
  }
}

/** The kind of text at the next byte. */
type Place = "line" | "rest of a line that is not read";

/**
 * Reads the reports of one process as they come, in linear time: no byte is looked at twice. If the first line does not
 * name the process, everything is ignored.
 */
export class CounterReader {
  /** The process; undefined before the first line, null if that line does not name one. */
  #process: z.output<typeof head> | null | undefined = undefined;
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  #place: Place = "line";
  #collections: Collection[] = [];
  #stalls: Stall[] = [];
  #spans: CounterSpan[] = [];
  #spoiledLines = 0;

  /** Forgets the records read so far, so that they do not count in the next run. */
  forget(): void {
    this.#collections = [];
    this.#stalls = [];
    this.#spans = [];
    this.#spoiledLines = 0;
  }

  /** Says that bytes are left out here, so that what follows is the rest of a line. */
  skip(): void {
    this.#drop();
  }

  take(bytes: Uint8Array, room: ReportRoom): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#spoiledLines >= MOST_SPOILED) {
        room.leftOut.bytes += bytes.length - at;
        return this.#drop();
      }
      const found = bytes.indexOf(LINE_FEED, at);
      const end = found < 0 ? bytes.length : found;
      this.#takePart(bytes.subarray(at, end), room);
      if (found >= 0) this.#endLine(room);
      at = end + 1;
    }
  }

  /** The counters of the process; null if it has reported nothing. */
  counters(): ProcessCounters | null {
    if (!this.#process) return null;
    return {
      ...this.#process,
      collections: this.#collections,
      stalls: this.#stalls,
      spans: this.#spans,
    };
  }

  #takePart(part: Uint8Array, room: ReportRoom): void {
    if (this.#place !== "line" || part.length === 0) return;
    if (!isWithin("runtimeRecord", this.#begunBytes + part.length)) {
      room.leftOut.lines++;
      return this.#drop();
    }
    this.#begun.push(part.slice());
    this.#begunBytes += part.length;
  }

  #drop(): void {
    this.#place = "rest of a line that is not read";
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #endLine(room: ReportRoom): void {
    const line = this.#begunBytes === 0 ? "" : new TextDecoder().decode(joined(this.#begun));
    const isWhole = this.#place === "line";
    this.#begun = [];
    this.#begunBytes = 0;
    this.#place = "line";
    if (this.#process === undefined) {
      this.#process = isWhole ? head.safeParse(jsonOrNull(line)).data ?? null : null;
    } else if (this.#process !== null && isWhole && line !== "") {
      this.#takeRecord(line, room);
    }
  }

  #takeRecord(line: string, room: ReportRoom): void {
    const found = record.safeParse(jsonOrNull(line)).data;
    if (found === undefined) {
      this.#spoiledLines++;
      room.leftOut.lines++;
      return;
    }
    const {
      at,
      forMs,
      collections,
      more: [count, ms],
      stalls,
      delay,
      utilization,
      heap,
      compiler,
    } = found;
    const listed = collections.slice(0, room.takeCollections(collections.length));
    const others = collections.slice(listed.length);
    for (const [atMs, ms, kind, withinMs] of listed) {
      this.#collections.push({ atMs, ms, stoppedMs: ms, kind, withinMs, cpuMs: null });
    }
    for (const [atMs, ms, cpuMs] of stalls.slice(0, room.takeStalls(stalls.length))) {
      this.#stalls.push({ atMs, ms, cpuMs });
    }
    this.#spans.push({
      atMs: at,
      forMs,
      more: {
        count: count + others.length,
        ms: others.reduce((sum, [, otherMs]) => sum + otherMs, ms),
      },
      delay: delay && { mean: delay[0], max: delay[1] },
      utilization,
      heap,
      ...compiler && { compiler },
    });
  }
}

const LINE_FEED = 0x0a;
/**
 * The most invalid lines of one process in one run; after these, the rest is not read, because an error for each of
 * millions would take minutes.
 */
const MOST_SPOILED = 1_000;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}
