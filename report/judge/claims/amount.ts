/** A figure of a cell as a side of a claim: its value, its interval, and what that leaves open. */
import { type Estimate, estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { ratioInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import { TOLERATED_WRONG_RATIO } from "../shortfall.ts";
import { percentileBounds } from "../../figures/pool.ts";
import type { ClaimMember } from "./context.ts";
import { type ClaimAbsence, type ClaimDoubt, doubt, type FoundFigure } from "./finding.ts";
import { type FigureRange, FIGURES, rangeOf } from "../../figures/figures.ts";
import { type JudgedCell, meanRange, quotientOf, type Range } from "../../figures/range.ts";
import type { FigureName } from "../../../base/figures/figure.ts";

export interface Amount {
  readonly member: ClaimMember;
  readonly cell: JudgedCell;
  readonly figure: FigureName;
  /** The figure, or `max of a run`. */
  readonly name: string;
  readonly range: FigureRange;
  /** What its ratios are drawn from; null where there is one run, or no ratio to it. */
  readonly drawn: Estimate | null;
  /** What the true value may be besides what the interval says, and why; null: nothing else. */
  readonly open: OpenAmount | null;
}

interface OpenAmount {
  readonly toward: "more" | "less";
  /** How many times as much, or as little, at most. */
  readonly mostRatio: number;
  readonly why: ClaimDoubt;
}

export function amountOf(
  figure: FigureName,
  member: ClaimMember,
): Amount | { readonly none: ClaimAbsence } {
  const { cell, label, missingReason } = member;
  if (cell === null) {
    return {
      none: { code: "cell-not-measured", evidence: { cell: label, reason: missingReason } },
    };
  }
  const range = rangeOf(figure, cell);
  if ("none" in range) {
    return { none: { code: "no-figure", evidence: { cell: label, figure, reason: range.none } } };
  }
  const open = wrongOf(figure, member) ??
    (range.isAtLeast ? openAbove(figure, label, cell) : null);
  const { statistic } = FIGURES[figure];
  const ofARun = statistic === "min" || statistic === "max" ? meanOfRuns(figure, cell) : null;
  if (ofARun === null) {
    return { member, cell, figure, name: figure, range, drawn: drawnFigure(figure, cell), open };
  }
  const name = `${figure} of a run`;
  const drawn = drawnMean(figure, cell);
  return { member, cell, figure, name, range: { ...range, ...ofARun }, drawn, open };
}

/**
 * The extreme of all runs is a fact about them and says nothing of runs to come; that of each run is a
 * figure of it as others are, and has a mean. Null for one run.
 */
function meanOfRuns(figure: FigureName, { runs, level }: JudgedCell): Range | null {
  const values = runs.map((run) => FIGURES[figure].of(run))
    .flatMap((one) => "none" in one ? [] : [one.value]);
  return values.length < 2 ? null : meanRange(values, level);
}

export function foundFigure({ name, member, range }: Amount): FoundFigure {
  return { name, cell: member.label, value: range.value };
}

/** Null where both are 0. */
export function ratioOfAmounts(of: Amount, to: Amount): Range | null {
  const ratio = of.drawn && to.drawn &&
    ratioInterval(of.drawn, to.drawn, { confidence: of.cell.level });
  return ratio ? { value: ratio.value, interval: ratio } : quotientOf(of.range, to.range);
}

/** Of a figure that is at least its value. */
function openAbove(figure: FigureName, label: string, { runs }: JudgedCell): OpenAmount {
  const above = { toward: "more", mostRatio: Infinity } as const;
  if (figure === "capacity") {
    return { ...above, why: doubt("at-least", { name: `the capacity of ${label}` }) };
  }
  if (FIGURES[figure].distribution === "stable") {
    return { ...above, why: doubt("settling-open", { cell: label }) };
  }
  const why = doubt("requests-open", { cell: label });
  const { estimate } = FIGURES[figure];
  if (typeof estimate !== "number") return { ...above, why };
  const { value, atMost } = percentileBounds(runs, estimate);
  return { ...above, mostRatio: atMost / value, why };
}

function wrongOf(figure: FigureName, { label: cell, wrong }: ClaimMember): OpenAmount | null {
  const { flattered } = FIGURES[figure];
  if (flattered === null) return null;
  const isTime = flattered === "time";
  const wrongRatio = isTime ? wrong.all : wrong.early;
  if (wrongRatio <= TOLERATED_WRONG_RATIO) return null;
  // A fast error is no success.
  const why = doubt("wrong-responses", { cell, wrongRatio });
  return { toward: isTime ? "more" : "less", mostRatio: Infinity, why };
}

/** The interval with all that is open of a figure, or of both in a ratio. */
export function widened(
  interval: Range["interval"],
  [of, to]: readonly Amount[],
): Range["interval"] {
  if (interval === null) return null;
  const down = openBy(of, "less") * openBy(to, "more");
  const up = openBy(of, "more") * openBy(to, "less");
  return {
    low: interval.low / down,
    high: up === Infinity ? Infinity : interval.high * up,
  };
}

function openBy(amount: Amount | undefined, toward: OpenAmount["toward"]): number {
  return amount?.open?.toward === toward ? amount.open.mostRatio : 1;
}

/** Why there is no interval. */
export function whyNoInterval(amounts: readonly Amount[]): ClaimDoubt {
  const limited = amounts.find(({ figure, range, open }) =>
    figure === "capacity" && range.interval === null && open !== null
  );
  if (limited?.open) return limited.open.why;
  const single = amounts.filter(({ cell }) => cell.runs.length === 1);
  if (single.length === amounts.length) {
    return doubt(amounts.length === 1 ? "one-run" : "one-run-each", {});
  }
  if (single.length > 0) return doubt("one-run-of", { cell: single[0].member.label });
  return doubt("one-run-with-figure", {});
}

// The figures of claims as what their ratios are drawn from: all cells of an experiment by the same
// repetitions, so that a ratio, and a ratio of ratios, has its centre and its width from one estimator.

/** Of all runs together; null where there is one run, or no ratio to it. */
export function drawnFigure(figure: FigureName, cell: JudgedCell): Estimate | null {
  const { estimate } = FIGURES[figure];
  return estimate === null ? drawnMean(figure, cell) : cell.estimates.get(estimate) ?? null;
}

/** The mean of what each run has. */
export function drawnMean(
  figure: FigureName,
  { runs, estimates }: JudgedCell,
): Estimate | null {
  const known = runs.flatMap((run, i) => {
    const one = FIGURES[figure].of(run);
    return "none" in one ? [] : [{ value: one.value, repetition: run.repetition ?? i + 1 }];
  });
  if (known.length < 2) return null;
  return estimateOfMean(known.map(({ value }) => value), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: known.map(({ repetition }) => repetition),
  });
}
