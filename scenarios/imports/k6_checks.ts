/** Converts a check of a k6 script to an expectation of the response, or to null if no expectation can express it. */
import type * as js from "acorn";
import { status } from "../request/request.ts";
import { type Constants, resultOf, type ScriptScope } from "./k6_constants.ts";
import { isMap } from "../../base/yaml/json_text.ts";
import { unmarked, unmarkedIn } from "./format/references.ts";

/** Parts of an expectation, with the names that they have in an experiment file. */
export interface CheckedParts {
  readonly status?: number | readonly number[];
  readonly body?: string;
  readonly contains?: string;
  readonly json?: unknown;
}

/** A path of plain members, as in `r.json("a.b")`. k6 also accepts other paths, with a syntax of their own. */
const JSON_PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

export class K6Check {
  constructor(private readonly constants: Constants, private readonly scope: ScriptScope) {}

  /**
   * @param variable Name of the variable that holds the response outside of the check, for a check whose function has
   * no parameter; null if there is no such variable.
   */
  expectedIn(node: js.Expression, variable: string | null): CheckedParts | null {
    if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return null;
    const [first] = node.params;
    const name = first?.type === "Identifier" ? first.name : variable;
    const result = resultOf(node.body);
    return name === null || result === null ? null : this.#of(result, name);
  }

  #of(node: js.Expression, name: string): CheckedParts | null {
    if (node.type === "ParenthesizedExpression") return this.#of(node.expression, name);
    if (node.type === "CallExpression") return this.#included(node, name);
    if (node.type === "LogicalExpression") {
      const [left, right] = [this.#of(node.left, name), this.#of(node.right, name)];
      if (left === null || right === null) return null;
      return node.operator === "&&" ? bothOf(left, right) : eitherOf(node.operator, left, right);
    }
    if (node.type !== "BinaryExpression" || node.left.type === "PrivateIdentifier") return null;
    return this.#compared(node.operator, node.left, node.right, name);
  }

  /** Converts `r.status === 200`, `r.body === "ok"`, `r.json("a.b") === 1` or `r.json().a.b === 1`. */
  #compared(
    operator: string,
    left: js.Expression,
    right: js.Expression,
    name: string,
  ): CheckedParts | null {
    if (operator !== "===" && operator !== "==") return null;
    const path = membersOf(left, name, this.constants, this.scope);
    if (path === null) return null;
    const value = this.constants.known(right, this.scope);
    if ("why" in value) return null;
    const { given } = value;
    const [of, ...members] = path;
    if (of === "status" && members.length === 0) {
      const number = unmarkedIn(given);
      return status.safeParse(number).success ? { status: Number(number) } : null;
    }
    if (operator === "==") return null; // a loose comparison may convert a value before it compares
    if (of === "body" && members.length === 0) {
      return typeof given === "string" ? { body: given } : null;
    }
    const isObject = typeof given === "object" && given !== null; // a new object equals no other
    if (of !== "json()" || given === undefined || isObject) return null;
    return { json: members.reduceRight((inner, member) => ({ [member]: inner }), given) };
  }

  /** Converts `r.body.includes("text")`. */
  #included(
    { callee, arguments: [text, ...more] }: js.CallExpression,
    name: string,
  ): CheckedParts | null {
    if (callee.type !== "MemberExpression" || callee.object.type === "Super") return null;
    const path = membersOf(callee, name, this.constants, this.scope);
    if (path?.join(".") !== "body.includes" || text === undefined || more.length > 0) return null;
    const given = textOf(this.constants.known(text, this.scope));
    return given !== null && given !== "" ? { contains: given } : null;
  }
}

/**
 * Members of the response `name` that an expression reads, such as `json()`, `a` and `b` for `r.json("a").b`; null if
 * it reads something else.
 */
function membersOf(
  node: js.Expression | js.Super,
  name: string,
  constants: Constants,
  scope: ScriptScope,
): readonly string[] | null {
  if (node.type === "Identifier") return node.name === name ? [] : null;
  if (node.type === "MemberExpression") {
    const { object, property, computed } = node;
    const before = membersOf(object, name, constants, scope);
    if (before === null || computed || property.type !== "Identifier") return null;
    return [...before, property.name];
  }
  if (node.type !== "CallExpression" || node.callee.type === "Super") return null;
  if (membersOf(node.callee, name, constants, scope)?.join() !== "json") return null;
  const [path, ...more] = node.arguments;
  if (path === undefined) return ["json()"];
  const given = unmarked(textOf(constants.known(path, scope)) ?? "");
  const isPath = JSON_PATH.test(given) && more.length === 0;
  return isPath ? ["json()", ...given.split(".")] : null;
}

function textOf(known: ReturnType<Constants["known"]>): string | null {
  return "given" in known && typeof known.given === "string" ? known.given : null;
}

/** Joins two expectations to one; null if a single expectation can't express both. */
export function bothOf(one: CheckedParts, other: CheckedParts): CheckedParts | null {
  const same = (key: keyof CheckedParts): boolean =>
    one[key] === undefined || other[key] === undefined ||
    JSON.stringify(one[key]) === JSON.stringify(other[key]);
  if (!same("status") || !same("body") || !same("contains")) return null;
  const json = bothJson(one.json, other.json);
  if (json === CONTRARY) return null;
  return { ...one, ...other, ...json !== undefined && { json } };
}

const CONTRARY = Symbol("two values for one member");

function bothJson(one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one === undefined ? other : one;
  if (!isMap(one) || !isMap(other)) {
    return JSON.stringify(one) === JSON.stringify(other) ? one : CONTRARY;
  }
  const joined = Object.entries(other).map(([key, value]) =>
    [key, bothJson(Object.hasOwn(one, key) ? one[key] : undefined, value)] as const
  );
  const isContrary = joined.some(([, value]) => value === CONTRARY);
  return isContrary ? CONTRARY : { ...one, ...Object.fromEntries(joined) };
}

/** Converts two statuses joined by "or", as in `r.status === 200 || r.status === 201`. */
function eitherOf(operator: string, one: CheckedParts, other: CheckedParts): CheckedParts | null {
  const isOfStatus = [one, other].every((each) => Object.keys(each).join() === "status");
  if (operator !== "||" || !isOfStatus) return null;
  return { status: [one.status, other.status].flat().filter((status) => status !== undefined) };
}
