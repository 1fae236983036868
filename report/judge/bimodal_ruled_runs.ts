/** Whether the runs behind a claim or threshold fall into two groups, so that no interval over the runs decides it. */
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

/** A figure of a rule, and its power in the quantity that the rule limits: 1, or -1 for the divisor of a ratio. */
export interface RuledTerm {
  readonly amount: Pick<Amount, "range" | "cell">;
  readonly power: number;
}

/**
 * The groups into which the runs fall; null if they are of one kind, if all of them lie on the same side of the limit,
 * or if no interval over runs decides the rule.
 *
 * @param sliced The turns that the two sides of a ratio took with each other; null if they took none.
 */
export function groupsBehind(
  terms: readonly RuledTerm[],
  allowed: Allowed,
  sliced: Sliced | null = null,
): RunGroups | null {
  // All slices of a single pair of processes are one sample, which can't fall into groups.
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

/** Logarithm of the ratio in each repetition; null for a single figure, or without common repetitions in one session. */
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
