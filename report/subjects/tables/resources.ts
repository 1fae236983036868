/** What the targets used: CPU, memory, threads, files and context switches, and what they did with it. */
import type { Run } from "../../../runner/result/result.ts";
import { table, text } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  meanCoresOf,
  partsOf,
  peakCoresOf,
  peakMemoryBytesOf,
  peakOf,
  type ResourceUse,
  switchesPerRequestOf,
  systemShareOf,
} from "../../figures/resources.ts";
import { median } from "../../writing/spread.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import {
  cellColumn,
  type ColumnOf,
  countCell,
  NONE,
  numberCell,
  shareCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
  withInterval,
} from "./table.ts";
import { formatNumber, sizeUnit, timeUnit } from "../../writing/units.ts";
import { rangeOf } from "../../figures/figures.ts";
import type { Range } from "../../figures/range.ts";

type ResourceColumn = ColumnOf<ResourceRow>;

/** Nothing where no target was ours to watch. */
export const resources: Subject<ScenarioContext> = {
  id: "resources",
  title: "Resources of the targets",
  depth: "everything",
  build: ({ name, cells }) => {
    const rows = resourceRows(cells);
    return [
      { ...text("per-cpu", perCpuFinding(rows)), forms: ["page", "markdown", "terminal"] },
      table(resourcesTable(name, rows)),
    ];
  },
};

function resourcesTable(scenario: string, rows: readonly ResourceRow[]): Table {
  const caption = `Resources of the targets of ${scenario}`;
  const hasParts = rows.some(({ part }) => part !== null);
  const notes = hasParts ? [...NOTES, PARTS_NOTE] : NOTES;
  return tableOf({ caption, notes }, rows, [
    cellColumn,
    ...hasParts ? [partColumn] : [],
    ...cpuColumns(rows),
    memoryColumn(rows),
    ...known(rows, { label: "Threads", of: ({ used }) => peakOf(used, ({ threads }) => threads) }),
    ...known(rows, { label: "Open files", of: ({ used }) => peakOf(used, ({ files }) => files) }),
    ...switchColumns(rows),
    startUpColumn(rows),
  ]);
}

const NOTES = [
  "Of the target's whole process tree; medians over the runs, peaks of each. Requests per CPU-second are " +
  "completed requests over the CPU time of all that serves them, Redis included: their mean over the runs. A context switch is voluntary when a thread " +
  "waits, involuntary when it has to make room. Start-up is from the start of the process to its first " +
  "correct response.",
];
const PARTS_NOTE =
  "Below a target stand its parts. Cores and memory of a whole target are without the Redis of the run.";

const partColumn: ResourceColumn = {
  label: "Part",
  kind: "text",
  cell: ({ part }) => textCell(part ?? "whole target"),
};

function cpuColumns(rows: readonly ResourceRow[]): ResourceColumn[] {
  return [
    { label: "CPU, mean", unit: "cores", cell: middle(({ used }) => meanCoresOf(used)) },
    { label: "CPU, peak", unit: "cores", cell: middle(({ used }) => peakCoresOf(used)) },
    ...known(rows, {
      label: "In the kernel",
      unit: "% of CPU",
      of: ({ used }) => systemShareOf(used),
      write: shareCell,
    }),
    {
      label: "Requests per CPU-second",
      cell: (row): TableCell => {
        const range = perCpuRange(row);
        return range === null ? NONE : withInterval(numberCell(range.value), range.interval);
      },
    },
  ];
}

function memoryColumn(rows: readonly ResourceRow[]): ResourceColumn {
  const unit = sizeUnit(
    rows.flatMap(({ runs }) => runs.map(({ used }) => peakMemoryBytesOf(used))),
  );
  return {
    label: "Memory, peak",
    unit: unit.name,
    cell: middle(({ used }) => peakMemoryBytesOf(used), (value) => numberCell(value, unit)),
  };
}

function switchColumns(rows: readonly ResourceRow[]): ResourceColumn[] {
  return (["voluntary", "involuntary"] as const).flatMap((kind) =>
    known(rows, {
      label: `Switches per request, ${kind}`,
      of: ({ run, used }) => switchesPerRequestOf(kind, used, run),
      write: numberCell,
    })
  );
}

function startUpColumn(rows: readonly ResourceRow[]): ResourceColumn {
  const unit = timeUnit(rows.flatMap(({ runs }) => runs.map(({ run }) => run.startUp ?? 0)));
  const ofWhole = middle(({ run }) => run.startUp, (value) => numberCell(value, unit));
  return {
    label: "Start-up",
    unit: unit.name,
    cell: (row) => row.part === null ? ofWhole(row) : NONE,
  };
}

interface One {
  readonly run: Run;
  readonly used: ResourceUse;
}

interface KnownColumn {
  readonly label: string;
  readonly unit?: string;
  readonly of: (one: One) => number | null;
  readonly write?: (value: number) => TableCell;
}

/** A column where any row has something to say in it: other systems and older results lack some. */
function known(
  rows: readonly ResourceRow[],
  { label, unit, of, write = countCell }: KnownColumn,
): ResourceColumn[] {
  const isKnown = rows.some(({ runs }) => runs.some((one) => of(one) !== null));
  return isKnown ? [{ label, unit, cell: middle(of, write) }] : [];
}

/** The median over the runs that have it. */
function middle(
  of: (one: One) => number | null,
  write: (value: number) => TableCell = (value) => numberCell(value),
): (row: ResourceRow) => TableCell {
  return ({ runs }) => {
    const values = runs.flatMap((one) => of(one) ?? []);
    return values.length === 0 ? NONE : write(median(values));
  };
}

// How many requests a second of CPU time is good for, over the runs of a cell.

/** The mean over the runs, with its interval where there are several; null of a part, and where no CPU time was seen. */
function perCpuRange({ cell, part }: ResourceRow): Range | null {
  const range = rangeOf("perCpu", cell);
  return part !== null || "none" in range ? null : range;
}

/** With more of them a sentence would be a table. */
const MOST_PARTS = 4;

/** Who needs the least CPU for a request, who the most, and what the parts use; "" where nobody was watched. */
function perCpuFinding(rows: readonly ResourceRow[]): string {
  const wholes = rows.flatMap((row) => {
    const value = perCpuRange(row)?.value ?? 0;
    return value > 0 ? [{ row, value }] : [];
  }).sort((a, b) => b.value - a.value);
  const parts = rows.filter(({ part }) => part !== null);
  const texts = parts.length > MOST_PARTS ? [] : parts.map(partText);
  return [wholesText(wholes), ...texts].filter(Boolean).join(" ");
}

interface PerCpuCount {
  readonly row: ResourceRow;
  readonly value: number;
}

/** By value, the highest first. */
function wholesText(wholes: readonly PerCpuCount[]): string {
  const [most, ...others] = wholes;
  if (most === undefined) return "";
  const least = others.at(-1);
  const text = `${countText(most)} (${coresText(most.row)})`;
  const name = most.row.cell.label;
  return least === undefined
    ? `For each CPU-second ${name} served ${text}.`
    : `For each CPU-second ${name} served the most, ${text}; ` +
      `${least.row.cell.label} the least, ${countText(least)} (${coresText(least.row)}).`;
}

function partText(row: ResourceRow): string {
  return `${row.part} of ${row.cell.label}: ${coresText(row)}.`;
}

function countText({ value }: PerCpuCount): string {
  return `${formatNumber(value)} requests`;
}

function coresText({ runs }: ResourceRow): string {
  return `${formatNumber(median(runs.map(({ used }) => meanCoresOf(used))))} cores`;
}

// What each target of a scenario used, and each of its parts, over all runs.

/** A target or one of its parts. */
export interface ResourceRow {
  readonly cell: CellRuns;
  /** Null: the whole target, without Redis. */
  readonly part: string | null;
  readonly runs: readonly { readonly run: Run; readonly used: ResourceUse }[];
}

/** Targets that nobody could watch have none. */
export function resourceRows(cells: readonly CellRuns[]): ResourceRow[] {
  return cells.flatMap((cell) => {
    const whole = cell.runs.map((run) => ({ part: null, run, used: run }));
    const parts = cell.runs.flatMap((run) =>
      partsOf(run).map((used) => ({ part: used.name, run, used }))
    );
    const seen = [...whole, ...parts].filter(({ used }) => used.resources.length > 0);
    return [...Map.groupBy(seen, ({ part }) => part)].map(([part, runs]) => ({ cell, part, runs }));
  });
}
