/**
 * The processor of an Artillery script, as code of an experiment in TypeScript: its functions stay as they are, but for what
 * there is not where hooks run, which is marked. It is read, never run.
 */
import type * as js from "acorn";
import { Edits } from "./k6_edits.ts";
import { K6Source, namesIn, partsOf } from "./k6_source.ts";

/** Modules of which `plateau/artillery` has a part, as `node.NAME`. */
const MODULES: Readonly<Record<string, string>> = {
  "crypto": "crypto",
  "node:crypto": "crypto",
  "uuid": "uuid",
};

/** Names that every script of Node.js has, and none has here. */
const MISSING_GLOBALS = [
  ...["require", "process", "global", "__dirname", "__filename", "fetch", "crypto", "performance"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "structuredClone"],
  ...["URL", "URLSearchParams", "TextEncoder", "TextDecoder", "btoa", "atob"],
];

const WAITS = "it waits, and hooks run synchronously";

export class ArtilleryProcessor {
  /** Its own names for the functions that a script may call. */
  readonly names = new Set<string>();
  /** Lines that are left out, with the reason. */
  readonly left: string[] = [];
  /** Variables of the environment that it reads. */
  readonly variables = new Set<string>();
  usesBuffer = false;
  readonly #source: K6Source;
  readonly #edits: Edits;
  /** Names that stand for what is not there, with the reason, where the walk is. */
  #missing = new Map<string, string>();
  #isModule = false;

  /** Throws a UserError where it is not JavaScript. @param path Messages call it so. */
  constructor(text: string, path: string) {
    this.#source = new K6Source(text, path);
    this.#edits = new Edits(text);
    const declared = new Set(declaredIn(this.#source.program));
    for (const name of MISSING_GLOBALS) {
      if (!declared.has(name)) this.#missing.set(name, `there is no ${name} here`);
    }
    this.#statements(this.#source.program.body);
  }

  /** An expression that gives an object of its functions. */
  get code(): string {
    const body = this.#edits.toString().trim();
    const [head, given] = this.#isModule
      ? [[], `{ ${[...this.names].join(", ")} }`]
      : [["const module = { exports: {} };", "const { exports } = module;"], "module.exports"];
    return ["(() => {", ...head, body, `return ${given};`, "})()"].join("\n");
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
        return this.#leave(node, "a processor exports functions by their names");
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

  /** What of it are statements is looked at one by one. */
  #compound(node: js.Statement): void {
    const isStatement = ({ type }: js.Node): boolean =>
      /Statement$|Declaration$/.test(type) || type === "CatchClause" || type === "SwitchCase";
    if (node.type === "ForOfStatement" && node.await) return this.#leave(node, WAITS);
    const parts = partsOf(node);
    const isLoop = /^For/.test(node.type);
    const heads = parts.filter((part) =>
      !isStatement(part) || isLoop && part.type === "VariableDeclaration"
    );
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
      } else this.#statement(part as js.Statement);
    }
  }

  #simple(node: js.Statement | js.ModuleDeclaration): void {
    const why = this.#whyNot(node);
    if (why !== null) return this.#leave(node, why);
    for (const name of namesDeclaredBy(node)) this.#missing.delete(name);
    this.#noteExports(node);
  }

  /** Why it cannot be had here; null where it can. Functions within it are looked at statement by statement. */
  #whyNot(node: js.Node): string | null {
    const functions: (() => void)[] = [];
    const waiting: js.Node[] = [node];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const one = next as js.AnyNode;
      if (this.#isTakenModule(one)) continue;
      const why = this.#whyNotOne(one);
      if (why !== null) return why;
      if (one.type === "Property" && one.method) {
        const { value, start } = one;
        if (value.type === "FunctionExpression") functions.push(() => this.#function(value, start));
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
    for (const take of functions) take();
    return null;
  }

  #whyNotOne(node: js.AnyNode): string | null {
    if (node.type === "AwaitExpression") return WAITS;
    this.#noteVariables(node);
    if (node.type === "ImportExpression") return "it imports a module when it runs";
    const module = requiredBy(node);
    if (module !== null) return `there is no module ${JSON.stringify(module)} here`;
    if (node.type !== "Identifier") return null;
    if (node.name === "Buffer") this.usesBuffer = true;
    return this.#missing.get(node.name) ?? null;
  }

  /** `process.env.NAME`, and `{ NAME } = process.env`. */
  #noteVariables(node: js.AnyNode): void {
    const isRead = node.type === "MemberExpression" && node.object.type === "MemberExpression" &&
      isEnvironment(node.object);
    const keys = isRead
      ? [node.property]
      : node.type === "VariableDeclarator" && node.id.type === "ObjectPattern" &&
          node.init?.type === "MemberExpression" && isEnvironment(node.init)
      ? node.id.properties.flatMap((one) => one.type === "Property" ? [one.key] : [])
      : [];
    for (const key of keys) {
      if (key.type === "Identifier") this.variables.add(key.name);
      if (key.type === "Literal") this.variables.add(String(key.value));
    }
  }

  /** A call of `require` of a module that is there becomes that module. */
  #isTakenModule(node: js.AnyNode): boolean {
    const name = requiredBy(node);
    if (name === null || !Object.hasOwn(MODULES, name)) return false;
    this.#edits.replace(node.start, node.end, `node.${MODULES[name]}`);
    return true;
  }

  #function(node: js.Function | js.AnonymousFunctionDeclaration, start: number): void {
    const { text } = this.#source;
    if (node.async) {
      const [keyword] = /^async\s+/.exec(text.slice(start)) ?? [""];
      this.#edits.replace(start, start + keyword.length, "");
    }
    if (node.body.type !== "BlockStatement") return;
    const around = this.#missing;
    this.#missing = new Map(around);
    for (const name of node.params.flatMap((param) => namesIn(param))) this.#missing.delete(name);
    this.#statements(node.body.body);
    this.#missing = around;
  }

  #import(node: js.ImportDeclaration): void {
    this.#isModule = true;
    const from = String(node.source.value);
    if (!Object.hasOwn(MODULES, from)) {
      return this.#leave(node, `there is no module ${JSON.stringify(from)} here`);
    }
    const lines = node.specifiers.map(({ local, ...specifier }) => {
      const named = specifier.type === "ImportSpecifier" && "imported" in specifier &&
          specifier.imported.type === "Identifier"
        ? specifier.imported.name
        : null;
      this.#missing.delete(local.name);
      const given = named === null ? local.name : `{ ${named}: ${local.name} }`;
      return `const ${given} = node.${MODULES[from]};`;
    });
    this.#edits.replace(node.start, node.end, lines.join("\n"));
  }

  #export(node: js.ExportNamedDeclaration): void {
    this.#isModule = true;
    const { declaration, specifiers, start, end } = node;
    if (!declaration) {
      for (const { local, exported } of specifiers) {
        if (local.type !== "Identifier" || exported.type !== "Identifier") continue;
        this.names.add(
          local.name === exported.name ? local.name : `${exported.name}: ${local.name}`,
        );
      }
      return this.#edits.replace(start, end, "");
    }
    this.#edits.replace(start, declaration.start, "");
    const left = this.left.length;
    this.#statement(declaration);
    if (this.left.length > left && declaration.type === "VariableDeclaration") return;
    for (const name of namesDeclaredBy(declaration)) this.names.add(name);
  }

  /** Notes what is exported by `module.exports = { … }`, `module.exports.name = …` and `exports.name = …`. */
  #noteExports(node: js.Node): void {
    const one = node as js.AnyNode;
    if (one.type !== "ExpressionStatement" || one.expression.type !== "AssignmentExpression") {
      return;
    }
    const { left, right } = one.expression;
    const written = this.#source.text.slice(left.start, left.end);
    const [, name] = /^(?:module\.)?exports\.([\w$]+)$/.exec(written) ?? [];
    if (name !== undefined) this.names.add(name);
    if (written !== "module.exports" || right.type !== "ObjectExpression") return;
    for (const property of right.properties) {
      if (property.type !== "Property" || property.key.type !== "Identifier") continue;
      this.names.add(property.key.name);
    }
  }

  #leave(node: js.Node, why: string): void {
    this.#edits.leave(node, why);
    this.left.push(`${this.#source.lineOf(node.start)}, ${this.#source.written(node)}: ${why}`);
    for (const name of namesDeclaredBy(node)) {
      this.#missing.set(name, `it needs ${name}, which is not taken over`);
    }
  }
}

/** The module that a call of `require` names; null for anything else. */
function requiredBy(node: js.AnyNode): string | null {
  if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return null;
  const [given] = node.arguments;
  return node.callee.name === "require" && given?.type === "Literal" ? String(given.value) : null;
}

/** The parts of a node that may stand for values: names of members and keys do not. Of `process.env`, nothing is looked up. */
function referencesOf(node: js.AnyNode): readonly js.Node[] {
  if (node.type === "MemberExpression") {
    if (isEnvironment(node)) return [];
    return node.computed ? [node.object, node.property] : [node.object];
  }
  if (node.type === "Property") return node.computed ? [node.key, node.value] : [node.value];
  return partsOf(node);
}

function isEnvironment({ object, property }: js.MemberExpression): boolean {
  return object.type === "Identifier" && object.name === "process" &&
    property.type === "Identifier" && property.name === "env";
}

function namesDeclaredBy(node: js.Node): string[] {
  const one = node as js.AnyNode;
  if (one.type === "FunctionDeclaration" || one.type === "ClassDeclaration") {
    return one.id ? [one.id.name] : [];
  }
  if (one.type === "ImportDeclaration") return one.specifiers.map(({ local }) => local.name);
  return one.type === "VariableDeclaration"
    ? one.declarations.flatMap(({ id }) => [...namesIn(id)])
    : [];
}

/** Names that it declares anywhere, as those hide what has the name elsewhere. */
function declaredIn(program: js.Program): string[] {
  const names: string[] = [];
  const waiting: js.Node[] = [program];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const one = next as js.AnyNode;
    if (one.type !== "ImportDeclaration") names.push(...namesDeclaredBy(one));
    if ("params" in one && Array.isArray(one.params)) {
      names.push(...one.params.flatMap((param) => namesIn(param)));
    }
    waiting.push(...partsOf(one));
  }
  return names;
}
