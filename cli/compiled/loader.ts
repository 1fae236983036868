/** Source text that `stage.ts` puts into the compiled program: it finds, loads and runs the parts of the bundle. */

/**
 * File name suffixes: for V8's compiled code of a script, for a compressed file, and for a list of the parts that a
 * kind of process used.
 */
export const CODE = ".code";
export const DEFLATED = ".gz";
export const USED = ".used";
/** Environment variable that names the folder in which a run leaves V8's compiled code and the lists of used parts. */
export const CODE_FOLDER = "PLATEAU_CODE_FOLDER";
/**
 * Environment variable that names the folder in which a process stores V8's compiled code of all scripts without
 * running any of them.
 */
export const UNRUN_FOLDER = "PLATEAU_UNRUN_CODE_FOLDER";
/** Environment variable with the prefix, such as `usual`, of the names of files that list used parts. */
export const CODE_USERS = "PLATEAU_CODE_USERS";

/** A script that contains one or more parts of the bundle. */
export interface PartsScript {
  readonly file: string;
  readonly parts: readonly string[];
  readonly isDeflated: boolean;
}

/**
 * Source of the loader, which runs each part of the bundle once, when the part is first used. The loader also provides
 * `require`, because bundled CommonJS packages use it to load Node's own modules.
 */
export const loaderOf = (scripts: readonly PartsScript[]): string =>
  `import { createRequire } from "node:module";
import { Script } from "node:vm";
const need = globalThis.require = createRequire(import.meta.url);
const fileOf = ${
    JSON.stringify(Object.fromEntries(scripts.flatMap(({ file, parts }) =>
      parts.map((p) => [p, file])
    )))
  };
const deflated = new Set(${
    JSON.stringify(scripts.filter(({ isDeflated }) => isDeflated).map(({ file }) => file))
  });
export const used = new Map();
export const scripts = new Map();
const functions = new Map();
export function use(name) {
  const known = used.get(name);
  if (known !== undefined) return known;
  const part = {};
  used.set(name, part);
  return functionsOf(fileOf[name])[name](part, use, useLater, need, import.meta) ?? part;
}
async function useLater(name) {
  return await use(name);
}
function functionsOf(file) {
  const known = functions.get(file);
  if (known !== undefined) return known;
  const script = scriptOf(file, codeOf(file));
  scripts.set(file, script);
  functions.set(file, script.runInThisContext());
  return functions.get(file);
}
function scriptOf(file, cachedData) {
  const text = deflated.has(file) ? inflated(file).toString() : Deno.readTextFileSync(urlOf(file));
  return new Script(text, { filename: urlOf(file).href, cachedData });
}
function codeOf(file) {
  try {
    const code = file + "${CODE}";
    return deflated.has(file) ? inflated(code) : Deno.readFileSync(urlOf(code));
  } catch {
    return undefined;
  }
}
function inflated(file) {
  return need("node:zlib").gunzipSync(Deno.readFileSync(urlOf(file + "${DEFLATED}")));
}
function urlOf(file) {
  return new URL(file, import.meta.url);
}
`;

/**
 * Source that makes a program save V8's compiled code and the list of the parts that it used. The main program does so
 * when it ends, and also saves the list whenever a load begins; a worker does so when its load has finished. If
 * `UNRUN_FOLDER` is set, the program instead saves V8's code of all scripts and exits.
 */
export const KEEPER = `
import { statSync } from "node:fs";
import { join } from "node:path";
const unrun = Deno.env.get("${UNRUN_FOLDER}");
if (unrun !== undefined) {
  for (const file of new Set(Object.values(fileOf))) {
    Deno.writeFileSync(join(unrun, file + "${CODE}"), scriptOf(file).createCachedData());
  }
  Deno.exit();
}
function inFolder(name) {
  return join(Deno.env.get("${CODE_FOLDER}"), name);
}
const isWorker = typeof globalThis.postMessage === "function";
const users = [Deno.env.get("${CODE_USERS}"), Deno.args[0]];
function list(...more) {
  const path = inFolder([...users, ...more].join("-") + "${USED}");
  Deno.writeTextFileSync(path, [...used.keys(), ""].join(" "), { append: true });
}
function keep() {
  list(isWorker ? "worker" : "whole");
  for (const [name, script] of scripts) {
    const path = inFolder(name + "${CODE}");
    const code = script.createCachedData();
    const kept = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (code.length > kept) Deno.writeFileSync(path, code);
  }
}
globalThis.addEventListener("unload", keep);
if (isWorker) {
  const post = globalThis.postMessage;
  globalThis.postMessage = (message) => {
    if (message.kind === "finished") keep();
    post.call(globalThis, message);
  };
} else {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message) {
    if (message.kind === "start") list("begun");
    postMessage.call(this, message);
  };
}
`;
