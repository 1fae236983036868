/**
 * Measures again if another program disturbed the measurement, because Plateau would rightly report that program as a
 * neighbour. Disturbances are recognised by the CPU time of other processes alone, so whether a measurement is repeated
 * does not depend on its verdict.
 */
import { printError } from "../../cli/terminal/terminal.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { type BusyProcess, descendantsOf, watchProcesses } from "../../base/system/processes.ts";

/** The least number of cores that another program must use to count as a disturbance. */
const LEAST_CORES = 0.15;
const MOST_TRIES = 4;

/**
 * Returns the first result of `measure` that was not disturbed or, after several tries, the last one. `measure` must
 * stop all servers and neighbours that it starts.
 */
export async function undisturbed<Value>(measure: () => Promise<Value>): Promise<Value> {
  for (let tries = 1;; tries++) {
    const processes = watchProcesses();
    const beganMs = performance.now();
    const value = await measure();
    const own = descendantsOf(Deno.pid);
    const strangers = processes((performance.now() - beganMs) / 1_000)
      .filter(({ pid, cores }) => cores >= LEAST_CORES && !own.includes(pid));
    if (strangers.length === 0 || tries === MOST_TRIES) return value;
    const others = strangers.map(textOf).join(", ");
    printError(textLines([`    again, because other programs computed: ${others}`]));
  }
}

function textOf({ name, pid, cores }: BusyProcess): string {
  return `${name} (${pid}) ${cores.toFixed(2)} cores`;
}
