/** Two results → every cell that is in both compared, with what makes that doubtful. */
import type { Threshold } from "../../runner/result.ts";
import { type Cell, groupRuns } from "../cells.ts";
import {
  comparePairs,
  comparisonOf,
  DEFAULT_MARGIN_RATIO,
  type GroupComparison,
  type JudgeOptions,
} from "../comparison.ts";
import { type GateOutcome, judgeCells, type Outcome, worstOf } from "../gates.ts";
import { gatedCells } from "../gates/cells.ts";
import { repeatedOf } from "../repeated.ts";
import { trustOfRuns } from "../trust.ts";
import { formatShare } from "../units.ts";
import { differencesOf, type Side } from "./differences.ts";
import { type ComparedFigure, type Group, groupOfBlocks, type GroupOptions } from "./group.ts";
import { type Match, matchCells, namedCells, nameOf } from "./match.ts";
import { TOLERATED_WRONG_RATIO } from "./pairs.ts";

export interface ComparedCell {
  readonly scenario: string;
  /** Target, and the parameters that vary. */
  readonly base: string;
  readonly next: string;
  readonly comparison: GroupComparison;
  /** Why the figures say nothing: answers were wrong; "" when they do. The verdicts then are of the answers. */
  readonly fault: string;
}

export interface ResultsComparison {
  readonly cells: readonly ComparedCell[];
  /** What differs besides what was measured, a line each. */
  readonly differences: readonly string[];
  /** Sides whose figures may not be those of the target, and why, a line each. */
  readonly untrusted: readonly string[];
  /** Cells without a counterpart. */
  readonly onlyBase: readonly string[];
  readonly onlyNext: readonly string[];
  /** Of the new results, with the base as their baseline. */
  readonly gates: readonly GateOutcome[];
  readonly marginRatio: number;
  /** Of the figures that decide, and of the thresholds. */
  readonly outcome: Outcome;
}

/** The figures that decide how a comparison ends. */
export const DECISIVE = ["rate", 99] as const satisfies readonly ComparedFigure[];

export interface CompareOptions {
  readonly marginRatio?: number;
  readonly thresholds?: readonly Threshold[];
  /** Default 10,000. */
  readonly resamples?: number;
}

export function compareResults(
  base: Side,
  next: Side,
  { marginRatio = DEFAULT_MARGIN_RATIO, thresholds = [], resamples }: CompareOptions = {},
): ResultsComparison {
  const scenarios = groupRuns(next);
  const matches = matchCells(namedCells(groupRuns(base)), namedCells(scenarios));
  const cells = comparedCells(matches.pairs, {
    marginRatio,
    resamples,
    level: Math.max(repeatedOf(base).level, repeatedOf(next).level),
  });
  const gated = thresholds.length === 0 ? [] : gatedCells(scenarios, next, base);
  const gates = judgeCells(thresholds, gated, { hasBaseline: true });
  return {
    cells,
    differences: differencesOf(base, next, matches.pairs),
    untrusted: [...untrustedOf("BASE", base), ...untrustedOf("NEW", next)],
    onlyBase: matches.onlyBase.map(nameOf),
    onlyNext: matches.onlyNext.map(nameOf),
    gates,
    marginRatio,
    outcome: worstOf([...cells.flatMap(decisiveOutcomes), ...gates]),
  };
}

function untrustedOf(name: string, { runs }: Side): string[] {
  const trust = trustOfRuns(runs);
  return trust === null || trust.level === "valid"
    ? []
    : [`${name} is ${trust.level}: ${trust.text}`];
}

function comparedCells(
  matches: readonly Match[],
  { resamples, ...judge }: JudgeOptions & { resamples?: number },
): ComparedCell[] {
  const pairs = matches.map(({ base, next }, i) => ({
    base: drawn(base.cell, { seed: 2 * i, resamples }),
    next: drawn(next.cell, { seed: 2 * i + 1, resamples }),
  }));
  return comparePairs(pairs, judge).map((comparison, i) => {
    const { base, next } = matches[i];
    const names = { scenario: next.scenario, base: base.cell.label, next: next.cell.label };
    return { ...names, ...judgedByAnswers(comparison, base.cell, next.cell) };
  });
}

/** With seeds of their own: a cell has the same name in both results, and would be drawn alike. */
function drawn({ runs, parts }: Cell, options: GroupOptions): Group {
  return groupOfBlocks(runs, parts.map(({ blocks }) => blocks), options);
}

/** A fast error is no answer: where answers were wrong, they decide and not how fast they came. */
function judgedByAnswers(
  comparison: GroupComparison,
  base: Cell,
  next: Cell,
): Pick<ComparedCell, "comparison" | "fault"> {
  const [baseIsWrong, nextIsWrong] = [base, next].map(({ wrongRatio }) =>
    wrongRatio > TOLERATED_WRONG_RATIO
  );
  if (!baseIsWrong && !nextIsWrong) return { comparison, fault: "" };
  const verdict = baseIsWrong && nextIsWrong ? "inconclusive" : nextIsWrong ? "worse" : "better";
  const figures = comparison.figures.map((figure) => ({ ...figure, verdict }) as const);
  const fault = `wrong or failed: ${formatShare(base.wrongRatio)} of the requests before, ${
    formatShare(next.wrongRatio)
  } now`;
  return { comparison: { ...comparison, figures }, fault };
}

/** Worse fails; what can't be told is inconclusive. */
export function outcomeOf(cell: ComparedCell, figure: ComparedFigure): Outcome {
  const { verdict } = comparisonOf(cell.comparison, figure);
  return verdict === "worse" ? "fail" : verdict === "inconclusive" ? "inconclusive" : "pass";
}

function decisiveOutcomes(cell: ComparedCell): { outcome: Outcome }[] {
  return DECISIVE.map((figure) => ({ outcome: outcomeOf(cell, figure) }));
}

/** `static, api`, or `static, express → fastify` where the targets differ. */
export function cellName({ scenario, base, next }: ComparedCell): string {
  return `${scenario}, ${base === next ? next : `${base} → ${next}`}`;
}
