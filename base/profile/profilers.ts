/** Names of the profilers. */
export const PROFILERS = ["v8", "py-spy", "pprof", "perf"] as const;
export type ProfilerName = typeof PROFILERS[number];
