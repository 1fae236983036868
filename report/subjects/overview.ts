/**
 * Each scenario at a glance: the fastest target, the rate of each target as a bar, and a table of the most important
 * figures.
 */
import { SKEWED_COVERAGE } from "../../runner/stats/confidence/sequential.ts";
import { type Block, figure, type Form, type Group, group, list, table, text } from "../blocks.ts";
import { bottleneckFindings, type Looks } from "../findings/bottleneck.ts";
import { runtimeFindings } from "../findings/runtime_counters.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { percentileOf } from "../figures/pool.ts";
import { meanCoresOf } from "../figures/resources.ts";
import { median } from "../writing/spread.ts";
import { boundText, formatNumber, timeUnit } from "../writing/units.ts";
import { capitalized, unique } from "../writing/words.ts";
import { type CapacityRange, capacityRange, isSearched } from "../figures/capacity.ts";
import { barsOf } from "./charts/throughput.ts";
import { p99Columns } from "./streams.ts";
import { groupsOf, type ReportContext, type ScenarioContext } from "./subject.ts";
import { maxColumn, percentileColumn } from "./tables/latency_cells.ts";
import * as column from "./tables/column.ts";
import {
  type ColumnOf,
  NONE,
  type OfCell,
  type Table,
  tableOf,
  unitNamed,
} from "./tables/table.ts";
import { ledOf, REQUESTS } from "./verdict/asked_figure.ts";

/** The heading names what is counted: requests, messages or tokens. */
export function overview(context: ReportContext): Group[] {
  const [unit = REQUESTS, ...others] = unique(context.scenarios.map((one) => ledOf(one).unit));
  const title = others.length > 0 ? "Throughput" : capitalized(unit.replace("/s", " per second"));
  return groupsOf([{ id: "verdict", title, depth: "summary", build }], context);
}

function build({ scenarios, matrix, results: { state, experiment } }: ReportContext): Block[] {
  if (scenarios.length === 0) {
    return [
      text("no-run", state === "running" ? "No run is complete yet." : "No run was measured."),
    ];
  }
  return scenarios.map((scenario, i) =>
    group(scenario.name, atAGlance(scenario, i, looksOf(experiment)), {
      id: String(i + 1),
      aside: scenario.request,
      depth: matrix === null ? "summary" : "detail",
    })
  );
}

/** Terminal and markdown show the scenarios even if the page shows a matrix first, which makes them a detail. */
const forms: readonly Form[] = ["page", "terminal", "markdown"];

function looksOf(experiment: MeasuredRuns["experiment"]): Looks {
  return {
    profiled: experiment?.profile !== undefined,
    observed: experiment?.observe !== undefined,
  };
}

function atAGlance(scenario: ScenarioContext, i: number, looks: Looks): Block[] {
  const { load, cells, verdict } = scenario;
  const led = ledOf(scenario);
  const bars = figure([{ chart: barsOf(led.cells, led.unit) }], {
    id: String(i + 1),
    reading: i === 0 ? READING : "",
  });
  return [
    { ...text("load", load && `Load: ${load}`, "note"), forms },
    ...verdict === null
      ? []
      : [{ ...text(`verdict.${verdict.code}`, verdict.sentence, "verdict"), forms }],
    group("", [bars, table(summaryTable(led), { forms })], { layout: "beside" }),
    list(bottleneckFindings(cells, looks), { forms }),
    list(runtimeFindings(cells), { forms }),
  ];
}

const READING =
  `Each bar is the mean of a target's runs. Each dot is one run; the line joins the lowest and the highest. Longer is better. Every scenario has its own scale. Square brackets hold the 95 % confidence interval over several runs: about 95 of 100 such intervals contain the true value, or ${SKEWED_COVERAGE.fiveRuns} of 100 if there are five runs of skewed speed, as when a few runs are much slower than the rest. More runs make the interval narrower.`;

function summaryTable({ name, cells, unit: counted }: ReturnType<typeof ledOf>): Table {
  const unit = timeUnit(cells.map(({ latency }) => percentileOf(latency, 50)));
  const several = cells.some(({ runs }) => runs.length > 1);
  // Beside intervals, the range would repeat what the bars show.
  const certain = cells.some(({ interval }) => interval("rate") !== null);
  const rows = cells.map((cell) => ({ cell }));
  return tableOf({ caption: `Summary of ${name}` }, rows, [
    column.cell,
    ...(isSearched(cells.flatMap(({ runs }) => runs)) ? [capacityColumn] : []),
    // How long a stream or WebSocket was open says little about its server.
    ...counted === REQUESTS
      ? [column.rate, percentileColumn(50, unit), percentileColumn(99, unit), maxColumn(unit)]
      : [{ ...column.rate, label: capitalized(counted) }, ...p99Columns(cells)],
    column.errors("Errors", ({ cell: { errorRatio } }) => errorRatio, "share"),
    column.number("CPU", ({ cell: { runs } }) => {
      const isWatched = runs.some(({ resources }) => resources.length > 0);
      return isWatched ? median(runs.map(meanCoresOf)) : null;
    }, unitNamed("cores")),
    ...(several && !certain ? [rangeColumn] : []),
  ]);
}

/** Requests per second at which every rule still holds. */
const capacityColumn: ColumnOf<OfCell> = column.text("Capacity/s", ({ cell: { runs } }) => {
  const range = capacityRange(runs, CONFIDENCE);
  return range === null ? NONE : boundText(rangeText(range), range.isAtLeast);
});

const CONFIDENCE = 0.95;

function rangeText({ value, interval }: CapacityRange): string {
  const [text, low, high] = [value, interval?.low ?? 0, interval?.high ?? Infinity]
    .map((one) => formatNumber(one));
  return interval === null || high === formatNumber(Infinity) ? text : `${text} [${low}, ${high}]`;
}

const rangeColumn: ColumnOf<OfCell> = column.text(
  "Range of runs",
  ({ cell: { rate, runs } }) =>
    runs.length === 1 ? "one run" : `${formatNumber(rate.min)}–${formatNumber(rate.max)}`,
);
