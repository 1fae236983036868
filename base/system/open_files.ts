/**
 * Room for sockets: every connection is an open file, and systems allow a process some 1,024 of them
 * until it asks for more, which it may, up to a hard limit.
 */
import { TargetError } from "../errors.ts";

/** What the program itself keeps open: libraries, pipes to targets, event queues. */
const OTHERS = 256;

const RLIMIT_NOFILE = 7;
const SYMBOLS = {
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
} as const;

/** Raises the limit as needed, on Linux. Throws a TargetError that says how when it must be raised from outside. */
export function makeRoomFor(connections: number): void {
  if (Deno.build.os !== "linux") return;
  const needed = connections + OTHERS;
  const allowed = raiseTo(needed);
  if (allowed >= needed) return;
  throw new TargetError(
    `Cannot open ${connections} connections: the system allows ${allowed} open files, and ${needed} are needed`,
    [`raise the limit with: ulimit -n ${needed}`],
  );
}

/** Gives the limit afterwards. */
function raiseTo(needed: number): number {
  try {
    const { symbols } = Deno.dlopen("libc.so.6", SYMBOLS);
    const limit = new BigUint64Array(2); // soft, hard
    if (symbols.getrlimit(RLIMIT_NOFILE, limit) !== 0) return softLimit();
    const [soft, hard] = limit;
    if (soft >= BigInt(needed)) return Number(soft);
    limit[0] = hard < BigInt(needed) ? hard : BigInt(needed);
    return symbols.setrlimit(RLIMIT_NOFILE, limit) === 0 ? Number(limit[0]) : Number(soft);
  } catch {
    return softLimit();
  }
}

/** For where libc can't say; where nothing says what is allowed, dials will. */
function softLimit(): number {
  try {
    const limits = Deno.readTextFileSync("/proc/self/limits");
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
