/**
 * A figure of a cell as one side of a rule: its value with an interval, and other reasons why the true value may
 * differ.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import type { FindingCode, TrustFinding } from "../../runner/result/findings.ts";
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
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

export interface Amount {
  readonly cell: JudgedCell;
  /** `static, fastify`. */
  readonly place: string;
  readonly figure: FigureName;
  /** The figure, or `max of a run`. */
  readonly name: string;
  readonly range: FigureRange;
  /** The bootstrap estimate from which ratios are drawn; null for a single run, and if no ratio to the figure exists. */
  readonly drawn: Estimate | null;
  readonly opens: readonly Open[];
}

/** A cell, or why it was not measured. */
export interface Measurable {
  /** `static, hono · connections 50`. */
  readonly label: string;
  readonly cell: JudgedCell | null;
  /** "" if the cell was measured. */
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
  // The extreme over all runs is a fact about these runs, and says nothing about future runs. The extreme of each run
  // is a figure like any other, with a mean.
  if ((statistic === "min" || statistic === "max") && range.byRun.length > 1) {
    const mean = { ...range, ...meanRange(range.byRun, cell) };
    return { ...amount, name: `${figure} of a run`, range: mean, drawn: drawnMean(figure, cell) };
  }
  // The bootstrap draws the same repetitions of all cells, so that common variation cancels in a ratio.
  const drawn = estimate === null ? drawnMean(figure, cell) : cell.estimates.get(estimate) ?? null;
  return { ...amount, name: figure, range, drawn };
}

export function sideFound(
  { name, place, range }: Pick<Amount, "name" | "place" | "range">,
  unit: FigureUnit,
): FoundSide {
  return { name, place, value: range.value, unit, isAtLeast: range.isAtLeast };
}

/** Estimate of the mean over runs. */
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

/** The ratio of two amounts, with the interval that comparisons show; null if both are 0. */
export function ratioOfAmounts(of: Amount, to: Amount, ratioOf: RatioOf): Range | null {
  if (of.figure === to.figure && FIGURES[of.figure].estimate !== null) {
    return ratioOfFigure(of.figure, [of, to], ratioOf);
  }
  const ratio = of.drawn && to.drawn &&
    ratioInterval(of.drawn, to.drawn, { confidence: of.cell.level });
  return ratio ? { value: ratio.value, interval: ratio } : quotientOf(of.range, to.range);
}

type OfOneFigure = Pick<Amount, "cell"> & { readonly range: Range };

/** The ratio of a figure between two cells: 0 or ∞ if one of them is 0; null if both are. */
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

/** Why amounts, or their ratio, have no interval. */
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
 * Doubt about a figure whose true value may be higher.
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

/** Doubt from wrong responses, which make times shorter and rates higher: a fast error is no success. */
function wrongOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const { flattered } = FIGURES[figure];
  if (flattered === null) return null;
  const isTime = flattered === "time";
  // Requests that were never sent count in no rate, and one that timed out was not a fast error.
  const ended = sum(runs, ({ requests: { completed, failed } }) => completed + failed);
  const wrong = sum(runs, (run) => run.requests.failed + wrongResponsesOf(run)) -
    (isTime ? 0 : sum(runs, ({ errors }) => errors.timeout ?? 0));
  const wrongRatio = ended === 0 ? 1 : wrong / ended;
  if (wrongRatio <= TOLERATED_WRONG_RATIO) return null;
  const why = { code: "wrong-responses", cell, wrongRatio } as const;
  return { toward: isTime ? "more" : "less", mostRatio: Infinity, why };
}

// The effects of a busy machine, or of a late generator, on a figure.

export type RunFilter = (run: Pick<Measurement, "generator">) => boolean;

/**
 * Whether a run is undisturbed: neither the generator nor the machine can have held it back. It may still have no
 * steady state, and so no level to compare, but it has figures over all of its time.
 */
export const isUndisturbed: RunFilter = ({ generator: { trust, findings } }) =>
  trust === "valid" || isUnsteadyAlone(findings);

/** Findings of a run whose target might have served more, but not less. */
const HELD_BACK: readonly FindingCode[] = [
  ...["generator-busy", "generator-starved", "near-peak-throughput", "worker-paused"] as const,
  ...["shared-cores", "crowded-core", "neighbour", "steal", "throttled"] as const,
  ...["target-throttled", "low-priority", "unsteady"] as const,
];

/**
 * Whether everything that disturbed a run can only have lowered its requests/s, so that a target which is ahead in spite
 * of it is ahead by at least as much.
 */
export const isHeldBack: RunFilter = ({ generator: { findings } }) =>
  findings.every(({ code }) => HELD_BACK.includes(code));

export function isUnsteadyAlone(findings: readonly TrustFinding[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === "unsteady");
}

/** Findings that only mean that the machine or the generator had too much to do. */
const BUSY: readonly FindingCode[] = [
  ...HELD_BACK,
  ...["worker-late", "sent-late", "requests-dropped", "connections"] as const,
  ...["near-baseline-latency", "coarse-clock"] as const,
];

/** Whether a run counts for figures that contention can't change. */
export const isBusyAtMost: RunFilter = ({ generator: { findings } }) =>
  findings.every((one) => {
    const code = one.code === "text" ? one.evidence.cause : one.code;
    return BUSY.some((busy) => busy === code);
  });

/**
 * In which direction the true value of a figure may lie, if it was measured on a busy machine; null: at the measured
 * value.
 */
export function contentionToward(figure: FigureName): Open["toward"] | null {
  const { contention, better } = FIGURES[figure];
  if (contention === "none") return null;
  if (contention === "moves") return "either";
  return better === "higher" ? "more" : "less";
}

/** Doubt about failures: contention can cause failures but not hide them, so a success despite contention is real. */
function failuresOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const toward = contentionToward(figure);
  if (FIGURES[figure].contention !== "fails" || toward === null) return null;
  const isDoubted = runs.some((run) =>
    !isUndisturbed(run) && run.requests.failed + run.requests.dropped > 0
  );
  return isDoubted ? { toward, mostRatio: Infinity, why: { code: "busy-failures", cell } } : null;
}
