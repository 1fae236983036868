/**
 * Each scenario at a glance: its verdict, the rate of each target as a bar, and a table of the most important figures.
 */
import { SKEWED_COVERAGE } from "../../runner/stats/confidence/sequential.ts";
import { type Block, figure, FORMS, type Group, group, list, table, text } from "../blocks.ts";
import { bottleneckFindings, type Looks } from "../findings/bottleneck.ts";
import { runtimeFindings } from "../findings/runtime_counters.ts";
import { percentileOf } from "../figures/pool.ts";
import { meanCoresOf } from "../figures/resources.ts";
import { median } from "../writing/spread.ts";
import { boundText, formatNumber, timeUnit } from "../writing/units.ts";
import { capitalized, unique } from "../writing/words.ts";
import { capacityRange, isSearched } from "../figures/capacity.ts";
import { p99Columns } from "./streams.ts";
import { groupsOf, type ReportContext, type ScenarioContext } from "./subject.ts";
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
import { settingLabel, settingParts } from "../cells/cell_label.ts";
import type { CellRuns } from "../cells/cells.ts";
import { axisOver, compact, type Row, type Rows } from "../chart.ts";

/**
 * The results of all scenarios. The heading names what is counted (requests, messages or tokens), or says "Throughput"
 * if that differs between scenarios.
 */
export function overview(context: ReportContext): Group[] {
  const [unit = REQUESTS, ...others] = unique(context.scenarios.map((one) => ledOf(one).unit));
  const title = others.length > 0 ? "Throughput" : capitalized(unit.replace("/s", " per second"));
  return groupsOf([["verdict", title, "summary", build]], context);
}

function build({ scenarios, matrix, results: { state, experiment } }: ReportContext): Block[] {
  if (scenarios.length === 0) {
    return [
      text("no-run", state === "running" ? "No run is complete yet." : "No run was measured."),
    ];
  }
  const looks = {
    profiled: experiment?.profile !== undefined,
    observed: experiment?.observe !== undefined,
  };
  return scenarios.map((scenario, i) =>
    group(scenario.name, atAGlance(scenario, i, looks), {
      id: String(i + 1),
      aside: scenario.request,
      depth: matrix === null ? "summary" : "detail",
    })
  );
}

/**
 * The blocks of a scenario. If there is a matrix, it comes first, and the page shows these blocks only as details, but
 * terminal and markdown always show them.
 */
function atAGlance(scenario: ScenarioContext, i: number, looks: Looks): Block[] {
  const { load, cells, verdict } = scenario;
  const led = ledOf(scenario);
  const bars = figure([{ chart: barsOf(led.cells, led.unit) }], {
    id: String(i + 1),
    reading: i === 0 ? READING : "",
  });
  return [
    { ...text("load", load && `Load: ${load}`, "note"), forms: FORMS },
    ...verdict === null
      ? []
      : [{ ...text(`verdict.${verdict.code}`, verdict.sentence, "verdict"), forms: FORMS }],
    group("", [bars, table(summaryTable(led), { forms: FORMS })], { layout: "beside" }),
    list(bottleneckFindings(cells, looks), { forms: FORMS }),
    list(runtimeFindings(cells), { forms: FORMS }),
  ];
}

const READING =
  `Each bar is the mean of a target's runs. Each dot is one run; the line joins the lowest and the highest. Longer is better. Every scenario has its own scale. Square brackets hold the 95 % confidence interval over several runs: about 95 of 100 such intervals contain the true value, or ${SKEWED_COVERAGE.fiveRuns} of 100 if there are five runs of skewed speed, as when a few runs are much slower than the rest. More runs make the interval narrower.`;

function summaryTable({ name, cells, unit: counted }: ReturnType<typeof ledOf>): Table {
  const unit = timeUnit(cells.map(({ latency }) => percentileOf(latency, 50)));
  const several = cells.some(({ runs }) => runs.length > 1);
  // With confidence intervals, a column for the range would only repeat what the bars show.
  const certain = cells.some(({ interval }) => interval("rate") !== null);
  const rows = cells.map((cell) => ({ cell }));
  return tableOf({ caption: `Summary of ${name}` }, rows, [
    column.cell,
    ...(isSearched(cells.flatMap(({ runs }) => runs)) ? [capacityColumn] : []),
    // How long a stream or WebSocket was open says little about its server, so latencies are left
    // out.
    ...counted === REQUESTS
      ? [column.rate, column.percentile(50, unit), column.percentile(99, unit), column.max(unit)]
      : [{ ...column.rate, label: capitalized(counted) }, ...p99Columns(cells)],
    column.errors("Errors", ({ cell: { errorRatio } }) => errorRatio, "share"),
    column.number("CPU", ({ cell: { runs } }) => {
      const isWatched = runs.some(({ resources }) => resources.length > 0);
      return isWatched ? median(runs.map(meanCoresOf)) : null;
    }, unitNamed("cores")),
    ...(several && !certain ? [rangeColumn] : []),
  ]);
}

/** The most requests per second at which every rule still holds. */
const capacityColumn: ColumnOf<OfCell> = column.text("Capacity/s", ({ cell: { runs } }) => {
  const range = capacityRange(runs, CONFIDENCE);
  if (range === null) return NONE;
  const { value, interval, isAtLeast } = range;
  const [text, low, high] = [value, interval?.low ?? 0, interval?.high ?? Infinity]
    .map((one) => formatNumber(one));
  const isOpen = interval === null || interval.high === Infinity;
  return boundText(isOpen ? text : `${text} [${low}, ${high}]`, isAtLeast);
});

const CONFIDENCE = 0.95;

const rangeColumn: ColumnOf<OfCell> = column.text(
  "Range of runs",
  ({ cell: { rate, runs } }) =>
    runs.length === 1 ? "one run" : `${formatNumber(rate.min)}–${formatNumber(rate.max)}`,
);

// The bars of requests per second.

function barsOf(cells: readonly CellRuns[], unit: string): Rows {
  const names = groupedNames(cells);
  const values = cells.flatMap(({ rate, runs }) => [rate.mean, ...runs.map(({ rate }) => rate)]);
  const rows = cells.map((cell): Row => ({
    label: cell.label,
    ...names.get(cell),
    color: cell.color,
    draw: "bar",
    value: compact(cell.rate.mean),
    ...{ low: null, high: null, word: "", tone: "even" },
    runs: cell.runs.map(({ repetition, rate }) => ({ repetition, value: compact(rate) })),
    text: formatNumber(cell.rate.mean),
  }));
  return {
    kind: "rows",
    alt: `Bars of ${unit.replace("/s", " per second")}: ${
      rows.map(({ label, text }) => `${label} ${text}`).join("; ")
    }`,
    axis: axisOver("", values, { room: 1.03 }),
    // Rows of a group are kept together, and groups are in the order of their first rows.
    rows: [...Map.groupBy(rows, ({ group }) => group).values()].flat(),
  };
}

/**
 * Names as tables in papers have them: targets grouped under the setting that they share or, if there is only one
 * target, its settings grouped under its name.
 */
function groupedNames(
  cells: readonly CellRuns[],
): ReadonlyMap<CellRuns, Required<Pick<Row, "name" | "group">>> {
  const named = cells.map((cell) => {
    const [{ parameters }] = cell.runs;
    return { cell, parts: settingParts(parameters), setting: settingLabel(parameters) };
  });
  const factors = new Set(named.map(({ parts }) => parts.map(({ name }) => name).join()));
  if (factors.size !== 1 || factors.has("")) return new Map();
  const isOne = new Set(cells.map(({ target }) => target)).size === 1;
  return new Map(named.map(({ cell, parts: [{ name, value }, ...others], setting }) => {
    if (!isOne) return [cell, { name: cell.target, group: setting }];
    // With a single factor, the group already names it, so a row needs only the value.
    return others.length > 0
      ? [cell, { name: setting, group: cell.target }]
      : [cell, { name: value, group: `${cell.target} · ${name}` }];
  }));
}
