/** Targets that do not do what was required, beside those that are ranked: who, in what, and where. */
import { competing, type Shortfall, shortfallOf, shortfallText } from "../comparison/shortfall.ts";
import { counted, listedSome, unique } from "../numbers/words.ts";
import { inText, type Place, placesShareText } from "./places.ts";

interface Short {
  readonly place: Place;
  readonly target: string;
  readonly short: Shortfall;
}

/**
 * `b responds wrongly to 90 % in upload, and falls short in static; 2 others fall short`, then with less of it. None where
 * all that were measured do what was required.
 */
export function shortTexts(places: readonly Place[]): string[] {
  const found = places.flatMap(shortIn);
  const [worst] = found.toSorted((a, b) => b.short.ratio - a.short.ratio);
  if (worst === undefined) return [];
  const targets = unique(found.map(({ target }) => target));
  const text = worstText(worst, found.filter(({ target }) => target === worst.target), places);
  const left = targets.length - 1;
  const others = left === 0 ? "" : `; ${fallShort(counted(left, "other"), left)}`;
  return [
    `${text}${others}`,
    fallShort(listedSome(targets, "and"), targets.length),
    fallShort(counted(targets.length, "target"), targets.length),
  ];
}

function shortIn(place: Place): Short[] {
  const { cells } = place.contest;
  const able = new Set(competing(cells).map(({ target }) => target));
  return cells.filter(({ target }) => !able.has(target)).flatMap((cell) => {
    const short = shortfallOf(cell);
    return short === null ? [] : [{ place, target: cell.target, short }];
  });
}

/** What it falls short by is said of the places where that is the same, beside the others. */
function worstText(worst: Short, own: readonly Short[], places: readonly Place[]): string {
  const textOf = ({ target, short }: Short): string => shortfallText({ ...short, label: target });
  const isAlike = (one: Short): boolean => textOf(one) === textOf(worst);
  const [alike, others] = [own.filter(isAlike), own.filter((one) => !isAlike(one))]
    .map((those) => those.map(({ place }) => place));
  const text = textOf(worst) + whereText(alike, places);
  if (others.length === 0) return text;
  const who = worst.short.kind === "dropped" ? `${worst.target} ` : "";
  const where = others.length > MOST_NAMED ? `in ${others.length} more` : inText(others);
  return `${text}, and ${who}falls short ${where}`;
}

function whereText(own: readonly Place[], places: readonly Place[]): string {
  if (places.length === 1) return "";
  return ` ${own.length <= MOST_NAMED ? inText(own) : placesShareText(own, places)}`;
}

const MOST_NAMED = 2;

function fallShort(who: string, count: number): string {
  return `${who} ${count === 1 ? "falls" : "fall"} short`;
}
