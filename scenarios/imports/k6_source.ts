/** A k6 script as a syntax tree, and what can't be taken over from it, each at its place. It is read, never run. */
import { getLineInfo, type Node, parse, type Program } from "acorn";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { beyond, isWithin } from "../../base/limits.ts";

/** Parts of a script in parts: what people write is far from it, and the stack holds more. */
export const MOST_NESTED = 500;
const TOO_DEEP = "it is nested too deep";

/** What of a script would make another load here than there. */
export class Refused extends Error {
  constructor(readonly at: number, message: string, readonly fix?: string) {
    super(message);
  }
}

export class K6Source {
  readonly program: Program;
  readonly #refused: Refused[] = [];

  /** Throws a UserError when it is no JavaScript. */
  constructor(private readonly text: string, private readonly path: string) {
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

  /** What `read` gives; what it refuses is kept, and `otherwise` stands for it. */
  attempt<Value>(read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refused.push(error);
      return otherwise;
    }
  }

  get isRefused(): boolean {
    return this.#refused.length > 0;
  }

  /** Throws a UserError with all that was refused, in the order of the text. */
  throwRefused(): void {
    if (this.#refused.length === 0) return;
    const inOrder = this.#refused.toSorted((a, b) => a.at - b.at).map((one) => this.#problem(one));
    const isNew = ({ place, message }: Problem, at: number): boolean =>
      inOrder.findIndex((one) => one.place === place && one.message === message) === at;
    throw new UserError(inOrder.filter(isNew));
  }

  written({ start, end }: Node): string {
    const text = this.text.slice(start, end).replaceAll(/\s+/g, " ");
    return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
  }

  /** Such as `script.js:12`. */
  placeOf(at: number): string {
    return `${this.path}:${getLineInfo(this.text, at).line}`;
  }

  #unreadable(at: number, why: string): UserError {
    const message = `Cannot read this as JavaScript: ${why.replace(/ \(\d+:\d+\)$/, "")}`;
    return new UserError([this.#problem(new Refused(at, message))]);
  }

  #problem({ at, message, fix }: Refused): Problem {
    const { line, column } = getLineInfo(this.text, at);
    const place = `${this.path}:${line}:${column + 1}`;
    return fix === undefined ? { place, message } : { place, message, fix };
  }
}

/** Every node under `node`, and itself. */
export function* nodesIn(node: Node): Generator<Node> {
  const waiting: Node[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    waiting.push(...partsOf(next));
  }
}

function partsOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** A node in more than `MOST_NESTED` others; null: none is. */
function deepestIn(program: Program): Node | null {
  let level: Node[] = [program];
  for (let depth = 0; depth <= MOST_NESTED; depth++) level = level.flatMap(partsOf);
  return level.at(0) ?? null;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
