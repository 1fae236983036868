/** Which processes use the processor, from /proc (Linux; elsewhere none is seen). */
import { parseStat, TICKS_PER_SEC } from "./processes.ts";

export interface Busy {
  readonly pid: number;
  readonly name: string;
  /** CPU time over elapsed time. */
  readonly cores: number;
}

/** Who uses less than this is not named: it is within two ticks. */
const LEAST_CORES = 0.02;
const MOST_NAMED = 3;

interface Use {
  readonly name: string;
  readonly ticks: number;
}

/** Begins to watch; the answer, given the seconds since then, names those that used most, but for this process. */
export function watchProcesses(): (seconds: number) => Busy[] {
  const before = usesNow();
  return (seconds) => busiestBetween(before, usesNow(), seconds);
}

export function busiestBetween(
  before: ReadonlyMap<number, Use>,
  after: ReadonlyMap<number, Use>,
  seconds: number,
): Busy[] {
  const all = [...after].map(([pid, { name, ticks }]) => ({
    pid,
    name,
    cores: (ticks - (before.get(pid)?.ticks ?? 0)) / TICKS_PER_SEC / seconds,
  }));
  return all.filter(({ cores }) => cores >= LEAST_CORES)
    .sort((a, b) => b.cores - a.cores)
    .slice(0, MOST_NAMED);
}

/** A process of /proc/PID/stat; its name stands in parentheses and may hold some itself. */
export function parseUse(stat: string): Use {
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const { userTicks, systemTicks } = parseStat(stat);
  return { name, ticks: userTicks + systemTicks };
}

function usesNow(): Map<number, Use> {
  if (Deno.build.os !== "linux") return new Map();
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) =>
    pid > 0 && pid !== Deno.pid
  );
  return new Map(pids.flatMap((pid) => {
    try {
      return [[pid, parseUse(Deno.readTextFileSync(`/proc/${pid}/stat`))] as const];
    } catch {
      return []; // it has ended
    }
  }));
}
