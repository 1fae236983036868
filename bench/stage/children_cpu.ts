/**
 * The CPU time of programs that have ended. It comes from getrusage(2), because /proc only counts in steps of 10 ms.
 */

const RUSAGE_CHILDREN = -1;
/**
 * The size of struct rusage in 8-byte words: user and system time in two words each (seconds and microseconds), and
 * fourteen counters.
 */
const RUSAGE_WORDS = 18;

/**
 * The CPU time, in microseconds, of all children of this process that have ended, including their own children for
 * which they waited.
 */
export function childrenCpuUs(): number {
  const libc = Deno.dlopen("libc.so.6", {
    getrusage: { parameters: ["i32", "buffer"], result: "i32" },
  });
  const usage = new BigInt64Array(RUSAGE_WORDS);
  libc.symbols.getrusage(RUSAGE_CHILDREN, usage);
  libc.close();
  const [userSec, userUs, systemSec, systemUs] = Array.from(usage, Number);
  return (userSec + systemSec) * 1e6 + userUs + systemUs;
}
