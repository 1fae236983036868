/**
 * CPU time of a process to the nanosecond: clock_gettime(2) of Linux, through libc, on the clock that each
 * process has (linux/posix-timers.h: the complement of its number in the upper bits, and what is counted in
 * the lower three). It has the time of all threads, those that have ended too, which schedstat in /proc has
 * not, and takes half a microsecond; stat in /proc counts in ticks of 10 ms.
 */

const CPUCLOCK_SCHED = 2;

const SYMBOLS = { clock_gettime: { parameters: ["i32", "buffer"], result: "i32" } } as const;
type Libc = Deno.DynamicLibrary<typeof SYMBOLS>;

/** struct timespec on 64 bits: seconds, nanoseconds. */
const timespec = new BigInt64Array(2);

let libc: Libc | null | undefined;

/** Milliseconds; null off Linux, with another libc than glibc, without FFI, and when the process is gone. */
export function processCpuMs(pid: number): number | null {
  libc ??= openLibc();
  if (!libc) return null;
  const clock = (~pid << 3) | CPUCLOCK_SCHED;
  if (libc.symbols.clock_gettime(clock, timespec) !== 0) return null;
  return Number(timespec[0]) * 1_000 + Number(timespec[1]) / 1e6;
}

function openLibc(): Libc | null {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS);
  } catch {
    return null;
  }
}
