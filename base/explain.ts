/** The zod error map for all user input: it explains issues in plain words. */
import * as z from "zod";
import { quotedOpenly, withoutSecrets } from "./secrets.ts";
import { closest } from "./suggest.ts";

const NEEDED = "Cannot leave it out";

/**
 * The message for each kind of issue that a schema does not explain itself. An issue about several keys becomes one
 * line for each key.
 */
export const explain: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return NEEDED;
      return typeMessage(issue.input, issue.expected);
    case "invalid_value":
      if (issue.input === undefined) return `${NEEDED}: ${choices(issue.values, issue.input)}`;
      return `Cannot use ${shown(issue.input)}: ${choices(issue.values, issue.input)}`;
    case "too_small":
      return `Cannot use ${shown(issue.input)}: ${leastOf(issue)}`;
    case "too_big":
      return `Cannot use ${shown(issue.input)}: ${mostOf(issue)}`;
    case "invalid_format":
      return `Cannot use ${shown(issue.input)}: ${formOf(issue)}`;
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, keysOf(issue.inst))).join("\n");
    default:
      return undefined;
  }
};

/**
 * Options for parsing user input. `jitless` is set because zod would otherwise compile a parser for each object schema,
 * which takes longer than it saves for input that is read once.
 */
export const AS_INPUT = { error: explain, jitless: true };

/**
 * The error map for unknown keys of an object that can be one of several kinds, each with its own keys.
 * @param reasons Keys of other kinds, with the reason why each conflicts with this kind.
 * @param others Keys by which the other kinds are recognised. For a misspelt key, they are suggested, too.
 */
export function unknownKeys(
  reasons: Readonly<Record<string, string>>,
  others: readonly string[] = [],
): z.core.$ZodErrorMap {
  return (issue) => {
    if (issue.code !== "unrecognized_keys") return undefined;
    const known = [...keysOf(issue.inst), ...others];
    return issue.keys.map((key) =>
      Object.hasOwn(reasons, key)
        ? `Cannot use ${quotedOpenly(key)} here: ${reasons[key]}`
        : unknownKey(key, known, Object.keys(reasons))
    ).join("\n");
  };
}

/**
 * Option of `superRefine` that checks an object even if other problems were found, so that the user sees all problems
 * at once.
 */
export const ALWAYS = {
  when: ({ value }: z.core.ParsePayload) => typeof value === "object" && value !== null,
};

export function forAll(keys: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, reason]));
}

function typeMessage(input: unknown, expected: string): string {
  const placeholder = expected === "string" ? bracedName(input) : null;
  if (placeholder !== null) {
    return `Cannot use ${placeholder}: without quotes, YAML reads it as a map; write "${placeholder}"`;
  }
  const isBare = expected === "string" && ["number", "boolean"].includes(typeof input);
  const fix = isBare ? `: write ${shown(String(input))} in quotes` : "";
  return `Cannot use ${shown(input)}: it must be ${nameOf(expected)}${fix}`;
}

/** The text of an unquoted `{port}`, which YAML reads as a map of one key without a value; null for any other input. */
function bracedName(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const [[name, value] = [], ...more] = Object.entries(input);
  return name !== undefined && value === null && more.length === 0 ? `{${name}}` : null;
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  record: "a map of names to values",
  object: "a map of keys to values",
};

function nameOf(expected: string): string {
  return NAMES[expected] ?? expected;
}

function choices(values: readonly unknown[], input: unknown): string {
  const words = values.map(String);
  const meant = typeof input === "string" ? closest(input, words) : null;
  const list = words.length === 1
    ? `it must be ${words[0]}`
    : `the choices are ${words.join(", ")}`;
  return meant === null ? list : `${list}; did you mean "${meant}"?`;
}

function leastOf({ origin, minimum }: { origin: string; minimum: unknown }): string {
  return origin === "array" || origin === "string"
    ? "it must not be empty"
    : `the minimum is ${minimum}`;
}

function mostOf({ origin, maximum }: { origin: string; maximum: unknown }): string {
  return origin === "array" || origin === "string"
    ? `it must have at most ${maximum} ${origin === "array" ? "items" : "characters"}`
    : `the maximum is ${maximum}`;
}

function formOf({ format, pattern }: { format: string; pattern?: string }): string {
  return format === "regex" ? `it must match ${pattern}` : `it is not a valid ${format}`;
}

function unknownKey(
  key: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): string {
  const meant = closest(key, [...known, ...elsewhere]);
  if (meant === null && /^[\w.-]+:\S/.test(key)) {
    return `Cannot understand ${quotedOpenly(key)}: a space is missing after the colon`;
  }
  const fix = meant === null ? `the keys here are ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `Cannot understand ${quotedOpenly(key)}: ${fix}`;
}

function keysOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema._zod.def.shape) : [];
}

/**
 * The value as JSON, cut to at most 60 characters. Secrets are removed before the cut, because a part of a secret would
 * not be recognised.
 */
export function shown(value: unknown): string {
  const text = withoutSecrets(JSON.stringify(value) ?? String(value));
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
