/** What a k6 script does in one iteration → the steps of a flow here. */
import { METHODS } from "../../base/http/request.ts";
import type * as js from "acorn";
import { stepName } from "../request/request.ts";
import { durationText } from "../../base/quantity.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Constants, rootOf, ScriptScope } from "./k6_constants.ts";
import { bothOf, K6Check } from "./k6_checks.ts";
import { type K6Source, nodesIn, Refused } from "./k6_source.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** A step of a flow in the making. */
export type K6Step = Record<string, unknown>;

interface K6Context {
  readonly source: K6Source;
  readonly constants: Constants;
  /** Names under which the script has what is of k6: `http`, `check`, `sleep`, `group`. */
  readonly imported: ReadonlyMap<string, string>;
  readonly note: (text: string) => void;
}

export class K6Flow {
  readonly steps: K6Step[] = [];
  origin: string | null = null;
  /** Of all loops so far: those in loops grow fast. */
  #rounds = 0;

  constructor(private readonly around: K6Context) {}

  walk(statements: readonly js.Statement[], outer: ScriptScope): void {
    const scope = new ScriptScope(outer);
    for (const statement of statements) {
      this.around.source.attempt(() => this.#statement(statement, scope), undefined);
    }
  }

  #statement(node: js.Statement, scope: ScriptScope): void {
    if (node.type === "EmptyStatement" || node.type === "FunctionDeclaration") return;
    if (node.type === "BlockStatement") return this.walk(node.body, scope);
    if (node.type === "ExpressionStatement") return void this.#expression(node.expression, scope);
    if (node.type === "ForStatement") return this.#loop(node, scope);
    if (node.type !== "VariableDeclaration") throw this.#refused(node);
    for (const { id, init } of node.declarations) {
      if (id.type !== "Identifier" || !init) throw this.#refused(node);
      const isCall = init.type === "CallExpression" && this.#calledIn(init) !== null;
      scope.set(
        id.name,
        isCall
          ? { kind: "other", what: this.#expression(init, scope) }
          : { kind: "value", value: this.around.constants.value(init, scope) },
      );
    }
  }

  /** `for (let i = 0; i < 3; i++)`, with numbers that stand in the script. */
  #loop({ init, test, update, body, start }: js.ForStatement, scope: ScriptScope): void {
    const { constants } = this.around;
    const counter = init?.type === "VariableDeclaration" ? init.declarations[0] : undefined;
    const name = counter?.id.type === "Identifier" ? counter.id.name : "";
    const isCounted = counter?.init && test?.type === "BinaryExpression" &&
      rootOf(test.left) === name && ["<", "<="].includes(test.operator) &&
      update?.type === "UpdateExpression" && update.operator === "++" &&
      rootOf(update.argument) === name && !constants.isChanged(name);
    if (!isCounted || !counter.init || test?.type !== "BinaryExpression") {
      throw new Refused(
        start,
        "Cannot take over this loop: how often it runs does not stand in it",
        "write for (let i = 0; i < 3; i++)",
      );
    }
    const from = constants.number(counter.init, scope);
    const end = constants.number(test.right, scope) + (test.operator === "<=" ? 1 : 0);
    for (let round = from; round < end; round++) {
      if (++this.#rounds > LIMITS.steps.most) {
        const message = `Cannot take over loops of more than ${LIMITS.steps.most} rounds in all`;
        throw new Refused(start, message);
      }
      const inner = new ScriptScope(scope);
      inner.set(name, { kind: "value", value: round });
      this.walk([body], inner);
    }
  }

  /** The response's step, where it sends a request. */
  #expression(node: js.Expression, scope: ScriptScope): K6Step | null {
    if (node.type !== "CallExpression") throw this.#refused(node);
    const called = this.#calledIn(node);
    if (called === "sleep") this.#sleep(node, scope);
    else if (called === "check") this.#check(node, scope);
    else if (called === "group") this.#group(node, scope);
    else if (called === "console") this.#log(node);
    else if (called?.startsWith("http.")) return this.#request(called.slice(5), node, scope);
    else throw this.#refused(node);
    return null;
  }

  /** Such as `check` or `http.get`, whatever the script calls them. */
  #calledIn({ callee }: js.CallExpression): string | null {
    if (callee.type === "Identifier") return this.around.imported.get(callee.name) ?? null;
    if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
    const { object: { name }, property } = callee;
    if (name === "console") return "console";
    const isHttp = this.around.imported.get(name) === "http" && property.type === "Identifier";
    return isHttp ? `http.${property.name}` : null;
  }

  #log(node: js.CallExpression): void {
    for (const inner of nodesIn(node)) {
      const call = inner as js.AnyNode;
      if (call.type === "CallExpression" && this.#calledIn(call) !== "console") {
        throw this.#refused(node);
      }
    }
    this.around.note("without what it logs");
  }

  #sleep({ arguments: [given], start }: js.CallExpression, scope: ScriptScope): void {
    const seconds = given === undefined ? NaN : this.around.constants.value(given, scope);
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= 3_600)) {
      throw new Refused(start, "Cannot take over a sleep that is no number from 0 to 3600");
    }
    if (seconds >= 0.001) this.#add({ think: durationText(seconds * 1_000) }, start);
  }

  #group({ arguments: [, inner], start }: js.CallExpression, scope: ScriptScope): void {
    const isFunction = inner?.type === "ArrowFunctionExpression" ||
      inner?.type === "FunctionExpression";
    if (!isFunction || inner.body.type !== "BlockStatement") {
      throw new Refused(start, "Cannot take over a group without a function of its own");
    }
    this.walk(inner.body.body, scope);
  }

  #request(called: string, node: js.CallExpression, scope: ScriptScope): K6Step {
    const { constants } = this.around;
    const given = node.arguments.map((argument) => constants.value(argument, scope));
    const isAny = called === "request";
    const method = isAny
      ? String(given.shift()).toLowerCase()
      : called === "del"
      ? "delete"
      : called;
    if (!(METHODS as readonly string[]).includes(method)) {
      const why = called === "batch"
        ? "its requests are sent at the same time, and here one after the other"
        : "there is none like it here";
      throw new Refused(node.start, `Cannot take over http.${called}: ${why}`);
    }
    const hasBody = isAny || !["get", "head"].includes(method);
    const [url, body, params] = hasBody ? given : [given[0], null, given[1]];
    const step: K6Step = {
      ...this.#params(Object(params), node.start),
      [method]: this.#path(url, node.start),
      ...bodyOf(body, method, node.start),
    };
    if (JSON.stringify(step).includes("{{")) {
      throw new Refused(
        node.start,
        "Cannot take over a request with {{, which begins a value here",
      );
    }
    this.#add(step, node.start);
    return step;
  }

  #path(given: unknown, at: number): string {
    const url = typeof given === "string" ? URL.parse(given) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new Refused(
        at,
        `Cannot take over a request to ${quotedOpenly(given)}: it is no http address`,
      );
    }
    this.origin ??= url.origin;
    if (url.origin !== this.origin || url.username !== "") {
      throw new Refused(
        at,
        `Cannot take over a request to ${url.origin}: the others go to ${this.origin}`,
      );
    }
    return url.pathname + url.search;
  }

  #params(given: Readonly<Record<string, unknown>>, at: number): K6Step {
    const { headers = {}, tags = {}, ...others } = given;
    const [unknown] = Object.keys(others).filter((key) => key !== "responseType");
    if (unknown !== undefined) {
      throw new Refused(at, `Cannot take over the parameter ${quotedOpenly(unknown)} of a request`);
    }
    const { name, ...more } = Object(tags);
    if (Object.keys(more).length > 0) this.around.note("without tags other than names");
    const { data } = stepName.safeParse(name);
    const fields = Object.entries(Object(headers)).map(([key, value]) => [key, String(value)]);
    return {
      ...(data === undefined ? {} : { name: data }),
      ...(fields.length > 0 ? { headers: Object.fromEntries(fields) } : {}),
    };
  }

  #check({ arguments: [of, checks], start }: js.CallExpression, scope: ScriptScope): void {
    const bound = of?.type === "Identifier" ? scope.get(of.name) : undefined;
    const step = of?.type === "CallExpression"
      ? this.#expression(of, scope)
      : bound?.kind === "other"
      ? bound.what as K6Step | null
      : null;
    if (!step || checks?.type !== "ObjectExpression") {
      throw new Refused(start, "Cannot take over a check of anything but a response of a request");
    }
    const variable = of?.type === "Identifier" ? of.name : null;
    const check = new K6Check(this.around.constants, scope);
    for (const property of checks.properties) {
      const found = property.type === "Property"
        ? check.expectedIn(property.value, variable)
        : null;
      const both = found && bothOf(Object(step.expect), found);
      if (both !== null) step.expect = both;
      else this.#withoutCheck(property);
    }
  }

  #withoutCheck(property: js.Property | js.SpreadElement): void {
    const { source, note } = this.around;
    note(`without the check ${source.written(property)} of ${source.placeOf(property.start)}`);
  }

  #add(step: K6Step, at: number): void {
    if (this.steps.push(step) > LIMITS.steps.most) {
      throw new Refused(at, `Cannot take over more than ${LIMITS.steps.most} steps`);
    }
  }

  #refused(node: js.Node): Refused {
    const message = `Cannot take over ${
      this.around.source.written(node)
    }: it is more than requests, checks and pauses`;
    return new Refused(node.start, message, "leave it out");
  }
}

function bodyOf(body: unknown, method: string, at: number): K6Step {
  if (body === null || body === undefined) return {};
  if (typeof body === "string") return { body };
  const isForm = typeof body === "object" && !Array.isArray(body) &&
    Object.values(body).every((value) => ["string", "number", "boolean"].includes(typeof value));
  if (!isForm) throw new Refused(at, "Cannot take over this body: it is neither text nor a form");
  if (method === "get" || method === "head") {
    throw new Refused(at, `Cannot take over a form that is sent with ${method}`);
  }
  return { form: body };
}
