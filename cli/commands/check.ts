/** `plateau check FILE`: shows what `run` would do, without doing it. */
import * as z from "zod";
import { EXIT } from "../../base/errors.ts";
import { secrets, withoutSecrets } from "../../base/secrets.ts";
import { loadText, parametersText, scenarioLoads } from "../../report/subjects/method/load.ts";
import { formatDuration } from "../../report/writing/units.ts";
import { counted } from "../../report/writing/words.ts";
import { cellLabel } from "../../report/cells/cell_label.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { ExpectedTime } from "../../runner/experiment/expected_time.ts";
import { boundsOf, repeatSentence } from "../../runner/experiment/repetition_bounds.ts";
import { describeLoad } from "../../runner/measure/described_load.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";
import { stages } from "../../base/target/steps.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { jsonText } from "../../report/writing/json.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { experimentProblems, planFromFile } from "../experiment/plan.ts";
import { planFlags } from "../flags/flags.ts";
import { outputConflicts, outputFlags, takesStdout, writeOutputs } from "../flags/output_flags.ts";
import { print, terminalOptions } from "../terminal/terminal.ts";

export const checkCommand = defineCommand({
  parts: {
    file: {
      operand: "<FILE>",
      about:
        "A YAML or JSON file, a TypeScript module, an Artillery script, a k6 script, a JMeter plan, a HAR file, " +
        "or a built-in experiment",
      schema: z.string(),
    },
    as: {
      flags: "--as <FORM>",
      about: "Prints the resulting experiment file in this format: yaml",
      schema: z.enum(["yaml"]).optional(),
    },
    ...planFlags,
    json: { ...outputFlags.json, about: "The planned runs as JSON; - is standard output" },
  },
  conflicts: (given) =>
    outputConflicts(given, [{ path: String(given.file), by: "the experiment" }]),
  fileProblems: ({ file, set }) => experimentProblems(file, set),
  async run({ file, as, json, ...changes }): Promise<number> {
    const { experiment, plan: { cells }, notes, baseDir, source } = await planFromFile(
      file,
      changes,
    );
    if (as !== undefined) {
      await print(textLines(source.trimEnd().split("\n")));
      return EXIT.done;
    }
    const lines = [
      experiment.title ?? experiment.name,
      `${amountText(experiment, cells)}:`,
      ...cells.map((cell) => `  ${cell.scenario}, ${cellLabel(cell)}`),
      ...loadLines(experiment, cells),
      ...notes.map((note) => `Note: ${note}`),
      ...(experiment.parameters ? [`Parameters: ${parametersText(experiment.parameters)}`] : []),
    ];
    const targets = startedOf(cells);
    const startable = targets.size > 0 ? await import("../experiment/startable.ts") : null;
    const doubts = startable?.doubtsOf(targets) ?? [];
    lines.push(...doubts.map((doubt) => `Note: ${doubt}`));
    const told = [...notes, ...doubts];
    await writeOutputs({ json }, { json: () => jsonText(planJson(experiment, cells, told), 2) });
    if (!takesStdout({ json })) {
      await print(textLines(lines.map(withoutSecrets), terminalOptions()));
    }
    await startable?.checkStartable(targets, baseDir);
    return EXIT.done;
  },
});

/** The targets that start programs on this machine, keyed by name. */
function startedOf(cells: readonly Cell[]): Map<string, TargetSpec> {
  const all = cells.flatMap(({ target, targetSpec, others }) =>
    Object.entries({ ...others, [target]: targetSpec })
  );
  return new Map(
    all.filter(([, spec]) => "command" in spec || stages.some((stage) => spec[stage])),
  );
}

/**
 * The plan as JSON in the format `plateau.check/1`. Its expected times are the durations of the loads plus an estimate
 * for starts and stops.
 */
function planJson(
  { name, title, repeat, order }: Experiment,
  cells: readonly Cell[],
  notes: readonly string[],
): unknown {
  const { least, most } = plannedBounds({ repeat, order }, cells);
  const amountOf = ({ repetitions, expectedMs }: Amount): object => ({
    runs: repetitions * cells.length,
    expectedS: expectedMs / 1_000,
  });
  return {
    schema: "plateau.check/1",
    name,
    title: title ?? null,
    cells: cells.map(({ scenario, target, parameters, load }) => ({
      scenario,
      target,
      parameters: secrets.data(parameters),
      load: describeLoad(load, 0),
    })),
    least: amountOf(least),
    most: amountOf(most),
    notes,
  };
}

interface Amount {
  readonly repetitions: number;
  readonly expectedMs: number;
}

function plannedBounds(
  { repeat, order }: Pick<Experiment, "repeat" | "order">,
  cells: readonly Cell[],
): { readonly least: Amount; readonly most: Amount } {
  const expected = new ExpectedTime(order);
  const amountOf = (repetitions: number): Amount => ({
    repetitions,
    expectedMs: expected.expectedMs(Array<readonly Cell[]>(repetitions).fill(cells).flat()),
  });
  const { least, most } = boundsOf(repeat, expected.expectedMs(cells));
  return { least: amountOf(least), most: amountOf(most) };
}

/** Describes the load: in one line if all scenarios have the same load, otherwise in one line per scenario. */
function loadLines(experiment: Experiment, cells: readonly Cell[]): string[] {
  const runs = cells.map(({ scenario, load }) => ({ scenario, load: describeLoad(load, 0) }));
  const byScenario = [...scenarioLoads({ experiment, runs })];
  return byScenario.length === 0
    ? [`Load: ${loadText(runs)}`]
    : byScenario.map(([scenario, load]) => `Load of ${scenario}: ${load}`);
}

/**
 * Such as `15 runs of 3 cells, about 3 min`. If the number of runs is not fixed, says how it will be decided and within
 * which bounds.
 */
function amountText(experiment: Experiment, cells: readonly Cell[]): string {
  const { least, most } = plannedBounds(experiment, cells);
  const runsText = ({ repetitions }: Amount): string => counted(repetitions * cells.length, "run");
  const timeText = ({ expectedMs }: Amount): string => formatDuration(expectedMs / 1_000);
  const number = counted(cells.length, "cell");
  const sentence = repeatSentence(experiment.repeat);
  if (sentence === null) return `${runsText(least)} of ${number}, about ${timeText(least)}`;
  const amount = least.repetitions === most.repetitions
    ? `about ${runsText(least)}, ${timeText(least)}`
    : `from ${runsText(least)}, about ${timeText(least)}, to ${runsText(most)}, ${timeText(most)}`;
  return `${number}, ${sentence}: ${amount}`;
}
