/** The lines of a figure: one for each target and value of the other factors; side by side where there are many. */
import { type Knee, kneeOf } from "../../../runner/stats/regression/knee.ts";
import { rightCells } from "../comparison/pairs.ts";
import { colorAt, COLORS } from "../numbers/colors.ts";
import type { CellRuns } from "../runs/cells.ts";
import {
  factorName,
  factorPaths,
  type NumericFactor,
  positionOf,
  valueOf,
  valueText,
} from "../runs/factors.ts";

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
      knee: kneeOfLine(points, factor, confidence),
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
function kneeOfLine(
  points: SweepLine["points"],
  { isOffered }: NumericFactor,
  confidence: number,
): Knee {
  const right = rightCells(points.map(({ cell }) => cell));
  const served = points.flatMap(({ at, cell }) => {
    if (!right.includes(cell)) return [];
    const estimate = cell.confidence.estimates.get("rate");
    return at > 0 && estimate ? [{ at, served: estimate }] : [];
  });
  return kneeOf(served, { isOffered, confidence });
}
