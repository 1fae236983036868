/** Whether the runs behind a rule are of two kinds, so that no interval of them decides it: the same for claims and for thresholds. */
import { commonOf } from "../../runner/stats/confidence/confidence_interval.ts";
import type { Ends } from "../figures/range.ts";
import type { Amount } from "./amounts.ts";
import type { Allowed } from "./reasons.ts";
import {
  areOneSided,
  arePairsOneSided,
  type GroupedRuns,
  groupsAmong,
  type RunGroups,
} from "./bimodal_runs.ts";
import { isAllowed, sideOf } from "./rules.ts";
import type { Sliced } from "./slices.ts";

/** A figure of a rule, to its power in what the rule is about: 1, or -1 of what is divided by. */
export interface RuledTerm {
  readonly amount: Pick<Amount, "range" | "cell">;
  readonly power: number;
}

/**
 * Null if the runs are of one kind, or all on the same side of the limit, and where no interval decides anyway.
 *
 * @param sliced The turns that the two sides of a ratio took with each other; null if they took none.
 */
export function groupsBehind(
  terms: readonly RuledTerm[],
  allowed: Allowed,
  sliced: Sliced | null = null,
): RunGroups | null {
  // What one pair of processes shows in its slices is one sample.
  const isOneSample = sliced !== null && sliced.alone !== null;
  if (isOneSample || terms.some(({ amount }) => amount.range.interval === null)) return null;
  const logs = logsByRepetition(terms);
  const isOneSided = (ends: Ends): boolean => sideOf(ends, allowed) !== "inconclusive";
  const [of, to] = terms.map(({ amount }) => amount.range.byRun);
  const areAllOneSided = terms.length === 1
    ? new Set(of.map((one) => isAllowed(one, allowed))).size === 1
    : terms.length === 2 && sliced === null
    ? areOneSided(of, to, isOneSided)
    : logs !== null && arePairsOneSided(logs, isOneSided);
  return areAllOneSided
    ? null
    : groupsAmong(terms.map(({ amount }) => ["next", runsOf(amount)]), logs);
}

function runsOf({ range, cell: { wholeRuns = [] } }: RuledTerm["amount"]): GroupedRuns {
  return { ...range, wholeRuns };
}

/** Logarithm of the ratio in each repetition; null of one figure alone, and without common repetitions of one session. */
function logsByRepetition(terms: readonly RuledTerm[]): number[] | null {
  const sessions = new Set(
    terms.map(({ amount }) => amount.cell.estimates.get("rate")?.session ?? null),
  );
  const common = commonOf(terms.map(({ amount }) => amount.range));
  if (terms.length === 1 || sessions.size > 1 || sessions.has(null) || common.length < 2) {
    return null;
  }
  return common.map((repetition) =>
    terms.reduce(
      (log, { amount: { range: { byRun, repetitions } }, power }) =>
        log + power * Math.log(byRun[repetitions.indexOf(repetition)]),
      0,
    )
  );
}
