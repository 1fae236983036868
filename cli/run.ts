/** `plateau run [EXPERIMENT]`: from the file to the report. */
import { join } from "node:path";
import { z } from "zod";
import { runExperiment } from "../runner/experiment.ts";
import type { Missing, Results } from "../runner/result.ts";
import { CheckError, EXIT, TargetError } from "../scenarios/errors.ts";
import type { Parts, Values } from "./command.ts";
import { defineCommand } from "./define.ts";
import { planFlags, quietFlag, redisFlag, redisUrlOf } from "./flags.ts";
import { interruptible } from "./interrupt.ts";
import { makeOutDir } from "./out_dir.ts";
import { outputConflicts, outputFlags, takesStdout, writeFile, writeOutputs } from "./outputs.ts";
import { planFromFile } from "./planned.ts";
import { resultForms } from "./result_forms.ts";
import { print, printError, progressView } from "./terminal.ts";

const parts = {
  experiment: {
    operand: "[EXPERIMENT]",
    about: "A YAML or JSON file, or a built-in experiment (default: quick)",
    schema: z.string().default("quick"),
  },
  out: {
    flags: "-o, --out <DIR>",
    about: "Where the results go (default: results/NAME/TIME)",
    schema: z.string().min(1).optional(),
  },
  ...planFlags,
  ...redisFlag,
  ...outputFlags,
  ...quietFlag,
} satisfies Parts;

type RunValues = Values<typeof parts>;

export const run = defineCommand({
  parts,
  conflicts: outputConflicts,
  async run(values): Promise<number> {
    const planned = await planFromFile(values.experiment, values);
    const outDir = await makeOutDir(values.out, planned.experiment.name);
    await writeFile(join(outDir, planned.fileName), planned.source);
    return interruptible(async (signal) => {
      const { onProgress, stop } = await progressView(values.quiet);
      const request = { ...planned, outDir, redisUrl: redisUrlOf(values.redis) };
      const results = await runExperiment(request, { onProgress, signal }).finally(stop);
      await deliver(results, outDir, values);
      if (!signal.aborted) judge(results);
      return EXIT.done;
    });
  },
});

async function deliver(results: Results, outDir: string, values: RunValues): Promise<void> {
  const forms = resultForms([results]);
  const page = join(outDir, "report.html");
  await writeFile(page, await forms.html());
  await writeOutputs(values, forms);
  const where = `\nReport   ${page}\nResults  ${join(outDir, "results.json")}\n`;
  if (!takesStdout(values)) await print(forms.summary() + where);
  else if (!values.quiet) printError(where);
}

/** Throws where the exit code is not 0: first for what could not be measured, then for wrong answers. */
function judge({ runs, missing, planned }: Results): void {
  const failed = missing.filter(({ kind }) => kind === "failed");
  if (failed.length > 0) {
    const message = `Cannot measure all that was planned: ${runs.length} of ${planned} runs are in`;
    throw new TargetError(message, evidenceOf(failed));
  }
  const wrong = runs.filter(({ checks }) => checks.failed > 0);
  if (wrong.length > 0) {
    throw new CheckError(
      `${wrong.length} of ${runs.length} runs had answers that are not as expected`,
      wrong.map(({ scenario, target, repetition, checks }) =>
        `${scenario}, ${target}, run ${repetition}: ${checks.failed} wrong, ${checks.passed} right`
      ),
    );
  }
}

/** Each reason once, under it the last lines of the first target that had it. */
function evidenceOf(failed: readonly Missing[]): string[] {
  return [...Map.groupBy(failed, ({ reason }) => reason)].flatMap(([reason, [{ evidence }]]) => [
    reason,
    ...evidence.map((line) => `  ${line}`),
  ]);
}
