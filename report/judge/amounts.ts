/**
 * A figure of a cell, as one side of a claim or threshold: its value and interval, and any reasons other than chance
 * why the true value may differ.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { type FigureRange, FIGURES, rangeOf } from "../figures/figures.ts";
import { poolLatency } from "../figures/pool.ts";
import {
  type JudgedCell,
  type JudgedRun,
  meanRange,
  quotientOf,
  type Range,
} from "../figures/range.ts";
import { sum } from "../writing/spread.ts";
import type { RatioOf } from "./ratio_of.ts";
import type { Absence, Absent, FoundSide, Reason } from "./reasons.ts";
import type { Open } from "./rules.ts";
import { TOLERATED_WRONG_RATIO } from "./shortfall.ts";
import { isUndisturbed } from "./disturbed_runs.ts";

export interface Amount {
  readonly cell: JudgedCell;
  /** Example: `static, fastify`. */
  readonly place: string;
  readonly figure: FigureName;
  /** The figure's name, such as `p99`; for an extreme that is averaged over runs, `min of a run` or `max of a run`. */
  readonly name: string;
  readonly range: FigureRange;
  /**
   * The bootstrap estimate from which ratios are computed; null for a single run, or if too few runs have the figure.
   */
  readonly drawn: Estimate | null;
  readonly opens: readonly Open[];
}

/** A cell that was measured, or the reason why it was not. */
export interface Measurable {
  /** Example: `static, hono · connections 50`. */
  readonly label: string;
  readonly cell: JudgedCell | null;
  /** Why the cell was not measured; "" if it was. */
  readonly missingReason: string;
}

export function whyUnmeasured({ label: cell, missingReason: why }: Measurable): Absence[] {
  return [{ code: "cell-not-measured", cell, why }];
}

export function amountOf(figure: FigureName, measurable: Measurable): Amount | Absent {
  const { cell, label: place } = measurable;
  if (cell === null) return { none: whyUnmeasured(measurable) };
  const range = rangeOf(figure, cell);
  if ("none" in range) {
    return { none: [{ code: "no-figure", cell: place, figure, why: range.none }] };
  }
  const opens = [
    wrongOpen(figure, place, cell) ?? (range.isAtLeast ? openAbove(figure, place, cell) : null),
    failuresOpen(figure, place, cell),
  ].flatMap((open) => open ?? []);
  const { statistic, estimate } = FIGURES[figure];
  const amount = { cell, place, figure, opens };
  // The extreme over all runs describes only these runs and says nothing about future ones. The
  // extreme of each run, however, can be averaged over runs like any other figure.
  if ((statistic === "min" || statistic === "max") && range.byRun.length > 1) {
    const mean = { ...range, ...meanRange(range.byRun, cell) };
    return { ...amount, name: `${figure} of a run`, range: mean, drawn: drawnMean(figure, cell) };
  }
  // The bootstrap draws the same repetitions for all cells, so variation that the cells share
  // cancels in a ratio.
  const drawn = estimate === null ? drawnMean(figure, cell) : cell.estimates.get(estimate) ?? null;
  return { ...amount, name: figure, range, drawn };
}

export function sideFound(
  { name, place, range }: Pick<Amount, "name" | "place" | "range">,
  unit: FigureUnit,
): FoundSide {
  return { name, place, value: range.value, unit, isAtLeast: range.isAtLeast };
}

/** Estimate of the mean over runs; null if fewer than two runs have the figure. */
function drawnMean(figure: FigureName, { runs, estimates }: JudgedCell): Estimate | null {
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

/** The ratio of two amounts, with the same interval that comparisons show; null if both amounts are 0. */
export function ratioOfAmounts(of: Amount, to: Amount, ratioOf: RatioOf): Range | null {
  if (of.figure === to.figure && FIGURES[of.figure].estimate !== null) {
    return ratioOfFigure(of.figure, [of, to], ratioOf);
  }
  const ratio = of.drawn && to.drawn &&
    ratioInterval(of.drawn, to.drawn, { confidence: of.cell.level });
  return ratio ? { value: ratio.value, interval: ratio } : quotientOf(of.range, to.range);
}

type OfOneFigure = Pick<Amount, "cell"> & { readonly range: Range };

/** The ratio of one figure between two cells. It is 0 or ∞ if one value is 0, and null if both are. */
export function ratioOfFigure(
  figure: FigureName,
  [of, to]: readonly [OfOneFigure, OfOneFigure],
  ratioOf: RatioOf,
): Range | null {
  const { estimate } = FIGURES[figure];
  if (estimate !== null && of.range.value > 0 && to.range.value > 0) {
    const [ofDrawn, toDrawn] = [of, to].map(({ cell }) => cell.estimates.get(estimate));
    const ratio = ofDrawn && toDrawn && ratioOf(ofDrawn, toDrawn, estimate);
    if (ratio) return { value: ratio.value, interval: ratio };
  }
  return quotientOf(of.range, to.range);
}

/** Why amounts, or the ratio of two amounts, have no interval. */
export function whyNoInterval(amounts: readonly Amount[]): Reason {
  const limited = amounts.find(({ figure, range, opens }) =>
    figure === "capacity" && range.interval === null && opens.length > 0
  );
  if (limited) return limited.opens[0].why;
  const single = amounts.filter(({ cell }) => cell.runs.length === 1);
  if (single.length === 0) return { code: "one-run-with-figure" };
  if (single.length < amounts.length) return { code: "one-run-of", cell: single[0].place };
  return { code: amounts.length === 1 ? "one-run" : "one-run-each" };
}

/**
 * Doubt about a figure whose true value may be higher than the measured one.
 * @param cell Name of the cell; "" if the sentence names it elsewhere.
 */
export function openAbove(figure: FigureName, cell: string, { runs }: JudgedCell): Open {
  const above = { toward: "more", mostRatio: Infinity } as const;
  if (figure === "capacity") {
    const name = cell === "" ? "it" : `the capacity of ${cell}`;
    return { ...above, why: { code: "at-least", name } };
  }
  const { distribution, estimate } = FIGURES[figure];
  if (distribution === "stable") return { ...above, why: { code: "settling-open", cell } };
  const why = requestsOpen(runs, cell);
  if (typeof estimate !== "number") return { ...above, why };
  const { value, atMost } = poolLatency(runs).percentile(estimate);
  return { ...above, mostRatio: atMost / value, why };
}

export function requestsOpen(runs: readonly JudgedRun[], cell = ""): Reason {
  return { code: "requests-open", cell, count: sum(runs, ({ latency }) => latency.censored) };
}

/**
 * Doubt because of wrong responses. These make times shorter and rates higher, because an error is often quicker than
 * the correct response.
 */
function wrongOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const { flattered } = FIGURES[figure];
  if (flattered === null) return null;
  const isTime = flattered === "time";
  // Dropped requests are not counted, because they were never sent and have no part in the rate.
  // Timeouts don't make a rate seem higher, because they are not fast errors.
  const ended = sum(runs, ({ requests: { completed, failed } }) => completed + failed);
  const wrong = sum(runs, (run) => run.requests.failed + wrongResponsesOf(run)) -
    (isTime ? 0 : sum(runs, ({ errors }) => errors.timeout ?? 0));
  const wrongRatio = ended === 0 ? 1 : wrong / ended;
  if (wrongRatio <= TOLERATED_WRONG_RATIO) return null;
  const why = { code: "wrong-responses", cell, wrongRatio } as const;
  return { toward: isTime ? "more" : "less", mostRatio: Infinity, why };
}

// How a busy machine or a late generator affects figures.

/**
 * The direction in which the true value of a figure may differ if it was measured on a busy machine; null if contention
 * does not affect the figure.
 */
export function contentionToward(figure: FigureName): Open["toward"] | null {
  const { contention, better } = FIGURES[figure];
  if (contention === "none") return null;
  if (contention === "moves") return "either";
  return better === "higher" ? "more" : "less";
}

/**
 * Doubt about failed or dropped requests. Contention can cause failures but can't hide them, so doubt arises only if a
 * disturbed run had any.
 */
function failuresOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const toward = contentionToward(figure);
  if (FIGURES[figure].contention !== "fails" || toward === null) return null;
  const isDoubted = runs.some((run) =>
    !isUndisturbed(run) && run.requests.failed + run.requests.dropped > 0
  );
  return isDoubted ? { toward, mostRatio: Infinity, why: { code: "busy-failures", cell } } : null;
}
