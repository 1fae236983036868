/**
 * The program as a small number of JavaScript files: a bundle by esbuild, split at dynamic imports, so that a command
 * loads only its own code. The bundle is not minified: esbuild's minifier drops `using`, so that a listener that should
 * be closed stays open, and stack traces would be unreadable. Each part of the bundle becomes a function, whose
 * compiled code V8 can cache.
 */
import { readdirSync, realpathSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";

export const ROOT = join(import.meta.dirname ?? "", "../..");

/**
 * Modules that are started as workers by their URL, so that the bundler does not find them by following imports. They
 * are put beside the bundled main module.
 */
export const WORKERS = [
  "runner/load/worker/worker.ts",
  "runner/calibration/null_responder.ts",
  "targets/launch/parent_watch.ts",
];

export const MAIN = "main.js";

/** The bundle: each part's source text, which is one function, by the part's name. */
export type Parts = ReadonlyMap<string, string>;

export async function bundledParts(): Promise<Parts> {
  using folder = TemporaryFolder.make("bundle");
  const entries = ["main.ts", ...WORKERS];
  const bundle = ["bundle", "--quiet", "--code-splitting", "--outdir", folder.path];
  const [first, ...rest] = entries;
  // The first bundling runs alone, because it downloads the bundler if Deno does not have it yet.
  await deno([...bundle, first]);
  await Promise.all(rest.map((module) => deno([...bundle, module])));
  const cache = relative(realpathSync(ROOT), await packageCache()).replaceAll("\\", "/");
  const texts = readdirSync(folder.path).map((name): [string, string] => {
    const text = Deno.readTextFileSync(join(folder.path, name));
    const [first, ...others] = text.split(`${cache}/`);
    return [name, first + others.map((rest) => rest.replace(/^[^/]+\//, PACKAGES)).join("")];
  });
  const renamed = inOrderOfUse(
    new Map(texts),
    entries.map((path) => basename(path, ".ts") + ".js"),
  );
  const names = new Set(renamed.keys());
  return new Map([...renamed].map(([name, text]) => [name, asFunction(name, text, names)]));
}

/** Deno's folder of npm packages, which has a folder for each registry, package and version. */
export async function packageCache(): Promise<string> {
  const { npmCache } = JSON.parse(await deno(["info", "--json"])) as { npmCache: string };
  return realpathSync(npmCache);
}

/** Replaces the path of the package cache in the bundle, so that the bundle is the same on every machine. */
const PACKAGES = "npm/";

/** Matches the comment that the bundler puts before each file of a package, with the package's name and version. */
export const PACKAGE_PATH = /^\/\/ npm\/((?:@[\w.-]+\/)?[\w.-]+)\/([\w.+-]+)\//gm;

const MENTION = /"\.\/([\w.-]+)"/g;

/**
 * Renames the parts. The bundler names each part by a digest that depends on the paths of the sources and packages;
 * here the parts are numbered in the order in which they are first mentioned, beginning in the entry modules.
 */
function inOrderOfUse(
  texts: ReadonlyMap<string, string>,
  entries: readonly string[],
): Map<string, string> {
  const newNames = new Map(entries.map((name) => [name, name]));
  for (const name of newNames.keys()) {
    for (const [, mentioned] of texts.get(name)?.matchAll(MENTION) ?? []) {
      if (!texts.has(mentioned) || newNames.has(mentioned)) continue;
      newNames.set(mentioned, mentioned.replace(/-[A-Z0-9]{8}\.js$/, `-${newNames.size}.js`));
    }
  }
  return new Map([...newNames].map(([old, name]) => [
    name,
    (texts.get(old) ?? "").replaceAll(
      MENTION,
      (mention, mentioned: string) =>
        newNames.has(mentioned) ? `"./${newNames.get(mentioned)}"` : mention,
    ),
  ]));
}

/** Runs Deno and resolves with its standard output. */
export async function deno(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env,
    stderr: "inherit",
  }).output();
  if (!success) {
    throw new Error(`Cannot go on, because this command failed: deno ${args.join(" ")}`);
  }
  return new TextDecoder().decode(stdout);
}

const IMPORT =
  /^import (?:(\w+)(?:, | ))?(?:\* as (\w+) )?(?:\{([^}]*)\} )?(?:from )?"([^"]+)";$/gm;
const EXPORTS = /^export \{\n([^}]*)\};\n/gm;
const DEFAULT_EXPORT = /^export default (.*);$/gm;
const LATER = /\bimport\("\.\/([^"]+)"\)/g;

/** Matches a variable that holds another program's source as a multi-line template literal. */
const TEXT_OF_LINES = /^var \w+ = `(?:\\[^]|\$(?!\{)|[^\\`$])*`;$/gm;

/**
 * Matches `import.meta`. Also matches whole one-line string variables, so that an `import.meta` within a string is not
 * replaced.
 */
const META_OR_TEXT = /^(var \w+ = (["'`])(?:\\.|(?!\2)[^\\\n])*\2;)$|\bimport\.meta\b/gm;

/**
 * Turns a part of esbuild's output into the source of a function. Imports and exports, which all begin a line and have
 * one of a few forms, become calls and properties. Exports are copied when the part ends; later assignments would be
 * missed, but each part runs to its end before the parts that import it.
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
