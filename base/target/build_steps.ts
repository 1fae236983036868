/** The commands that build a target from its sources, as they are written. */
import * as z from "zod";
import { between } from "../quantity.ts";

const command = z.array(z.string().min(1)).min(1);

const step = z.union([
  command,
  z.strictObject({
    command: command.describe("Program and arguments"),
    timeout: between("1s", "24h").prefault("10m").describe("Time-out of the step"),
    env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({})
      .describe("On top of the user's own environment"),
  }),
]).transform((written): BuildStep =>
  Array.isArray(written) ? { command: written, timeout: DEFAULT_TIMEOUT_MS, env: {} } : written
);

const DEFAULT_TIMEOUT_MS = 600_000;

export interface BuildStep {
  readonly command: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly env: Readonly<Record<string, string>>;
}

export const buildSteps = z.array(step);
