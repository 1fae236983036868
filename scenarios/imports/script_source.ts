/**
 * A JavaScript file as a syntax tree. Collects the parts that can't be converted, each with its place. The script is
 * read, never run.
 */
import type * as js from "acorn";
import { type Node, parse, type Program } from "acorn";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { beyond, isWithin } from "../../base/limits.ts";

/** The deepest nesting allowed in a script. People write far less, and the stack can take it. */
export const MOST_NESTED = 500;
const TOO_DEEP = "it is nested too deep";

/** Thrown for a part of a script that would make the load differ from that of the script. */
export class Refused extends Error {
  constructor(readonly at: number, message: string, readonly fix?: string) {
    super(message);
  }
}

/** Thrown if the script must not be read any further. */
export class TooMuch extends Refused {}

export class ScriptSource {
  readonly program: Program;
  readonly #refused: Refused[] = [];
  /** Offsets at which lines start; null until they are needed. */
  #starts: readonly number[] | null = null;

  /** Throws a UserError if the text is not JavaScript, is too long, or is nested too deep. */
  constructor(readonly text: string, private readonly path: string) {
    if (!isWithin("experimentFile", text.length)) {
      const message = `Cannot read it: ${beyond("experimentFile", text.length)}`;
      throw new UserError([{ place: path, message }]);
    }
    try {
      this.program = parse(text, { ecmaVersion: "latest", sourceType: "module" });
    } catch (error) {
      const at = error instanceof SyntaxError && "pos" in error ? Number(error.pos) : 0;
      throw this.#unreadable(at, error instanceof RangeError ? TOO_DEEP : messageOf(error));
    }
    const deepest = deepestIn(this.program);
    if (deepest !== null) throw this.#unreadable(deepest.start, TOO_DEEP);
  }

  /**
   * The result of `read`. If it throws a Refused, the refusal is recorded and `otherwise` returned. A TooMuch ends the
   * conversion.
   */
  attempt<Value>(read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refused.push(error);
      if (error instanceof TooMuch) this.throwRefused();
      return otherwise;
    }
  }

  get isRefused(): boolean {
    return this.#refused.length > 0;
  }

  /** Throws a UserError with everything that was refused, in the order of the text, if there is anything. */
  throwRefused(): void {
    if (this.#refused.length === 0) return;
    const inOrder = this.#refused.toSorted((a, b) => a.at - b.at);
    const once = new Map(inOrder.map((one) => [`${one.at} ${one.message}`, one]));
    throw new UserError([...once.values()].map((one) => this.#problem(one)));
  }

  written({ start, end }: Node): string {
    const text = this.text.slice(start, Math.min(end, start + 1_000)).replaceAll(/\s+/g, " ");
    return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
  }

  /** The place of an offset, such as `script.js:12:1`. */
  placeOf(at: number): string {
    const { line, column } = this.#lineInfo(at);
    return `${this.path}:${line}:${column + 1}`;
  }

  /** The line of an offset, such as `script.js:12`. */
  lineOf(at: number): string {
    return `${this.path}:${this.#lineInfo(at).line}`;
  }

  /** Line and column of an offset. Uses binary search, because places are looked up for many steps. */
  #lineInfo(at: number): { readonly line: number; readonly column: number } {
    this.#starts ??= [
      0,
      ...[...this.text.matchAll(/\r\n?|[\n\u2028\u2029]/g)]
        .map(({ index, 0: end }) => index + end.length),
    ];
    let [line, beyond] = [0, this.#starts.length];
    while (beyond - line > 1) {
      const middle = (line + beyond) >> 1;
      if (this.#starts[middle] <= at) line = middle;
      else beyond = middle;
    }
    return { line: line + 1, column: at - this.#starts[line] };
  }

  #unreadable(at: number, why: string): UserError {
    const message = `Cannot read this as JavaScript: ${why.replace(/ \(\d+:\d+\)$/, "")}`;
    return new UserError([this.#problem(new Refused(at, message))]);
  }

  #problem({ at, message, fix }: Refused): Problem {
    const place = this.placeOf(at);
    return fix === undefined ? { place, message } : { place, message, fix };
  }
}

/** `node` itself and every node below it. */
export function* nodesIn(node: Node): Generator<Node> {
  const waiting: Node[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const part of partsOf(next)) waiting.push(part);
  }
}

/** Every name in `node`, including the names of members. */
export function namesIn(node: Node): readonly string[] {
  const known = NAMES.get(node);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (const inner of nodesIn(node) as Iterable<js.AnyNode>) {
    if (inner.type === "Identifier") names.add(inner.name);
  }
  const all = [...names];
  NAMES.set(node, all);
  return all;
}

const NAMES = new WeakMap<Node, readonly string[]>();

export function namesDeclaredBy(node: Node): string[] {
  const one = node as js.AnyNode;
  switch (one.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return one.id ? [one.id.name] : [];
    case "ImportDeclaration":
      return one.specifiers.map(({ local }) => local.name);
    case "VariableDeclaration":
      return one.declarations.flatMap(({ id }) => namesBoundBy(id));
    default:
      return [];
  }
}

/** Names to which a pattern assigns values, without names used in its defaults and keys. */
export function namesBoundBy(pattern: js.Pattern): string[] {
  return patternsIn(pattern).flatMap((one) => one.type === "Identifier" ? [one.name] : []);
}

/** `pattern` itself and every pattern in it. */
export function patternsIn(pattern: js.Pattern): js.Pattern[] {
  return [pattern, ...innerPatterns(pattern).flatMap(patternsIn)];
}

function innerPatterns(pattern: js.Pattern): js.Pattern[] {
  switch (pattern.type) {
    case "AssignmentPattern":
      return [pattern.left];
    case "RestElement":
      return [pattern.argument];
    case "ArrayPattern":
      return pattern.elements.filter((one) => one !== null);
    case "ObjectPattern":
      return pattern.properties.map((one) => one.type === "Property" ? one.value : one.argument);
    default:
      return [];
  }
}

/** The child nodes of a node. */
export function partsOf(node: Node): readonly Node[] {
  const parts: Node[] = [];
  for (const value of Object.values(node)) {
    if (isNode(value)) parts.push(value);
    else if (Array.isArray(value)) { for (const one of value) if (isNode(one)) parts.push(one); }
  }
  return parts;
}

/** A node inside more than `MOST_NESTED` others; null if there is none. */
function deepestIn(program: Program): Node | null {
  let level: Node[] = [program];
  for (let depth = 0; depth <= MOST_NESTED; depth++) level = level.flatMap(partsOf);
  return level.at(0) ?? null;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
