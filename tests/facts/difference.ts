/** What differs between the facts of two programs, grouped by what they are of. Pure. */
import type { Fact } from "./fact.ts";

export interface Difference {
  readonly of: string;
  readonly kind: string;
  readonly changed: readonly { readonly before: Fact; readonly after: Fact }[];
  readonly gone: readonly Fact[];
  readonly come: readonly Fact[];
  /** The same fact under another heading: from, to, and how many. */
  readonly moved: readonly { readonly from: string; readonly to: string; readonly count: number }[];
}

export function differences(before: readonly Fact[], after: readonly Fact[]): Difference[] {
  const groups = (facts: readonly Fact[]): Map<string, Fact[]> =>
    Map.groupBy(facts, ({ of, kind }) => `${of}\n${kind}`);
  const [first, second] = [groups(before), groups(after)];
  const names = [...new Set([...first.keys(), ...second.keys()])].sort();
  return names.flatMap((name) => {
    const [of, kind] = name.split("\n");
    const found = differenceOf(first.get(name) ?? [], second.get(name) ?? []);
    const isSame = Object.values(found).every(({ length }) => length === 0);
    return isSame ? [] : [{ of, kind, ...found }];
  });
}

function differenceOf(
  before: readonly Fact[],
  after: readonly Fact[],
): Omit<Difference, "of" | "kind"> {
  const same = paired(before, after, ({ place, key, value }) => `${place}\n${key}\n${value}`);
  const moved = paired(same.before, same.after, ({ key, value }) => `${key}\n${value}`);
  const changed = paired(moved.before, moved.after, ({ place, key }) => `${place}\n${key}`);
  const places = Map.groupBy(moved.pairs, ([from, to]) => `${from.place}\n${to.place}`);
  return {
    changed: changed.pairs.map(([before, after]) => ({ before, after })),
    gone: changed.before,
    come: changed.after,
    moved: [...places].map(([name, { length }]) => {
      const [from, to] = name.split("\n");
      return { from, to, count: length };
    }),
  };
}

/** Facts of both sides that are alike in what `keyOf` says, one for one, and the rest of each side. */
function paired(
  before: readonly Fact[],
  after: readonly Fact[],
  keyOf: (fact: Fact) => string,
): { pairs: [Fact, Fact][]; before: Fact[]; after: Fact[] } {
  const waiting = Map.groupBy(after, keyOf);
  const pairs: [Fact, Fact][] = [];
  const rest: Fact[] = [];
  for (const fact of before) {
    const other = waiting.get(keyOf(fact))?.shift();
    if (other === undefined) rest.push(fact);
    else pairs.push([fact, other]);
  }
  return { pairs, before: rest, after: [...waiting.values()].flat() };
}

/** A heading with counts, and a line each. */
export function differenceLines({ of, kind, changed, gone, come, moved }: Difference): string[] {
  const name = ({ place, key }: Fact): string => [place, key].filter(Boolean).join(" | ");
  const counts = [
    [changed.length, "changed"],
    [gone.length, "gone"],
    [come.length, "new"],
    [moved.reduce((sum, { count }) => sum + count, 0), "moved"],
  ].filter(([count]) => count !== 0).map(([count, what]) => `${count} ${what}`);
  return [
    `${of}, ${kind}: ${counts.join(", ")}`,
    ...moved.map(({ from, to, count }) => `  > ${count} from "${from}" to "${to}"`),
    ...changed.map(({ before, after }) => `  ~ ${name(before)}: ${changeText(before, after)}`),
    ...gone.map((fact) => `  - ${name(fact)} = ${fact.value}`),
    ...come.map((fact) => `  + ${name(fact)} = ${fact.value}`),
  ];
}

/** Facts of many values, of which only those are shown that one side alone has. */
const LISTS = ["chart", "csv-intervals"];

function changeText({ kind, value }: Fact, { value: after }: Fact): string {
  if (!LISTS.includes(kind)) return `${value} → ${after}`;
  const [old, now] = [value, after].map((text) => new Set(text.split(" ")));
  const only = (values: Set<string>): string => [...values].join(" ") || "none";
  return `${only(old.difference(now))} → ${only(now.difference(old))}`;
}
