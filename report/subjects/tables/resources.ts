/**
 * The resources that targets used (CPU, memory, threads, files and context switches), and how much work each target did
 * with its resources.
 */
import type { Run } from "../../../runner/result/result.ts";
import { type Block, FORMS, table, text } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { figureOf } from "../../figures/figures.ts";
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
import { formatNumber, sizeUnit, timeUnit } from "../../writing/units.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "./column.ts";
import { type ColumnOf, type Format, type OfCell, tableOf, unitNamed } from "./table.ts";

interface Used {
  readonly run: Run;
  readonly used: ResourceUse;
}

interface ResourceRow extends OfCell {
  /** The name of a part of the target, or that of Redis; null for the whole target, which does not include Redis. */
  readonly part: string | null;
  readonly runs: readonly Used[];
}

/** A table of the resources of each target and its parts; empty if no target could be observed. */
export function resources({ name, cells }: ScenarioContext): Block[] {
  const rows = cells.flatMap(rowsOf);
  const hasParts = rows.some(({ part }) => part !== null);
  const caption = `Resources of the targets of ${name}`;
  const size = sizeUnit(rows.flatMap(({ runs }) => runs.map(memoryOf)));
  const time = timeUnit(rows.flatMap(({ runs }) => runs.map(({ run }) => run.startUp ?? 0)));
  return [
    { ...text("per-cpu", perCpuFinding(rows)), forms: FORMS },
    table(tableOf({ caption, notes: hasParts ? [NOTE, PARTS_NOTE] : [NOTE] }, rows, [
      column.cell,
      column.text("Part", ({ part }) => hasParts ? part ?? "whole target" : ""),
      middle("CPU, mean", ({ used }) => meanCoresOf(used), CORES),
      middle("CPU, peak", ({ used }) => peakCoresOf(used), CORES),
      {
        ...middle("In the kernel", ({ used }) => systemShareOf(used), "share"),
        unit: "% of CPU",
      },
      column.number("Requests per CPU-second", perCpuOf),
      middle("Memory, peak", memoryOf, size),
      middle("Threads", ({ used }) => peakOf(used, ({ threads }) => threads), "count"),
      middle("Open files", ({ used }) => peakOf(used, ({ files }) => files), "count"),
      ...(["voluntary", "involuntary"] as const).map((kind) =>
        middle(
          `Switches per request, ${kind}`,
          ({ run, used }) => switchesPerRequestOf(kind, used, run),
        )
      ),
      // Start-up is known only for a whole target.
      middle("Start-up", ({ run, used }) => used === run ? run.startUp : null, time),
    ])),
  ];
}

const NOTE =
  "The figures are of the target's whole process tree, and medians over the runs. Requests per CPU-second are " +
  "completed requests over the CPU time of everything that serves them, including Redis, as a mean over the runs. A context switch is voluntary when a thread " +
  "waits, and involuntary when the system gives its core to another thread. Start-up is from the start of the process to its first " +
  "correct response.";
const PARTS_NOTE =
  "The rows below a target are its parts. Cores and memory of a whole target do not include the run's Redis.";
const CORES = unitNamed("cores");

/** A row for the target and one for each of its parts; empty if the target could not be observed. */
function rowsOf(cell: CellRuns): ResourceRow[] {
  const used = cell.runs.flatMap((run) => [
    { part: null, run, used: run },
    ...partsOf(run).map((used) => ({ part: used.name, run, used })),
  ]).filter(({ used }) => used.resources.length > 0);
  return [...Map.groupBy(used, ({ part }) => part)].map(([part, runs]) => ({ cell, part, runs }));
}

/** A column with the median over the runs that have the figure. Some systems and older results lack it. */
function middle(
  label: string,
  of: (one: Used) => number | null,
  format?: Format,
): ColumnOf<ResourceRow> {
  return column.number(label, ({ runs }) => {
    const values = runs.flatMap((one) => of(one) ?? []);
    return values.length === 0 ? null : median(values);
  }, format);
}

function memoryOf({ used }: Used): number {
  return peakMemoryBytesOf(used);
}

/**
 * Requests per CPU-second: the mean over runs, with its interval if there are several; null for a part, and if CPU time
 * is unknown.
 */
function perCpuOf({ cell, part }: ResourceRow): ReturnType<typeof figureOf> {
  return part === null ? figureOf("perCpu", cell) : null;
}

/** The most parts that are named in a sentence. */
const MOST_PARTS = 4;

/**
 * Names the targets with the least and the most CPU time per request, and what their parts used; "" if no target was
 * observed.
 */
function perCpuFinding(rows: readonly ResourceRow[]): string {
  const wholes = rows.flatMap((row) => {
    const value = perCpuOf(row)?.value ?? 0;
    const text = `${formatNumber(value)} requests (${coresText(row)})`;
    return value > 0 ? [{ name: row.cell.label, value, text }] : [];
  }).sort((a, b) => b.value - a.value);
  const [most] = wholes;
  const least = wholes[wholes.length - 1];
  const parts = rows.filter(({ part }) => part !== null);
  const served = wholes.length < 2
    ? wholes.map(({ name, text }) => `${name} served ${text}`)
    : [`${most.name} served the most, ${most.text}; ${least.name} the least, ${least.text}`];
  return [
    ...served.map((text) => `Per CPU-second, ${text}.`),
    ...parts.length > MOST_PARTS
      ? []
      : parts.map((row) => `${row.part} of ${row.cell.label}: ${coresText(row)}.`),
  ].join(" ");
}

function coresText({ runs }: ResourceRow): string {
  return `${formatNumber(median(runs.map(({ used }) => meanCoresOf(used))))} cores`;
}
