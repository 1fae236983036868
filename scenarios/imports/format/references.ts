/**
 * Environment variables in imported files. A written experiment file refers to the variables by name, because their
 * values may be secrets. During the conversion, text that comes from a variable is marked, so that it can become a
 * reference, while equal text that the other tool's file contains by chance stays as it is. Pure.
 */
import { passwordsIn } from "../../../base/secret_fields.ts";
import { Secrets } from "../../../base/secrets.ts";
import { isMap } from "../../../base/yaml/json_text.ts";

export type ReadVariable = (name: string) => string | undefined;

interface Variable {
  readonly variable: string;
}

/**
 * A text with references to environment variables, which are written as `${env.NAME}`. Any other `${` in it is plain
 * text.
 */
export class FromEnvironment {
  /** @param parts Plain texts and variables, in order. */
  constructor(readonly parts: readonly (string | Variable)[]) {}

  toString(): string {
    return this.parts.map((part) =>
      typeof part === "string" ? part.replaceAll("${", () => "$${") : `\${env.${part.variable}}`
    ).join("");
  }

  toJSON(): string {
    return String(this);
  }
}

/** A function call in an experiment that is written as TypeScript. */
export class Call {
  constructor(readonly name: string, readonly given: unknown) {}
}

/**
 * Wraps the environment so that each value is marked with the name of its variable when it is read.
 * @param read Receives each value that is read, keyed by the name of its variable.
 */
export function marking(env: ReadVariable, read: Map<string, string>): ReadVariable {
  return (name) => {
    const value = env(name);
    if (value === undefined || value === "") return value;
    read.set(name, value);
    return marked(name, value);
  };
}

/**
 * Delimiters of a mark, which holds the name of a variable and its value. They are noncharacters, which Unicode
 * reserves for use within a program (Unicode 17, §23.7).
 */
const [BEGIN, MIDDLE, END] = ["\ufdd0", "\ufdd1", "\ufdd2"];
const MARKED = /\ufdd0([^\ufdd0-\ufdd2]*)\ufdd1([^\ufdd0-\ufdd2]*)\ufdd2/;
const ENCODED = /%EF%B7%90((?:(?!%EF%B7%9[0-2]).)*)%EF%B7%91((?:(?!%EF%B7%9[0-2]).)*)%EF%B7%92/gs;
/** Remains of marks that were cut in two. */
const HALVES = /\ufdd0[^\ufdd0-\ufdd2]*\ufdd1|\ufdd2/g;

function marked(names: string, text: string): string {
  return BEGIN + names + MIDDLE + text + END;
}

interface Part {
  readonly text: string;
  /**
   * Comma-separated names of the variables from which the text comes; absent if the text itself stands in the other
   * tool's file.
   */
  readonly names?: string;
}

function partsOf(text: string): Part[] {
  const [first, ...others] = text.split(MARKED);
  if (others.length === 0) return [{ text }];
  const parts: Part[] = [{ text: first.replaceAll(HALVES, "") }];
  for (let at = 0; at < others.length; at += 3) {
    const [names, given, next] = others.slice(at, at + 3);
    parts.push({ names, text: given }, { text: next.replaceAll(HALVES, "") });
  }
  return parts.filter((part) => part.text !== "");
}

export function isMarked(text: string): boolean {
  return MARKED.test(text);
}

/** The text without its marks. */
export function unmarked(text: string): string {
  return partsOf(text).map((part) => part.text).join("");
}

/** The value without marks in any of its texts and keys. */
export function unmarkedIn(value: unknown): unknown {
  if (typeof value === "string") return unmarked(value);
  if (Array.isArray(value)) return value.map(unmarkedIn);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [unmarked(key), unmarkedIn(inner)]),
  );
}

/**
 * A slice of the text. `from` and `end` count characters without the marks. A marked part that is cut loses its mark.
 */
export function sliced(text: string, from: number, end = Infinity): string {
  let at = 0;
  return partsOf(text).map(({ text, names }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, end - at));
    at += text.length;
    return names === undefined || part !== text ? part : marked(names, text);
  }).join("");
}

/**
 * The result of applying `make`, such as a base64 encoding, to the whole text. It is marked with the names of all
 * variables in the text.
 */
export function madeOf(text: string, make: (text: string) => string): string {
  const names = partsOf(text).flatMap((part) => part.names ?? []);
  const made = make(unmarked(text));
  return names.length === 0 ? made : marked([...new Set(names)].join(), made);
}

/** Decodes the marks in a percent-encoded text, and leaves the rest encoded. */
export function withMarks(encoded: string): string {
  return encoded.replaceAll(ENCODED, (all, names: string, given: string) => {
    try {
      return marked(decodeURIComponent(names), given);
    } catch {
      return all; // the other tool's file has the same octets by chance
    }
  });
}

/** Replaces values of environment variables, which may be secrets, by references to the variables. */
export class References {
  /**
   * Names of variables whose value, or a password in that value, remains in the experiment because no reference can
   * replace it.
   */
  readonly holds = new Set<string>();

  /** @param read Values that were read from the environment, keyed by the name of the variable. */
  constructor(private readonly read: ReadonlyMap<string, string> = new Map()) {}

  /** Puts references into all scenarios, including those within the choices of a parameter such as `environment`. */
  inScenarios(part: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => {
        if (key === "scenarios") return [key, this.in(inner)];
        return [key, isMap(inner) ? this.inScenarios(inner) : inner];
      }),
    );
  }

  in(value: unknown): unknown {
    if (value instanceof FromEnvironment) return value;
    if (typeof value === "string") return this.#inText(value);
    if (value instanceof Call) return new Call(value.name, this.in(value.given));
    if (Array.isArray(value)) return value.map((item) => this.in(item));
    if (!isMap(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [this.#inKey(key), this.in(inner)]),
    );
  }

  /**
   * Returns a key without marks, and notes the variables that the marks name, because a key, such as the name of a
   * header field, can't hold a reference.
   */
  #inKey(key: string): string {
    return partsOf(key).map(({ text, names }) => {
      for (const name of names?.split(",") ?? []) this.#noteHeld(name, text);
      return text;
    }).join("");
  }

  #inText(text: string): string | FromEnvironment {
    if (!isMarked(text)) return text;
    const parts = partsOf(text).map(({ text, names }) => {
      if (names === undefined) return text;
      if (this.read.get(names) === text) return { variable: names };
      for (const name of names.split(",")) this.#noteHeld(name, text);
      return text;
    });
    return parts.every((part) => typeof part === "string")
      ? parts.join("")
      : new FromEnvironment(parts);
  }

  #noteHeld(name: string, text: string): void {
    const value = this.read.get(name) ?? "";
    const secrets = new Secrets();
    for (const secret of [value, ...passwordsIn(value)]) secrets.keep(secret);
    if (secrets.heldBy(text).length > 0) this.holds.add(name);
  }
}
