/** Makes HTML in which no text can become an element, an attribute or a command in the log of a CI service. Pure. */
import { REFERENCES, withoutCommands } from "../../base/control.ts";
import { visibleJson } from "./json.ts";
import { Fragment, templateOf, type Written } from "./written.ts";

export type Markup = Fragment<"html">;

export const markup = templateOf("html", escaped);

/** Markup that Plateau itself consists of, such as styles, scripts and names of attributes. It is not escaped. */
export function verbatim(text: string): Markup {
  return new Fragment("html", text as Written<"html">);
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that have a meaning in HTML, and invisible characters: zero widths, line separators, directions, BOM. */
const SPECIAL = /[&<>"'\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Escapes text for content and for quoted attributes. Control characters, which HTML forbids, become U+FFFD. Invisible
 * characters become references, which browsers understand and which do nothing in a terminal.
 */
function escaped(text: string): string {
  // deno-lint-ignore no-control-regex -- HTML §13.2.3.5 forbids exactly these
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd")
    .replace(SPECIAL, (sign) => ENTITIES[sign] ?? `&#x${sign.charCodeAt(0).toString(16)};`);
  return withoutCommands(allowed, REFERENCES);
}

/** Data for the page's script, as JSON that can't end its script element or open a comment (HTML §4.12.1.3). */
export function dataScript(id: string, value: unknown): Markup {
  const json = visibleJson(JSON.stringify(value)).replaceAll("<", "\\u003c");
  return markup`<script type="application/json" id="${id}">${verbatim(json)}</script>`;
}
