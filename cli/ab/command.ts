/**
 * `plateau ab [BASE..HEAD] [EXPERIMENT]`: builds two commits, and measures both in one experiment, alternating between
 * them.
 */
import type { Problem } from "../../base/errors.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { rangeIn, type RevisionRange } from "../../targets/revisions/revision.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { RawArguments } from "../command_line/command.ts";
import { folderConflicts } from "../flags/output_flags.ts";
import { makeOutDir, occupy, refuseUnfinished } from "../results/out_dir.ts";
import { interruptible } from "../terminal/process.ts";
import { printError, terminalOptions } from "../terminal/terminal.ts";
import { abParts, type AbValues, EXPERIMENT } from "./flags.ts";
import { comparePaired } from "./measured.ts";
import { preparePair } from "./prepared.ts";
import { quotedOpenly } from "../../base/secrets.ts";

export const abCommand = defineCommand({
  parts: abParts,
  conflicts: (
    given,
  ) => [
    ...folderConflicts(given, "comparison.html"),
    ...operandConflicts(given),
    ...resumeConflicts(given),
  ],
  more:
    `Both commits are checked out beside the repository, which is never changed, and built by the
targets' build: commands. Builds are kept by commit. A fresh process of each
commit is loaded in turns of a fraction of a second (slices), pair after pair, until there is a verdict.
With --order blocks, or if the load cannot be measured in slices, whole runs take turns.

Exit code, by the first line that applies:
  3  a side could not be built or measured, or a prerequisite is missing
  1  a response is not as expected
  4  with --strict, when a run of either side is not valid
  1  a threshold fails, or the rate, the p99 or the CPU per request of a cell is worse (with blocks: in fresh
     runs, too)
  5  a rate, a p99 or a threshold is inconclusive: too few runs for a verdict
  0  otherwise: everything is better or equivalent

Examples:
  plateau ab
  plateau ab main..my-branch bench.yaml
  plateau ab HEAD~1.. bench.yaml --repeat 10 --markdown pull-request.md`,
  run: (values): Promise<number> =>
    interruptible(async (signal) => {
      const { range, file } = operandsOf(values);
      const onNote = (text: string): void => {
        if (!values.quiet) printError(textLines([text], terminalOptions(Deno.stderr)));
      };
      const pair = await preparePair({ range, file, values, signal, onNote });
      using _kept = pair.lock;
      const outDir = await makeOutDir(values.out, pair.name);
      using _out = await occupy(outDir);
      if (!values.resume) await refuseUnfinished(outDir);
      return await comparePaired(pair, { values, outDir, signal, onNote });
    }),
});

/**
 * Tells which operand is the range of commits, as either may be omitted. A range has two dots that are not part of a
 * path.
 */
function operandsOf({ first, second }: Pick<AbValues, "first" | "second">): {
  readonly range: RevisionRange;
  readonly file: string;
} {
  const range = first === undefined ? null : rangeIn(first);
  const none: RevisionRange = { base: null, head: null, fromMergeBase: false };
  return {
    range: range ?? none,
    file: (range === null ? first : second) ?? EXPERIMENT,
  };
}

function operandConflicts({ first, second }: RawArguments): Problem[] {
  if (typeof first !== "string" || typeof second !== "string" || rangeIn(first)) return [];
  const message = `Cannot read ${quotedOpenly(first)} as two commits`;
  return [{ place: "BASE..HEAD", message, fix: `write ${first}..HEAD, or ${first}..` }];
}

function resumeConflicts({ resume, out }: RawArguments): Problem[] {
  if (resume !== true || out !== undefined) return [];
  const message = "Cannot resume without the folder of the results";
  return [{ place: "--resume", message, fix: "add --out DIR" }];
}
