/**
 * The script of an experiment in TypeScript, with all its modules. The experiment includes it, so that a run can be
 * repeated from its results.
 */
import * as z from "zod";
import { UserError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import { isWithin, LIMITS } from "../../base/limits.ts";

const file = z.strictObject({
  text: z.string().describe("The script as written"),
  javascript: z.string().optional().describe(
    "The script without its types, at the same lines and columns; absent if the script has no types",
  ),
});

export const codeSpec = z.strictObject({
  entry: z.string().describe("Path of the script, relative to its own folder"),
  files: z.record(z.string(), file).refine(
    (files) => isWithin("scriptFiles", sizeOf(files)),
    `Cannot run a script of more than ${LIMITS.scriptFiles.most} bytes`,
  ).describe("The script and the files that it imports, by path"),
  parameters: z.record(z.string(), z.json()).default({})
    .describe(
      "Parameters with which the script's default export was called, if that is a function",
    ),
  env: z.array(z.string()).default([]).describe(
    "Names of the environment variables that the script reads",
  ),
});

type Code = z.output<typeof codeSpec>;
export type CodeFiles = Code["files"];

function sizeOf(files: Readonly<Record<string, { readonly text: string }>>): number {
  return Object.values(files).reduce((sum, { text }) => sum + text.length, 0);
}

const text = z.string().max(LIMITS.scriptFiles.most);

/**
 * Everything that is needed to evaluate a script in a realm without permissions, whether on this machine or on an
 * agent.
 */
export const scriptCodeShape = z.strictObject({
  entry: z.string(),
  /** JavaScript by path. */
  files: z.record(z.string(), text),
  parameters: z.record(z.string(), z.json()),
  /** The values of the environment variables that the script reads. */
  env: z.record(z.string(), text),
  /** What `setup` returned, as JSON; null if there was no `setup`. */
  data: text.nullable(),
});

export type ScriptCode = z.output<typeof scriptCodeShape>;

/**
 * Throws a UserError if an environment variable that the script reads is not set.
 * @param environment Reads an environment variable.
 */
export function scriptCode(
  { entry, files, parameters, env }: Code,
  environment: (name: string) => string | undefined,
): ScriptCode {
  return {
    entry,
    files: Object.fromEntries(
      Object.entries(files).map(([path, { text, javascript = text }]) => [path, javascript]),
    ),
    parameters,
    env: Object.fromEntries(env.map((name) => [name, secretOf(name, environment(name), entry)])),
    data: null,
  };
}

function secretOf(name: string, value: string | undefined, entry: string): string {
  if (value === undefined) {
    throw new UserError([{ place: entry, message: `the environment variable ${name} is not set` }]);
  }
  secrets.keep(value, `\${env.${name}}`);
  return value;
}
