/**
 * `deno task compile [--target T]`: dist/plateau, one file that runs with nothing else installed.
 *
 * The program is bundled and the bundle compiled: compiled as it is, it would embed every file of every
 * package, 14 MB more, and take a third longer to start. The bundle is split where the program imports as
 * it goes, so that a command reads its own code alone. It is not minified, as esbuild's minifier drops
 * `using` (a listener that it should close stays open), and so that stacks can be read.
 *
 * Most of a start would be V8 reading source text. So each part of the bundle becomes a function of a script
 * with V8's code of it beside it. The program is compiled three times: as it is, to see which parts each
 * command runs; with one script for the parts that are run together, to leave V8's code of them; and with that
 * code. V8 checks the code by its own version, flags and the length of the text, and reads the text where it
 * does not fit; so does a program for another system, which cannot run here and has none.
 *
 * Every start reads all that is embedded, 1.3 ms each MB. So what no start needs is deflated.
 */
import config from "../deno.json" with { type: "json" };
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { frameworks } from "../targets/frameworks/registry.ts";
import { PACK, packSources } from "../targets/frameworks/install.ts";
import {
  CODE,
  CODE_FOLDER,
  CODE_USERS,
  DEFLATED,
  KEEPER,
  loaderOf,
  type PartsScript,
  USED,
} from "./compiled_loader.ts";

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
const entryOf = (name: string): string =>
  `import { use } from "./${LOADER_NAME}";\nawait use("${name}");\n`;

async function deno(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).spawn().status;
  if (!success) throw new Error(`Cannot go on as this failed: deno ${args.join(" ")}`);
}

/** The bundle: the text of a function for each part, by the part's name. */
type Parts = ReadonlyMap<string, string>;

async function bundle(): Promise<Parts> {
  const folder = await Deno.makeTempDir({ prefix: "plateau-bundle-" });
  try {
    for (const module of ["main.ts", ...WORKERS]) {
      await deno("bundle", "--quiet", "--code-splitting", "--outdir", folder, module);
    }
    const names = new Set(readdirSync(folder));
    const read = (name: string): string => Deno.readTextFileSync(join(folder, name));
    return new Map([...names].map((name) => [name, asFunction(name, read(name), names)]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const IMPORT =
  /^import (?:(\w+)(?:, | ))?(?:\* as (\w+) )?(?:\{([^}]*)\} )?(?:from )?"([^"]+)";$/gm;
const EXPORTS = /^export \{\n([^}]*)\};\n/gm;
const DEFAULT_EXPORT = /^export default (.*);$/gm;
const LATER = /\bimport\("\.\/([^"]+)"\)/g;

/** The text of a module for another program, where the bundler writes it with its line breaks. */
const TEXT_OF_LINES = /^var \w+ = `(?:\\[^]|\$(?!\{)|[^\\`$])*`;$/gm;

/** Of such a text, which is one line, nothing is changed. */
const META_OR_TEXT = /^(var \w+ = (["'`])(?:\\.|(?!\2)[^\\\n])*\2;)$|\bimport\.meta\b/gm;

/**
 * A part of esbuild's split output as the text of a function: its imports and exports, which are of one form and
 * at the starts of lines, become calls and properties. Names are never assigned again after they are
 * exported, as each part is run to its end before those that import it.
 */
function asFunction(name: string, module: string, names: ReadonlySet<string>): string {
  const exported: string[] = [];
  const text = module
    .replace(TEXT_OF_LINES, (text) => text.replaceAll("\n", "\\n"))
    .replace(EXPORTS, (_, list: string) => {
      const pairs = namesIn(list).map((entry) => entry.split(" as "));
      exported.push(...pairs.map(([own, other = own]) => `__part.${other} = ${own};`));
      return "";
    })
    .replace(DEFAULT_EXPORT, (_, value: string) => `__part.default = ${value};`)
    .replace(IMPORT, (_, whole, all, list, from) => importOf({ whole, all, list, from }))
    .replace(LATER, (call, part: string) => names.has(part) ? `__useLater("${part}")` : call)
    .replace(META_OR_TEXT, (_, text = "__meta") => text);
  const [left] = /^(?:import|export) .*$/m.exec(text) ?? [];
  if (left !== undefined) throw new Error(`Cannot make a function of ${name}: ${left}`);
  const kind = name === MAIN ? "async function" : "function";
  return `${kind} (__part, __use, __useLater, __need, __meta) {"use strict";${text}\n${
    exported.join("\n")
  }\n}`;
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

const alone = (parts: Parts): PartsScript[] =>
  [...parts.keys()].map((name) => ({ file: name, parts: [name], isDeflated: false }));

/** One script for the parts that the same kinds of processes use, by the lists in `folder`. */
function byUsers(parts: Parts, folder: string): PartsScript[] {
  const users = new Map([...parts.keys()].map((name) => [name, new Set<string>()]));
  for (const list of readdirSync(folder).filter((name) => name.endsWith(USED))) {
    const used = Deno.readTextFileSync(join(folder, list)).split(" ");
    for (const name of used) users.get(name)?.add(list);
  }
  const groups = Map.groupBy(alone(parts), ({ file }) => [...users.get(file) ?? []].join() || file);
  return [...groups.values()].map((group, index) => ({
    file: `script-${index}.js`,
    parts: group.map(({ file }) => file),
    isDeflated: [...users.get(group[0].file) ?? []].every((list) => SELDOM.test(list)),
  }));
}

interface Compiled {
  readonly scripts: readonly PartsScript[];
  /** Ends the loader. */
  readonly keeper?: string;
  /** Where V8's code of the scripts is. */
  readonly codeFolder?: string;
  readonly output: string;
}

async function compile(
  parts: Parts,
  { scripts, keeper = "", codeFolder, output }: Compiled,
): Promise<void> {
  const stage = await Deno.makeTempDir({ prefix: "plateau-" });
  try {
    const write = (name: string, content: string | Uint8Array): void =>
      writeFileSync(join(stage, name), content);
    for (const { file, parts: names, isDeflated } of scripts) {
      const text = names.map((name) => `\n"${name}": ${parts.get(name)}`).join(",");
      const contents: [string, string | Uint8Array][] = [[file, `({${text}\n})`]];
      const code = codeFolder === undefined ? "" : join(codeFolder, file + CODE);
      if (existsSync(code)) contents.push([file + CODE, readFileSync(code)]);
      for (const [name, content] of contents) {
        if (isDeflated) write(name + DEFLATED, gzipSync(content, { level: 9 }));
        else write(name, content);
      }
    }
    write(LOADER_NAME, loaderOf(scripts) + keeper);
    write(ENTRY_NAME, entryOf(MAIN));
    for (const worker of WORKERS) {
      const name = basename(worker, ".ts");
      write(`${name}.ts`, entryOf(`${name}.js`));
    }
    write("deno.json", JSON.stringify({ unstable: config.unstable }));
    write(PACK, packSources(Object.values(frameworks).map(({ folder }) => folder)));
    await embed(stage, output);
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

async function embed(stage: string, output: string): Promise<void> {
  const inside = readdirSync(stage).filter((name) => name !== ENTRY_NAME && name !== "deno.json")
    .flatMap((name) => ["--include", join(stage, name)]);
  const options = ["--allow-all", "--no-check", "--config", join(stage, "deno.json")];
  const target = output === OUTPUT ? Deno.args : [];
  await deno(
    "compile",
    ...options,
    ...inside,
    "--output",
    output,
    ...target,
    join(stage, ENTRY_NAME),
  );
}

/** Lists of what starts once for many starts of others, or seldom: what they alone use is inflated then. */
const SELDOM = /^seldom|-run-/;

/** Leaves in `folder` V8's code of what `program` runs in what users start most. */
async function leaveCode(program: string, folder: string): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    return new Response("Hello, World!");
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const quick = ["run", "quick", "--duration", "100ms", "--repeat", "1"];
  const out = await Deno.makeTempDir({ dir: folder });
  for (
    const [users, ...args] of [
      ["usual", "--version"],
      ["usual", "--help"],
      ["usual", "check", "kuffel-walter"],
      ["usual", "bench", url, "-d", "300ms"],
      ["usual", "supervise", "--", "true"],
      ["usual", ...quick, "--only", "scenario=static", "--out", out],
      ["seldom", "report", out],
      ["seldom", ...quick, "--only", "scenario=redis", "--out", `${out}-redis`],
    ]
  ) {
    // What one of them cannot do on this machine leaves no code, and the program starts without it.
    await new Deno.Command(program, {
      args,
      cwd: folder,
      env: { [CODE_FOLDER]: folder, [CODE_USERS]: users },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().status;
  }
}

const parts = await bundle();
if (Deno.args.includes("--target")) await compile(parts, { scripts: alone(parts), output: OUTPUT });
else {
  const codeFolder = await Deno.makeTempDir({ prefix: "plateau-code-" });
  try {
    const program = join(codeFolder, "plateau");
    await compile(parts, { scripts: alone(parts), keeper: KEEPER, output: program });
    await leaveCode(program, codeFolder);
    const scripts = byUsers(parts, codeFolder);
    await compile(parts, { scripts, keeper: KEEPER, output: program });
    await leaveCode(program, codeFolder);
    await compile(parts, { scripts, codeFolder, output: OUTPUT });
  } finally {
    await Deno.remove(codeFolder, { recursive: true });
  }
}
