/**
 * `deno task compile [--target T]`: dist/plateau, one file that runs with nothing else installed.
 *
 * The program is bundled and the bundle compiled: compiled as it is, it would embed every file of every
 * package, 14 MB more, and take a third longer to start. The bundle is split where the program imports as
 * it goes, so that a command reads its own code alone. It is not minified, as esbuild's minifier drops
 * `using` (a listener that it should close stays open), and so that stacks can be read.
 *
 * Most of a start would be V8 reading source text. So each part of the bundle becomes a script with V8's
 * code of it beside it: the program is compiled once without, carries out what users start most, and is
 * compiled again with the code that these runs have left. V8 checks that code by its own version, flags and
 * the length of the text, and reads the text where it does not fit; so does a program for another system,
 * which cannot run here and has none.
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
const LOADER_NAME = "loader.js";
const MAIN = "main.js";
/** Ends the name of V8's code of a script. */
const CODE = ".code";
/** Names the folder where a run leaves V8's code. */
const CODE_FOLDER = "PLATEAU_CODE_FOLDER";

/**
 * Loads a part of the bundle by its name, once. Bundled CommonJS packages `require` Node's own modules, which
 * a bundle does not provide.
 */
const LOADER = `import { createRequire } from "node:module";
import { Script } from "node:vm";
const need = globalThis.require = createRequire(import.meta.url);
const parts = new Map();
export const scripts = new Map();
export function use(name) {
  const known = parts.get(name);
  if (known !== undefined) return known;
  const part = {};
  parts.set(name, part);
  const url = new URL(name, import.meta.url);
  const script = new Script(Deno.readTextFileSync(url), { filename: url.href, cachedData: codeOf(url) });
  scripts.set(name, script);
  const done = script.runInThisContext()(part, use, useLater, need, import.meta);
  return done ?? part;
}
async function useLater(name) {
  return await use(name);
}
function codeOf(url) {
  try {
    return Deno.readFileSync(new URL(url + "${CODE}"));
  } catch {
    return undefined;
  }
}
`;

/** Of a program that leaves V8's code of its parts when it ends, and of a worker's when a load has ended. */
const KEEPER = `
import { statSync } from "node:fs";
import { join } from "node:path";
function keep() {
  for (const [name, script] of scripts) {
    const path = join(Deno.env.get("${CODE_FOLDER}"), name + "${CODE}");
    const code = script.createCachedData();
    const kept = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (code.length > kept) Deno.writeFileSync(path, code);
  }
}
globalThis.addEventListener("unload", keep);
if (typeof globalThis.postMessage === "function") {
  const post = globalThis.postMessage;
  globalThis.postMessage = (message) => {
    if (message.kind === "finished") keep();
    post.call(globalThis, message);
  };
}
`;

const entryOf = (name: string): string =>
  `import { use } from "./${LOADER_NAME}";\nawait use("${name}");\n`;

async function deno(...args: string[]): Promise<void> {
  await run(Deno.execPath(), args);
}

async function run(
  program: string,
  args: string[],
  options: Deno.CommandOptions = {},
): Promise<void> {
  const command = new Deno.Command(program, { args, cwd: ROOT, ...options });
  const { success } = await command.spawn().status;
  if (!success) {
    throw new Error(`Cannot go on as this failed: ${basename(program)} ${args.join(" ")}`);
  }
}

/** Bundles everything into `stage`, each part as a script, and a module for each that is started. */
async function bundle(stage: string): Promise<void> {
  for (const module of ["main.ts", ...WORKERS]) {
    await deno("bundle", "--quiet", "--code-splitting", "--outdir", stage, module);
  }
  const names = new Set(readdirSync(stage));
  for (const name of names) {
    const text = await Deno.readTextFile(join(stage, name));
    await Deno.writeTextFile(join(stage, name), asScript(name, text, names));
  }
  await Deno.writeTextFile(join(stage, ENTRY_NAME), entryOf(MAIN));
  for (const worker of WORKERS) {
    const name = basename(worker, ".ts");
    await Deno.writeTextFile(join(stage, `${name}.ts`), entryOf(`${name}.js`));
  }
  await Deno.writeTextFile(join(stage, "deno.json"), JSON.stringify({ unstable: config.unstable }));
  const folders = Object.values(frameworks).map(({ folder }) => folder);
  await Deno.writeTextFile(join(stage, PACK), packSources(folders));
}

const IMPORT =
  /^import (?:(\w+)(?:, | ))?(?:\* as (\w+) )?(?:\{([^}]*)\} )?(?:from )?"([^"]+)";$/gm;
const EXPORTS = /^export \{\n([^}]*)\};\n/gm;
const DEFAULT_EXPORT = /^export default (.*);$/gm;
const LATER = /\bimport\("\.\/([^"]+)"\)/g;

/**
 * A part of esbuild's split output as the text of a function: its imports and exports, which are of one form and
 * at the starts of lines, become calls and properties. Names are never assigned again after they are
 * exported, as each part is run to its end before those that import it.
 */
function asScript(name: string, module: string, names: ReadonlySet<string>): string {
  const exported: string[] = [];
  const text = module
    .replace(EXPORTS, (_, list: string) => {
      const pairs = namesIn(list).map((entry) => entry.split(" as "));
      exported.push(...pairs.map(([own, other = own]) => `__part.${other} = ${own};`));
      return "";
    })
    .replace(DEFAULT_EXPORT, (_, value: string) => `__part.default = ${value};`)
    .replace(IMPORT, (_, whole, all, list, from) => importOf({ whole, all, list, from }))
    .replace(LATER, (call, part: string) => names.has(part) ? `__useLater("${part}")` : call)
    .replace(/\bimport\.meta\b/g, "__meta");
  const [left] = /^(?:import|export) .*$/m.exec(text) ?? [];
  if (left !== undefined) throw new Error(`Cannot make a script of ${name}: ${left}`);
  const kind = name === MAIN ? "async function" : "function";
  return `(${kind} (__part, __use, __useLater, __need, __meta) {"use strict";${text}\n${
    exported.join("\n")
  }\n})`;
}

function namesIn(list: string): string[] {
  return list.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
}

interface PartImport {
  readonly whole?: string;
  readonly all?: string;
  readonly list?: string;
  readonly from: string;
}

function importOf({ whole, all, list, from }: PartImport): string {
  const isPart = from.startsWith("./");
  const source = isPart ? `__use("${from.slice(2)}")` : `__need("${from}")`;
  const bindings = list && namesIn(list).map((entry) => entry.replace(" as ", ": ")).join(", ");
  return [
    ...whole ? [`const ${whole} = ${source}${isPart ? ".default" : ""};`] : [],
    ...all ? [`const ${all} = ${source};`] : [],
    ...bindings ? [`const { ${bindings} } = ${source};`] : [],
    ...whole || all || bindings ? [] : [`${source};`],
  ].join(" ");
}

async function compile(stage: string, output: string, options: readonly string[]): Promise<void> {
  const inside = readdirSync(stage).filter((name) => name !== ENTRY_NAME && name !== "deno.json")
    .flatMap((name) => ["--include", join(stage, name)]);
  const embed = ["compile", "--allow-all", "--no-check", "--config", join(stage, "deno.json")];
  await deno(...embed, ...inside, "--output", output, ...options, join(stage, ENTRY_NAME));
}

/** Leaves in `folder` V8's code of what `program` runs in what users start most. */
async function leaveCode(program: string, folder: string): Promise<void> {
  const quietly = {
    cwd: folder,
    env: { [CODE_FOLDER]: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  } as const;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    return new Response("Hello, World!");
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const out = await Deno.makeTempDir({ dir: folder });
  for (
    const args of [
      ["--version"],
      ["--help"],
      ["check", "kuffel-walter"],
      ["bench", url, "-d", "300ms"],
      ["run", "quick", "--duration", "300ms", "--out", out],
    ]
  ) await run(program, args, quietly);
  await Deno.remove(out, { recursive: true });
}

const stage = await Deno.makeTempDir({ prefix: "plateau-" });
try {
  await bundle(stage);
  if (!Deno.args.includes("--target")) {
    const folder = await Deno.makeTempDir({ prefix: "plateau-code-" });
    await Deno.writeTextFile(join(stage, LOADER_NAME), LOADER + KEEPER);
    await compile(stage, join(folder, "plateau"), []);
    await leaveCode(join(folder, "plateau"), folder);
    await Deno.remove(join(folder, "plateau"));
    for (const name of readdirSync(folder)) {
      await Deno.copyFile(join(folder, name), join(stage, name));
    }
    await Deno.remove(folder, { recursive: true });
  }
  await Deno.writeTextFile(join(stage, LOADER_NAME), LOADER);
  await compile(stage, OUTPUT, Deno.args);
} finally {
  await Deno.remove(stage, { recursive: true });
}
