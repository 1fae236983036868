/** Evaluates an experiment in TypeScript to the experiment file that it stands for. */
import { basename, dirname, extname, join } from "node:path";
import { stringify } from "yaml";
import { readBytesSync } from "../../base/bounded_file.ts";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import type { PathProblem } from "../../base/problems.ts";
import { logLine } from "../../base/script/log.ts";
import { quotedOpenly, secrets } from "../../base/secrets.ts";
import { Realm, ScriptError } from "../../base/script/realm.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import { hooksIn } from "../request/scenario.ts";
import type { Environment } from "./placeholders.ts";
import type { SetParameters } from "./parameters.ts";
import type { CodeFiles } from "../code/code.ts";
import { withoutTypes } from "../code/without_types.ts";
import { isScript, TYPED } from "./module_name.ts";

interface ScriptFile {
  /** The experiment file, as YAML. */
  readonly text: string;
  /** The name that the experiment file gets, such as `signed.yaml` for `signed.ts`. */
  readonly fileName: string;
  /** The values of `--set` that are still to be filled in; empty if the script takes parameters itself. */
  readonly set: SetParameters;
  /** Converts problems of the experiment: each gets the place in the script's default export where it occurs. */
  readonly problems: (wrong: readonly PathProblem[]) => Problem[];
}

/**
 * Throws a UserError with the line of the script that fails.
 * @param written The text of the script, if it is not yet stored at `path`.
 */
export async function scriptFile(
  path: string,
  set: SetParameters,
  environment: Environment,
  written?: string,
): Promise<ScriptFile> {
  const entry = basename(path);
  const files: CodeFiles = {};
  const env = new Set<string>();
  const parameters = Object.fromEntries(
    Object.entries(set).map(([name, text]) => [name, new YamlText(text, `--set ${name}`).data]),
  );
  try {
    const realm = await Realm.open({
      entry,
      load: (module) =>
        module === entry && written !== undefined
          ? javascriptOf(written, module)
          : loaded(join(dirname(path), module), module, files),
      env: (name) => {
        env.add(name);
        const value = environment(name);
        if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
        // Registered as a secret, so that `${env.NAME}` can replace the value where the experiment
        // contains it.
        secrets.keep(value, `\${env.${name}}`);
        return value;
      },
      random: Math.random,
      nowMs: () => performance.now(),
      log: logLine,
    });
    const isFunction = realm.takesParameters;
    const data = realm.experiment(isFunction ? parameters : {});
    refuseUnread(isFunction ? realm.unread() : []);
    refuseNames(path, data);
    const code = {
      entry,
      files,
      ...isFunction && Object.keys(parameters).length > 0 && { parameters },
      ...env.size > 0 && { env: [...env] },
    };
    const whole = typeof data === "object" && data !== null ? { ...data, script: code } : data;
    return {
      text: stringify(whole, { lineWidth: 0 }),
      fileName: `${basename(path, extname(path))}.yaml`,
      set: isFunction ? {} : set,
      problems: (wrong) =>
        wrong.map(({ path: at, message }) => ({
          place: at.length === 0 ? path : `${path}: ${at.map(String).join(".")}`,
          message,
        })),
    };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new UserError([{ place: path, message: `Cannot run this script: ${error.message}` }]);
  }
}

/** Throws a UserError if `--set` gives parameters that the script does not read. */
function refuseUnread(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new UserError(names.map((name) => ({
    place: `--set ${name}`,
    message: `Cannot set ${quotedOpenly(name)}: the script has no parameter of this name`,
  })));
}

/**
 * Throws a UserError if the script has text where a hook, which is a function, is expected. At this point, each
 * function has been replaced with its own path as text, so any other text was written by the user.
 */
function refuseNames(path: string, data: unknown): void {
  const { scenarios } = Object(data);
  const ofScenarios = Object.entries(Object(scenarios)).flatMap(([name, scenario]) =>
    hooksIn(scenario).map(({ path: at }) => ["scenarios", name, ...at.map(String)])
  );
  const wrong = [["setup"], ["refresh", "by"], ["teardown"], ...ofScenarios].filter((at) => {
    const value = at.reduce((inner, key) => Reflect.get(Object(inner), key), data);
    return typeof value === "string" && value !== at.join(".");
  });
  if (wrong.length === 0) return;
  throw new UserError(wrong.map((at) => ({
    place: `${path}: ${at.join(".")}`,
    message: "Cannot call this text: write the function itself",
  })));
}

/**
 * Loads a module as JavaScript, and records its text in `files`. Throws an Error with the reason if it can't be loaded.
 */
function loaded(path: string, module: string, files: CodeFiles): string {
  // Only scripts may be imported, because results include the text of every import; another file,
  // such as a private key, must not get there.
  if (!isScript(module)) {
    throw new ScriptError(`Cannot import ${quotedOpenly(module)}: it is not a script (.ts, .js)`);
  }
  const octets = octetsOf(path);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(octets);
  const javascript = TYPED.includes(extname(path)) ? javascriptOf(text, module) : text;
  files[module] = { text, ...javascript !== text && { javascript } };
  return javascript;
}

function octetsOf(path: string): Uint8Array {
  try {
    return readBytesSync(path, "textFile");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ScriptError(`there is no file ${path}, which the script imports`);
  }
}

function javascriptOf(text: string, module: string): string {
  try {
    return withoutTypes(text, module);
  } catch (error) {
    throw new ScriptError(messageOf(error));
  }
}
