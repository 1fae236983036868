/** Lays out lines: shortens, pads and wraps them. Their text may be from outside, and is escaped by the writer. */
import { fitted, padEnd, widthOf, wrapped } from "../../writing/columns.ts";
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

interface ParagraphStyle {
  /** Put before every line except the first. */
  readonly indent?: string;
  readonly style?: Style;
}

/** Indents all lines but the first, which separates a paragraph from the next one. */
export const HANGING: ParagraphStyle = { indent: "  " };

/** Wraps text into lines of at most `width` columns, in one style. */
export function paragraphLines(
  text: string,
  width: number,
  { indent = "", style }: ParagraphStyle = {},
): TextLine[] {
  return wrapped(text, width, indent).map((line) => lineOf(line, style));
}

/** The line moved to the right by two columns. */
export function indented(line: TextLine): TextLine {
  return [{ text: "  " }, ...line];
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

/** A cell of a column: padded to `width`. */
export function cell(text: string, width: number, style?: Style): TextSpan {
  return { text: padEnd(text, width), style };
}
