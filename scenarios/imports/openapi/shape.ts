/** A schema of an OpenAPI description (JSON Schema), in which references are followed and `allOf` is merged. Pure. */
import { isMap } from "../../../base/yaml/json_text.ts";
import { type Description, type MapPart, type Part, partOf, referenceIn } from "./description.ts";

/** The rules that a value must meet, all at once. */
export interface Shape {
  /** Keywords of all merged schemas. If several schemas set the same bound, the narrowest one counts. */
  readonly words: Readonly<Record<string, unknown>>;
  readonly properties: ReadonlyMap<string, Part>;
  readonly required: ReadonlySet<string>;
  readonly items: Part | null;
  /** The lists of schemas in `oneOf` and `anyOf`. A value must fit one schema of each list. */
  readonly choices: readonly (readonly Part[])[];
  /** All schemas merged into this shape, by which a recursive schema is recognised. */
  readonly made: readonly object[];
}

const EMPTY: Shape = {
  words: {},
  properties: new Map(),
  required: new Set(),
  items: null,
  choices: [],
  made: [],
};

/**
 * The shape of a value that fits the schema; null if there is none, because the schema is `false` or not a map, has a
 * reference that leads nowhere, or is defined by itself.
 * @param spend Called for each schema that is part of the shape, because schemas that contain another one twice grow
 * fast. It may throw to stop this.
 */
export function shapeOf(
  description: Description,
  part: Part,
  spend: () => void,
  around: readonly object[] = [],
): Shape | null {
  spend();
  const { value } = part;
  if (value === true || value === undefined) return EMPTY;
  if (value === false) return null;
  if (!isMap(value)) {
    description.refuse(part.path, "Cannot read this: a schema must be a map");
    return null;
  }
  if (around.includes(value)) {
    description.refuse(part.path, "Cannot read this schema: it is defined by itself");
    return null;
  }
  const inside = [...around, value];
  const own = { value, path: part.path };
  const shapes = [
    ...referenceIn(own) === null ? [] : [referred(description, own, spend, inside)],
    ...description.list(own, "allOf").map((part) => shapeOf(description, part, spend, inside)),
  ];
  return shapes.reduce(
    (one, other) => one === null || other === null ? null : together(one, other),
    ownShape(description, own),
  );
}

function referred(
  description: Description,
  own: MapPart,
  spend: () => void,
  inside: readonly object[],
): Shape | null {
  const { value: _, path } = own;
  const found = description.followed({ value: { $ref: own.value.$ref }, path });
  return found === null ? null : shapeOf(description, found, spend, inside);
}

const STRUCTURE = [
  ...["$ref", "allOf", "oneOf", "anyOf", "properties", "required", "items", "not", "title"],
  ...["description", "xml", "externalDocs", "deprecated"],
];

function ownShape(description: Description, own: MapPart): Shape {
  const { value } = own;
  const words = Object.fromEntries(
    Object.entries(value).filter(([word]) => !STRUCTURE.includes(word)),
  );
  return {
    words,
    properties: new Map(
      Object.hasOwn(value, "properties") ? description.entries(own, "properties") : [],
    ),
    required: new Set(description.list(own, "required").map(({ value }) => String(value))),
    items: Object.hasOwn(value, "items") ? partOf(own, "items") : null,
    choices: ["oneOf", "anyOf"].map((word) => description.list(own, word))
      .filter(({ length }) => length > 0),
    made: [value],
  };
}

const LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/**
 * The rules of both shapes. If both have the same bound, the narrower value counts; if both have any other keyword, the
 * first shape's value counts.
 */
export function together(one: Shape, other: Shape): Shape {
  const words: Record<string, unknown> = { ...other.words, ...one.words };
  for (const [narrow, names] of [[Math.max, LEAST], [Math.min, MOST]] as const) {
    for (const name of names) {
      const [a, b] = [one.words[name], other.words[name]];
      if (typeof a === "number" && typeof b === "number") words[name] = narrow(a, b);
    }
  }
  return {
    words,
    properties: allProperties(one.properties, other.properties),
    required: new Set([...one.required, ...other.required]),
    items: one.items ?? other.items,
    choices: [...one.choices, ...other.choices],
    made: [...one.made, ...other.made],
  };
}

/** The properties of both shapes. A property that both have must fit both schemas. */
function allProperties(
  one: Shape["properties"],
  other: Shape["properties"],
): ReadonlyMap<string, Part> {
  const all = new Map(one);
  for (const [name, part] of other) {
    const known = one.get(name);
    all.set(
      name,
      known === undefined
        ? part
        : { value: { allOf: [known.value, part.value] }, path: known.path },
    );
  }
  return all;
}
