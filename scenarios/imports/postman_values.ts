/**
 * What `{{ … }}` stands for in a Postman collection: a text of the collection, a value of the scenario, or an
 * environment variable.
 */
import { replaced, TooLong } from "./format/expansion.ts";
import { DRAWN_AGAIN, drawnName, valueNameOf, variableName } from "./format/format.ts";
import { FromEnvironment } from "./format/references.ts";
import type { Variable } from "./postman_shape.ts";

const TEMPLATE = /\{\{([^{}]*)\}\}/g;
/** The deepest nesting of variables whose values contain other variables. */
const MOST_NESTED = 20;

export class PostmanValues {
  readonly #fixed: ReadonlyMap<string, string>;
  readonly #secret: ReadonlySet<string>;
  readonly #used = new Map<string, unknown>();
  /** Environment variables that the experiment needs, each with the text of the collection that it replaces. */
  readonly #variables = new Map<string, string>();

  constructor(variables: readonly Variable[], private readonly note: (text: string) => void) {
    this.#fixed = new Map(
      variables.filter(({ isSecret, value }) => !isSecret && value !== "")
        .map(({ key, value }) => [key, value]),
    );
    this.#secret = new Set(variables.filter(({ isSecret }) => isSecret).map(({ key }) => key));
  }

  /** Names of the environment variables that the experiment needs. */
  get variables(): readonly string[] {
    return [...this.#variables.keys()];
  }

  /** The values that the scenario needs, keyed by name. */
  taken(): Record<string, unknown> {
    return Object.fromEntries(this.#used);
  }

  /**
   * The text with the collection's own variables filled in; other placeholders stay. Throws a TooLong if the text
   * becomes too long, or if variables refer to each other endlessly.
   */
  resolved(text: string): string {
    let made = text;
    for (let round = 0; round < MOST_NESTED; round++) {
      const next = replaced(
        made,
        TEMPLATE,
        (written, name) => this.#fixed.get(name.trim()) ?? written,
      );
      if (next === made) return made;
      made = next;
    }
    throw new TooLong("its variables refer to each other endlessly");
  }

  /**
   * The text with the collection's variables filled in, and each other placeholder replaced by one for a value of the
   * scenario. Throws a TooLong if the text becomes too long, or if variables refer to each other endlessly.
   */
  filled(text: string): string {
    return replaced(
      this.resolved(text),
      TEMPLATE,
      (_, inner) => `{{ ${this.#named(inner.trim())} }}`,
    );
  }

  /**
   * Adds a value that comes from the environment, and returns its name. Each text has a variable of its own.
   * @param text The text of the collection that the value replaces.
   * @param what Subject of the note about it.
   */
  secret(name: string, text: string, what: string): string {
    let variable = variableName(name);
    for (let n = 2; (this.#variables.get(variable) ?? text) !== text; n++) {
      variable = variableName(`${name} ${n}`);
    }
    this.#variables.set(variable, text);
    this.note(`${what} comes from the environment variable ${variable}`);
    return this.#use(variable, { pick: [new FromEnvironment([{ variable }])] });
  }

  #named(inner: string): string {
    if (!inner.startsWith("$")) {
      const why = this.#secret.has(inner) ? "is secret" : "the collection does not define";
      return this.secret(inner, `{{${inner}}}`, `{{${inner}}}, which ${why},`);
    }
    if (/^\$(?:guid|randomUUID)$/.test(inner)) return this.#draw(inner, "uuid");
    if (/^\$(?:randomInt|timestamp)$/.test(inner)) {
      if (inner === "$timestamp") this.note("{{$timestamp}} becomes a random number");
      return this.#draw(inner, { from: 0, to: 1_000 });
    }
    if (inner === "$randomBoolean") return this.#draw(inner, { pick: [true, false] });
    this.note(`random texts, such as {{${inner}}}, become UUIDs`);
    return this.#draw(inner, "uuid");
  }

  /** Adds a random value, with a name of its own for each place in the collection. */
  #draw(inner: string, value: unknown): string {
    const name = inner.slice(1);
    const own = drawnName(name, this.#used);
    if (own === null) this.note(DRAWN_AGAIN);
    return this.#use(own ?? name, value);
  }

  #use(name: string, value: unknown): string {
    const key = valueNameOf(name);
    this.#used.set(key, value);
    return key;
  }
}
