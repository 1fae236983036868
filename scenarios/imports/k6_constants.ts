/** The values of a k6 script that stand in its text: literals, and what is made of them alone. */
import type * as js from "acorn";
import { beyond, LIMITS } from "../../base/limits.ts";
import { type K6Source, MOST_NESTED, nodesIn, Refused } from "./k6_source.ts";

/** What a name stands for: an expression, a value, or something that is no value, such as a response. */
export type Binding =
  | { readonly kind: "expression"; readonly node: js.Expression; readonly scope: ScriptScope }
  | { readonly kind: "value"; readonly value: unknown }
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
}

/** Functions that change none of what they are given. */
const HARMLESS = ["stringify", "check", "sleep", "group", "log", "info", "warn", "error", "debug"];

export class Constants {
  readonly #changed: ReadonlySet<string>;
  readonly #known = new Map<js.Expression, { readonly value: unknown }>();
  readonly #sizes = new WeakMap<object, number>();
  /** How many values are being read, each a part of the one before it, or what that one names. */
  #depth = 0;

  constructor(
    private readonly source: K6Source,
    private readonly env: (name: string) => string | undefined,
  ) {
    this.#changed = changedNames(source.program);
  }

  isChanged(name: string): boolean {
    return this.#changed.has(name);
  }

  /** Throws a Refused for what is only known when the script runs. */
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
    if (this.#sizeOf(value) > LIMITS.experimentFile.most) {
      const size = this.#sizeOf(value);
      throw new Refused(node.start, `Cannot use this value: ${beyond("experimentFile", size)}`);
    }
    return value;
  }

  /** Null for what is only known when the script runs. */
  known(
    node: js.Expression | js.SpreadElement,
    scope: ScriptScope,
  ): { readonly given: unknown } | null {
    try {
      return { given: this.value(node, scope) };
    } catch (error) {
      if (error instanceof Refused) return null;
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
        return node.operator === "-" ? -this.number(node.argument, scope) : this.#refuse(node);
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
      `Cannot take over ${this.source.written(node)}: its value is known only when the script runs`,
      "write the value itself, or change the file that plateau init --from writes",
    );
  }

  #named(node: js.Identifier, scope: ScriptScope): unknown {
    const bound = scope.get(node.name);
    if (node.name === "undefined" && bound === undefined) return undefined;
    if (bound === undefined || bound.kind === "other" || this.isChanged(node.name)) {
      return this.#refuse(node);
    }
    if (bound.kind === "value") return bound.value;
    const known = this.#known.get(bound.node);
    if (known !== undefined) return known.value;
    const value = this.value(bound.node, bound.scope);
    this.#known.set(bound.node, { value });
    return value;
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
      return [[this.keyOf(property, scope), this.value(property.value, scope)]];
    });
    return Object.fromEntries(entries);
  }

  keyOf({ key, computed }: js.Property, scope: ScriptScope): string {
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
    if (!["-", "*", "/"].includes(operator)) return this.#refuse(node);
    const [a, b] = [this.number(left, scope), this.number(right, scope)];
    return operator === "-" ? a - b : operator === "*" ? a * b : a / b;
  }

  #logical({ operator, left, right }: js.LogicalExpression, scope: ScriptScope): unknown {
    const first = this.value(left, scope);
    if (operator === "??") return first ?? this.value(right, scope);
    const isFirst = operator === "||" ? Boolean(first) : !first;
    return isFirst ? first : this.value(right, scope);
  }

  /** A variable of the environment, a member or an element. */
  #member(node: js.MemberExpression, scope: ScriptScope): unknown {
    const { object, property, computed } = node;
    if (property.type === "PrivateIdentifier") return this.#refuse(node);
    const key = !computed && property.type === "Identifier"
      ? property.name
      : this.#textOf(property, scope);
    if (object.type === "Identifier" && object.name === "__ENV") return this.env(key);
    const holder = this.value(object, scope);
    if (typeof holder !== "object" || holder === null) return this.#refuse(node);
    const isOwn = Object.hasOwn(holder, key);
    return isOwn ? Reflect.get(holder, key) : this.#refuse(node);
  }

  #called(node: js.CallExpression, scope: ScriptScope): unknown {
    const [given, ...more] = node.arguments;
    const isStringify = this.source.written(node.callee) === "JSON.stringify";
    if (!isStringify || given === undefined || more.length > 0) return this.#refuse(node);
    return JSON.stringify(this.value(given, scope));
  }

  /** Characters, about, of a value as JSON: one that holds another many times over grows fast. */
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

/** Names whose values may change after they are declared. */
function changedNames(program: js.Program): Set<string> {
  const changed = new Set<string>();
  const counting = new Set<js.Node>();
  for (const node of nodesIn(program) as Iterable<js.AnyNode>) {
    if (node.type === "ForStatement" && node.update) counting.add(node.update);
    if (counting.has(node)) continue;
    if (node.type === "AssignmentExpression") changed.add(rootOf(node.left));
    if (node.type === "UpdateExpression") changed.add(rootOf(node.argument));
    if (node.type === "UnaryExpression" && node.operator === "delete") {
      changed.add(rootOf(node.argument));
    }
    if (node.type === "CallExpression" && !isHarmless(node)) {
      for (const given of [node.callee, ...node.arguments]) changed.add(rootOf(given));
    }
  }
  return changed;
}

function isHarmless({ callee }: js.CallExpression): boolean {
  const called = callee.type === "MemberExpression" ? callee.property : callee;
  const isHttp = callee.type === "MemberExpression" && rootOf(callee) === "http";
  return isHttp || (called.type === "Identifier" && HARMLESS.includes(called.name));
}

/** The name that an expression such as `a.b[0]` begins with; "" for none. */
export function rootOf(node: js.Node): string {
  let root = node as js.AnyNode;
  while (root.type === "MemberExpression") root = root.object;
  return root.type === "Identifier" ? root.name : "";
}
