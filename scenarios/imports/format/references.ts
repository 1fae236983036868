/** Variables of the environment in what is imported: a file that is written refers to them, as their values may be secrets. Pure. */
import { Secrets } from "../../../base/secrets.ts";
import { isMap } from "../../../base/yaml/json_text.ts";

export type ReadVariable = (name: string) => string | undefined;

interface Variable {
  readonly variable: string;
}

/** A text of an experiment in the making with variables of the environment in it. Any other `${` is text. */
export class FromEnvironment {
  /** @param parts Texts, and names of variables. */
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

/** A call in an experiment in the making that becomes code. */
export class Call {
  constructor(readonly name: string, readonly given: unknown) {}
}

/** The environment; `read` notes each value that is taken from it. */
export function recorded(
  env: ReadVariable,
  read: Map<string, string>,
): ReadVariable {
  return (name) => {
    const value = env(name);
    if (value !== undefined) read.set(name, value);
    return value;
  };
}

/** Encloses a name in a text: a character for private use (Unicode 17, §23.5). A text with it and a variable's value is not written. */
const MARK = "\ue000";

/** Puts references in place of the values of variables, which may be secrets. */
export class References {
  readonly holds = new Set<string>();
  readonly #secrets = new Secrets();

  constructor(private readonly read: ReadonlyMap<string, string>) {
    for (const [name, value] of read) this.#secrets.keep(value, MARK + name + MARK);
  }

  /** Puts references into the scenarios of an experiment and of its environments. */
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
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.in(inner)]));
  }

  #inText(text: string): string | FromEnvironment {
    const replaced = this.#secrets.text(text);
    if (replaced === text) return text;
    const marked = replaced.split(MARK);
    const names = marked.filter((_, at) => at % 2 === 1);
    const again = marked.map((part, at) => at % 2 === 1 ? this.read.get(part) : part).join("");
    if (again === text) {
      return new FromEnvironment(
        marked.map((part, at) => at % 2 === 1 ? { variable: part } : part),
      );
    }
    for (const name of names) this.holds.add(name);
    return text;
  }
}
