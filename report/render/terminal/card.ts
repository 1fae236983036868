/** The card of an experiment, or of two results held against each other, as the last lines of a terminal. */
import { figureText, winnersTable } from "../../subjects/verdict/card.ts";
import { type CardModel, claimCountsText } from "../../subjects/verdict/conclusion.ts";
import type { TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { BLANK, HANGING, paragraphLines } from "./line.ts";
import { tableLines } from "./table.ts";

export function cardLines(card: CardModel, options: TerminalOptions): TextLine[] {
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
