/**
 * Compares published figures with the measured figures of the same cells. If the experiment's file asks for it, both
 * are divided by the figures of a base cell. Reports the figures that certainly differ by more than a margin, and
 * whether the measured figures have the published order.
 */
import { type Bound, type BoundedFigure, boundedFigure } from "../../base/figures/bound.ts";
import {
  cellsIn,
  parseSelector,
  SCENARIO,
  type SelectableCell,
  type Selection,
  selectionOf,
  TARGET,
} from "../../base/figures/selector.ts";
import type { Published } from "../../runner/result/result.ts";
import { spearmanRho } from "../../runner/stats/regression/correlation.ts";
import type { CellRuns, ScenarioRuns } from "../cells/cells.ts";
import { type FigureRange, rangeOf } from "../figures/figures.ts";
import { quotientOf, type Range } from "../figures/range.ts";
import { isLeftOut } from "../subjects/method/declared_values.ts";
import { ratioOfFigure } from "./amounts.ts";
import { agree, type Ground, groundOf, type Member, type Ruled } from "./ground.ts";
import { exactly, FAR_RATIO, sideOf } from "./rules.ts";

/** A published value and the cell that it describes. */
interface PublishedRow {
  readonly at: Member;
  readonly cell: CellRuns;
  readonly published: number;
  /** Whether the published value is an upper limit, a lower limit or an approximation; null if it is none of these. */
  readonly bound: Bound | null;
  readonly measured: FigureRange;
}

/** A published value and the measured one, either as such or as multiples of the values of a base row. */
export interface MatchedRow extends PublishedRow {
  /** The row whose values divide this row's values; null if rows are not divided. */
  readonly base: PublishedRow | null;
  readonly ofPublished: number;
  readonly ofMeasured: Range;
  /** Measured ÷ published; null for the base itself, or if both are 0. */
  readonly quotient: Range | null;
  /** Whether the measured and the published value certainly differ by more than the factor `FAR_RATIO`. */
  readonly isFar: boolean;
}

/** Whether the row is the base by which other rows are divided. */
export function isBase({ at, base }: Pick<MatchedRow, "at" | "base">): boolean {
  return base?.at === at;
}

/** How well the measured order of the cells, in all scenarios or in one, agrees with the published order. */
export interface PublishedOrder {
  /** "" for all scenarios. */
  readonly scenario: string;
  readonly cells: number;
  /** Spearman's rank correlation; NaN if a column has the same value for all cells: see `spearmanRho`. */
  readonly rho: number;
}

export interface JudgedTable {
  readonly table: Published;
  /** Rows in the order of the experiment's file. */
  readonly rows: readonly MatchedRow[];
  /** The rows that are `isFar`, the largest difference first. */
  readonly far: readonly MatchedRow[];
  /** The order over all cells first; then, if there are several scenarios, the order within each of them. */
  readonly orders: readonly PublishedOrder[];
  /** Whether the rows are divided by the values of a base. */
  readonly isRelative: boolean;
  /** Published values for which there is no measured figure, and the reason. */
  readonly missing: readonly MissingRow[];
}

interface MissingRow {
  readonly of: string;
  readonly reason: string;
}

export function judgePublished(scenarios: readonly ScenarioRuns[], results: Ruled): JudgedTable[] {
  const tables = [results.experiment?.published ?? []].flat();
  if (tables.length === 0) return [];
  const ground = groundOf(scenarios, results);
  return tables.map((table) => {
    const found = publishedValues(table.values).flatMap((value) => rowsOf(table, value, ground));
    const measured = found.filter((one) => "at" in one);
    const ratioOf: RatioOfRows = (...rows) => {
      const [of, to] = rows.map(({ cell, measured: range }) => ({ cell, range }));
      return ratioOfFigure(table.figure, [of, to], ground.ratioOf);
    };
    const relative = table.relative &&
      relativeRows(measured, selectionIn(table.relative, ground.names), ratioOf);
    const rows = relative ||
      measured.map((row) =>
        matched(row, { base: null, ofPublished: row.published, ofMeasured: row.measured })
      );
    return {
      table,
      rows,
      far: rows.filter((row) => row.isFar).sort(byQuotient),
      orders: ordersOf(rows.filter((row) => !isBound(row))),
      isRelative: rows === relative,
      missing: found.filter((one) => "reason" in one),
    };
  });
}

type PublishedValue = readonly [keys: string, figure: BoundedFigure];

/** All published values with their full selectors, in the order of the file. */
function publishedValues(values: Published["values"]): PublishedValue[] {
  return Object.entries(values).flatMap(([key, value]): PublishedValue[] =>
    typeof value === "object"
      ? publishedValues(value).map(([keys, figure]) => [`${key}, ${keys}`, figure])
      : [[key, boundedFigure(value)]]
  );
}

/** One row for each cell that a published value describes, or the reason why there is no measured figure. */
function rowsOf(
  { figure }: Published,
  [of, { value: published, bound }]: PublishedValue,
  { members, names, declared }: Ground,
): (PublishedRow | MissingRow)[] {
  const selection = selectionIn(of, names);
  if ("problem" in selection) return [{ of, reason: selection.problem }];
  const selected = cellsIn(selection.value, members.filter(({ isStep }) => !isStep))
    .flatMap((at) => at.cell === null ? [] : [{ at, cell: at.cell }]);
  if (selected.length === 0) {
    const isOut = isLeftOut(selection.value, declared);
    return [{ of, reason: isOut ? "left out by --only" : "it was not measured" }];
  }
  return selected.map(({ at, cell }) => {
    const measured = rangeOf(figure, cell);
    return "none" in measured
      ? { of, reason: measured.none }
      : { at, cell, published, bound, measured };
  });
}

function selectionIn(text: string, names: Ground["names"]): ReturnType<typeof selectionOf> {
  const selector = parseSelector(text);
  return "value" in selector ? selectionOf(selector.value, names) : selector;
}

/** Whether the published value is only an upper or lower limit, which can't be ranked. */
function isBound({ bound }: Pick<PublishedRow, "bound">): boolean {
  return bound === "<" || bound === ">";
}

/**
 * The rows, each divided by its base. Null if any row has no base or no ratio, because either all rows are divided or
 * none is.
 */
function relativeRows(
  rows: readonly PublishedRow[],
  selection: ReturnType<typeof selectionOf>,
  ratioOf: RatioOfRows,
): MatchedRow[] | null {
  if ("problem" in selection) return null;
  const compared = rows.flatMap((row): MatchedRow[] => {
    const base = baseOf(row, rows, selection.value);
    if (base === null || base.published === 0 || base.measured.value === 0) return [];
    const ofMeasured = base === row ? { value: 1, interval: null } : ratioOf(row, base);
    const ofPublished = row.published / base.published;
    return ofMeasured === null ? [] : [matched(row, { base, ofPublished, ofMeasured })];
  });
  return compared.length === rows.length ? compared : null;
}

function matched(
  row: PublishedRow,
  compared: Pick<MatchedRow, "base" | "ofPublished" | "ofMeasured">,
): MatchedRow {
  const { base, ofPublished, ofMeasured } = compared;
  const quotient = base === row
    ? null
    : quotientOf(ofMeasured, { value: ofPublished, interval: exactly(ofPublished) });
  return { ...row, ...compared, quotient, isFar: quotient !== null && isFar(row, base, quotient) };
}

/**
 * Whether a difference is certainly large. A measured lower bound may really be higher, so it is never certainly too
 * low. A published upper limit agrees with any smaller value, and a published lower limit with any larger one.
 */
function isFar(
  { bound, measured }: PublishedRow,
  base: PublishedRow | null,
  { value, interval }: Range,
): boolean {
  const allowed = {
    low: bound === "<" ? -Infinity : 1 / FAR_RATIO,
    high: bound === ">" ? Infinity : FAR_RATIO,
    isClosed: true,
  };
  const { low, high } = interval ?? exactly(value);
  const widest = {
    low: base?.measured.isAtLeast ? 0 : low,
    high: measured.isAtLeast ? Infinity : high,
  };
  return sideOf(widest, allowed) === "broken";
}

/**
 * The only row that the selection selects and that agrees with the given row in all dimensions that the selection does
 * not name; null unless there is exactly one.
 */
function baseOf(
  { at }: PublishedRow,
  rows: readonly PublishedRow[],
  selection: Selection,
): PublishedRow | null {
  const { target, scenario, factors } = selection;
  const selected = new Set<SelectableCell>(cellsIn(selection, rows.map((row) => row.at)));
  const isNamed = (dimension: string): boolean =>
    dimension === TARGET && target !== null || dimension === SCENARIO && scenario !== null ||
    Object.hasOwn(factors, dimension);
  const bases = rows.filter((row) =>
    selected.has(row.at) && !isBound(row) && agree(row.at, at, isNamed)
  );
  return bases.length === 1 ? bases[0] : null;
}

type RatioOfRows = (of: PublishedRow, to: PublishedRow) => Range | null;

/**
 * Orders rows by the size of the difference, the largest first. Two infinite differences are equal, because ∞ − ∞ is
 * NaN.
 */
function byQuotient(a: MatchedRow, b: MatchedRow): number {
  const [one, other] = [a, b].map(({ quotient }) => Math.abs(Math.log(quotient?.value ?? 1)));
  return one === other ? 0 : other - one;
}

function ordersOf(rows: readonly MatchedRow[]): PublishedOrder[] {
  const scenarios = Map.groupBy(rows, ({ at }) => at.scenario);
  const orderOf = (scenario: string, those: readonly MatchedRow[]): PublishedOrder => ({
    scenario,
    cells: those.length,
    rho: spearmanRho(
      those.map(({ ofPublished }) => ofPublished),
      those.map(({ ofMeasured }) => ofMeasured.value),
    ),
  });
  const within = scenarios.size > 1 ? [...scenarios].map(([name, own]) => orderOf(name, own)) : [];
  return [orderOf("", rows), ...within];
}
