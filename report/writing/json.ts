/** JSON: it steers no terminal, starts no command in a log, and is the same value when it is parsed. Pure. */
import { INVISIBLE, JSON_ESCAPES, withoutCommands } from "./control.ts";
import type { Written } from "./written.ts";

/** What JSON.stringify leaves of the controls. */
const C1 = /[\u007f-\u009f]/g;

/**
 * With a line break at its end.
 * @param indent Spaces of a level; absent: all on one line.
 */
export function jsonText(value: unknown, indent?: number): Written<"json"> {
  return `${visibleJson(JSON.stringify(value, null, indent))}\n` as Written<"json">;
}

/** None of these signs stands outside of strings, where `\uXXXX` is the sign itself (RFC 8259 §7). */
export function visibleJson(json: string): string {
  const visible = json.replace(C1, escapeOf).replace(INVISIBLE, escapeOf);
  return withoutCommands(visible, JSON_ESCAPES);
}

function escapeOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
