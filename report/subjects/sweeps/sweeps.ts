/**
 * The effects of an experiment's factors. For each scenario: its figures against every factor with three or more
 * numeric values, the knee at which requests/s stop growing, and the effect of each factor.
 */
import { type Knee, LEAST_VALUES } from "../../../runner/stats/regression/knee.ts";
import { type Block, figure, FORMS, group, table, text } from "../../blocks.ts";
import { betweenText, type NumericFactor, numericFactors, textAt } from "../../cells/factors.ts";
import { choiceIn } from "../../cells/recast.ts";
import { legendOf } from "../../chart.ts";
import { percentileOf } from "../../figures/pool.ts";
import { hasTooManyErrors } from "../../judge/shortfall.ts";
import { FINE_PERCENT, formatNumber, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { ReportContext, ScenarioContext } from "../subject.ts";
import * as column from "../tables/column.ts";
import { type ColumnOf, NONE, type Table, type TableCell, tableOf } from "../tables/table.ts";
import { drawingsOf } from "./charts.ts";
import { facetsOf, type LinePoint, type SweepLine } from "./lines.ts";
import { tailTable, weightsTable } from "./effects.ts";

export function sweeps({ scenarios, asWritten, results }: ReportContext): Block[] {
  const choice = choiceIn(results);
  return scenarios.flatMap((scenario, i) => [
    ...numericFactors(scenario.cells).map((factor) =>
      group(`${scenario.name} by ${factor.name}`, factorBlocks(scenario, factor))
    ),
    group(
      `Effects of factors in ${scenario.name}`,
      [weightsTable, tailTable].map((of) => table(of(asWritten[i], choice), { forms: FORMS })),
      { depth: "detail" },
    ),
  ]);
}

/** The most rows of charts. The table has all values. */
const MOST_FACETS = 4;

function factorBlocks({ name, cells, level }: ScenarioContext, factor: NumericFactor): Block[] {
  const facets = facetsOf(cells, factor, level);
  const lines = facets.flatMap((facet) => facet.lines);
  const drawings = drawingsOf(facets, factor, name).slice(0, MOST_FACETS);
  const undrawn = facets.length - MOST_FACETS;
  const left = undrawn > 0 &&
    `${counted(undrawn, "more combination")} of the other factors, from ${
      facets[MOST_FACETS].label
    } on, ${undrawn === 1 ? "is" : "are"} in the tables only.`;
  return [
    ...drawings.map((own, i) => {
      const reading = i === 0 ? READING : "";
      return group(facets[i].label, [figure(own, { legend: legendOf(own[0].chart), reading })]);
    }),
    table(growthTable(lines, factor, name)),
    text("not-drawn", left || ""),
    table(sweepTable(lines, factor, name), { fold: "Values as a table", forms: ["page"] }),
  ];
}

const READING =
  "Each point is a cell, its whisker the 95 % confidence interval over its runs. A line joins the cells that differ only in the factor. A dashed vertical line marks the knee, where requests/s stop growing; the bar at its foot is its interval. A dotted line is the offered load: a server that keeps up lies on it. Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile. Values that span decades are on logarithmic axes: equal steps are equal ratios.";

/** A table of how far requests/s grow along each line, and what limits them. */
function growthTable(lines: readonly SweepLine[], factor: NumericFactor, scenario: string): Table {
  const { name, isOffered } = factor;
  const bestOf = ({ points }: SweepLine): LinePoint | null =>
    points.filter(isRight).toSorted((a, b) => b.cell.rate.mean - a.cell.rate.mean).at(0) ?? null;
  const law = (
    label: string,
    of: "contention" | "coherency" | "peak",
    note: string,
  ): ColumnOf<SweepLine> => ({
    ...column.number<SweepLine>(
      label,
      ({ scaling }) => scaling && scaling[of] && { value: scaling.fit[of], interval: scaling[of] },
      of === "peak" ? "number" : FINE_PERCENT,
    ),
    note,
  });
  return tableOf({ caption: `Growth of ${scenario} by ${name}` }, lines, [
    subjectColumn,
    column.number("Most requests/s", (line) => bestOf(line)?.cell.rate.mean),
    {
      label: `At ${name}`,
      cell: (line) => {
        const best = bestOf(line);
        return best === null ? NONE : { text: textAt(factor, best.at), value: best.at };
      },
    },
    column.text("Growth", ({ knee: { kind } }) => {
      if (kind === "too-few") {
        return `unknown: needs ${isOffered ? LEAST_VALUES.offered : LEAST_VALUES.other} values`;
      }
      return kind === "grows" && isOffered ? "keeps up to the end" : GROWTHS[kind];
    }),
    {
      label: "Stops growing at",
      note: "Growth stops at the knee, shown with its 95 % interval if the runs were repeated.",
      cell: ({ knee }) => knee.kind === "knee" ? kneeCell(knee, factor) : NONE,
    },
    law(
      "Contention",
      "contention",
      `Contention, from the universal scalability law, is the cost of ${name} waiting for each other.`,
    ),
    law(
      "Coherency",
      "coherency",
      `Coherency, from the universal scalability law, is the cost of keeping each of the ${name} in step with every other.`,
    ),
    law(
      "Most served with",
      "peak",
      "“Most served with” is where the universal scalability law has its peak.",
    ),
    {
      ...column.text<SweepLine>(
        "Not counted",
        ({ points }) =>
          points.filter((point) => !isRight(point)).map(({ at }) => textAt(factor, at)).join(", "),
      ),
      note: "“Not counted” lists the values at which too many responses were wrong or failed.",
    },
  ]);
}

const GROWTHS: Readonly<Record<Exclude<Knee["kind"], "too-few">, string>> = {
  knee: "stops",
  grows: "to the end",
  falls: "falls",
  flat: "none",
  unsure: "inconclusive: the runs differ too much",
};

function kneeCell(
  { at, interval }: Extract<Knee, { kind: "knee" }>,
  factor: NumericFactor,
): TableCell {
  const text = betweenText(factor, at);
  if (interval === null) return { text, value: at };
  // The interval of a rate needs no unit, because the value above it already has one.
  const [low, high] = [interval.low, interval.high].map((end) =>
    factor.kind === "rate" ? formatNumber(end) : betweenText(factor, end)
  );
  return { text, value: at, below: `[${low}, ${high}]` };
}

function isRight({ cell }: LinePoint): boolean {
  return !hasTooManyErrors(cell) && cell.rate.mean > 0;
}

/** The values in the charts, with a row for each cell. */
function sweepTable(lines: readonly SweepLine[], factor: NumericFactor, scenario: string): Table {
  const rows = lines.flatMap(({ subject, color, points }) =>
    points.map((point): SweepRow => ({ subject, color, ...point }))
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 50)));
  const servedOf = ({ at, cell }: SweepRow): number | null =>
    factor.isOffered ? cell.rate.mean / at : null;
  return tableOf({ caption: `${scenario} by ${factor.name}` }, rows, [
    subjectColumn,
    { label: factor.name, cell: ({ at }) => ({ text: textAt(factor, at), value: at }) },
    column.rate,
    column.number("Served", servedOf, "share"),
    column.percentile(50, unit),
    column.percentile(99, unit),
  ]);
}

type OfLine = Pick<SweepLine, "subject" | "color">;
type SweepRow = LinePoint & OfLine;

const subjectColumn: ColumnOf<OfLine> = column.name(
  "Target",
  ({ subject, color }) => ({ text: subject, color }),
);
