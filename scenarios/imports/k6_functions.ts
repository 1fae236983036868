/**
 * Converts an iteration of a k6 script that does more than send plain requests. Its functions become generators, which
 * yield each request and continue with its response. The steps of the flow are the requests, in the order in which they
 * are sent.
 */
import type * as js from "acorn";
import { METHODS } from "../../base/http/request.ts";
import { durationText } from "../../base/quantity.ts";
import { stepName } from "../request/request.ts";
import { pathText } from "../request/template.ts";
import { Expansion } from "./format/expansion.ts";
import {
  type Constants,
  type FunctionBinding,
  functionOf,
  rootOf,
  type ScriptFunction,
  ScriptScope,
} from "./k6_constants.ts";
import { calledIn } from "./k6_imports.ts";
import type { Edits } from "./script_edits.ts";
import { namesIn, nodesIn, partsOf, Refused, type ScriptSource, TooMuch } from "./script_source.ts";

interface UrlPart {
  readonly text: string;
  /**
   * Name of the environment variable that the text comes from. The converted file refers to the variable, because its
   * value may be a secret; only the origin of a URL (scheme, host and port) is written as it is.
   */
  readonly env?: string;
}

/** Thrown for a part of the script that can't be converted; the message says why. */
class Untaken extends Error {}

/** Functions of k6's `http` module that `plateau/k6` has, too. */
const SENDING = [
  "get",
  "head",
  "post",
  "put",
  "patch",
  "del",
  "options",
  "request",
  "asyncRequest",
];
/** Members of k6's responses that Plateau's responses lack. */
const MISSING_MEMBERS = [
  "timings",
  "html",
  "submitForm",
  "clickLink",
  "request",
  "remote_ip",
  "ocsp",
  "status_text",
  "proto",
];
const MOST_DEEP = 50;

interface FunctionsContext {
  readonly source: ScriptSource;
  readonly edits: Edits;
  readonly constants: Constants;
  readonly imported: ReadonlyMap<string, string>;
  /**
   * Names that the script imports or creates and that have no equivalent in Plateau, each with its module or, if the
   * script creates it, with its line in the script.
   */
  readonly missing: Map<string, string>;
  readonly maxRedirects: number;
  /** Returns the text of a file that the script opens; null if it can't be read. */
  readonly opened: (path: string) => string | null;
}

export class K6Functions {
  readonly steps: Record<string, unknown>[] = [];
  /** Lines of the script that are left out, each with the reason. */
  readonly left: string[] = [];
  origin: string | null = null;
  follow: number | null = null;
  readonly #expansion = new Expansion();
  /** Names of the functions that become generators. */
  readonly #generators: ReadonlySet<string>;
  readonly #mattering = new WeakMap<js.Node, boolean>();
  /**
   * Whether the current function is `setup` or `teardown`. Its requests need not be known in advance, because they do
   * not become steps of the flow.
   */
  #isFree = false;
  #depth = 0;

  constructor(private readonly around: FunctionsContext) {
    this.#generators = this.#generatorNames();
  }

  iteration(node: ScriptFunction, scope: ScriptScope): void {
    this.#function(node, scope);
  }

  /** Converts `setup` or `teardown`, whose requests do not become steps of the flow. */
  free(node: ScriptFunction, scope: ScriptScope): void {
    const steps = this.steps.length;
    this.#isFree = true;
    this.#function(node, scope);
    this.#isFree = false;
    this.steps.length = steps;
  }

  isGenerator(name: string): boolean {
    return this.#generators.has(name);
  }

  /**
   * Why the node can't be converted, for example because it calls a function that Plateau lacks; null if it can.
   * Replaces calls of `open` in it by the contents of the files.
   */
  missingIn(node: js.Node): string | null {
    const { source, imported, missing } = this.around;
    for (const inner of nodesWithoutChecks(node, imported)) {
      if (inner.type === "Identifier" && missing.has(inner.name)) {
        return `it needs ${inner.name} of ${missing.get(inner.name)}`;
      }
      if (inner.type === "CallExpression") {
        const called = calledIn(inner, imported);
        const name = called?.startsWith("http.") ? called.slice(5) : null;
        if (name !== null && name !== "batch" && !SENDING.includes(name)) {
          return `Plateau has no http.${name}`;
        }
        if (inner.callee.type === "Identifier" && inner.callee.name === "open") {
          const why = this.#open(inner);
          if (why !== null) return why;
        }
      }
      if (
        inner.type === "MemberExpression" && inner.property.type === "Identifier" &&
        MISSING_MEMBERS.includes(inner.property.name) && !inner.computed &&
        inner.object.type === "Identifier" &&
        !imported.has(inner.object.name)
      ) return `a response has no ${source.written(inner.property)} in Plateau`;
    }
    return null;
  }

  leave(node: js.Node, why: string): void {
    const { source, edits } = this.around;
    edits.leave(node, why);
    this.#say(`${source.lineOf(node.start)}, ${source.written(node)}: ${why}`);
  }

  /** Adds a line to the notes, but only once, although loops may walk the same code again. */
  #say(line: string): void {
    if (!this.left.includes(line)) this.left.push(line);
  }

  /** Replaces a call of `open` by the content of the file. Returns why that is impossible; null if it was possible. */
  #open({ arguments: [path], start, end }: js.CallExpression): string | null {
    const { constants, opened, edits } = this.around;
    const known = path === undefined ? null : constants.known(path, new ScriptScope());
    const text = known !== null && "given" in known ? opened(String(known.given)) : null;
    if (text === null) return "it opens a file that cannot be read";
    edits.replace(start, end, JSON.stringify(text));
    return null;
  }

  #generatorNames(): ReadonlySet<string> {
    const functions: [name: string, node: js.Node][] = [];
    for (const node of nodesIn(this.around.source.program) as Iterable<js.AnyNode>) {
      if (node.type === "FunctionDeclaration" && node.id) functions.push([node.id.name, node.body]);
      if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || !node.init) {
        continue;
      }
      if (/Function/.test(node.init.type)) functions.push([node.id.name, node.init]);
    }
    const found = new Set<string>();
    for (let before = -1; before < found.size;) {
      before = found.size;
      for (const [name, node] of functions) if (this.#yields(node, found)) found.add(name);
    }
    return found;
  }

  /** Whether the node sends requests, directly or through functions of the script. A group always counts. */
  #yields(node: js.Node, generators = this.#generators): boolean {
    for (const inner of nodesIn(node) as Iterable<js.AnyNode>) {
      if (inner.type !== "CallExpression") continue;
      if (calledIn(inner, this.around.imported)?.startsWith("http.")) return true;
      if (calledIn(inner, this.around.imported) === "k6.group") return true;
      if (inner.callee.type === "Identifier" && generators.has(inner.callee.name)) return true;
    }
    return false;
  }

  /** Whether it matters if and when the node runs, because it sends requests, pauses or awaits something. */
  #matters(node: js.Node): boolean {
    const known = this.#mattering.get(node);
    if (known !== undefined) return known;
    const { imported } = this.around;
    const matters = this.#yields(node) ||
      namesIn(node).some((name) => imported.get(name) === "k6.sleep") ||
      [...nodesIn(node)].some(({ type }) => type === "AwaitExpression");
    this.#mattering.set(node, matters);
    return matters;
  }

  #function(node: ScriptFunction, scope: ScriptScope): void {
    if (++this.#depth > MOST_DEEP) {
      throw new TooMuch(
        node.start,
        "Cannot convert this function: it calls itself, directly or through others, or its calls nest more than " +
          `${MOST_DEEP} deep`,
      );
    }
    this.#toGenerator(node);
    const inner = new ScriptScope(scope);
    for (const param of node.params) {
      for (const name of namesIn(param)) this.#unknown(name, param, inner);
    }
    if (node.body.type === "BlockStatement") this.#statements(node.body.body, inner);
    else this.#expression(node.body, inner);
    this.#depth--;
  }

  #toGenerator(node: ScriptFunction): void {
    if (node.generator) return;
    const { source: { text }, edits } = this.around;
    if (node.type !== "ArrowFunctionExpression") {
      const [head] = /^(?:async\s+)?function/.exec(text.slice(node.start)) ?? [];
      if (head === undefined) throw new Untaken("it is a function of an unknown form");
      return edits.replace(node.start, node.start + head.length, "function*");
    }
    const [first, last] = [node.params[0], node.params.at(-1)];
    const params = first && last ? text.slice(first.start, last.end) : "";
    const arrow = text.indexOf("=>", last?.end ?? node.start) + 2;
    if (node.body.type === "BlockStatement") {
      return edits.replace(node.start, node.body.start, `function* (${params}) `);
    }
    edits.replace(node.start, arrow, `function* (${params}) { return`);
    edits.close(node, "; }");
  }

  #statements(statements: readonly js.Statement[], scope: ScriptScope): void {
    for (const node of statements) {
      if (node.type !== "FunctionDeclaration") continue;
      scope.set(node.id.name, { kind: "function", node, scope });
    }
    for (const node of statements) {
      const steps = this.steps.length;
      try {
        this.#statement(node, scope);
      } catch (error) {
        if (!(error instanceof Untaken)) throw error;
        this.steps.length = steps;
        this.leave(node, error.message);
      }
    }
  }

  #statement(node: js.Statement, scope: ScriptScope): void {
    this.around.constants.spend(node.end - node.start, node);
    this.#dropChecks(node);
    const heads = headsOf(node);
    for (const head of heads) {
      const why = this.missingIn(head);
      if (why === null) continue;
      if (node.type === "VariableDeclaration") {
        for (const { id } of node.declarations) {
          for (const name of namesIn(id)) {
            this.around.missing.set(name, "a part that was not converted");
          }
        }
      }
      throw new Untaken(why);
    }
    switch (node.type) {
      case "BlockStatement":
        return this.#statements(node.body, new ScriptScope(scope));
      case "VariableDeclaration":
        for (const declared of node.declarations) this.#declare(declared, scope);
        return;
      case "IfStatement":
        return this.#if(node, scope);
      case "TryStatement": {
        const { block, handler, finalizer } = node;
        if (handler && this.#matters(handler) && !this.#isFree) throw new Untaken(UNKNOWN_WHETHER);
        this.#statements(block.body, new ScriptScope(scope));
        if (handler) this.#statements(handler.body.body, new ScriptScope(scope));
        return void (finalizer && this.#statements(finalizer.body, new ScriptScope(scope)));
      }
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return this.#loop(node, scope);
      case "ExpressionStatement":
        return this.#expression(node.expression, scope);
      case "ReturnStatement":
      case "ThrowStatement":
        return void (node.argument && this.#expression(node.argument, scope));
      case "FunctionDeclaration":
        return;
      default:
        if (this.#matters(node)) throw new Untaken(UNKNOWN_WHETHER);
    }
  }

  /** Replaces each check that needs something unavailable by one that always passes, and notes it. */
  #dropChecks(node: js.Node): void {
    const { source, edits, imported } = this.around;
    for (const property of checksIn(node, imported)) {
      const { value } = property;
      const why = this.missingIn(value);
      if (why === null) continue;
      const written = source.written(value).replaceAll("*/", "* /");
      edits.replace(value.start, value.end, `() => true /* NOT CONVERTED: ${written}: ${why} */`);
      this.#say(`${source.lineOf(value.start)}, ${source.written(property)}: ${why}`);
    }
  }

  #declare({ id, init }: js.VariableDeclarator, scope: ScriptScope): void {
    if (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression") {
      if (id.type === "Identifier") scope.set(id.name, { kind: "function", node: init, scope });
      return;
    }
    if (init) this.#expression(init, scope);
    for (const name of namesIn(id)) {
      if (init && id.type === "Identifier" && !this.#matters(init)) {
        scope.set(name, { kind: "expression", node: init, scope });
      } else this.#unknown(name, id, scope);
    }
  }

  #unknown(name: string, at: js.Node, scope: ScriptScope): void {
    scope.set(name, {
      kind: "unknown",
      why: new Refused(at.start, `${name} is known only when the script runs`),
    });
  }

  #if({ test, consequent, alternate }: js.IfStatement, scope: ScriptScope): void {
    this.#expression(test, scope);
    const branches = alternate ? [consequent, alternate] : [consequent];
    if (!this.#isFree && branches.some((branch) => this.#matters(branch))) {
      const known = this.around.constants.known(test, scope);
      if (!("given" in known)) throw new Untaken(UNKNOWN_WHETHER);
      const taken = known.given ? consequent : alternate;
      return void (taken && this.#statement(taken, scope));
    }
    for (const branch of branches) this.#statement(branch, scope);
    const { source } = this.around;
    const leaving = this.#isFree
      ? undefined
      : branches.flatMap((branch) => [...leavingIn(branch)])[0];
    if (leaving === undefined) return;
    this.#say(
      `${source.lineOf(leaving.start)}, ${
        source.written(leaving)
      }: requests that it would skip count as failed`,
    );
  }

  #loop(
    node:
      | js.ForStatement
      | js.ForOfStatement
      | js.ForInStatement
      | js.WhileStatement
      | js.DoWhileStatement,
    scope: ScriptScope,
  ): void {
    if (!this.#matters(node)) return;
    const inner = new ScriptScope(scope);
    const declared = "left" in node ? node.left : "init" in node ? node.init : null;
    if (declared) { for (const name of namesIn(declared)) this.#unknown(name, declared, inner); }
    if (this.#isFree) return this.#statement(node.body, inner);
    const rounds = this.#roundsOf(node, scope);
    if (rounds === null) throw new Untaken("how often it runs is known only when the script runs");
    const why = this.#expansion.whyNotRounds(rounds);
    if (why !== null) throw new TooMuch(node.start, `Cannot convert this loop: ${why}`);
    for (let round = 0; round < rounds; round++) this.#statement(node.body, inner);
  }

  #roundsOf(node: js.Statement, scope: ScriptScope): number | null {
    const { constants } = this.around;
    if (node.type === "ForOfStatement") {
      const known = constants.known(node.right, scope);
      return "given" in known && Array.isArray(known.given) ? known.given.length : null;
    }
    if (node.type !== "ForStatement") return null;
    const { init, test, update } = node;
    const counter = init?.type === "VariableDeclaration" ? init.declarations[0] : undefined;
    const name = counter?.id.type === "Identifier" ? counter.id.name : null;
    if (
      name === null || !counter?.init || test?.type !== "BinaryExpression" ||
      rootOf(test.left) !== name || !["<", "<="].includes(test.operator) ||
      update?.type !== "UpdateExpression" || update.operator !== "++" ||
      test.left.type !== "Identifier" || constants.isChanged(name)
    ) return null;
    const [from, end] = [counter.init, test.right].map((node) => constants.known(node, scope));
    if (!("given" in from) || !("given" in end)) return null;
    const rounds = Number(end.given) + (test.operator === "<=" ? 1 : 0) - Number(from.given);
    return Number.isFinite(rounds) ? Math.max(0, Math.ceil(rounds)) : null;
  }

  #expression(node: js.Node, scope: ScriptScope): void {
    const one = node as js.AnyNode;
    if (!this.#matters(one)) return;
    switch (one.type) {
      case "CallExpression":
        return this.#call(one, scope);
      case "AwaitExpression":
        this.around.edits.replace(one.start, one.argument.start, "");
        return this.#expression(one.argument, scope);
      case "LogicalExpression":
        this.#expression(one.left, scope);
        if (this.#matters(one.right) && !this.#isFree) throw new Untaken(UNKNOWN_WHETHER);
        return this.#expression(one.right, scope);
      case "ConditionalExpression":
        this.#expression(one.test, scope);
        if (
          !this.#isFree && [one.consequent, one.alternate].some((branch) => this.#matters(branch))
        ) {
          throw new Untaken(UNKNOWN_WHETHER);
        }
        for (const branch of [one.consequent, one.alternate]) this.#expression(branch, scope);
        return;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        throw new Untaken("it sends within a function that something else calls");
      default:
        for (const part of partsOf(one)) this.#expression(part, scope);
    }
  }

  #call(node: js.CallExpression, scope: ScriptScope): void {
    const { edits, imported } = this.around;
    const called = calledIn(node, imported);
    if (called === "k6.sleep") return this.#sleep(node, scope);
    if (called === "k6.group") return this.#group(node, scope);
    for (const given of node.arguments) this.#expression(given, scope);
    if (called === "http.batch") {
      edits.wrap(node, "(yield* ", ")");
      return this.#batch(node, scope);
    }
    if (called?.startsWith("http.")) {
      edits.wrap(node, "(yield ", ")");
      return this.#request(called.slice(5), node, scope);
    }
    const own = node.callee.type === "Identifier" ? functionOf(scope, node.callee.name) : null;
    if (own === null) return this.#expression(node.callee, scope);
    this.#own(own, node);
  }

  #own(own: FunctionBinding, node: js.CallExpression): void {
    const why = this.#expansion.whyNotRounds(1);
    if (why !== null) throw new TooMuch(node.start, `Cannot convert this call: ${why}`);
    if (!this.#matters(own.node)) return;
    this.around.edits.wrap(node, "(yield* ", ")");
    this.#function(own.node, own.scope);
  }

  #group(node: js.CallExpression, scope: ScriptScope): void {
    const [, inner] = node.arguments;
    this.around.edits.wrap(node, "(yield* ", ")");
    if (inner?.type === "Identifier") {
      const own = functionOf(scope, inner.name);
      if (own === null) throw new Untaken("its group has no function of the script");
      return this.#function(own.node, own.scope);
    }
    if (inner?.type !== "ArrowFunctionExpression" && inner?.type !== "FunctionExpression") {
      throw new Untaken("its group has no function of its own");
    }
    this.#function(inner, scope);
  }

  #sleep({ arguments: [given] }: js.CallExpression, scope: ScriptScope): void {
    if (this.#isFree) return;
    const thinks = given === undefined ? null : this.#thinks(given, scope);
    if (thinks === null) throw new Untaken("how long it pauses is known only when the script runs");
    for (const think of thinks) this.#add({ think }, given.start);
  }

  /**
   * The think times for a pause of `node` seconds. If the length is a sum, each constant or uniformly distributed
   * summand becomes a think time of its own. Null if the length is unknown, negative or longer than an hour.
   */
  #thinks(node: js.Node, scope: ScriptScope): unknown[] | null {
    const one = node as js.AnyNode;
    if (one.type === "Super" || !isExpression(one)) return null;
    const known = this.around.constants.known(one, scope);
    if ("given" in known) {
      const seconds = Number(known.given);
      if (!(seconds >= 0 && seconds <= 3_600)) return null;
      return seconds < 0.001 ? [] : [durationText(seconds * 1_000)];
    }
    const uniform = (most: number): unknown[] =>
      most < 0.002 ? [] : [{ mean: durationText(most * 500), as: "uniform" }];
    if (one.type === "CallExpression") {
      if (isRandom(one)) return uniform(1);
      if (one.callee.type !== "Identifier" || one.callee.name !== "randomIntBetween") return null;
      const ends = one.arguments.map((end) => this.around.constants.known(end, scope));
      const [from, to] = ends.map((end) => "given" in end ? Number(end.given) : NaN);
      return from >= 0 && to >= from ? [...at(from), ...uniform(to - from)] : null;
    }
    if (one.type !== "BinaryExpression") return null;
    const sides = [one.left, one.right] as js.Expression[];
    if (one.operator === "+") {
      const both = sides.map((side) => this.#thinks(side, scope));
      return both.includes(null) ? null : both.flatMap((thinks) => thinks ?? []);
    }
    const factor = sides.find((side) => !isRandom(side));
    const value = factor === undefined ? null : this.around.constants.known(factor, scope);
    if (one.operator !== "*" || !sides.some(isRandom) || value === null || !("given" in value)) {
      return null;
    }
    return uniform(Number(value.given));
  }

  #request(called: string, node: js.CallExpression, scope: ScriptScope): void {
    if (this.#isFree) return;
    const { constants } = this.around;
    const given = [...node.arguments];
    const isAny = called === "request" || called === "asyncRequest";
    const written = isAny ? constants.known(given.shift() ?? node, scope) : null;
    const method = written === null
      ? called === "del" ? "delete" : called
      : "given" in written
      ? String(written.given).toLowerCase()
      : "get";
    const hasBody = isAny || !["get", "head"].includes(method);
    const [url, params] = [given[0], given[hasBody ? 2 : 1]];
    const values: Record<string, unknown> = {};
    for (const property of params?.type === "ObjectExpression" ? params.properties : []) {
      if (property.type !== "Property" || property.key.type !== "Identifier") continue;
      const value = property.value as js.Expression;
      // A request's name that is made from an environment variable would bring the variable's value
      // into the file.
      if (property.key.name === "tags" && constants.readBy(value, scope).size > 0) continue;
      const known = constants.known(value, scope);
      if ("given" in known) values[property.key.name] = known.given;
    }
    this.#step(method, url === undefined ? [] : this.#described(url, scope), values, node.start);
  }

  #batch({ arguments: [given], start }: js.CallExpression, scope: ScriptScope): void {
    if (this.#isFree) return;
    if (given?.type === "ArrayExpression") {
      for (const one of given.elements) {
        const [method, url] = one?.type === "ArrayExpression" ? one.elements : [null, one];
        const text = url && url.type !== "SpreadElement" ? this.#described(url, scope) : null;
        if (text === null) throw new Untaken("what it sends is known only when the script runs");
        const known = method ? this.around.constants.known(method, scope) : { given: "get" };
        const name = "given" in known ? String(known.given).toLowerCase() : "get";
        this.#step(name, one?.type === "ObjectExpression" ? [] : text, {}, start);
      }
      return;
    }
    if (given?.type !== "ObjectExpression") {
      throw new Untaken("what it sends is known only when the script runs");
    }
    for (const _ of given.properties) this.#step("get", [], {}, start);
  }

  #step(
    method: string,
    url: readonly UrlPart[],
    params: Readonly<Record<string, unknown>>,
    at: number,
  ): void {
    if (!(METHODS as readonly string[]).includes(method)) {
      throw new Untaken(`Plateau does not send requests with ${method}`);
    }
    const [, origin] = /^(https?:\/\/[^/?#{}]+)?/i.exec(url.map(({ text }) => text).join("")) ?? [];
    const rest = shownAfter(url, origin?.length ?? 0);
    if (origin !== undefined) {
      const own = URL.parse(origin)?.origin ?? origin;
      this.origin ??= own;
      if (own !== this.origin) {
        throw new Untaken(`it goes to ${own}, but the other requests go to ${this.origin}`);
      }
    }
    // A placeholder at the beginning of an address stands for its origin, and is no part of the
    // path.
    const own = origin === undefined ? rest.replace(/^\{[^{}]*\}(?=\/|$)/, "") : rest;
    const path = own.replace(/#.*$/s, "");
    const redirects = params.redirects ?? this.around.maxRedirects;
    this.follow ??= typeof redirects === "number" ? redirects : 0;
    const { data: name } = stepName.safeParse(Object(params.tags).name);
    this.#add({
      ...name !== undefined && { name },
      [method]: pathText(path.replace(/^(?!\/)/, "/")),
    }, at);
  }

  /** The parts of a URL, in which `{name}` stands for anything that is only known when the script runs. */
  #described(node: js.Node, scope: ScriptScope): UrlPart[] {
    const one = node as js.AnyNode;
    const [env] = isExpression(one) ? this.around.constants.readBy(one, scope) : [];
    if (isExpression(one)) {
      const known = this.around.constants.known(one, scope);
      const isWhole = env === undefined || !isJoined(one, scope);
      if ("given" in known && isWhole) return [urlPart(String(known.given), env)];
    }
    if (one.type === "TemplateLiteral") {
      return one.quasis.flatMap(({ value: { cooked } }, at) => [
        urlPart(cooked ?? ""),
        ...at < one.expressions.length ? this.#described(one.expressions[at], scope) : [],
      ]);
    }
    if (one.type === "BinaryExpression" && one.operator === "+") {
      return [...this.#described(one.left, scope), ...this.#described(one.right, scope)];
    }
    const name = one.type === "MemberExpression" && one.property.type === "Identifier"
      ? one.property.name
      : one.type === "Identifier"
      ? one.name
      : "value";
    const bound = one.type === "Identifier" ? scope.get(one.name) : undefined;
    return bound?.kind === "expression"
      ? this.#described(bound.node, bound.scope)
      : [{ text: `{${name}}` }];
  }

  #add(step: Record<string, unknown>, at: number): void {
    const why = this.#expansion.whyNot([step]);
    if (why !== null) throw new TooMuch(at, `Cannot convert this step: ${why}`);
    this.steps.push(step);
  }
}

function urlPart(text: string, env?: string): UrlPart {
  return { text: text.replaceAll(/[{}]/g, ""), ...env !== undefined && { env } };
}

/** The URL from the character `from` on, with `{NAME}` in place of environment variables. */
function shownAfter(parts: readonly UrlPart[], from: number): string {
  let at = 0;
  return parts.map(({ text, env }) => {
    const rest = text.slice(Math.max(0, from - at));
    at += text.length;
    return env === undefined
      ? rest
      : rest.replace(/^(\/*)[^/].*$/s, (_, slashes) => `${slashes}{${env}}`);
  }).join("");
}

/** Whether an expression is put together from parts that can be described one by one. */
function isJoined(node: js.Expression, scope: ScriptScope): boolean {
  return node.type === "TemplateLiteral" ||
    node.type === "BinaryExpression" && node.operator === "+" ||
    node.type === "Identifier" && scope.get(node.name)?.kind === "expression";
}

const UNKNOWN_WHETHER = "whether it sends is known only when the script runs";

function at(seconds: number): unknown[] {
  return seconds < 0.001 ? [] : [durationText(seconds * 1_000)];
}

function isRandom(node: js.Node): boolean {
  const one = node as js.AnyNode;
  return one.type === "CallExpression" && one.callee.type === "MemberExpression" &&
    rootOf(one.callee) === "Math" && one.callee.property.type === "Identifier" &&
    one.callee.property.name === "random";
}

function isExpression(node: js.AnyNode): node is js.Expression {
  return /Expression$|Literal$|^Identifier$/.test(node.type);
}

/** The parts of a statement that are not themselves statements, such as the condition of an `if`. */
function headsOf(node: js.Statement): js.Node[] {
  switch (node.type) {
    case "BlockStatement":
    case "TryStatement":
    case "FunctionDeclaration":
      return [];
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return [node.test];
    case "ForStatement":
      return [node.init, node.test, node.update].filter((part) =>
        part !== null && part !== undefined
      );
    case "ForOfStatement":
    case "ForInStatement":
      return [node.right];
    default:
      return isGroup(node) ? [] : [node];
  }
}

/** The return, break and continue statements in a statement, without those in nested functions. */
function* leavingIn(statement: js.Statement): Generator<js.Node> {
  const waiting: js.Node[] = [statement];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (/^(?:Return|Break|Continue)Statement$/.test(next.type)) yield next;
    if (!/Function/.test(next.type)) waiting.push(...partsOf(next));
  }
}

/**
 * Whether a statement is a call such as `group("name", () => …)`, whose function contains statements that are converted
 * one by one.
 */
function isGroup(node: js.Statement): boolean {
  return node.type === "ExpressionStatement" && node.expression.type === "CallExpression" &&
    /Function/.test(node.expression.arguments[1]?.type ?? "");
}

/** The conditions of all checks below a node, as properties such as `"is 200": (r) => r.status === 200`. */
function* checksIn(node: js.Node, imported: ReadonlyMap<string, string>): Generator<js.Property> {
  for (const inner of nodesIn(node) as Iterable<js.AnyNode>) {
    if (inner.type !== "CallExpression" || calledIn(inner, imported) !== "k6.check") continue;
    const [, rules] = inner.arguments;
    if (rules?.type !== "ObjectExpression") continue;
    for (const rule of rules.properties) if (rule.type === "Property") yield rule;
  }
}

function* nodesWithoutChecks(
  node: js.Node,
  imported: ReadonlyMap<string, string>,
): Generator<js.AnyNode> {
  const rules = new Set<js.Node>(checksIn(node, imported));
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (rules.has(next)) continue;
    yield next as js.AnyNode;
    for (const part of partsOf(next)) waiting.push(part);
  }
}
