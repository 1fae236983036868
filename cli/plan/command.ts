/**
 * `plateau plan EXPERIMENT`: tells what differences comparisons can detect on this machine, by comparing each target
 * with itself.
 */
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { EXIT, InconclusiveError } from "../../base/errors.ts";
import { GLUE } from "../../report/writing/units.ts";
import { planBlocks, planModel, planSentence } from "../../report/subjects/planning.ts";
import { revisionSides } from "../../report/subjects/comparison/revisions.ts";
import { renderBlocks } from "../../report/render/terminal/blocks.ts";
import { jsonText } from "../../report/writing/json.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { rememberPlan } from "../../runner/host/plan_cache.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import { pairedNames } from "../../scenarios/file/paired_targets.ts";
import { duration } from "../../scenarios/load/load_shape.ts";
import { margin } from "../../scenarios/claims/threshold.ts";
import { experimentProblems } from "../experiment/plan.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { measurePairs, planPairs } from "../experiment/pairs.ts";
import {
  outputConflicts,
  outputFlags,
  resultsIn,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { verifyResults } from "../output/verify.ts";
import { makeOutDir, occupy, refuseUnfinished } from "../results/out_dir.ts";
import { interruptible } from "../terminal/process.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";
import type { CommandParts } from "../command_line/command.ts";
import { planFlags, quietFlag } from "../flags/flags.ts";
import { redisFlag } from "../flags/values.ts";

const planParts = {
  experiment: {
    operand: "<EXPERIMENT>",
    about: "An experiment file, or a built-in experiment",
    schema: z.string({ error: "Cannot plan without an experiment: name its file" }),
  },
  out: {
    flags: "-o, --out <DIR>",
    about: "Folder of the results (default: results/NAME-plan/TIME)",
    schema: z.string().min(1).optional(),
  },
  margin: {
    flags: "--margin <PERCENT>",
    about: "Margin of equivalence of the planned comparisons",
    preset: "2%",
    schema: margin,
  },
  sessionNoise: {
    flags: "--session-noise <PERCENT>",
    about: "Standard deviation of a ratio between sessions, to plan how many sessions are needed",
    schema: margin.optional(),
  },
  sessionSetup: {
    flags: "--session-setup <D>",
    about: "How long it takes to set up a session, such as 5m",
    schema: duration.optional(),
  },
  ...planFlags,
  ...redisFlag,
  json: outputFlags.json,
  ...quietFlag,
} satisfies CommandParts;

function sessionsIn(
  { sessionNoise, sessionSetup }: { sessionNoise?: number; sessionSetup?: number },
): { sessions?: { stdev: number; setUpS: number } } {
  if (sessionNoise === undefined || sessionSetup === undefined) return {};
  return { sessions: { stdev: sessionNoise, setUpS: sessionSetup / 1_000 } };
}

/**
 * Default number of blocks, each of which runs every cell once: enough to estimate the noise, yet done within a coffee
 * break.
 */
const BLOCKS = 5;

export const planCommand = defineCommand({
  parts: planParts,
  conflicts: (given) => [
    ...(given.sessionNoise === undefined) === (given.sessionSetup === undefined) ? [] : [{
      place: given.sessionNoise === undefined ? "--session-setup" : "--session-noise",
      message: "Cannot plan sessions with only one of --session-noise and --session-setup",
      fix: "give both",
    }],
    ...outputConflicts(given, resultsIn(given.out), given.out),
  ],
  more:
    `Measures each target against itself in ${BLOCKS} blocks (or --repeat). From the noise it derives the smallest
change that a number of runs would find; how many runs and minutes it takes to find a change of 1, 2, 5
and 10 %, with ab and with compare; and how long runs should be to need the least time.

Examples:
  plateau plan experiment.yaml
  plateau plan quick --repeat 7 --json plan.json`,
  fileProblems: ({ experiment, set }) => experimentProblems(experiment, set),
  run: (values): Promise<number> =>
    interruptible(async (signal) => {
      const { experiment: file } = values;
      const { experiment } = await loadExperiment(file, values.set);
      const names = pairedNames(Object.keys(experiment.targets));
      const folder = dirname(resolve(file));
      const planned = await planPairs(file, { ...values, repeat: values.repeat ?? BLOCKS }, {
        folders: { base: folder, head: folder },
        names,
        order: "blocks",
      });
      const outDir = await makeOutDir(values.out, `${experiment.name}-plan`);
      using _out = await occupy(outDir);
      await refuseUnfinished(outDir);
      const beganMs = performance.now();
      const results = await measurePairs(planned, outDir, { values, signal });
      if (signal.aborted) return EXIT.interrupted;
      verifyResults(results, { hasMissing: !values.quiet });
      const plan = planModel({
        ...revisionSides(results, names),
        name: experiment.name,
        marginRatio: values.margin,
        tookS: (performance.now() - beganMs) / 1_000,
        ...sessionsIn(values),
      });
      if (plan === null) {
        throw new InconclusiveError("Cannot plan: no cell has two pairs of measured runs");
      }
      await rememberPlan(experiment.name, {
        measuredAt: results.startedAt,
        blocks: plan.blocks,
        sentence: planSentence(plan).replaceAll(GLUE, " "),
      });
      const json = { schema: "plateau.plan/1", ...plan };
      const options = terminalOptions();
      const where = textLines([`Results  ${join(outDir, "results.json")}`], options);
      await writeOutputs(values, { json: () => jsonText(json, 2) }).finally(async () => {
        if (!takesStdout(values)) await print(renderBlocks(planBlocks(plan), options), where);
      });
      return EXIT.done;
    }),
});
