/**
 * The runtime counters of a target: what its processes report of themselves, each into a file of its own in a folder
 * of this target, and a Go program on its standard error. Nobody waits for a target that reports nothing.
 */
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { epochNowMs } from "../../../base/system/clock.ts";
import { readStat } from "../../../base/system/processes.ts";
import {
  type CounterSink,
  type CounterSource,
  type ProcessCounters,
  readCounters,
} from "./counter_records.ts";
import { GoTrace, OUTPUT_LATE_MS } from "./go_trace.ts";
import pythonScript from "./sitecustomize.py" with { type: "text" };
import v8Script from "./v8_counters.mjs" with { type: "text" };

const V8_SCRIPT = "v8_counters.mjs";
const ENDING = ".jsonl";
/** While it is there, V8's processes write what they know. They look for it every 250 ms. */
const REQUEST = "requested";
/** Of the processes of a target those that have reported most. */
const MOST_PROCESSES = 64;
/** Of one process in one run, some 8 minutes of one that collects without pause; and of all. */
const MOST_BYTES = 16 * 1_048_576;
const MOST_OF_ALL = 64 * 1_048_576;
/** The first line of a process, which names it, is shorter. */
const HEAD_BYTES = 200;
/** Reports come within 250 ms; one that is later comes from a process that has stopped, or has none. */
const LAST_REPORT_MS = 400;
/** Of one that lives and reports all the time, where its event loop is blocked or the machine halts. */
const LAST_BUSY_REPORT_MS = 5_000;
const LOOK_MS = 100;

export class RuntimeCounters implements CounterSink, CounterSource {
  readonly #traces: GoTrace[] = [];
  /** Length of each file when the load began. */
  #begun: ReadonlyMap<string, number> = new Map();

  private constructor(private readonly folder: string) {}

  static async open(): Promise<RuntimeCounters> {
    const folder = await Deno.makeTempDir({ prefix: "plateau-counters-" });
    await Deno.writeTextFile(join(folder, V8_SCRIPT), v8Script);
    await Deno.writeTextFile(join(folder, "sitecustomize.py"), pythonScript);
    return new RuntimeCounters(folder);
  }

  get module(): string {
    return pathToFileURL(join(this.folder, V8_SCRIPT)).href;
  }

  /** The environment in which Node, Python and Go report. */
  env(given: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...given,
      NODE_OPTIONS: joined([given.NODE_OPTIONS, `--import=${this.module}`], " "),
      PYTHONPATH: joined([this.folder, given.PYTHONPATH], delimiter),
      GODEBUG: joined([given.GODEBUG, "gctrace=1"], ","),
    };
  }

  /** Arguments of the program with which it reports, where that takes an argument: Deno's. */
  args(args: readonly string[]): string[] {
    const isRun = ["run", "serve"].includes(args[0]);
    return isRun ? [args[0], `--preload=${this.module}`, ...args.slice(1)] : [...args];
  }

  /** Takes what one of its programs prints to standard error. */
  errorReader(): (bytes: Uint8Array) => void {
    const trace = new GoTrace();
    this.#traces.push(trace);
    return (bytes) => trace.take(bytes, epochNowMs());
  }

  begin(): void {
    this.#request(false);
    this.#begun = new Map(this.#files().map(({ path, size }) => [path, size]));
    for (const trace of this.#traces) trace.forget();
  }

  async take(untilMs: number): Promise<ProcessCounters[]> {
    this.#request(true);
    const lateMs = this.#files().length > 0 ? LAST_REPORT_MS : OUTPUT_LATE_MS;
    const waitMs = untilMs + lateMs - epochNowMs();
    if (waitMs > 0) await sleep(Math.min(waitMs, lateMs));
    let reports = this.#reports();
    const isAwaited = ({ isSteady = false, pid, spans }: ProcessCounters): boolean =>
      isSteady && (spans.at(-1)?.atMs ?? 0) < untilMs && pid !== null && readStat(pid) !== null;
    while (reports.some(isAwaited) && epochNowMs() < untilMs + LAST_BUSY_REPORT_MS) {
      await sleep(LOOK_MS);
      reports = this.#reports();
    }
    return [...reports, ...this.#traces.flatMap((trace) => trace.counters() ?? [])];
  }

  #request(isRequested: boolean): void {
    const path = join(this.folder, REQUEST);
    try {
      if (isRequested) Deno.writeTextFileSync(path, "");
      else Deno.removeSync(path);
    } catch {
      // it was not there, or the target has removed the folder
    }
  }

  #reports(): ProcessCounters[] {
    const files = this.#files().sort((a, b) => this.#newBytes(b) - this.#newBytes(a));
    let left = MOST_OF_ALL;
    return files.slice(0, MOST_PROCESSES).flatMap((file) => {
      const most = Math.min(left, MOST_BYTES);
      left -= Math.min(most, this.#newBytes(file));
      return this.#read(file, most) ?? [];
    });
  }

  /** Once the target has ended. */
  async close(): Promise<void> {
    await Deno.remove(this.folder, { recursive: true }).catch(() => {}); // another user's process wrote there
  }

  #newBytes({ path, size }: CounterFile): number {
    return size - (this.#begun.get(path) ?? 0);
  }

  #read({ path }: CounterFile, mostBytes: number): ProcessCounters | null {
    const head = textFrom(path, 0, HEAD_BYTES).split("\n")[0];
    return readCounters(head, textFrom(path, this.#begun.get(path) ?? 0, mostBytes));
  }

  #files(): CounterFile[] {
    try {
      return [...Deno.readDirSync(this.folder)].flatMap(({ name, isFile }) => {
        if (!isFile || !name.endsWith(ENDING)) return []; // a link or a pipe would be somebody else's
        const path = join(this.folder, name);
        return [{ path, size: Deno.lstatSync(path).size }];
      });
    } catch {
      return []; // the target has removed them
    }
  }
}

interface CounterFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

function joined(texts: readonly (string | undefined)[], by: string): string {
  return texts.filter((text) => text).join(by);
}

/** "" where it can't be read. */
function textFrom(path: string, offset: number, mostBytes: number): string {
  try {
    using file = Deno.openSync(path);
    file.seekSync(offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(mostBytes, Math.max(0, file.statSync().size - offset)));
    let length = 0;
    for (let read: number | null = 1; read !== null && read > 0 && length < bytes.length;) {
      read = file.readSync(bytes.subarray(length));
      length += read ?? 0;
    }
    return new TextDecoder().decode(bytes.subarray(0, length));
  } catch {
    return "";
  }
}
