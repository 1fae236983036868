/** Text for a terminal: outside text made harmless, widths, colours. Pure. */
import { GLUE } from "../units.ts";

/** How the terminal is: its width in columns, and what it can show. */
export interface TerminalOptions {
  readonly width: number;
  readonly color: boolean;
  /** False: ASCII only. */
  readonly unicode: boolean;
}

// deno-lint-ignore no-control-regex -- these are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Outside text on one line, with everything that could steer a terminal written out: ESC as \x1b. */
export function harmless(text: string): string {
  return text.replace(CONTROL, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code}`;
  });
}

/** Wide and fullwidth by Unicode's EastAsianWidth.txt, and pictographs. */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3" +
    "\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6" +
    "\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{20000}-\\u{3fffd}\\p{Extended_Pictographic}]",
  "u",
);
const NARROW_PICTOGRAPHS = /[©®™]/;
/** Marks, and the vowels and finals of Hangul, which stand within what begins their syllable. */
const COMBINING = /[\p{M}\u1160-\u11ff]/u;

/** Columns that `text` takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING.test(character)) continue;
    width += WIDE.test(character) && !NARROW_PICTOGRAPHS.test(character) ? 2 : 1;
  }
  return width;
}

/** `text` cut to `width` columns, with an ellipsis where something is missing. */
export function fitted(text: string, width: number, unicode = true): string {
  if (widthOf(text) <= width) return text;
  const ellipsis = unicode ? "…" : ".";
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return width > 0 ? kept + ellipsis : "";
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Signs that take more columns where there is no Unicode. */
const WIDENING = /[±≥≤→…∞]/g;

/** Columns that `text` takes, at most. */
function mostWidthOf(text: string): number {
  return widthOf(text) + 2 * (text.match(WIDENING)?.length ?? 0);
}

/** Lines of at most `width` columns, broken at spaces where there are any; later lines are indented. */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((word) => chunksOf(word, width - indent.length))) {
    if (line && mostWidthOf(line) + 1 + mostWidthOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

/** A word that is wider than a line, in pieces that are not. */
function chunksOf(word: string, width: number): string[] {
  const chunks = [""];
  for (const character of word) {
    const last = chunks.length - 1;
    if (chunks[last] && widthOf(chunks[last] + character) > width) chunks.push(character);
    else chunks[last] += character;
  }
  return chunks;
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** SGR codes around `text`, or `text` itself without colour. */
export function styled(
  text: string,
  style: Style,
  { color }: Pick<TerminalOptions, "color">,
): string {
  return color && text ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
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

/** Text as the terminal can show it: without Unicode the signs of Plateau itself in ASCII, outside text as it is. */
export function encoded(text: string, { unicode }: Pick<TerminalOptions, "unicode">): string {
  const plain = text.replaceAll(GLUE, " ");
  return unicode ? plain : plain.replace(SIGNS, (sign) => ASCII[sign]);
}

/** Lines with outside text in them, harmless and as the terminal can show them. */
export function shownLines(
  lines: readonly string[],
  options: Pick<TerminalOptions, "unicode">,
): string {
  return lines.map((line) => `${encoded(harmless(line), options)}\n`).join("");
}
