/**
 * `deno task bench [NAME…]` measures whether Plateau keeps its promises, and prints each figure beside the bar that it
 * must meet and the baseline of the same run. Exits with code 1 if a bar is not met, and with 3 if something that a
 * bench needs is missing.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { print, printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { listed } from "../report/writing/words.ts";
import { EXIT, ExpectedError, messageOf, UserError } from "../base/errors.ts";
import type { NoiseOf } from "./bench.ts";
import { benches, type BenchName, isBenchName } from "./registry.ts";
import { saveFigures } from "./saved.ts";
import { isKept, sectionLines } from "./table.ts";

const NAMES = Object.keys(benches).filter(isBenchName);

/** The benches that support --only. */
const PARTED: readonly BenchName[] = [
  "planted",
  "slices",
  "capacity",
  "known",
  "builds",
  "mlrsearch",
  "causes",
  "counters",
  "profiles",
  "one-run",
  "streams",
];
const KEEPING: readonly BenchName[] = ["planted", "capacity", "known", "builds"];

/** The benches that simulate autocorrelated noise, and support --noise. */
const SIMULATED: readonly BenchName[] = [
  "statistics",
  "one-run",
  "power",
  "sessions",
  "trends",
  "confirm",
];

const HELP =
  `Usage: deno task bench [NAME...] [--rounds N] [--short] [--only TEXT] [--log FILE] [--minutes N]
                       [--noise FILE] [--save DIR]

All benches, or those that are named:
${NAMES.map((name) => `  ${name.padEnd(11)}  ${benches[name].about}`).join("\n")}

--rounds N  how often everything is measured; the figures are medians
--short     a few seconds a measurement, to see that a bench works
--only TEXT only the parts of ${
    listed(PARTED)
  } whose names hold it, such as "gin", "5 %" or "Go: redis"
--log FILE  each trial of ${
    listed(KEEPING)
  } is added to this file, and its figures are those of all in it;
            planted goes on where the file ends: --rounds is how many of each there are in the end
--minutes N planted begins no trial after so many
--noise FILE  a module whose default export makes the noise of ${
    listed(SIMULATED)
  }: a seed → a function that
            returns the next value, with mean 0 and standard deviation 1
--save DIR  keeps the figures as DIR/NAME.json, for docs/benchmarks.md (deno task benchmarks)
`;

const OPTIONS = {
  rounds: { type: "string" },
  short: { type: "boolean", default: false },
  only: { type: "string" },
  log: { type: "string" },
  minutes: { type: "string" },
  noise: { type: "string" },
  save: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Asked {
  readonly names: readonly BenchName[];
  /** The number of rounds; null: each bench's default. */
  readonly rounds: number | null;
  readonly short: boolean;
  readonly only?: string;
  readonly log?: string;
  readonly minutes?: string;
  readonly noise?: string;
  /** The folder into which the figures are written; absent: they are not saved. */
  readonly save?: string;
  readonly help: boolean;
}

function read(args: readonly string[]): Asked {
  const { values, positionals } = parse([...args]);
  const unknown = positionals.find((name) => !isBenchName(name));
  if (unknown !== undefined) throw wrong(`Cannot find bench "${unknown}"`);
  if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) {
    throw wrong(`Cannot measure "${values.rounds}" rounds`);
  }
  if (values.minutes !== undefined && !(Number(values.minutes) > 0)) {
    throw wrong(`Cannot measure for "${values.minutes}" minutes`);
  }
  if (values.save !== undefined && (values.short || values.only !== undefined)) {
    throw wrong("Cannot save figures of --short or --only: they are no whole measurement");
  }
  const names = positionals.filter(isBenchName);
  return {
    ...values,
    names: names.length > 0 ? names : NAMES,
    rounds: values.rounds === undefined ? null : Number(values.rounds),
  };
}

// deno-lint-ignore explicit-function-return-type -- inferred from OPTIONS
function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw wrong(messageOf(error));
  }
}

function wrong(message: string): UserError {
  return new UserError([{ place: "bench", message, fix: "deno task bench --help tells more" }]);
}

async function noiseOf(file: string): Promise<NoiseOf> {
  const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href)
    .catch((error) => {
      throw wrong(`Cannot load ${file}: ${messageOf(error)}`);
    });
  if (!isNoise(module.default)) throw wrong(`${file} has no function as its default export`);
  return module.default;
}

function isNoise(value: unknown): value is NoiseOf {
  return typeof value === "function";
}

async function measure(
  name: BenchName,
  { rounds, short, only, log, minutes, noise, save }: Asked,
): Promise<number> {
  const bench = benches[name];
  printError(textLines([`${name}: ${bench.about}`]));
  const handedIn = noise !== undefined && { noise: await noiseOf(noise) };
  const parts = {
    ...only !== undefined && { only },
    ...log !== undefined && { log },
    ...minutes !== undefined && { untilMs: performance.now() + 60_000 * Number(minutes) },
    ...handedIn,
  };
  const effort = { rounds: rounds ?? (short ? 1 : bench.rounds), short, ...parts };
  const sections = await bench.run(effort);
  await print(textLines(sections.flatMap(sectionLines)));
  if (save !== undefined) {
    saveFigures(save, { bench: name, about: bench.about, rounds: effort.rounds, sections });
  }
  const kept = sections.every(({ rows }) => rows.every((row) => isKept(row) !== false));
  return kept ? EXIT.done : EXIT.failedCheck;
}

function tell(error: unknown): number {
  if (!(error instanceof ExpectedError)) throw error;
  printError(textLines(error.lines));
  return error.exitCode;
}

async function main(args: readonly string[]): Promise<number> {
  const asked = read(args);
  if (asked.help) {
    await print(textLines(HELP.trimEnd().split("\n")));
    return EXIT.done;
  }
  let worst: number = EXIT.done;
  for (const name of asked.names) {
    worst = Math.max(worst, await measure(name, asked).catch(tell));
  }
  return worst;
}

Deno.exit(await main(Deno.args).catch(tell));
