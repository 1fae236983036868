/**
 * Judges whether one side of a comparison fails more requests than the other, or responds wrongly to more. This
 * judgement comes before that of speed, because a fast error is no success.
 */
import { mannWhitney } from "../../runner/stats/comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import {
  type Proportion,
  shareDifference,
} from "../../runner/stats/confidence/proportion_interval.ts";
import { clustered } from "../../runner/stats/dependence/clustered_share.ts";
import type { CellRuns } from "../cells/cells.ts";
import { FIGURES } from "../figures/figures.ts";
import { failureDispersion } from "./one_run.ts";
import { sharesOver } from "./rounds.ts";
import {
  hasTooManyErrors,
  judgedErrorRatio,
  judgedRuns,
  MOST_COUNTED,
  TOLERATED_WRONG_RATIO,
} from "./shortfall.ts";

/**
 * The verdict by errors; null if both sides have so few of them that speed decides. `worse` and `better` are beyond
 * doubt: the interval of the difference lies beyond the share of errors that is tolerated, and the exact test agrees.
 * A new side is better only if its own errors are tolerable.
 */
export function errorVerdict(
  base: CellRuns,
  next: CellRuns,
): "worse" | "better" | "inconclusive" | null {
  const [baseIsWrong, nextIsWrong] = [base, next].map(hasTooManyErrors);
  if (!baseIsWrong && !nextIsWrong) return null;
  const [to, of] = [base, next].map(errorShares);
  if (to.length === 0 || of.length === 0 || !differInErrors(base, next)) return "inconclusive";
  const { low, high } = shareDifference(of, to, Math.max(base.level, next.level));
  if (low > TOLERATED_WRONG_RATIO) return "worse";
  return high < -TOLERATED_WRONG_RATIO && !nextIsWrong ? "better" : "inconclusive";
}

/**
 * The error ratio of each run, or of all rounds of a server together, with the same allowance for clusters of errors as
 * for a threshold on `errors`.
 */
function errorShares(cell: CellRuns): readonly Proportion[] {
  const runs = judgedRuns(cell.runs);
  const shares = runs.flatMap((run) => FIGURES.errors.counted?.(run) ?? [])
    .filter(({ of }) => of > 0);
  return runs.length === 1
    ? shares.map((share) => clustered(share, failureDispersion(runs[0], share, true)))
    : sharesOver(cell, shares);
}

/**
 * Whether the error ratios of the sides' runs differ by more than chance. The interval alone can't tell: if errors come
 * in bursts, a few runs with a burst can set apart two sides that fail equally often.
 */
function differInErrors(...sides: readonly [CellRuns, CellRuns]): boolean {
  const [base, next] = sides.map(({ runs }) => runs.map((run) => judgedErrorRatio([run])));
  if (Math.max(base.length, next.length) <= MOST_COUNTED) {
    const { p, leastP } = mannWhitney(base, next);
    if (leastP <= SIGNIFICANCE) return p <= SIGNIFICANCE;
  }
  return Math.min(...base) > Math.max(...next) || Math.min(...next) > Math.max(...base);
}
