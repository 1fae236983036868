/** The profiles of one cell of two results: where the time goes on either side, and what a change of its figures comes from. */
import type { Results } from "../../runner/result/result.ts";
import { comparisonOf, decisiveOf, type GroupComparison } from "../judge/comparison.ts";
import type { WorkChange } from "./profiles/changes.ts";
import { pairedProfiles, type ProfilesModel } from "./profiles/profiles.ts";
import type { Match } from "../cells/match.ts";

export interface ComparedProfiles {
  readonly name: string;
  readonly profiles: ProfilesModel;
}

interface ProfiledMatch {
  /** Of the cell. */
  readonly name: string;
  readonly match: Match;
  readonly comparison: GroupComparison;
  /** What the sides are called. */
  readonly names: readonly [base: string, next: string];
  /** Whether responses were right, so that its figures say something. */
  readonly isRight: boolean;
}

type ProfiledResults = Partial<Pick<Results, "profiles">>;

/** Null where either side has no profile of it. @param bases,nexts The sessions of each side. */
export function comparedProfiles(
  { name, match: { base, next }, comparison, names, isRight }: ProfiledMatch,
  bases: readonly ProfiledResults[],
  nexts: readonly ProfiledResults[],
): ComparedProfiles | null {
  const of = (sessions: readonly ProfiledResults[]) =>
    sessions.flatMap(({ profiles }) => profiles ?? []);
  const sides = [
    { name: names[0], cell: base.cell, profiles: of(bases) },
    { name: names[1], cell: next.cell, profiles: of(nexts) },
  ] as const;
  const profiles = pairedProfiles(next.scenario, sides, isRight ? workChange(comparison) : null);
  return profiles && { name, profiles };
}

/**
 * Profiles explain CPU time alone: a wait that has become longer is no function's. Between two sessions the change may
 * not be the programs'.
 */
function workChange(comparison: GroupComparison): WorkChange | null {
  const { interval, verdict } = comparisonOf(comparison, "cpuPerRequest");
  if (interval === null) return isChanged(comparison) ? "either" : null;
  if (verdict === "equivalent") return null;
  if (interval.low > 1) return "more";
  return interval.high < 1 ? "less" : null;
}

/** In a figure that decides. */
function isChanged(comparison: GroupComparison): boolean {
  return decisiveOf(comparison).some(({ verdict, reason }) =>
    ["worse", "better"].includes(verdict) || reason === "sessions"
  );
}
