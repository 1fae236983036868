/** JSON that can't control a terminal or start a command in a log, but still parses to the same value. Pure. */
import type { Written } from "./written.ts";

/** Control and invisible characters that JSON.stringify does not escape: DEL, C1, zero widths, directions, BOM. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/**
 * The second # of what might be a command in a CI log. Commands that begin with colons can't occur, because no line of
 * JSON begins with a colon.
 */
const COMMAND = /(?<=#)#/g;

/** A value as JSON that ends with a line break. @param indent Spaces per level. Default: everything is on one line. */
export function jsonText(value: unknown, indent?: number): Written<"json"> {
  return `${visibleJson(JSON.stringify(value, null, indent))}\n` as Written<"json">;
}

/**
 * Escapes invisible characters, and possible commands, as `\uXXXX`. This is safe because these characters occur only in
 * strings (RFC 8259 §7).
 */
export function visibleJson(json: string): string {
  const visible = json.replace(INVISIBLE, escapeOf);
  return visible.includes("##") ? visible.replace(COMMAND, escapeOf) : visible;
}

function escapeOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
