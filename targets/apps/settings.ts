/**
 * Settings of built-in apps: text on the command line (`--set cache=on`), values in a file. YAML 1.2
 * reads `on` and `off` as text, so a switch takes both.
 */
import { z } from "zod";
import { explain } from "../../scenarios/explain.ts";
import { didYouMean } from "../../scenarios/suggest.ts";

/** `on` or `off`, also `true` or `false`; becomes a boolean. */
export const onOrOff = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["on", "true"], falsy: ["off", "false"], case: "sensitive" }),
], { error: "Cannot read this as a switch: write on or off" });

/** What is wrong with one setting, under the key that it was given. */
export interface SettingIssue {
  readonly key: string;
  readonly message: string;
}

/** Everything that is wrong with `given`, in its order. */
export function settingIssues(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
): SettingIssue[] {
  return Object.entries(given).flatMap(([key, value]) => {
    if (!Object.hasOwn(schema.shape, key)) return [{ key, message: unknownSetting(schema, key) }];
    const issues = z.safeParse(schema.shape[key], value, { error: explain }).error?.issues ?? [];
    return issues.map(({ message }) => ({ key, message }));
  });
}

function unknownSetting(schema: z.ZodObject, key: string): string {
  const known = Object.keys(schema.shape);
  const message = `Cannot set "${key}": the app's settings are ${known.join(", ")}`;
  return [message, didYouMean(key, known) ?? []].flat().join("; ");
}
