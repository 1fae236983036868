/**
 * A figure as a published paper states it: a number if it is exact, or else a text such as "< 90" (under 90), "> 9000"
 * (over 9,000) or "~ 5000" (about 5,000). Pure.
 */

export const BOUNDED = /^([<>~])\s*(\d+(?:\.\d+)?)$/;

export type Bound = "<" | ">" | "~";

export interface BoundedFigure {
  readonly value: number;
  /** Null if the figure is the exact value. */
  readonly bound: Bound | null;
}

/** @param given A number, or a text that `BOUNDED` accepts. */
export function boundedFigure(given: number | string): BoundedFigure {
  if (typeof given === "number") return { value: given, bound: null };
  const [, bound, value] = BOUNDED.exec(given) ?? [];
  return { value: Number(value), bound: bound as Bound };
}

export function boundedText({ value, bound }: BoundedFigure): number | string {
  return bound === null ? value : `${bound} ${value}`;
}
