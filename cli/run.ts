/** `plateau run [EXPERIMENT]`: from the file to the report. */
import { join } from "node:path";
import { z } from "zod";
import { runExperiment } from "../runner/experiment.ts";
import type { Results } from "../runner/result.ts";
import { EXIT } from "../scenarios/errors.ts";
import type { Parts, Values } from "./command.ts";
import { defineCommand } from "./define.ts";
import { planFlags, quietFlag, redisFlag, redisUrlOf } from "./flags.ts";
import { interruptible } from "./interrupt.ts";
import { judgeResults } from "./judge.ts";
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
      if (!signal.aborted) judgeResults(results);
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
