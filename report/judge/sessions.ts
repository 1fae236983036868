/**
 * In which measuring sessions the sides of a comparison were measured, and what is known of how sessions differ. Two
 * results are two sessions, unless they are of the same start.
 */
import { meanOfSessions, spreadOfSessions } from "../../runner/stats/comparison/sessions.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import type { Variance } from "../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import { type CellRuns, type Grouped, groupRuns } from "../cells/cells.ts";
import { cellPlace, type Match, type NamedCell, namedCells } from "../cells/match.ts";
import { type Between, ONE_SESSION } from "./between.ts";
import type { GroupPair } from "./ratio_of.ts";
import { type ComparedEstimates, type ComparedRuns, groupOf } from "./group.ts";

/** By how much sessions differ, by figure; null where earlier sessions don't have it twice. */
export type SessionSpread = (figure: SessionFigure) => Variance | null;
type SessionFigure = PooledFigure | "cpuPerRequest";

type SessionStart = Pick<Grouped, "startedAt">;

/** Whether both were measured in one experiment. */
export function areOneSession(base: SessionStart, next: SessionStart): boolean {
  return base === next || (base.startedAt !== undefined && base.startedAt === next.startedAt);
}

/** @param earlier Sessions of the same programs, in which nothing but the session differed; at most one: nothing is known. */
export function sessionSpread(earlier: readonly Grouped[]): SessionSpread {
  const cells = [...Map.groupBy(distinct(earlier).flatMap(sessionCells), cellPlace).values()];
  return (figure) =>
    spreadOfSessions(
      cells.map((those) => known(those.map(({ cell }) => groupOf(cell).estimates), figure)),
    );
}

/** @param singleSides How many of the sides are one session each. */
export function betweenOf(spread: Variance | null, singleSides: number): Between {
  if (singleSides === 0) return { kind: "known", variances: [] };
  if (spread === null) return { kind: "unknown" };
  // Both sides by the same estimate: if it is off, it is off for both.
  return { kind: "known", variances: [{ ...spread, variance: singleSides * spread.variance }] };
}

export interface MeasuredSessions {
  readonly bases: readonly Grouped[];
  readonly nexts: readonly Grouped[];
  /** Sessions in which nothing but the session differed. */
  readonly earlier: readonly Grouped[];
}

/** @param matches Of the last session of each side. @returns Their comparisons over all sessions, in their order. */
export function sessionPairs(
  matches: readonly Match[],
  { bases, nexts, earlier }: MeasuredSessions,
): GroupPair[] {
  const [ofBase, ofNext] = [bases, nexts].map(cellsBefore);
  const spread = sessionSpread(earlier);
  const isOne = bases.length === 1 && nexts.length === 1 && areOneSession(bases[0], nexts[0]);
  return matches.map(({ base, next }): GroupPair => {
    const cells = [[...ofBase(base), base.cell], [...ofNext(next), next.cell]];
    const sides = { base: groupOfSessions(cells[0]), next: groupOfSessions(cells[1]) };
    if (isOne) return sides;
    const singleSides = cells.filter(({ length }) => length === 1).length;
    return { ...sides, between: (figure) => betweenOf(spread(figure), singleSides) };
  });
}

/** The same cell in all sessions but the last. */
function cellsBefore(sides: readonly Grouped[]): (cell: NamedCell) => readonly CellRuns[] {
  const byPlace = Map.groupBy(sides.slice(0, -1).flatMap(sessionCells), cellPlace);
  return (cell) => (byPlace.get(cellPlace(cell)) ?? []).map((named) => named.cell);
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

/** What stands between figures of two results. @param earlier As of `sessionSpread`. */
export function betweenResults(
  base: Grouped,
  next: Grouped,
  earlier: readonly Grouped[] = [],
): (figure: SessionFigure) => Between {
  if (areOneSession(base, next)) return () => ONE_SESSION;
  const spread = sessionSpread(earlier);
  return (figure) => betweenOf(spread(figure), 2);
}

/** The cells of all sessions of a side. */
export function sessionCells(side: Grouped): NamedCell[] {
  return namedCells(groupRuns(side));
}

/** One cell in each of several sessions, as a side: a single session by its runs, several by their means. */
export function groupOfSessions(cells: readonly CellRuns[]): ComparedRuns {
  const groups = cells.map(groupOf);
  if (groups.length === 1) return groups[0];
  return {
    runs: groups.flatMap(({ runs }) => runs),
    estimates: new SessionEstimates(groups.map(({ estimates }) => estimates)),
    unsteady: groups.find(({ unsteady }) => unsteady !== null)?.unsteady ?? null,
    strayRatio: Math.max(...groups.map(({ strayRatio }) => strayRatio)),
    halves: () => null,
    isOpenAbove: groups.some(({ isOpenAbove }) => isOpenAbove),
    isAtLimit: groups.some(({ isAtLimit }) => isAtLimit),
  };
}

/** Figures over sessions; null where fewer than two sessions have one. */
class SessionEstimates implements ComparedEstimates {
  constructor(private readonly sessions: readonly ComparedEstimates[]) {}

  get(figure: SessionFigure): Estimate | null {
    const estimates = known(this.sessions, figure);
    return estimates.length < 2 ? null : meanOfSessions(estimates);
  }
}

function known(sessions: readonly ComparedEstimates[], figure: SessionFigure): Estimate[] {
  return sessions.flatMap((estimates) => estimates.get(figure) ?? []);
}
