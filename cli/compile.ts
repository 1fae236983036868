/**
 * `deno task compile [--target T]`: dist/plateau, one file that runs with nothing else installed.
 *
 * The program is bundled and the bundle compiled: compiled as it is, it would embed every file of every
 * package, 14 MB more, and take a third longer to start. The bundle is split where the program imports as
 * it goes, so that a command reads its own code alone: that takes a fifth off its start. It is not
 * minified, as esbuild's minifier drops `using` (a listener that it should close stays open), and so that
 * stacks can be read.
 */
import config from "../deno.json" with { type: "json" };
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { frameworks } from "../targets/frameworks/registry.ts";
import { PACK, packSources } from "../targets/frameworks/install.ts";

const ROOT = join(import.meta.dirname ?? "", "..");
const OUTPUT = join(ROOT, "dist/plateau");

/** Workers, which are started by their URL and so are in no import graph: they lie beside the bundled main module. */
const WORKERS = [
  "runner/load/worker/worker.ts",
  "runner/calibration/null_responder.ts",
  "targets/launch/parent_watch.ts",
];

const ENTRY_NAME = "plateau.js";
/** Bundled CommonJS packages `require` Node's own modules, which a bundle does not provide. */
const ENTRY = `import { createRequire } from "node:module";
globalThis.require = createRequire(import.meta.url);
await import("./main.js");
`;

async function deno(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).spawn().status;
  if (!success) throw new Error(`Cannot go on as this failed: deno ${args.join(" ")}`);
}

async function compile(stage: string, options: readonly string[]): Promise<void> {
  await deno("bundle", "--quiet", "--code-splitting", "--outdir", stage, "main.ts");
  for (const worker of WORKERS) {
    await deno("bundle", "--quiet", "--code-splitting", "--outdir", stage, worker);
    const name = basename(worker, ".ts");
    await Deno.rename(join(stage, `${name}.js`), join(stage, `${name}.ts`));
  }
  await Deno.writeTextFile(join(stage, ENTRY_NAME), ENTRY);
  await Deno.writeTextFile(join(stage, "deno.json"), JSON.stringify({ unstable: config.unstable }));
  const folders = Object.values(frameworks).map(({ folder }) => folder);
  await Deno.writeTextFile(join(stage, PACK), packSources(folders));
  const inside = readdirSync(stage).filter((name) => name !== ENTRY_NAME && name !== "deno.json")
    .flatMap((name) => ["--include", join(stage, name)]);
  const embed = ["compile", "--allow-all", "--no-check", "--config", join(stage, "deno.json")];
  await deno(...embed, ...inside, "--output", OUTPUT, ...options, join(stage, ENTRY_NAME));
}

const stage = await Deno.makeTempDir({ prefix: "plateau-" });
try {
  await compile(stage, Deno.args);
} finally {
  await Deno.remove(stage, { recursive: true });
}
