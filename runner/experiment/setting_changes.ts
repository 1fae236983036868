/** Finds the settings that differ between two experiments, by comparing two JSON values path by path. Pure. */
import { withoutSecrets } from "../../base/secrets.ts";

/** A changed setting. `before` or `now` is undefined if the earlier or the present experiment lacks the setting. */
interface SettingChange {
  /** Path, such as `load.connections`; "" for the whole value. */
  readonly path: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** The changes, path by path. Lists of plain values are compared as a whole, other lists member by member. */
export function changesBetween(before: unknown, now: unknown, path = ""): SettingChange[] {
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

/** A change as text for people: `1s → 2s`. */
export function changeText({ before, now }: SettingChange): string {
  return `${valueText(before)} → ${valueText(now)}`;
}

/** The most characters shown of a value. */
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

/** Whether two plain values, or lists of them, are equal. */
function same(before: unknown, now: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
