/** Whether a comparison in slices has its verdicts, looked at after a few numbers of pairs of processes that are fixed ahead. */
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { decide, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";

/** @param processes Pairs of them so far. */
export function isDecided({ cells }: ResultsComparison, processes: number): boolean {
  if (!PROCESS_LOOKS.some((look) => look === processes) || cells.length === 0) return false;
  const judged = cells.flatMap(({ comparison: { decisive, figures } }) =>
    figures.filter(({ figure }) => decisive.includes(figure))
  );
  return !decide(judged, processes).goesOn;
}
