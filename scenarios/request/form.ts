/** Forms as text (WHATWG URL, application/x-www-form-urlencoded), with spaces as %20. Pure. */
import { percentEncoded } from "./template.ts";

/** Names and values as a form or a query has them, percent-encoded but for `{{ names }}`, which stay. */
export function formText(fields: Iterable<readonly [name: string, value: string]>): string {
  return [...fields].map(([name, value]) => `${encodedBesides(name)}=${encodedBesides(value)}`)
    .join("&");
}

function encodedBesides(text: string): string {
  return text.split(/(\{\{[^{}]*\}\})/).map((part, at) =>
    at % 2 === 1 ? part : percentEncoded(part)
  )
    .join("");
}
