/** The CPU time of programs that have ended, exactly: by getrusage(2), because /proc counts in steps of 10 ms. */

const RUSAGE_CHILDREN = -1;
/** The size of struct rusage: user and system time, each as seconds and microseconds, and fourteen counters. */
const RUSAGE_WORDS = 18;

/** The microseconds that all ended children of this process have used, with the children that they had waited for. */
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
