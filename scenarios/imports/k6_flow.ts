/** Converts what a k6 script does in one iteration to the steps of a flow. */
import { METHODS } from "../../base/http/request.ts";
import { unescaped } from "../../base/secret_fields.ts";
import { quotedOpenly } from "../../base/secrets.ts";
import { basicAuthorization } from "../../base/net/endpoint.ts";
import type * as js from "acorn";
import { stepName } from "../request/request.ts";
import { pathText } from "../request/template.ts";
import { durationText } from "../../base/quantity.ts";
import { Expansion } from "./format/expansion.ts";
import type { Origins } from "./format/format.ts";
import { madeOf, sliced, unmarked, unmarkedIn, withMarks } from "./format/references.ts";
import {
  type Binding,
  type Constants,
  type FunctionBinding,
  functionOf,
  rootOf,
  scopeOfCall,
  type ScriptFunction,
  ScriptScope,
} from "./k6_constants.ts";
import { bothOf, K6Check } from "./k6_checks.ts";
import { calledIn } from "./k6_imports.ts";
import { type K6Load, length } from "./k6_load.ts";
import {
  MOST_NESTED,
  namesIn,
  nodesIn,
  Refused,
  type ScriptSource,
  TooMuch,
} from "./script_source.ts";

/** A step of a flow, in the structure of an experiment file. */
type K6Step = Record<string, unknown>;

/** What an expression yields: the step whose response it is, the responses of a batch, or null for anything else. */
type Given = K6Step | Batch | null;

class Batch {
  /** @param steps Steps by position in the batch, or by the name that the script gives them. */
  constructor(readonly steps: Readonly<Record<string, K6Step>>) {}
}

interface K6Context {
  readonly source: ScriptSource;
  readonly constants: Constants;
  /** What each imported name stands for, such as `http.get`. */
  readonly imported: ReadonlyMap<string, string>;
  /** Names through which the script may send requests, each with the import through which it sends them. */
  readonly senders: ReadonlyMap<string, string>;
  readonly load: Pick<K6Load, "env" | "maxRedirects" | "rounds" | "userAgent">;
  readonly origins: Origins;
  readonly note: (text: string) => void;
}

const USUAL_TIMEOUT_MS = 60_000;

/** Modules that can't be converted, each with the key that requests of its protocol have in an experiment file. */
const KEYS_FOR: Readonly<Record<string, string>> = {
  "k6/ws": "websocket",
  "k6/websockets": "websocket",
  "k6/experimental/websockets": "websocket",
  "k6/net/grpc": "grpc",
};

/** Functions of JavaScript itself. */
const BUILT_IN = [
  ...["String", "Number", "Boolean", "parseInt", "parseFloat", "isNaN", "isFinite"],
  ...["encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI", "Date"],
];

export class K6Flow {
  readonly steps: K6Step[] = [];
  origin: string | null = null;
  readonly #expansion = new Expansion();
  readonly #sending = new WeakMap<js.Node, boolean>();
  readonly #ending = new WeakMap<js.Node, readonly string[]>();
  /** The most redirects that each request follows; null before the first request. */
  #redirects: number | null = null;
  #timeoutMs: number | null = null;
  /** Number of calls of the script's own functions that enclose the node that is being walked. */
  #depth = 0;

  constructor(private readonly around: K6Context) {}

  get redirects(): number {
    return this.#redirects ?? 0;
  }

  get timeout(): string {
    return durationText(this.#timeoutMs ?? USUAL_TIMEOUT_MS);
  }

  /** Walks the function of an iteration once, and repeats its steps so that the flow has `load.rounds` iterations. */
  iterations(node: ScriptFunction, scope: ScriptScope): void {
    const inner = new ScriptScope(scope);
    const { env, rounds } = this.around.load;
    if (env !== undefined) inner.set("__ENV", { kind: "value", value: env });
    this.#body(node, inner);
    const once = [...this.steps];
    const why = this.#expansion.whyNot(once, rounds - 1);
    if (why !== null) {
      const message = `Cannot convert ${rounds} iterations of each virtual user: ${why}`;
      throw new TooMuch(node.start, message, "write a duration");
    }
    for (let round = 1; round < rounds; round++) for (const step of once) this.steps.push(step);
  }

  /** Walks the body of a function. Returns its value if its last statement returns one, otherwise null. */
  #body({ body }: ScriptFunction, scope: ScriptScope): Given {
    if (body.type !== "BlockStatement") return this.#expression(body, scope);
    const last = body.body.at(-1);
    if (last?.type !== "ReturnStatement") {
      this.#walk(body.body, scope);
      return null;
    }
    const inner = this.#walk(body.body.slice(0, -1), scope);
    const { argument } = last;
    if (!argument) return null;
    const bound = argument.type === "Identifier" ? inner.get(argument.name) : undefined;
    if (bound?.kind === "other") return givenIn(bound);
    return this.#sends(argument)
      ? this.around.source.attempt(() => this.#expression(argument, inner), null)
      : null;
  }

  #walk(statements: readonly js.Statement[], outer: ScriptScope): ScriptScope {
    const scope = new ScriptScope(outer);
    for (const node of statements) {
      if (node.type !== "FunctionDeclaration") continue; // functions may be called before they are declared
      scope.set(node.id.name, { kind: "function", node, scope });
    }
    for (const statement of statements) {
      this.around.source.attempt(() => this.#statement(statement, scope), undefined);
    }
    return scope;
  }

  #statement(node: js.Statement, scope: ScriptScope): void {
    this.around.constants.spend(node.end - node.start, node);
    if (/^(?:For|While|DoWhile|Switch)/.test(node.type) && !this.#sends(node)) {
      if (this.#leaves(node)) throw this.#refused(node);
      return;
    }
    switch (node.type) {
      case "EmptyStatement":
      case "FunctionDeclaration":
        return;
      case "BlockStatement":
        return void this.#walk(node.body, scope);
      case "ExpressionStatement":
        return void this.#expression(node.expression, scope);
      case "VariableDeclaration":
        for (const declared of node.declarations) this.#declare(declared, scope);
        return;
      case "ForStatement":
        return this.#loop(node, scope);
      case "ForOfStatement":
        return this.#loopOf(node, scope);
      case "IfStatement":
        return this.#if(node, scope);
      case "TryStatement":
        if (node.handler && this.#sends(node.handler)) throw this.#refused(node);
        this.#walk(node.block.body, scope);
        return void (node.finalizer && this.#walk(node.finalizer.body, scope));
      default:
        throw this.#refused(node);
    }
  }

  #declare({ id, init }: js.VariableDeclarator, scope: ScriptScope): void {
    if (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression") {
      if (id.type !== "Identifier") throw this.#refused(init);
      return scope.set(id.name, { kind: "function", node: init, scope });
    }
    if (id.type === "Identifier") return scope.set(id.name, this.#bound(init ?? null, scope));
    if (init && this.#sends(init)) throw this.#refused(init);
    const why = this.#unknown(id);
    for (const name of namesIn(id)) scope.set(name, { kind: "unknown", why });
  }

  /** What a name stands for after the expression `given` is assigned to it. */
  #bound(given: js.Expression | null, scope: ScriptScope): Binding {
    if (given === null) return { kind: "value", value: undefined };
    const named = given.type === "Identifier" ? scope.get(given.name) : undefined;
    if (named?.kind === "other" || named?.kind === "function") return named;
    const known = this.around.constants.known(given, scope);
    if ("given" in known) return { kind: "value", value: known.given };
    if (!this.#sends(given)) return { kind: "unknown", why: known.why };
    return { kind: "other", what: this.#expression(given, scope) };
  }

  #unknown(node: js.Node): Refused {
    return new Refused(
      node.start,
      `Cannot convert ${
        this.around.source.written(node)
      }: its value is known only when the script runs`,
    );
  }

  /** Converts a loop such as `for (let i = 0; i < 3; i++)`, whose numbers must be constant. */
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
        "Cannot convert this loop: its first line does not say how often it runs",
        "write for (let i = 0; i < 3; i++)",
      );
    }
    const from = constants.number(counter.init, scope);
    const end = constants.number(test.right, scope) + (test.operator === "<=" ? 1 : 0);
    this.#rounds(Math.max(0, Math.ceil(end - from)), start);
    for (let round = from; round < end; round++) {
      const inner = new ScriptScope(scope);
      inner.set(name, { kind: "value", value: round });
      this.#walk([body], inner);
    }
  }

  /** Converts a loop such as `for (const path of ["/a", "/b"])`, whose list must be constant. */
  #loopOf({ left, right, body, start }: js.ForOfStatement, scope: ScriptScope): void {
    const id = left.type === "VariableDeclaration" ? left.declarations[0].id : left;
    const values = this.around.constants.value(right, scope);
    if (id.type !== "Identifier" || !Array.isArray(values)) {
      throw new Refused(
        start,
        "Cannot convert this loop: it does not run over a list that is written in the script",
      );
    }
    this.#rounds(values.length, start);
    for (const value of values) {
      const inner = new ScriptScope(scope);
      inner.set(id.name, { kind: "value", value });
      this.#walk([body], inner);
    }
  }

  /** Counts rounds of a loop, or calls of a function, before they are walked. Throws a TooMuch above the limit. */
  #rounds(count: number, at: number): void {
    const why = this.#expansion.whyNotRounds(count);
    if (why !== null) throw new TooMuch(at, `Cannot convert this: ${why}`);
  }

  /**
   * Walks the branch that a known condition selects. If the condition is unknown, the statement is left out with a
   * note. It is refused instead if a branch sends requests, or if a branch may end an iteration or loop and the
   * condition depends on anything but a response.
   */
  #if(node: js.IfStatement, scope: ScriptScope): void {
    const { test, consequent, alternate } = node;
    const { source, constants, note } = this.around;
    const known = constants.known(test, scope);
    if ("given" in known) {
      const taken = known.given ? consequent : alternate;
      if (taken) this.#walk([taken], scope);
      return;
    }
    const isCheck = this.#sends(test);
    if (isCheck) this.#expression(test, scope);
    for (const branch of [consequent, alternate ?? consequent]) {
      if (this.#sends(branch)) throw known.why;
      if (!isCheck && this.#endings(branch).length > 0 && !this.#isOfResponse(test, scope)) {
        throw known.why;
      }
    }
    note(`left out: ${source.written(node)} of ${source.lineOf(node.start)}`);
  }

  /** Whether the node may end the iteration early. */
  #leaves(node: js.Node): boolean {
    return this.#endings(node).some((ending) => ending === "iteration");
  }

  /** What the node may end early: "iteration", or "loop", which includes a single round of a loop. */
  #endings(node: js.Node): readonly string[] {
    const known = this.#ending.get(node);
    if (known !== undefined) return known;
    const endings = new Set<string>();
    for (const { type } of nodesIn(node)) {
      if (type === "ReturnStatement" || type === "ThrowStatement") endings.add("iteration");
      if (type === "BreakStatement" || type === "ContinueStatement") endings.add("loop");
    }
    const { imported } = this.around;
    if (namesIn(node).some((name) => imported.get(name) === "k6.fail")) endings.add("iteration");
    this.#ending.set(node, [...endings]);
    return [...endings];
  }

  #isOfResponse(node: js.Node, scope: ScriptScope): boolean {
    return namesIn(node).some((name) => scope.get(name)?.kind === "other");
  }

  /** Whether the node may send a request, check a response or pause. */
  #sends(node: js.Node): boolean {
    const known = this.#sending.get(node);
    if (known !== undefined) return known;
    const sends = namesIn(node).some((name) => this.around.senders.has(name));
    this.#sending.set(node, sends);
    return sends;
  }

  /** Walks an expression. Returns the step or batch whose response is its value, otherwise null. */
  #expression(node: js.Expression | js.SpreadElement, scope: ScriptScope): Given {
    switch (node.type) {
      case "AwaitExpression":
      case "UnaryExpression":
        return this.#expression(node.argument, scope);
      case "CallExpression":
        return this.#call(node, scope);
      case "AssignmentExpression":
        if (node.left.type === "Identifier" && node.operator === "=") {
          scope.assign(node.left.name, this.#bound(node.right, scope));
          return null;
        }
        break;
      case "LogicalExpression":
        if (this.#sends(node.right)) break;
        return this.#expression(node.left, scope);
      default:
    }
    if (this.#sends(node)) throw this.#refused(node);
    return null;
  }

  #call(node: js.CallExpression, scope: ScriptScope): Given {
    const called = calledIn(node, this.around.imported);
    if (called === "k6.sleep") this.#sleep(node, scope);
    else if (called === "k6.check") this.#check(node, scope);
    else if (called === "k6.group") return this.#group(node, scope);
    else if (called === "console") this.#log(node);
    else if (called === "http.batch") return this.#batch(node, scope);
    else if (called?.startsWith("http.")) return this.#request(called.slice(5), node, scope);
    else {
      const own = node.callee.type === "Identifier" ? functionOf(scope, node.callee.name) : null;
      if (own !== null) return this.#callOwn(own, node, scope);
      if (this.#isForEach(node)) return this.#forEach(node, scope);
      if (this.#sends(node.callee) || this.#isUnknown(node.callee)) throw this.#refused(node);
      for (const given of node.arguments) {
        if (this.#sends(given)) this.#expression(given, scope);
      }
      if (/^k6\/metrics\b/.test(this.#metricOf(node, scope))) {
        this.around.note("left out: the script's own metrics");
      }
    }
    return null;
  }

  /** Whether the called function is neither imported nor built in, so that what it does can't be known. */
  #isUnknown(callee: js.CallExpression["callee"]): boolean {
    return callee.type === "Identifier" && !this.around.imported.has(callee.name) &&
      !BUILT_IN.includes(callee.name);
  }

  /** The module from which the metric in a call such as `metric.add(1)` comes; "" for any other call. */
  #metricOf({ callee }: js.CallExpression, scope: ScriptScope): string {
    const bound = scope.get(rootOf(callee));
    const made = bound?.kind === "expression" && bound.node.type === "NewExpression"
      ? bound.node.callee
      : null;
    return made === null ? "" : this.around.imported.get(rootOf(made)) ?? "";
  }

  /** Walks one of the script's functions with the arguments of the call, and returns its value. */
  #callOwn(
    own: FunctionBinding,
    { arguments: given, start }: Pick<js.CallExpression, "arguments" | "start">,
    scope: ScriptScope,
  ): Given {
    this.#rounds(1, start);
    if (this.#depth >= MOST_NESTED) {
      throw new Refused(start, "Cannot convert this call: calls are nested too deep");
    }
    const inner = scopeOfCall(own, scope);
    for (const [at, param] of own.node.params.entries()) {
      const isDefault = param.type === "AssignmentPattern";
      const id = isDefault ? param.left : param;
      if (id.type !== "Identifier") throw this.#refused(param);
      const argument = given[at];
      if (argument?.type === "SpreadElement") throw this.#refused(argument);
      inner.set(
        id.name,
        argument === undefined && isDefault
          ? this.#bound(param.right, inner)
          : this.#bound(argument ?? null, scope),
      );
    }
    this.#depth++;
    try {
      return this.#body(own.node, inner);
    } finally {
      this.#depth--;
    }
  }

  #isForEach({ callee }: js.CallExpression): boolean {
    return callee.type === "MemberExpression" && callee.property.type === "Identifier" &&
      callee.property.name === "forEach";
  }

  /** Converts a call of `forEach` on a constant list, or on the responses of a batch. */
  #forEach({ callee, arguments: [each], start }: js.CallExpression, scope: ScriptScope): Given {
    const list = callee.type === "MemberExpression" ? callee.object : null;
    if (
      list === null || list.type === "Super" || each?.type !== "ArrowFunctionExpression" &&
        each?.type !== "FunctionExpression"
    ) throw new Refused(start, "Cannot convert this loop");
    if (!this.#sends(list) && !this.#sends(each)) return null;
    const bound = list.type === "Identifier" ? scope.get(list.name) : undefined;
    const batch = bound?.kind === "other" && bound.what instanceof Batch ? bound.what : null;
    const items = batch === null
      ? [this.around.constants.value(list, scope)].flat()
        .map((value): Binding => ({ kind: "value", value }))
      : Object.values(batch.steps).map((what): Binding => ({ kind: "other", what }));
    const [item, position] = each.params;
    this.#rounds(items.length, start);
    for (const [at, bound] of items.entries()) {
      const inner = new ScriptScope(scope);
      if (item?.type === "Identifier") inner.set(item.name, bound);
      if (position?.type === "Identifier") inner.set(position.name, { kind: "value", value: at });
      this.#body(each, inner);
    }
    return null;
  }

  #log(node: js.CallExpression): void {
    if (node.arguments.some((given) => this.#sends(given))) throw this.#refused(node);
    this.around.note("left out: logging");
  }

  #sleep({ arguments: [given], start }: js.CallExpression, scope: ScriptScope): void {
    const seconds = given === undefined ? NaN : this.around.constants.value(given, scope);
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= 3_600)) {
      throw new Refused(start, "Cannot convert a sleep that is not a number from 0 to 3600");
    }
    if (seconds >= 0.001) this.#add({ think: durationText(seconds * 1_000) }, start);
  }

  #group({ arguments: [, inner], start }: js.CallExpression, scope: ScriptScope): Given {
    const own = inner?.type === "Identifier" ? functionOf(scope, inner.name) : null;
    if (own !== null) return this.#callOwn(own, { arguments: [], start }, scope);
    const isFunction = inner?.type === "ArrowFunctionExpression" ||
      inner?.type === "FunctionExpression";
    if (!isFunction) {
      throw new Refused(start, "Cannot convert a group without a function of its own");
    }
    return this.#body(inner, new ScriptScope(scope));
  }

  #request(called: string, node: js.CallExpression, scope: ScriptScope): K6Step {
    const { constants } = this.around;
    const given = node.arguments.map((argument) => constants.value(argument, scope));
    const isAny = called === "request" || called === "asyncRequest";
    const method = isAny ? textOf(given.shift()) : called === "del" ? "delete" : called;
    const hasBody = isAny || !["get", "head"].includes(method);
    const [url, body, params] = hasBody ? given : [given[0], null, given[1]];
    return this.#sent(method.toLowerCase(), { url, body, params }, node.start, called);
  }

  #sent(
    method: string,
    { url, body, params }: { url: unknown; body?: unknown; params?: unknown },
    at: number,
    called = method,
  ): K6Step {
    if (!(METHODS as readonly string[]).includes(method)) {
      throw new Refused(at, `Cannot convert http.${called}: Plateau has nothing like it`);
    }
    const { path, authorization } = this.#address(url, at);
    const step: K6Step = {
      ...this.#params(Object(params), authorization, at),
      [method]: path,
      ...bodyOf(body, method, at),
    };
    if (unmarked(JSON.stringify(step)).includes("{{")) {
      throw new Refused(
        at,
        "Cannot convert a request that holds {{, which begins a placeholder in Plateau",
      );
    }
    this.#add(step, at);
    return step;
  }

  /** Converts a batch, whose requests k6 sends at the same time. */
  #batch({ arguments: [given], start }: js.CallExpression, scope: ScriptScope): Batch {
    const requests = given === undefined ? null : this.around.constants.value(given, scope);
    if (typeof requests !== "object" || requests === null) {
      throw new Refused(
        start,
        "Cannot convert a batch that is not a list or map of requests",
      );
    }
    this.around.note(
      "requests of a batch, which k6 sends at the same time, are sent one after the other in Plateau",
    );
    const steps = Object.entries(requests).map(([name, request]: [string, unknown]) => {
      const key = unmarked(name);
      if (typeof request === "string") return [key, this.#sent("get", { url: request }, start)];
      const [method, url, body, params] = Array.isArray(request) ? request : [
        Reflect.get(Object(request), "method"),
        ...["url", "body", "params"].map((key) => Reflect.get(Object(request), key)),
      ];
      return [
        key,
        this.#sent(textOf(method ?? "get").toLowerCase(), { url, body, params }, start),
      ];
    });
    return new Batch(Object.fromEntries(steps));
  }

  #address(given: unknown, at: number): { path: string; authorization: string | null } {
    const text = textOf(given);
    const url = URL.parse(text);
    if (typeof given !== "string" || url === null || !/^https?:$/.test(url.protocol)) {
      throw new Refused(
        at,
        `Cannot convert a request to ${quotedOpenly(unmarkedIn(given))}: it is not an http address`,
      );
    }
    this.origin ??= url.origin;
    if (url.origin !== this.origin) {
      throw new Refused(
        at,
        `Cannot convert a request to ${url.origin}: the other requests go to ${this.origin}`,
      );
    }
    const [start] = /^\s*https?:\/\/[^/?#]*/i.exec(text) ?? [""];
    const path = sliced(given, start.length, text.replace(/#.*$/s, "").trimEnd().length);
    const credentials = (): string =>
      [url.username, url.password].map((text) => unescaped(text)).join(":");
    return {
      path: withMarks(pathText(unmarked(path).startsWith("/") ? path : `/${path}`)),
      authorization: url.username === ""
        ? null
        : madeOf(given, () => basicAuthorization(credentials())),
    };
  }

  #params(
    given: Readonly<Record<string, unknown>>,
    authorization: string | null,
    at: number,
  ): K6Step {
    const { headers = {}, tags = {}, cookies = {}, redirects, timeout, auth, ...others } = given;
    const { load, note } = this.around;
    const [unknown] = Object.keys(others).filter((key) => key !== "responseType");
    if (unknown !== undefined) {
      throw new Refused(at, `Cannot convert the parameter ${quotedOpenly(unknown)} of a request`);
    }
    const scheme = unmarkedIn(auth);
    if (scheme !== undefined && scheme !== "basic") {
      throw new Refused(
        at,
        `Cannot convert the authentication ${quotedOpenly(scheme)} of a request`,
      );
    }
    this.#agree(redirects ?? load.maxRedirects, unmarkedIn(timeout), at);
    const { name, ...more } = Object(tags);
    if (Object.keys(more).length > 0) note("left out: tags of requests other than name");
    const isName = name !== undefined && stepName.safeParse(unmarkedIn(name)).success;
    const fields = new Map(
      Object.entries(Object(headers)).map(([key, value]) => [key, String(value)]),
    );
    const add = (name: string, text: string): void => {
      const names = [...fields.keys()].map((key) => unmarked(key).toLowerCase());
      if (!names.includes(name)) fields.set(name, text);
    };
    if (load.userAgent !== undefined) add("user-agent", load.userAgent);
    if (authorization !== null) add("authorization", authorization);
    const pairs = Object.entries(Object(cookies)).map(([key, value]) => {
      const { value: text = value } = Object(value);
      return `${key}=${text}`;
    });
    if (pairs.length > 0) {
      note(
        "a request with its own cookies sends only these; k6 also sends those that responses have set",
      );
      add("cookie", pairs.join("; "));
    }
    return {
      ...(isName ? { name } : {}),
      ...(fields.size > 0 ? { headers: Object.fromEntries(fields) } : {}),
    };
  }

  /**
   * Takes over those settings of a request that, in Plateau, the scenario or the load has for all requests. Refuses a
   * limit of redirects other than that of the earlier requests. If time-outs differ, the longest applies.
   */
  #agree(redirects: unknown, timeout: unknown, at: number): void {
    if (typeof redirects !== "number") {
      throw new Refused(at, "Cannot convert this limit of redirects: it is not a number");
    }
    if ((this.#redirects ??= redirects) !== redirects) {
      throw new Refused(
        at,
        `Cannot convert a request that follows ${redirects} redirects, because the other requests follow ${this.#redirects}`,
      );
    }
    const { data: ms } = length.safeParse(timeout ?? USUAL_TIMEOUT_MS);
    if (ms === undefined) {
      throw new Refused(at, `Cannot convert the time-out ${quotedOpenly(timeout)}`);
    }
    if (this.#timeoutMs !== null && this.#timeoutMs !== ms) {
      this.around.note(
        "the requests have different time-outs; in Plateau the longest applies to all",
      );
    }
    this.#timeoutMs = Math.max(this.#timeoutMs ?? 0, ms);
  }

  #check({ arguments: [of, checks], start }: js.CallExpression, scope: ScriptScope): void {
    const step = of === undefined ? null : this.#checked(of, scope);
    const { source, constants, note } = this.around;
    if (checks?.type !== "ObjectExpression" || step === null) {
      return note(`left out: the check of ${source.lineOf(start)}`);
    }
    const variable = of.type === "Identifier" ? of.name : null;
    const check = new K6Check(constants, scope);
    for (const property of checks.properties) {
      const found = property.type === "Property"
        ? check.expectedIn(property.value, variable)
        : null;
      const both = found && bothOf(Object(step.expect), found);
      if (both !== null) step.expect = both;
      else this.#withoutCheck(property);
    }
  }

  /** The step whose response a check is given; null if it is given something else. */
  #checked(of: js.Expression | js.SpreadElement, scope: ScriptScope): K6Step | null {
    if (of.type === "Identifier") {
      const given = givenIn(scope.get(of.name));
      return given instanceof Batch ? null : given;
    }
    if (of.type === "MemberExpression" && of.object.type === "Identifier") {
      const given = givenIn(scope.get(of.object.name));
      const { property } = of;
      if (!(given instanceof Batch) || property.type === "PrivateIdentifier") return null;
      const key = !of.computed && property.type === "Identifier"
        ? property.name
        : textOf(this.around.constants.value(property, scope));
      return Object.hasOwn(given.steps, key) ? given.steps[key] : null;
    }
    if (!this.#sends(of)) return null;
    const given = this.#expression(of, scope);
    return given instanceof Batch ? null : given;
  }

  #withoutCheck(property: js.Property | js.SpreadElement): void {
    const { source, note } = this.around;
    note(`left out: the check ${source.written(property)} of ${source.lineOf(property.start)}`);
  }

  #add(step: K6Step, at: number): void {
    const why = this.#expansion.whyNot([step]);
    if (why !== null) throw new TooMuch(at, `Cannot convert this step: ${why}`);
    this.steps.push(this.around.origins.keep(step, this.around.source.placeOf(at)));
  }

  #refused(node: js.Node): Refused {
    const { source, imported, senders } = this.around;
    const unknown = namesIn(node).map((name) => imported.get(name) ?? senders.get(name) ?? "")
      .find((from) => from !== "" && !/^(?:k6|http)(?:\.|$)/.test(from));
    const why = unknown === undefined
      ? "it is neither a request, a check nor a pause"
      : `it needs what the script imports from ${unknown}`;
    const key = KEYS_FOR[unknown?.replace(/\.\w+$/, "") ?? ""];
    return new Refused(
      node.start,
      `Cannot convert ${source.written(node)}: ${why}`,
      key === undefined
        ? "leave it out"
        : `write a request with ${key} in an experiment file, or leave it out`,
    );
  }
}

function textOf(value: unknown): string {
  return unmarked(String(value));
}

function givenIn(bound: Binding | undefined): Given {
  return bound?.kind === "other" ? bound.what as Given : null;
}

function bodyOf(body: unknown, method: string, at: number): K6Step {
  if (body === null || body === undefined || body === "") return {};
  if (typeof body === "string") return { body };
  const isForm = typeof body === "object" && !Array.isArray(body) &&
    Object.values(body).flat().every((value) =>
      ["string", "number", "boolean"].includes(typeof value)
    );
  if (!isForm) throw new Refused(at, "Cannot convert this body: it is neither text nor a form");
  if (method === "get" || method === "head") {
    throw new Refused(at, `Cannot convert a form that is sent with ${method}`);
  }
  return { form: body };
}
