/**
 * A profiler samples what one process does, for a while, with the runtime's own means. One file a member (V8, pprof,
 * py-spy, perf), one line in `registry.ts`; `tests/conformance/profilers_test.ts` runs the same suite over all of them.
 *
 * A member never harms the target, and never waits for it without end: what it can't have, it throws as an error
 * that says why, and the process then goes without a profile. It leaves no process and no connection behind.
 */
import type { CallTree } from "../../base/profile/call_tree.ts";

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

/** What one process did. */
export interface Sampled {
  /** As the runtime wrote it, for the runtime's own tools. */
  readonly bytes: Uint8Array;
  readonly tree: CallTree;
  /** Time without anything to do, milliseconds; it is not in the tree. */
  readonly idleMs: number;
  readonly samples: number;
}

export interface Sampling {
  /**
   * Ends it and gives what there is. To be called once, also where the target is gone. Throws an Error that says
   * why there is nothing.
   */
  stop(): Promise<Sampled>;
}

export interface Profiler {
  /** Whether it is for such a process. */
  suits(process: ProfiledProcess, context: ProfilingContext): boolean;
  /** Of its files, with the dot. */
  readonly ending: string;
  /** Begins to sample. Throws an Error that says why it can't. */
  start(process: ProfiledProcess, context: ProfilingContext): Promise<Sampling>;
}
