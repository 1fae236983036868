/**
 * The processes that a test has brought about, read from /proc (Linux).
 */
import { readdirSync, readFileSync } from "node:fs";

const PR_SET_CHILD_SUBREAPER = 36; // <linux/prctl.h>

/**
 * Makes this process the parent of every orphan among its descendants, in place of init. So nothing
 * that a test started can leave the tree that `descendants` walks, not even a daemon.
 */
export function adoptOrphans(): void {
  const libc = Deno.dlopen("libc.so.6", {
    prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  });
  const failed = libc.symbols.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) !== 0;
  libc.close();
  if (failed) throw new Error("Cannot adopt orphans: prctl failed");
}

/** A process that runs, with its command line. */
export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Every running process under `pid`, itself not included; those that wait to be reaped are over. */
export function descendants(pid: number): Process[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent);
  const below = (parent: number): Process[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

function listProcesses(): (Process & { parent: number })[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    } catch {
      return []; // it ended while we looked
    }
  });
}
