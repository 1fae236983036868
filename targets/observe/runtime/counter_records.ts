/**
 * Reports from the runtime of one process: garbage collections, delays of the event loop, and the size of the heap.
 * They are read from lines that the target may have damaged, so lines that are no valid records are left out. Pure.
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
  /** The duration of the collection. */
  readonly ms: number;
  /** The part of `ms` in which the program stood still. */
  readonly stoppedMs: number;
  readonly kind: CollectionKind;
  /** The collection began at most this long after `atMs`; 0 if the runtime reports the exact time. */
  readonly withinMs: number;
  /** The CPU time of the collection on all threads; null if the runtime does not report it. */
  readonly cpuMs: number | null;
}

/** A time in which the event loop was blocked. It may have been blocked for longer than reported. */
export interface Stall {
  readonly atMs: number;
  readonly ms: number;
  /**
   * The CPU time that the process used meanwhile; it is small if the process had no core, or waited in a system call.
   */
  readonly cpuMs: number;
}

/** How much work V8's optimizing compilers have done. */
export const compilerWork = z.strictObject({
  maglev: z.int().min(0).describe("Functions that Maglev optimised"),
  turbofan: z.int().min(0).describe("Functions that TurboFan optimised"),
  deoptimized: z.int().min(0).describe(
    "Number of times that optimised code was given up for slower code",
  ),
});

export type CompilerWork = z.output<typeof compilerWork>;

/** What the runtime reports for one stretch of the run. */
export interface CounterSpan {
  /** The end of the stretch. */
  readonly atMs: number;
  readonly forMs: number;
  /**
   * The number and the total duration, in ms, of the collections that are not in `collections`, because the runtime
   * reports only their sum or there are too many to list.
   */
  readonly more: { readonly count: number; readonly ms: number };
  /** How late the event loop's timers fired, in ms. Here and below, null if the runtime does not report it. */
  readonly delay: { readonly mean: number; readonly max: number } | null;
  /** The share of the time in which the event loop was not idle. */
  readonly utilization: number | null;
  /** The size of the heap in bytes. */
  readonly heap: number | null;
  /** Undefined if the runtime does not report it. */
  readonly compiler?: CompilerWork;
}

export interface ProcessCounters {
  readonly pid: number | null;
  /** The name and version of the runtime. */
  readonly runtime: string;
  readonly collections: readonly Collection[];
  readonly stalls: readonly Stall[];
  readonly spans: readonly CounterSpan[];
  /** Whether the runtime reports at regular intervals, and not only when something happens. */
  readonly isSteady?: boolean;
}

/** The reports of a target's processes in one run. */
export interface Reports {
  readonly processes: readonly ProcessCounters[];
  readonly leftOut: LeftOut;
}

/** Where the reports of a target's runtimes come from. */
export interface CounterSource {
  /** Must be called when a load begins. Reports from before are dropped. */
  begin(): void;
  /**
   * Returns the reports since `begin`.
   * @param untilMs The end of the load, in milliseconds since the epoch.
   * @param signal Stops waiting for late reports.
   */
  take(untilMs: number, signal: AbortSignal): Promise<Reports>;
}

/** Makes the runtimes of a target report counters, through the arguments and environment it is started with. */
export interface CounterSink {
  /** The URL of the module that makes V8's runtimes report. */
  readonly module: string;
  env(given: Readonly<Record<string, string>>): Record<string, string>;
  /** Adds arguments that make Deno load the module. */
  args(args: readonly string[]): string[];
  /** Returns a function to which the standard error of one program is passed. */
  errorReader(): (bytes: Uint8Array) => void;
}

/**
 * The largest valid figures. No real report exceeds them, and sums of larger ones could not be stored exactly in
 * results.
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
 * What was left out of the reports of a target's processes in one run, because it was not read, was invalid, or is not
 * listed. All numbers are 0 if nothing was left out.
 */
export interface LeftOut {
  /**
   * The number of processes whose reports were not read. Each file that looks like the reports of a process counts as
   * one process.
   */
  readonly processes: number;
  readonly bytes: number;
  /** The number of lines that are no valid records. */
  readonly lines: number;
  /** The number of collections that are included in sums but not listed. */
  readonly collections: number;
  readonly stalls: number;
}

/** Limits how much of the reports of one run is read and listed, and counts what is left out. */
export class ReportRoom {
  readonly leftOut = { processes: 0, bytes: 0, lines: 0, collections: 0, stalls: 0 };
  #bytes = LIMITS.runtimeReports.most;
  #collections = LIMITS.collections.most;
  #stalls = LIMITS.stalls.most;

  /**
   * Returns how many of the `found` new bytes of one process may be read, and counts the others as left out.
   * @param before How many bytes of this process have been read in this run.
   */
  takeBytes(found: number, before: number): number {
    const taken = Math.min(found, this.#bytes, Math.max(0, LIMITS.runtimeReport.most - before));
    this.#bytes -= taken;
    this.leftOut.bytes += found - taken;
    return taken;
  }

  /** Returns how many of the `found` collections may be listed, and counts the others as left out. */
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

/** What the next byte belongs to. */
type Place = "line" | "rest of a line that is not read";

/**
 * Reads the reports of one process as they arrive, in linear time, because no byte is looked at twice. If the first
 * line does not name the process, everything is ignored.
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

  /** Drops the records that have been read, because they belong to an earlier run. */
  forget(): void {
    this.#collections = [];
    this.#stalls = [];
    this.#spans = [];
    this.#spoiledLines = 0;
  }

  /** Must be called where bytes are left out. The reader then ignores everything up to the next line break. */
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

  /** The counters of the process; null if no line has named the process. */
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
 * The maximum number of invalid lines from one process in one run. Beyond it, the rest is not read, because handling
 * millions of invalid lines would take minutes.
 */
const MOST_SPOILED = 1_000;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}
