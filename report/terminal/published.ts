/** Published figures beside the measured ones, in a paragraph a table; the page has the rest. */
import type { PublishedModel } from "../published/model.ts";
import { harmless, styled, type TerminalOptions, wrapped } from "./text.ts";

const MOST_DIFFERENCES = 3;

export function publishedLines(
  tables: readonly PublishedModel[],
  options: TerminalOptions,
): string[] {
  return tables.flatMap(({ title, finding, differences, missing }) => [
    "",
    styled(harmless(`Published: ${title}`), "cyan", options),
    ...[finding, missing].flatMap((text) =>
      text === "" ? [] : wrapped(harmless(text), options.width)
    ),
    ...differences.slice(0, MOST_DIFFERENCES).flatMap((text) =>
      wrapped(harmless(text), options.width - 2, "  ").map((line) => `  ${line}`)
    ),
  ]);
}
