// deno-lint-ignore-file explicit-function-return-type -- JavaScript, because it runs in the target as it is
/**
 * Runs inside of a target on V8, before its program: Node by --import, Deno by --preload. Writes what the runtime does
 * beside the program's own work into a file of its own beside this one, for each quarter of a second.
 * `counter_records.ts` reads that file. Nothing here may ever disturb the program.
 */
import { existsSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setInterval } from "node:timers";
import { fileURLToPath } from "node:url";
import * as v8 from "node:v8";
import { isMainThread } from "node:worker_threads";

/** Interval of the timer whose lateness is the event loop's delay. */
const TICK_MS = 20;
const SPAN_MS = 250;
/** Writing holds the program up for milliseconds, so it is done when it is requested, and otherwise this rarely. */
const WRITE_MS = 30_000;
/** Checking for a request to write delays all open HTTP requests by 0.2 ms, so a busy program checks this rarely. */
const LOOK_MS = 2_000;
/** CPU time in ms for each millisecond, above which a program is busy. */
const BUSY = 0.5;
/** The file that requests writing: it exists while the reader of the reports waits for them. */
const REQUEST = fileURLToPath(new URL("./requested", import.meta.url));
/** A timer that is this late shows a stall of the event loop, not chance. */
const STALL_MS = 10;
/** The most in one record; all further collections are only counted. */
const MOST_COLLECTIONS = 200 * WRITE_MS / SPAN_MS;
const MOST_STALLS = 200;

const isDeno = "Deno" in globalThis;
/** The work of compilers is reported only if the module's URL asks for it, because it makes V8's trace longer. */
const seesCompiler = new URL(import.meta.url).searchParams.has("compiler");

class Counters {
  lastMs = performance.now();
  spanMs = this.lastMs;
  writtenMs = this.lastMs;
  lookedMs = this.lastMs;
  cpuUs = cpuUs();
  spanCpuUs = this.cpuUs;
  /** Spans with the values as read; records are computed from them only when they are written. */
  spans = [];
  utilization = eventLoopUtilization();
  collections = [];
  stalls = [];
  more = { count: 0, ms: 0 };
  /** The moment and kind of each optimisation by one of V8's compilers, and of each deoptimisation. */
  compiled = [];
  delay = { count: 0, sum: 0, max: 0 };
  profiler = null;

  constructor(file) {
    this.file = file;
    this.trace = isDeno ? null : new Trace(this);
  }

  collected(startMs, ms, kind, withinMs = 0) {
    if (this.collections.length < MOST_COLLECTIONS) {
      this.collections.push([epoch(startMs), rounded(ms), kind, rounded(withinMs)]);
    } else {
      this.more.count++;
      this.more.ms += ms;
    }
  }

  tick() {
    const nowMs = performance.now();
    const lateMs = Math.max(0, nowMs - this.lastMs - TICK_MS);
    const usedUs = cpuUs();
    this.delay.count++;
    this.delay.sum += lateMs;
    this.delay.max = Math.max(this.delay.max, lateMs);
    if (lateMs >= STALL_MS && this.stalls.length < MOST_STALLS) {
      const cpuMs = Math.min(lateMs, (usedUs - this.cpuUs) / 1_000);
      this.stalls.push([epoch(nowMs - lateMs), rounded(lateMs), rounded(cpuMs)]);
    }
    if (isDeno) this.takeProfile(nowMs);
    this.lastMs = nowMs;
    this.cpuUs = usedUs;
    if (nowMs - this.spanMs >= SPAN_MS) this.endSpan(nowMs);
  }

  /** Deno reports no collections to observers. Its profiler only tells their lengths, not when they began. */
  takeProfile(nowMs) {
    for (const { cost, gcType } of this.profiler?.stop()?.statistics ?? []) {
      const kind = gcType === "Scavenge" ? "minor" : "major";
      this.collected(this.lastMs, cost / 1e6, kind, nowMs - this.lastMs);
    }
    this.profiler = new v8.GCProfiler();
    this.profiler.start();
  }

  /** Only reads values, because all open HTTP requests wait for this. */
  endSpan(nowMs) {
    const { delay, stalls } = this;
    const heap = v8.getHeapStatistics().used_heap_size;
    this.spans.push({
      nowMs,
      spanMs: this.spanMs,
      delay,
      stalls,
      heap,
      utilization: eventLoopUtilization(),
    });
    const isBusy = (this.cpuUs - this.spanCpuUs) / 1_000 > BUSY * (nowMs - this.spanMs);
    this.spanMs = nowMs;
    this.spanCpuUs = this.cpuUs;
    this.stalls = [];
    this.delay = { count: 0, sum: 0, max: 0 };
    if (isBusy && nowMs - this.lookedMs < LOOK_MS) return;
    this.lookedMs = nowMs;
    if (nowMs - this.writtenMs >= WRITE_MS || existsSync(REQUEST)) this.flush(nowMs);
  }

  /** Writes a record for each span; the last one holds the collections of all of them. */
  flush(nowMs) {
    this.trace?.take();
    const records = this.spans.map((span) => this.recordOf(span));
    if (seesCompiler && !isDeno) this.countCompiled(records);
    const { collections, more: { count, ms } } = this;
    Object.assign(records.at(-1), { collections, more: [count, rounded(ms)] });
    this.spans = [];
    this.collections = [];
    this.more = { count: 0, ms: 0 };
    this.writtenMs = nowMs;
    this.write(...records);
    this.lastMs = performance.now(); // so that the time of writing does not count as a delay of the program
  }

  /** Counts the work of compilers in the record of the span in which it was done. */
  countCompiled(records) {
    for (const record of records) record.compiler = { maglev: 0, turbofan: 0, deoptimized: 0 };
    for (const [atMs, what] of this.compiled) {
      const span = records.find(({ at }) => atMs <= at) ?? records.at(-1);
      span.compiler[what]++;
    }
    this.compiled = [];
  }

  recordOf({ nowMs, spanMs, delay, stalls, heap, utilization }) {
    const before = this.utilization;
    this.utilization = utilization;
    return {
      at: epoch(nowMs),
      forMs: rounded(nowMs - spanMs),
      collections: [],
      more: [0, 0],
      stalls,
      delay: [rounded(delay.sum / Math.max(1, delay.count)), rounded(delay.max)],
      utilization: utilization && performance.eventLoopUtilization(utilization, before).utilization,
      heap,
    };
  }

  write(...records) {
    writeSync(this.file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
}

const TRACED_KINDS = { MinorGC: "minor", MajorGC: "major" };

/** V8's trace events on the main thread, where code that other threads have compiled is put in place. */
const COMPILED = {
  "V8.MaglevConcurrentFinalize": "maglev",
  "V8.MaglevPrepare": "maglev", // with --no-concurrent-recompilation
  "V8.OptimizeConcurrentFinalize": "turbofan",
  "V8.OptimizeNonConcurrent": "turbofan",
  "V8.DeoptimizeCode": "deoptimized",
};

/**
 * Node's collections, and the work of its compilers, as V8 itself traces them. A PerformanceObserver would take 0.1 ms
 * for each collection, because its entries are built with deprecated accessors, and the requests that waited for the
 * collection would wait for that, too.
 */
class Trace {
  offsetMs = traceOffsetMs();
  beginsUs = { MinorGC: 0, MajorGC: 0 };
  /** The end of the last deoptimisation; one that begins before it is a part of it. */
  deoptimizedUs = 0;

  constructor(counters) {
    const { Session } = createRequire(import.meta.url)("node:inspector"); // Deno has none of these
    this.counters = counters;
    this.session = new Session();
    this.session.connect();
    this.session.on("NodeTracing.dataCollected", ({ params }) => this.read(params.value));
    this.start();
  }

  start() {
    const includedCategories = ["v8", ...seesCompiler ? ["disabled-by-default-v8.compile"] : []];
    this.session.post("NodeTracing.start", { traceConfig: { includedCategories } });
  }

  /** Makes V8 hand over at once what it has traced since the last call. */
  take() {
    this.session.post("NodeTracing.stop");
    this.start();
  }

  read(events) {
    // Threads of workers are traced, too; a batch names its threads at its end.
    const main = events.find(({ args }) => args.name === "JavaScriptMainThread")?.tid;
    for (const { name, ph, ts, dur, tid } of events) {
      if (tid !== main) continue;
      if (seesCompiler && name in COMPILED) this.compiled(COMPILED[name], ts, ts + dur);
      if (!(name in TRACED_KINDS)) continue;
      if (ph === "B") this.beginsUs[name] = ts;
      else this.ended(name, ts);
    }
  }

  compiled(what, fromUs, toUs) {
    if (what === "deoptimized") {
      if (fromUs < this.deoptimizedUs) return;
      this.deoptimizedUs = toUs;
    }
    this.counters.compiled.push([performance.timeOrigin + toUs / 1_000 + this.offsetMs, what]);
  }

  ended(name, atUs) {
    const beganUs = this.beginsUs[name];
    this.beginsUs[name] = 0;
    if (beganUs === 0) return; // the trace's buffer had no room for its beginning
    const ms = (atUs - beganUs) / 1_000;
    this.counters.collected(beganUs / 1_000 + this.offsetMs, ms, TRACED_KINDS[name]);
  }
}

/**
 * `performance.now` less the clock of traces, in ms. A late second reading makes it too small, so the largest is right.
 */
function traceOffsetMs() {
  const tries = [1, 2, 3].map(() => performance.now() - Number(process.hrtime.bigint()) / 1e6);
  return Math.max(...tries);
}

function epoch(ms) {
  return rounded(performance.timeOrigin + ms);
}

function rounded(ms) {
  return Math.round(ms * 1_000) / 1_000;
}

/** Null for Deno, which does not measure it. */
function eventLoopUtilization() {
  return isDeno ? null : performance.eventLoopUtilization();
}

function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function start() {
  const path = fileURLToPath(new URL(`./${process.pid}.jsonl`, import.meta.url));
  const counters = new Counters(openSync(path, "a"));
  const runtime = isDeno ? `deno ${globalThis.Deno.version.deno}` : `node ${process.version}`;
  counters.write({ pid: process.pid, runtime, isSteady: true });
  const timer = setInterval(() => {
    try {
      counters.tick();
    } catch {
      clearInterval(timer); // the disk is full, or the file is gone
    }
  }, TICK_MS);
  timer.unref();
}

/** Set once this has started, because Deno may load it twice, by an argument and by NODE_OPTIONS. */
const STARTED = Symbol.for("plateau.counters");

try {
  const seesCollections = !isDeno || "GCProfiler" in v8; // Deno 2.6 lacks it: without counts, 0 would be shown
  if (isMainThread && seesCollections && !(STARTED in globalThis)) {
    globalThis[STARTED] = true;
    start();
  }
} catch {
  // the program may not write there, so it runs without counters
}
