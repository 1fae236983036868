/** The JSON Schemas of Plateau's files, for editors and for validators in any language. Pure. */
import * as z from "zod";
import { isMap } from "../../base/yaml/json_text.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";

/**
 * Identifier of the format of experiment files. Its number changes if files that were valid may become invalid, but not
 * if keys are added.
 */
const EXPERIMENT = "urn:plateau:schema:experiment:1";

export function experimentJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = withParameters(portableSchema(experimentSpecWith()));
  if (!isMap(schema)) throw new TypeError("The schema of experiments is not a map");
  const { $schema, ...rest } = schema;
  return { $schema, $id: EXPERIMENT, title: "An experiment of Plateau", ...rest };
}

/** Whether the text is a JSON Schema of Plateau's experiments, of any version. */
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
 * Ranges to replace the Unicode classes L and N in character classes. Letters beyond ASCII are written literally,
 * because their escapes differ between languages.
 */
const CLASSES: Readonly<Record<string, string>> = { L: "A-Za-z\u00aa-\u{10ffff}", N: "0-9" };

/**
 * Rewrites a regular expression for other languages. Python's validators, for example, don't know Unicode classes, and
 * would reject the whole schema. The result accepts more than Plateau does.
 */
function portable(pattern: string): string {
  return pattern.replaceAll(/\[(?:\\.|[^\]])+\]|\\p\{[LN]\}/g, (part) => {
    const ranges = part.replaceAll(/\\p\{([LN])\}/g, (_, name) => CLASSES[name]);
    return part.startsWith("[") ? ranges : `[${ranges}]`;
  });
}

/**
 * Also allows `${name}`, a parameter's value, in place of any text, number, boolean or fixed word, because parameters
 * are filled in before Plateau checks the file. It is not allowed in place of a key, a map or a list.
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

/** Keywords of JSON Schema that hold schemas: a map of them, a list of them, or a single one. */
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

/**
 * The schema for values with `${name}` that must be allowed in addition to `limits`. Null if `limits` already allow any
 * text, or if they do not describe a text, number, boolean or fixed word.
 */
function insteadOf(limits: Readonly<Record<string, unknown>>): object | null {
  const isWord = limits.enum !== undefined || limits.const !== undefined;
  if (isWord || ["number", "integer", "boolean"].includes(String(limits.type))) return ALONE;
  const isLimited = limits.pattern !== undefined || limits.format !== undefined;
  return limits.type === "string" && isLimited ? WITHIN : null;
}
