/**
 * A target's lines in the experiment file: one of the launchers' shapes, told apart by its first key.
 */
import { z } from "zod";
import { appNamed, appNames } from "./apps/registry.ts";
import { settingIssues } from "./apps/settings.ts";

export const appTarget = z.strictObject({
  app: z.enum(appNames).describe("A built-in target; plateau list apps shows them"),
  set: z.record(z.string(), z.json()).default({}).describe("Its settings; a list makes a factor"),
}).superRefine(({ app, set }, context) => {
  for (const [key, value] of Object.entries(set)) {
    if (!Array.isArray(value) || value.length > 0) continue;
    context.addIssue({ code: "custom", path: ["set", key], message: "Cannot use an empty list" });
  }
  const choices = Object.entries(set).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((choice) => ({ [key]: choice }))
  );
  const { settings } = appNamed(app);
  for (const { key, message } of choices.flatMap((choice) => settingIssues(settings, choice))) {
    context.addIssue({ code: "custom", path: ["set", key], message });
  }
});

export const commandTarget = z.strictObject({
  command: z.array(z.string().min(1)).min(1)
    .describe("Program and arguments; {port} in an argument becomes a free port"),
  cwd: z.string().default(".").describe("Where it runs, relative to the experiment file"),
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}).describe(
    "Its environment, on top of PATH, HOME, LANG, TMPDIR, PORT and REDIS_URL; {port} becomes a free port, " +
      "unless PORT is a number here: then that is its port",
  ),
  ready: z.string().regex(/^\/[\x21-\x7e]*$/, "Cannot use this as a path: start with /")
    .default("/")
    .describe("Path that answers with a status under 500 when the program is ready"),
});

const NO_ORIGIN = "Cannot use this as a server: write http://host:port, and the path in a scenario";

export const urlTarget = z.strictObject({
  url: z.url({ protocol: /^http$/, error: NO_ORIGIN, abort: true }).refine(isOrigin, NO_ORIGIN)
    .describe("A server that already runs: http://host:port"),
});

export const targetSpec = z.union([appTarget, commandTarget, urlTarget], {
  error: "Cannot tell what this target is: write one of app, command and url",
});
export type TargetSpec = z.output<typeof targetSpec>;
export type AppTarget = z.output<typeof appTarget>;
export type CommandTarget = z.output<typeof commandTarget>;
export type UrlTarget = z.output<typeof urlTarget>;

function isOrigin(text: string): boolean {
  const { origin, href } = new URL(text);
  return href === `${origin}/`;
}
