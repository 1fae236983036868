/**
 * Makes an example value for a schema. The examples, defaults and fixed values of the schema take precedence over a
 * made-up value. Pure.
 */
import { isMap, type Json } from "../../../base/yaml/json_text.ts";
import { beyond, isWithin, oneMoreThan } from "../../../base/limits.ts";
import type { Description, Part } from "./description.ts";
import { type Shape, shapeOf, together } from "./shape.ts";
import { madeText } from "./made_text.ts";

/** Thrown if no example can be made for a schema; the message says why. */
export class NoExample extends Error {}

/** Thrown if the examples of a description would be endless, or nearly so. */
class TooManyValues extends NoExample {}

/** In values nested deeper than this, optional parts are left out. */
const MOST_OPTIONAL_DEPTH = 5;

interface Place {
  /** The schemas around the current one, by which a recursive schema is recognised. */
  readonly around: readonly object[];
  readonly depth: number;
}

const TOP: Place = { around: [], depth: 0 };

const NO_FILE: Pick<Shape, "words" | "items" | "choices"> = { words: {}, items: null, choices: [] };

export class Examples {
  /** Number of values made or tried for all examples so far, plus the number of schemas read for them. */
  #values = 0;
  #hasMadeUp = false;
  readonly #shapes = new Map<unknown, Shape | null>();

  constructor(private readonly description: Description) {}

  /** Whether any part of the last example is made up rather than given in the description. */
  get hasMadeUp(): boolean {
    return this.#hasMadeUp;
  }

  /** An example for the schema. Throws a NoExample if there is none. */
  of(schema: Part): Json {
    this.#hasMadeUp = false;
    return this.#of(schema, TOP);
  }

  /** Names of the fields of a form that are files or lists of files (OpenAPI 3.0 §4.7.10, 3.1 §4.8.14.3). */
  filesOf(schema: Part): string[] {
    return [...this.#shapeOf(schema)?.properties ?? []]
      .filter(([, part]) => this.#isFile(part, new Set()))
      .map(([name]) => name);
  }

  /**
   * Whether the schema, or at least one of its choices, describes a file or a list of files.
   * @param seen Schemas that were searched, or are being searched.
   */
  #isFile(part: Part, seen: Set<unknown>): boolean {
    if (seen.has(part.value)) return false;
    seen.add(part.value);
    const { words, items, choices } = this.#shapeOf(part) ?? NO_FILE;
    if (words.format === "binary" || words.contentMediaType !== undefined) return true;
    return [...items === null ? [] : [items], ...choices.flat()]
      .some((inner) => this.#isFile(inner, seen));
  }

  /** The shape of a schema. It is computed once, because many parts may refer to the same schema. */
  #shapeOf(part: Part): Shape | null {
    const known = this.#shapes.get(part.value);
    if (known !== undefined) return known;
    const shape = shapeOf(this.description, part, () => this.#spend());
    this.#shapes.set(part.value, shape);
    return shape;
  }

  /**
   * Counts a value or a schema. Throws a TooManyValues above the limit.
   * @param count More than 1 when a choice is tried: the number of lists, such as `oneOf`, from which a choice is still
   * to be made.
   */
  #spend(count = 1): void {
    this.#values += count;
    if (isWithin("exampleValues", this.#values)) return;
    throw new TooManyValues(beyond("exampleValues", oneMoreThan("exampleValues")));
  }

  #of(schema: Part, place: Place): Json {
    this.#spend();
    const shape = this.#shapeOf(schema);
    if (shape === null) throw new NoExample("no value matches its schema");
    return this.#ofShape(shape, place);
  }

  #ofShape(shape: Shape, { around, depth }: Place): Json {
    const given = givenIn(shape.words);
    if (given !== undefined) return given;
    const isNullable = isNull(shape);
    if (shape.made.some((schema) => around.includes(schema))) {
      if (isNullable) return null;
      throw new NoExample("its schema contains itself endlessly");
    }
    const inside = { around: [...around, ...shape.made], depth: depth + 1 };
    try {
      if (shape.choices.length > 0) return this.#chosen(shape, { around, depth });
      return this.#made(shape, inside);
    } catch (error) {
      if (isNullable && isPlain(error)) return null;
      throw error;
    }
  }

  /**
   * An example that fits one choice from each list of choices. Takes the first choice that works, but passes over one
   * whose example is null unless it is the last.
   */
  #chosen(shape: Shape, place: Place): Json {
    const [choices, ...more] = shape.choices;
    let why: unknown = null;
    for (const choice of choices) {
      this.#spend(shape.choices.length);
      try {
        const own = this.#shapeOf(choice);
        if (own === null) continue;
        const value = this.#ofShape(together(own, { ...shape, choices: more }), place);
        if (value === null && choice !== choices.at(-1)) continue;
        return withKind(value, shape, choice);
      } catch (error) {
        if (!isPlain(error)) throw error;
        why = error;
      }
    }
    throw why ?? new NoExample("none of its choices has an example");
  }

  #made(shape: Shape, place: Place): Json {
    switch (typeOf(shape)) {
      case "object":
        return this.#object(shape, place);
      case "array":
        return this.#list(shape, place);
      case "null":
        return null;
      case "boolean":
        this.#hasMadeUp = true;
        return true;
      case "integer":
      case "number":
        this.#hasMadeUp = true;
        return numberOf(shape.words, typeOf(shape) === "integer");
      default: {
        this.#hasMadeUp = true;
        const text = madeText(shape.words);
        if (text === null) {
          throw new NoExample("no text could be made for its pattern, format and lengths");
        }
        return text;
      }
    }
  }

  #object({ properties, required, words }: Shape, place: Place): Json {
    const made: [string, Json][] = [];
    for (const name of new Set([...properties.keys(), ...required])) {
      const isNeeded = required.has(name);
      if (!isNeeded && place.depth > MOST_OPTIONAL_DEPTH) continue;
      const part = properties.get(name) ?? { value: true, path: [] };
      if (isMap(part.value) && part.value.readOnly === true) continue;
      try {
        if (this.#shapeOf(part)?.words.readOnly === true) continue;
        made.push([name, this.#of(part, place)]);
      } catch (error) {
        if (isNeeded || !isPlain(error)) throw error;
      }
    }
    const least = typeof words.minProperties === "number" ? words.minProperties : 0;
    for (let n = made.length; n < least; n++) {
      const { additionalProperties: part } = words;
      made.push([`key${n + 1}`, isMap(part) ? this.#of({ value: part, path: [] }, place) : "text"]);
    }
    return Object.fromEntries(made);
  }

  #list({ items, words }: Shape, place: Place): Json {
    const least = typeof words.minItems === "number" ? words.minItems : 0;
    const most = typeof words.maxItems === "number" ? words.maxItems : Infinity;
    const first = Array.isArray(words.prefixItems)
      ? words.prefixItems.map((value) => this.#of({ value, path: [] }, place))
      : [];
    const made: Json[] = first.slice(0, most);
    const count = Math.min(most, Math.max(least, made.length === 0 ? 1 : 0));
    while (made.length < count) {
      try {
        const value = this.#of(items ?? { value: true, path: [] }, place);
        made.push(words.uniqueItems === true ? another(value, made) : value);
      } catch (error) {
        if (made.length < least || !isPlain(error)) throw error;
        return made;
      }
    }
    return made;
  }
}

/** Whether another choice may be tried after this error. */
function isPlain(error: unknown): boolean {
  return error instanceof NoExample && !(error instanceof TooManyValues);
}

/** The value that the schema itself gives; undefined if it gives none. */
function givenIn(words: Shape["words"]): Json | undefined {
  const { example, examples, const: only, default: usual, enum: all } = words;
  if (example !== undefined) return example as Json;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (only !== undefined) return only as Json;
  if (usual !== undefined && usual !== null) return usual as Json;
  if (!Array.isArray(all) || all.length === 0) return undefined;
  return all.find((value) => value !== null) ?? all[0];
}

function isNull({ words: { nullable, type } }: Shape): boolean {
  return nullable === true || Array.isArray(type) && type.includes("null");
}

/** The type of a schema, as given or as deduced from its keywords. */
function typeOf({ words, properties, required, items }: Shape): string {
  const [type] = [words.type].flat().filter((type) => type !== "null");
  if (typeof type === "string") return type;
  if (words.type === "null") return "null";
  if (properties.size > 0 || required.size > 0 || "additionalProperties" in words) return "object";
  if (items !== null || "prefixItems" in words) return "array";
  const isNumber = ["minimum", "maximum", "multipleOf"].some((word) => word in words);
  return isNumber ? "number" : "string";
}

/** Adds the discriminator, a property that names the chosen schema, if the description uses one. */
function withKind(value: Json, { words: { discriminator } }: Shape, choice: Part): Json {
  const name = Object(discriminator).propertyName;
  const reference: unknown = Object(choice.value).$ref;
  if (typeof name !== "string" || typeof reference !== "string" || !isMap(value)) return value;
  const mapped = Object.entries(Object(Object(discriminator).mapping))
    .find(([, to]) => to === reference || reference.endsWith(`/${to}`));
  return {
    ...value,
    [name]: mapped?.[0] ?? reference.slice(reference.lastIndexOf("/") + 1),
  } as Json;
}

/** 1, or an allowed number close to it or to a bound. Throws a NoExample if there is none. */
function numberOf(words: Shape["words"], isWhole: boolean): number {
  const number = (word: string, otherwise: number): number => {
    const value = words[word];
    return typeof value === "number" ? value : otherwise;
  };
  // Version 3.0 has `exclusiveMinimum: true` next to a minimum; in version 3.1 it is a number
  // itself.
  const above = number("exclusiveMinimum", -Infinity);
  const below = number("exclusiveMaximum", Infinity);
  const least = Math.max(above, number("minimum", -Infinity));
  const most = Math.min(below, number("maximum", Infinity));
  const isAbove = words.exclusiveMinimum === true || above === least;
  const isBelow = words.exclusiveMaximum === true || below === most;
  const step = number("multipleOf", isWhole ? 1 : 0);
  const allowed = [1, least, most, (least + most) / 2]
    .flatMap((wanted) =>
      step > 0 ? multiplesNear(wanted, step) : [wanted, wanted + 0.5, wanted - 0.5]
    )
    .find((value) =>
      Number.isFinite(value) && (!isWhole || Number.isInteger(value)) &&
      (isAbove ? value > least : value >= least) && (isBelow ? value < most : value <= most)
    );
  if (allowed === undefined) throw new NoExample("no number could be made within its bounds");
  return allowed;
}

/** Four multiples of `step` around a number, beginning with the smallest one that is not below it. */
function multiplesNear(wanted: number, step: number): number[] {
  const [above, below] = [Math.ceil(wanted / step), Math.floor(wanted / step)];
  // 3 × 0.1 is 0.30000000000000004, which is no multiple of 0.1 as a decimal number.
  return [above, below, above + 1, below - 1]
    .map((times) => Number.isInteger(step) ? times * step : Number((times * step).toPrecision(15)));
}

/** The value, or a variation of it if `among` contains it already. Throws a NoExample if it can't be varied. */
function another(value: Json, among: readonly Json[]): Json {
  const known = new Set(among.map((one) => JSON.stringify(one)));
  if (!known.has(JSON.stringify(value))) return value;
  if (typeof value === "number") return value + among.length;
  if (typeof value === "string") return `${value}${among.length + 1}`;
  throw new NoExample("its list needs distinct values");
}
