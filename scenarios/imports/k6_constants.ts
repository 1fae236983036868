/** The values in a k6 script that are known without running it: literals, and expressions made of them. */
import type * as js from "acorn";
import { beyond, isWithin, LIMITS } from "../../base/limits.ts";
import { madeOf, unmarked, unmarkedIn, withMarks } from "./format/references.ts";
import {
  MOST_NESTED,
  namesIn,
  nodesIn,
  Refused,
  type ScriptSource,
  TooMuch,
} from "./script_source.ts";

export type ScriptFunction =
  | js.Function
  | js.FunctionExpression
  | js.AnonymousFunctionDeclaration
  | js.ArrowFunctionExpression;

export interface FunctionBinding {
  readonly kind: "function";
  readonly node: ScriptFunction;
  readonly scope: ScriptScope;
}

/**
 * What a name stands for: an expression, a value, a value that is only known when the script runs, a function, or
 * something other than a value, such as a response.
 */
export type Binding =
  | { readonly kind: "expression"; readonly node: js.Expression; readonly scope: ScriptScope }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "unknown"; readonly why: Refused }
  | FunctionBinding
  | { readonly kind: "other"; readonly what: unknown };

export class ScriptScope {
  readonly #names = new Map<string, Binding>();
  constructor(private readonly around?: ScriptScope) {}

  set(name: string, bound: Binding): void {
    this.#names.set(name, bound);
  }

  get(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.around?.get(name);
  }

  /** Assigns a name in the scope that declares it, or else in the outermost scope. */
  assign(name: string, bound: Binding): void {
    if (this.#names.has(name) || this.around === undefined) this.set(name, bound);
    else this.around.assign(name, bound);
  }
}

export function functionOf(scope: ScriptScope, name: string): FunctionBinding | null {
  const bound = scope.get(name);
  return bound?.kind === "function" ? bound : null;
}

/**
 * The scope for the parameters of a function that is called. In it, the environment is that of the k6 scenario which
 * calls the function.
 */
export function scopeOfCall({ scope }: FunctionBinding, caller: ScriptScope): ScriptScope {
  const inner = new ScriptScope(scope);
  const env = caller.get("__ENV");
  if (env !== undefined) inner.set("__ENV", env);
  return inner;
}

const ARITHMETIC = new Map<string, (a: number, b: number) => unknown>([
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["%", (a, b) => a % b],
  ["<", (a, b) => a < b],
  ["<=", (a, b) => a <= b],
  [">", (a, b) => a > b],
  [">=", (a, b) => a >= b],
]);

/** Built-in functions that can be called without running the script, keyed by what scripts write to call them. */
const CALLED = new Map<string, (value: unknown) => unknown>([
  ["JSON.stringify", (value) => JSON.stringify(value)],
  ["encodeURIComponent", (value) => withMarks(encodeURIComponent(String(value).toWellFormed()))],
  ["String", String],
  ["Number", (value) => Number(unmarkedIn(value))],
  ["parseInt", (value) => Number.parseInt(unmarked(String(value)))],
  ["parseFloat", (value) => Number.parseFloat(unmarked(String(value)))],
]);

const MOST_SPENT = 16 * LIMITS.importedText.most;

/** Names of functions that do not change the maps and lists passed to them. */
const HARMLESS = ["stringify", "check", "sleep", "group", "log", "info", "warn", "error", "debug"];

export class Constants {
  readonly #changed: ChangedNames;
  #spent = 0;
  /** Calls of the script's own functions so far. Their number is limited, because nested calls multiply. */
  #calls = 0;
  readonly #known = new Map<
    js.Expression,
    { readonly made: unknown; readonly reads: ReadonlySet<string> }
  >();
  /** Names of the environment variables that have been read so far for the value that is being evaluated. */
  #reads = new Set<string>();
  readonly #sizes = new WeakMap<object, number>();
  /** Number of values that are being evaluated: the innermost one, and those that contain it or refer to it. */
  #depth = 0;

  constructor(
    private readonly source: ScriptSource,
    private readonly imported: ReadonlyMap<string, string>,
    private readonly env: (name: string) => string | undefined,
  ) {
    this.#changed = changedNames(source.program);
  }

  isChanged(name: string): boolean {
    return this.#changed.assigned.has(name);
  }

  /**
   * Evaluates an expression. Throws a Refused if its value is only known when the script runs, or can't be evaluated
   * within the limits.
   */
  value(node: js.Expression | js.SpreadElement | js.Super | null, scope: ScriptScope): unknown {
    if (node === null) return null;
    if (this.#depth === MOST_NESTED) {
      throw new Refused(node.start, "Cannot use this value: it is nested too deep");
    }
    this.#depth++;
    try {
      return this.#bounded(node, scope);
    } finally {
      this.#depth--;
    }
  }

  #bounded(node: js.Expression | js.SpreadElement | js.Super, scope: ScriptScope): unknown {
    const value = this.#read(node, scope);
    const size = this.#sizeOf(value);
    if (typeof value === "string") this.spend(value.length, node);
    if (isWithin("importedText", size)) return value;
    throw new Refused(node.start, `Cannot use this value: ${beyond("importedText", size)}`);
  }

  /** Counts the characters of code and texts each time they are read. Throws a TooMuch above the limit. */
  spend(characters: number, at: js.Node): void {
    this.#spent += characters;
    if (this.#spent <= MOST_SPENT) return;
    const message = "Cannot convert this script: its loops and calls run through too much code";
    throw new TooMuch(at.start, message);
  }

  /**
   * Names of the environment variables that are read to evaluate an expression. A file that contains the expression's
   * value also contains the values of these variables, which may be secrets.
   */
  readBy(node: js.Expression | js.SpreadElement, scope: ScriptScope): ReadonlySet<string> {
    return this.#reading(() => this.known(node, scope)).reads;
  }

  /** The result of `make`, with the names of the environment variables that were read to make it. */
  #reading<Made>(make: () => Made): { readonly made: Made; readonly reads: ReadonlySet<string> } {
    const around = this.#reads;
    const reads = this.#reads = new Set();
    try {
      return { made: make(), reads };
    } finally {
      this.#reads = around;
    }
  }

  /** The value of an expression, or why it is only known when the script runs. */
  known(
    node: js.Expression | js.SpreadElement,
    scope: ScriptScope,
  ): { readonly given: unknown } | { readonly why: Refused } {
    try {
      return { given: this.value(node, scope) };
    } catch (error) {
      if (error instanceof Refused && !(error instanceof TooMuch)) return { why: error };
      throw error;
    }
  }

  #read(node: js.Expression | js.SpreadElement | js.Super, scope: ScriptScope): unknown {
    switch (node.type) {
      case "Literal":
        return node.regex || node.bigint ? this.#refuse(node) : node.value;
      case "ParenthesizedExpression":
        return this.value(node.expression, scope);
      case "Identifier":
        return this.#named(node, scope);
      case "TemplateLiteral":
        return node.quasis.map(({ value: { cooked } }, at) =>
          (cooked ?? "") +
          (at < node.expressions.length ? this.#textOf(node.expressions[at], scope) : "")
        ).join("");
      case "TaggedTemplateExpression": {
        const { tag } = node;
        const isUrl = tag.type === "MemberExpression" && tag.property.type === "Identifier" &&
          tag.property.name === "url";
        return isUrl ? this.value(node.quasi, scope) : this.#refuse(node);
      }
      case "ArrayExpression":
        return node.elements.flatMap((element) =>
          element?.type === "SpreadElement"
            ? this.#spreadable(element.argument, scope)
            : [this.value(element, scope)]
        );
      case "ObjectExpression":
        return this.#object(node, scope);
      case "UnaryExpression":
        if (node.operator === "!") return !this.value(node.argument, scope);
        return node.operator === "-" ? -this.number(node.argument, scope) : this.#refuse(node);
      case "ConditionalExpression":
        return this.value(
          this.value(node.test, scope) ? node.consequent : node.alternate,
          scope,
        );
      case "BinaryExpression":
        return this.#binary(node, scope);
      case "LogicalExpression":
        return this.#logical(node, scope);
      case "MemberExpression":
        return this.#member(node, scope);
      case "CallExpression":
        return this.#called(node, scope);
      default:
        return this.#refuse(node);
    }
  }

  number(node: js.Expression | js.PrivateIdentifier, scope: ScriptScope): number {
    const value = node.type === "PrivateIdentifier" ? null : this.value(node, scope);
    return typeof value === "number" ? value : this.#refuse(node);
  }

  #refuse(node: js.Node): never {
    throw new Refused(
      node.start,
      `Cannot convert ${this.source.written(node)}: its value is known only when the script runs`,
      "write the value itself, or change the file that plateau init --from writes",
    );
  }

  #named(node: js.Identifier, scope: ScriptScope): unknown {
    const bound = scope.get(node.name);
    if (node.name === "undefined" && bound === undefined) return undefined;
    if (bound?.kind === "unknown") throw bound.why;
    if (bound?.kind !== "value" && bound?.kind !== "expression" || this.isChanged(node.name)) {
      return this.#refuse(node);
    }
    const value = bound.kind === "value" ? bound.value : this.#constant(bound.node, bound.scope);
    const isHeld = typeof value === "object" && value !== null;
    return isHeld && this.#changed.given.has(node.name) ? this.#refuse(node) : value;
  }

  #constant(node: js.Expression, scope: ScriptScope): unknown {
    const known = this.#known.get(node) ?? this.#reading(() => this.value(node, scope));
    this.#known.set(node, known);
    for (const name of known.reads) this.#reads.add(name);
    return known.made;
  }

  #textOf(node: js.Expression, scope: ScriptScope): string {
    const value = this.value(node, scope);
    return typeof value === "object" || value === undefined ? this.#refuse(node) : String(value);
  }

  #spreadable(node: js.Expression, scope: ScriptScope): unknown[] {
    const value = this.value(node, scope);
    return Array.isArray(value) ? value : this.#refuse(node);
  }

  #object(node: js.ObjectExpression, scope: ScriptScope): unknown {
    const entries = node.properties.flatMap((property): [string, unknown][] => {
      if (property.type === "SpreadElement") {
        return Object.entries(Object(this.value(property.argument, scope)));
      }
      if (property.kind !== "init") return this.#refuse(property);
      return [[this.#keyOf(property, scope), this.value(property.value, scope)]];
    });
    const byKey = new Map(entries.map(([key, value]) => [unmarked(key), [key, value] as const]));
    return Object.fromEntries(byKey.values());
  }

  #keyOf({ key, computed }: js.Property, scope: ScriptScope): string {
    if (key.type === "Identifier" && !computed) return key.name;
    return this.#textOf(key, scope);
  }

  #binary(node: js.BinaryExpression, scope: ScriptScope): unknown {
    const { operator, left, right } = node;
    if (left.type === "PrivateIdentifier") return this.#refuse(node);
    if (operator === "+") {
      const [a, b] = [this.value(left, scope), this.value(right, scope)];
      if (typeof a === "number" && typeof b === "number") return a + b;
      return this.#textOf(left, scope) + this.#textOf(right, scope);
    }
    if (operator === "===" || operator === "!==") {
      const [a, b] = [left, right].map((side) => unmarkedIn(this.value(side, scope)));
      return (a === b) === (operator === "===");
    }
    const of = ARITHMETIC.get(operator);
    return of === undefined
      ? this.#refuse(node)
      : of(this.number(left, scope), this.number(right, scope));
  }

  #logical({ operator, left, right }: js.LogicalExpression, scope: ScriptScope): unknown {
    const first = this.value(left, scope);
    if (operator === "??") return first ?? this.value(right, scope);
    const isFirst = operator === "||" ? Boolean(first) : !first;
    return isFirst ? first : this.value(right, scope);
  }

  /** Evaluates an environment variable, a member of a map or an element of a list. */
  #member(node: js.MemberExpression, scope: ScriptScope): unknown {
    const { object, property, computed } = node;
    if (property.type === "PrivateIdentifier") return this.#refuse(node);
    const key = !computed && property.type === "Identifier"
      ? property.name
      : unmarked(this.#textOf(property, scope));
    if (object.type === "Identifier" && object.name === "__ENV") {
      const own = scope.get("__ENV"); // the environment of the k6 scenario
      const values: object = own?.kind === "value" ? Object(own.value) : {};
      if (Object.hasOwn(values, key)) return Reflect.get(values, key);
      this.#reads.add(key);
      return this.env(key);
    }
    const holder = this.value(object, scope);
    if (typeof holder !== "object" || holder === null) return this.#refuse(node);
    const own = Object.hasOwn(holder, key)
      ? key
      : Object.keys(holder).find((written) => unmarked(written) === key);
    return own === undefined ? this.#refuse(node) : Reflect.get(holder, own);
  }

  #called(node: js.CallExpression, scope: ScriptScope): unknown {
    const { callee, arguments: [given, ...more] } = node;
    const own = callee.type === "Identifier" ? functionOf(scope, callee.name) : null;
    if (own !== null) return this.#returned(own, node, scope);
    const name = this.source.written(callee);
    const root = this.imported.get(rootOf(callee)) ?? "";
    if (root.startsWith("k6/encoding") && /(?:^|\.)b64encode$/.test(name) && given !== undefined) {
      const text = this.value(given, scope);
      if (typeof text !== "string" || more.length > 0) return this.#refuse(node);
      return madeOf(text, (alone) => new TextEncoder().encode(alone).toBase64());
    }
    const of = CALLED.get(name);
    if (of === undefined || given === undefined || more.length > 0) return this.#refuse(node);
    const value = this.value(given, scope);
    const isPlain = typeof value !== "object" && typeof value !== "undefined";
    return isPlain || name === "JSON.stringify" ? of(value) : this.#refuse(node);
  }

  /**
   * Evaluates a call of a function that does nothing but return the value of an expression. Refuses any other function.
   */
  #returned(
    own: FunctionBinding,
    call: js.CallExpression,
    scope: ScriptScope,
  ): unknown {
    const { params, body } = own.node;
    const result = resultOf(body);
    if (result === null) return this.#refuse(call);
    if (!isWithin("importedRounds", ++this.#calls)) {
      throw new TooMuch(
        call.start,
        `Cannot use this value: ${beyond("importedRounds", this.#calls)}`,
      );
    }
    const inner = scopeOfCall(own, scope);
    for (const [at, param] of params.entries()) {
      const given = call.arguments[at];
      if (param.type !== "Identifier") return this.#refuse(call);
      const value = given === undefined ? undefined : this.value(given, scope);
      inner.set(param.name, { kind: "value", value });
    }
    return this.value(result, inner);
  }

  /**
   * Approximate length of the value as JSON. Callers limit it, because a value that contains another one many times
   * grows fast.
   */
  #sizeOf(value: unknown): number {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null) return 8;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = Object.entries(value)
      .reduce((sum, [key, inner]) => sum + key.length + this.#sizeOf(inner), 2);
    this.#sizes.set(value, size);
    return size;
  }
}

interface ChangedNames {
  /** Names that may be reassigned after their declaration. */
  readonly assigned: ReadonlySet<string>;
  /** Names of maps and lists that may be changed, for example by a function to which they are passed. */
  readonly given: ReadonlySet<string>;
}

function changedNames(program: js.Program): ChangedNames {
  const assigned = new Set<string>();
  const given = new Set<string>();
  /**
   * For each name, the names of maps and lists that may be its value, or a part of its value, because they were
   * assigned to it or passed as the argument for it.
   */
  const givenTo = new Map<string, string[]>();
  const functions = functionsIn(program);
  const give = (name: string, from: js.Node): void => {
    const held = givenTo.getOrInsert(name, []);
    for (const one of heldIn(from)) held.push(one);
  };
  const counting = new Set<js.Node>();
  for (const node of nodesIn(program) as Iterable<js.AnyNode>) {
    if (node.type === "ForStatement" && node.update) counting.add(node.update);
    if (counting.has(node)) continue;
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init) {
      give(node.id.name, node.init);
    }
    if (node.type === "ForOfStatement") {
      for (const name of namesIn(node.left)) give(name, node.right);
    }
    if (node.type === "AssignmentExpression") {
      give(rootOf(node.left), node.right);
      (node.left.type === "Identifier" ? assigned : given).add(rootOf(node.left));
    }
    if (node.type === "UpdateExpression") assigned.add(rootOf(node.argument));
    if (node.type === "UnaryExpression" && node.operator === "delete") {
      given.add(rootOf(node.argument));
    }
    if (node.type !== "CallExpression" || isHarmless(node)) continue;
    const called = node.callee.type === "Identifier" ? functions.get(node.callee.name) : undefined;
    if (called === undefined) given.add(rootOf(node.callee));
    for (const [at, argument] of node.arguments.entries()) {
      const parameter = called?.params[at];
      if (parameter?.type !== "Identifier") given.add(rootOf(argument));
      else give(parameter.name, argument);
    }
  }
  const waiting = [...given];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const argument of givenTo.get(name) ?? []) {
      if (given.has(argument)) continue;
      given.add(argument);
      waiting.push(argument);
    }
  }
  return { assigned, given };
}

/** Names of the maps and lists that an expression may return or contain. */
function heldIn(from: js.Node): string[] {
  const node = from as js.AnyNode;
  switch (node.type) {
    case "ArrayExpression":
      return node.elements.flatMap((element) => element ? heldIn(element) : []);
    case "ObjectExpression":
      return node.properties.flatMap((one) => one.type === "Property" ? heldIn(one.value) : []);
    case "ConditionalExpression":
      return [...heldIn(node.consequent), ...heldIn(node.alternate)];
    case "LogicalExpression":
      return [...heldIn(node.left), ...heldIn(node.right)];
    case "CallExpression":
      return isHarmless(node) ? [] : node.arguments.flatMap(heldIn);
    default:
      return [rootOf(node)];
  }
}

/** The functions of a script, keyed by name; names that occur twice are left out. */
function functionsIn(program: js.Program): ReadonlyMap<string, ScriptFunction> {
  const found = new Map<string, ScriptFunction>();
  const twice = new Set<string>();
  const add = (name: string, node: ScriptFunction): void => {
    if (found.has(name)) twice.add(name);
    found.set(name, node);
  };
  for (const node of nodesIn(program) as Iterable<js.AnyNode>) {
    if (node.type === "FunctionDeclaration" && node.id) add(node.id.name, node);
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") continue;
    const { init } = node;
    if (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression") {
      add(node.id.name, init);
    }
  }
  for (const name of twice) found.delete(name);
  return found;
}

/** The expression that a function returns, if that is all it does; otherwise null. */
export function resultOf(body: js.BlockStatement | js.Expression): js.Expression | null {
  if (body.type !== "BlockStatement") return body;
  const [only, ...more] = body.body;
  return only?.type === "ReturnStatement" && more.length === 0 ? only.argument ?? null : null;
}

function isHarmless({ callee }: js.CallExpression): boolean {
  const called = callee.type === "MemberExpression" ? callee.property : callee;
  const isHttp = callee.type === "MemberExpression" && rootOf(callee) === "http";
  return isHttp || (called.type === "Identifier" && HARMLESS.includes(called.name));
}

/** The name at the start of an expression such as `a.b[0]`; "" if it does not start with a name. */
export function rootOf(node: js.Node): string {
  let root = node as js.AnyNode;
  while (root.type === "MemberExpression") root = root.object;
  return root.type === "Identifier" ? root.name : "";
}
