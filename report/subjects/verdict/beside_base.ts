/** Where an experiment names a base, and holds several others against it: what each of them does beside it. */
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { type Shortfall, shortfallOf } from "../../judge/shortfall.ts";
import { shortfallText } from "../../findings/judgements.ts";
import { type Standing, standingOf } from "../../judge/standing.ts";
import { rangeOfTimes } from "../../writing/ratios.ts";
import { counted, listedSome } from "../../writing/words.ts";
import { isNamedBase } from "../../cells/recast.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { ForestComparison } from "./matrix.ts";
import { inText, nounOfPlaces, type Place } from "./places.ts";

type BesideKind =
  | "keeps up"
  | "falls short"
  | "ahead"
  | "behind"
  | "likely-ahead"
  | "likely-behind"
  | "equivalent"
  | "open";

/** One of the others in one place. */
export interface Beside {
  readonly place: Place;
  readonly base: CellRuns;
  readonly other: CellRuns;
  readonly kind: BesideKind;
  readonly standing: Standing;
  /** Of the other over the base; null where one of them falls short. */
  readonly decision: FigureComparison | null;
  /** Of the one that falls short, where the other keeps up; else null. */
  readonly shortfall: Shortfall | null;
}

/** Of each of the others, in the order of what is known of them; null where no base is named, or one other at most. */
export function besideBase(places: readonly Place[], base: string | null): Beside[][] | null {
  const others = base === null ? [] : othersBeside(places, base);
  if (others.length < 2) return null;
  return others.toSorted((a, b) => knownOf(b) - knownOf(a) || distanceOf(b) - distanceOf(a));
}

/** However few. */
export function othersBeside(places: readonly Place[], base: string): Beside[][] {
  const all = places.flatMap((place) => besidesIn(place, base));
  return [...Map.groupBy(all, ({ other }) => other.target).values()];
}

function besidesIn(place: Place, name: string): Beside[] {
  const { contest: { cells }, scenario: { rows } } = place;
  const base = cells.find((cell) => isNamedBase(cell, name));
  if (base === undefined) return [];
  const baseShort = shortfallOf(base);
  return cells.filter(({ target }) => target !== base.target).flatMap((other): Beside[] => {
    const parts = { place, base, other, standing: "unknown" as const, decision: null };
    const short = shortfallOf(other);
    if (short && baseShort) return [];
    if (baseShort) return [{ ...parts, kind: "keeps up", shortfall: baseShort }];
    if (short) return [{ ...parts, kind: "falls short", shortfall: short }];
    const row = rows.find((row) => row.base === base.label && row.name === other.label);
    if (row === undefined) return [];
    const decision = comparisonOf(row.comparison, place.contest.isOpen ? 99 : "rate");
    const standing = standingOf(decision);
    return [{ ...parts, kind: kindOf(standing, decision), standing, decision, shortfall: null }];
  });
}

function kindOf(standing: Standing, { ratio, reason }: FigureComparison): BesideKind {
  if (standing === "equivalent") return standing;
  const isLikely = standing === "likely-ahead" || standing === "likely-behind";
  if (isLikely && reason !== "margin") return standing; // by less than the margin is nothing to name
  return (standing === "ahead" || standing === "behind") && ratio !== null ? standing : "open";
}

function knownOf(besides: readonly Beside[]): number {
  return besides.filter(({ kind }) => kind !== "open").length;
}

/** How far from the base, by the logarithm. */
function distanceOf(besides: readonly Beside[]): number {
  return Math.max(...besides.map(({ decision }) => Math.abs(Math.log(decision?.ratio ?? 1))));
}

/** Of each of the others, in the order of the places. */
export function besideRows(besides: readonly (readonly Beside[])[]): ForestComparison[] {
  return besides.flatMap((all) =>
    all.flatMap((one): ForestComparison[] => {
      const { place, other, base, decision } = one;
      if (decision === null || decision.ratio === null) return [];
      const isAlone = all.filter((more) => more.place === place).length === 1;
      const { marginRatio } = place.scenario.lookup(base, other);
      return [{
        label: `${place.name}: ${isAlone ? other.target : other.label}`,
        color: other.color,
        base: base.target,
        comparison: decision,
        marginRatio,
      }];
    })
  );
}

/** `b serves 0.28× a; c 1/4,900 of a`, from the most that can be said to the least. Without full stops. */
export function besideTexts(others: readonly (readonly Beside[])[]): string[] {
  const places = [...new Set(others.flat().map(({ place }) => place))];
  const groups = [
    ...others.filter((besides) => !isOpenAll(besides)).map((besides) => [besides]),
    ...[others.filter(isOpenAll)].filter(({ length }) => length > 0),
  ];
  const first = (count: number, named: PlaceNaming["named"]): string => {
    const left = groups.slice(count).flat().length;
    const texts = groups.slice(0, count).map((group) => groupText(group, { places, named }));
    return texts.join("; ") + (left > 0 ? `. ${counted(left, "more target")} below` : "");
  };
  const counts = groups.map((_, i) => groups.length - i);
  return counts.flatMap((count) => NAMED.map((named) => first(count, named)));
}

/** From the most that is named to the least. */
const NAMED = ["all", "known", "none"] as const;

/** Whether nothing is known of one of the others in any place. */
function isOpenAll(besides: readonly Beside[]): boolean {
  return besides.every(({ kind }) => kind === "open");
}

/** Several are said together where nothing is known of any: `b and c are undecided, as runs never settled`. */
function groupText(group: readonly (readonly Beside[])[], naming: PlaceNaming): string {
  const [besides, ...more] = group;
  if (!isOpenAll(besides)) return besidesText(besides, naming);
  const names = group.map(([{ other }]) => other.target);
  const text = more.length === 0
    ? besidesText(besides, naming)
    : `${listedSome(names, "and")} are undecided`;
  const isUnsteady = group.flat().every(({ standing }) => standing === "unsteady");
  return isUnsteady ? `${text}, as runs never settled` : text;
}

interface PlaceNaming {
  /** All of them. */
  readonly places: readonly Place[];
  /** Or only how many they are; `known`: of those where nothing is. */
  readonly named: typeof NAMED[number];
}

/** What one of the others does, in all places. */
function besidesText(besides: readonly Beside[], naming: PlaceNaming): string {
  const [{ other, base }] = besides;
  const alike = ORDER.flatMap((kind) =>
    [false, true].map((isOpen) =>
      besides.filter((one) => one.kind === kind && one.place.contest.isOpen === isOpen)
    )
  ).filter(({ length }) => length > 0);
  const isOne = alike.length === 1;
  const texts = alike.map((those, i) => {
    const where = whereText(those, naming);
    // What the places are is said once.
    return kindText(those, {
      where: i === 0 ? where : where.replace(/ of \S+ \w+$/, ""),
      isOne,
      isCounted: naming.named === "known" && i > 0 && those.length > 1,
    });
  });
  return texts.map((text, i) => i === 0 ? text : goingOn(texts, i)).join("")
    .replaceAll("%other", other.target).replaceAll("%base", base.target);
}

/** `, and is undecided in z` where both have one subject. */
function goingOn(texts: readonly string[], i: number): string {
  const [before, text, after = ""] = texts.slice(i - 1);
  if (![before, text].every(isOfOther)) return `; ${text}`;
  return `, ${isOfOther(after) ? "" : "and "}${
    text.replace("%other ", "").replace(" than %base", "")
  }`;
}

function isOfOther(text: string): boolean {
  return text.startsWith("%other ");
}

const ORDER: readonly BesideKind[] = [
  "keeps up",
  "falls short",
  "ahead",
  "behind",
  "likely-ahead",
  "likely-behind",
  "equivalent",
  "open",
];

interface KindWhere {
  /** `" in a and b"`; "" where there is one place. */
  readonly where: string;
  /** Whether nothing else is said of it. */
  readonly isOne: boolean;
  /** Whether places of which nothing is known are counted, not named. */
  readonly isCounted: boolean;
}

/** `%other` and `%base` stand for the names. */
function kindText(those: readonly Beside[], { where, isOne, isCounted }: KindWhere): string {
  const [{ kind, place: { contest: { isOpen } } }] = those;
  switch (kind) {
    case "keeps up":
      return isOne
        ? `%other keeps up${where}, where ${worstText(those, "%base")}`
        : `%other keeps up${where} (${worstText(those, "%base")})`;
    case "falls short":
      return `${worstText(those, "%other")}${where}`;
    case "ahead":
    case "behind":
      return isOpen
        ? `%other has ${rangeText(those)} the p99 of %base${where}`
        : `%other serves ${rangeText(those)} %base${where}`;
    case "likely-ahead":
      return `%other ${isOpen ? "likely responds" : "is likely"} faster than %base${where}`;
    case "likely-behind":
      return `%other ${isOpen ? "likely responds" : "is likely"} slower than %base${where}`;
    case "equivalent":
      return `%other is about as fast as %base${where}`;
    case "open":
      return isCounted ? `${those.length} are undecided` : `%other is undecided${where}`;
  }
}

/** The worst stands for all. */
function worstText(those: readonly Beside[], label: string): string {
  const worst = those.flatMap(({ shortfall }) => shortfall ?? [])
    .reduce((a, b) => b.ratio > a.ratio ? b : a);
  const text = shortfallText({ ...worst, label });
  return those.length === 1 ? text : text.replace(/ (?=[\d.,]+\s%$)/, " up to ");
}

function rangeText(those: readonly Beside[]): string {
  return rangeOfTimes(those.flatMap(({ decision }) => decision?.ratio ?? []));
}

function whereText(those: readonly Beside[], { places, named }: PlaceNaming): string {
  if (places.length === 1) return "";
  const noun = nounOfPlaces(places);
  // A target may have several cells in one place.
  const own = [...new Set(those.map(({ place }) => place))];
  if (own.length === places.length) return ` in all ${counted(places.length, noun)}`;
  if (named === "none") return ` in ${own.length} of ${counted(places.length, noun)}`;
  return ` ${inText(own)}`;
}
