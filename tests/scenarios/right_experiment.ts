/** A small experiment without fault, and what is wrong with those made from it. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import type { Files } from "../../base/files.ts";

export const RIGHT = `name: right
targets: { api: { app: api } }
scenarios: { static: { get: /static } }
`;

/** What is wrong with the text, a line each. */
export function wrongLines(
  text: string,
  files?: Files,
  set?: Readonly<Record<string, string>>,
): readonly string[] {
  try {
    parseExperiment(text, "x.yaml", { files, set });
    return [];
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.lines;
  }
}
