/**
 * The commands of a target, as written in the file: those that build it from its sources, and those that run before and
 * after its runs (`setup`, `before`, `after`, `teardown`). Pure.
 */
import * as z from "zod";
import { shown } from "../explain.ts";
import { between } from "../quantity.ts";
import { withoutSecrets } from "../secrets.ts";

/** A program and its arguments. */
export const command = z.array(z.string().min(1), { error: commandAsText }).min(1);

/** The error for a command written as text, which only a shell could split at its spaces. */
function commandAsText({ input }: { readonly input?: unknown }): string | undefined {
  if (typeof input !== "string") return undefined;
  return `Cannot use ${shown(input)}: it must be a list, such as [${itemsOf(input)}]`;
}

/** Program and arguments of a shell's command line, as items of a YAML list. */
function itemsOf(text: string): string {
  const line = withoutSecrets(text);
  const isForShell = /[|&;<>$`"'*?()~]/.test(line) || /^\w+=/.test(line);
  return isForShell
    ? `sh, -c, ${JSON.stringify(line)}`
    : line.trim().split(/\s+/).map(listed).join(", ");
}

/** A word as an item of a YAML list. */
function listed(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : JSON.stringify(word);
}

const step = z.union([
  command,
  z.strictObject({
    command: command.describe("Program and arguments"),
    timeout: between("1s", "24h").prefault("10m").describe("Time-out of the step"),
    env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({})
      .describe("Variables, added to the user's own environment"),
  }),
]).transform((written): CommandStep =>
  Array.isArray(written) ? { command: written, timeout: DEFAULT_TIMEOUT_MS, env: {} } : written
);

const DEFAULT_TIMEOUT_MS = 600_000;

export interface CommandStep {
  readonly command: readonly string[];
  /** Time limit, milliseconds. */
  readonly timeout: number;
  readonly env: Readonly<Record<string, string>>;
}

export const steps = z.array(step, {
  error: ({ input }) =>
    typeof input === "string"
      ? `Cannot use ${shown(input)}: it must be a list of lists, such as [[${itemsOf(input)}]]`
      : undefined,
});

/** The stages at which a target's commands run, in the order in which they come. */
export const stages = ["setup", "before", "after", "teardown"] as const;
export type CommandStage = (typeof stages)[number];

/** Keys that every kind of target may have. */
export const stageCommands = {
  setup: steps.optional().describe(
    "Commands before the first start of the target, such as [[npm, run, migrate]]; a step may be " +
      "{ command: [npm, run, migrate], timeout: 10m, env: {} }. They run in the target's cwd or, without one, in the folder of the file",
  ),
  before: steps.optional().describe(
    "Commands before each run. They run before the target starts or, from the first command that holds {origin} on, once it " +
      "responds; {origin} becomes its http://host:port",
  ),
  after: steps.optional().describe(
    "Commands after each run, while the target still runs; they may hold {origin}",
  ),
  teardown: steps.optional().describe(
    "Commands at the end, after the target has stopped for the last time, even if setup has failed or Ctrl-C was pressed",
  ),
};

export type StageCommands = Readonly<Partial<Record<CommandStage, readonly CommandStep[]>>>;

/** Whether the command can run only once the target's origin is known. */
export function needsOrigin({ command, env }: CommandStep): boolean {
  return [...command, ...Object.values(env)].some((text) => text.includes(ORIGIN));
}

export function withOrigin(step: CommandStep, origin: string): CommandStep {
  const fill = (text: string): string => text.replaceAll(ORIGIN, origin);
  const env = Object.entries(step.env).map(([name, text]) => [name, fill(text)]);
  return { ...step, command: step.command.map(fill), env: Object.fromEntries(env) };
}

const ORIGIN = "{origin}";

interface StepConflict {
  /** Path below `targets`. */
  readonly path: PropertyKey[];
  readonly message: string;
}

/**
 * Reports placeholders in commands that run when the placeholder's value is unknown.
 * @param targets The targets as written; any part may be wrong.
 */
export function stepConflicts(targets: Readonly<Record<string, unknown>>): StepConflict[] {
  return Object.entries(targets).flatMap(([target, spec]) =>
    stages.flatMap((stage) => {
      const steps: unknown = Reflect.get(Object(spec), stage);
      if (!Array.isArray(steps)) return [];
      const isRunning = Object.hasOwn(Object(spec), "url") || ["before", "after"].includes(stage);
      return steps.flatMap((step, at) => {
        const message = placeholderProblem(JSON.stringify(step) ?? "", { stage, isRunning });
        return message === null ? [] : [{ path: [target, stage, at], message }];
      });
    })
  );
}

function placeholderProblem(
  written: string,
  { stage, isRunning }: { readonly stage: CommandStage; readonly isRunning: boolean },
): string | null {
  const found = ["{port}", "{host}"].find((one) => written.includes(one));
  if (found !== undefined) {
    return `Cannot fill in ${found} here: ${
      isRunning
        ? "write {origin} for http://host:port"
        : "only a target's command and env may hold it"
    }`;
  }
  if (isRunning || !written.includes(ORIGIN)) return null;
  const fix = stage === "setup" ? "before" : "after";
  return `Cannot fill in {origin} here: the target does not run during ${stage}; write it in ${fix}`;
}
