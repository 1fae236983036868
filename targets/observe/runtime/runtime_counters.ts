/**
 * Collects the runtime counters of a target. Each process writes its reports to a file of its own, in a folder made for
 * the target, except that a Go program prints them to standard error. A target that reports nothing is not waited for.
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
/**
 * While a file of this name exists, V8 processes write their reports promptly; otherwise they write only every 30 s.
 * They check for the file every 250 ms or, if they are busy, every 2 s.
 */
const REQUEST = "requested";
/** The maximum number of processes whose reports are read. If there are more, those that reported most are read. */
const MOST_PROCESSES = 64;
/** The maximum number of report files to consider. */
const MOST_FILES = 4_096;
/** The maximum length of the first line of a file, which names the process. */
const HEAD_BYTES = 512;
const LINE_FEED = 0x0a;
/** How many bytes to read at a time. Between two reads, signals are handled and load is sent. */
const READ_BYTES = 262_144;
/** How long to wait for the last reports. A process that is not busy reports within 250 ms. */
const LAST_REPORT_MS = 400;
/**
 * How long to wait for a process that is alive and has not yet reported up to the end of the load. A busy one checks
 * only every 2 s whether to report, and its event loop may be blocked.
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

  /** Adds the variables that make Node, Python and Go report counters. */
  env(given: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...given,
      NODE_OPTIONS: joined([given.NODE_OPTIONS, `--import=${this.module}`], " "),
      PYTHONPATH: joined([this.folder.path, given.PYTHONPATH], delimiter),
      GODEBUG: joined([given.GODEBUG, "gctrace=1"], ","),
    };
  }

  /** Adds the argument that makes Deno load the reporting module. Other programs' arguments stay unchanged. */
  args(args: readonly string[]): string[] {
    const isRun = ["run", "serve"].includes(args[0]);
    return isRun ? [args[0], `--preload=${this.module}`, ...args.slice(1)] : [...args];
  }

  /** Returns a function to which the standard error of one of the target's programs is passed. */
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

  /** Must be called after the target has ended. */
  async close(): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }

  #request(isRequested: boolean): void {
    const path = join(this.folder.path, REQUEST);
    try {
      if (isRequested) CarefulFile.toAppend(path)[Symbol.dispose]();
      else Deno.removeSync(path);
    } catch {
      // the file did not exist, or the target has replaced it with something else
    }
  }

  #fileAt(path: string): ReportFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = { path, reader: new CounterReader(), begunBytes: 0, readBytes: 0 };
    this.#files.set(path, file);
    return file;
  }

  /** The report files that have grown most since the load began. */
  #busiest(): ReportFile[] {
    const all = this.#paths().map((path) => this.#fileAt(path))
      .map((file) => ({ file, newBytes: sizeOf(file.path) - file.begunBytes }))
      .sort((a, b) => b.newBytes - a.newBytes);
    const others = all.slice(MOST_PROCESSES).filter(({ newBytes }) => newBytes > 0);
    this.#room.leftOut.processes += others.length;
    return all.slice(0, MOST_PROCESSES).map(({ file }) => file);
  }

  /** Reads the new parts of the files in small pieces, so that signals are handled in between. */
  async #read(files: readonly ReportFile[]): Promise<void> {
    for (const file of files) {
      try {
        for (const _ of newPartsOf(file, this.#room)) await nextTurn();
      } catch {
        // the target has removed the file, or replaced it with something else
      }
    }
  }

  /** The paths of the files with reports. Links and pipes are ignored. */
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

interface ReportFile {
  readonly path: string;
  readonly reader: CounterReader;
  /** The length of the file when the load began. */
  begunBytes: number;
  /** How far the file has been read or skipped, in bytes. */
  readBytes: number;
}

/** The size of a file in bytes; 0 if it does not exist. */
function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads what was written since the load began, piece by piece. Throws an Error if the file cannot be read. */
function* newPartsOf(file: ReportFile, room: ReportRoom): Generator<void> {
  using opened = CarefulFile.toRead(file.path);
  const { reader, begunBytes } = file;
  if (file.readBytes < begunBytes) {
    if (file.readBytes === 0) reader.take(firstLineOf(opened), room);
    reader.skip();
    // The line break before the new part is read, too, because it ends the skipped line.
    file.readBytes = begunBytes - 1;
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

/**
 * Whether more is to come from a process that reports regularly: it can still report, but has not yet covered the time
 * up to the end of the load.
 */
function isAwaited({ reader }: ReportFile, untilMs: number): boolean {
  const { isSteady = false, pid = null, spans = [] } = reader.counters() ?? {};
  if (!isSteady || pid === null || (spans.at(-1)?.atMs ?? 0) >= untilMs) return false;
  const state = readStat(pid)?.state ?? "X";
  return !ENDED_OR_HALTED.includes(state);
}

/** The process states of proc(5) in which a process cannot report: zombie, dead or stopped. */
const ENDED_OR_HALTED = "ZXxTt";

/** Resolves after everything else that this thread already has to do. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}

function joined(texts: readonly (string | undefined)[], by: string): string {
  return texts.filter((text) => text).join(by);
}
