/**
 * How long cores were idle: on Linux from /proc/stat (proc(5)), elsewhere as the system counts it. All other time
 * counts as use. The kernel's own counts of use are less exact: a kernel that samples them once a tick, as Debian's and
 * many others do, can be wrong by up to 0.6 cores (measured) about programs that wake and sleep in step with the ticks.
 * Idle time is measured to the nanosecond (get_idle_time, fs/proc/stat.c), and only written in steps of 10 ms.
 */
import os from "node:os";
import { readSystemFile } from "./linux.ts";

/** Total times of several cores since the machine started. */
export interface CoreTimes {
  readonly cores: number;
  /** Idle time, including waits for disks. */
  readonly idleMs: number;
  /** Time that this machine wanted and the hypervisor gave to another; null if it is not counted. */
  readonly stolenMs: number | null;
  /**
   * The time spent on interrupts, if the kernel counts it apart from the programs that were interrupted; else 0. The
   * kernel counts it apart (CONFIG_IRQ_TIME_ACCOUNTING) if it shows any time for hardware interrupts.
   */
  readonly interruptsMs: number;
}

/** Length of a tick: USER_HZ is 100 on every Linux. */
const TICK_MS = 10;
const [IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL] = [3, 4, 5, 6, 7];

/** @param allowed The cores to count; null: all. Returns null if the times are unknown. */
export function parseCoreTimes(stat: string, allowed: readonly number[] | null): CoreTimes | null {
  const lines = [...stat.matchAll(/^cpu(\d+) ([\d ]+)$/gm)]
    .filter(([, core]) => allowed === null || allowed.includes(Number(core)))
    .map(([, , ticks]) => ticks.split(" ").map(Number));
  if (lines.length === 0) return null;
  const sumMs = (field: number): number =>
    lines.reduce((sum, ticks) => sum + (ticks[field] ?? 0), 0) * TICK_MS;
  return {
    cores: lines.length,
    idleMs: sumMs(IDLE) + sumMs(IO_WAIT),
    stolenMs: sumMs(STEAL),
    interruptsMs: sumMs(IRQ) > 0 ? sumMs(IRQ) + sumMs(SOFT_IRQ) : 0,
  };
}

/** Current times; null if the system does not show them. Systems other than Linux give only the times of all cores. */
export function readCoreTimes(
  allowed: readonly number[] | null,
  system: typeof Deno.build.os = Deno.build.os,
): CoreTimes | null {
  if (system === "linux") return parseCoreTimes(readSystemFile("/proc/stat") ?? "", allowed);
  return system === "windows" ? windowsCoreTimes() : coreTimesOf(os.cpus());
}

/** Times of the cores from Node's `os.cpus()`, for example on macOS. */
export function coreTimesOf(
  cpus: readonly { readonly times: { readonly idle: number } }[],
): CoreTimes | null {
  if (cpus.length === 0) return null;
  const idleMs = cpus.reduce((sum, { times }) => sum + times.idle, 0);
  return { cores: cpus.length, idleMs, stolenMs: null, interruptsMs: 0 };
}

/**
 * Used because Deno's `os.cpus()` is empty under Wine. It is declared here rather than in windows.ts, so that `bench`
 * loads no module on Linux that it does not need there.
 */
const GET_SYSTEM_TIMES = {
  GetSystemTimes: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
} as const;
/** Units of FILETIME (100 ns) per millisecond. */
const FILETIME_PER_MS = 10_000;
let kernel32: Deno.DynamicLibrary<typeof GET_SYSTEM_TIMES> | null = null;

function windowsCoreTimes(): CoreTimes | null {
  const [idle, kernel, user] = [0, 1, 2].map(() => new BigInt64Array(1));
  try {
    kernel32 ??= Deno.dlopen("kernel32.dll", GET_SYSTEM_TIMES);
    if (!kernel32.symbols.GetSystemTimes(idle, kernel, user)) return null;
  } catch {
    return null; // FFI is not permitted
  }
  const idleMs = Number(idle[0]) / FILETIME_PER_MS;
  return { cores: navigator.hardwareConcurrency, idleMs, stolenMs: null, interruptsMs: 0 };
}

/** How busy the same cores were between two readings. */
interface CoreUse {
  /** Core time used by programs and interrupts. */
  readonly busyMs: number;
  readonly stolenMs: number | null;
  readonly interruptsMs: number;
}

export function coreUseBetween(before: CoreTimes, after: CoreTimes, elapsedMs: number): CoreUse {
  const idleMs = after.idleMs - before.idleMs;
  const stolenMs = before.stolenMs === null || after.stolenMs === null
    ? null
    : Math.max(0, after.stolenMs - before.stolenMs);
  return {
    busyMs: Math.max(0, after.cores * elapsedMs - idleMs - (stolenMs ?? 0)),
    stolenMs,
    interruptsMs: Math.max(0, after.interruptsMs - before.interruptsMs),
  };
}
