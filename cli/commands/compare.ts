/** `plateau compare BASE NEW`: shows the change between two results, with its interval and a verdict. */
import * as z from "zod";
import { UserError } from "../../base/errors.ts";
import {
  type CompareOptions,
  compareSessions,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import type { ResultSide } from "../../report/judge/differences.ts";
import { distinct, withoutSessionsOf } from "../../report/judge/sessions.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { margin } from "../../scenarios/claims/threshold.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { CommandParts } from "../command_line/command.ts";
import { strictFlag, thresholdFlag } from "../flags/flags.ts";
import {
  outputConflicts,
  outputFlags,
  resultsRead,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { verifyTrust } from "../output/verify.ts";
import { comparisonAnnotations } from "../github/annotations.ts";
import { reportToGithub } from "../github/step.ts";
import { COMPARISON_EXIT, comparisonForms } from "../output/comparison_formats.ts";
import { groupedOf, readAll, readSessions } from "../results/reading.ts";
import { print } from "../terminal/terminal.ts";

const parts = {
  base: {
    operand: "<BASE>",
    about:
      "The baseline: a results.json, its folder, a folder of several sessions, or the JSON of bench",
    schema: z.string({ error: "Cannot compare without two results: name BASE and NEW" }),
  },
  next: {
    operand: "<NEW>",
    about: "The results to compare with the baseline, given in the same way",
    schema: z.string({ error: "Cannot compare without two results: name BASE and NEW" }),
  },
  margin: {
    flags: "--margin <PERCENT>",
    about:
      "Margin of equivalence: results are equivalent if the interval of their ratio lies within it",
    preset: "2%",
    schema: margin,
  },
  sessions: {
    flags: "--sessions <RESULTS>",
    about:
      "Earlier sessions of the same programs on this machine, or a folder of them, which show how much sessions " +
      "differ; may be repeated",
    repeatable: true,
    schema: z.array(z.string()).default([]),
  },
  ...thresholdFlag,
  ...strictFlag,
  json: outputFlags.json,
  markdown: outputFlags.markdown,
  junit: outputFlags.junit,
  html: { ...outputFlags.html, about: "The comparison as a page, both results side by side" },
} satisfies CommandParts;

export const compareCommand = defineCommand({
  parts,
  conflicts: (given) => outputConflicts(given, resultsRead([given.base, given.next])),
  more:
    `Cells are matched by scenario, target and parameters. Ratios are NEW over BASE, with 95 % confidence intervals.
Two measuring sessions differ even when the programs are the same. So a comparison of two single results is always
inconclusive: what it shows may hold for these two sessions only. For a verdict, give a folder of at least three
sessions per side, or twelve earlier sessions with --sessions.

Exit code, by the first line that applies:
  4  with --strict, when a run of either side is not valid
  0, 1 or 5  with --threshold: the thresholds decide
  5  a side has no valid run, unless both took turns in slices
  1  the rate, the p99 or the CPU per request of a cell is worse
  5  a rate or a p99 is inconclusive: too few runs, or sessions, for a verdict
  0  otherwise: everything is better or equivalent

Examples:
  plateau compare results/quick/2026-01-31T12-00-00Z results/quick/2026-02-01T12-00-00Z
  plateau compare main.json branch.json --margin 5% --junit compare.xml
  plateau compare results/main results/branch --sessions results/nightly
  plateau compare main.json branch.json --threshold "p99 not worse than baseline by 5%"`,
  async run({ base, next, margin, threshold, sessions, strict, ...outputs }): Promise<number> {
    const [before, after, ...earlier] = (await readAll([base, next, ...sessions], readSessions))
      .map((results) => distinct(results.map(sideOf)));
    const options: CompareOptions = {
      marginRatio: margin,
      thresholds: threshold,
      earlier: earlier.flat(),
      decidedBy: threshold.length > 0 ? "thresholds" : "figures",
    };
    const comparison = compareSessions(withoutSessionsOf(before, after), after, options);
    if (comparison.cells.length === 0) throw nothingAlike(comparison, [base, next]);
    const forms = comparisonForms(comparison);
    await writeOutputs(outputs, forms).finally(async () => {
      if (!takesStdout(outputs)) await print(forms.summary());
    });
    await reportToGithub({
      markdown: forms.markdown,
      annotations: () => comparisonAnnotations(comparison),
    });
    if (strict) verifyTrust(comparison.sides.flatMap(({ runs }) => runs), { hasSummary: true });
    return COMPARISON_EXIT[comparison.outcome];
  },
});

function sideOf(result: Results | Measurement): ResultSide {
  return "runs" in result
    ? result
    : { ...groupedOf(result), version: result.version, machine: null };
}

function nothingAlike(
  { onlyBase, onlyNext }: ResultsComparison,
  [base, next]: readonly [string, string],
): UserError {
  const cellsOf = (names: readonly string[]): string => names.join("; ") || "none";
  return new UserError([{
    place: next,
    message: `Cannot compare these results with ${base}: they have no cell in common`,
    fix: `BASE has ${cellsOf(onlyBase)}; NEW has ${cellsOf(onlyNext)}`,
  }]);
}
