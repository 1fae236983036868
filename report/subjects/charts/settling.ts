/**
 * Time to stable latency against final latency, as P. Kuffel and A. Walter plot them: does a server that responds sooner
 * settle sooner, too?
 */
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../../runner/stats/regression/correlation.ts";
import { type DisplayUnit, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { cellsOf, nameOf } from "../../cells/match.ts";
import { FLATTENING } from "../../figures/intervals.ts";
import {
  type ColumnOf,
  rangeCell,
  type Table,
  tableOf,
  targetColumn,
  textCell,
} from "../tables/table.ts";
import { SETTLED } from "../../findings/steady_finding.ts";
import { type Axis, compact, markOf, type Xy } from "../../chart.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import type { Range } from "../../figures/range.ts";
import { rangeOf } from "../../figures/figures.ts";

export interface SettlingModel {
  readonly finding: string;
  /** In one sentence, for a question about the time until latency is stable: when half of the medians are stable, and when all are. */
  readonly brief: string;
  /** Of the median; null for fewer than two cells. */
  readonly chart: Xy | null;
  /** What the colours and the marks of the chart stand for; scenarios only where there are several. */
  readonly legend: {
    readonly series: readonly { readonly label: string; readonly color: number }[];
    readonly scenarios: readonly string[];
  };
  readonly table: Table;
}

/** Null where no percentile was ever far from where it ends. */
export function settlingModel(
  scenarios: readonly ScenarioRuns[],
): SettlingModel | null {
  const several = scenarios.length > 1;
  const rows = cellsOf(scenarios).flatMap((cell): StableRow[] => {
    const { scenario } = cell;
    const flattens = flattensOf(cell);
    const name = several ? nameOf(cell) : cell.label;
    return flattens.length < FLATTENING.length ? [] : [{ scenario, cell, name, flattens }];
  });
  if (rows.every(({ flattens }) => flattens.every(({ from }) => from.value === 0))) return null;
  const named = [...new Set(rows.map(({ scenario }) => scenario))];
  const series = new Map(rows.map(({ cell: { label, color } }) => [label, color]));
  return {
    finding: findingOf(rows),
    brief: briefOf(rows, several),
    chart: rows.length < 2 ? null : chartOf(rows, named),
    legend: {
      series: [...series].map(([label, color]) => ({ label, color })),
      scenarios: named.length > 1 ? named : [],
    },
    table: stableTable(rows, named.length > 1),
  };
}

/** None for a load that itself changes, and without requests. */
function flattensOf(cell: CellRuns): Flattens[] {
  if (cell.runs.every(({ warmup }) => warmup === null)) return [];
  return FLATTENING.flatMap((percentile) => {
    const behind = percentile === "p50" ? "" : `.${percentile}` as const;
    const [from, final] = [
      rangeOf(`stable${behind}`, cell),
      rangeOf(`final${behind}`, cell),
    ];
    return "none" in from || "none" in final ? [] : [{ percentile, from, final }];
  });
}

function findingOf(rows: readonly StableRow[]): string {
  const medians = rows.map(({ name, flattens: [median] }) => ({ name, ...median }))
    .sort((a, b) => a.from.value - b.from.value);
  const [first, last] = [medians[0], medians[medians.length - 1]];
  if (first === last) return `The median is stable ${whenText(first)}.`;
  if (first.from.value === last.from.value) return `Every median is stable ${fromText(first)}.`;
  const extremes = `The first median to be stable is that of ${first.name}, ${whenText(first)}; ` +
    `the last that of ${last.name}, ${whenText(last)}.`;
  return `${correlationText(rows)} ${extremes}`;
}

function briefOf(rows: readonly StableRow[], several: boolean): string {
  const medians = rows.toSorted((a, b) => stableAfterMs(a) - stableAfterMs(b));
  const [half, last] = [medians[Math.ceil(medians.length / 2) - 1], medians[medians.length - 1]];
  const whenOf = ({ flattens: [median] }: StableRow): string => fromText(median);
  if (stableAfterMs(half) === stableAfterMs(last)) {
    return `Median latency is stable ${whenOf(last)}.`;
  }
  const where = several ? ` in ${last.scenario}` : "";
  return `Median latency is stable ${whenOf(half)} in half of the cells, and ${
    whenOf(last)
  } at the latest (${last.cell.label}${where}).`;
}

function stableAfterMs({ flattens: [median] }: StableRow): number {
  return median.from.value;
}

/** `after 750 ms, at 2.1 ms`. */
function whenText(flattens: Flattens): string {
  return `${fromText(flattens)}, at ${timeText(flattens.final)}`;
}

function fromText({ from }: Flattens): string {
  return from.value === 0 ? "from the start" : `after ${timeText(from)}`;
}

/** Without its interval. */
function timeText({ value }: Range): string {
  return figureRangeText({ value, interval: null }, "ms");
}

/** Of the median in words; of the other percentiles the numbers alone. */
function correlationText(rows: readonly StableRow[]): string {
  const [rho, ...others] = FLATTENING.map((_, i) =>
    spearmanRho(
      rows.map(({ flattens }) => flattens[i].final.value),
      rows.map(({ flattens }) => flattens[i].from.value),
    )
  );
  const interval = spearmanInterval(rho, rows.length);
  const ends = interval && ` [${signed(interval.low)}, ${signed(interval.high)}]`;
  const also = FLATTENING.slice(1).map((percentile, i) => `${percentile} ${signed(others[i])}`);
  return `${relationText(interval)}: Spearman’s rank correlation ${signed(rho)}${ends ?? ""} over ${
    counted(rows.length, "cell")
  }; of ${also.join(", ")}.`;
}

function relationText(interval: { readonly low: number; readonly high: number } | null): string {
  if (interval === null) {
    return `Fewer than ${LEAST_CORRELATED} cells cannot show whether a lower settled median settles sooner`;
  }
  if (interval.low > 0) return "The lower the settled median, the sooner it settles";
  if (interval.high < 0) return "The lower the settled median, the later it settles";
  return "A lower settled median does not surely settle sooner";
}

function signed(rho: number): string {
  return Number.isNaN(rho) ? "–" : rho.toFixed(2).replace("-", "−");
}

/** Beyond the outermost dots, so that none lies on the edge. */
const MARGIN_RATIO = 1.25;

function chartOf(rows: readonly StableRow[], scenarios: readonly string[]): Xy {
  const medians = rows.map(({ flattens: [median] }) => median);
  const unit = timeUnit(medians.map(({ final }) => final.value));
  const shownS = (ms: number): number => compact(Math.max(0, ms) / 1_000);
  const highestMs = Math.max(...medians.map(({ from }) => from.interval?.high ?? from.value));
  return {
    kind: "xy",
    size: "large",
    alt: `Time to a stable median against the final median: ${
      counted(rows.length, "dot")
    }. The table below has the numbers.`,
    x: {
      ...finalAxis(medians.map(({ final }) => final.value / unit.size), unit.name),
      title: "final median latency",
    },
    y: {
      unit: "s",
      scale: "linear",
      min: 0,
      max: compact(highestMs / 1_000 * MARGIN_RATIO || 1),
      title: "time until it is stable",
    },
    series: rows.map(({ scenario, cell, name, flattens: [{ from, final }] }) => ({
      label: name,
      color: cell.color,
      draw: "dots",
      points: [{
        x: compact(final.value / unit.size),
        y: shownS(from.value),
        low: from.interval && shownS(from.interval.low),
        high: from.interval && shownS(from.interval.high),
        mark: markOf(scenarios, scenario),
        fill: "pale",
        lines: [
          `stable after ${figureRangeText(from, "ms")}`,
          `final median ${figureRangeText(final, "ms")}`,
        ],
      }],
    })),
  };
}

/** Logarithmic, as the latencies of different work are factors apart; not where one is 0. */
function finalAxis(values: readonly number[], unit: string): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const max = compact(most * MARGIN_RATIO || 1);
  return least > 0
    ? { unit, scale: "log", min: compact(least / MARGIN_RATIO), max }
    : { unit, scale: "linear", min: 0, max };
}

// When each percentile of latency is stable, and at what: one row a cell of any scenario.

/** How a percentile of a cell flattens, in ms. */
export interface Flattens {
  readonly percentile: typeof FLATTENING[number];
  readonly from: Range;
  readonly final: Range;
}

export interface StableRow {
  readonly scenario: string;
  readonly cell: CellRuns;
  /** Unique among the rows. */
  readonly name: string;
  /** One for each of FLATTENING. */
  readonly flattens: readonly Flattens[];
}

/** @param several Whether the rows are of several scenarios. */
export function stableTable(rows: readonly StableRow[], several: boolean): Table {
  const finals = rows.flatMap(({ flattens }) => flattens.map(({ final }) => final.value));
  const unit = timeUnit(finals);
  const caption = "Time to stable latency against final latency";
  return tableOf({ caption, notes: [NOTE, SETTLED] }, rows, [
    { ...targetColumn, cell: ({ cell }) => targetColumn.cell(cell) },
    ...several ? [scenarioColumn] : [],
    ...FLATTENING.flatMap((percentile, i) => [
      column(`Final ${percentile}`, unit, ({ flattens }) => flattens[i].final),
      column(`${percentile} stable after`, SECONDS, ({ flattens }) => flattens[i].from),
    ]),
  ]);
}

const NOTE =
  "Final is the median of a percentile over the last quarter of a run; means over the runs.";

const SECONDS: DisplayUnit = { name: "s", size: 1_000, decimals: 3 };

const scenarioColumn: ColumnOf<StableRow> = {
  label: "Scenario",
  kind: "text",
  cell: ({ scenario }) => textCell(scenario),
};

function column(
  label: string,
  unit: DisplayUnit,
  of: (row: StableRow) => Range,
): ColumnOf<StableRow> {
  return { label, unit: unit.name, cell: (row) => rangeCell(of(row), unit) };
}
