/** What a reader must know before believing a number: what is missing, and what may be wrong. */
import type { Missing, Run } from "../../../runner/result/result.ts";
import { cellLabel } from "../runs/cells.ts";
import type { MeasuredRuns } from "../runs/measured.ts";
import { counted, unique } from "../numbers/words.ts";
import { isUnanswered } from "../../../runner/result/outcome.ts";
import { endsOf, noResponseText } from "./no_response.ts";

export interface MissingModel {
  /** Scenario, targets and runs. */
  readonly what: string;
  readonly kind: Missing["kind"];
  readonly reason: string;
  readonly evidence: readonly string[];
}

/** One entry per reason: three targets without Redis are one matter. */
export function missingModels(missing: readonly Missing[]): MissingModel[] {
  const byReason = Map.groupBy(
    missing,
    ({ scenario, kind, reason, evidence }) => JSON.stringify([scenario, kind, reason, evidence]),
  );
  return [...byReason.values()].map((group) => {
    const { scenario, kind, reason, evidence } = group[0];
    return { what: `${scenario}, ${group.map(partText).join("; ")}`, kind, reason, evidence };
  });
}

function partText(missing: Missing): string {
  const { repetition } = missing;
  return repetition === null ? cellLabel(missing) : `${cellLabel(missing)}, run ${repetition}`;
}

export function warningsOf(
  { state = "done", runs, planned = runs.length, missing = [] }: MeasuredRuns,
): string[] {
  return [
    ...(state === "done"
      ? []
      : [`${STATE_WORDS[state]}: ${runs.length} of ${counted(planned, "planned run")} are in.`]),
    ...(missing.length === 0 ? [] : [
      `${counted(missing.length, "part")} of the plan ${
        missing.length === 1 ? "has" : "have"
      } no measurement.`,
    ]),
  ];
}

const STATE_WORDS = { running: "Still running", interrupted: "Interrupted" } as const;

/** The first thing to say of results: in which runs no request got a response, so that nothing was measured. */

/** So many cells are named. */
const MOST_CELLS = 3;

/**
 * `No request got a response in 2 of 6 runs (static, silent): 100 timed out after 5 s.`; "" where every run had one.
 */
export function unansweredSentence(runs: readonly Run[]): string {
  const silent = runs.filter(isUnanswered);
  if (silent.length === 0) return "";
  if (runs.length === 1) return `${noResponseText(runs[0])}.`;
  const cells = unique(silent.map((run) => `${run.scenario}, ${cellLabel(run)}`));
  const where = silent.length === runs.length
    ? `any of ${counted(runs.length, "run")}`
    : `${silent.length} of ${counted(runs.length, "run")} (${listed(cells)})`;
  return `No request got a response in ${where}: ${endsOf(silent) || "none was due"}.`;
}

function listed(cells: readonly string[]): string {
  const left = cells.length - MOST_CELLS;
  return cells.slice(0, MOST_CELLS).join("; ") + (left > 0 ? ` and ${left} more` : "");
}
