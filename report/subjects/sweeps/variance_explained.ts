/** Which factor explains how much of what differs in a scenario, and what each does from end to end. */
import type { Run } from "../../../runner/result/result.ts";
import {
  type VarianceExplained,
  varianceExplained,
} from "../../../runner/stats/regression/variance_explained.ts";
import { median } from "../../writing/spread.ts";
import { formatNumber, GLUE } from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { factorName, factorPaths, numericFactor, valueOf, valueText } from "../../cells/factors.ts";
import {
  type ColumnOf,
  NONE,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "../tables/table.ts";

export interface WeightsModel {
  readonly table: Table;
  /** `Requests/s: connections 71 %, target 22 %, together 5 %, runs 2 %.` */
  readonly findings: readonly string[];
}

/** The target, or a factor; and its values from one end to the other. */
interface FactorDimension {
  readonly name: string;
  readonly levelOf: (cell: CellRuns) => string;
  readonly levels: readonly string[];
}

const FIGURES = [
  { name: "Requests/s", column: "requests/s", of: (run: Run): number => run.rate },
  { name: "p99", column: "p99", of: (run: Run): number => run.latency.percentiles["99"] },
] as const;
type ExplainedFigure = typeof FIGURES[number];

/** Shares of what differs between so few cells say little of the factors. */
const FEWEST_WEIGHED = 5;

/** Null with fewer than two factors (the target is one), for few cells, and where not every combination was measured. */
export function weightsOf(scenario: string, cells: readonly CellRuns[]): WeightsModel | null {
  const dimensions = dimensionsOf(cells);
  if (cells.length < FEWEST_WEIGHED || dimensions.length < 2 || factorPaths(cells).length === 0) {
    return null;
  }
  const shares = FIGURES.map((figure) => ({
    figure,
    weights: weightsBy(figure, dimensions, cells),
  }))
    .filter((share): share is Share => share.weights !== null);
  if (shares.length === 0) return null;
  return {
    table: weightsTable({ scenario, dimensions, shares, cells }),
    findings: shares.map((share) => sentenceOf(share, dimensions, cells)),
  };
}

interface Share {
  readonly figure: ExplainedFigure;
  readonly weights: VarianceExplained;
}

/** Factors that not all targets have are shown with the target: their effect can't be separated from its own. */
function dimensionsOf(cells: readonly CellRuns[]): FactorDimension[] {
  const paths = factorPaths(cells);
  const own = paths.filter((path) => cells.some((cell) => valueOf(cell, path) === undefined));
  const targetLevel = (cell: CellRuns): string =>
    [
      cell.target,
      ...own.flatMap((path) => {
        const value = valueOf(cell, path);
        return value === undefined ? [] : [`${factorName(cells, path)} ${valueText(value)}`];
      }),
    ].join(" · ");
  const shared = paths.filter((path) => !own.includes(path)).map((path): FactorDimension => {
    const levelOf = (cell: CellRuns): string => valueText(valueOf(cell, path));
    const numbers = numericFactor(cells, path)?.values.map(({ text }) => text);
    return { name: factorName(cells, path), levelOf, levels: numbers ?? byRate(cells, levelOf) };
  });
  const target: FactorDimension = {
    name: ["target", ...own.map((path) => factorName(cells, path))].join(" and "),
    levelOf: targetLevel,
    levels: byRate(cells, targetLevel),
  };
  return [target, ...shared].filter(({ levels }) => levels.length > 1);
}

/** From the value with the fewest requests/s to that with the most. */
function byRate(cells: readonly CellRuns[], levelOf: FactorDimension["levelOf"]): string[] {
  const groups = Map.groupBy(cells, levelOf);
  const rateAt = (level: string): number =>
    median((groups.get(level) ?? []).map(({ rate }) => rate.mean));
  return [...groups.keys()].sort((a, b) => rateAt(a) - rateAt(b));
}

function weightsBy(
  figure: ExplainedFigure,
  dimensions: readonly FactorDimension[],
  cells: readonly CellRuns[],
): VarianceExplained | null {
  const logs = cells.map((cell) => ({
    levels: dimensions.map(({ levelOf }) => levelOf(cell)),
    values: cell.runs.map((run) => Math.log(figure.of(run))),
  }));
  return logs.every(({ values }) => values.every(Number.isFinite)) ? varianceExplained(logs) : null;
}

function sentenceOf(
  { figure, weights }: Share,
  dimensions: readonly FactorDimension[],
  cells: readonly CellRuns[],
): string {
  const parts = [
    ...dimensions.map(({ name }, i) => ({ name, share: weights.factors[i] }))
      .sort((a, b) => b.share - a.share),
    { name: "together", share: weights.together },
    ...(isRepeated(cells) ? [{ name: "runs", share: weights.runs }] : []),
  ];
  return `${figure.name}: ${
    parts.map(({ name, share }) => `${name} ${percent(share)}`).join(", ")
  }.`;
}

interface FactorRow {
  readonly name: string;
  readonly dimension: FactorDimension | null;
  readonly shareIn: (weights: VarianceExplained) => number;
}

function weightsTable(
  { scenario, dimensions, shares, cells }: {
    scenario: string;
    dimensions: readonly FactorDimension[];
    shares: readonly Share[];
    cells: readonly CellRuns[];
  },
): Table {
  const rows: FactorRow[] = [
    ...dimensions.map((dimension, i): FactorRow => ({
      name: dimension.name,
      dimension,
      shareIn: ({ factors }) => factors[i],
    })),
    { name: "factors together", dimension: null, shareIn: ({ together }) => together },
    ...(isRepeated(cells)
      ? [{
        name: "runs of a cell",
        dimension: null,
        shareIn: ({ runs }: VarianceExplained) => runs,
      }]
      : []),
  ];
  return tableOf({ caption: `Variance explained in ${scenario}`, notes: NOTES }, rows, [
    { label: "Factor", kind: "name", cell: ({ name }) => textCell(name) },
    { label: "From → to", kind: "text", cell: ({ dimension }) => endsCell(dimension) },
    ...shares.map(({ figure }): ColumnOf<FactorRow> => ({
      label: figure.name,
      kind: "text",
      cell: ({ dimension }) => effectCell(dimension, figure, cells),
    })),
    ...shares.map(({ figure, weights }): ColumnOf<FactorRow> => ({
      label: `Share of ${figure.column}`,
      unit: "%",
      cell: ({ shareIn }) => shareText(shareIn(weights)),
    })),
  ]);
}

const NOTES = [
  "A share is that of the variance of logarithms over all runs (analysis of variance, η²): how much of what " +
  "differs goes with this factor alone. Together: where the effect of one factor depends on another. The ratios " +
  "are geometric means over all else, from the first value to the last; values that are no numbers go from the " +
  "fewest requests/s to the most.",
];

function endsCell(dimension: FactorDimension | null): TableCell {
  if (dimension === null) return NONE;
  const { levels } = dimension;
  return textCell(`${levels[0]} → ${levels[levels.length - 1]}`);
}

/** The last value over the first, all else equal: the plan is full, so that all else is the same on both sides. */
function effectCell(
  dimension: FactorDimension | null,
  { of }: ExplainedFigure,
  cells: readonly CellRuns[],
): TableCell {
  if (dimension === null) return NONE;
  const { levels, levelOf } = dimension;
  const meanAt = (level: string): number => {
    const logs = cells.filter((cell) => levelOf(cell) === level)
      .map(({ runs }) => runs.reduce((sum, run) => sum + Math.log(of(run)), 0) / runs.length);
    return logs.reduce((sum, log) => sum + log, 0) / logs.length;
  };
  const ratio = Math.exp(meanAt(levels[levels.length - 1]) - meanAt(levels[0]));
  return { text: `${formatNumber(ratio)}×`, value: ratio };
}

function isRepeated(cells: readonly CellRuns[]): boolean {
  return cells.some(({ runs }) => runs.length > 1);
}

function shareText(share: number): TableCell {
  return { text: share > 0 && share < 0.005 ? "< 1" : (share * 100).toFixed(0), value: share };
}

function percent(share: number): string {
  return `${shareText(share).text}${GLUE}%`;
}
