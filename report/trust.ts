/** Whether the figures can be believed, in sentences: first the verdict, then which runs, why, and what to do. */
import { type Trust, TRUSTS } from "../runner/generator.ts";
import type { Measurement, Run } from "../runner/result.ts";
import { cellLabel } from "./cells.ts";
import { counted } from "./words.ts";

export interface TrustModel {
  /** Of the worst run. */
  readonly level: Trust;
  /** What that means; does not begin with the level. */
  readonly text: string;
  /** Why, with advice: of one run each reason, of many a line for each cell that has runs to doubt. */
  readonly reasons: readonly string[];
}

const MEANINGS: Record<Trust, string> = {
  valid: "neither the generator nor the machine was in the way",
  suspect: "the generator or the machine may have been in the way of the target",
  invalid: "the generator or the machine was measured, not the target",
};

export function trustOf(
  { generator: { trust, reasons } }: Pick<Measurement, "generator">,
): TrustModel {
  return { level: trust, text: MEANINGS[trust], reasons };
}

/** Null without runs. */
export function trustOfRuns(runs: readonly Run[]): TrustModel | null {
  if (runs.length === 0) return null;
  const level = worstOf(runs);
  const ill = runs.filter((run) => levelOf(run) === level).length;
  const all = counted(runs.length, "run");
  if (level === "valid") {
    return {
      level,
      text: runs.length === 1 ? MEANINGS.valid : `${MEANINGS.valid} in any of ${all}`,
      reasons: [],
    };
  }
  const share = runs.length === 1 ? "" : `in ${ill} of ${all} `;
  const doubted = runs.filter((run) => levelOf(run) !== "valid");
  const cells = [...Map.groupBy(doubted, cellOf)].map(([cell, group]) => cellReason(cell, group));
  return {
    level,
    text: share + MEANINGS[level],
    reasons: runs.length === 1 ? doubted[0].generator.reasons : cells,
  };
}

function levelOf({ generator }: Run): Trust {
  return generator.trust;
}

function worstOf(runs: readonly Run[]): Trust {
  return TRUSTS.findLast((level) => runs.some((run) => levelOf(run) === level)) ?? "valid";
}

function cellOf(run: Run): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

/** `static, express, run 2 and 1 more are invalid: …`, with the reasons of its worst run. */
function cellReason(cell: string, runs: readonly Run[]): string {
  const level = worstOf(runs);
  const [worst] = runs.filter((run) => levelOf(run) === level);
  const others = runs.length === 1 ? "is" : `and ${runs.length - 1} more are`;
  const reasons = worst.generator.reasons.join(" ");
  return `${cell}, run ${worst.repetition} ${others} ${level}: ${reasons}`;
}
