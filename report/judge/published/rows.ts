/** Published figures, each with the measured figure of the same cell; where wanted, both relative to a named cell. */
import type { Published } from "../../../runner/result/result.ts";
import { type Bound, type BoundedFigure, boundedFigure } from "../../../base/figures/bound.ts";
import {
  cellsIn,
  type ExperimentNames,
  namesInCells,
  parseSelector,
  type SelectableCell,
  type Selection,
  selectionOf,
} from "../../../base/figures/selector.ts";
import {
  constantsOf,
  type DeclaredPair,
  isLeftOut,
  pathsOf,
} from "../../subjects/method/declared_values.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { NamedCell } from "../../cells/match.ts";
import { type FigureRange, rangeOf, ratioRangeOf } from "../../figures/figures.ts";
import { quotientOf, type Range } from "../../figures/range.ts";

/** A cell as selectors and figures see it. */
export interface PlacedCell extends SelectableCell {
  readonly cell: CellRuns;
}

/** A value of a table and a cell that it is of. */
export interface PublishedRow {
  readonly at: PlacedCell;
  readonly published: number;
  /** Whether it is the figure itself: null; or what the figure is under, over or about. */
  readonly bound: Bound | null;
  readonly measured: FigureRange;
}

/** The same with what is compared: the figures themselves, or both as multiples of the base's. */
export interface MatchedRow extends PublishedRow {
  /** What the columns are divided by; null: nothing. */
  readonly base: PublishedRow | null;
  readonly ofPublished: number;
  readonly ofMeasured: Range;
  /** Measured over published; null where both are 0. */
  readonly quotient: Range | null;
}

/** Whether the row is what the others are divided by. */
export function isBase({ at, base }: MatchedRow): boolean {
  return base?.at === at;
}

/** Whether the source gives only what the figure is under or over: it has no place in an order, and divides nothing. */
export function isBound({ bound }: Pick<PublishedRow, "bound">): boolean {
  return bound === "<" || bound === ">";
}

/** False: what is measured, or what it is divided by, is only known to be at least as much. */
export function isWhole({ measured, base }: MatchedRow): boolean {
  return !measured.isAtLeast && !(base?.measured.isAtLeast ?? false);
}

export interface PublishedRows {
  readonly rows: readonly MatchedRow[];
  /** Whether the rows are relative to another. */
  readonly isRelative: boolean;
  /** Published, and without a measured figure: why, by its keys. */
  readonly missing: readonly MissingRow[];
}

export function placedCells(
  cells: readonly NamedCell[],
  declared: readonly DeclaredPair[],
): PlacedCell[] {
  return cells.map(({ scenario, cell }) => {
    const { target, runs: [{ parameters }] } = cell;
    const constants = constantsOf({ target, scenario }, declared);
    return { target, scenario, parameters, constants, cell };
  });
}

/** What the experiment has besides the cells that were measured. */
export interface KnownNames extends Pick<ExperimentNames, "targets" | "scenarios"> {
  readonly declared: readonly DeclaredPair[];
}

export function publishedRows(
  table: Published,
  cells: readonly PlacedCell[],
  { targets, scenarios, declared }: KnownNames,
): PublishedRows {
  const names = {
    targets,
    scenarios,
    factors: namesInCells(cells).factors,
    others: pathsOf(declared),
  };
  const found = publishedValues(table.values).flatMap(({ keys, ...value }) =>
    rowsOf(keys.join(", "), value, { figure: table.figure, cells, names, declared })
  );
  const rows = found.filter((one) => "at" in one);
  const missing = found.filter((one) => "reason" in one);
  const relative = table.relative === null ? null : relativeRows(table, rows, names);
  return relative === null
    ? { rows: rows.map(absolute), isRelative: false, missing }
    : { rows: relative, isRelative: true, missing };
}

interface PublishedValue extends BoundedFigure {
  readonly keys: readonly string[];
}

/** In the order of the file. */
function publishedValues(values: Published["values"]): PublishedValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === "object"
      ? publishedValues(value).map((inner) => ({ ...inner, keys: [key, ...inner.keys] }))
      : [{ keys: [key], ...boundedFigure(value) }]
  );
}

interface MissingRow {
  readonly of: string;
  readonly reason: string;
}

interface MeasuredCell {
  readonly figure: Published["figure"];
  readonly cells: readonly PlacedCell[];
  readonly names: ExperimentNames;
  readonly declared: readonly DeclaredPair[];
}

/** A row for each cell that a value is of, or why there is none. */
function rowsOf(
  of: string,
  { value: published, bound }: BoundedFigure,
  { figure, cells, names, declared }: MeasuredCell,
): (PublishedRow | MissingRow)[] {
  const selection = readSelection(of, names);
  if ("problem" in selection) return [{ of, reason: selection.problem }];
  const selected = cellsIn(selection.value, cells);
  if (selected.length === 0) {
    const isOut = isLeftOut(selection.value, declared);
    return [{ of, reason: isOut ? "left out by --only" : "it was not measured" }];
  }
  return selected.map((at) => {
    const measured = rangeOf(figure, at.cell);
    return "none" in measured ? { of, reason: measured.none } : { at, published, bound, measured };
  });
}

function readSelection(text: string, names: ExperimentNames): ReturnType<typeof selectionOf> {
  const selector = parseSelector(text);
  return "value" in selector ? selectionOf(selector.value, names) : selector;
}

function absolute(row: PublishedRow): MatchedRow {
  const { published, measured } = row;
  return {
    ...row,
    base: null,
    ofPublished: published,
    ofMeasured: measured,
    quotient: over(measured, published),
  };
}

/** Null where some row has nothing to be divided by: then none is. */
function relativeRows(
  { figure, relative }: Published,
  rows: readonly PublishedRow[],
  names: ExperimentNames,
): MatchedRow[] | null {
  const selection = readSelection(relative ?? "", names);
  if ("problem" in selection) return null;
  const compared = rows.flatMap((row): MatchedRow[] => {
    const base = baseOf(row, rows, selection.value);
    if (base === null || base.published === 0 || base.measured.value === 0) return [];
    const ratio = base === row ? { value: 1, interval: null } : ratioOfRows(figure, row, base);
    if (ratio === null) return [];
    const ofPublished = row.published / base.published;
    return [{ ...row, base, ofPublished, ofMeasured: ratio, quotient: over(ratio, ofPublished) }];
  });
  return compared.length === rows.length ? compared : null;
}

/** The one row of the selection that is like the given one in all that the selection leaves open. */
function baseOf(
  { at }: PublishedRow,
  rows: readonly PublishedRow[],
  selection: Selection,
): PublishedRow | null {
  const selected = new Set<SelectableCell>(cellsIn(selection, rows.map((row) => row.at)));
  const bases = rows.filter((row) =>
    selected.has(row.at) && !isBound(row) && isLike(row.at, at, selection)
  );
  return bases.length === 1 ? bases[0] : null;
}

function isLike(
  base: PlacedCell,
  cell: PlacedCell,
  { target, scenario, factors }: Selection,
): boolean {
  const open = Object.keys(base.parameters).filter((path) =>
    !Object.hasOwn(factors, path) && Object.hasOwn(cell.parameters, path)
  );
  return (target !== null || base.target === cell.target) &&
    (scenario !== null || base.scenario === cell.scenario) &&
    open.every((path) => sameValue(base.parameters[path], cell.parameters[path]));
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** 0 or ∞ where one of them is 0; null where both are. */
export function ratioOfRows(
  figure: Published["figure"],
  of: PublishedRow,
  to: PublishedRow,
): Range | null {
  return ratioRangeOf(figure, of.at.cell, to.at.cell) ?? quotientOf(of.measured, to.measured);
}

function over(range: Range, divisor: number): Range | null {
  return quotientOf(range, { value: divisor, interval: { low: divisor, high: divisor } });
}
