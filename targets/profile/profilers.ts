/**
 * Profiles all processes of a target at the same time, each with the profiler that suits it. If a process can't be
 * profiled, a note says so, and the others are profiled all the same.
 */
import { messageOf } from "../../base/errors.ts";
import { descendantsOf, processCpuMs, readProgram } from "../../base/system/processes.ts";
import { type ProfilerName, PROFILERS } from "../../base/profile/call_tree.ts";
import type { RunningTarget } from "../launch/launcher.ts";
import type {
  ProcessSamples,
  ProfiledProcess,
  Profiler,
  ProfilingContext,
  RunningProfiler,
} from "./profiler.ts";
import { perfProfiler } from "./perf.ts";
import { pprofProfiler } from "./pprof.ts";
import { pySpyProfiler } from "./py_spy.ts";
import { v8Profiler } from "./v8.ts";

/** The profilers by name. They are tried in the order of `PROFILERS`. */
const profilers = {
  v8: v8Profiler,
  "py-spy": pySpyProfiler,
  pprof: pprofProfiler,
  perf: perfProfiler,
} satisfies Record<ProfilerName, Profiler>;

function profilerFor(
  process: ProfiledProcess,
  context: ProfilingContext,
): ProfilerName | null {
  return PROFILERS.find((name) => profilers[name].suits(process, context)) ?? null;
}

/** The maximum number of processes to profile. More profiles would add no insight, and slow the target down more. */
const MOST_PROCESSES = 16;

export interface ProcessProfile extends ProfiledProcess {
  readonly profiler: ProfilerName;
  /** The file extension of the profile, with the dot. */
  readonly ending: string;
  readonly sampled: ProcessSamples | null;
  /** Why there are no samples; null if there are some. */
  readonly reason: string | null;
}

interface BegunProfile extends ProfiledProcess {
  readonly profiler: ProfilerName;
  readonly sampling: RunningProfiler | Error;
}

export interface ProfileSession {
  /** Ends the sampling of all processes. Must be called exactly once, even if the target is gone. */
  stop(): Promise<{ readonly processes: ProcessProfile[]; readonly notes: string[] }>;
}

export async function startProfiles(
  target: Pick<RunningTarget, "pid" | "supervised" | "parts">,
  context: ProfilingContext,
): Promise<ProfileSession> {
  const all = processesOf(target);
  const busiest = all.slice(0, MOST_PROCESSES);
  const begun = await Promise.all(busiest.map((process) => begin(process, context)));
  return {
    async stop(): ReturnType<ProfileSession["stop"]> {
      const processes = await Promise.all(begun.flatMap((each) => each === null ? [] : end(each)));
      return { processes, notes: notesOf(all, processes) };
    },
  };
}

/** The processes of the target, beginning with those that have used the most CPU time so far. */
function processesOf(
  target: Pick<RunningTarget, "pid" | "supervised" | "parts">,
): ProfiledProcess[] {
  const trees = target.parts?.() ?? [target];
  const pids = trees.flatMap(({ pid, supervised }) => {
    if (pid === null) return [];
    return supervised ? descendantsOf(pid) : [pid, ...descendantsOf(pid)];
  });
  const used = new Map(pids.map((pid) => [pid, processCpuMs(pid) ?? 0]));
  return [...used].sort(([, a], [, b]) => b - a)
    .map(([pid]) => ({ pid, program: readProgram(pid) }));
}

async function begin(
  process: ProfiledProcess,
  context: ProfilingContext,
): Promise<BegunProfile | null> {
  const profiler = profilerFor(process, context);
  if (profiler === null) return null;
  const sampling = await started(profiler, process, context);
  return { ...process, profiler, sampling };
}

async function started(
  profiler: ProfilerName,
  process: ProfiledProcess,
  context: ProfilingContext,
): Promise<RunningProfiler | Error> {
  try {
    return await profilers[profiler].start(process, context);
  } catch (error) {
    return asError(error);
  }
}

async function end({ sampling, ...process }: BegunProfile): Promise<ProcessProfile> {
  const { ending } = profilers[process.profiler];
  const sampled = sampling instanceof Error ? sampling : await sampling.stop().catch(asError);
  return sampled instanceof Error
    ? { ...process, ending, sampled: null, reason: messageOf(sampled) }
    : { ...process, ending, sampled, reason: null };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function notesOf(
  all: readonly ProfiledProcess[],
  processes: readonly ProcessProfile[],
): string[] {
  const failed = processes.filter(({ reason }) => reason !== null);
  const byReason = Map.groupBy(failed, ({ program, reason }) => `${program}: ${reason}`);
  const left = all.length - MOST_PROCESSES;
  return [
    ...all.length === 0 ? ["no process of the target on this machine could be profiled"] : [],
    ...[...byReason].map(([why, those]) =>
      `no profile of process ${those.map(({ pid }) => pid).join(", ")} (${why})`
    ),
    ...left > 0
      ? [`only the ${MOST_PROCESSES} busiest of ${all.length} processes were profiled`]
      : [],
  ];
}
