/** Published figures beside the measured ones, in a paragraph a table; the page has the rest. */
import type { PublishedModel } from "../model/published/model.ts";
import type { Line, TerminalOptions } from "../writing/terminal.ts";
import { BLANK, HANGING, indented, lineOf, paragraph } from "./line.ts";

const MOST_DIFFERENCES = 3;

export function publishedLines(
  tables: readonly PublishedModel[],
  { width }: TerminalOptions,
): Line[] {
  return tables.flatMap(({ title, finding, differences, missing }) => [
    BLANK,
    lineOf(`Published: ${title}`, "cyan"),
    ...[finding, missing].flatMap((text) => text === "" ? [] : paragraph(text, width)),
    ...differences.slice(0, MOST_DIFFERENCES).flatMap((text) =>
      paragraph(text, width - 2, HANGING).map(indented)
    ),
  ]);
}
