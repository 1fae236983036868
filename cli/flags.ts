/** Flags that several commands share. */
import { z } from "zod";
import { duration } from "../scenarios/load.ts";
import { repeatText, seed } from "../scenarios/repetition.ts";
import type { Parts } from "./command.ts";
import { variable } from "./environment.ts";
import { only, redisUrl, settings, wholeNumber } from "./values.ts";

export const redisFlag = {
  redis: {
    flags: "--redis <URL>",
    about: "Redis to use; also as REDIS_URL",
    schema: redisUrl.optional(),
  },
} satisfies Parts;

/** The Redis that the user named, or null. */
export function redisUrlOf(flag: string | undefined): string | null {
  return (flag ?? variable("REDIS_URL")) || null;
}

export const seedFlag = {
  seed: {
    flags: "--seed <N>",
    about: "Seed of every random choice; chosen anew when it is not given",
    schema: wholeNumber(seed).optional(),
  },
} satisfies Parts;

/** For where nobody names a seed. */
export function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

export const strictFlag = {
  strict: {
    flags: "--strict",
    about: "Exit code 4 when the generator or the machine may have been the limit, not the target",
    schema: z.boolean().default(false),
  },
} satisfies Parts;

export const quietFlag = {
  quiet: {
    flags: "-q, --quiet",
    about: "No progress on standard error",
    schema: z.boolean().default(false),
  },
} satisfies Parts;

/** Which runs of an experiment, in place of those in its file. */
export const planFlags = {
  set: {
    flags: "--set <key=value>",
    about: "A parameter of the file, the value as in YAML; may be repeated",
    repeatable: true,
    schema: settings,
  },
  only: {
    flags: "--only <target=A,scenario=B>",
    about: "Only the runs that match; several values of one key are alternatives",
    schema: only.optional(),
  },
  repeat: {
    flags: "--repeat <N>",
    about: 'Runs of each cell, or "until 2%"',
    schema: repeatText.optional(),
  },
  duration: {
    flags: "--duration <D>",
    about: "How long each run lasts, such as 10s",
    schema: duration.optional(),
  },
  ...seedFlag,
} satisfies Parts;
