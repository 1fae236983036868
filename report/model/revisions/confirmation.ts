/**
 * An alarm stands only where fresh runs say the same. Each of the two comparisons calls a cell worse by mistake in at
 * most 5 % of all cases, over all its cells together; so both do in fewer.
 */
import {
  type ComparedCell,
  comparedName,
  comparedOutcome,
  type ResultsComparison,
} from "../compared_results.ts";
import type { ThresholdOutcome } from "../gates/evidence.ts";
import { worstOf } from "../gates/gates.ts";
import { decisiveOf } from "../comparison/comparison.ts";
import type { ComparedFigure } from "../comparison/group.ts";

/** One figure that was worse, and what the fresh runs said of it; null: it was not measured again. */
export interface Alarm {
  readonly cell: ComparedCell;
  readonly figure: ComparedFigure;
  readonly again: ThresholdOutcome | null;
}

export interface Confirmed {
  readonly alarms: readonly Alarm[];
  readonly outcome: ThresholdOutcome;
}

/** Cells of which a figure that decides is worse. */
export function worseCells({ cells }: ResultsComparison): ComparedCell[] {
  return cells.filter((cell) =>
    decisiveOf(cell.comparison).some(({ figure }) => comparedOutcome(cell, figure) === "fail")
  );
}

/** @param second Of fresh runs of the worse cells, at least; null: none were made, and the first stands. */
export function confirmedBy(
  first: ResultsComparison,
  second: ResultsComparison | null,
): Confirmed {
  const figures = first.cells.flatMap((cell) =>
    decisiveOf(cell.comparison).map(({ figure }) => ({ cell, figure }))
  );
  const judged = figures.map(({ cell, figure }) => {
    const outcome = comparedOutcome(cell, figure);
    if (outcome !== "fail") return { cell, figure, outcome, again: null };
    const fresh = second?.cells.find((other) => comparedName(other) === comparedName(cell));
    const again = fresh === undefined ? null : comparedOutcome(fresh, figure);
    return { cell, figure, outcome: again ?? outcome, again };
  });
  return {
    alarms: judged.filter(({ cell, figure }) => comparedOutcome(cell, figure) === "fail")
      .map(({ cell, figure, again }) => ({ cell, figure, again })),
    outcome: worstOf([...judged, ...first.gates]),
  };
}

/** The comparison as it stands after the fresh runs, in every form: what these did not bear out is inconclusive. */
export function asConfirmed(
  first: ResultsComparison,
  { alarms, outcome }: Confirmed,
): ResultsComparison {
  const cells = first.cells.map((cell) => {
    const doubtful = alarms.filter((alarm) =>
      alarm.cell === cell && alarm.again !== null && alarm.again !== "fail"
    ).map(({ figure }) => figure);
    return doubtful.length === 0 ? cell : withDoubts(cell, doubtful);
  });
  return { ...first, cells, outcome };
}

function withDoubts(cell: ComparedCell, doubtful: readonly ComparedFigure[]): ComparedCell {
  const figures = cell.comparison.figures.map((one) =>
    doubtful.includes(one.figure)
      ? { ...one, verdict: "inconclusive", reason: "unconfirmed" } as const
      : one
  );
  return { ...cell, comparison: { ...cell.comparison, figures } };
}
