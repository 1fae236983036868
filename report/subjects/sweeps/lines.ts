/** The lines of a figure: one for each target and value of the other factors; side by side where there are many. */
import { type Knee, kneeOf } from "../../../runner/stats/regression/knee.ts";
import { rightCells } from "../../judge/pairs.ts";
import type { ScalingLaw } from "../../../runner/stats/regression/scalability.ts";
import { scalingOf, scalingSentence } from "./scaling.ts";
import { colorAt, COLORS } from "../../cells/colors.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  betweenText,
  factorName,
  factorPaths,
  type NumericFactor,
  phraseOf,
  positionOf,
  textAt,
  valueOf,
  valueText,
} from "../../cells/factors.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { hasTooManyErrors } from "../../judge/shortfall.ts";
import { formatMs, formatNumber, GLUE } from "../../writing/units.ts";
import { percentileOf } from "../../figures/pool.ts";

/** What does not vary along a line: the target, or another factor by its path. */
interface LineDimension {
  readonly path: string | null;
  /** "" for the target. */
  readonly name: string;
  readonly values: readonly string[];
}

export interface SweepLine {
  /** How it differs from the other lines of its drawing. */
  readonly label: string;
  /** How it differs from all lines of the figure, with its target. */
  readonly subject: string;
  readonly color: number;
  /** Ascending by their value of the factor. */
  readonly points: readonly { readonly at: number; readonly cell: CellRuns }[];
  readonly knee: Knee;
  /** Null where its runs show no scaling law. */
  readonly scaling: ScalingLaw | null;
}

/** Lines that share a drawing. */
export interface SweepFacet {
  /** What they share; "" where there is one facet only. */
  readonly label: string;
  readonly lines: readonly SweepLine[];
}

/** More than these look alike. */
const MOST_LINES = 8;

export function facetsOf(
  cells: readonly CellRuns[],
  factor: NumericFactor,
  confidence: number,
): SweepFacet[] {
  const holders = cells.filter((cell) => valueOf(cell, factor.path) !== undefined);
  const dimensions = dimensionsOf(holders, factor);
  const along = lineDimensions(dimensions);
  const across = dimensions.filter((dimension) => !along.includes(dimension));
  const names = [...new Set(holders.map((cell) => labelOf(cell, along)))];
  const isByTarget = along.every(({ path }) => path === null);
  const others = dimensions.filter(({ path }) => path !== null);
  const lineOf = (label: string, members: readonly CellRuns[]): SweepLine => {
    const [{ target }] = members;
    const points = members.map((cell) => ({ at: positionOf(cell, factor), cell }))
      .sort((a, b) => a.at - b.at);
    return {
      label: label || target,
      subject: [target, labelOf(members[0], others)].filter(Boolean).join(" · "),
      color: isByTarget || names.length === 1
        ? members[0].color % COLORS
        : colorAt(members[0].color, 1 - names.indexOf(label) / (names.length - 1)),
      points,
      ...growthOf(points, factor, confidence),
    };
  };
  return [...Map.groupBy(holders, (cell) => labelOf(cell, across))].map(([label, members]) => ({
    label,
    lines: [...Map.groupBy(members, (cell) => labelOf(cell, along))]
      .map(([name, group]) => lineOf(name, group)),
  }));
}

/** Target first, then the other factors; only what varies. */
function dimensionsOf(cells: readonly CellRuns[], { path }: NumericFactor): LineDimension[] {
  const paths = [null, ...factorPaths(cells).filter((other) => other !== path)];
  return paths
    .map((path) => ({ path, name: path === null ? "" : factorName(cells, path) }))
    .map((one) => ({ ...one, values: [...new Set(cells.map((cell) => levelOf(cell, one)))] }))
    .filter(({ values }) => values.length > 1);
}

/** As many of them, from the first, as make no more lines than look different; at least one. */
function lineDimensions(dimensions: readonly LineDimension[]): LineDimension[] {
  let lines = 1;
  const end = dimensions.findIndex(({ values }, i) =>
    (lines *= values.length) > MOST_LINES && i > 0
  );
  return end === -1 ? [...dimensions] : dimensions.slice(0, end);
}

function levelOf(cell: CellRuns, { path, name }: Pick<LineDimension, "path" | "name">): string {
  if (path === null) return cell.target;
  const value = valueOf(cell, path);
  return value === undefined ? "" : `${name} ${valueText(value)}`;
}

function labelOf(cell: CellRuns, dimensions: readonly LineDimension[]): string {
  return dimensions.map((dimension) => levelOf(cell, dimension)).filter(Boolean).join(" · ");
}

/** Over the values at which responses were right: a fast error is no response. */
function growthOf(
  points: SweepLine["points"],
  factor: NumericFactor,
  confidence: number,
): Pick<SweepLine, "knee" | "scaling"> {
  const right = rightCells(points.map(({ cell }) => cell));
  const served = points.flatMap(({ at, cell }) => {
    if (!right.includes(cell)) return [];
    const estimate = cell.estimates.get("rate");
    return at > 0 && estimate ? [{ at, served: estimate }] : [];
  });
  return {
    knee: kneeOf(served, { isOffered: factor.isOffered, confidence }),
    scaling: scalingOf(served, factor, confidence),
  };
}

// What a line of a sweep says, in a sentence: how far requests/s grow, and what p99 does meanwhile.

type LinePoint = SweepLine["points"][number];

/** With a full stop. */
export function lineFinding(line: SweepLine, factor: NumericFactor): string {
  const right = line.points.filter(({ cell }) => isRight(cell));
  if (right.length === 0) return `${line.subject} responded correctly nowhere.`;
  const clauses = [`${line.subject} ${rateClause({ ...line, points: right }, factor)}`];
  const p99 = p99Clause(right, factor);
  const law = line.scaling === null ? "" : ` ${scalingSentence(line.scaling, factor)}`;
  return [...clauses, ...(p99 ? [p99] : [])].join("; ") + "." + law +
    errorText(line.points, factor);
}

function isRight(cell: CellRuns): boolean {
  return !hasTooManyErrors(cell) && cell.rate.mean > 0;
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
    const [from, to] = [least, most].map((ms) => formatMs(ms));
    return from === to ? `p99 stays at ${from}` : `p99 stays between ${from} and ${to}`;
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
