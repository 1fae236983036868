/** Forms as text (WHATWG URL, application/x-www-form-urlencoded), with spaces as %20. Pure. */
import { percentEncoded } from "./template.ts";

/** Names and values as a form or a query has them, percent-encoded but for `{{ names }}`, which stay. */
export function formText(fields: Iterable<readonly [name: string, value: string]>): string {
  return [...fields].map((field) =>
    field.map((text) => writtenBesides(text, percentEncoded)).join("=")
  ).join("&");
}

/** The text, written but for `{{ names }}`, which stay. */
export function writtenBesides(text: string, write: (text: string) => string): string {
  return text.split(/(\{\{[^{}]*\}\})/).map((part, at) => at % 2 === 1 ? part : write(part))
    .join("");
}
