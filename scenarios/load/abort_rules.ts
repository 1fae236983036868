/**
 * Rules that end a hopeless load early, such as `errors > 5%` or `p99 > 5s`. Each is the opposite of a rule that a run
 * should satisfy.
 */
import type { z } from "zod";
import { quotedOpenly } from "../../base/secrets.ts";
import type { Relation } from "../claims/claim.ts";
import { type Objective, objectiveOf } from "../claims/objective.ts";
import { parseThreshold } from "../claims/threshold.ts";

const OPPOSITE: Readonly<Record<Relation, Relation>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/**
 * The opposite of the abort rule in `text`: the load continues as long as this opposite holds. Returns the problems of
 * `text` instead if it can't be used.
 */
function keptBy(text: string): Objective | readonly string[] {
  const parsed = parseThreshold(text);
  if ("problems" in parsed) return parsed.problems;
  const { threshold } = parsed;
  const kept = threshold.against === "limit"
    ? objectiveOf({ ...threshold, relation: OPPOSITE[threshold.relation] })
    : null;
  // While a load runs, figures of requests are available, but not those of messages.
  if (kept !== null && kept.messages === null) return kept;
  return [
    `Cannot end a load by ${quotedOpenly(text)}: write a rule about a latency percentile, ` +
    'success or errors, such as "errors > 5%" or "p99 > 5s"',
  ];
}

/** @param rules Rules as written; undefined if there are none. */
export function checkAbortRules(
  rules: readonly string[] | undefined,
  context: Pick<z.core.$RefinementCtx, "addIssue">,
): void {
  for (const problem of (rules ?? []).map(keptBy).filter((kept) => Array.isArray(kept)).flat()) {
    context.addIssue(problem);
  }
}

/** Parses rules that `checkAbortRules` has accepted. */
export function keptByAll(rules: readonly string[]): readonly Objective[] {
  return rules.flatMap((rule) => {
    const kept = keptBy(rule);
    return "allowed" in kept ? [{ ...kept, text: rule }] : [];
  });
}
