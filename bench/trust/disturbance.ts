/** Disturbs generators and targets. Disposing of a disturbance ends it. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { foldersOf } from "../../base/system/cgroup.ts";
import { readSystemFile } from "../../base/system/linux.ts";
import type { Command } from "../stage/programs.ts";

/**
 * The seconds of CPU time after which a neighbour is killed, in case the bench dies before it can stop the neighbour.
 */
const LONGEST_CPU_S = 30;

/** Starts a program that does nothing but compute, on one core. */
export function startNeighbour(core: number): Disposable {
  const loop = `ulimit -t ${LONGEST_CPU_S}; while :; do :; done`;
  const args = ["-c", `${core}`, "sh", "-c", loop];
  const child = new Deno.Command("taskset", { args, stdin: "null" }).spawn();
  return { [Symbol.dispose]: () => child.kill("SIGKILL") };
}

const STOPPED_MS = 100;
const PERIOD_MS = 1_000;

/** Stops a process for 100 ms in every second, until it has ended. */
export async function stopAndGo(pid: number, ended: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void ended.catch(() => {}).finally(() => over.abort());
  while (!over.signal.aborted) {
    await sleep(PERIOD_MS - STOPPED_MS, undefined, over).catch(() => {});
    if (!signal(pid, "SIGSTOP")) return;
    await sleep(STOPPED_MS);
    signal(pid, "SIGCONT");
  }
}

function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch {
    return false; // the process has already ended
  }
}

export interface CpuLimit extends AsyncDisposable {
  /** Wraps a command so that it runs in the control group. */
  within(command: Command): Command;
}

const PERIOD_US = 100_000;

/**
 * Makes a control group that may use `cores` in all, and in it an inner group, in which commands run. Returns the
 * reason if this is not possible.
 */
export function limitCpu(name: string, cores: number): CpuLimit | string {
  const texts = {
    mounts: readSystemFile("/proc/self/mountinfo"),
    groups: readSystemFile("/proc/self/cgroup"),
  };
  const [v1] = foldersOf("cpu", texts);
  const [v2] = foldersOf("", texts);
  const above = v1 ?? v2;
  if (above === undefined) return "there are no control groups";
  const group = join(above, `plateau-bench-${Deno.pid}-${name}`);
  const inner = join(group, "inner");
  const quotaUs = cores * PERIOD_US;
  try {
    Deno.mkdirSync(inner, { recursive: true });
    if (v1 !== undefined) Deno.writeTextFileSync(join(group, "cpu.cfs_quota_us"), `${quotaUs}`);
    else Deno.writeTextFileSync(join(group, "cpu.max"), `${quotaUs} ${PERIOD_US}`);
  } catch (error) {
    return `control groups can't be limited here (${messageOf(error)})`;
  }
  return {
    within: (
      command,
    ) => ["sh", "-c", `echo $$ > ${inner}/cgroup.procs && exec "$@"`, "sh", ...command],
    async [Symbol.asyncDispose](): Promise<void> {
      await removeGroup(inner);
      await removeGroup(group);
    },
  };
}

const MOST_TRIES = 50;
const TRY_AGAIN_MS = 50;

/** Removes a control group. This fails until the last of its processes has ended, so it is tried several times. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return Deno.removeSync(group);
    } catch {
      await sleep(TRY_AGAIN_MS);
    }
  }
}
