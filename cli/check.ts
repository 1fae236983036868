/** `plateau check FILE`: what `run` would do, without doing it. */
import { z } from "zod";
import { cellLabel } from "../report/cells.ts";
import { formatDuration, GLUE } from "../report/units.ts";
import { counted } from "../report/words.ts";
import { boundsOf, repeatSentence } from "../runner/repetition.ts";
import { Schedule } from "../runner/schedule.ts";
import { EXIT } from "../scenarios/errors.ts";
import type { Cell } from "../scenarios/plan.ts";
import type { Repeat } from "../scenarios/repetition.ts";
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
    const { experiment: { name, title, repeat }, plan: { cells } } = await planFromFile(
      file,
      changes,
    );
    const lines = [
      title ?? name,
      `${amountText(repeat, cells)}:`,
      ...cells.map((cell) => `  ${cell.scenario}, ${cellLabel(cell)}`),
    ];
    await print(lines.join("\n").replaceAll(GLUE, " ") + "\n");
    return EXIT.done;
  },
});

/** `15 runs of 3 cells, about 3 min`, or how that will be decided, and between which bounds. */
function amountText(repeat: Repeat, cells: readonly Cell[]): string {
  const blockMs = new Schedule().expectedMs(cells);
  const { least, most } = boundsOf(repeat, blockMs);
  const runsText = (repetitions: number): string => counted(repetitions * cells.length, "run");
  const timeText = (repetitions: number): string => formatDuration(repetitions * blockMs / 1_000);
  const number = counted(cells.length, "cell");
  const sentence = repeatSentence(repeat);
  if (sentence === null) return `${runsText(least)} of ${number}, about ${timeText(least)}`;
  const amount = least === most
    ? `about ${runsText(least)}, ${timeText(least)}`
    : `from ${runsText(least)}, about ${timeText(least)}, to ${runsText(most)}, ${timeText(most)}`;
  return `${number}, ${sentence}: ${amount}`;
}
