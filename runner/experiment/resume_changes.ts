/** What differs between two values as JSON has them, path by path. Pure. */

import { withoutSecrets } from "../../base/secrets.ts";

/** Undefined: it was not there, or is not any more. */
export interface Change {
  /** Such as `load.connections`; "" for the whole. */
  readonly path: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** Lists of plain values differ as a whole, other lists member by member. */
export function changesBetween(before: unknown, now: unknown, path = ""): Change[] {
  if (!isNested(before) || !isNested(now) || Array.isArray(before) !== Array.isArray(now)) {
    return same(before, now) ? [] : [{ path, before, now }];
  }
  if (isPlainList(before) && isPlainList(now)) {
    return same(before, now) ? [] : [{ path, before, now }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) =>
    changesBetween(Reflect.get(before, key), Reflect.get(now, key), path ? `${path}.${key}` : key)
  );
}

/** `1s → 2s`, for people. */
export function changeText({ before, now }: Change): string {
  return `${valueText(before)} → ${valueText(now)}`;
}

/** More of a value than this is cut off. */
const MOST_CHARACTERS = 80;

function valueText(value: unknown): string {
  if (value === undefined) return "not there";
  const text = withoutSecrets(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlainList(value: object): boolean {
  return Array.isArray(value) && !value.some(isNested);
}

/** Of plain values, or of lists of them. */
function same(before: unknown, now: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
