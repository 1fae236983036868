/** Measurements in turns, so that a machine that becomes slower affects all of them alike. */
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";

/** Calls `measure` for each name, once a round, and collects the results. */
export async function interleaved<Name extends string, Value>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Value>,
): Promise<Record<Name, Value[]>> {
  const seen = Object.fromEntries(names.map((name) => [name, []])) as Record<string, Value[]>;
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      printError(textLines([`  round ${round} of ${rounds}: ${name}`]));
      seen[name].push(await measure(name));
    }
  }
  return seen;
}
