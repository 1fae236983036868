/** How each cell reaches its steady state, and its figures before and after that, with a row for each cell. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { STEADY_LABELS } from "../../../runner/stats/steady_state/steady_state.ts";
import { type Block, group, list, table } from "../../blocks.ts";
import {
  FLAT,
  type Steadiness,
  steadinessOf,
  steadyFindings,
} from "../../findings/steady_finding.ts";
import type { Spread } from "../../writing/spread.ts";
import { formatCount, formatTick, timeUnit } from "../../writing/units.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "./column.ts";
import { type ColumnOf, NONE, type OfCell, type Table, tableOf } from "./table.ts";

type SteadyRow = OfCell & Steadiness;

/** When each cell settles, and its figures before and after that; empty if the load itself changes. */
export function steady({ name, cells }: ScenarioContext): Block[] {
  const rows = cells.map((cell): SteadyRow => ({ cell, ...steadinessOf(cell) }));
  if (rows.every(({ labels }) => labels.every((label) => label === null))) return [];
  const findings = steadyFindings(cells);
  const isShort = rows.every(({ labels }) => labels.every((label) => label === "too-short"));
  const hasParts = rows.some(({ startUp, steady }) => startUp ?? steady);
  return [
    list(findings, { forms: ["page"] }),
    // That a cell is flat from the start is what readers expect, so it is not mentioned here.
    list(findings.filter(({ code }) => code !== FLAT), { forms: ["terminal", "markdown"] }),
    group("", [
      table(partsTable(name, hasParts ? rows : []), { isCaptioned: true }),
      table(steadyTable(name, isShort ? [] : rows), { isCaptioned: true }),
    ], { depth: "everything" }),
  ];
}

function steadyTable(scenario: string, rows: readonly SteadyRow[]): Table {
  const caption = `Time to steady state of ${scenario}`;
  return tableOf({ caption, notes: [READING] }, rows, [
    column.cell,
    column.text("Runs", labelsText),
    spreadColumn("Steady from", "s", ({ seconds }) => seconds),
    spreadColumn("After requests", "", ({ requests }) => requests, formatCount),
    spreadColumn("Within ±", "%", ({ within }) => within),
  ]);
}

const READING =
  "A run is in steady state from the moment after which neither latency nor rate changes (change points in its intervals). It is flat from the start, or steady after a warm-up, or after a slowdown if it was better before. There is no steady state if the last quarter of the run is not on one level, or drifts, swings or jumps. “Within ±” is how far the medians of windows of the steady part lie from its level. Figures are medians over the runs, with the lowest and the highest run below.";

/** For example `4 warm-up, 1 flat`. */
function labelsText({ labels }: SteadyRow): string {
  return STEADY_LABELS.flatMap((label) => {
    const count = labels.filter((one) => one === label).length;
    return count === 0 ? [] : [labels.length === 1 ? label : `${count} ${label}`];
  }).join(", ");
}

/** A column with the median over the runs and, if runs differ, the lowest and the highest value. */
function spreadColumn(
  label: string,
  unit: string,
  of: (row: SteadyRow) => Spread | null,
  format: (value: number) => string = formatTick,
): ColumnOf<SteadyRow> {
  return {
    label,
    unit,
    cell: (row) => {
      const spread = of(row);
      if (spread === null) return NONE;
      const { median, min, max } = spread;
      const below = min === max ? {} : { below: `${format(min)}–${format(max)}` };
      return { text: format(median), value: median, ...below };
    },
  };
}

function partsTable(scenario: string, cells: readonly SteadyRow[]): Table {
  const unit = timeUnit(cells.map(({ whole }) => whole.p50));
  const rows = cells.flatMap(({ cell, startUp, steady, whole }) => [
    { cell, name: "start-up", part: startUp },
    { cell, name: "steady", part: steady },
    { cell, name: "whole run", part: whole },
  ]).flatMap(({ part, ...row }) => part === null ? [] : [{ ...row, part }]);
  const percentile = (p: 50 | 99): ColumnOf<typeof rows[number]> =>
    column.number(`p${p}`, ({ part }) => {
      const isWeak = !supportsPercentile(part.count, p);
      return part.count === 0 ? null : { value: part[`p${p}`], isWeak };
    }, unit);
  const caption = `Start-up, steady part and whole run of ${scenario}`;
  return tableOf({ caption, notes: [PARTS] }, rows, [
    column.cell,
    column.text("Part", ({ name }) => name),
    column.number("Requests/s", ({ part }) => part.rate),
    percentile(50),
    percentile(99),
  ]);
}

const PARTS =
  "Start-up is the part before steady state, in runs that have both parts; a flat run has no start-up. Rates are means over the runs, latencies are pooled. Nothing is discarded here.";
