/**
 * Removes the folder of a run of the tests once the run is over, whatever has ended it: then whoever held the other end
 * of standard input is gone. Before that it ends the processes that the run has left.
 */
import { setTimeout as wait } from "node:timers/promises";
import { processesWith } from "../base/system/processes.ts";
import { untilInputEnds } from "../targets/launch/parent_death.ts";
import { MARK } from "./own_folder.ts";

/** Between TERM and KILL. */
const GRACE_MS = 5_000;
const STEP_MS = 50;

const [folder] = Deno.args;
// A terminal sends these to all at once, and the run ends by them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {});
}
await untilInputEnds();

const killsAtMs = performance.now() + GRACE_MS;
const told = new Set<number>();
for (;;) {
  const left = processesWith(`${MARK}=${folder}`);
  if (left.length === 0) break;
  const kills = performance.now() >= killsAtMs;
  for (const pid of left) {
    if (kills) send(pid, "SIGKILL");
    else if (!told.has(pid)) send(pid, "SIGTERM");
    told.add(pid);
  }
  await wait(STEP_MS);
}
await Deno.remove(folder, { recursive: true }).catch(() => {}); // it was not made yet
Deno.exit(0);

function send(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // it has ended meanwhile
  }
}
