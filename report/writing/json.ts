/** JSON: it steers no terminal, starts no command in a log, and is the same value when it is parsed. Pure. */
import type { Written } from "./written.ts";

/** Control and invisible characters that JSON.stringify leaves: DEL, C1, zero widths, directions, BOM. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** The second # of a command in a CI log; a line of JSON begins with no colon. */
const COMMAND = /(?<=#)#/g;

/**
 * With a line break at its end.
 * @param indent Spaces of a level; absent: all on one line.
 */
export function jsonText(value: unknown, indent?: number): Written<"json"> {
  return `${visibleJson(JSON.stringify(value, null, indent))}\n` as Written<"json">;
}

/** None of these signs stands outside of strings, where `\uXXXX` is the sign itself (RFC 8259 §7). */
export function visibleJson(json: string): string {
  const visible = json.replace(INVISIBLE, escapeOf);
  return visible.includes("##") ? visible.replace(COMMAND, escapeOf) : visible;
}

function escapeOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
