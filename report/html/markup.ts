/**
 * Markup from template literals: every interpolated text is escaped, so that nothing from outside can
 * become an element or attribute; only what was made here goes in as it is.
 */

export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | null | readonly Part[];

export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, i) => text + textOf(parts[i - 1]) + string));
}

function textOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Markup) return part.text;
  return Array.isArray(part) ? part.map(textOf).join("") : escaped(String(part));
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for content and quoted attributes; control characters, which HTML forbids, become U+FFFD. */
function escaped(text: string): string {
  // deno-lint-ignore no-control-regex -- HTML §13.2.3.5 forbids exactly these
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}

/** JSON that cannot end its script element or open a comment (HTML §4.12.1.3). */
export function scriptJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll("<", "\\u003c"));
}
