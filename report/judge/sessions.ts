/**
 * The sessions in which the sides of a comparison were measured, and what is known about the differences between
 * sessions. Two results belong to different sessions unless they started at the same time.
 */
import {
  contrastOfSessions,
  meanOfSessions,
  type SessionFigure,
  type SessionSide,
} from "../../runner/stats/comparison/sessions.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { type CellRuns, type Grouped, groupRuns } from "../cells/cells.ts";
import { type CellPair, cellPlace, cellsOf } from "../cells/match.ts";
import type { DrawnFigure } from "../figures/range.ts";
import { type ComparedRuns, groupOf } from "./group.ts";
import type { Between, GroupPair } from "./ratio_of.ts";
import { slicedBetween } from "./slices.ts";

type SessionStart = Pick<Grouped, "startedAt">;

/** Whether both sides were measured in the same experiment. */
export function areOneSession(base: SessionStart, next: SessionStart): boolean {
  return base === next || (base.startedAt !== undefined && base.startedAt === next.startedAt);
}

interface SessionCell {
  readonly side: SessionSide;
  readonly startedMs: number | null;
  readonly cell: CellRuns;
}

function sessionCells(side: SessionSide, sessions: readonly Grouped[]): SessionCell[] {
  return sessions.flatMap((session) => {
    const startedMs = startedMsOf(session);
    return cellsOf(groupRuns(session)).map((cell) => ({ side, startedMs, cell }));
  });
}

export interface MeasuredSessions {
  readonly bases: readonly Grouped[];
  readonly nexts: readonly Grouped[];
  /** Sessions of the same targets under the same conditions, which show how much results differ by session alone. */
  readonly earlier: readonly Grouped[];
}

/**
 * Compares the matched cells over all sessions of both sides.
 *
 * @param matches The matches in the last session of each side.
 * @returns The comparisons over all sessions, in the order of `matches`.
 */
export function sessionPairs(
  matches: readonly CellPair[],
  { bases, nexts, earlier }: MeasuredSessions,
): GroupPair[] {
  if (bases.length === 1 && nexts.length === 1 && areOneSession(bases[0], nexts[0])) {
    return matches.map(sidesOf);
  }
  const compared = [...bases, ...nexts];
  const others = distinct(earlier).filter((one) => !compared.some((of) => areOneSession(one, of)));
  const byPlace = Map.groupBy([
    ...sessionCells("earlier", others),
    ...sessionCells("base", bases.slice(0, -1)),
    ...sessionCells("next", nexts.slice(0, -1)),
  ], ({ cell }) => cellPlace(cell));
  const before = (cell: CellRuns, ...sides: readonly SessionSide[]): SessionCell[] =>
    byPlace.get(cellPlace(cell))?.filter(({ side }) => sides.includes(side)) ?? [];
  return matches.map(({ base, next }): GroupPair =>
    sessionPair([
      ...before(base, "earlier", "base"),
      ...before(next, "next"),
      { side: "base", startedMs: startedMsOf(bases[bases.length - 1]), cell: base },
      { side: "next", startedMs: startedMsOf(nexts[nexts.length - 1]), cell: next },
    ])
  );
}

/** The two cells as the sides of a comparison, both from one session. */
export function sidesOf({ base, next }: CellPair): GroupPair {
  return { base: groupOf(base), next: groupOf(next), sliced: slicedBetween(base, next) };
}

function startedMsOf({ startedAt }: SessionStart): number | null {
  return startedAt === undefined ? null : Date.parse(startedAt);
}

function sessionPair(cells: readonly SessionCell[]): GroupPair {
  const groups = cells.map((one) => ({ ...one, group: groupOf(one.cell) }));
  const sideOf = (wanted: SessionSide): ComparedRuns =>
    groupOfSessions(groups.filter(({ side }) => side === wanted).map(({ group }) => group));
  const known = new Map<DrawnFigure, Between>();
  return {
    ...{ base: sideOf("base"), next: sideOf("next") },
    between: (figure) =>
      known.getOrInsertComputed(figure, () => {
        const contrast = contrastOfSessions(
          groups.flatMap(({ group, side, startedMs }): SessionFigure[] => {
            const estimate = group.estimates.get(figure);
            return estimate ? [{ ...estimate, side, startedMs }] : [];
          }),
        );
        return contrast === null ? { kind: "unknown" } : { kind: "known", contrast };
      }),
  };
}

/** Removes sessions with the same start, keeping the first of each. */
export function distinct<T extends Grouped>(sessions: readonly T[]): T[] {
  return sessions.filter((one, i) =>
    !sessions.slice(0, i).some((other) => areOneSession(one, other))
  );
}

/**
 * A folder's sessions, except those that also belong to the other side. Unchanged if the folder has a single session,
 * or if no session would remain.
 */
export function withoutSessionsOf<T extends Grouped>(
  sessions: readonly T[],
  others: readonly Grouped[],
): readonly T[] {
  const own = sessions.filter((one) => !others.some((other) => areOneSession(one, other)));
  return sessions.length > 1 && own.length > 0 ? own : sessions;
}

/**
 * One cell in several sessions, as one side of a comparison. Its sample is the runs of a single session, or the means
 * of several sessions.
 */
function groupOfSessions(groups: readonly ComparedRuns[]): ComparedRuns {
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
    isGeneratorBound: groups.some(({ isGeneratorBound }) => isGeneratorBound),
  };
}
