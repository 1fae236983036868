/**
 * `deno task examples [NAME…|all]` makes the example pages from real runs. Without a name it makes the pages that are
 * kept in the repository; all others are only published with releases.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { experiments } from "../../scenarios/experiments/registry.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const IN_REPOSITORY = ["shop", "ghost", "paper"];
const OF_A_RELEASE = ["caching", ...Object.keys(experiments)];

/** The path of the experiment file beside the page or, if there is none, the name of the built-in experiment. */
function experimentOf(name: string): string {
  const file = join(ROOT, "examples", `${name}.yaml`);
  return existsSync(file) ? file : name;
}

async function make(name: string): Promise<number> {
  const out = await Deno.makeTempDir();
  const page = join(ROOT, "examples", `${name}.html`);
  const run = ["run", experimentOf(name), "--out", join(out, name), "--html", page];
  const args = ["run", "-A", join(ROOT, "main.ts"), ...run];
  const { code } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
  await Deno.remove(out, { recursive: true });
  return code;
}

async function main(args: readonly string[]): Promise<number> {
  const every = [...new Set([...IN_REPOSITORY, ...OF_A_RELEASE])];
  const names = args.length === 0 ? IN_REPOSITORY : args.includes("all") ? every : args;
  for (const name of names) {
    const code = await make(name);
    if (code !== 0) return code;
  }
  return 0;
}

Deno.exit(await main(Deno.args));
