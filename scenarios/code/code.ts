/** The script of an experiment that is written in TypeScript, as the experiment holds it: every file of its own, so that results can repeat it. */
import * as z from "zod";
import { UserError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import { isWithin, LIMITS } from "../../base/limits.ts";

const file = z.strictObject({
  text: z.string().describe("The script as written"),
  javascript: z.string().optional().describe(
    "The script without its types, at the same lines and columns; absent if it has none",
  ),
});

export const codeSpec = z.strictObject({
  entry: z.string().describe("Path of the script, relative to its own folder"),
  files: z.record(z.string(), file).refine(
    (files) => isWithin("scriptFiles", sizeOf(files)),
    `Cannot run a script of more than ${LIMITS.scriptFiles.most} bytes`,
  ).describe("The script and what it imports, by path"),
  parameters: z.record(z.string(), z.json()).default({})
    .describe("What its default export was called with, where that is a function"),
  env: z.array(z.string()).default([]).describe("Names of the environment variables that it reads"),
});

/** As an experiment has it. */
export type Code = z.output<typeof codeSpec>;
export type CodeFiles = Code["files"];

function sizeOf(files: Readonly<Record<string, { readonly text: string }>>): number {
  return Object.values(files).reduce((sum, { text }) => sum + text.length, 0);
}

const text = z.string().max(LIMITS.scriptFiles.most);

/** What evaluates a script anywhere, also on an agent, in a realm without permissions. */
export const scriptCodeShape = z.strictObject({
  entry: z.string(),
  /** JavaScript by path. */
  files: z.record(z.string(), text),
  parameters: z.record(z.string(), z.json()),
  /** Values of the environment variables that it reads. */
  env: z.record(z.string(), text),
  /** What `setup` has given, as JSON; null: there was none. */
  data: text.nullable(),
});

export type ScriptCode = z.output<typeof scriptCodeShape>;

/** Throws a UserError where a variable is not set. @param environment Values of the variables that the script reads. */
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
    throw new UserError([{ place: entry, message: `the environment has no ${name}` }]);
  }
  secrets.keep(value, `\${env.${name}}`);
  return value;
}
