/**
 * A profiler samples what one process does, for a while, with the runtime's own means. Each profiler (V8, pprof,
 * py-spy, perf) has one file, and one line in `profilers.ts`; `tests/conformance/profilers_slow_test.ts` runs the same
 * suite over all of them.
 *
 * A profiler never harms the target, and never waits for it without end: if it can't get a profile, it throws an error
 * that says why, and the process goes without one. It leaves no process and no connection behind.
 */
import type { CallTree, Frame } from "../../base/profile/call_tree.ts";
import { unescaped } from "../../base/secret_fields.ts";

/** A process of the target. */
export interface ProfiledProcess {
  readonly pid: number;
  /** The file name of the process's program, such as `node`. */
  readonly program: string;
}

export interface ProfilingContext {
  /** The address at which the target gets its requests, `http://host:port`. */
  readonly origin: string;
  /** The path at which the target serves profiles as Go does, from the experiment; null: none. */
  readonly pprofPath: string | null;
  /** How long to sample, in milliseconds; some profilers have to know this when they begin. */
  readonly forMs: number;
  /** Ends the sampling early: the user interrupts, or the target is gone. */
  readonly signal: AbortSignal;
}

/** The samples of one process. */
export interface ProcessSamples {
  /** The profile as the runtime wrote it, for the runtime's own tools. */
  readonly bytes: Uint8Array;
  readonly tree: CallTree;
  /** The time in which the process had nothing to do, in milliseconds; the tree does not contain it. */
  readonly idleMs: number;
  readonly samples: number;
}

export interface RunningProfiler {
  /**
   * Ends the sampling and returns the samples so far. To be called once, even if the target is gone. Throws an Error
   * that says why there are none.
   */
  stop(): Promise<ProcessSamples>;
}

export interface Profiler {
  /** Whether the profiler can sample this process. */
  suits(process: ProfiledProcess, context: ProfilingContext): boolean;
  /** The ending of the profiler's files, with the dot. */
  readonly ending: string;
  /** Begins to sample. Throws an Error that says why this is not possible. */
  start(process: ProfiledProcess, context: ProfilingContext): Promise<RunningProfiler>;
}

/** The number of path segments at the end that identify a file. */
const SEGMENTS = 2;

/**
 * Matches the path of a package: in Node's `node_modules`, Deno's cache, Python's `site-packages`, or Go's modules,
 * whose names contain versions.
 */
const IN_PACKAGE = /^.*\/(?:node_modules|site-packages|registry\.[^/]+|pkg\/mod)\/(.+)$/s;

/**
 * Matches other paths of code that is not the program's own: Go's vendored packages and own sources, and Python's own
 * modules.
 */
const OF_OTHERS = /\/(?:vendor|go[^/]*\/src|lib\/python[\d.]+)\//;

/** The mark of a frame whose file belongs to the program itself. @param url The same as in `moduleOf`. */
export function ownOf(url: string): Pick<Frame, "own"> {
  const isFile = /^(?:file:\/\/)?\//.test(url);
  return isFile && !IN_PACKAGE.test(url) && !OF_OTHERS.test(url) ? { own: true } : {};
}

/**
 * The short name of a module: the package and the file in it, or the end of the path.
 * @param url A file as a runtime names it, by address or path; "" if the frame has none.
 */
export function moduleOf(url: string): string {
  if (/^(?:node|ext|internal|deno):/.test(url)) return url;
  if (url.startsWith("data:")) return "data:";
  const [path] = unescaped(url.replace(/^\w+:\/\/[^/]*/, "")).split(/[?#]/, 1);
  const inPackage = IN_PACKAGE.exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  return path.split("/").filter((part) => part !== "").slice(-SEGMENTS).join("/");
}
