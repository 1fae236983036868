/** A document in a terminal, as printed at the end of `run`, `compare` and `ab`. */
import { group, saidOnce, shownIn } from "../../blocks.ts";
import type { Document } from "../../document.ts";
import { cardBlocks } from "../../subjects/verdict/conclusion.ts";
import { type TerminalOptions, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { blocksLines } from "./blocks.ts";

/**
 * The text of a document, which ends with a line break. The verdict comes last, so that nobody has to scroll back.
 * @param hasToldMissing Whether the progress output has already listed the missing measurements and why they are
 * missing.
 */
export function renderSummary(
  { title, lead, groups, card, scenarios }: Document,
  options: TerminalOptions,
  hasToldMissing = false,
): Written<"terminal"> {
  const only = scenarios.length === 1 ? scenarios[0].name : null;
  const told = groups.filter(({ id }) => !(hasToldMissing && id === "missing"));
  return writtenLines(
    blocksLines([
      group(title, saidOnce(shownIn("terminal", told), only)),
      group("Verdict", [...lead, ...card === null ? [] : cardBlocks(card)]),
    ], options),
    options,
  );
}
