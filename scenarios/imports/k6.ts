/**
 * Imports a k6 script: its options become a load, and the requests of an iteration become a flow. The script is parsed,
 * never run.
 */
import type * as js from "acorn";
import type * as z from "zod";
import { explain } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import {
  type Import,
  nameFrom,
  Origins,
  REDIRECTS_ELSEWHERE,
  type TextFormat,
} from "./format/format.ts";
import { marking, unmarkedIn } from "./format/references.ts";
import { Constants, functionOf, ScriptScope } from "./k6_constants.ts";
import { K6Flow } from "./k6_flow.ts";
import { importedNames } from "./k6_imports.ts";
import { type K6Load, loadIn, ONCE, optionsSpec } from "./k6_load.ts";
import { sendersIn } from "./k6_senders.ts";
import { namesIn, nodesIn, Refused, ScriptSource } from "./script_source.ts";
import { thresholdsFrom } from "./k6_thresholds.ts";

const NOTES = [
  "k6 only counts the failed check and goes on; here the virtual user starts over after it, " +
  "and a response without a checked status must be 2xx or 3xx",
];

export const k6: TextFormat = {
  what: "a k6 script",
  recognise: (text) => /^[ \t]*import\s[^"'`;]{0,500}["']k6(?:\/[\w/.-]{1,99})?["']/m.test(text),
  convert(text, path, { name, env }): Import {
    const source = new ScriptSource(text, path);
    const parts = partsOf(source);
    const read = new Map<string, string>();
    const constants = new Constants(source, parts.imported, marking(env, read));
    const load = source.attempt(() => optionsIn(parts, constants), { ...ONCE, limits: {} });
    const notes = new Set([...NOTES, ...load.notes]);
    const origins = new Origins();
    const flow = new K6Flow({
      ...{ source, constants, origins, load, imported: parts.imported, senders: parts.senders },
      note: (text) => notes.add(text),
    });
    source.attempt(() => {
      const { node } = functionOf(parts.scope, load.exec) ??
        refused(0, `Cannot find the function ${load.exec}: the script exports none of that name`);
      flow.iterations(node, parts.scope);
      if (flow.origin === null && !source.isRefused) {
        throw new Refused(node.start, "Cannot run a script without a request");
      }
    }, undefined);
    source.throwRefused();
    const follow = flow.redirects;
    if (follow > 0) notes.add(REDIRECTS_ELSEWHERE);
    const scenario = { ...follow > 0 && { follow }, flow: flow.steps };
    const { ownScenario } = load;
    const requests = flow.steps.filter(({ think }) => think === undefined);
    const { thresholds, notes: ofThresholds } = thresholdsFrom(load.limits, {
      scenario: load.scenario,
      ownScenario,
      isOpen: "phases" in load.load,
      steps: requests,
      placeOf: (metric) => source.lineOf(keyedAt(source, metric)),
    });
    for (const note of ofThresholds) notes.add(note);
    const at = source.placeOf(parts.options?.start ?? 0);
    return {
      experiment: {
        name,
        targets: { target: { url: flow.origin, ...load.insecure && { insecure: true } } },
        scenarios: { [ownScenario]: scenario },
        load: origins.keep({ ...load.load, timeout: flow.timeout }, at),
        repeat: 1,
        ...thresholds.length > 0 && { thresholds: origins.keep([...thresholds], at) },
      },
      notes: [...notes],
      origins,
      read,
    };
  },
};

function refused(at: number, message: string): never {
  throw new Refused(at, message);
}

interface ScriptParts {
  readonly scope: ScriptScope;
  readonly imported: ReadonlyMap<string, string>;
  readonly senders: ReadonlyMap<string, string>;
  readonly options: js.Expression | null;
}

/** Exported functions that k6 calls once, before or after the load. */
const AROUND = ["setup", "teardown"];

/**
 * Reads the functions, constants and options at the top level of the script. Refuses code there that sends requests.
 */
export function partsOf(source: ScriptSource): ScriptParts {
  const scope = new ScriptScope();
  const imported = importedNames(source.program);
  let options: js.Expression | null = null;
  const senders = sendersIn(source.program, imported);
  const sends = (node: js.Node): boolean => namesIn(node).some((name) => senders.has(name));
  const take = (node: js.ModuleDeclaration | js.Statement): void => {
    if (node.type === "ImportDeclaration") return;
    const inner = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    const isExported = inner !== node;
    if (node.type === "ExportDefaultDeclaration") {
      const { declaration } = node;
      const bound = functionIn(declaration, scope) ??
        refused(node.start, "Cannot convert a default export that is not a function");
      return scope.set("default", bound);
    }
    if (inner?.type === "FunctionDeclaration") {
      if (isExported && AROUND.includes(inner.id.name) && sends(inner)) refuseAround(inner);
      return scope.set(inner.id.name, { kind: "function", node: inner, scope });
    }
    if (inner?.type !== "VariableDeclaration") {
      if (inner === null || sends(node)) {
        throw new Refused(
          node.start,
          `Cannot convert ${source.written(node)}: it is code that requests cannot express`,
        );
      }
      return;
    }
    for (const { id, init } of inner.declarations) {
      if (id.type !== "Identifier" || !init) continue;
      if (isExported && AROUND.includes(id.name) && sends(init)) refuseAround({ ...node, id });
      scope.set(id.name, functionIn(init, scope) ?? { kind: "expression", node: init, scope });
      if (id.name === "options" && isExported) options = init;
    }
  };
  for (const node of source.program.body) {
    if (node.type !== "FunctionDeclaration") continue; // functions may be used before they are declared
    scope.set(node.id.name, { kind: "function", node, scope });
  }
  for (const node of source.program.body) source.attempt(() => take(node), undefined);
  return { scope, imported, senders, options };
}

function refuseAround({ start, id }: { readonly start: number; readonly id: js.Identifier }): void {
  throw new Refused(
    start,
    `Cannot convert ${id.name}: it sends requests, which an experiment file can send only from virtual users`,
    "leave it out",
  );
}

/** The function that an expression is or refers to; null if there is none. */
function functionIn(
  node: js.ExportDefaultDeclaration["declaration"],
  scope: ScriptScope,
): ReturnType<typeof functionOf> {
  if (node.type === "Identifier") return functionOf(scope, node.name);
  const isFunction = node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
  return isFunction ? { kind: "function", node, scope } : null;
}

/**
 * Position of the first property with this name in any object of the script; 0 if none has it, for example because its
 * key is computed.
 */
export function keyedAt(source: ScriptSource, name: string): number {
  for (const node of nodesIn(source.program) as Iterable<js.AnyNode>) {
    if (node.type !== "Property" || node.computed) continue;
    const { key } = node;
    if (
      key.type === "Literal" ? key.value === name : key.type === "Identifier" && key.name === name
    ) {
      return node.start;
    }
  }
  return 0;
}

/** The options that become texts of the experiment, in which values of environment variables stay marked. */
function textsOf(
  { userAgent }: z.output<typeof optionsSpec>,
  written: unknown,
): Pick<K6Load, "env" | "ownScenario" | "userAgent"> {
  const [[name, scenario] = ["default", {}]] = Object.entries(Object(Object(written).scenarios));
  const { env } = Object(scenario);
  return {
    ownScenario: nameFrom(name, "default"),
    ...userAgent !== undefined && { userAgent: Object(written).userAgent },
    ...env !== undefined && { env },
  };
}

/** Converts the options. All their problems are reported at the place where the options begin. */
export function optionsIn({ options, scope }: ScriptParts, constants: Constants): K6Load {
  const written = options === null ? {} : constants.value(options, scope);
  const data = unmarkedIn(written);
  const { data: given, error } = optionsSpec.safeParse(data, { error: explain });
  if (given !== undefined) return { ...loadIn(given), ...textsOf(given, written) };
  const messages = findingsOf(error.issues, data)
    .map(({ path, message }) => ["options", ...path].map(String).join(".") + `: ${message}`);
  throw new Refused(options?.start ?? 0, messages.join("; "));
}
