// deno-lint-ignore-file no-console -- printing facts is what this program is for
/**
 * `deno task facts [NAME…]`: renders every stored result, or those of the given names, by the program's own command line,
 * and prints each fact of what it shows (numbers, codes, exit codes, sentences) as a line, sorted. `--main PATH` is the main.ts
 * of another checkout, `--no-words` leaves out sentences. `--against CHECKOUT` renders with that checkout too, and prints
 * only what differs from there to here, with exit code 1 when anything does.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { differenceLines, differences } from "./difference.ts";
import { type Fact, linesOf, WORDS } from "./fact.ts";
import { Program } from "./rendered.ts";
import { type Case, casesOf, storedResults } from "./stored.ts";

const OWN_MAIN = join(import.meta.dirname ?? "", "../../main.ts");

/** As many cores as the smallest machine has that this is run on. */
const AT_ONCE = 2;

async function factsOf(main: string, cases: readonly Case[]): Promise<Fact[]> {
  await using program = new Program(main);
  const waiting = [...cases];
  const facts: Fact[][] = [];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let one; (one = waiting.shift()) !== undefined;) facts.push(await program.facts(one));
  }));
  return facts.flat();
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      main: { type: "string", default: OWN_MAIN },
      against: { type: "string" },
      words: { type: "boolean", default: true },
    },
    allowNegative: true,
    allowPositionals: true,
  });
  const all = casesOf(storedResults());
  const strangers = positionals.filter((name) => !all.some((one) => one.name === name));
  if (strangers.length > 0) {
    console.error(
      `No stored result ${strangers.join(", ")}: ${all.map(({ name }) => name).join(" ")}`,
    );
    return 2;
  }
  const cases = positionals.length === 0
    ? all
    : all.filter(({ name }) => positionals.includes(name));
  const facts = async (path: string): Promise<Fact[]> =>
    (await factsOf(resolve(path), cases)).filter(({ kind }) => values.words || kind !== WORDS);
  const now = await facts(values.main);
  if (values.against === undefined) {
    console.log(linesOf(now).join("\n"));
    return 0;
  }
  const found = differences(await facts(join(values.against, "main.ts")), now);
  for (const difference of found) console.log(differenceLines(difference).join("\n"));
  const results = new Set(found.map(({ of }) => of)).size;
  console.log(
    found.length === 0
      ? `No difference in ${now.length} facts of ${cases.length} stored results`
      : `Differences in ${results} of ${cases.length} stored results`,
  );
  return found.length === 0 ? 0 : 1;
}

Deno.exit(await main(Deno.args));
