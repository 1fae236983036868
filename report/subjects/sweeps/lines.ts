/**
 * The lines of a sweep's figures: one for each combination of target and values of the other factors. If there are many
 * lines, they are spread over several facets.
 */
import { type Knee, kneeOf } from "../../../runner/stats/regression/knee.ts";
import {
  type SampledScalingPoint,
  type ScalingLaw,
  scalingLawOf,
} from "../../../runner/stats/regression/scalability.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { colorAt, COLORS } from "../../cells/colors.ts";
import {
  factorName,
  factorPaths,
  type NumericFactor,
  positionOf,
  valueOf,
  valueText,
} from "../../cells/factors.ts";
import { rightCells } from "../../judge/pairs.ts";
import type { OfCell } from "../tables/table.ts";

export interface LinePoint extends OfCell {
  readonly at: number;
}

export interface SweepLine {
  /** What distinguishes the line from others in the same chart. */
  readonly label: string;
  /** What distinguishes the line from those of all charts of the figure. Includes the target. */
  readonly subject: string;
  readonly color: number;
  readonly points: readonly LinePoint[];
  readonly knee: Knee;
  /** Null if its runs do not show a scaling law. */
  readonly scaling: ScalingLaw | null;
}

/** Lines that share a chart. */
export interface SweepFacet {
  /** What the lines have in common; "" for a single facet. */
  readonly label: string;
  readonly lines: readonly SweepLine[];
}

/** Something that is constant along a line: the target, or another factor. */
interface Dimension {
  readonly isTarget: boolean;
  readonly levelOf: (cell: CellRuns) => string;
  readonly size: number;
}

export function facetsOf(
  cells: readonly CellRuns[],
  factor: NumericFactor,
  confidence: number,
): SweepFacet[] {
  const holders = cells.filter((cell) => valueOf(cell, factor.path) !== undefined);
  const dimensions = dimensionsOf(holders, factor);
  const along = lineDimensions(dimensions);
  const across = dimensions.filter((dimension) => !along.includes(dimension));
  const others = dimensions.filter(({ isTarget }) => !isTarget);
  const names = [...new Set(holders.map((cell) => labelOf(cell, along)))];
  const isByTarget = along.every(({ isTarget }) => isTarget) || names.length === 1;
  const lineOf = (label: string, members: readonly CellRuns[]): SweepLine => {
    const [{ target, color }] = members;
    const points = members.map((cell) => ({ at: positionOf(cell, factor), cell }))
      .sort((a, b) => a.at - b.at);
    return {
      label: label || target,
      subject: [target, labelOf(members[0], others)].filter(Boolean).join(" · "),
      color: isByTarget
        ? color % COLORS
        : colorAt(color, 1 - names.indexOf(label) / (names.length - 1)),
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

/** The dimensions that vary: the target first, then the other factors. */
function dimensionsOf(cells: readonly CellRuns[], { path }: NumericFactor): Dimension[] {
  const others = factorPaths(cells).filter((other) => other !== path).map((other) => {
    const name = factorName(cells, other);
    const levelOf = (cell: CellRuns): string => {
      const value = valueOf(cell, other);
      return value === undefined ? "" : `${name} ${valueText(value)}`;
    };
    return { isTarget: false, levelOf };
  });
  return [{ isTarget: true, levelOf: ({ target }: CellRuns) => target }, ...others]
    .map((one) => ({ ...one, size: new Set(cells.map(one.levelOf)).size }))
    .filter(({ size }) => size > 1);
}

/** The most lines in a chart that can still be distinguished by colour and dashes. */
const MOST_LINES = 8;

/** The first dimensions, as many as possible without having more lines than can be distinguished, but at least one. */
function lineDimensions(dimensions: readonly Dimension[]): readonly Dimension[] {
  let lines = 1;
  const end = dimensions.findIndex(({ size }, i) => (lines *= size) > MOST_LINES && i > 0);
  return end === -1 ? dimensions : dimensions.slice(0, end);
}

function labelOf(cell: CellRuns, dimensions: readonly Dimension[]): string {
  return dimensions.map(({ levelOf }) => levelOf(cell)).filter(Boolean).join(" · ");
}

/**
 * Where a line stops growing, and its scaling law. Both consider only values with correct responses, because a fast
 * error is no success.
 */
function growthOf(
  points: readonly LinePoint[],
  factor: NumericFactor,
  confidence: number,
): Pick<SweepLine, "knee" | "scaling"> {
  const right = rightCells(points.map(({ cell }) => cell));
  const served = points.flatMap(({ at, cell }) => {
    const estimate = right.includes(cell) && at > 0 && cell.estimates.get("rate");
    return estimate ? [{ at, served: estimate }] : [];
  });
  return {
    knee: kneeOf(served, { isOffered: factor.isOffered, confidence }),
    scaling: scalingOf(served, factor, confidence),
  };
}

/** Factors that add capacity, so that twice as many units serve at best twice as much. */
const ADD_CAPACITY: readonly string[] = ["connections", "instances", "workers"];
/** If a law misses a measured value by more than this ratio, it does not fit the line. */
const MOST_MISSED_RATIO = 1.1;

/**
 * The scaling law of a line; null if the factor adds no capacity, if the runs do not show a law, or if their law does
 * not fit.
 */
function scalingOf(
  points: readonly SampledScalingPoint[],
  { name, kind }: NumericFactor,
  confidence: number,
): ScalingLaw | null {
  if (!ADD_CAPACITY.includes(name) || kind !== "plain") return null;
  const law = scalingLawOf(points, confidence);
  if (law === null || law.contention === null && law.coherency === null) return null;
  const { single, contention, coherency } = law.fit;
  const fits = points.every(({ at, served }) => {
    const ratio = single * at / (1 + contention * (at - 1) + coherency * at * (at - 1)) /
      served.value;
    return Math.max(ratio, 1 / ratio) <= MOST_MISSED_RATIO;
  });
  return fits ? law : null;
}
