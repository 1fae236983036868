/** A line of the screen in pieces, each with its style, so that it can be measured and cut before it is coloured. */
import {
  encoded,
  fitted,
  padEnd,
  type Style,
  styled,
  type TerminalOptions,
  widthOf,
} from "./text.ts";

export interface Piece {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Piece[];

type Signs = Pick<TerminalOptions, "unicode">;

/** The line as it is written, cut to `width` columns; outside text in it is harmless already. */
export function fittedLine(pieces: Line, width: number, options: Signs): Line {
  const line: Piece[] = [];
  let left = width;
  for (const { text, style } of pieces) {
    const piece = fitted(encoded(text, options), left, options.unicode);
    left -= widthOf(piece);
    line.push({ text: piece, style });
    if (left <= 0) break;
  }
  return line;
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0);
}

export function printed(line: Line, options: Pick<TerminalOptions, "color">): string {
  return line.map(({ text, style }) => style ? styled(text, style, options) : text).join("");
}

/** Pieces of a column: filled up to `width`. */
export function cell(text: string, width: number, style?: Style): Piece {
  return { text: padEnd(text, width), style };
}
