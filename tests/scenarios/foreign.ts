/** Files of other tools, as text, for the tests of what they become. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { NO_FILES } from "../../base/files.ts";
import { type ImportedFile, importedFile } from "../../scenarios/imports/registry.ts";
import { loadEngine } from "../../base/pattern.ts";

await loadEngine();

export const FOLDER = join(import.meta.dirname ?? "", "fixtures/imports");

export function fixture(name: string): string {
  return join(FOLDER, name);
}

export function becomes(source: string, file: string): ImportedFile {
  const foreign = importedFile(source, file, { files: NO_FILES });
  assert.ok(foreign !== null);
  return foreign;
}

/** An Artillery script with one scenario of these steps. */
export function script(steps: string, config = "", scenario = ""): string {
  return `config:
  target: http://127.0.0.1:8080
  phases: [{ duration: 1, arrivalRate: 2 }]
${config.replaceAll(/^(?=.)/gm, "  ")}
scenarios:
  - flow: ${steps}
${scenario.replaceAll(/^(?=.)/gm, "    ")}
`;
}

export function experimentOf(source: string, set: Record<string, string> = {}): Experiment {
  return parseExperiment(becomes(source, "a.yml").text, "a.yaml", { set });
}
