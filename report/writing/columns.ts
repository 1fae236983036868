/**
 * Text in columns of a terminal: its width, and how it is cut, padded and wrapped. All functions treat text as it will
 * be shown, in which a control character is written as an escape and takes as many columns as that has. Pure.
 *
 * Written by hand, because the library string-width takes 24 ms to load (13 of them for the data of `Intl.Segmenter`),
 * which would delay the first request of every `bench`. A test compares the two. The library wrap-ansi rewrites text
 * (NFC) and has no hanging indent.
 */
import { harmless } from "../../base/control.ts";

/**
 * Wide and fullwidth characters according to Unicode's EastAsianWidth.txt, and characters that are emoji by default.
 */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2329\\u232a\\u2630-\\u2637\\u268a-\\u268f\\u2e80-\\u303e\\u3041-\\u3247" +
    "\\u3250-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f" +
    "\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{1d300}-\\u{1d376}" +
    "\\u{1f200}-\\u{1f265}\\u{20000}-\\u{3fffd}]|(?!\\p{Regional_Indicator})\\p{Emoji_Presentation}",
  "u",
);
/**
 * Characters without a width of their own: marks, invisible characters, and vowels and finals of Hangul, which combine
 * with their syllable.
 */
const COMBINING = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/u;
/** A skin tone after a character that can have one. It takes no column of its own. */
const SKIN = /(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}/gu;
/** Turns the character before it into an emoji, which is two columns wide. */
const AS_EMOJI = "\ufe0f";

/** Number of columns that `text` takes. */
export function widthOf(text: string): number {
  return shownWidth(harmless(text));
}

/**
 * Characters that are one column wide and make up most texts: ASCII, GLUE, · – … and the characters of bars and frames.
 */
const NARROW = /^[ -~\u00a0\u00b7\u2013\u2026\u2500-\u259f]*$/;

function shownWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  let last = 0;
  for (const character of text.replace(SKIN, "")) {
    if (character === AS_EMOJI) width += last === 1 ? 1 : 0;
    last = COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    width += last;
  }
  return width;
}

/** `text` shortened to `width` columns, with an ellipsis if anything was cut off. */
export function fitted(text: string, width: number, unicode = true): string {
  const shown = harmless(text);
  if (shownWidth(shown) <= width) return shown;
  const ellipsis = unicode ? "…" : ".";
  let kept = "";
  for (const character of shown) {
    if (shownWidth(kept + character) > width - 1) break;
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

/** Characters whose replacements on terminals without Unicode take more columns. */
const WIDENING = /[±≥≤→…∞]/g;

/** The most columns that `text` may take, with or without Unicode. */
function mostWidthOf(text: string): number {
  return widthOf(text) + 2 * (text.match(WIDENING)?.length ?? 0);
}

/** Lines of at most `width` columns, broken at spaces if possible. All lines but the first begin with `indent`. */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (
    const word of harmless(text).split(/ (?!%)/)
      .flatMap((word) => chunksOf(word, width - indent.length))
  ) {
    if (line && mostWidthOf(line) + 1 + mostWidthOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

/** Splits a word that is wider than a line into pieces that fit. */
function chunksOf(word: string, width: number): string[] {
  const chunks = [""];
  for (const character of word) {
    const last = chunks.length - 1;
    if (chunks[last] && widthOf(chunks[last] + character) > width) chunks.push(character);
    else chunks[last] += character;
  }
  return chunks;
}
