/**
 * Markup from template literals: every interpolated text is escaped for its place, so that nothing from
 * outside can be markup there; only what was made for that place goes in as it is. Pure.
 */
import type { Place, Written } from "./written.ts";

/** A piece of markup. */
export class Fragment<P extends Place> {
  constructor(readonly place: P, readonly text: Written<P>) {}
}

export type Part<P extends Place> = Fragment<P> | string | number | null | readonly Part<P>[];

export type Template<P extends Place> = (
  strings: TemplateStringsArray,
  ...parts: readonly Part<P>[]
) => Fragment<P>;

/** @param escaped How text is written in this place. */
export function templateOf<P extends Place>(
  place: P,
  escaped: (text: string) => string,
): Template<P> {
  const textOf = (part: Part<P>): string => {
    if (part === null) return "";
    if (part instanceof Fragment) return part.text;
    return typeof part === "object" ? part.map(textOf).join("") : escaped(String(part));
  };
  return (strings, ...parts) => {
    const text = strings.reduce((text, string, i) => text + textOf(parts[i - 1]) + string);
    return new Fragment(place, text as Written<P>);
  };
}
