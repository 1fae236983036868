/** Whether measured figures come in the published order: rank correlations, and which cells change places. */
import type { Published } from "../../../runner/result/result.ts";
import { kendallTauB, spearmanRho } from "../../../runner/stats/regression/correlation.ts";
import { counted } from "../../writing/words.ts";
import {
  countCell,
  NONE,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "../../subjects/tables/table.ts";
import { isWhole, type MatchedRow, ratioOfRows } from "./rows.ts";
import type { Range } from "../../figures/range.ts";

/** Of all cells, or of those of a scenario. */
export interface PublishedOrder {
  /** "" for all. */
  readonly scenario: string;
  readonly cells: number;
  /** NaN where a column has no order: see `spearmanRho`. */
  readonly rho: number;
  readonly tau: number;
  /** Two cells in the other order than published, beyond what chance explains; the farthest apart first. */
  readonly swaps: readonly (readonly [MatchedRow, MatchedRow])[];
}

/** Of all cells, then of each scenario that has two, where there are several. */
export function ordersOf(
  figure: Published["figure"],
  rows: readonly MatchedRow[],
): PublishedOrder[] {
  const scenarios = Map.groupBy(rows, ({ at }) => at.scenario);
  const within = [...scenarios]
    .filter(([, { length }]) => length > 1)
    .map(([scenario, group]) => orderOf(scenario, group, swapsOf(figure, group)));
  // Cells of different scenarios do not compete: only within one does anybody change places.
  const whole = orderOf("", rows, within.flatMap(({ swaps }) => swaps).sort(byDistance));
  return scenarios.size > 1 ? [whole, ...within] : [whole];
}

function orderOf(
  scenario: string,
  rows: readonly MatchedRow[],
  swaps: PublishedOrder["swaps"],
): PublishedOrder {
  const published = rows.map(({ ofPublished }) => ofPublished);
  const measured = rows.map(({ ofMeasured }) => ofMeasured.value);
  return {
    scenario,
    cells: rows.length,
    rho: spearmanRho(published, measured),
    tau: kendallTauB(published, measured),
    swaps,
  };
}

type RowPair = readonly [MatchedRow, MatchedRow];

function swapsOf(figure: Published["figure"], rows: readonly MatchedRow[]): RowPair[] {
  return rows
    .flatMap((row, i) => rows.slice(i + 1).map((other): RowPair => [row, other]))
    .filter((pair) => isSwapped(pair) && isSure(figure, pair))
    .sort(byDistance);
}

function isSwapped([one, other]: RowPair): boolean {
  return (one.ofPublished - other.ofPublished) * (one.ofMeasured.value - other.ofMeasured.value) <
    0;
}

/** Whether the interval of their ratio leaves 1 out; a ratio without one is taken as it is. */
function isSure(figure: Published["figure"], [one, other]: RowPair): boolean {
  if (!isWhole(one) || !isWhole(other)) return false;
  if (one.base !== other.base) return isApart(one.ofMeasured, other.ofMeasured);
  const interval = ratioOfRows(figure, one, other)?.interval ?? null;
  return interval === null || interval.low > 1 || interval.high < 1;
}

/** Divided by different cells: intervals that do not meet are sure to differ. */
function isApart(one: Range, other: Range): boolean {
  const [a, b] = [one, other].map(({ value, interval }) => interval ?? { low: value, high: value });
  return a.low > b.high || b.low > a.high;
}

function byDistance(a: RowPair, b: RowPair): number {
  return distanceOf(b) - distanceOf(a);
}

function distanceOf([one, other]: RowPair): number {
  return logRatio(one.ofPublished, other.ofPublished) +
    logRatio(one.ofMeasured.value, other.ofMeasured.value);
}

function logRatio(a: number, b: number): number {
  return a > 0 && b > 0 ? Math.abs(Math.log(a / b)) : Infinity;
}

/** Of rho: from here on the order is called what stands behind. */
const LIKENESS: readonly (readonly [number, string])[] = [
  [0.9, "nearly as published"],
  [0.7, "much as published"],
  [0.4, "only partly as published"],
  [-0.4, "not the published one"],
  [-1, "rather the reverse of the published one"],
];

const MOST_NAMED = 3;

/** Without a full stop; "" for fewer than two cells. */
export function orderSentence([whole, ...within]: readonly PublishedOrder[]): string {
  const { cells, rho, swaps } = whole;
  if (cells < 2) return "";
  if (Number.isNaN(rho)) return "There is no order to compare: one column holds one value only";
  const like = isExact(rho)
    ? "as published"
    : LIKENESS.find(([least]) => rho >= least)?.[1] ?? LIKENESS[LIKENESS.length - 1][1];
  return [
    cells < FEWEST_DECISIVE
      ? `The order of the ${cells} cells is ${like}`
      : `The order is ${like}: rank correlation ${correlationText(rho)} over ${
        counted(cells, "cell")
      }${withinText(within)}`,
    ...(swaps.length === 0 ? [] : [swapsText(swaps, within.length > 0)]),
  ].join("; ");
}

function isExact(rho: number): boolean {
  return rho > 1 - 1e-9;
}

/** In two digits; 1 only where it is. */
export function correlationText(rho: number): string {
  return isExact(Math.abs(rho))
    ? String(Math.round(rho))
    : Math.min(0.99, Math.max(-0.99, rho)).toFixed(2);
}

/** Of fewer cells a correlation is chance: of four, one order in 24 is as published. */
const FEWEST_DECISIVE = 5;

function withinText(within: readonly PublishedOrder[]): string {
  const decisive = within.filter(({ cells, rho }) =>
    cells >= FEWEST_DECISIVE && !Number.isNaN(rho)
  );
  const [least, ...rest] = decisive
    .sort((a, b) => a.rho - b.rho);
  const most = rest.at(-1);
  if (most === undefined) return "";
  const text = ({ rho, scenario }: PublishedOrder): string =>
    `${correlationText(rho)} (${scenario})`;
  return correlationText(least.rho) === correlationText(most.rho)
    ? `, ${correlationText(least.rho)} within each scenario`
    : `, within scenarios from ${text(least)} to ${text(most)}`;
}

/** All of few; of many how many, and the two that are farthest apart. */
function swapsText(swaps: readonly RowPair[], isOfSeveral: boolean): string {
  const named = swaps.map(([one, other]) => {
    const place = isOfSeveral ? ` in ${one.at.scenario}` : "";
    return { pair: `${one.at.cell.label} and ${other.at.cell.label}`, place };
  });
  if (named.length <= MOST_NAMED) {
    return named.map(({ pair, place }) => `${pair} change places${place}`).join(", ");
  }
  const [{ pair, place }] = named;
  return `${counted(named.length, "pair")} change places, the farthest apart ${pair}${place}`;
}

/** Null where the finding says it all. */
export function orderTable(orders: readonly PublishedOrder[]): Table | null {
  const decisive = orders.filter(({ cells }) => cells >= FEWEST_DECISIVE);
  if (decisive.length < 2) return null;
  return tableOf({ caption: "Rank correlation, published with measured" }, decisive, [
    { label: "Scenario", kind: "name", cell: ({ scenario }) => ({ text: scenario || "all" }) },
    { label: "Cells", cell: ({ cells }) => countCell(cells) },
    { label: "Spearman’s ρ", cell: ({ rho }) => correlationCell(rho) },
    { label: "Kendall’s τ-b", cell: ({ tau }) => correlationCell(tau) },
    {
      label: "Change places",
      kind: "text",
      cell: ({ scenario, swaps }) => scenario === "" ? textCell("") : swapsCell(swaps),
    },
  ]);
}

function correlationCell(value: number): TableCell {
  return Number.isNaN(value) ? NONE : { text: correlationText(value), value };
}

function swapsCell(swaps: readonly RowPair[]): TableCell {
  const named = swaps.slice(0, MOST_NAMED)
    .map(([one, other]) => `${one.at.cell.label} and ${other.at.cell.label}`);
  const more = swaps.length - named.length;
  return textCell([...named, ...(more === 0 ? [] : [`${more} more`])].join("; ") || "none");
}
