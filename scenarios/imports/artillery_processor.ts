/**
 * Converts the processor of an Artillery script to code in an experiment in TypeScript. Its functions are kept, but
 * code that is unavailable in hooks becomes a comment with the reason. The processor is only parsed, never run.
 */
import type * as js from "acorn";
import { messageOf, UserError } from "../../base/errors.ts";
import { withoutTypes } from "../code/without_types.ts";
import type { ImportContext } from "./format/format.ts";
import { Edits } from "./script_edits.ts";
import {
  namesBoundBy,
  namesDeclaredBy,
  nodesIn,
  partsOf,
  patternsIn,
  ScriptSource,
} from "./script_source.ts";

interface Module {
  /**
   * The expression that replaces the module in the written file. `node` is imported there as `plateauNode`, because a
   * processor may have a `node` of its own.
   */
  readonly code: string;
  /** The parts of the module that are available. */
  readonly names: readonly string[];
}

const CRYPTO: Module = {
  code: "plateauNode.crypto",
  names: ["createHash", "createHmac", "randomUUID"],
};
const BUFFER: Module = { code: "plateauNode", names: ["Buffer"] };

/** Modules that `plateau/artillery` provides in part. */
const MODULES: ReadonlyMap<string, Module> = new Map([
  ["crypto", CRYPTO],
  ["node:crypto", CRYPTO],
  ["buffer", BUFFER],
  ["node:buffer", BUFFER],
  ["uuid", { code: "plateauNode.uuid", names: ["v4"] }],
]);

/** Digests that `createHash` supports in hooks. */
const DIGESTS = ["sha256"];

/** Globals of Node.js that are not available in hooks. */
const MISSING_GLOBALS = [
  ...["require", "process", "global", "__dirname", "__filename", "fetch", "crypto", "performance"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "structuredClone"],
  ...["URL", "URLSearchParams", "TextEncoder", "TextDecoder", "btoa", "atob"],
];

const WAITS = "it waits for something, but hooks run synchronously";
const UNKNOWN_VARIABLES =
  "it reads environment variables whose names are known only when it runs: write process.env.NAME";

export class ArtilleryProcessor {
  /** The functions that a script may call: each exported name with the function's name in the processor. */
  readonly names = new Map<string, string>();
  /** The code that became a comment, each part with its line and the reason. */
  readonly left: string[] = [];
  /** Environment variables that the processor reads. */
  readonly variables = new Set<string>();
  usesBuffer = false;
  usesModules = false;
  readonly #source: ScriptSource;
  readonly #edits: Edits;
  /** The names in the current scope that stand for something unavailable, each with the reason. */
  #missing = new Map<string, string>();
  /** The names in the current scope that stand for modules, each with the module it stands for. */
  #modules = new Map<string, string>();
  /**
   * Statements that are the whole body of another statement, such as an `if`. When one becomes a comment, `{}` takes
   * its place, because otherwise the next statement would become the body.
   */
  readonly #bodies = new Set<js.Node>();
  #isModule = false;

  /**
   * Throws a UserError if the text is not JavaScript.
   * @param path The path of the processor, for messages.
   */
  constructor(text: string, path: string) {
    this.#source = new ScriptSource(text, path);
    this.#edits = new Edits(text);
    const declared = new Set(declaredIn(this.#source.program));
    for (const name of MISSING_GLOBALS) {
      if (!declared.has(name)) this.#missing.set(name, `Plateau has no ${name}`);
    }
    this.#statements(this.#source.program.body);
    if (!this.#isModule) return;
    for (const [name, own] of this.names) if (this.#missing.has(own)) this.names.delete(name);
  }

  /** An expression that evaluates to an object with the processor's functions. */
  get code(): string {
    const body = this.#edits.toString().trim();
    const functions = [...this.names].map(([name, own]) => name === own ? own : `${name}: ${own}`);
    const [head, given] = this.#isModule
      ? [[], `{ ${functions.join(", ")} }`]
      : [["const module = { exports: {} };", "let { exports } = module;"], "module.exports"];
    return ["(() => {", ...head, body, `return ${given};`, "})()"].join("\n");
  }

  /** Names of members to which the processor assigns values, such as `token` in `context.vars.token = 1`. */
  get assigned(): ReadonlySet<string> {
    const nodes = [...nodesIn(this.#source.program)];
    return new Set(nodes.flatMap((node) => this.#assignedBy(node as js.AnyNode)));
  }

  #assignedBy(node: js.AnyNode): string[] {
    if (node.type === "CallExpression") {
      const { callee, arguments: given } = node;
      if (this.#source.text.slice(callee.start, callee.end) !== "Object.assign") return [];
      return given.flatMap((one) => one.type === "ObjectExpression" ? one.properties : [])
        .flatMap((one) => one.type === "Property" ? keyName(one.key, one.computed) ?? [] : []);
    }
    const target = node.type === "AssignmentExpression"
      ? node.left
      : node.type === "UpdateExpression"
      ? node.argument
      : null;
    if (target?.type !== "MemberExpression") return [];
    return [keyName(target.property, target.computed) ?? []].flat();
  }

  #statements(statements: readonly (js.Statement | js.ModuleDeclaration)[]): void {
    for (const node of statements) this.#statement(node);
  }

  #statement(node: js.Statement | js.ModuleDeclaration): void {
    switch (node.type) {
      case "ImportDeclaration":
        return this.#import(node);
      case "ExportNamedDeclaration":
        return this.#export(node);
      case "ExportDefaultDeclaration":
      case "ExportAllDeclaration":
        return this.#leave(node, "only exports by name are supported, as in export function NAME");
      case "FunctionDeclaration":
        return this.#function(node, node.start);
      case "BlockStatement":
        return this.#statements(node.body);
      case "IfStatement":
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "TryStatement":
      case "SwitchStatement":
        return this.#compound(node);
      default:
        return this.#simple(node);
    }
  }

  /** Checks the statements within a compound statement one by one, so that only unavailable ones become comments. */
  #compound(node: js.Statement): void {
    const isStatement = ({ type }: js.Node): boolean =>
      /Statement$|Declaration$/.test(type) || type === "CatchClause" || type === "SwitchCase";
    if (node.type === "ForOfStatement" && node.await) return this.#leave(node, WAITS);
    const parts = partsOf(node);
    const isLoop = /^For/.test(node.type);
    const heads = parts.flatMap((part) => {
      if (part.type === "SwitchCase") return partsOf(part).filter((one) => !isStatement(one));
      return !isStatement(part) || isLoop && part.type === "VariableDeclaration" ? [part] : [];
    });
    for (const head of heads) {
      const why = this.#whyNot(head);
      if (why !== null) return this.#leave(node, why);
    }
    for (const part of parts) {
      if (heads.includes(part)) continue;
      if (part.type === "CatchClause" || part.type === "SwitchCase") {
        this.#statements(
          partsOf(part).filter(isStatement).flatMap((one) => [one as js.Statement]),
        );
        continue;
      }
      if (part.type !== "BlockStatement") this.#bodies.add(part);
      this.#statement(part as js.Statement);
    }
  }

  #simple(node: js.Statement | js.ModuleDeclaration): void {
    for (const name of namesDeclaredBy(node)) this.#modules.delete(name);
    const why = this.#whyNot(node);
    if (why !== null) return this.#leave(node, why);
    for (const name of namesDeclaredBy(node)) this.#missing.delete(name);
    this.#noteExports(node);
  }

  /**
   * Why a node is unavailable in hooks; null if it is available. The statements of functions within the node are
   * checked one by one.
   */
  #whyNot(node: js.Node): string | null {
    const functions: (() => void)[] = [];
    let isChained = false;
    const waiting: js.Node[] = [node];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const one = next as js.AnyNode;
      if (this.#isTakenModule(one)) continue;
      const why = this.#whyNotOne(one);
      if (why !== null) return why;
      isChained ||= goesOnLater(one);
      if (one.type === "MethodDefinition" || (one.type === "Property" && one.method)) {
        const { value, start, key, computed } = one;
        if (value.type === "FunctionExpression") functions.push(() => this.#function(value, start));
        if (computed) waiting.push(key);
        continue;
      }
      const isFunction = one.type === "FunctionExpression" ||
        one.type === "ArrowFunctionExpression";
      if (isFunction) {
        functions.push(() => this.#function(one, one.start));
        if (one.body.type !== "BlockStatement") waiting.push(one.body);
        continue;
      }
      for (const part of referencesOf(one)) waiting.push(part);
    }
    if (isChained) return WAITS;
    for (const take of functions) take();
    return null;
  }

  #whyNotOne(node: js.AnyNode): string | null {
    if (node.type === "AwaitExpression") return WAITS;
    if (node.type === "ImportExpression") return "it imports a module at run time";
    const module = requiredBy(node);
    if (module !== null) return `Plateau has no module ${JSON.stringify(module)}`;
    const lacking = this.#lackingIn(node);
    if (lacking !== null) return lacking;
    const read = variablesIn(node);
    if (read === null) return UNKNOWN_VARIABLES;
    for (const name of read) this.variables.add(name);
    if (node.type !== "Identifier") return null;
    if (node.name === "Buffer") this.usesBuffer = true;
    return this.#missing.get(node.name) ?? null;
  }

  /**
   * Why something that a node refers to in a module, such as a function or a digest, is unavailable; null if everything
   * is available. Also records names that stand for modules.
   */
  #lackingIn(node: js.AnyNode): string | null {
    if (node.type === "CallExpression") {
      const { callee, arguments: [given] } = node;
      const written = this.#source.text.slice(callee.start, callee.end);
      const isUnknown = /(?:^|\.)createHash$/.test(written) && given?.type === "Literal" &&
        !DIGESTS.includes(String(given.value));
      return isUnknown ? `Plateau has no digest ${String(given.value)}` : null;
    }
    if (node.type === "MemberExpression") {
      const { object, property, computed } = node;
      const module = object.type === "Identifier"
        ? this.#modules.get(object.name)
        : requiredBy(object);
      if (typeof module !== "string" || property.type !== "Identifier" || computed) return null;
      return lackOf(module, property.name);
    }
    if (node.type !== "VariableDeclarator" || !node.init) return null;
    const module = requiredBy(node.init);
    if (module === null) return null;
    if (node.id.type === "Identifier") this.#modules.set(node.id.name, module);
    if (node.id.type !== "ObjectPattern") return null;
    for (const one of node.id.properties) {
      if (one.type !== "Property" || one.key.type !== "Identifier") continue;
      const why = lackOf(module, one.key.name);
      if (why !== null) return why;
    }
    return null;
  }

  /** Whether a node is a `require` of an available module. If so, replaces it with that module's expression. */
  #isTakenModule(node: js.AnyNode): boolean {
    const name = requiredBy(node);
    const module = name === null ? undefined : MODULES.get(name);
    if (module === undefined) return false;
    this.#edits.replace(node.start, node.end, module.code);
    this.usesModules = true;
    return true;
  }

  #function(node: js.Function | js.AnonymousFunctionDeclaration, start: number): void {
    const { text } = this.#source;
    if (node.async) {
      const [, before = "", keyword = ""] = /^(static\s+)?(async\b\s*)/.exec(text.slice(start)) ??
        [];
      const from = start + before.length;
      this.#edits.replace(from, from + keyword.length, "");
    }
    const [missing, modules] = [this.#missing, this.#modules];
    [this.#missing, this.#modules] = [new Map(missing), new Map(modules)];
    for (const name of node.params.flatMap(namesBoundBy)) {
      this.#missing.delete(name);
      this.#modules.delete(name);
    }
    for (const one of node.params.flatMap(patternsIn)) {
      if (one.type !== "AssignmentPattern") continue;
      const { left, right } = one;
      const why = this.#whyNot(right);
      if (why === null) continue;
      const instead = text.slice(left.start, left.end);
      this.#leave(one, why, { instead, names: namesBoundBy(left) });
    }
    if (node.body.type === "BlockStatement") this.#statements(node.body.body);
    [this.#missing, this.#modules] = [missing, modules];
  }

  #import(node: js.ImportDeclaration): void {
    this.#isModule = true;
    const from = String(node.source.value);
    const module = MODULES.get(from);
    if (module === undefined) {
      return this.#leave(node, `Plateau has no module ${JSON.stringify(from)}`);
    }
    this.usesModules = true;
    const lines = node.specifiers.flatMap(({ local, ...specifier }) => {
      const named = specifier.type === "ImportSpecifier" && "imported" in specifier &&
          specifier.imported.type === "Identifier"
        ? specifier.imported.name
        : null;
      this.#missing.delete(local.name);
      const why = named === null ? null : lackOf(from, named);
      if (why !== null) {
        this.#missing.set(local.name, why);
        return [];
      }
      if (named === null) this.#modules.set(local.name, from);
      const given = named === null ? local.name : `{ ${named}: ${local.name} }`;
      return `const ${given} = ${module.code};`;
    });
    this.#edits.replace(node.start, node.end, lines.join("\n"));
  }

  #export(node: js.ExportNamedDeclaration): void {
    this.#isModule = true;
    const { declaration, specifiers, start, end } = node;
    if (!declaration) {
      for (const { local, exported } of specifiers) {
        if (local.type !== "Identifier" || exported.type !== "Identifier") continue;
        this.names.set(exported.name, local.name);
      }
      return this.#edits.replace(start, end, "");
    }
    this.#edits.replace(start, declaration.start, "");
    this.#statement(declaration);
    for (const name of namesDeclaredBy(declaration)) this.names.set(name, name);
  }

  /**
   * Records the exports in `module.exports = { … }`, `module.exports.name = …` and `exports.name = …`, even if such
   * assignments are chained.
   */
  #noteExports(node: js.Node): void {
    const one = node as js.AnyNode;
    if (one.type !== "ExpressionStatement") return;
    let isWhole = false;
    let given = one.expression;
    for (; given.type === "AssignmentExpression"; given = given.right) {
      const written = this.#source.text.slice(given.left.start, given.left.end);
      const [, name] = /^(?:module\.)?exports\.([\w$]+)$/.exec(written) ?? [];
      if (name !== undefined) this.names.set(name, name);
      isWhole ||= written === "module.exports";
    }
    if (!isWhole || given.type !== "ObjectExpression") return;
    for (const property of given.properties) {
      if (property.type !== "Property" || property.key.type !== "Identifier") continue;
      this.names.set(property.key.name, property.key.name);
    }
  }

  #leave(
    node: js.Node,
    why: string,
    { instead = this.#bodies.has(node) ? "{}" : "", names = namesDeclaredBy(node) } = {},
  ): void {
    this.#edits.leave(node, why, instead);
    this.left.push(`${this.#source.lineOf(node.start)}, ${this.#source.written(node)}: ${why}`);
    for (const name of names) this.#missing.set(name, `it needs ${name}, which was not converted`);
  }
}

/** The processor that a script names; null if it names none. Throws a UserError if it can't be read. */
export function processorAt(path: unknown, { files }: ImportContext): ArtilleryProcessor | null {
  if (typeof path !== "string") return null;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(files.octets(path));
  } catch (error) {
    const message = `Cannot read the processor: ${messageOf(error)}`;
    throw new UserError([{ place: path, message }]);
  }
  const name = path.replace(/^\.\//, "");
  return new ArtilleryProcessor(/\.[cm]?ts$/.test(path) ? javascriptOf(text, name) : text, name);
}

function javascriptOf(text: string, path: string): string {
  try {
    return withoutTypes(text, path);
  } catch (error) {
    const message = `Cannot read this as TypeScript: ${messageOf(error)}`;
    throw new UserError([{ place: path, message }]);
  }
}

/** The module that a `require` call names; null for any other node. */
function requiredBy(node: js.AnyNode): string | null {
  if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return null;
  const [given] = node.arguments;
  return node.callee.name === "require" && given?.type === "Literal" ? String(given.value) : null;
}

/** Why `name` is not available in a module that is supported only in part; null if it is available. */
function lackOf(module: string, name: string): string | null {
  const { names } = MODULES.get(module) ?? { names: [name] };
  return names.includes(name) ? null : `Plateau has no ${name} of ${module}`;
}

/** Whether a call passes a callback to a promise. The callback would run only after the hook has ended. */
function goesOnLater(node: js.AnyNode): boolean {
  return node.type === "CallExpression" && node.callee.type === "MemberExpression" &&
    node.callee.property.type === "Identifier" &&
    ["then", "catch", "finally"].includes(node.callee.property.name);
}

/**
 * The environment variables that a node reads by `process.env.NAME` or `{ NAME } = process.env`; null if it may read
 * any variable.
 */
function variablesIn(node: js.AnyNode): readonly string[] | null {
  // `process.env` is used as a whole, so any variable may be read.
  if (isEnvironment(node)) return null;
  if (node.type === "MemberExpression" && isEnvironment(node.object)) {
    const name = keyName(node.property, node.computed);
    return name === null ? null : [name];
  }
  if (node.type !== "VariableDeclarator" || !isTakenApart(node)) return [];
  const names = node.id.properties.map((one) =>
    one.type === "Property" ? keyName(one.key, one.computed) : null
  );
  return names.every((name) => name !== null) ? names : null;
}

function keyName(key: js.Node, isComputed: boolean): string | null {
  const one = key as js.AnyNode;
  if (one.type === "Literal") return String(one.value);
  return one.type === "Identifier" && !isComputed ? one.name : null;
}

/** Whether the node is of the form `{ NAME } = process.env`. */
function isTakenApart(
  node: js.VariableDeclarator,
): node is js.VariableDeclarator & { id: js.ObjectPattern } {
  return node.id.type === "ObjectPattern" && !!node.init && isEnvironment(node.init);
}

/**
 * The child nodes that may refer to values. Names of members and keys do not, nor does the `process.env` in
 * `process.env.NAME`.
 */
function referencesOf(node: js.AnyNode): readonly js.Node[] {
  if (node.type === "VariableDeclarator" && isTakenApart(node)) return [node.id];
  if (node.type === "MemberExpression") {
    if (isEnvironment(node.object)) return [];
    return node.computed ? [node.object, node.property] : [node.object];
  }
  if (node.type === "Property") return node.computed ? [node.key, node.value] : [node.value];
  return partsOf(node);
}

function isEnvironment(node: js.Node): boolean {
  const one = node as js.AnyNode;
  return one.type === "MemberExpression" && one.object.type === "Identifier" &&
    one.object.name === "process" && one.property.type === "Identifier" &&
    one.property.name === "env";
}

/** All names that are declared anywhere in the program, except by imports. They hide globals of the same names. */
function declaredIn(program: js.Program): string[] {
  const names: string[] = [];
  for (const node of nodesIn(program) as Iterable<js.AnyNode>) {
    if (node.type !== "ImportDeclaration") names.push(...namesDeclaredBy(node));
    if ("params" in node) names.push(...node.params.flatMap(namesBoundBy));
  }
  return names;
}
