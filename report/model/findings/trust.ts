/** Whether the figures can be believed, in sentences: first the verdict, then which runs, why, and what to do. */
import { type Trust, TRUSTS } from "../../../runner/result/generator.ts";
import type { Measurement, Run } from "../../../runner/result/result.ts";
import { cellLabel } from "../runs/cells.ts";
import { isUnanswered } from "../../../runner/result/unanswered.ts";
import { sum } from "../numbers/spread.ts";
import { counted } from "../numbers/words.ts";

export interface TrustModel {
  /** Of the worst run. */
  readonly level: Trust;
  /** What that means; does not begin with the level. */
  readonly text: string;
  /** Why, with advice: of one run each reason, of many a line for the cells that are to be doubted alike. */
  readonly reasons: readonly string[];
}

const MEANINGS: Record<Trust, string> = {
  valid: "neither the generator nor the machine was in the way",
  suspect: "the generator or the machine may have been in the way of the target",
  invalid: "the generator or the machine was measured, not the target",
};

/** Whatever else is doubted: nothing was answered. */
const UNANSWERED = "nothing was measured";

/** Where nothing else is doubted. */
const UNSETTLED = "what was measured never settled, so its figures are those of these moments";

/** The parts of a run that say whether to believe it. */
type Judged = Pick<Measurement, "generator" | "requests">;

export function trustOf(measurement: Judged): TrustModel {
  const level = levelOf(measurement);
  return { level, text: meaningOf(level, [measurement]), reasons: reasonsOf(measurement) };
}

/** That nothing was answered stands above them already. */
function reasonsOf({ generator: { reasons, causes = [] } }: Judged): string[] {
  return reasons.filter((_, i) => causes[i] !== "unanswered");
}

function meaningOf(level: Trust, runs: readonly Judged[]): string {
  if (runs.every(isUnanswered)) return UNANSWERED;
  const isUnsettled = runs.every(({ generator: { causes = [] } }) =>
    causes.length > 0 && causes.every((cause) => cause === "unsteady")
  );
  return isUnsettled ? UNSETTLED : MEANINGS[level];
}

/** Null without runs. */
export function trustOfRuns(runs: readonly Run[]): TrustModel | null {
  if (runs.length === 0) return null;
  const level = worstOf(runs);
  const ill = runs.filter((run) => levelOf(run) === level);
  const all = counted(runs.length, "run");
  if (level === "valid") {
    return {
      level,
      text: runs.length === 1 ? MEANINGS.valid : `${MEANINGS.valid} in any of ${all}`,
      reasons: [],
    };
  }
  const share = runs.length === 1 ? "" : `in ${ill.length} of ${all} `;
  const doubted = TRUSTS.filter((level) => level !== "valid").toReversed()
    .flatMap((level) => runs.filter((run) => levelOf(run) === level));
  const cells = [...Map.groupBy(doubted, (run) => levelOf(run) + cellOf(run)).values()].map(
    doubtOf,
  );
  const alike = [...Map.groupBy(cells, ({ level, reasons }) => level + withoutFigures(reasons))];
  return {
    level,
    text: share + meaningOf(level, ill),
    reasons: runs.length === 1 ? reasonsOf(doubted[0]) : alike.map(([, cells]) => reasonOf(cells)),
  };
}

/** Results of earlier versions call a run valid in which nothing was answered. */
function levelOf(run: Judged): Trust {
  return isUnanswered(run) ? "invalid" : run.generator.trust;
}

function worstOf(runs: readonly Run[]): Trust {
  return TRUSTS.findLast((level) => runs.some((run) => levelOf(run) === level)) ?? "valid";
}

function cellOf(run: Run): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

/** The runs of a cell that are to be doubted as much. */
interface Doubt {
  /** `static, express, run 2`: the first of them. */
  readonly place: string;
  readonly level: Trust;
  readonly runs: number;
  /** Of that run. */
  readonly reasons: string;
}

function doubtOf(runs: readonly Run[]): Doubt {
  const [first] = runs;
  const place = `${cellOf(first)}, run ${first.repetition}`;
  const reasons = first.generator.reasons.join(" ");
  return { place, level: levelOf(first), runs: runs.length, reasons };
}

/** What differs from cell to cell that are in doubt for the same reason. */
function withoutFigures(text: string): string {
  return text.replaceAll(/\d+(?:[.,]\d+)*/g, "0");
}

/** `static, express, run 2 and 1 more are invalid: …`; of several cells one stands for all. */
function reasonOf(cells: readonly Doubt[]): string {
  const runs = sum(cells, (cell) => cell.runs);
  const [{ place, level, reasons }] = cells;
  if (cells.length > 1) {
    return `${runs} runs in ${cells.length} cells are ${level}, such as ${place}: ${reasons}`;
  }
  return `${place} ${runs === 1 ? "is" : `and ${runs - 1} more are`} ${level}: ${reasons}`;
}
