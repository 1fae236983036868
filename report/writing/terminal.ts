/**
 * Text for people, on a terminal or in a log. A line is spans of plain text, each with its style; here
 * alone they become bytes: control characters are written out, signs are put into ASCII where there is
 * no Unicode, and styles become SGR codes where there is colour. No line begins a command of a CI
 * service, not even on a terminal, because behind a pseudo-terminal there may be a log. Pure.
 */
import { GLUE } from "./units.ts";
import { widthOf } from "./columns.ts";
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

/** The capabilities of a terminal: its width in columns, colours and characters. */
export interface TerminalOptions {
  readonly width: number;
  readonly color: boolean;
  /** False: ASCII only. */
  readonly unicode: boolean;
}

/** What the receiver of the bytes can show. Default: no colours, and all characters. */
export type TerminalSigns = Partial<Pick<TerminalOptions, "color" | "unicode">>;

/** Codes of SGR (ECMA-48 §8.3.117). */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** A piece of a line; its text may be from outside. */
export interface TextSpan {
  readonly text: string;
  readonly style?: Style;
}

export type TextLine = readonly TextSpan[];

/** Lines with line breaks. */
export function writtenLines(
  lines: readonly TextLine[],
  options: TerminalSigns = {},
): Written<"terminal"> {
  return lines.map((line) => `${printed(line, options)}\n`).join("") as Written<"terminal">;
}

/** Lines without styles. */
export function textLines(
  texts: readonly string[],
  options: TerminalSigns = {},
): Written<"terminal"> {
  return writtenLines(texts.map((text) => [{ text }]), options);
}

/** A question, after which the cursor stays on the line. */
export function prompt(text: string): Written<"terminal"> {
  return printed([{ text }]);
}

/** A line without a line break. */
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
 * Text as the terminal shows it, for measuring its width: without Unicode, Plateau's own special characters become
 * ASCII, text from outside is left as it is, and control characters are written out.
 */
export function encoded(text: string, { unicode }: Pick<TerminalOptions, "unicode">): string {
  const plain = harmless(text).replaceAll(GLUE, " ");
  return unicode ? plain : plain.replace(SIGNS, (sign) => ASCII[sign]);
}

// The part of a terminal that changes: lines at the end of what was written, with the cursor in the row below them.
// The cursor is never hidden and the keyboard never touched, so that whatever ends the program leaves a terminal that
// works. Each change is returned as the text that makes it.

const ERASE_TO_LINE_END = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const ERASE_LINE = "\x1b[2K";

export class Screen {
  /** Columns of each line that is shown. */
  #shown: readonly number[] = [];

  constructor(private readonly options: TerminalSigns) {}

  /** Leaves the shown lines where they are, because they are no longer at the end of the output. */
  forget(): void {
    this.#shown = [];
  }

  /**
   * Replaces the shown lines by `lines`, below the permanent lines `lasting`.
   * @param columns Current width of the terminal: if it became narrower, it has wrapped the shown lines.
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
    // Overwriting the old lines avoids flicker. Permanent lines may be wider than the terminal, so they require
    // erasing.
    const isOver = lasting.length === 0 && lines.length > 0;
    if (isOver) {
      const up = rows === 0 ? "\r" : `\r\x1b[${rows}A`;
      return `${up}${texts}${ERASE_BELOW}` as Written<"terminal">;
    }
    // Line by line, because a terminal that erases everything below its first row keeps a copy in its scrollback.
    const erased = `\r${ERASE_LINE}${`\x1b[A${ERASE_LINE}`.repeat(rows)}`;
    return `${erased}${writtenLines(lasting, this.options)}${texts}` as Written<"terminal">;
  }
}

export function lineWidth(line: TextLine): number {
  return line.reduce((width, { text }) => width + widthOf(text), 0);
}
