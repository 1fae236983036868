/** The JSON Schemas of Plateau's files, for editors and validators of any language. Pure. */
import * as z from "zod";
import { isMap } from "../../base/yaml/json_text.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";

/**
 * The identifier of the experiment file's version. It changes if a valid file may become invalid, but not if keys are
 * added.
 */
const EXPERIMENT = "urn:plateau:schema:experiment:1";

/** The JSON Schema of an experiment file. */
export function experimentJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = withParameters(portableSchema(experimentSpecWith()));
  if (!isMap(schema)) throw new TypeError("The schema of experiments is not a map");
  const { $schema, ...rest } = schema;
  return { $schema, $id: EXPERIMENT, title: "An experiment of Plateau", ...rest };
}

/** Whether a text is a schema of Plateau's experiments, of any version. */
export function isExperimentSchema(text: string): boolean {
  return /^\s*\{\s*"\$schema":\s*"[^"]*",\s*"\$id":\s*"urn:plateau:schema:experiment:\d+"/.test(
    text,
  );
}

export function portableSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = portable(jsonSchema.pattern);
    },
  });
}

/**
 * Character classes as ranges; letters beyond ASCII as literal characters, because their escapes differ between
 * languages.
 */
const CLASSES: Readonly<Record<string, string>> = { L: "A-Za-z\u00aa-\u{10ffff}", N: "0-9" };

/**
 * A pattern for other languages: Python's validators, for one, don't know Unicode classes, and reject the whole schema.
 * It accepts more than Plateau does.
 */
function portable(pattern: string): string {
  return pattern.replaceAll(/\[(?:\\.|[^\]])+\]|\\p\{[LN]\}/g, (part) => {
    const ranges = part.replaceAll(/\\p\{([LN])\}/g, (_, name) => CLASSES[name]);
    return part.startsWith("[") ? ranges : `[${ranges}]`;
  });
}

/**
 * The JSON Schema of an experiment file as people write it: `${name}`, the value of a parameter, may stand in place
 * of any value, because it is filled in before the file is checked. Keys stay as they are.
 */
function withParameters(schema: unknown): unknown {
  if (!isMap(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, insideOf(keyword, value)]),
  );
  const { description, default: preset, ...limits } = inner;
  const instead = insteadOf(limits);
  return instead === null ? inner : { description, default: preset, anyOf: [limits, instead] };
}

/** Keywords by what they hold: schemas by name, several schemas, one schema. */
const BY_NAME = ["properties", "$defs"];
const SEVERAL = ["anyOf", "oneOf", "allOf"];
const ONE = ["items", "additionalProperties"];

const ALONE = { type: "string", pattern: "^\\$\\{[^{}]+\\}$" };
const WITHIN = { type: "string", pattern: "\\$\\{[^{}]+\\}" };

function insideOf(keyword: string, value: unknown): unknown {
  if (BY_NAME.includes(keyword) && isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, withParameters(schema)]),
    );
  }
  if (SEVERAL.includes(keyword) && Array.isArray(value)) return value.map(withParameters);
  return ONE.includes(keyword) ? withParameters(value) : value;
}

/** The alternative that the schema must also allow, such as a placeholder; null if it allows any text already. */
function insteadOf(limits: Readonly<Record<string, unknown>>): object | null {
  const isWord = limits.enum !== undefined || limits.const !== undefined;
  if (isWord || ["number", "integer", "boolean"].includes(String(limits.type))) return ALONE;
  const isLimited = limits.pattern !== undefined || limits.format !== undefined;
  return limits.type === "string" && isLimited ? WITHIN : null;
}
