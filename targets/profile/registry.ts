/** The profilers by name, in the order in which they are asked whether a process is theirs. */
import { perfProfiler } from "./perf.ts";
import { pprofProfiler } from "./pprof.ts";
import { PROFILERS, type ProfilerName } from "../../base/profile/profilers.ts";
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
