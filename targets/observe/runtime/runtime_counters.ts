/**
 * The runtime counters of a target: its processes report each into a file of its own in a folder of this target, and a
 * Go program on its standard error. A target that reports nothing is not waited for.
 */
import { lstatSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setImmediate } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { epochNowMs } from "../../../base/system/clock.ts";
import { readStat } from "../../../base/system/processes.ts";
import { TemporaryFolder } from "../../../base/system/temporary_folder.ts";
import { CarefulFile } from "../../../base/careful_file.ts";
import {
  CounterReader,
  type CounterSink,
  type CounterSource,
  ReportRoom,
  type Reports,
} from "./counter_records.ts";
import { GoTrace, OUTPUT_LATE_MS } from "./go_trace.ts";
import pythonScript from "./sitecustomize.py" with { type: "text" };
import v8Script from "./v8_counters.mjs" with { type: "text" };

const V8_SCRIPT = "v8_counters.mjs";
const SCRIPTS = { [V8_SCRIPT]: v8Script, "sitecustomize.py": pythonScript };
const ENDING = ".jsonl";
/** The name of a file: while it exists, processes on V8 write their reports. They look for it every 250 ms. */
const REQUEST = "requested";
/** The most processes of a target to keep: those that have reported most. */
const MOST_PROCESSES = 64;
/** The most files to look at in order to find those processes. */
const MOST_FILES = 4_096;
/** The longest first line of a process, which names the process. */
const HEAD_BYTES = 512;
const LINE_FEED = 0x0a;
/** The bytes to read at a time, so that signals are heard and load is sent in between. */
const READ_BYTES = 262_144;
/**
 * How long to wait for the last report. Reports come within 250 ms; a process that is later has stopped, or has nothing
 * to report.
 */
const LAST_REPORT_MS = 400;
/**
 * How long to wait for a process that lives and has reported so far: its event loop may be blocked, or the machine may
 * halt.
 */
const LAST_BUSY_REPORT_MS = 3_000;
const LOOK_MS = 100;

interface CounterOptions {
  /** Whether Node also reports the work of V8's compilers. */
  readonly compiler: boolean;
}

export class RuntimeCounters implements CounterSink, CounterSource {
  readonly #traces: GoTrace[] = [];
  /** The report files by path. */
  readonly #files = new Map<string, ReportFile>();
  #room = new ReportRoom();

  private constructor(
    private readonly folder: TemporaryFolder,
    private readonly options: CounterOptions,
  ) {}

  static open(options: CounterOptions): RuntimeCounters {
    const folder = TemporaryFolder.make("counters");
    for (const [name, text] of Object.entries(SCRIPTS)) folder.write(name, text);
    return new RuntimeCounters(folder, options);
  }

  get module(): string {
    const module = pathToFileURL(join(this.folder.path, V8_SCRIPT));
    if (this.options.compiler) module.search = "compiler";
    return module.href;
  }

  /** The environment in which Node, Python and Go report counters. */
  env(given: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...given,
      NODE_OPTIONS: joined([given.NODE_OPTIONS, `--import=${this.module}`], " "),
      PYTHONPATH: joined([this.folder.path, given.PYTHONPATH], delimiter),
      GODEBUG: joined([given.GODEBUG, "gctrace=1"], ","),
    };
  }

  /** The program's arguments with those that make it report, if it takes such arguments, as Deno does. */
  args(args: readonly string[]): string[] {
    const isRun = ["run", "serve"].includes(args[0]);
    return isRun ? [args[0], `--preload=${this.module}`, ...args.slice(1)] : [...args];
  }

  /** Returns a function that takes the standard error of one of the target's programs. */
  errorReader(): (bytes: Uint8Array) => void {
    const trace = new GoTrace();
    this.#traces.push(trace);
    return (bytes) => trace.take(bytes, epochNowMs());
  }

  begin(): void {
    this.#request(false);
    this.#room = new ReportRoom();
    for (const path of this.#paths()) this.#fileAt(path).begunBytes = sizeOf(path);
    for (const { reader } of this.#files.values()) reader.forget();
    for (const trace of this.#traces) trace.forget();
  }

  async take(untilMs: number, signal: AbortSignal): Promise<Reports> {
    this.#request(true);
    const lateMs = this.#paths().length > 0 ? LAST_REPORT_MS : OUTPUT_LATE_MS;
    await pause(Math.min(untilMs + lateMs - epochNowMs(), lateMs), signal);
    const files = this.#busiest();
    await this.#read(files);
    const lastMs = untilMs + LAST_BUSY_REPORT_MS;
    while (files.some((file) => isAwaited(file, untilMs)) && epochNowMs() < lastMs) {
      if (signal.aborted) break;
      await pause(LOOK_MS, signal);
      await this.#read(files);
    }
    const reports = files.flatMap(({ reader }) => reader.counters() ?? []);
    const traced = this.#traces.flatMap((trace) => trace.counters() ?? []);
    return { processes: [...reports, ...traced], leftOut: this.#room.leftOut };
  }

  /** Must be called once the target has ended. */
  async close(): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }

  #request(isRequested: boolean): void {
    const path = join(this.folder.path, REQUEST);
    try {
      if (isRequested) CarefulFile.toAppend(path)[Symbol.dispose]();
      else Deno.removeSync(path);
    } catch {
      // the file did not exist, or the target has put something else in its place
    }
  }

  #fileAt(path: string): ReportFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = { path, reader: new CounterReader(), begunBytes: 0, readBytes: 0 };
    this.#files.set(path, file);
    return file;
  }

  /** The report files that grew most since the load began. */
  #busiest(): ReportFile[] {
    const all = this.#paths().map((path) => this.#fileAt(path))
      .map((file) => ({ file, newBytes: sizeOf(file.path) - file.begunBytes }))
      .sort((a, b) => b.newBytes - a.newBytes);
    const others = all.slice(MOST_PROCESSES).filter(({ newBytes }) => newBytes > 0);
    this.#room.leftOut.processes += others.length;
    return all.slice(0, MOST_PROCESSES).map(({ file }) => file);
  }

  /** Reads the new parts of the files, a part at a time, so that signals are heard meanwhile. */
  async #read(files: readonly ReportFile[]): Promise<void> {
    for (const file of files) {
      try {
        for (const _ of newPartsOf(file, this.#room)) await nextTurn();
      } catch {
        // the target has removed the file, or put something else in its place
      }
    }
  }

  /** The paths of the files in which processes report, without links and pipes. */
  #paths(): string[] {
    try {
      const entries = [...Deno.readDirSync(this.folder.path)];
      const named = entries.filter(({ name, isFile }) => isFile && name.endsWith(ENDING));
      this.#room.leftOut.processes = Math.max(0, named.length - MOST_FILES);
      return named.slice(0, MOST_FILES).map(({ name }) => join(this.folder.path, name));
    } catch {
      return []; // the target has removed the folder
    }
  }
}

/** The file in which one process reports. */
interface ReportFile {
  readonly path: string;
  readonly reader: CounterReader;
  /** The length of the file when the load began. */
  begunBytes: number;
  /** The number of bytes that have been read or passed over. */
  readBytes: number;
}

/** The size of a file; 0 if it does not exist. */
function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads what was written since the load began, part by part. Throws an Error if it cannot be read. */
function* newPartsOf(file: ReportFile, room: ReportRoom): Generator<void> {
  using opened = CarefulFile.toRead(file.path);
  const { reader, begunBytes } = file;
  if (file.readBytes < begunBytes) {
    if (file.readBytes === 0) reader.take(firstLineOf(opened), room);
    reader.skip();
    file.readBytes = begunBytes - 1; // begins with the line break before the new part
  }
  const newBytes = opened.size - file.readBytes;
  if (newBytes <= 0) return;
  const taken = room.takeBytes(newBytes, file.readBytes - begunBytes);
  const buffer = new Uint8Array(Math.min(taken, READ_BYTES));
  for (let left = taken; left > 0;) {
    const part = buffer.subarray(0, opened.read(buffer.subarray(0, left), file.readBytes));
    if (part.length === 0) return;
    reader.take(part, room);
    file.readBytes += part.length;
    left -= part.length;
    yield;
  }
  if (taken === newBytes) return;
  reader.skip();
  file.readBytes += newBytes - taken;
}

function firstLineOf(file: CarefulFile): Uint8Array {
  const start = new Uint8Array(HEAD_BYTES);
  const length = file.read(start, 0);
  const end = start.indexOf(LINE_FEED) + 1;
  return end > 0 && end <= length ? start.subarray(0, end) : Uint8Array.of(LINE_FEED);
}

/** Whether a process that reports steadily has not yet reported the end of the load, and still can. */
function isAwaited({ reader }: ReportFile, untilMs: number): boolean {
  const { isSteady = false, pid = null, spans = [] } = reader.counters() ?? {};
  if (!isSteady || pid === null || (spans.at(-1)?.atMs ?? 0) >= untilMs) return false;
  const state = readStat(pid)?.state ?? "X";
  return !ENDED_OR_HALTED.includes(state);
}

/** The states of proc(5) in which a process cannot report: zombie, dead, or stopped. */
const ENDED_OR_HALTED = "ZXxTt";

/** Resolves after everything else that waits for this thread has had its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the time is over, or the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}

function joined(texts: readonly (string | undefined)[], by: string): string {
  return texts.filter((text) => text).join(by);
}
