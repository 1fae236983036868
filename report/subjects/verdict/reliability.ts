/** Whether the verdict can be relied on: what it would be without the runs that are not valid. */
import type { Trust } from "../../../runner/result/generator.ts";
import type { Run } from "../../../runner/result/result.ts";
import { isValid } from "../../findings/trust.ts";
import { allOf, counted, listedSome, unique } from "../../writing/words.ts";
import type { Beside } from "./beside_base.ts";
import { inText, keyOfPlace, MOST_NAMED, nounOfPlaces, type Place, placeKey } from "./places.ts";

/**
 * What becomes of the verdict without them:
 * - all-valid, none-valid: there is none to leave out, or none left; uncompared: the verdict compares nothing;
 * - same; partly: at most places; open: nothing is certain then; fewer: too few cells have runs left to compare;
 *   changed: another is ahead.
 */
export type Survival =
  | "all-valid"
  | "none-valid"
  | "uncompared"
  | "same"
  | "partly"
  | "open"
  | "fewer"
  | "changed";

export interface ReliabilityModel {
  readonly survival: Survival;
  /** Green: rely on it; amber: the verdict stands, but not all of its runs; red: it does not stand. */
  readonly light: "green" | "amber" | "red";
  readonly valid: number;
  readonly runs: number;
  /** Of the worst run. */
  readonly level: Trust;
  /** With a full stop. */
  readonly sentence: string;
}

const LIGHTS: Readonly<Record<Survival, ReliabilityModel["light"]>> = {
  "all-valid": "green",
  uncompared: "amber",
  same: "amber",
  partly: "amber",
  fewer: "red",
  open: "red",
  changed: "red",
  "none-valid": "red",
};

/** What the verdict says of a place, or where a base is named, of one of the others there. */
interface Judgement {
  readonly place: Place;
  /** Null: of the place. */
  readonly other: string | null;
  /** The same for two that say the same. */
  readonly key: string;
  readonly isUndecided: boolean;
}

/** A verdict by all runs, and again by those that are valid. */
export interface JudgedTwice {
  readonly judged: readonly Judgement[];
  /** Null where all runs are valid, or none. */
  readonly again: readonly Judgement[] | null;
}

export function judgedPlaces(places: readonly Place[]): Judgement[] {
  return places.map((place) => ({
    place,
    other: null,
    key: keyOfPlace(place),
    isUndecided: isUndecided(place),
  }));
}

export function judgedBesides(besides: readonly (readonly Beside[])[]): Judgement[] {
  return besides.flat().map(({ place, other, kind }) => ({
    place,
    other: other.target,
    key: besideKey(place, other.target, kind),
    isUndecided: kind === "open" || kind === "likely-ahead" || kind === "likely-behind",
  }));
}

/** Of one that has no valid run left nothing is known: that is to be undecided. */
export function withMissing(
  judged: readonly Judgement[],
  again: readonly Judgement[],
): Judgement[] {
  const idOf = ({ place, other }: Judgement): string => besideKey(place, other ?? "", "");
  const known = new Map(again.map((one) => [idOf(one), one]));
  return judged.map((one) =>
    known.get(idOf(one)) ??
      { ...one, key: besideKey(one.place, one.other ?? "", "open"), isUndecided: true }
  );
}

function besideKey(place: Place, other: string, kind: string): string {
  return JSON.stringify([...placeKey(place), other, kind]);
}

/** Null without runs. */
export function reliabilityOf(
  runs: readonly Run[],
  { judged, again }: JudgedTwice,
): ReliabilityModel | null {
  if (runs.length === 0) return null;
  const valid = runs.filter(isValid).length;
  const invalid = runs.filter(({ generator }) => generator.trust === "invalid").length;
  const lost = again === null ? [] : lostOf(judged, again);
  const survival = valid === runs.length
    ? "all-valid"
    : valid === 0
    ? "none-valid"
    : survivalOf(judged, again ?? [], lost);
  return {
    survival,
    light: LIGHTS[survival],
    valid,
    runs: runs.length,
    level: invalid > 0 ? "invalid" : survival === "all-valid" ? "valid" : "suspect",
    sentence: reliabilityText(survival, {
      valid,
      invalid,
      runs: runs.length,
      lost,
      isUndecided: judged.every(({ isUndecided }) => isUndecided),
    }),
  };
}

/** Where the verdict is another without them, or none. */
function lostOf(judged: readonly Judgement[], again: readonly Judgement[]): Judgement[] {
  const kept = new Set(again.map(({ key }) => key));
  return judged.filter(({ key }) => !kept.has(key));
}

function survivalOf(
  judged: readonly Judgement[],
  again: readonly Judgement[],
  lost: readonly Judgement[],
): Survival {
  if (judged.length === 0) return "uncompared";
  if (lost.length === 0) return "same";
  if (lost.length < judged.length) return "partly";
  if (again.length === 0) return "fewer";
  return again.every(({ isUndecided }) => isUndecided) ? "open" : "changed";
}

function isUndecided({ contest, standing }: Place): boolean {
  return standing === "one-run" || (contest.leader === null && !contest.isEquivalent);
}

interface ValidRuns {
  readonly valid: number;
  readonly invalid: number;
  readonly runs: number;
  readonly lost: readonly Judgement[];
  /** With all runs. */
  readonly isUndecided: boolean;
}

function reliabilityText(
  survival: Survival,
  { valid, invalid, runs, lost, isUndecided }: ValidRuns,
): string {
  const share = `${valid} of ${counted(runs, "run")} ${valid === 1 ? "is" : "are"} valid`;
  const suspect = runs - valid - invalid;
  // Where both are there: the trust bar counts the worst of them alone.
  const levels = invalid > 0 && suspect > 0 ? ` (${suspect} suspect, ${invalid} invalid)` : "";
  const others = `the other ${runs - valid === 1 ? "one" : runs - valid}`;
  switch (survival) {
    case "all-valid":
      return runs === 1 ? "The run is valid." : `${allOf(runs, "run")} are valid.`;
    case "none-valid":
      return runs === 1
        ? "The run is not valid, so nothing here is certain."
        : `${
          runs === 2 ? "Neither run" : `None of ${counted(runs, "run")}`
        } is valid${levels}, so nothing here is certain.`;
    case "uncompared":
      return `${share}; the figures include ${others}${levels}.`;
    case "same":
      return `${share}; the verdict is the same without ${others}.`;
    case "partly":
      return `${share}; the verdict is the same without ${others}, but not ${lostText(lost)}.`;
    case "open":
      return isUndecided
        ? `${share}; the verdict is inconclusive without ${others}, too.`
        : `${share}; without ${others} the verdict is inconclusive.`;
    case "fewer":
      return `${share}; without ${others} there is too little left to compare.`;
    case "changed":
      return `${share}; without ${others} the verdict is another.`;
  }
}

function lostText(lost: readonly Judgement[]): string {
  const targets = unique(lost.flatMap(({ other }) => other ?? []));
  if (targets.length > 0) return `of ${listedSome(targets, "and")}`;
  const places = lost.map(({ place }) => place);
  return places.length > MOST_NAMED
    ? `in ${counted(places.length, nounOfPlaces(places))}`
    : inText(places);
}
