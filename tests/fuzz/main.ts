// deno-lint-ignore-file no-console -- printing what was found is what this program is for
/**
 * `deno task fuzz [--for 10m] [--seed N] [DECODER…]`: every decoder of what comes from outside reads mutated
 * samples and noise, each in a process whose memory and time have ceilings. A value or an ExpectedError is
 * right; all else is a finding, which is kept in `cases/DECODER/` and makes the exit code 1.
 */
import { parseArgs } from "node:util";
import { OwnFolder } from "../own_folder.ts";
import { inputOf } from "./mutate.ts";
import { decoders } from "./registry.ts";
import { watch } from "./watched.ts";
import { parseDurationMs } from "../../base/quantity.ts";
import type { FoundLine } from "./child.ts";

/** As many as a CI machine has cores. */
const AT_ONCE = 2;

const CASES = new URL("cases/", import.meta.url);

async function fuzz(name: string, seed: number, forMs: number): Promise<boolean> {
  const { inputs, findings } = await watch(name, seed, forMs);
  const found = `${findings.length} finding${findings.length === 1 ? "" : "s"}`;
  console.log(`${name.padEnd(10)}  ${inputs.toLocaleString("en").padStart(9)} inputs  ${found}`);
  for (const finding of findings) await keep(name, finding);
  return findings.length === 0;
}

async function keep(name: string, { seed, why }: FoundLine): Promise<void> {
  const { seeds } = await decoders[name]();
  const folder = new URL(`${name}/`, CASES);
  Deno.mkdirSync(folder, { recursive: true });
  const path = new URL(`seed-${seed}`, folder);
  // A decoder may be asked about half a character, which UTF-8 does not have.
  Deno.writeTextFileSync(path, JSON.stringify(inputOf(seeds, seed)));
  console.log(`  seed ${seed}, kept as ${path.pathname}:\n    ${why.replaceAll("\n", "\n    ")}`);
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { for: { type: "string", default: "10m" }, seed: { type: "string" } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(decoders);
  const totalMs = parseDurationMs(values.for) ?? NaN;
  const strangers = names.filter((name) => !Object.hasOwn(decoders, name));
  if (strangers.length > 0 || Number.isNaN(totalMs)) {
    console.error(`Usage: fuzz [--for 10m] [--seed N] [${Object.keys(decoders).join("|")}]…`);
    return 2;
  }
  await using _own = await OwnFolder.enter({ installs: false });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}, ${values.for}`);
  const waiting = [...names];
  let isClean = true;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let name; (name = waiting.shift()) !== undefined;) {
      isClean = await fuzz(name, seed, totalMs * AT_ONCE / names.length) && isClean;
    }
  }));
  return isClean ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
