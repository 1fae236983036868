/** Simulates verdicts of comparisons between cells, and computes them as reports and `compare` do. */
import {
  comparePairs,
  comparisonOf,
  type FigureComparison,
  type Standing,
  standingOf,
} from "../../report/judge/comparison.ts";
import type { ComparableRun, ComparedFigure, ComparedRuns } from "../../report/judge/group.ts";
import type { GroupPair } from "../../report/judge/ratio_of.ts";
import {
  contrastOfSessions,
  meanOfSessions,
  type SessionFigure,
  type SessionSide,
} from "../../runner/stats/comparison/sessions.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { estimatesOf, type Machine, type Plan, simulateCells } from "./experiment.ts";
import type { Random } from "./random.ts";

const DECIDING = ["rate", 99] as const;

/** The comparisons of the two figures that decide a verdict. */
export type Verdicts = readonly [rate: FigureComparison, p99: FigureComparison];

export interface Simulated {
  readonly repetitions: number;
  readonly machine: Machine;
  /** The factor by which everything takes longer in the new cell. Default 1, which compares a program with itself. */
  readonly slower?: number;
}

/** Compares two cells of one experiment. */
export function compareCells(
  random: Random,
  { repetitions, machine, slower = 1 }: Simulated,
): Verdicts {
  const cells = simulateCells(random, { cells: 2, repetitions, machine, slower: [1, slower] });
  const [base, next] = estimatesOf(cells, DECIDING);
  return verdictsOf({ base: groupOf(base), next: groupOf(next) });
}

/** The leader by rate among all cells of one experiment, and how certain its lead is. */
export interface SimulatedLead {
  /**
   * The leader's standing against its rival. The rival is the cell with the next highest rate over which the leader is
   * not proven to be ahead or, if there is none, the cell with the second highest rate.
   */
  readonly standing: Standing;
  /** The indices of the leader and its rival among the cells of the plan. */
  readonly first: number;
  readonly rival: number;
}

/**
 * Draws the conclusion of an experiment. The cell with the highest rate is compared with each other cell, and these
 * tests form one family with the comparisons of all cells against the base.
 */
export function concludeCells(
  random: Random,
  { cells, repetitions, machine, slower }: Plan,
): SimulatedLead {
  const groups = estimatesOf(
    simulateCells(random, { cells, repetitions, machine, slower }),
    DECIDING,
  )
    .map((estimates) => groupOf(estimates));
  const rateOf = (cell: number): number => groups[cell].estimates.get("rate")?.value ?? 0;
  const [first, ...others] = groups.map((_, cell) => cell).sort((a, b) => rateOf(b) - rateOf(a));
  const againstBase = others.filter((cell) => first !== 0 && cell !== 0);
  const comparisons = comparePairs([
    ...others.map((cell) => ({ base: groups[cell], next: groups[first] })),
    ...againstBase.map((cell) => ({ base: groups[0], next: groups[cell] })),
  ]);
  const standings = others.map((_, i) => standingOf(comparisonOf(comparisons[i], "rate")));
  const open = standings.findIndex((standing) => standing !== "ahead");
  return open === -1
    ? { standing: "ahead", first, rival: others[0] }
    : { standing: standings[open], first, rival: others[open] };
}

export interface ManyCells extends Simulated {
  /** The number of pairs of a base and a new side. Only in the first pair is the new side slower. */
  readonly pairs: number;
  /** Whether the two sides of a pair run next to each other in a block. */
  readonly inPairs: boolean;
  /** Whether runs are compared within their block. */
  readonly isPaired: boolean;
  /** The figures to compare; default: the two that decide. */
  readonly figures?: readonly (typeof DECIDING[number])[];
}

/** Judges many pairs of cells of one experiment together. */
export function compareMany(
  random: Random,
  { pairs, repetitions, machine, slower = 1, inPairs, isPaired, figures = DECIDING }: ManyCells,
): Verdicts[] {
  const recorded = figures.length === 1 ? 1 : 200;
  const plan = { cells: 2 * pairs, repetitions, machine, slower: [1, slower], recorded, inPairs };
  const sides = estimatesOf(simulateCells(random, plan), figures, isPaired ? "one" : null)
    .map((estimates) => groupOf(estimates));
  const compared = comparePairs(
    Array.from({ length: pairs }, (_, i) => ({ base: sides[2 * i], next: sides[2 * i + 1] })),
  );
  return compared.map((one) => [comparisonOf(one, "rate"), comparisonOf(one, 99)]);
}

/** Compares a program with itself in separate sessions. Earlier sessions, if any, show how much sessions differ. */
export function compareSessions(
  random: Random,
  { repetitions, machine, aSide, earlier }: Simulated & { aSide: number; earlier: number },
): Verdicts {
  const sessions = (count: number): (Estimate | null)[][] =>
    Array.from({ length: count }, () => {
      const cells = simulateCells(random, { cells: 1, repetitions, machine });
      return estimatesOf(cells, DECIDING, null)[0];
    });
  const [before, base, next] = [earlier, aSide, aSide].map((count) =>
    overSessions(sessions(count))
  );
  const figuresOf = (side: SessionSide, estimates: readonly Estimate[]): SessionFigure[] =>
    estimates.map((estimate) => ({ ...estimate, side, startedMs: null }));
  const sideOf = (side: readonly Estimate[][]): ComparedRuns =>
    groupOf(side.map((estimates) => aSide === 1 ? estimates[0] : meanOfSessions(estimates)));
  return verdictsOf({
    base: sideOf(base),
    next: sideOf(next),
    between: (figure) => {
      const at = DECIDING.findIndex((one) => one === figure);
      if (at === -1) return { kind: "unknown" };
      const contrast = contrastOfSessions([
        ...figuresOf("earlier", before[at]),
        ...figuresOf("base", base[at]),
        ...figuresOf("next", next[at]),
      ]);
      return contrast === null ? { kind: "unknown" } : { kind: "known", contrast };
    },
  });
}

/** For each figure, its estimates in all sessions. */
function overSessions(sessions: readonly (readonly (Estimate | null)[])[]): Estimate[][] {
  return DECIDING.map((_, f) => sessions.flatMap((estimates) => estimates[f] ?? []));
}

export function verdictsOf(pair: GroupPair): Verdicts {
  const [comparison] = comparePairs([pair]);
  return [comparisonOf(comparison, "rate"), comparisonOf(comparison, 99)];
}

/**
 * Makes a side of a comparison from a simulated cell.
 * @param wholeRuns The repetitions that count as a whole because they have no steady part. All others count by their
 * steady part.
 */
export function groupOf(
  estimates: readonly (Estimate | null)[],
  wholeRuns: readonly number[] = [],
): ComparedRuns {
  return {
    runs: [RUN, RUN],
    estimates: new Map<ComparedFigure, Estimate | null>(
      DECIDING.map((figure, f) => [figure, estimates[f] ?? null]),
    ),
    wholeRuns,
    unsteady: null,
    strayRatio: 1,
    halves: () => null,
    isOpenAbove: false,
    isAtLimit: false,
    isGeneratorBound: false,
  };
}

/** A placeholder for a run. Its figures are not read, because the estimates contain them. */
const RUN: ComparableRun = {
  rate: 0,
  elapsedS: 0,
  histogram: "",
  requests: { due: 0, completed: 0, failed: 0, unfinished: 0, dropped: 0 },
  latency: {
    clock: "sent",
    count: 0,
    censored: 0,
    fastest: 0,
    min: 0,
    mean: 0,
    stdev: 0,
    max: 0,
    percentiles: {
      "50": 0,
      "75": 0,
      "90": 0,
      "95": 0,
      "99": 0,
      "99.9": 0,
      "99.99": 0,
    },
  },
};
