/**
 * Published figures × results: each published figure beside the measured one of the same cell, both divided by those of
 * a named cell if the file asks for that; the figures that certainly differ by more than a margin; and whether the
 * measured figures come in the published order.
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
  /** Whether the published value is an upper limit, a lower limit or an approximation; null if it is exact. */
  readonly bound: Bound | null;
  readonly measured: FigureRange;
}

/** A published value beside the measured one: the figures themselves, or both as multiples of the base's. */
export interface MatchedRow extends PublishedRow {
  /** The row by whose values this row is divided; null if it is not divided. */
  readonly base: PublishedRow | null;
  readonly ofPublished: number;
  readonly ofMeasured: Range;
  /** Measured over published; null if both are 0, and for the base itself. */
  readonly quotient: Range | null;
  /** Whether the difference certainly matters. */
  readonly isFar: boolean;
}

/** Whether the row is the base by which the others are divided. */
export function isBase({ at, base }: Pick<MatchedRow, "at" | "base">): boolean {
  return base?.at === at;
}

/** Order of all cells, or of the cells of one scenario. */
export interface PublishedOrder {
  /** "" for all scenarios. */
  readonly scenario: string;
  readonly cells: number;
  /** Rank correlation; NaN if a column holds the same value for all cells: see `spearmanRho`. */
  readonly rho: number;
}

export interface JudgedTable {
  readonly table: Published;
  /** Rows, in the order of the file. */
  readonly rows: readonly MatchedRow[];
  /** Differences that matter, the largest first. */
  readonly far: readonly MatchedRow[];
  /** The order of all cells first, then that of each scenario, if there are several. */
  readonly orders: readonly PublishedOrder[];
  /** Whether the rows are relative to a base. */
  readonly isRelative: boolean;
  /** Published values without a measured figure, and why. */
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

/** Values, in the order of the file. */
function publishedValues(values: Published["values"]): PublishedValue[] {
  return Object.entries(values).flatMap(([key, value]): PublishedValue[] =>
    typeof value === "object"
      ? publishedValues(value).map(([keys, figure]) => [`${key}, ${keys}`, figure])
      : [[key, boundedFigure(value)]]
  );
}

/** A row for each cell with a published value, or the reason why there is none. */
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

/** Whether the source only gives an upper or lower limit, which can neither be ordered nor serve as a base. */
function isBound({ bound }: Pick<PublishedRow, "bound">): boolean {
  return bound === "<" || bound === ">";
}

/** The rows, each divided by its base; null if a row has no base or ratio, because then no row is divided. */
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
 * Whether a difference is large, and certainly so; a lower bound can only be too low, and a value below a published
 * upper limit agrees.
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

/** The only row of the selection that agrees with the given one in everything that the selection leaves open. */
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

/** Orders the farthest first; two infinite distances keep their order. */
function byQuotient(a: MatchedRow, b: MatchedRow): number {
  const [one, other] = [a, b].map(({ quotient }) => Math.abs(Math.log(quotient?.value ?? 1)));
  return one === other ? 0 : other - one;
}

/** The order of all rows, and that within each scenario if there are several. */
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
