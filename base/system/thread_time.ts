/**
 * The time that the calling thread spent on a core, and the time that it waited for one. The time of waiting is the
 * most direct evidence that a worker was held up: it had work to do but no core.
 */
import process from "node:process";
import { readSystemFile } from "./linux.ts";
import { windowsThreadMs } from "./windows.ts";

/** Times of a thread since its start, microseconds. */
export interface ThreadTime {
  readonly cpuUs: number;
  /** Time ready to run without a core; null if unknown. */
  readonly waitedUs: number | null;
}

/**
 * Sources of the calling thread's times. Each except `process` works on one system only: it returns null on any other,
 * or if access is denied.
 */
interface ThreadClocks {
  /** /proc/thread-self/schedstat. */
  readonly schedstat: () => string | null;
  readonly windowsMs: () => number | null;
  readonly macNs: () => bigint | null;
  /** Time of the whole process, available on every system, microseconds. */
  readonly process: () => { readonly user: number; readonly system: number };
}

const OF_THIS_SYSTEM: ThreadClocks = {
  schedstat: () => readSystemFile("/proc/thread-self/schedstat"),
  windowsMs: () => windowsThreadMs(),
  macNs: macThreadNs,
  process: () => process.cpuUsage(),
};

/**
 * The times of the calling thread, with the resolution of a nanosecond on Linux and macOS, and of a scheduler's tick
 * (some 16 ms) on Windows. If none is available, uses the CPU time of the whole process, which is never less.
 */
export function threadTime(clocks: ThreadClocks = OF_THIS_SYSTEM): ThreadTime {
  const time = parseSchedstat(clocks.schedstat() ?? "");
  if (time !== null) return time;
  const windowsMs = clocks.windowsMs();
  if (windowsMs !== null) return { cpuUs: windowsMs * 1_000, waitedUs: null };
  const macNs = clocks.macNs();
  if (macNs !== null) return { cpuUs: Number(macNs) / 1_000, waitedUs: null };
  const { user, system } = clocks.process();
  return { cpuUs: user + system, waitedUs: null };
}

/** Constant from time.h of macOS. */
const CLOCK_THREAD_CPUTIME_ID = 16;
const MAC_CALLS = {
  clock_gettime_nsec_np: { parameters: ["i32"], result: "u64" },
} as const;
let macCalls: Deno.DynamicLibrary<typeof MAC_CALLS>["symbols"] | undefined;

function macThreadNs(): bigint | null {
  if (Deno.build.os !== "darwin") return null;
  try {
    macCalls ??= Deno.dlopen("/usr/lib/libSystem.B.dylib", MAC_CALLS).symbols;
    return macCalls.clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID);
  } catch {
    return null; // FFI is not permitted
  }
}

/**
 * Reads a line `running waiting timeslices` (Documentation/scheduler/sched-stats.rst); null if the kernel does not
 * count these.
 */
export function parseSchedstat(text: string): ThreadTime | null {
  const [runningNs, waitingNs] = text.trim().split(" ").map(Number);
  if (!(runningNs > 0) || !(waitingNs >= 0)) return null;
  return { cpuUs: runningNs / 1_000, waitedUs: waitingNs / 1_000 };
}

/** Id of the calling thread (Linux: `/proc/thread-self` links to PID/task/ID); null on other systems. */
export function ownThread(): number | null {
  try {
    return Number(Deno.readLinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return null;
  }
}
