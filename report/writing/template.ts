/**
 * Markup from template literals: every interpolated text is escaped for its place, so that nothing from
 * outside can be markup there; only markup that was made for that place goes in as it is. Pure.
 */
import type { OutputFormat, Written } from "./written.ts";

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

/** @param escaped How text is written in this place. */
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
