/** Experiments with `observe: [runtime]`, and what they say of their targets. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { emptyFolder, plateau } from "./plateau.ts";

export const FIXTURES = join(import.meta.dirname ?? "", "../../bench/causes/servers");
/** Its command, as YAML has lists. */
export const DENO = `${Deno.execPath()}, run, -A, --no-config`;

export interface Observed {
  readonly results: Results;
  readonly stdout: string;
  readonly stderr: string;
  readonly markdown: string;
  readonly page: string;
}

/** @param targets Their commands, as YAML has lists. */
export async function observe(
  targets: Readonly<Record<string, string>>,
  { load, repeat = 3, observed = "observe: [runtime]" }: {
    load: string;
    repeat?: number;
    observed?: string;
  },
): Promise<Observed> {
  using folder = emptyFolder();
  const lines = Object.entries(targets).map(([name, words]) =>
    `  ${name}: ${words.startsWith("{") ? words : `{ command: [${words}], cwd: "${FIXTURES}" }`}`
  );
  const [file, out] = [join(folder.path, "observed.yaml"), join(folder.path, "out")];
  Deno.writeTextFileSync(
    file,
    `name: observed\ntargets:\n${lines.join("\n")}\nscenarios: { root: { get: / } }\n` +
      `load: ${load}\nrepeat: ${repeat}\n${observed}\n`,
  );
  const { code, stdout, stderr } = await plateau([
    "run",
    file,
    "--out",
    out,
    "--seed",
    "5",
    "--markdown",
    join(folder.path, "out.md"),
  ]);
  assert.equal(code, 0, stderr);
  const read = (name: string): string => readFileSync(join(out, name), "utf8");
  return {
    results: results.parse(JSON.parse(read("results.json"))),
    stdout: stdout.replaceAll(/\s+/g, " "),
    stderr,
    markdown: readFileSync(join(folder.path, "out.md"), "utf8"),
    page: read("report.html"),
  };
}

export const runsOf = ({ runs }: Results, target: string): Run[] =>
  runs.filter((run) => run.target === target);

/** What two thirds of its runs say, as the report has it; else null. */
export function kindOf(runs: readonly Run[]): Bottleneck["kind"] | null {
  const kinds = Map.groupBy(runs, ({ bottleneck }) => bottleneck?.kind);
  const [most, those] = [...kinds].sort(([, a], [, b]) => b.length - a.length)[0];
  return most !== undefined && those.length >= (2 / 3) * runs.length ? most : null;
}

/** For failures. */
export function seenIn(runs: readonly Run[]): string {
  return JSON.stringify(runs.map(({ bottleneck, counters }) => (
    { bottleneck, processes: counters?.processes, slowest: counters?.slowest }
  )));
}
