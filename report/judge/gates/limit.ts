/** A threshold held against a cell: one with a limit, such as `p99 < 50ms`, or one against a baseline. */
import type { Measurement, Threshold } from "../../../runner/result/result.ts";
import {
  pooled,
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../../runner/stats/confidence/proportion_interval.ts";
import { boundText, GLUE } from "../../writing/units.ts";
import {
  type Grouped,
  groupRuns,
  type ScenarioRuns,
  unsteadyOf,
  unsteadyText,
} from "../../cells/cells.ts";
import {
  distanceTo,
  endlessText,
  fact,
  gateGroupsText,
  holds,
  type LimitThreshold,
  overRuns,
  requestsText,
  runsText,
  sideOf,
  tested,
  type ThresholdEvidence,
  undecided,
} from "./evidence.ts";
import { percentileEvidence, percentileIn } from "./percentiles.ts";
import { twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import { type Between, ONE_SESSION } from "../between.ts";
import { formatRatio, percentText } from "../../writing/ratios.ts";
import { matchCells, namedCells } from "../../cells/match.ts";
import { areOneSession, betweenOf, type SessionSpread } from "../sessions.ts";
import type { Ends, JudgedCell } from "../../figures/range.ts";
import type { FigureName } from "../../../base/figures/figure.ts";
import { type FigureRange, FIGURES, rangeOf, ratioRangeOf } from "../../figures/figures.ts";
import { figureRangeText } from "../../writing/figure_text.ts";

/** What was not measured fails: a gate that looked at nothing must not open. */
export function limitEvidence(threshold: LimitThreshold, cell: JudgedCell): ThresholdEvidence {
  const range = rangeOf(threshold.figure, cell);
  if ("none" in range) return fact("fail", `nothing to judge: ${range.none}`);
  return steadily(evidenceOf(threshold, cell, range), threshold.figure, cell);
}

function evidenceOf(
  threshold: LimitThreshold,
  cell: JudgedCell,
  range: FigureRange,
): ThresholdEvidence {
  const { figure, unit } = threshold;
  const { counted } = FIGURES[figure];
  if (counted !== null) return countEvidence(threshold, cell.runs.map(counted), cell.level);
  const found = `${figure} is ${boundText(figureRangeText(range, unit), range.isAtLeast)}`;
  const percentile = percentileIn(figure);
  const measured = { cell, range, found };
  return percentile === null
    ? overRuns(threshold, measured)
    : percentileEvidence(threshold, percentile, measured);
}

/** What lasts as long as the load is no figure of the target where it changes all the while: no gate opens by it. */
export function steadily(
  evidence: ThresholdEvidence,
  figure: FigureName,
  { runs }: JudgedCell,
): ThresholdEvidence {
  const unsteady = FIGURES[figure].isLasting ? unsteadyOf(runs) : null;
  return unsteady === null || evidence.outcome !== "pass"
    ? evidence
    : undecided(evidence.found, unsteadyText(unsteady));
}

// Thresholds on shares of requests: `success >= 99.9%`, `5xx < 0.1%`.

/**
 * By the interval of the counts of all runs. A limit of 0 % or 100 % is no estimate but a demand on every request
 * that was measured, and judged by the counts alone: no number of requests proves that none will ever fail.
 */
function countEvidence(
  { figure, relation, limit }: LimitThreshold,
  counted: readonly Proportion[],
  level: number,
): ThresholdEvidence {
  const counts = counted.filter(({ of }) => of > 0);
  const isRight = (share: number): boolean => holds(share, relation, limit);
  const range = pooledShare(counts, level);
  if (limit === 0 || limit === 1) {
    const found = `${figure} is ${shareText(range.value, decimalsOf(range.value))}`;
    return fact(isRight(range.value) ? "pass" : "fail", found);
  }
  return tested(`${figure} is ${countRangeText(range)}`, {
    outcome: sideOf(range, isRight),
    p: shareP(counts, limit),
    remedy: requestsText(requestsToDecide(counts, limit, level), clause(figure, pooled(counts))),
  });
}

/** As many decimals as two digits of the rarer side take: 99.96 % and 99.92 % are far apart at a limit of 99.95 %. */
function decimalsOf(share: number): number {
  const rarer = Number((100 * Math.min(share, 1 - share)).toPrecision(6));
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(rarer))));
}

function shareText(share: number, decimals: number): string {
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : decimals)}${GLUE}%`;
}

/** `99.90 % [99.82 %, 99.95 %]`. */
function countRangeText(
  { value, low, high }: { value: number; low: number; high: number },
): string {
  const decimals = decimalsOf(value === 0 ? high : value === 1 ? low : value);
  const ends = [low, high].map((end) => shareText(end, decimals)).join(", ");
  return `${shareText(value, decimals)} [${ends}]`;
}

/** What the number of requests presumes of those to come. */
function clause(figure: FigureName, { count, of }: Proportion): string {
  const rarer = Math.min(count, of - count);
  if (rarer > 0) return "";
  return figure === "success" || figure === "errors" ? "without a failure" : "like these";
}

// A threshold such as `p99 not worse than baseline by 5%`, held against a cell and its counterpart. Where
// these were measured at different times, more may have changed than the target: unless it is known by how
// much sessions differ, "worse" then is sure of these two sessions only, and does not fail.

type BaselineThreshold = Threshold & { readonly against: "baseline" };

export function baselineEvidence(
  threshold: BaselineThreshold,
  { cell, baseline, between }: GatedCell,
): ThresholdEvidence {
  const { figure } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return fact("fail", `nothing to judge: ${range.none}`);
  if (baseline === null) {
    return fact("fail", "nothing to judge by: the baseline has no such cell");
  }
  const base = rangeOf(figure, baseline);
  if ("none" in base) return fact("fail", `nothing to judge by: ${base.none}`);
  const sides = { cell, baseline, range, base };
  const evidence = compared(threshold, sides, between(figure));
  return steadily(steadily(evidence, figure, cell), figure, baseline);
}

interface Sides {
  readonly cell: GatedCell["cell"];
  readonly baseline: GatedCell["cell"];
  readonly range: FigureRange;
  readonly base: FigureRange;
}

function compared(threshold: BaselineThreshold, sides: Sides, between: Between): ThresholdEvidence {
  const { figure, unit, marginRatio } = threshold;
  const { cell, baseline, range, base } = sides;
  const [now, before] = [range, base].map(({ value, isAtLeast }) =>
    boundText(figureRangeText({ value, interval: null }, unit), isAtLeast)
  );
  const values = `${figure} is ${now}, in the baseline ${before}`;
  if (runsOf(sides) < 2) return undecided(values, ONE_RUN);
  const open = [cell, baseline].filter((_, side) => [range, base][side].isAtLeast);
  if (open.length > 0) return undecided(values, endlessText(open.flatMap(({ runs }) => runs)));
  const groups = twoGroupsOf(range.byRun) ?? twoGroupsOf(base.byRun);
  if (groups !== null) return undecided(values, gateGroupsText(groups, unit));
  const more = between.kind === "known" ? between.variances : [];
  const ratio = ratioRangeOf(figure, cell, baseline, more);
  const interval = ratio?.interval ?? null;
  if (ratio === null || interval === null) return undecided(values, NO_INTERVAL);
  const found = `${values}: ${formatRatio(ratio.value, interval)}, ${
    percentText(marginRatio)
  } is allowed`;
  return byRatio(threshold, { value: ratio.value, interval, found }, { sides, between });
}

function byRatio(
  { better, marginRatio }: BaselineThreshold,
  { value, interval, found }: { value: number; interval: Ends; found: string },
  { sides, between }: { sides: Sides; between: Between },
): ThresholdEvidence {
  const most = better === "lower" ? 1 + marginRatio : 1 / (1 + marginRatio);
  const outcome = sideOf(interval, (ratio) => better === "lower" ? ratio <= most : ratio >= most);
  const isUnknown = between.kind === "unknown";
  if (isUnknown && outcome === "fail") return undecided(found, OTHER_SESSION);
  const { level } = sides.cell;
  const { p, runsNeeded } = distanceTo(most, { value, interval, runs: runsOf(sides), level });
  const evidence = tested(found, { outcome, p, remedy: runsText(runsNeeded, "a side") });
  return isUnknown && outcome === "pass"
    ? { ...evidence, found: `${found}, in these two sessions` }
    : evidence;
}

function runsOf({ cell, baseline }: Sides): number {
  return Math.min(cell.runs.length, baseline.runs.length);
}

const ONE_RUN = "one run says nothing about the next: measure 5 or more a side";
const NO_INTERVAL = "it has no interval over the runs: compare another figure";
const OTHER_SESSION =
  "worse in these two sessions, and nobody knows by how much sessions differ: measure both in one experiment";

// The cells of results, and a single measurement, as thresholds are held against them.

/** A cell with its counterpart in the baseline; null when that has none. */
export interface GatedCell {
  readonly cell: JudgedCell;
  readonly baseline: JudgedCell | null;
  /** What stands between the two, besides what their runs show. */
  readonly between: (figure: FigureName) => Between;
}

/** @param baseline Null: there is none. @param spread By how much sessions differ. Default: nobody knows. */
export function gatedCells(
  scenarios: readonly ScenarioRuns[],
  results: Pick<Grouped, "experiment" | "startedAt">,
  baseline: Grouped | null,
  spread: SessionSpread = () => null,
): GatedCell[] {
  const cells = namedCells(scenarios);
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const { pairs } = matchCells(bases, cells);
  const isOne = baseline !== null && areOneSession(baseline, results);
  const between = (figure: FigureName): Between => {
    const { estimate } = FIGURES[figure];
    return isOne ? ONE_SESSION : betweenOf(estimate === null ? null : spread(estimate), 2);
  };
  return cells.map((named) => {
    const base = pairs.find(({ next }) => next === named)?.base;
    return {
      cell: named.cell,
      baseline: base ? { ...base.cell, level: named.cell.level } : null,
      between,
    };
  });
}

/** A single measurement, with its baseline: null when that has no one cell. */
export function gatedMeasurement(measurement: Measurement, baseline: Grouped | null): GatedCell {
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const isOne = bases.length === 1;
  return {
    cell: {
      scenario: "",
      label: measurement.url,
      runs: [measurement],
      estimates: new Map(),
      level: 0.95,
    },
    baseline: isOne ? { ...bases[0].cell, level: 0.95 } : null,
    between: () => ({ kind: "unknown" }),
  };
}
