/** Flags that several commands share. */
import * as z from "zod";
import { duration } from "../../scenarios/load/load_shape.ts";
import { observed, repeatText, seed } from "../../scenarios/plan/repetition.ts";
import { type Problem, UserError } from "../../base/errors.ts";
import type { CommandParts } from "../command_line/command.ts";
import { integerText } from "../../base/quantity.ts";
import { only, settings } from "./values.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import { type Threshold, thresholdText } from "../../scenarios/claims/threshold.ts";
import { quotedOpenly } from "../../base/secrets.ts";

export const seedFlag = {
  seed: {
    flags: "--seed <N>",
    about: "Seed of every random choice (default: a new one)",
    schema: integerText(seed).optional(),
  },
} satisfies CommandParts;

/** A random seed, for commands that got none. */
export function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

export const strictFlag = {
  strict: {
    flags: "--strict",
    about: "Exit code 4 when the generator or the machine may have been the bottleneck",
    schema: z.boolean().default(false),
  },
} satisfies CommandParts;

export const quietFlag = {
  quiet: {
    flags: "-q, --quiet",
    about: "No progress on standard error",
    schema: z.boolean().default(false),
  },
} satisfies CommandParts;

/** Flags that change the runs of an experiment, their duration or what they observe. */
export const planFlags = {
  set: {
    flags: "--set <key=value>",
    about: "Sets a parameter of the file, its value written as in YAML; may be repeated",
    repeatable: true,
    schema: settings,
  },
  only: {
    flags: "--only <target=A,scenario=B>",
    about:
      "Runs only the cells that match; several values for one key are alternatives; may be repeated",
    repeatable: true,
    schema: only.optional(),
  },
  repeat: {
    flags: "--repeat <N>",
    about: 'Repetitions of each cell: a number, or "until 2%" for a precision',
    schema: repeatText.optional(),
  },
  duration: {
    flags: "--duration <D>",
    about: "Duration of each run, such as 10s",
    schema: duration.optional(),
  },
  profile: {
    flags: "--profile",
    about: "Profiles each cell in an extra run, after the measured ones",
    schema: z.literal(true).optional(),
  },
  observe: {
    flags: "--observe <WHAT>",
    about: "Also watches the targets from inside, at some cost. runtime: garbage collections, " +
      "event-loop delay and heap; compiler: also V8's optimising compilers on Node",
    schema: observed.optional(),
  },
  ...seedFlag,
} satisfies CommandParts;

export const thresholdFlag = {
  threshold: {
    flags: "--threshold <RULE>",
    about:
      'A pass/fail rule, such as "p99 < 50ms" or "success >= 99.9%": exit code 1 when it fails, ' +
      "5 when it is inconclusive; may be repeated",
    repeatable: true,
    schema: z.array(thresholdText).default([]),
  },
} satisfies CommandParts;

export const thresholdFlags = {
  ...thresholdFlag,
  baseline: {
    flags: "--baseline <FILE>",
    about: 'Earlier results, for thresholds such as "p99 not worse than baseline by 5%"',
    schema: z.string().min(1).optional(),
  },
} satisfies CommandParts;

/**
 * Reads the baseline that thresholds compare with; null if no threshold needs one and none was given. Throws a UserError
 * if a threshold needs one but none was given, if one was given but no threshold uses it, or if it can't be read.
 */
export async function readBaseline(
  thresholds: readonly Threshold[],
  path: string | undefined,
): Promise<Grouped | null> {
  const [comparing] = thresholds.filter(({ against }) => against === "baseline");
  if (comparing === undefined && path === undefined) return null;
  if (comparing === undefined) throw new UserError([UNUSED_BASELINE]);
  if (path === undefined) throw new UserError([withoutBaseline(comparing)]);
  const { readMeasured } = await import("../results/reading.ts");
  const { groupedOf } = await import("../results/reading.ts");
  return groupedOf(await readMeasured(path));
}

/** Throws a UserError if a threshold names cells, because a single measurement has none. */
export function checkWithoutCells(thresholds: readonly Threshold[]): void {
  const named = thresholds.filter(({ selector }) => selector !== undefined);
  if (named.length === 0) return;
  throw new UserError(named.map(({ text }) => ({
    place: "--threshold",
    message: `Cannot use ${quotedOpenly(text)}: a single URL has no cells to name`,
    fix: "write the threshold without brackets, such as p99 < 50ms",
  })));
}

const UNUSED_BASELINE: Problem = {
  place: "--baseline",
  message: "Cannot use a baseline: no threshold compares with it",
  fix: 'add --threshold "p99 not worse than baseline by 5%"',
};

function withoutBaseline({ text }: Threshold): Problem {
  return {
    place: "--baseline",
    message: `Cannot check ${quotedOpenly(text)} without a baseline`,
    fix: "name earlier results: --baseline results.json",
  };
}
