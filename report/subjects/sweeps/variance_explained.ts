/** Which factor explains how much of what differs in a scenario, and what each does from end to end. */
import type { Run } from "../../../runner/result/result.ts";
import {
  type VarianceExplained,
  varianceExplained,
} from "../../../runner/stats/regression/variance_explained.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { factorName, factorPaths, numericFactor, valueOf, valueText } from "../../cells/factors.ts";
import { mean, median } from "../../writing/spread.ts";
import { formatNumber } from "../../writing/units.ts";
import { uncapitalized } from "../../writing/words.ts";
import { type ColumnOf, NONE, type Table, tableOf, textColumn } from "../tables/table.ts";

/** The target, or a factor; and its values from one end to the other. */
interface Dimension {
  readonly name: string;
  readonly levelOf: (cell: CellRuns) => string;
  readonly levels: readonly string[];
}

interface ExplainedFigure {
  readonly name: string;
  readonly of: (run: Run) => number;
}

const FIGURES: readonly ExplainedFigure[] = [
  { name: "Requests/s", of: ({ rate }) => rate },
  { name: "p99", of: ({ latency }) => latency.percentiles["99"] },
];

/** Shares of what differs between so few cells say little of the factors. */
const FEWEST_WEIGHED = 5;

interface FactorRow {
  readonly name: string;
  readonly dimension: Dimension | null;
  readonly shareIn: (weights: VarianceExplained) => number;
}

/** No rows with fewer than two factors (the target is one), for few cells, and where not every combination was measured. */
export function weightsTable(scenario: string, cells: readonly CellRuns[]): Table {
  const dimensions = dimensionsOf(cells);
  const isWeighed = cells.length >= FEWEST_WEIGHED && dimensions.length > 1 &&
    factorPaths(cells).length > 0;
  const explained = FIGURES.flatMap((figure) => {
    const weights = isWeighed ? weightsBy(figure, dimensions, cells) : null;
    return weights === null ? [] : [{ figure, weights }];
  });
  const isRepeated = cells.some(({ runs }) => runs.length > 1);
  const rows: FactorRow[] = [
    ...dimensions.map((dimension, i): FactorRow => ({
      name: dimension.name,
      dimension,
      shareIn: ({ factors }) => factors[i],
    })),
    { name: "factors together", dimension: null, shareIn: ({ together }) => together },
    ...isRepeated
      ? [{
        name: "runs of a cell",
        dimension: null,
        shareIn: ({ runs }: VarianceExplained) => runs,
      }]
      : [],
  ];
  const caption = `Variance explained in ${scenario}`;
  return tableOf({ caption, notes: [NOTE] }, explained.length === 0 ? [] : rows, [
    { label: "Factor", kind: "name", cell: ({ name }) => ({ text: name }) },
    textColumn(
      "From → to",
      ({ dimension }) =>
        dimension === null ? NONE.text : `${dimension.levels[0]} → ${dimension.levels.at(-1)}`,
    ),
    ...explained.map(({ figure, weights }): ColumnOf<FactorRow> => ({
      label: `Share of ${uncapitalized(figure.name)}`,
      unit: "%",
      cell: ({ shareIn }) => {
        const value = shareIn(weights);
        return { text: value > 0 && value < 0.005 ? "< 1" : (value * 100).toFixed(0), value };
      },
    })),
    ...explained.map(({ figure }): ColumnOf<FactorRow> => ({
      label: figure.name,
      kind: "text",
      cell: ({ dimension }) => {
        if (dimension === null) return NONE;
        const value = effectOf(dimension, figure, cells);
        return { text: `${formatNumber(value)}×`, value };
      },
    })),
  ]);
}

const NOTE =
  "A share is that of the variance of logarithms over all runs (analysis of variance, η²): how much of what " +
  "differs goes with this factor alone. Together: where the effect of one factor depends on another. The ratios " +
  "are geometric means over all else, from the first value to the last; values that are no numbers go from the " +
  "fewest requests/s to the most.";

/** Factors that not all targets have are shown with the target: their effect can't be separated from its own. */
function dimensionsOf(cells: readonly CellRuns[]): Dimension[] {
  const paths = factorPaths(cells);
  const isOwn = (path: string): boolean => cells.some((cell) => valueOf(cell, path) === undefined);
  const own = paths.filter(isOwn);
  const targetLevel = (cell: CellRuns): string =>
    [
      cell.target,
      ...own.flatMap((path) => {
        const value = valueOf(cell, path);
        return value === undefined ? [] : [`${factorName(cells, path)} ${valueText(value)}`];
      }),
    ].join(" · ");
  return [
    {
      name: ["target", ...own.map((path) => factorName(cells, path))].join(" and "),
      levelOf: targetLevel,
      levels: byRate(cells, targetLevel),
    },
    ...paths.filter((path) => !isOwn(path)).map((path) => {
      const levelOf = (cell: CellRuns): string => valueText(valueOf(cell, path));
      const numbers = numericFactor(cells, path)?.values.map(({ text }) => text);
      return { name: factorName(cells, path), levelOf, levels: numbers ?? byRate(cells, levelOf) };
    }),
  ].filter(({ levels }) => levels.length > 1);
}

/** From the value with the fewest requests/s to that with the most. */
function byRate(cells: readonly CellRuns[], levelOf: Dimension["levelOf"]): string[] {
  return [...Map.groupBy(cells, levelOf)]
    .map(([level, those]) => ({ level, rate: median(those.map(({ rate }) => rate.mean)) }))
    .sort((a, b) => a.rate - b.rate).map(({ level }) => level);
}

function weightsBy(
  { of }: ExplainedFigure,
  dimensions: readonly Dimension[],
  cells: readonly CellRuns[],
): VarianceExplained | null {
  const logs = cells.map((cell) => ({
    levels: dimensions.map(({ levelOf }) => levelOf(cell)),
    values: cell.runs.map((run) => Math.log(of(run))),
  }));
  return logs.every(({ values }) => values.every(Number.isFinite)) ? varianceExplained(logs) : null;
}

/** The last value over the first, all else equal: the plan is full, so that all else is the same on both sides. */
function effectOf(
  { levels, levelOf }: Dimension,
  { of }: ExplainedFigure,
  cells: readonly CellRuns[],
): number {
  const meanAt = (level: string): number =>
    mean(
      cells.filter((cell) => levelOf(cell) === level)
        .map(({ runs }) => mean(runs.map((run) => Math.log(of(run))))),
    );
  return Math.exp(meanAt(levels[levels.length - 1]) - meanAt(levels[0]));
}
