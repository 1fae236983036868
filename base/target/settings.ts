/**
 * Settings of built-in apps: text on the command line (`--set cache=on`), values in a file. In YAML 1.2, `on` and `off`
 * are text, so a switch accepts both text and booleans.
 */
import * as z from "zod";
import { AS_INPUT } from "../explain.ts";
import { didYouMean } from "../suggest.ts";
import type { Json } from "../yaml/json_text.ts";
import { quotedOpenly } from "../secrets.ts";

/** `on` or `off`, also `true` or `false`; becomes a boolean. */
export const onOrOff = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["on", "true"], falsy: ["off", "false"], case: "sensitive" }),
], { error: "Cannot read this setting: write on or off" });

/** A whole number from `least` to `most`, also as text. */
export function wholeNumber(least: number, most: number): z.ZodType<number> {
  const number = z.int().min(least).max(most);
  const text = z.string().regex(/^\d+$/).transform(Number).pipe(number);
  return z.union([number, text], { error: "Cannot read this as a whole number" });
}

/** One setting, as written in the file. */
interface GivenSetting {
  /** The setting's name, with dots for nested keys: `rateLimit.limit`. */
  readonly key: string;
  /** Keys that lead to the setting: `rateLimit`, then `limit`. */
  readonly path: readonly string[];
  /** One value, or a list of values, which makes a factor. */
  readonly value: Json;
}

/** Every setting in `set`, including nested ones. */
export function givenSettings(
  set: Readonly<Record<string, Json>>,
  outer: readonly string[] = [],
): GivenSetting[] {
  return Object.entries(set).flatMap(([name, value]) => {
    const path = [...outer, name];
    if (isGroup(value)) return givenSettings(value, path);
    return [{ key: path.join("."), path, value }];
  });
}

/** Every setting in `set` by its full name, without nesting. */
export function flatSettings(set: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(givenSettings(set).map(({ key, value }) => [key, value]));
}

function isGroup(value: Json): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A problem with one setting, under the key that the user wrote. */
interface SettingIssue {
  readonly key: string;
  readonly message: string;
}

/** All problems in `given`, in the order of its keys. */
export function settingIssues(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
): SettingIssue[] {
  return Object.entries(given).flatMap(([key, value]) => {
    if (!Object.hasOwn(schema.shape, key)) return [{ key, message: unknownSetting(schema, key) }];
    const issues = z.safeParse(schema.shape[key], value, AS_INPUT).error?.issues ?? [];
    return issues.map(({ message }) => ({ key, message }));
  });
}

function unknownSetting(schema: z.ZodObject, key: string): string {
  const known = Object.keys(schema.shape);
  const message = `Cannot set ${quotedOpenly(key)}: the app's settings are ${known.join(", ")}`;
  return [message, didYouMean(key, known) ?? []].flat().join("; ");
}

// Keys of a target that accept a list: each value is measured, as a factor of the experiment.

export function oneOrList<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodUnion<[Schema, z.ZodArray<Schema>]> {
  return z.union([schema, z.array(schema).min(1)]);
}

/** The keys of a target (`Lines`), where each key in `Factor` has a single value instead of a list. */
export type WithOneValueFor<Lines, Factor extends keyof Lines> =
  & Omit<Lines, Factor>
  & { [Key in keyof Pick<Lines, Factor>]: Exclude<Lines[Key], readonly unknown[]> };

/** The values of a factor, written as one value or a list. */
export function valuesOf<Value>(written: Value | Value[]): Value[] {
  return Array.isArray(written) ? written : [written];
}
