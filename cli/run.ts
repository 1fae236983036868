/** `plateau run [EXPERIMENT]`: from the file to the report. */
import { join } from "node:path";
import { z } from "zod";
import { runExperiment } from "../runner/experiment.ts";
import { EXIT } from "../scenarios/errors.ts";
import type { Parts, Values } from "./command.ts";
import { defineCommand } from "./define.ts";
import { planFlags, quietFlag, redisFlag, redisUrlOf, strictFlag } from "./flags.ts";
import { interruptible } from "./interrupt.ts";
import { judgeResults, judgeTrust } from "./judge.ts";
import { judgeGates } from "./judge_gates.ts";
import { offerFrameworks } from "./offer_frameworks.ts";
import { makeOutDir } from "./out_dir.ts";
import { outputConflicts, outputFlags, takesStdout, writeFile, writeOutputs } from "./outputs.ts";
import { planFromFile } from "./planned.ts";
import { type ResultForms, resultForms } from "./result_forms.ts";
import { print, printError, progressView } from "./terminal.ts";
import { readBaseline, thresholdFlags } from "./threshold_flags.ts";

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
  ...thresholdFlags,
  ...strictFlag,
  ...redisFlag,
  ...outputFlags,
  ...quietFlag,
} satisfies Parts;

type RunValues = Values<typeof parts>;

export const run = defineCommand({
  parts,
  conflicts: outputConflicts,
  async run(values): Promise<number> {
    const { experiment: written, ...planned } = await planFromFile(values.experiment, values);
    const thresholds = [...written.thresholds, ...values.threshold];
    const baseline = await readBaseline(thresholds, values.baseline);
    const experiment = { ...written, thresholds };
    const outDir = await makeOutDir(values.out, experiment.name);
    await writeFile(join(outDir, planned.fileName), planned.source);
    return interruptible(async (signal) => {
      if (!values.quiet) await offerFrameworks(planned.plan.cells, signal);
      const { onProgress, stop } = await progressView(values.quiet);
      const request = { ...planned, experiment, outDir, redisUrl: redisUrlOf(values.redis) };
      const results = await runExperiment(request, { onProgress, signal }).finally(stop);
      const forms = resultForms([results], baseline);
      await deliver(forms, outDir, values);
      if (!signal.aborted) {
        judgeResults(results);
        if (values.strict) judgeTrust(results.runs);
        judgeGates(forms.gates);
      }
      return EXIT.done;
    });
  },
});

async function deliver(forms: ResultForms, outDir: string, values: RunValues): Promise<void> {
  const page = join(outDir, "report.html");
  await writeFile(page, await forms.html());
  await writeOutputs(values, forms);
  const where = `\nReport   ${page}\nResults  ${join(outDir, "results.json")}\n`;
  if (!takesStdout(values)) await print(forms.summary() + where);
  else if (!values.quiet) printError(where);
}
