/**
 * The writers: all output of Plateau goes through one of them. There is one file for each format. A writer accepts any
 * text, even from outside, and returns `Written` text, in which nothing has a special meaning for whatever reads that
 * format: no control character steers a terminal, no line starts a command of a CI service, no cell is a formula, no
 * name is markup. Functions that print or write accept only `Written` text, so text that was not escaped for its format
 * can't get out.
 *
 * | format | file | what text from outside can't do there |
 * |---|---|---|
 * | terminal | `terminal.ts` | steer it, begin a line of its own, or start a command in a CI log |
 * | annotation | `annotation.ts` | start a workflow command other than ours |
 * | csv | `csv.ts` | be a formula, or begin a row or a column |
 * | json | `json.ts` | steer a terminal; parsing it gives the original value |
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

/** Text escaped for its format. Only the writers make it, each with a type assertion. */
export type Written<P extends OutputFormat = OutputFormat> = string & { readonly [place]: P };

// Markup from template literals. Every interpolated text is escaped for the format, so that text
// from outside never becomes markup. Only a `Fragment` made for the same format is inserted
// unchanged.

/** A piece of markup in one format. */
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
