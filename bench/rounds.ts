/** Measuring things in turns: a machine that slows down meanwhile slows all of them. */
import { printError } from "../cli/terminal.ts";

/** What `measure` gives for each name, once a round, by name. */
export async function interleaved<Name extends string, Value>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Value>,
): Promise<Map<Name, Value[]>> {
  const seen = new Map(names.map((name) => [name, [] as Value[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, values] of seen) {
      printError(`  round ${round} of ${rounds}: ${name}\n`);
      values.push(await measure(name));
    }
  }
  return seen;
}
