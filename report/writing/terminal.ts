/**
 * Text for people to read on a terminal or in a log. A line consists of spans of plain text, each with a style. Only
 * this file turns lines into output: it escapes control characters, replaces special characters with ASCII if the
 * receiver lacks Unicode, and turns styles into SGR codes if it has colour. No line can be taken for a command by a CI
 * service, not even on a terminal, because output to a pseudo-terminal may end up in a log. Pure.
 */
import { GLUE } from "./units.ts";
import { widthOf } from "./columns.ts";
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

/** What a terminal can show. The width is in columns. */
export interface TerminalOptions {
  readonly width: number;
  readonly color: boolean;
  /** False if only ASCII can be shown. */
  readonly unicode: boolean;
}

/** What the receiver of the output can show. Default: no colours, but all characters. */
export type TerminalSigns = Partial<Pick<TerminalOptions, "color" | "unicode">>;

/** SGR parameters that select a style (ECMA-48 §8.3.117). */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** A piece of a line. Its text may come from outside, because it is escaped when it is printed. */
export interface TextSpan {
  readonly text: string;
  readonly style?: Style;
}

export type TextLine = readonly TextSpan[];

/** The text of lines, each ended by a line break. */
export function writtenLines(
  lines: readonly TextLine[],
  options: TerminalSigns = {},
): Written<"terminal"> {
  return lines.map((line) => `${printed(line, options)}\n`).join("") as Written<"terminal">;
}

/** The text of lines without styles, each ended by a line break. */
export function textLines(
  texts: readonly string[],
  options: TerminalSigns = {},
): Written<"terminal"> {
  return writtenLines(texts.map((text) => [{ text }]), options);
}

/** The text of a question, without a line break, so that the cursor stays on the line. */
export function prompt(text: string): Written<"terminal"> {
  return printed([{ text }]);
}

/** The text of one line, without a line break. */
export function printed(
  line: TextLine,
  { color = false, unicode = true }: TerminalSigns = {},
): Written<"terminal"> {
  const texts = line.map(({ text, style }) => {
    const shown = encoded(text, { unicode });
    return color && style && shown ? `\x1b[${STYLES[style]}m${shown}\x1b[0m` : shown;
  });
  return withoutCommands(texts.join("")) as Written<"terminal">;
}

const ASCII: Record<string, string> = {
  "µ": "u",
  "–": "-",
  "×": "x",
  "·": "|",
  "±": "+-",
  "≥": ">=",
  "≤": "<=",
  "∞": "inf",
  "→": "->",
  "…": "...",
  "█": "#",
  "▏": "|",
  "━": "=",
  "─": "-",
  "░": ".",
  "✓": "+",
  "✗": "x",
  "−": "-",
  "÷": "/",
  "’": "'",
};
const SIGNS = new RegExp(`[${Object.keys(ASCII).join("")}]`, "g");

/**
 * The text as the terminal shows it: control characters are written out and, without Unicode, the special characters
 * that Plateau uses become ASCII. Measure the width of the result, because it may be wider than `text`.
 */
export function encoded(text: string, { unicode }: Pick<TerminalOptions, "unicode">): string {
  const plain = harmless(text).replaceAll(GLUE, " ");
  return unicode ? plain : plain.replace(SIGNS, (sign) => ASCII[sign]);
}

// The changing part of a terminal: the last lines that were written, with the cursor in the row
// below them. The cursor is never hidden and the keyboard mode is never changed, so the terminal
// works however the program ends. Each change is returned as the text to write.

const ERASE_TO_LINE_END = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const ERASE_LINE = "\x1b[2K";

export class Screen {
  /** Width of each shown line, in columns. */
  #shown: readonly number[] = [];

  constructor(private readonly options: TerminalSigns) {}

  /** Leaves the shown lines in place for good. Call it once other output has been written below them. */
  forget(): void {
    this.#shown = [];
  }

  /**
   * Replaces the shown lines by `lines`, and writes the permanent lines `lasting` above them.
   * @param columns Current width of the terminal. If it became narrower, it has wrapped the shown lines.
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
    // Overwriting the old lines avoids flicker. But if there are permanent lines, which may wrap,
    // the old lines are erased first.
    const isOver = lasting.length === 0 && lines.length > 0;
    if (isOver) {
      const up = rows === 0 ? "\r" : `\r\x1b[${rows}A`;
      return `${up}${texts}${ERASE_BELOW}` as Written<"terminal">;
    }
    // Erase line by line, because a terminal that is told to erase everything from its first row on
    // keeps a copy in its scrollback.
    const erased = `\r${ERASE_LINE}${`\x1b[A${ERASE_LINE}`.repeat(rows)}`;
    return `${erased}${writtenLines(lasting, this.options)}${texts}` as Written<"terminal">;
  }
}

export function lineWidth(line: TextLine): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0);
}
