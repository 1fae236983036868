/** The first thing to say of results: in which runs no request got an answer, so that nothing was measured. */
import type { Run } from "../../../runner/result/result.ts";
import { endsOf, isUnanswered, unansweredText } from "../../../runner/result/unanswered.ts";
import { cellLabel } from "../runs/cells.ts";
import { counted, unique } from "../numbers/words.ts";

/** So many cells are named. */
const MOST_CELLS = 3;

/**
 * `No request got an answer in 2 of 6 runs (static, silent): 100 timed out after 5 s.`; "" where every run had one.
 */
export function unansweredSentence(runs: readonly Run[]): string {
  const silent = runs.filter(isUnanswered);
  if (silent.length === 0) return "";
  if (runs.length === 1) return `${unansweredText(runs[0])}.`;
  const cells = unique(silent.map((run) => `${run.scenario}, ${cellLabel(run)}`));
  const where = silent.length === runs.length
    ? `any of ${counted(runs.length, "run")}`
    : `${silent.length} of ${counted(runs.length, "run")} (${listed(cells)})`;
  return `No request got an answer in ${where}: ${endsOf(silent) || "none was due"}.`;
}

function listed(cells: readonly string[]): string {
  const left = cells.length - MOST_CELLS;
  return cells.slice(0, MOST_CELLS).join("; ") + (left > 0 ? ` and ${left} more` : "");
}
