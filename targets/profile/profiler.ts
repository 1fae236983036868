/**
 * A profiler samples for a while what one process does, in a way that suits the process's runtime. Each profiler (V8,
 * pprof, py-spy, perf) has one file, and one line in `profilers.ts`; `tests/conformance/profilers_slow_test.ts` runs
 * the same tests on all of them.
 *
 * A profiler never harms the target, and never waits for it forever. If it can't get a profile, it throws an error that
 * says why, and the process is not profiled. It leaves no process and no connection behind.
 */
import type { CallTree, Frame } from "../../base/profile/call_tree.ts";
import { unescaped } from "../../base/secret_fields.ts";

export interface ProfiledProcess {
  readonly pid: number;
  /** The file name of the program that the process runs, such as `node`. */
  readonly program: string;
}

export interface ProfilingContext {
  /** The origin to which the target's requests are sent, such as `http://host:port`. */
  readonly origin: string;
  /** The path at which the target serves pprof profiles, from the experiment; null if it serves none. */
  readonly pprofPath: string | null;
  /** How long to sample, in milliseconds. Some profilers need to know this when they start. */
  readonly forMs: number;
  /** Ends the sampling early if the user interrupts the run or the target is gone. */
  readonly signal: AbortSignal;
}

/** The samples of one process. */
export interface ProcessSamples {
  /** The content of the profile's file, in a format that other tools can open. */
  readonly bytes: Uint8Array;
  readonly tree: CallTree;
  /** How long the process was idle, in milliseconds. The tree does not include this time. */
  readonly idleMs: number;
  readonly samples: number;
}

export interface RunningProfiler {
  /**
   * Returns the samples. To do so, it ends the sampling or, if the profiler samples for a fixed time, waits for its
   * end. Must be called exactly once, even if the target is gone. Throws an Error that says why there are no samples.
   */
  stop(): Promise<ProcessSamples>;
}

export interface Profiler {
  suits(process: ProfiledProcess, context: ProfilingContext): boolean;
  /** The file extension of the profiler's files, with the dot. */
  readonly ending: string;
  /** Starts to sample. Throws an Error that says why this is not possible. */
  start(process: ProfiledProcess, context: ProfilingContext): Promise<RunningProfiler>;
}

/** A file is identified by this many segments at the end of its path. */
const SEGMENTS = 2;

/**
 * Matches the path of a file in a package: in Node's `node_modules`, Deno's cache, Python's `site-packages`, or Go's
 * module cache. Captures the path from the package's name, which may include a version.
 */
const IN_PACKAGE = /^.*\/(?:node_modules|site-packages|registry\.[^/]+|pkg\/mod)\/(.+)$/s;

/**
 * Matches other paths of code that is not the program's own: packages that Go vendors, and the standard libraries of Go
 * and Python.
 */
const OF_OTHERS = /\/(?:vendor|go[^/]*\/src|lib\/python[\d.]+)\//;

/**
 * Marks a frame as the program's own if its file belongs to the program, and not to a package or a standard library.
 * @param url The same as in `moduleOf`.
 */
export function ownOf(url: string): Pick<Frame, "own"> {
  const isFile = /^(?:file:\/\/)?\//.test(url);
  return isFile && !IN_PACKAGE.test(url) && !OF_OTHERS.test(url) ? { own: true } : {};
}

/**
 * The short name of a module: its package and the file within it, or the last segments of its path.
 * @param url The file's URL or path as the runtime reports it; "" if the frame has none.
 */
export function moduleOf(url: string): string {
  if (/^(?:node|ext|internal|deno):/.test(url)) return url;
  if (url.startsWith("data:")) return "data:";
  const [path] = unescaped(url.replace(/^\w+:\/\/[^/]*/, "")).split(/[?#]/, 1);
  const inPackage = IN_PACKAGE.exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  return path.split("/").filter((part) => part !== "").slice(-SEGMENTS).join("/");
}
