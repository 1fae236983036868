/** `plateau report RESULTS…`: the report page once more. */
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Results, results } from "../runner/result.ts";
import { EXIT, messageOf, type Problem, UserError } from "../scenarios/errors.ts";
import { explain } from "../scenarios/explain.ts";
import { findingsOf } from "../scenarios/problems.ts";
import type { Given, Parts } from "./command.ts";
import { defineCommand } from "./define.ts";
import { outputConflicts, outputFlags, takesStdout, writeOutputs } from "./outputs.ts";
import { resultForms } from "./result_forms.ts";
import { print } from "./terminal.ts";

const parts = {
  results: {
    operand: "<RESULTS...>",
    about: "One or more results.json",
    schema: z.array(z.string()).min(1, "Cannot render a report without results"),
  },
  ...outputFlags,
  html: {
    ...outputFlags.html,
    flags: "-o, --html <FILE>",
    about: "The report page (default: report.html beside the first results)",
  },
} satisfies Parts;

export const report = defineCommand({
  parts,
  conflicts,
  async run(values): Promise<number> {
    const all = await readAll(values.results);
    const html = values.html ?? join(dirname(values.results[0]), "report.html");
    await writeOutputs({ ...values, html }, resultForms(all));
    if (!takesStdout({ ...values, html })) await print(`Report   ${html}\n`);
    return EXIT.done;
  },
});

/** JSON and CSV are of one experiment. */
function conflicts(given: Given): Problem[] {
  const several = Array.isArray(given.results) && given.results.length > 1;
  const asked = ["json", "csv"].filter((form) => several && given[form] !== undefined);
  return [
    ...asked.map((form) => ({
      place: `--${form}`,
      message: "Cannot write several results in this form",
      fix: "name one file of results",
    })),
    ...outputConflicts(given),
  ];
}

/** Throws a UserError with what is wrong with any of the files. */
async function readAll(paths: readonly string[]): Promise<Results[]> {
  const read = await Promise.allSettled(paths.map(readResults));
  const reasons = read.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
  const problems = reasons.flatMap((reason) => {
    if (reason instanceof UserError) return reason.problems;
    throw reason;
  });
  if (problems.length > 0) throw new UserError(problems);
  return read.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
}

/** As many as help to see that a file is something else. */
const MOST_PROBLEMS = 5;

async function readResults(path: string): Promise<Results> {
  const data = await readJson(path);
  const { data: valid, error } = results.safeParse(data, { error: explain });
  if (!error) return valid;
  const findings = findingsOf(error.issues, data).slice(0, MOST_PROBLEMS);
  throw new UserError(findings.map((finding) => ({
    place: path,
    message: `Cannot read this as results: ${
      finding.path.map(String).join(".")
    }: ${finding.message}`,
  })));
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const message = `Cannot read this as results: ${messageOf(error)}`;
    throw new UserError([{ place: path, message }]);
  }
}
