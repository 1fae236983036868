/** A `regexp` that an Artillery script captures by → the pattern here, which has one group. */
import { isWithin } from "../../base/limits.ts";
import { wrongPattern } from "../../base/pattern.ts";

const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?![=!])([^>]+)>|\((?!\?)/gs;

/** With one group around the value: the named one, or else the whole match, as Artillery takes it. */
export function oneGroup(source: string, group?: string | number): string {
  let isMarked = false;
  const marked = source.replaceAll(TOKENS, (token, name?: string) => {
    if (!token.startsWith("(")) return token;
    if (group === undefined || name !== String(group)) return "(?:";
    isMarked = true;
    return "(";
  });
  return isMarked ? marked : `(${marked})`;
}

/** Why it can't be matched here; null when it can. */
export function wrongRegexp(source: string, group?: string | number): string | null {
  return wrongPattern(isWithin("pattern", source.length) ? oneGroup(source, group) : source);
}
