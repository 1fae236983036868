/** What a line of a sweep says, in a sentence: how far requests/s grow, and what p99 does meanwhile. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { TOLERATED_WRONG_RATIO } from "../comparison/shortfall.ts";
import { formatMs, formatNumber, GLUE } from "../numbers/units.ts";
import type { CellRuns } from "../runs/cells.ts";
import { betweenText, type NumericFactor, phraseOf, textAt } from "../runs/factors.ts";
import { percentileOf } from "../runs/pool.ts";
import type { SweepLine } from "./lines.ts";

type LinePoint = SweepLine["points"][number];

/** With a full stop. */
export function lineFinding(line: SweepLine, factor: NumericFactor): string {
  const right = line.points.filter(({ cell }) => isRight(cell));
  if (right.length === 0) return `${line.subject} responded correctly nowhere.`;
  const clauses = [`${line.subject} ${rateClause({ ...line, points: right }, factor)}`];
  const p99 = p99Clause(right, factor);
  return [...clauses, ...(p99 ? [p99] : [])].join("; ") + "." + errorText(line.points, factor);
}

function isRight({ errorRatio: wrongRatio, rate }: CellRuns): boolean {
  return wrongRatio <= TOLERATED_WRONG_RATIO && rate.mean > 0;
}

function rateClause({ points, knee }: SweepLine, factor: NumericFactor): string {
  const at = ({ at }: LinePoint): string => phraseOf(factor, textAt(factor, at));
  const [first, last] = [points[0], points[points.length - 1]];
  const best = points.reduce((most, point) => rateOf(point) > rateOf(most) ? point : most);
  const most = `serves ${rateText(best)} at most`;
  switch (knee.kind) {
    case "knee":
      return `${most}; it stops growing at ${kneeText(knee, factor)}`;
    case "grows":
      return factor.isOffered
        ? `serves the whole offered rate, up to ${at(last)}: no knee within the range`
        : `serves ${rateText(best)} at ${at(best)} and still grows there: no knee within the range`;
    case "unsure":
      return `${most}, at ${
        at(best)
      }; inconclusive where it stops growing: the runs differ too much`;
    case "falls":
      return `serves ${rateText(first)} at ${at(first)} and ${rateText(last)} at ${at(last)}`;
    case "flat":
      return `serves as much at ${at(first)} as at any: ${rateText(first)}`;
    case "too-few":
      return `${most}, at ${at(best)}`;
  }
}

/** `5,000/s [4,000, 6,000]`, `about 12 connections [8, 16]`. */
function kneeText(
  { at, interval }: { at: number; interval: { low: number; high: number } | null },
  factor: NumericFactor,
): string {
  const about = factor.isOffered ? "" : "about ";
  const phrase = about + phraseOf(factor, betweenText(factor, at));
  if (interval === null) return phrase;
  // The rate before them has the unit.
  const endText = (end: number): string =>
    factor.kind === "rate" ? formatNumber(end) : betweenText(factor, end);
  const [low, high] = [interval.low, interval.high].map(endText);
  return `${phrase}${GLUE}[${low},${GLUE}${high}]`;
}

const DECADES_MS = [10_000, 1_000, 100, 10, 1];
/** A change by less is none worth a word. */
const NOTABLE_RATIO = 1.5;

/**
 * `p99 passes 100 ms at 400 connections`: the highest power of ten that is passed. Where fewer than two values had
 * requests enough for it, nothing.
 */
function p99Clause(all: readonly LinePoint[], factor: NumericFactor): string {
  const points = all.filter(({ cell }) => supportsPercentile(cell.latency.count, 99));
  if (points.length < 2) return "";
  const values = points.map(({ cell }) => percentileOf(cell.latency, 99));
  const [first, last] = [values[0], values[values.length - 1]];
  const at = (i: number): string => phraseOf(factor, textAt(factor, points[i].at));
  const passed = DECADES_MS.find((ms) => first < ms && values.some((value) => value >= ms));
  const place = values.findIndex((value) => passed !== undefined && value >= passed);
  if (passed !== undefined && values.slice(place).every((value) => value >= passed)) {
    return `p99 passes ${decadeText(passed)} at ${at(place)}`;
  }
  const [most, least] = [Math.max(...values), Math.min(...values)];
  if (most < least * NOTABLE_RATIO) {
    return `p99 stays between ${formatMs(least)} and ${formatMs(most)}`;
  }
  const verb = last > first ? "grows" : "falls";
  return Math.max(last / first, first / last) < NOTABLE_RATIO
    ? `p99 is between ${formatMs(least)} and ${formatMs(most)}`
    : `p99 ${verb} from ${formatMs(first)} to ${formatMs(last)}`;
}

/** Without digits that would pretend to be measured. */
function decadeText(ms: number): string {
  return ms < 1_000 ? `${ms}${GLUE}ms` : `${ms / 1_000}${GLUE}s`;
}

function errorText(points: readonly LinePoint[], factor: NumericFactor): string {
  const wrong = points.filter(({ cell }) => !isRight(cell));
  if (wrong.length === 0 || wrong.length === points.length) return "";
  const places = wrong.map(({ at }) => phraseOf(factor, textAt(factor, at)));
  return ` Not counted, as too many responses were wrong or failed: ${places.join(", ")}.`;
}

function rateOf({ cell }: LinePoint): number {
  return cell.rate.mean;
}

function rateText(point: LinePoint): string {
  return `${formatNumber(rateOf(point))} requests/s`;
}
