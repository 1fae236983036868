/** Alternates between measurements, so that a machine that slows down affects all of them equally. */
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";

/** Calls `measure` once per round for each name, and collects the results by name. */
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
