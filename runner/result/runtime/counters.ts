/** What the runtimes of a target reported about themselves during a run, on the time axis of the run's timeline. */
import * as z from "zod";
import {
  COLLECTION_KINDS,
  compilerWork,
} from "../../../targets/observe/runtime/counter_records.ts";

const count = z.int().min(0);
const ms = z.number().min(0);
const share = z.number().min(0).max(1);
const seconds = z.number().describe("Seconds since the start of the run");

const delay = z.strictObject({ mean: ms, max: ms }).nullable().describe(
  "How late timers of the event loop were, sampled every 10 ms; null if the runtime has no event loop",
);
const utilization = share.nullable().describe(
  "Share of the time in which the event loop had work; null if the runtime does not report it",
);
const heap = z.number().min(0).nullable().describe("Bytes in use; null: unknown");
const stoppedMs = ms.describe("Time for which garbage collections stopped the program");

const compiler = compilerWork.optional().describe(
  "Work of V8's optimising compilers; absent if it was not requested, or the runtime does not report it",
);

const watchedProcess = z.strictObject({
  pid: z.int().min(1).nullable().describe("Null: unknown"),
  runtime: z.string(),
  collections: count,
  collectionMs: ms.describe("Time of all garbage collections, each from start to end"),
  stoppedMs,
  longestMs: ms.describe("Time of the longest garbage collection"),
  cpuMs: ms.nullable().describe("CPU time of garbage collections; null if not reported"),
  delay,
  utilization,
  heap: heap.describe("Largest heap, bytes; null: unknown"),
  compiler,
});

const point = z.strictObject({
  endS: z.number().describe("End of the interval, seconds since the start of the run"),
  collections: count,
  stoppedMs,
  delay: ms.nullable().describe("The highest delay of any process's event loop"),
  utilization: utilization.describe("The highest utilization of any process's event loop"),
  heap: heap.describe("Heap of all processes, bytes; null: unknown"),
  compiler,
});

const collection = z.strictObject({
  startS: seconds,
  ms: ms.describe("Time from start to end"),
  stoppedMs,
  kind: z.enum(COLLECTION_KINDS).describe(
    "Kind of the garbage collection: minor, major, incremental or weak in V8; minor or major in Python; cycle in Go",
  ),
  withinMs: ms.optional().describe(
    "The collection began at most this long after startS; absent: exactly then",
  ),
});

const stall = z.strictObject({
  startS: seconds,
  ms: ms.describe("Lower bound of the time for which the event loop was blocked"),
  cpuMs: ms.describe("CPU time of the process during the stall"),
});

const overlap = z.strictObject({
  overlapping: count.describe(
    "Slowest requests during which a pause of at least a tenth of their latency occurred",
  ),
  expected: z.number().min(0).describe(
    "Number of slowest requests that would overlap a pause by chance, if each request came at a random moment of the run",
  ),
});

const leftOut = z.strictObject({
  processes: count.describe("Number of processes left out, beyond the 64 that reported most"),
  bytes: count.describe("Bytes beyond 16 MB of one process, or 64 MB of all processes"),
  lines: count.describe("Number of lines that are not records, or are longer than 2 MB"),
  collections: count.describe(
    "Garbage collections beyond 100,000: they are in the sums, but in no list and no overlap",
  ),
  stalls: count.describe("Stalls beyond 20,000"),
});

export const counters = z.strictObject({
  processes: z.array(watchedProcess),
  points: z.array(point).describe(
    "One point for each interval of the timeline in which a runtime reported",
  ),
  collections: z.array(collection).describe(
    "The 200 longest garbage collections, in the order of their starts",
  ),
  stalls: z.array(stall).describe(
    "The 200 longest stalls, in the order of their starts: an event loop was blocked for at least 10 ms, and not by a garbage collection",
  ),
  slowest: z.strictObject({
    requests: count.describe(
      "The slowest thousandth of the run's requests: at least ten, at most 1,000",
    ),
    collections: overlap,
    stalls: overlap.describe("Overlap of the slowest requests with stalls that used a core"),
  }),
  leftOut: leftOut.optional().describe("Reports that were not read; absent: none"),
});

export type Counters = z.output<typeof counters>;
export type CountersPoint = Counters["points"][number];
