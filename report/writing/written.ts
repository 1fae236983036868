/**
 * The writers: everything that leaves Plateau goes through one of them, one file a place. A writer takes
 * text as it is, from wherever it came, and gives `Written` text, in which nothing is left that means
 * something else there: no control character steers a terminal, no line starts a command of a CI
 * service, no cell is a formula, no name is markup. Printing and writing take nothing but this, so what
 * was not escaped for its place can't leave.
 *
 * | place | file | what text from outside can't do there |
 * |---|---|---|
 * | terminal | `terminal.ts` | steer it, begin a line of its own, or start a command in a CI log |
 * | annotation | `annotation.ts` | start another workflow command than ours |
 * | csv | `csv.ts` | be a formula, or begin a row or a column |
 * | json | `json.ts` | steer a terminal; it is the same value when it is parsed |
 * | markdown | `markdown.ts` | be markup, a link or a mention |
 * | hlog | `histogram_log.ts` | end a comment or a tag, or begin a line |
 * | xml, html | `xml.ts`, `html.ts` | be an element or an attribute |
 *
 * The only exception is what a script logs: `base/script/log.ts` makes it as harmless as `terminal.ts` would.
 */

declare const place: unique symbol;

export type OutputFormat =
  | "terminal"
  | "annotation"
  | "csv"
  | "json"
  | "markdown"
  | "hlog"
  | "xml"
  | "html";

/** Text escaped for its format. Only writers make it, each with one assertion. */
export type Written<P extends OutputFormat = OutputFormat> = string & { readonly [place]: P };

// Markup from template literals: every interpolated text is escaped for its place, so that nothing from outside can be
// markup there; only markup that was made for that place goes in as it is.

/** A piece of markup. */
export class Fragment<P extends OutputFormat> {
  constructor(readonly place: P, readonly text: Written<P>) {}
}

export type TemplatePart<P extends OutputFormat> =
  | Fragment<P>
  | string
  | number
  | null
  | readonly TemplatePart<P>[];

type MarkupTemplate<P extends OutputFormat> = (
  strings: TemplateStringsArray,
  ...parts: readonly TemplatePart<P>[]
) => Fragment<P>;

/** Makes a template tag for markup of one format. @param escaped Escapes text for this format. */
export function templateOf<P extends OutputFormat>(
  place: P,
  escaped: (text: string) => string,
): MarkupTemplate<P> {
  const textOf = (part: TemplatePart<P>): string => {
    if (part === null) return "";
    if (part instanceof Fragment) return part.text;
    return typeof part === "object" ? part.map(textOf).join("") : escaped(String(part));
  };
  return (strings, ...parts) => {
    let text = strings[0];
    for (let i = 1; i < strings.length; i++) text += textOf(parts[i - 1]) + strings[i];
    return new Fragment(place, text as Written<P>);
  };
}
