/**
 * Room for sockets: every connection is an open file, and systems allow a process some 1,024 of them unless the process
 * raises this limit, up to a hard limit.
 */
import { TargetError } from "../errors.ts";
import { libcOr, processCalls } from "./libc.ts";
import { readSystemFile, type Text } from "./linux.ts";

/** Files that the program itself keeps open: libraries, pipes to targets, event queues. */
const OTHERS = 256;

const RLIMIT_NOFILE = 7;

/** Raises the limit as needed, on Linux. If only an administrator can raise it, throws a TargetError that says how. */
export function makeRoomFor(connections: number): void {
  if (Deno.build.os !== "linux") return;
  const needed = connections + OTHERS;
  const allowed = raiseTo(needed);
  if (allowed >= needed) return;
  throw new TargetError(
    `Cannot open ${connections} connections: the system allows ${allowed} open files, and ${needed} are needed`,
    [`raise the limit: ulimit -n ${needed}`],
  );
}

/** Raises the limit if it is too low; returns the limit that then holds. */
function raiseTo(needed: number): number {
  return libcOr(() => {
    const { getrlimit, setrlimit } = processCalls();
    const limit = new BigUint64Array(2); // soft and hard limit
    if (getrlimit(RLIMIT_NOFILE, limit) !== 0) return softLimit();
    const [soft, hard] = limit;
    if (soft >= BigInt(needed)) return Number(soft);
    limit[0] = hard < BigInt(needed) ? hard : BigInt(needed);
    return setrlimit(RLIMIT_NOFILE, limit) === 0 ? Number(limit[0]) : Number(soft);
  }, softLimit);
}

/** The soft limit without libc: from /proc, or else Infinity, because a dial beyond the limit fails anyway. */
function softLimit(): number {
  return openFilesLimit("soft") ?? Infinity;
}

/**
 * How many files a process may open (soft), or how far it may raise that limit itself (hard), on Linux; null if
 * unlimited or unknown.
 */
export function openFilesLimit(
  kind: "soft" | "hard",
  pid: number | "self" = "self",
): number | null {
  return parseOpenFiles(readSystemFile(`/proc/${pid}/limits`), kind);
}

/** The limit in the text of /proc/PID/limits; null if unlimited or missing. */
export function parseOpenFiles(limits: Text, kind: "soft" | "hard" = "soft"): number | null {
  const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits ?? "") ?? [];
  const count = Number(kind === "soft" ? soft : hard);
  return Number.isNaN(count) ? null : count;
}
