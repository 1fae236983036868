/** Whether the figures can be believed, in sentences: first the verdict, then which runs, why, and what to do. */
import type { TrustFinding } from "../../../runner/result/findings.ts";
import { type Trust, TRUSTS } from "../../../runner/result/generator.ts";
import type { Measurement, Run } from "../../../runner/result/result.ts";
import { cellLabel } from "../runs/cells.ts";
import { isUnanswered } from "../../../runner/result/outcome.ts";
import { sum } from "../numbers/spread.ts";
import { counted } from "../numbers/words.ts";
import { findingSentence } from "./sentences.ts";

export interface TrustModel {
  /** Of the worst run. */
  readonly level: Trust;
  /** The meaning of the level, which it does not repeat. */
  readonly text: string;
  /** Why, with advice: of one run each reason, of many a line for the cells that are to be doubted alike. */
  readonly reasons: readonly string[];
}

const MEANINGS: Record<Trust, string> = {
  valid: "neither the generator nor the machine was the limit",
  suspect: "the generator or the machine may have been the limit, not the target",
  invalid: "the generator or the machine was the limit, not the target",
};

/** Whatever else is doubted: no request got a response. */
const UNANSWERED = "nothing was measured";

/** Where nothing else is doubted. */
const UNSETTLED = "the run never settled, so its figures are those of a moment";

/** The parts of a run that decide its trust. */
type TrustBasis = Pick<Measurement, "generator" | "requests">;

export function trustOf(measurement: TrustBasis): TrustModel {
  const level = levelOf(measurement);
  return { level, text: meaningOf(level, [measurement]), reasons: reasonsOf(measurement) };
}

/** Sentences, the worst first. */
export function trustSentences(
  { generator: { findings } }: Pick<Measurement, "generator">,
): string[] {
  return findings.map(findingSentence);
}

/** Without a response, that stands above them already. */
function reasonsOf({ generator: { findings } }: TrustBasis): string[] {
  return findings.filter(({ code }) => code !== "no-response").map(findingSentence);
}

function meaningOf(level: Trust, runs: readonly TrustBasis[]): string {
  if (runs.every(isUnanswered)) return UNANSWERED;
  const isUnsettled = runs.every(({ generator: { findings } }) =>
    findings.length > 0 && findings.every(({ code }) => code === "unsteady")
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
  const alike = [...Map.groupBy(cells, ({ level, kinds }) => level + kinds)];
  return {
    level,
    text: share + meaningOf(level, ill),
    reasons: runs.length === 1 ? reasonsOf(doubted[0]) : alike.map(([, cells]) => reasonOf(cells)),
  };
}

/** Results of earlier versions call a run without a response valid. */
function levelOf(run: TrustBasis): Trust {
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
  readonly sentences: string;
  /** Its findings but for their figures: what cells that are doubted alike share. */
  readonly kinds: string;
}

function doubtOf(runs: readonly Run[]): Doubt {
  const [first] = runs;
  const place = `${cellOf(first)}, run ${first.repetition}`;
  return {
    place,
    level: levelOf(first),
    runs: runs.length,
    sentences: trustSentences(first).join(" "),
    kinds: JSON.stringify(first.generator.findings.map(kindOf)),
  };
}

/** A sentence of an old file has nothing else to be known by. */
function kindOf(finding: TrustFinding): unknown[] {
  const { code, severity, advice } = finding;
  return [code, severity, advice, code === "text" ? finding.evidence.cause : null];
}

/** `static, express, run 2 and 1 more are invalid: …`; of several cells one stands for all. */
function reasonOf(cells: readonly Doubt[]): string {
  const runs = sum(cells, (cell) => cell.runs);
  const [{ place, level, sentences }] = cells;
  if (cells.length > 1) {
    return `${runs} runs in ${cells.length} cells are ${level}, such as ${place}: ${sentences}`;
  }
  return `${place} ${runs === 1 ? "is" : `and ${runs - 1} more are`} ${level}: ${sentences}`;
}
