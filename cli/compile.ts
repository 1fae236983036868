/**
 * `deno task compile [--target T]`: dist/plateau, one file that runs with nothing else installed.
 *
 * The program is bundled and the bundle compiled: compiled as it is, it would embed every file of every
 * package, 14 MB more, and take a third longer to start. The bundle is not minified, as esbuild's
 * minifier drops `using` (a listener that it should close stays open), and so that stacks can be read.
 */
import { basename, join } from "node:path";
import config from "../deno.json" with { type: "json" };
import { frameworks } from "../targets/frameworks/registry.ts";
import { PACK, packSources } from "../targets/frameworks/sources.ts";

const ROOT = join(import.meta.dirname ?? "", "..");
const OUTPUT = join(ROOT, "dist/plateau");

/** What is started by its URL, and so is in no import graph: it lies beside the bundled main module. */
const WORKERS = ["runner/load/worker.ts", "runner/trust/null_responder.ts"];

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
  const bundle = ["bundle", "--quiet", "--output"];
  await deno(...bundle, join(stage, "main.js"), "main.ts");
  for (const worker of WORKERS) await deno(...bundle, join(stage, basename(worker)), worker);
  await Deno.writeTextFile(join(stage, "plateau.js"), ENTRY);
  await Deno.writeTextFile(join(stage, "deno.json"), JSON.stringify({ unstable: config.unstable }));
  const folders = Object.values(frameworks).map(({ folder }) => folder);
  await Deno.writeTextFile(join(stage, PACK), packSources(folders));
  const inside = ["main.js", PACK, ...WORKERS.map((worker) => basename(worker))]
    .flatMap((file) => ["--include", join(stage, file)]);
  const embed = ["compile", "--allow-all", "--no-check", "--config", join(stage, "deno.json")];
  await deno(...embed, ...inside, "--output", OUTPUT, ...options, join(stage, "plateau.js"));
}

const stage = await Deno.makeTempDir({ prefix: "plateau-" });
try {
  await compile(stage, Deno.args);
} finally {
  await Deno.remove(stage, { recursive: true });
}
