/** A document in a terminal, as `run`, `compare` and `ab` end with it. */
import { shownIn } from "../../blocks.ts";
import type { Document } from "../../document.ts";
import { figureText, winnersTable } from "../../subjects/verdict/card.ts";
import { type CardModel, claimCountsText } from "../../subjects/verdict/conclusion.ts";
import { type TerminalOptions, type TextLine, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { blocksLines } from "./blocks.ts";
import { BLANK, HANGING, lineOf, paragraphLines } from "./line.ts";
import { tableLines } from "./table.ts";

/** With a line break at its end; the verdict is last, where nobody has to scroll back. */
export function renderSummary(
  { title, lead, groups, card }: Document,
  options: TerminalOptions,
): Written<"terminal"> {
  return writtenLines([
    BLANK,
    lineOf(title, "bold"),
    ...blocksLines(shownIn("terminal", lead), options),
    ...blocksLines(shownIn("terminal", groups), options),
    ...card === null ? [] : cardLines(card, options),
  ], options);
}

function cardLines(card: CardModel, options: TerminalOptions): TextLine[] {
  const { sentence, notes, figure, winners, reliability, claims, next } = card;
  if (sentence === "") return [];
  const { width } = options;
  const table = winnersTable(winners);
  return [
    BLANK,
    ...paragraphLines(sentence, width, { style: "bold" }),
    ...notes.flatMap((note) => paragraphLines(note, width, HANGING)),
    ...(figure === null ? [] : paragraphLines(figureText(figure), width, HANGING)),
    ...(table === null ? [] : tableLines(table, options)),
    ...[
      ...(reliability === null ? [] : [reliability.sentence]),
      ...(claims === null ? [] : [`Claims: ${claimCountsText(claims)}`]),
      ...next.map(({ text }) => `Next: ${text}`),
    ].flatMap((text) => paragraphLines(text, width, HANGING)),
  ];
}
