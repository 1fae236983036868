/** The profilers by name, in the order in which they are tried. */
import { perfProfiler } from "./perf.ts";
import { pprofProfiler } from "./pprof.ts";
import { type ProfilerName, PROFILERS } from "../../base/profile/call_tree.ts";
import type { ProfiledProcess, Profiler, ProfilingContext } from "./profiler.ts";
import { pySpyProfiler } from "./py_spy.ts";
import { v8Profiler } from "./v8.ts";

export const profilers = {
  v8: v8Profiler,
  "py-spy": pySpyProfiler,
  pprof: pprofProfiler,
  perf: perfProfiler,
} satisfies Record<ProfilerName, Profiler>;

/** Null: nobody is for it. */
export function profilerFor(
  process: ProfiledProcess,
  context: ProfilingContext,
): ProfilerName | null {
  return PROFILERS.find((name) => profilers[name].suits(process, context)) ?? null;
}
