/**
 * The part of a terminal that changes: lines at the end of what was written, with the cursor in the row
 * below them. The cursor is never hidden and the keyboard never touched, so that whatever ends the program
 * leaves a terminal that works. Pure: each change is the text that makes it.
 */
import { widthOf } from "./columns.ts";
import { printed, type TerminalSigns, type TextLine, writtenLines } from "./terminal.ts";
import type { Written } from "./written.ts";

const ERASE_TO_LINE_END = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const ERASE_LINE = "\x1b[2K";

export class Screen {
  /** Columns of each line that is shown. */
  #shown: readonly number[] = [];

  constructor(private readonly options: TerminalSigns) {}

  /** What is shown is not below anything of ours any more: it stays. */
  forget(): void {
    this.#shown = [];
  }

  /**
   * Shows `lines` in place of those before, below `lasting`, which stay.
   * @param columns Of the terminal now: one that became narrower has broken the lines that it shows.
   */
  changed(
    lines: readonly TextLine[],
    columns: number,
    lasting: readonly TextLine[] = [],
  ): Written<"terminal"> {
    const rows = this.#shown.reduce((sum, one) => sum + Math.max(1, Math.ceil(one / columns)), 0);
    this.#shown = lines.map(lineWidth);
    const texts = lines
      .map((line) => `${printed(line, this.options)}${ERASE_TO_LINE_END}\n`)
      .join("");
    // Over the old lines, which doesn't flicker. What stays may be wider than a line, and needs them erased.
    const isOver = lasting.length === 0 && lines.length > 0;
    const change = isOver
      ? `${upBy(rows)}${texts}${ERASE_BELOW}`
      : `${erased(rows)}${writtenLines(lasting, this.options)}${texts}`;
    return change as Written<"terminal">;
  }
}

export function lineWidth(line: TextLine): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0);
}

function upBy(rows: number): string {
  return rows === 0 ? "\r" : `\r\x1b[${rows}A`;
}

/** Line by line: a terminal that erases everything below its first row keeps it for scrolling back. */
function erased(rows: number): string {
  return `\r${ERASE_LINE}${`\x1b[A${ERASE_LINE}`.repeat(rows)}`;
}
