/** Lays out lines: shortens, pads and wraps them. Their text may be from outside, and is escaped by the writer. */
import { fitted, widthOf, wrapped } from "../../writing/columns.ts";
import {
  encoded,
  type Style,
  type TerminalOptions,
  type TextLine,
  type TextSpan,
} from "../../writing/terminal.ts";

export const BLANK: TextLine = [];

/** A line with one text in one style. */
export function lineOf(text: string, style?: Style): TextLine {
  return [{ text, style }];
}

/**
 * Wraps text into lines of at most `width` columns. Lines after the first are indented, to show where a paragraph
 * begins.
 */
export function paragraphLines(text: string, width: number, style?: Style): TextLine[] {
  return wrapped(text, width, "  ").map((line) => lineOf(line, style));
}

/** The line without white space at its end. */
export function trimmed(line: TextLine): TextLine {
  const last = line.findLastIndex(({ text }) => text.trimEnd() !== "");
  return line.slice(0, last + 1)
    .map((span, i) => i === last ? { ...span, text: span.text.trimEnd() } : span);
}

/** The line shortened to `width` columns. */
export function fittedLine(
  spans: TextLine,
  width: number,
  options: Pick<TerminalOptions, "unicode">,
): TextLine {
  const line: TextSpan[] = [];
  let left = width;
  for (const { text, style } of spans) {
    const span = fitted(encoded(text, options), left, options.unicode);
    left -= widthOf(span);
    line.push({ text: span, style });
    if (left <= 0) break;
  }
  return line;
}
