/**
 * A program and all that it has started, as its supervisor finds and signals it. How depends on what the
 * system grants: on Linux whoever is under the supervisor, which adopts orphans (a daemon forks twice to get
 * away); where it may not adopt them, also whoever carries the program's mark in its environment; where
 * /proc shows no processes, and on other systems, the process group that the program leads.
 */
import { randomUUID } from "node:crypto";
import { adoptOrphans } from "../../base/system/prctl.ts";
import { descendantsOf, processesWith, readStat } from "../../base/system/processes.ts";

export interface ProcessFamily {
  /** Those that have not ended, as far as they can be found. */
  living(): number[];
  /** False when everybody who lives is another user's and does not take it. */
  signal(name: Deno.Signal): boolean;
}

/** How the program must be started, so that its family can be found. */
export interface Upbringing {
  /** It leads a process group of its own. */
  readonly detached: boolean;
  /** On top of its environment. */
  readonly env: Readonly<Record<string, string>>;
  of(child: Deno.ChildProcess): ProcessFamily;
}

const MARK = "PLATEAU_FAMILY";

export function bringUpFamily(): Upbringing {
  if (Deno.build.os !== "linux" || readStat(Deno.pid) === null) {
    return { detached: true, env: {}, of: processGroup };
  }
  if (adoptOrphans()) {
    return { detached: false, env: {}, of: (child) => family(child, ourDescendants) };
  }
  const id = randomUUID();
  const marked = (): number[] => [...ourDescendants(), ...processesWith(`${MARK}=${id}`)];
  return { detached: false, env: { [MARK]: id }, of: (child) => family(child, marked) };
}

function ourDescendants(): number[] {
  return descendantsOf(Deno.pid);
}

/** Another user's process may be hidden (`hidepid` of proc(5)); the program itself is waited for. */
function family(child: Deno.ChildProcess, members: () => number[]): ProcessFamily {
  const isOver = watchEnd(child);
  const living = (): number[] => {
    const found = members().filter((pid) => (readStat(pid)?.state ?? "Z") !== "Z");
    return [...new Set(isOver() ? found : [child.pid, ...found])];
  };
  return { living, signal: (name) => signalAll(living(), name) };
}

/** As long as the program itself lives: who outlives it is not found. */
function processGroup(child: Deno.ChildProcess): ProcessFamily {
  const isOver = watchEnd(child);
  const leader = Deno.build.os === "windows" ? child.pid : -child.pid;
  return {
    living: () => isOver() ? [] : [child.pid],
    signal: (name) => signalAll([leader], name),
  };
}

function watchEnd({ status }: Deno.ChildProcess): () => boolean {
  let isOver = false;
  void status.then(() => isOver = true);
  return () => isOver;
}

function signalAll(pids: readonly number[], name: Deno.Signal): boolean {
  const denied = pids.filter((pid) => !signal(pid, name));
  return pids.length === 0 || denied.length < pids.length;
}

/** False where it is denied; one that has ended already needs none. */
function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.PermissionDenied);
  }
}
