/** `plateau report RESULTS…`: writes the report page of saved results. */
import { join } from "node:path";
import * as z from "zod";
import { trendChangeText, trendOutcome } from "../../report/subjects/trend.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { EXIT, type Problem } from "../../base/errors.ts";
import type { CommandParts, RawArguments } from "../command_line/command.ts";
import { defineCommand } from "../command_line/arguments.ts";
import {
  longName,
  outputConflicts,
  outputFlags,
  pageIn,
  resultsRead,
  type TakenFile,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { COMPARISON_EXIT } from "../output/comparison_formats.ts";
import { resultForms } from "../output/formats.ts";
import { folderOf, readAll, readResults } from "../results/reading.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";

const parts = {
  results: {
    operand: "<RESULTS...>",
    about: "One or more results.json, or the folders that hold them",
    schema: z.array(z.string()).min(1, "Cannot render a report without results"),
  },
  ...outputFlags,
  html: {
    ...outputFlags.html,
    flags: "-o, --html <FILE>",
    about: "The report page (default: report.html beside the first results)",
  },
  failOnChange: {
    flags: "--fail-on-change",
    about:
      "Exit code 1 if a figure got worse over the results, 5 if there are too few results to tell",
    schema: z.boolean().optional(),
  },
} satisfies CommandParts;

export const reportCommand = defineCommand({
  parts,
  conflicts,
  async run(values): Promise<number> {
    const all = await readAll(values.results, readResults);
    const html = values.html ?? join(folderOf(values.results[0]), "report.html");
    const forms = resultForms(all);
    await writeOutputs({ ...values, html }, forms);
    if (!takesStdout({ ...values, html })) {
      const trends = forms.trends.map(({ finding }) => `Trend    ${finding}`);
      const changes = forms.trends.flatMap(({ changes }) =>
        changes.map((change) => `Change   ${trendChangeText(change)}`)
      );
      await print(textLines([...trends, ...changes, `Report   ${html}`], terminalOptions()));
    }
    return values.failOnChange ? COMPARISON_EXIT[trendOutcome(forms.trends)] : EXIT.done;
  },
});

/** The page, which is written beside the first results; none if --html names another file. */
function pageBeside({ html }: RawArguments, [first]: readonly unknown[]): TakenFile[] {
  return html === undefined && typeof first === "string" ? pageIn(folderOf(first)) : [];
}

/**
 * Problems of the output flags. If several RESULTS are given, JSON, CSV and a histogram log are refused, because they
 * can hold only one experiment.
 */
function conflicts(given: RawArguments): Problem[] {
  const read: readonly unknown[] = Array.isArray(given.results) ? given.results : [];
  const several = read.length > 1;
  const refused = ["json", "csv", "csvIntervals", "hlog"].filter((form) =>
    several && given[form] !== undefined
  );
  return [
    ...refused.map((form) => ({
      place: longName(form),
      message: "Cannot write several results in this format",
      fix: "name one file of results",
    })),
    ...outputConflicts(given, [...resultsRead(read, "json"), ...pageBeside(given, read)]),
  ];
}
