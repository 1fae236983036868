/** How each cell reaches its steady state, and how it responds before and after; one row a cell. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { STEADY_LABELS } from "../../../runner/stats/steady_state/steady_state.ts";
import type { Spread } from "../../writing/spread.ts";
import { type DisplayUnit, formatCount, formatTick, timeUnit } from "../../writing/units.ts";
import { group, list, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { WEAK_NOTE } from "../../figures/pool.ts";
import { FLATTENING } from "../../figures/intervals.ts";
import { type PartFigures, type Steadiness, steadinessOf } from "../../cells/steady.ts";
import { FLAT, SETTLED, steadyFindings } from "../../findings/steady_finding.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import {
  cellColumn,
  type ColumnOf,
  NONE,
  numberCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "./table.ts";

interface SteadyRow {
  readonly cell: CellRuns;
  readonly steadiness: Steadiness;
}

/** Nothing for a load that itself changes: then there is no steady state to look for. */
export const steady: Subject<ScenarioContext> = {
  id: "steady",
  title: "Warm-up and steady state",
  depth: "detail",
  build: ({ name, cells }) => {
    const rows = cells.map((cell) => ({ cell, steadiness: steadinessOf(cell) }));
    if (rows.every(({ steadiness }) => steadiness.labels.every((label) => label === null))) {
      return [];
    }
    const findings = steadyFindings(cells);
    const isShort = rows.every(({ steadiness: { labels, flattening } }) =>
      labels.every((label) => label === "too-short") && flattening.every((one) => !one?.max)
    );
    const hasParts = rows.some(({ steadiness: { startUp, steady } }) => startUp ?? steady);
    return [
      list(findings, { forms: ["page"] }),
      // A flat cell is what a reader expects.
      list(findings.filter(({ code }) => code !== FLAT), { forms: ["terminal", "markdown"] }),
      group("", [
        ...hasParts ? [table(partsTable(name, rows), { isCaptioned: true })] : [],
        ...isShort ? [] : [table(steadyTable(name, rows), { isCaptioned: true })],
      ], { depth: "everything" }),
    ];
  },
};

const READING =
  "A run is in steady state from the moment after which neither latency nor rate changes (change points in its intervals). It is flat from the start, or steady after a warm-up, or after a slowdown where it was better before. There is no steady state if the last quarter of the run is not on one level, or drifts, swings or jumps. “Within ±” is how far the medians of windows of the steady part lie from its level. Figures are medians over the runs, with the lowest and the highest run below.";
const PARTS =
  "Start-up is the part before steady state, in runs that have both; a flat run has none. Rates are means over the runs, latencies are pooled. Nothing is discarded here.";

function steadyTable(scenario: string, rows: readonly SteadyRow[]): Table {
  const caption = `Time to steady state of ${scenario}`;
  return tableOf({ caption, notes: [READING, SETTLED] }, rows, [
    cellColumn,
    {
      label: "Runs",
      kind: "text",
      cell: ({ steadiness }) => textCell(labelsText(steadiness.labels)),
    },
    spreadColumn("Steady from", "s", ({ seconds }) => seconds),
    spreadColumn("After requests", "", ({ requests }) => requests),
    spreadColumn("Within ±", "%", ({ within }) => within),
    ...FLATTENING.map((percentile, i) =>
      spreadColumn(`${percentile} flat from`, "s", ({ flattening }) => flattening[i])
    ),
  ]);
}

/** `4 warm-up, 1 flat`. */
function labelsText(labels: Steadiness["labels"]): string {
  return STEADY_LABELS.flatMap((label) => {
    const count = labels.filter((one) => one === label).length;
    return count === 0 ? [] : [labels.length === 1 ? label : `${count} ${label}`];
  }).join(", ");
}

/** The median of the runs, and where they differ from the lowest to the highest. */
function spreadColumn(
  label: string,
  unit: string,
  of: (steadiness: Steadiness) => Spread | null,
): ColumnOf<SteadyRow> {
  const format = unit === "" ? formatCount : formatTick;
  return {
    label,
    unit,
    cell: ({ steadiness }) => {
      const spread = of(steadiness);
      if (spread === null) return NONE;
      const { median, min, max } = spread;
      const cell = { text: format(median), value: median };
      return min === max ? cell : { ...cell, below: `${format(min)}–${format(max)}` };
    },
  };
}

/** A figure of a cell, in its own unit, as the units of rows differ. */
interface FigureRow extends SteadyRow {
  readonly figure: string;
  readonly cellOf: (part: PartFigures) => TableCell;
}

/** Narrow rather than short: all three beside each other on a phone. */
function partsTable(scenario: string, rows: readonly SteadyRow[]): Table {
  const unit = timeUnit(rows.map(({ steadiness: { whole } }) => whole.p50));
  const figureRows = rows.flatMap((row): FigureRow[] => [
    { ...row, figure: "requests/s", cellOf: ({ rate }) => numberCell(rate) },
    { ...row, figure: `p50, ${unit.name}`, cellOf: (part) => percentileCell(part, 50, unit) },
    { ...row, figure: `p99, ${unit.name}`, cellOf: (part) => percentileCell(part, 99, unit) },
  ]);
  const parts = [
    partColumn("Start-up", ({ startUp }) => startUp),
    partColumn("Steady", ({ steady }) => steady),
    partColumn("Whole run", ({ whole }) => whole),
  ];
  const isWeak = figureRows.some((row) => parts.some(({ cell }) => cell(row).weak));
  const notes = [PARTS, ...(isWeak ? [WEAK_NOTE] : [])];
  return tableOf(
    { caption: `Start-up, steady part and whole run of ${scenario}`, notes },
    figureRows,
    [
      cellColumn,
      { label: "Figure", kind: "text", cell: ({ figure }) => textCell(figure) },
      ...parts,
    ],
  );
}

function partColumn(
  label: string,
  of: (steadiness: Steadiness) => PartFigures | null,
): ColumnOf<FigureRow> {
  return {
    label,
    kind: "text", // numbers of different units have no common decimal point
    cell: ({ steadiness, cellOf }) => {
      const part = of(steadiness);
      return part === null ? NONE : cellOf(part);
    },
  };
}

function percentileCell(part: PartFigures, p: 50 | 99, unit: DisplayUnit): TableCell {
  if (part.count === 0) return NONE;
  const cell = numberCell(p === 50 ? part.p50 : part.p99, unit);
  return supportsPercentile(part.count, p) ? cell : { ...cell, weak: true };
}
