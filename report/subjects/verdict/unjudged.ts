/** Targets that a verdict leaves out as their runs never settled: who they are, and where. */
import { counted, listed, unique } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { namesOfPlaces, nounOfPlaces, type Place } from "./places.ts";

/** Where a target is not judged. */
interface Unjudged {
  readonly target: string;
  /** At least one. */
  readonly places: readonly Place[];
}

/**
 * `c never settled and is not judged`, from the most that can be said to the least: the sentence before it may leave
 * little room. None where all are judged.
 */
export function unjudgedTexts(places: readonly Place[]): string[] {
  const all = unjudgedIn(places, () => true);
  if (all.length === 0) return [];
  const [faster, others] = [isAhead, isBehind].map((is) => unjudgedIn(places, is));
  const texts = (naming: UnjudgedNaming): string =>
    [fasterText(faster, naming), otherText(others, naming)].filter(Boolean).join("; ");
  const counts: UnjudgedNaming = { of: places, byName: false };
  const where = whereText(all, counts);
  const named: UnjudgedNaming = { of: places, byName: true };
  return unique([
    texts(named),
    texts(counts),
    ...(faster.length === 0 ? [] : [fasterText(faster, named) + moreText(faster, others, places)]),
    `${namesOf(all)} never settled${where}`,
    `${counted(all.length, "target")} never settled${where}`,
    "some targets never settled",
  ]);
}

function unjudgedIn(
  places: readonly Place[],
  is: (cell: CellRuns, place: Place) => boolean,
): Unjudged[] {
  const found = places.flatMap((place) =>
    place.unjudged.filter((cell) => is(cell, place)).map(({ target }) => ({
      target,
      place,
    }))
  );
  return [...Map.groupBy(found, ({ target }) => target)]
    .map(([target, those]) => ({ target, places: those.map(({ place }) => place) }));
}

function isAhead(cell: CellRuns, { unjudgedAhead }: Place): boolean {
  return unjudgedAhead.includes(cell);
}

function isBehind(cell: CellRuns, place: Place): boolean {
  return !isAhead(cell, place);
}

interface UnjudgedNaming {
  /** All places. */
  readonly of: readonly Place[];
  /** Whether places are named, or counted. */
  readonly byName: boolean;
}

/** `c served more in x but never settled`: whoever reads who is fastest must know it. */
function fasterText(unjudged: readonly Unjudged[], naming: UnjudgedNaming): string {
  const [first] = unjudged;
  if (first === undefined) return "";
  const does = first.places.every(({ contest }) => contest.isOpen)
    ? "responded faster"
    : "served more";
  return `${namesOf(unjudged)} ${does}${whereText(unjudged, naming)} but never settled`;
}

function otherText(unjudged: readonly Unjudged[], naming: UnjudgedNaming): string {
  if (unjudged.length === 0) return "";
  const where = whereText(unjudged, naming);
  const are = unjudged.length === 1 ? "is" : "are";
  return `${namesOf(unjudged)} never settled${where} and ${are} not judged${
    where === "" ? "" : " there"
  }`;
}

/** `; 2 others never settled in some`, beside those that matter more. */
function moreText(
  faster: readonly Unjudged[],
  others: readonly Unjudged[],
  of: readonly Place[],
): string {
  const more = others.filter((other) => faster.every(({ target }) => target !== other.target));
  if (more.length === 0) return "";
  const some = more.every(({ places }) => places.length === of.length) ? "" : " in some";
  return `; ${counted(more.length, "other")} never settled${some}`;
}

function namesOf(unjudged: readonly Unjudged[]): string {
  return listed(unjudged.map(({ target }) => target), "and");
}

/** "" where it is everywhere. */
function whereText(unjudged: readonly Unjudged[], { of, byName }: UnjudgedNaming): string {
  if (unjudged.every(({ places }) => places.length === of.length)) return "";
  const those = of.filter((place) => unjudged.some(({ places }) => places.includes(place)));
  if (unjudged.some(({ places }) => places.length < those.length)) {
    return ` in some of ${counted(of.length, nounOfPlaces(of))}`;
  }
  if (!byName) return ` in ${those.length} of ${counted(of.length, nounOfPlaces(of))}`;
  const isScenario = those.every(({ name, scenario }) => name === scenario.name);
  return ` ${isScenario ? "in" : "at"} ${namesOfPlaces(those, MOST_NAMED)}`;
}

const MOST_NAMED = 2;
