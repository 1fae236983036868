/** The output of `plateau plan`: what the machine can see, verdict first. */
import {
  alarmSentence,
  neededTable,
  noiseTable,
  type PlanModel,
  planSentence,
  seenTable,
} from "../../subjects/planning.ts";
import { formatDuration } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { Table } from "../../subjects/tables/table.ts";
import { type TerminalOptions, type TextLine, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { BLANK, HANGING, lineOf, paragraphLines } from "./line.ts";
import { tableLines } from "./table.ts";

export function renderPlan(plan: PlanModel, options: TerminalOptions): Written<"terminal"> {
  const { name, cells, blocks, blockS } = plan;
  const what = `${name}: ${counted(cells.length, "cell")}, each compared with itself in ` +
    `${counted(blocks, "block")} of ${formatDuration(blockS)}`;
  return writtenLines([
    ...paragraphLines(planSentence(plan), options.width, { ...HANGING, style: "bold" }),
    BLANK,
    ...captioned(neededTable(plan), options),
    ...captioned(seenTable(plan), options),
    ...captioned(noiseTable(plan), options),
    ...paragraphLines(alarmSentence(plan), options.width),
    ...paragraphLines(what, options.width),
  ], options);
}

function captioned(table: Table, options: TerminalOptions): TextLine[] {
  return [
    lineOf(table.caption, "cyan"),
    ...tableLines(table, options),
    ...table.notes.flatMap((note) => paragraphLines(note, options.width)),
    BLANK,
  ];
}
