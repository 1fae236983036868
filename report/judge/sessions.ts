/**
 * In which measuring sessions the sides of a comparison were measured, and what is known of how sessions differ. Two
 * results are two sessions, unless they are of the same start.
 */
import { meanOfSessions, spreadOfSessions } from "../../runner/stats/comparison/sessions.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import type { Variance } from "../../runner/stats/confidence/confidence_interval.ts";
import { type CellRuns, type Grouped, groupRuns } from "../cells/cells.ts";
import { type CellPair, cellPlace, cellsOf } from "../cells/match.ts";
import type { DrawnFigure } from "../figures/range.ts";
import { type ComparedRuns, groupOf } from "./group.ts";
import type { Between, GroupPair } from "./ratio_of.ts";

/** By how much sessions differ, by figure; null where earlier sessions don't have it twice. */
export type SessionSpread = (figure: DrawnFigure) => Variance | null;

type SessionStart = Pick<Grouped, "startedAt">;

/** Whether both were measured in one experiment. */
export function areOneSession(base: SessionStart, next: SessionStart): boolean {
  return base === next || (base.startedAt !== undefined && base.startedAt === next.startedAt);
}

/** @param earlier Sessions of the same programs, in which nothing but the session differed; at most one: nothing is known. */
export function sessionSpread(earlier: readonly Grouped[]): SessionSpread {
  const cells = [...cellsByPlace(distinct(earlier)).values()];
  return (figure) =>
    spreadOfSessions(
      cells.map((those) => those.flatMap((cell) => groupOf(cell).estimates.get(figure) ?? [])),
    );
}

function cellsByPlace(sessions: readonly Grouped[]): Map<string, CellRuns[]> {
  return Map.groupBy(sessions.flatMap((session) => cellsOf(groupRuns(session))), cellPlace);
}

/** @param singleSides How many of the sides are one session each. */
export function betweenOf(spread: Variance | null, singleSides: number): Between {
  if (singleSides === 0) return { kind: "known", variances: [] };
  if (spread === null) return { kind: "unknown" };
  // Both sides by the same estimate: if it is off, it is off for both.
  return { kind: "known", variances: [{ ...spread, variance: singleSides * spread.variance }] };
}

interface MeasuredSessions {
  readonly bases: readonly Grouped[];
  readonly nexts: readonly Grouped[];
  /** Sessions in which nothing but the session differed. */
  readonly earlier: readonly Grouped[];
}

/** @param matches Of the last session of each side. @returns Their comparisons over all sessions, in their order. */
export function sessionPairs(
  matches: readonly CellPair[],
  { bases, nexts, earlier }: MeasuredSessions,
): GroupPair[] {
  // The same cell in all sessions but the last.
  const [ofBase, ofNext] = [bases, nexts].map((sides) => cellsByPlace(sides.slice(0, -1)));
  const spread = sessionSpread(earlier);
  const isOne = bases.length === 1 && nexts.length === 1 && areOneSession(bases[0], nexts[0]);
  return matches.map(({ base, next }): GroupPair => {
    const cells = [
      [...ofBase.get(cellPlace(base)) ?? [], base],
      [...ofNext.get(cellPlace(next)) ?? [], next],
    ];
    const sides = { base: groupOfSessions(cells[0]), next: groupOfSessions(cells[1]) };
    if (isOne) return sides;
    const singleSides = cells.filter(({ length }) => length === 1).length;
    return { ...sides, between: (figure) => betweenOf(spread(figure), singleSides) };
  });
}

/** Of each start once, in their order. */
export function distinct<T extends Grouped>(sessions: readonly T[]): T[] {
  return sessions.filter((one, i) =>
    !sessions.slice(0, i).some((other) => areOneSession(one, other))
  );
}

/** A folder of sessions may hold those that it is compared with; a single session stays. */
export function withoutSessionsOf<T extends Grouped>(
  sessions: readonly T[],
  others: readonly Grouped[],
): readonly T[] {
  const own = sessions.filter((one) => !others.some((other) => areOneSession(one, other)));
  return sessions.length > 1 && own.length > 0 ? own : sessions;
}

/** One cell in each of several sessions, as a side: a single session by its runs, several by their means. */
function groupOfSessions(cells: readonly CellRuns[]): ComparedRuns {
  const groups = cells.map(groupOf);
  if (groups.length === 1) return groups[0];
  return {
    runs: groups.flatMap(({ runs }) => runs),
    estimates: {
      get(figure): Estimate | null {
        const known = groups.flatMap(({ estimates }) => estimates.get(figure) ?? []);
        return known.length < 2 ? null : meanOfSessions(known);
      },
    },
    wholeRuns: [],
    unsteady: groups.find(({ unsteady }) => unsteady !== null)?.unsteady ?? null,
    strayRatio: Math.max(...groups.map(({ strayRatio }) => strayRatio)),
    halves: () => null,
    isOpenAbove: groups.some(({ isOpenAbove }) => isOpenAbove),
    isAtLimit: groups.some(({ isAtLimit }) => isAtLimit),
  };
}
