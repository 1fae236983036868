/** A script of k6: its options as a load, and the requests of an iteration as a flow. It is parsed, never run. */
import type * as js from "acorn";
import { explain } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import { type Import, nameFrom, type TextFormat } from "./format/format.ts";
import { Constants, ScriptScope } from "./k6_constants.ts";
import { K6Flow } from "./k6_flow.ts";
import { loadIn, optionsSpec } from "./k6_load.ts";
import { K6Source, nodesIn, Refused } from "./k6_source.ts";
import { thresholdsFrom } from "./k6_thresholds.ts";

const NOTES = [
  "k6 counts a response that fails a check and goes on; here a virtual user begins anew after it, " +
  "and one without an expected status must be 2xx or 3xx",
];

export const k6: TextFormat = {
  what: "a k6 script",
  recognise: (text) => /^[ \t]*import\s[^"'`;]{0,500}["']k6(?:\/[\w/.-]{1,99})?["']/m.test(text),
  convert(text, path, { name, env }): Import {
    const source = new K6Source(text, path);
    const parts = partsOf(source);
    const constants = new Constants(source, env);
    const given = source.attempt(() => optionsIn(parts, constants), null);
    const notes = new Set(NOTES);
    const flow = new K6Flow({ source, constants, ...parts, note: (text) => notes.add(text) });
    const load = given ?? { scenario: "default", exec: "default", load: {}, notes: [], limits: {} };
    source.attempt(() => {
      const body = parts.functions.get(load.exec);
      if (body === undefined) {
        throw new Refused(0, `Cannot find the function ${load.exec} that the script exports`);
      }
      flow.walk(body.body, parts.scope);
      if (flow.origin === null && !source.isRefused) {
        throw new Refused(body.start, "Cannot run a script without a request");
      }
    }, undefined);
    source.throwRefused();
    const scenario = { follow: 10, flow: flow.steps };
    const ownScenario = nameFrom(load.scenario, "default");
    const { thresholds, notes: ofThresholds } = thresholdsFrom(load.limits, {
      scenario: load.scenario,
      ownScenario,
      isOpen: "phases" in load.load,
      steps: flow.steps.filter(({ think }) => think === undefined),
      placeOf: (metric) => source.placeOf(keyedAt(source, metric)),
    });
    for (const note of [...load.notes, ...ofThresholds]) notes.add(note);
    return {
      experiment: {
        name,
        targets: { target: { url: flow.origin } },
        scenarios: { [ownScenario]: scenario },
        load: load.load,
        repeat: 1,
        ...thresholds.length > 0 && { thresholds },
      },
      notes: [...notes],
    };
  },
};

interface ScriptParts {
  readonly scope: ScriptScope;
  readonly imported: ReadonlyMap<string, string>;
  readonly functions: ReadonlyMap<string, js.BlockStatement>;
  readonly options: js.Expression | null;
}

/** The top of the script. Everything else than imports, constants and functions is refused. */
function partsOf(source: K6Source): ScriptParts {
  const scope = new ScriptScope();
  const imported = new Map<string, string>();
  const functions = new Map<string, js.BlockStatement>();
  let options: js.Expression | null = null;
  const take = (node: js.ModuleDeclaration | js.Statement): void => {
    if (node.type === "ImportDeclaration") return takeImport(node, imported);
    const inner = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    if (node.type === "ExportDefaultDeclaration") {
      return void functions.set("default", bodyIn(node.declaration));
    }
    if (inner?.type === "FunctionDeclaration") {
      if (inner !== node && ["setup", "teardown"].includes(inner.id.name)) {
        throw new Refused(node.start, `Cannot take over ${inner.id.name}: it is code`);
      }
      return void functions.set(inner.id.name, inner.body);
    }
    if (inner?.type !== "VariableDeclaration") {
      throw new Refused(node.start, `Cannot take over ${source.written(node)}: it is code`);
    }
    for (const { id, init } of inner.declarations) {
      if (id.type !== "Identifier" || !init) continue;
      scope.set(id.name, { kind: "expression", node: init, scope });
      if (id.name === "options" && inner !== node) options = init;
    }
  };
  for (const node of source.program.body) source.attempt(() => take(node), undefined);
  return { scope, imported, functions, options };
}

/** Where an object of the script has the key; 0 where it is computed. */
function keyedAt(source: K6Source, name: string): number {
  for (const node of nodesIn(source.program) as Iterable<js.AnyNode>) {
    if (node.type !== "Property") continue;
    const { key } = node;
    if (
      key.type === "Literal" ? key.value === name : key.type === "Identifier" && key.name === name
    ) {
      return node.start;
    }
  }
  return 0;
}

function takeImport(
  { source: { value: from, start }, specifiers }: js.ImportDeclaration,
  imported: Map<string, string>,
): void {
  if (from !== "k6" && from !== "k6/http" && from !== "k6/options") {
    throw new Refused(
      start,
      `Cannot take over a script that imports ${from}: only k6 and k6/http are known`,
    );
  }
  for (const specifier of specifiers) {
    const isNamed = specifier.type === "ImportSpecifier";
    const name = isNamed && "name" in specifier.imported ? specifier.imported.name : "http";
    imported.set(specifier.local.name, from === "k6/http" && isNamed ? `http.${name}` : name);
  }
}

function bodyIn(node: js.ExportDefaultDeclaration["declaration"]): js.BlockStatement {
  const isFunction = node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
  if (isFunction && node.body.type === "BlockStatement") return node.body;
  throw new Refused(
    node.start,
    "Cannot take over a default export that is no function with a body",
  );
}

/** All that is wrong with the options, at their beginning. */
function optionsIn(
  { options, scope }: ScriptParts,
  constants: Constants,
): ReturnType<typeof loadIn> {
  const data = options === null ? {} : constants.value(options, scope);
  const { data: given, error } = optionsSpec.safeParse(data, { error: explain });
  if (given !== undefined) return loadIn(given);
  const messages = findingsOf(error.issues, data)
    .map(({ path, message }) => ["options", ...path].map(String).join(".") + `: ${message}`);
  throw new Refused(options?.start ?? 0, messages.join("; "));
}
