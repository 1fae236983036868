/**
 * What the runtime of one process has reported of itself: collections of its garbage collector, delays of its event
 * loop, its heap. Read from lines that a target may have spoiled: what is no record is left out. Pure.
 */
import * as z from "zod";

export const COLLECTION_KINDS = ["minor", "major", "incremental", "weak", "cycle"] as const;
export type CollectionKind = typeof COLLECTION_KINDS[number];

/** Times are milliseconds since the epoch. */
export interface Collection {
  readonly atMs: number;
  /** From its start to its end. */
  readonly ms: number;
  /** Of it, for which the program stood still. */
  readonly stoppedMs: number;
  readonly kind: CollectionKind;
  /** It began within so long after `atMs`; 0 where the runtime says exactly when. */
  readonly withinMs: number;
  /** CPU time that it took, of all threads; null where the runtime does not say. */
  readonly cpuMs: number | null;
}

/** A time for which the event loop did not turn: at least so long. */
export interface Stall {
  readonly atMs: number;
  readonly ms: number;
  /** CPU time of the process in it; little where it had no core, or waited in a system call. */
  readonly cpuMs: number;
}

/** Some part of a second. */
export interface CounterSpan {
  /** Its end. */
  readonly atMs: number;
  readonly forMs: number;
  /** Collections that are not listed. */
  readonly more: { readonly count: number; readonly ms: number };
  /** Of the event loop: how late its timers were, milliseconds. */
  readonly delay: { readonly mean: number; readonly max: number } | null;
  /** Share of the time in which the event loop had work. */
  readonly utilization: number | null;
  /** Bytes. */
  readonly heap: number | null;
}

export interface ProcessCounters {
  readonly pid: number | null;
  /** With its version. */
  readonly runtime: string;
  readonly collections: readonly Collection[];
  readonly stalls: readonly Stall[];
  readonly spans: readonly CounterSpan[];
  /** It reports all the time, not only where something happens. */
  readonly isSteady?: boolean;
}

/** Reports of the runtimes of a target. */
export interface CounterSource {
  /** To be called when a load begins: what was before is none of it. */
  begin(): void;
  /** What was reported since. @param untilMs The end of the load, milliseconds since the epoch. */
  take(untilMs: number): Promise<ProcessCounters[]>;
}

/** How a target is started whose runtime reports counters. */
export interface CounterSink {
  /** URL of the module that reports, for V8's runtimes. */
  readonly module: string;
  env(given: Readonly<Record<string, string>>): Record<string, string>;
  /** Of Deno. */
  args(args: readonly string[]): string[];
  /** Takes what one program prints to standard error. */
  errorReader(): (bytes: Uint8Array) => void;
}

const ms = z.number().min(0);
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
  more: pair,
  stalls: z.array(z.tuple([ms, ms, ms])),
  delay: pair.nullable(),
  utilization: z.number().min(0).max(1).nullable(),
  heap: ms.nullable(),
});

/** What a process has written; null where that begins with no line that says whose it is. */
export function readCounters(headLine: string, text: string): ProcessCounters | null {
  const read = head.safeParse(jsonOrNull(headLine));
  if (!read.success) return null;
  const records = text.split("\n").flatMap((line) => {
    const found = record.safeParse(jsonOrNull(line));
    return found.success ? [found.data] : []; // a line that is begun, too
  });
  return {
    ...read.data,
    collections: records.flatMap(({ collections }) =>
      collections.map(([atMs, ms, kind, withinMs]) => (
        { atMs, ms, stoppedMs: ms, kind, withinMs, cpuMs: null }
      ))
    ),
    stalls: records.flatMap(({ stalls }) =>
      stalls.map(([atMs, ms, cpuMs]) => ({ atMs, ms, cpuMs }))
    ),
    spans: records.map(({ at, forMs, more: [count, ms], delay, utilization, heap }) => ({
      atMs: at,
      forMs,
      more: { count, ms },
      delay: delay && { mean: delay[0], max: delay[1] },
      utilization,
      heap,
    })),
  };
}

function jsonOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
