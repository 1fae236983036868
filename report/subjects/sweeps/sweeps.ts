/**
 * Sweeps: what the factors of an experiment do. For each scenario a figure against every factor with three or
 * more numbers, the knee where requests/s stop growing, and which factor explains how much.
 */
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { type Drawing, drawingsOf } from "./charts.ts";
import { type NumericFactor, numericFactors, textAt } from "../../cells/factors.ts";
import { facetsOf, lineFinding, type SweepFacet, type SweepLine } from "./lines.ts";
import { type WeightsModel, weightsOf } from "./variance_explained.ts";
import {
  type ColumnOf,
  numberCell,
  shareCell,
  type Table,
  tableOf,
  withInterval,
} from "../tables/table.ts";
import { counted } from "../../writing/words.ts";
import { percentileOf } from "../../figures/pool.ts";
import { percentileCell } from "../tables/latency_cells.ts";
import { timeUnit } from "../../writing/units.ts";

export interface SweepModel {
  readonly scenario: string;
  readonly figures: readonly SweepFigure[];
  /** Null with fewer than two factors, or where not every combination was measured. */
  readonly weights: WeightsModel | null;
}

export interface SweepFigure {
  readonly factor: string;
  /** One for each line, as far as there are not too many. */
  readonly findings: readonly string[];
  /** The same lines as in each of `facets`, in their colours. */
  readonly facets: readonly {
    /** "" for a single one. */
    readonly label: string;
    readonly series: readonly { readonly label: string; readonly color: number }[];
    readonly drawings: readonly Drawing[];
  }[];
  /** What is not drawn; "" when all is. */
  readonly note: string;
  /** How to read the drawings. */
  readonly reading: string;
  readonly table: Table;
}

const READING = {
  sweep:
    "Each point is a cell, its whisker the 95 % confidence interval over its runs. A line joins the cells that differ only in the factor.",
  knee:
    "A dashed vertical line marks the knee, where requests/s stop growing; the bar at its foot is its interval.",
  hollow:
    "Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile.",
  logarithmic: "The factor's axis is logarithmic: equal steps are equal ratios.",
  broken: "Zero cannot be drawn on a logarithmic axis; it stands left of the break.",
  offered: "The dotted line is the offered load: a server that keeps up lies on it.",
} as const;

/** How to read what is there to see. */
function readingOf(drawings: readonly Drawing[]): string {
  const charts = drawings.map(({ chart }) => chart);
  const references = charts.flatMap(({ references = [] }) => references.map(({ kind }) => kind));
  const points = charts.flatMap(({ series }) => series.flatMap(({ points = [] }) => points));
  return [
    READING.sweep,
    ...(references.includes("equality") ? [READING.offered] : []),
    ...(references.includes("vertical") ? [READING.knee] : []),
    ...(points.some(({ fill }) => fill === "hollow") ? [READING.hollow] : []),
    ...(charts[0].x.scale === "log" ? [READING.logarithmic] : []),
    ...(charts[0].x.breakAt !== undefined ? [READING.broken] : []),
  ].join(" ");
}

/** More sentences than this are not read either. */
const MOST_FINDINGS = 6;
/** More rows of drawings than this are not looked at; the table has them all. */
const MOST_FACETS = 4;

/** The scenarios in which a factor varies enough to show. */
export function sweepsOf(
  scenarios: readonly ScenarioRuns[],
  { level }: { level: number },
): SweepModel[] {
  return scenarios.map(({ name, cells }): SweepModel => ({
    scenario: name,
    figures: numericFactors(cells).map((factor) => figureOf({ name, cells }, factor, level)),
    weights: weightsOf(name, cells),
  })).filter(({ figures, weights }) => figures.length > 0 || weights !== null);
}

function figureOf(
  { name, cells }: ScenarioRuns,
  factor: NumericFactor,
  level: number,
): SweepFigure {
  const facets = facetsOf(cells, factor, level);
  const shown = facets.slice(0, MOST_FACETS);
  const drawings = drawingsOf(facets, factor, name);
  const hidden = facets.length - shown.length;
  return {
    factor: factor.name,
    findings: findingsOf(facets.flatMap(({ lines }) => lines), factor),
    facets: shown.map(({ label, lines }, i) => ({
      label,
      series: lines.map(({ label, color }) => ({ label, color })),
      drawings: drawings[i],
    })),
    note: hidden === 0
      ? ""
      : `${counted(hidden, "more combination")} of the other factors, from ${
        facets[shown.length].label
      } on, ${hidden === 1 ? "is" : "are"} in the table only.`,
    reading: readingOf(shown.flatMap((_, i) => drawings[i])),
    table: sweepTable(facets, factor, name),
  };
}

function findingsOf(lines: readonly SweepLine[], factor: NumericFactor): string[] {
  const findings = lines.slice(0, MOST_FINDINGS).map((line) => lineFinding(line, factor));
  const hidden = lines.length - findings.length;
  return hidden === 0
    ? findings
    : [...findings, `${counted(hidden, "more line")}: see the figures and the table.`];
}

// The values that a sweep's drawings show: one row a cell.

interface SweepRow {
  readonly subject: string;
  /** Undefined where colours are those of another drawing. */
  readonly color?: number;
  readonly at: number;
  readonly cell: CellRuns;
}

export function sweepTable(
  facets: readonly SweepFacet[],
  factor: NumericFactor,
  scenario: string,
): Table {
  const rows = facets.flatMap(({ lines }) =>
    lines.flatMap(({ subject, color, points }) =>
      points.map(({ at, cell }): SweepRow => ({ subject, color, at, cell }))
    )
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 50)));
  const caption = `${scenario} by ${factor.name}`;
  return tableOf({ caption }, rows, [
    { label: "Target", kind: "name", cell: ({ subject, color }) => ({ text: subject, color }) },
    {
      label: factor.name,
      cell: ({ at }) => ({ text: textAt(factor, at), value: at }),
    },
    {
      label: "Requests/s",
      cell: ({ cell: { rate, interval } }) => withInterval(numberCell(rate.mean), interval("rate")),
    },
    ...(factor.isOffered ? [servedColumn] : []),
    { label: "p50", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 50, unit) },
    { label: "p99", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 99, unit) },
  ]);
}

const servedColumn: ColumnOf<SweepRow> = {
  label: "Served",
  unit: "%",
  cell: ({ at, cell }) => shareCell(cell.rate.mean / at),
};
