/** `plateau check FILE`: what `run` would do, without doing it. */
import { z } from "zod";
import { cellLabel } from "../report/cells.ts";
import { formatDuration } from "../report/units.ts";
import { counted } from "../report/words.ts";
import { Schedule } from "../runner/schedule.ts";
import { EXIT } from "../scenarios/errors.ts";
import { planCells } from "../scenarios/plan.ts";
import { defineCommand } from "./define.ts";
import { planFlags } from "./flags.ts";
import { planFromFile } from "./planned.ts";
import { print } from "./terminal.ts";

export const check = defineCommand({
  parts: {
    file: {
      operand: "<FILE>",
      about: "A YAML or JSON file, or a built-in experiment",
      schema: z.string(),
    },
    ...planFlags,
  },
  async run({ file, ...changes }): Promise<number> {
    const { experiment, runs } = await planFromFile(file, changes);
    const cells = planCells(experiment, changes.only);
    const expected = formatDuration(new Schedule(runs).remainingMs(0) / 1_000);
    const lines = [
      experiment.title ?? experiment.name,
      `${counted(runs.length, "run")} of ${counted(cells.length, "cell")}, about ${expected}:`,
      ...cells.map((cell) => `  ${cell.scenario}, ${cellLabel(cell)}`),
    ];
    await print(lines.join("\n") + "\n");
    return EXIT.done;
  },
});
