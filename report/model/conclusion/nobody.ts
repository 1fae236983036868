/** Several places, and nobody is fastest for certain in any: who is likely, who are as fast, or that it is open. */
import { percentText } from "../comparison/ratios.ts";
import { counted, listed, unique } from "../numbers/words.ts";
import {
  allText,
  mostLikely,
  type Naming,
  nounOfPlaces,
  type Place,
  placesShareText,
} from "./places.ts";

export function nobodyText(places: readonly Place[], naming: Naming): string {
  const count = counted(places.length, nounOfPlaces(places));
  const targets = unique(places.flatMap(({ contest }) => contest.ranked.map((one) => one.target)));
  if (places.every(({ contest }) => contest.isEquivalent)) {
    const margin = marginOf(places[0]);
    return `${listed(targets, "and")} are about as fast ${allText(places)}${margin}`;
  }
  const [equal, open] = [true, false].map((isEqual) =>
    places.filter(({ contest }) => contest.isEquivalent === isEqual)
  );
  const about = equalTexts(equal, naming).map((text) => `; ${text}`).join("");
  const likely = likelyText(places);
  if (likely !== "") return likely + about;
  return targets.length === 2
    ? `Whether ${listed(targets, "or")} ${fasterVerb(open)} faster is open ${
      placesShareText(open, places)
    }${about}`
    : `None of ${targets.length} is fastest for certain ${
      places.length === 2 ? `in either ${nounOfPlaces(places)}` : `in any of ${count}`
    }${about}`;
}

/** `both are about as fast in x`; none without places. */
export function equalTexts(equal: readonly Place[], naming: Naming): string[] {
  if (equal.length === 0) return [];
  const isOfTwo = equal.every(({ contest }) => contest.ranked.length === 2);
  const who = isOfTwo ? "both" : "several";
  return [`${who} are about as fast ${naming?.(equal) ?? `in ${equal.length}`}`];
}

/** `gin is likely fastest in 4 of 5 scenarios, not proven`; "" of half of the places or fewer. */
function likelyText(places: readonly Place[]): string {
  const most = mostLikely(places);
  if (most === null) return "";
  const where = placesShareText(most.those, places);
  return `${most.target} ${likelyVerb(most.those)} fastest ${where}, not proven`;
}

export function likelyVerb(those: readonly Place[]): "likely responds" | "is likely" {
  return those.every(({ contest }) => contest.isOpen) ? "likely responds" : "is likely";
}

function fasterVerb(those: readonly Place[]): "responds" | "is" {
  return those.every(({ contest }) => contest.isOpen) ? "responds" : "is";
}

function marginOf({ scenario: { rows: [row] } }: Place): string {
  return row === undefined ? "" : `: within ${percentText(row.comparison.marginRatio)}`;
}
