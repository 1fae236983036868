/** Names shortened to less room than they need, still distinct. Pure. */
import { fitted, widthOf } from "../writing/columns.ts";

/**
 * `names` in `width` columns: where they don't fit, first their common beginning goes, then their ends, or
 * their middles where only the ends differ.
 */
export function fittedNames(names: readonly string[], width: number, unicode: boolean): string[] {
  const isWide = (name: string): boolean => widthOf(name) > width;
  if (!names.some(isWide)) return [...names];
  const isEnough = (ends: readonly string[]): boolean => ends.every((end) => widthOf(end) < width);
  const ends = names.length > 1 ? withoutCommon(names, isEnough) : names;
  const short = ends[0] === names[0] ? ends : ends.map((end) => ellipsis(unicode) + end);
  const cut = short.map((name) => fitted(name, width, unicode));
  return new Set(cut).size === new Set(names).size
    ? cut
    : short.map((name) => isWide(name) ? withoutMiddle(name, width, unicode) : name);
}

/**
 * `load-7d9f-x2x4z`, `load-7d9f-k8w1q` → `x2x4z`, `k8w1q`: whole words of the beginning go.
 * @param isEnough Whether these ends need no further shortening.
 */
export function withoutCommon(
  names: readonly string[],
  isEnough: (ends: readonly string[]) => boolean = () => false,
): readonly string[] {
  const [first, ...others] = names;
  const words = first.split(/(?<=[-._\s])(?![·|]\s)/).slice(0, -1);
  let start = "";
  let ends = names;
  for (const word of words) {
    start += word;
    const isCommon = others.every((name) => name.startsWith(start) && name !== start);
    if (!isCommon || isEnough(ends)) break;
    ends = names.map((name) => name.slice(start.length));
  }
  return ends;
}

function ellipsis(unicode: boolean): string {
  return unicode ? "…" : ".";
}

function withoutMiddle(name: string, width: number, unicode: boolean): string {
  const head = fitted(name, Math.floor(width / 2), unicode);
  let tail = "";
  for (const character of [...name].reverse()) {
    if (widthOf(head + character + tail) > width) break;
    tail = character + tail;
  }
  return head + tail;
}
