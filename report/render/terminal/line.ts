/** Lays out lines of text: shortens, pads and wraps them. The text may come from outside; the writer escapes it. */
import { fitted, widthOf, wrapped } from "../../writing/columns.ts";
import {
  encoded,
  type Style,
  type TerminalOptions,
  type TextLine,
  type TextSpan,
} from "../../writing/terminal.ts";

export const BLANK: TextLine = [];

/** A line that consists of one text in one style. */
export function lineOf(text: string, style?: Style): TextLine {
  return [{ text, style }];
}

/**
 * Wraps text into lines of at most `width` columns. All lines except the first are indented, so that paragraphs can be
 * told apart.
 */
export function paragraphLines(text: string, width: number, style?: Style): TextLine[] {
  return wrapped(text, width, "  ").map((line) => lineOf(line, style));
}

/** Removes white space from the end of a line. */
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
