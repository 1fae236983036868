/**
 * Text for people, on a terminal or in a log. A line is spans of plain text, each with its style; here
 * alone they become bytes: control characters are written out, signs are put into ASCII where there is
 * no Unicode, and styles become SGR codes where there is colour. No line begins a command of a CI
 * service, wherever it goes, as a log may stand behind a pseudo-terminal, too. Pure.
 */
import { GLUE } from "../model/numbers/units.ts";
import { harmless, withoutCommands } from "./control.ts";
import type { Written } from "./written.ts";

/** The terminal: its width in columns, its colours and signs. */
export interface TerminalOptions {
  readonly width: number;
  readonly color: boolean;
  /** False: ASCII only. */
  readonly unicode: boolean;
}

/** What bytes it takes; as they are: no colours, and all signs. */
export type TerminalSigns = Partial<Pick<TerminalOptions, "color" | "unicode">>;

/** By the codes of SGR (ECMA-48 §8.3.117). */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** A piece of a line; its text may be from outside. */
export interface TextSpan {
  readonly text: string;
  readonly style?: Style;
}

export type TextLine = readonly TextSpan[];

/** Lines with their breaks. */
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

/** A question, after which the cursor stays in its line. */
export function prompt(text: string): Written<"terminal"> {
  return printed([{ text }]);
}

/** A line without its break. */
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
 * Text as the terminal shows it, to measure its width: without Unicode the signs of Plateau itself
 * in ASCII, outside text as it is, and what would steer the terminal written out.
 */
export function encoded(text: string, { unicode }: Pick<TerminalOptions, "unicode">): string {
  const plain = harmless(text).replaceAll(GLUE, " ");
  return unicode ? plain : plain.replace(SIGNS, (sign) => ASCII[sign]);
}
