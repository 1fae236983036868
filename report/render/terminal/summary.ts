/** The output of `plateau run` at its end. */
import { shownIn } from "../../blocks.ts";
import type { ReportModel } from "../../model.ts";
import { type TerminalOptions, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { blocksLines } from "./blocks.ts";
import { cardLines } from "./card.ts";
import { BLANK, lineOf } from "./line.ts";

/** The experiment's summary, with a line break at its end; the verdict is last, where nobody has to scroll back. */
export function renderSummary(
  { title, lead, groups, card }: ReportModel,
  options: TerminalOptions,
): Written<"terminal"> {
  return writtenLines([
    BLANK,
    lineOf(title, "bold"),
    ...blocksLines(lead, options),
    ...blocksLines(shownIn("terminal", groups), options),
    ...cardLines(card, options),
  ], options);
}
