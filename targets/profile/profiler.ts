/**
 * A profiler samples what one process does, for a while, with the runtime's own means. One file a member (V8, pprof,
 * py-spy, perf), one line in `profilers.ts`; `tests/conformance/profilers_slow_test.ts` runs the same suite over all of them.
 *
 * A member never harms the target, and never waits for it without end: what it can't have, it throws as an error
 * that says why, and the process then goes without a profile. It leaves no process and no connection behind.
 */
import type { CallTree, Frame } from "../../base/profile/call_tree.ts";
import { unescaped } from "../../base/secret_fields.ts";

/** A process of the target. */
export interface ProfiledProcess {
  readonly pid: number;
  /** File name of its program, such as `node`. */
  readonly program: string;
}

export interface ProfilingContext {
  /** Where the target gets its requests: `http://host:port`. */
  readonly origin: string;
  /** Path of its profile in Go's manner, as the experiment has it; null for none. */
  readonly pprofPath: string | null;
  /** How long is sampled, milliseconds: some have to know it when they begin. */
  readonly forMs: number;
  /** Ends it early: the user interrupts, or the target is gone. */
  readonly signal: AbortSignal;
}

/** The samples of one process. */
export interface ProcessSamples {
  /** The profile as the runtime wrote it, for the runtime's own tools. */
  readonly bytes: Uint8Array;
  readonly tree: CallTree;
  /** Time without anything to do, milliseconds; it is not in the tree. */
  readonly idleMs: number;
  readonly samples: number;
}

export interface RunningProfiler {
  /**
   * Ends it and gives what there is. To be called once, also where the target is gone. Throws an Error that says
   * why there is nothing.
   */
  stop(): Promise<ProcessSamples>;
}

export interface Profiler {
  /** Whether it is for such a process. */
  suits(process: ProfiledProcess, context: ProfilingContext): boolean;
  /** Ending of its files, with the dot. */
  readonly ending: string;
  /** Begins to sample. Throws an Error that says why it can't. */
  start(process: ProfiledProcess, context: ProfilingContext): Promise<RunningProfiler>;
}

// Short names of modules: the package and the file in it, or the end of a path.

/** As many segments of a path as identify a file. */
const SEGMENTS = 2;

/** Node's folder of packages, Deno's cache of them, Python's, and Go's with a version. */
const IN_PACKAGE = /^.*\/(?:node_modules|site-packages|registry\.[^/]+|pkg\/mod)\/(.+)$/s;

/** Go's copies of packages and its own sources, and Python's own modules. */
const OF_OTHERS = /\/(?:vendor|go[^/]*\/src|lib\/python[\d.]+)\//;

/** The mark of a frame whose file belongs to the program itself. @param url As in `moduleOf`. */
export function ownOf(url: string): Pick<Frame, "own"> {
  const isFile = /^(?:file:\/\/)?\//.test(url);
  return isFile && !IN_PACKAGE.test(url) && !OF_OTHERS.test(url) ? { own: true } : {};
}

/** @param url A file, as a runtime names it: an address or a path; "" for what has none. */
export function moduleOf(url: string): string {
  if (/^(?:node|ext|internal|deno):/.test(url)) return url;
  if (url.startsWith("data:")) return "data:";
  const [path] = unescaped(url.replace(/^\w+:\/\/[^/]*/, "")).split(/[?#]/, 1);
  const inPackage = IN_PACKAGE.exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  return path.split("/").filter((part) => part !== "").slice(-SEGMENTS).join("/");
}
