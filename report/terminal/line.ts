/** Lines laid out: cut, filled up, broken. What is in them may be from outside: it is escaped where it is written. */
import { fitted, padEnd, widthOf, wrapped } from "../writing/columns.ts";
import {
  encoded,
  type Line,
  type Span,
  type Style,
  type TerminalOptions,
} from "../writing/terminal.ts";

export const BLANK: Line = [];

/** One of text in one style. */
export function lineOf(text: string, style?: Style): Line {
  return [{ text, style }];
}

export interface ParagraphStyle {
  /** Before every line but the first. */
  readonly indent?: string;
  readonly style?: Style;
}

/** So that a paragraph is told from the next one. */
export const HANGING: ParagraphStyle = { indent: "  " };

/** Lines of at most `width` columns, in one style. */
export function paragraph(
  text: string,
  width: number,
  { indent = "", style }: ParagraphStyle = {},
): Line[] {
  return wrapped(text, width, indent).map((line) => lineOf(line, style));
}

/** Two columns to the right. */
export function indented(line: Line): Line {
  return [{ text: "  " }, ...line];
}

/** The line without white space at its end. */
export function trimmed(line: Line): Line {
  const last = line.findLastIndex(({ text }) => text.trimEnd() !== "");
  return line.slice(0, last + 1)
    .map((span, i) => i === last ? { ...span, text: span.text.trimEnd() } : span);
}

/** The line cut to `width` columns. */
export function fittedLine(
  spans: Line,
  width: number,
  options: Pick<TerminalOptions, "unicode">,
): Line {
  const line: Span[] = [];
  let left = width;
  for (const { text, style } of spans) {
    const span = fitted(encoded(text, options), left, options.unicode);
    left -= widthOf(span);
    line.push({ text: span, style });
    if (left <= 0) break;
  }
  return line;
}

/** A span of a column: filled up to `width`. */
export function cell(text: string, width: number, style?: Style): Span {
  return { text: padEnd(text, width), style };
}
