/**
 * `deno task bench [NAME…] [--rounds N] [--short]`: Plateau's promises, measured, each figure beside its
 * baseline of the same run and its bar. All benches without a name. Exit code 1 when a bar is not kept,
 * 3 when a bench lacked what it needs.
 */
import { parseArgs } from "node:util";
import { print, printError } from "../cli/terminal.ts";
import { EXIT, ExpectedError, UserError } from "../scenarios/errors.ts";
import { benches, type BenchName, isBenchName } from "./registry.ts";
import { isKept, sectionLines } from "./table.ts";

const NAMES = Object.keys(benches).filter(isBenchName);

interface Asked {
  readonly names: readonly BenchName[];
  readonly rounds: number | null;
  readonly short: boolean;
}

function parse(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rounds: { type: "string" }, short: { type: "boolean", default: false } },
  });
  const names = positionals.filter(isBenchName);
  if (names.length < positionals.length) throw wrong("NAME", `the benches are ${NAMES.join(", ")}`);
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  if (rounds !== null && !(Number.isInteger(rounds) && rounds > 0)) {
    throw wrong("--rounds", "write a whole number above 0");
  }
  return { names: names.length > 0 ? names : NAMES, rounds, short: values.short };
}

function wrong(place: string, fix: string): UserError {
  return new UserError([{ place, message: "Cannot use these arguments", fix }]);
}

/** Prints what it found as soon as it is there. */
async function measure(name: BenchName, { rounds, short }: Asked): Promise<number> {
  const bench = benches[name];
  printError(`${name}: ${bench.about}\n`);
  const effort = { rounds: rounds ?? (short ? 1 : bench.rounds), short };
  const sections = await bench.run(effort);
  await print(sections.flatMap(sectionLines).join("\n") + "\n");
  const kept = sections.every(({ rows }) => rows.every((row) => isKept(row) !== false));
  return kept ? EXIT.done : EXIT.failedCheck;
}

function tell(error: unknown): number {
  if (!(error instanceof ExpectedError)) throw error;
  printError(error.lines.map((line) => `${line}\n`).join(""));
  return error.exitCode;
}

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  let worst: number = EXIT.done;
  for (const name of asked.names) {
    worst = Math.max(worst, await measure(name, asked).catch(tell));
  }
  return worst;
}

Deno.exit(await main(Deno.args).catch(tell));
