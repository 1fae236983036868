/**
 * The searches for a capacity in a scenario: latency over the achieved rate from all trials, and how each target
 * breaks.
 */
import { figureNamed, readQuantity } from "../../base/figures/figure.ts";
import type { CapacityTrial, RunCapacity } from "../../runner/result/capacity.ts";
import { type Block, figure, type Finding, group, list, table } from "../blocks.ts";
import {
  axisOver,
  compact,
  type Reference,
  type Xy,
  type XyPoint,
  type XySeries,
} from "../chart.ts";
import {
  type DisplayUnit,
  formatCount,
  formatMs,
  formatNumber,
  formatShare,
  timeUnit,
} from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import { capacitySentence, PER_SEC, rateIn, trialsTable, trialWord } from "./capacity.ts";
import type { ReportContext, Subject } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type OfCell, type Table, tableOf } from "./tables/table.ts";

interface SearchedCell extends OfCell {
  readonly searches: readonly RunCapacity[];
  readonly trials: readonly CapacityTrial[];
  /** The search whose capacity is the median of the cell's runs. */
  readonly middle: RunCapacity;
}

/** The searches of each scenario as charts and tables; empty if no load searched for a capacity. */
export const capacity: Subject<ReportContext> = {
  id: "capacity",
  title: "Capacity",
  depth: "summary",
  build: ({ scenarios }) =>
    scenarios.map(({ name, cells }, i) =>
      group(name, searchBlocks(name, cells.flatMap(searchedCell)), { id: String(i + 1) })
    ),
};

function searchBlocks(scenario: string, searched: readonly SearchedCell[]): Block[] {
  if (searched.length === 0) return [];
  const legend = searched.map(({ cell: { label, color } }) => ({ label, color }));
  return [
    list(searched.map(findingOf)),
    figure([{ chart: latencyChart(scenario, searched) }], {
      legend,
      reading: READING,
    }),
    table(breakingTable(searched), { isCaptioned: true }),
    ...searched.map(({ cell: { label }, trials }) =>
      table(trialsTable(trials, `Trials of ${label}`), { fold: `Trials of ${label}` })
    ),
  ];
}

const READING =
  "Each dot is a trial at one rate: p99 strong, p50 pale. Filled: every rule held; hollow: a rule broke; a cross: the trial does not count, because the generator or the machine may have caused its outcome. The dashed line across is a rule's limit. The dashed upright line is the capacity, the bar at its foot is its 95 % interval. A trial that breaks a rule ends early, so its p99 could have grown further. A cliff: just beyond the capacity, p99 is at least 4 times what it is at the capacity, or fewer than 90 % of the requests succeed; else a slope. Latency is on a logarithmic axis.";

function searchedCell(cell: SearchedCell["cell"]): SearchedCell[] {
  const searches = cell.runs.flatMap(({ capacity }) => capacity ?? [])
    .filter(({ trials }) => trials.length > 0);
  if (searches.length === 0) return [];
  const middle = searches.toSorted((a, b) => valueOf(a) - valueOf(b))[(searches.length - 1) >> 1];
  return [{ cell, searches, trials: searches.flatMap(({ trials }) => trials), middle }];
}

function valueOf({ capacity }: RunCapacity): number {
  return capacity?.value ?? 0;
}

function findingOf({ cell: { label }, searches, middle }: SearchedCell): Finding {
  const of = searches.length === 1
    ? ""
    : ` (of ${formatCount(searches.length)} runs, the one with the median capacity)`;
  return { code: "capacity", text: `${label}${of}: ${capacitySentence(middle)}.` };
}

function latencyChart(scenario: string, searched: readonly SearchedCell[]): Xy {
  const trials = searched.flatMap((one) => one.trials);
  const limits = [...new Set(searched.flatMap(({ middle }) => middle.within.flatMap(limitMs)))];
  const times = [...trials.map(({ p99 }) => p99), ...limits];
  const unit = timeUnit(times);
  const latencies = [...trials.map(({ p50 }) => p50), ...times].filter((ms) => ms > 0);
  const most = Math.max(
    ...trials.map(({ completedPerSec }) => completedPerSec),
    ...searched.flatMap(({ middle }) => [valueOf(middle), middle.capacity?.high ?? 0]),
  );
  return {
    kind: "xy",
    size: "large",
    alt: `p50 and p99 of ${scenario} over the requests per second that were achieved, from ${
      counted(trials.length, "trial")
    }. The tables below have their values.`,
    x: {
      unit: "",
      scale: "linear",
      min: 0,
      max: compact(most * 1.06 || 1),
      title: "achieved requests/s",
    },
    y: axisOver(unit.name, latencies.map((ms) => ms / unit.size), { logFrom: 0, room: 1.3 }),
    references: [
      ...limits.map((ms): Reference => ({
        kind: "horizontal",
        at: compact(ms / unit.size),
        color: "alarm",
      })),
      ...searched.flatMap(kneeOf),
    ],
    series: [
      ...searched.map((one) => latencySeries(one, "p99", unit)),
      ...searched.map((one): XySeries => ({ ...latencySeries(one, "p50", unit), isFaint: true })),
    ],
  };
}

/** Limit of a rule on a percentile, in ms; none for other rules. */
function limitMs(rule: string): number[] {
  const [name, text = ""] = rule.split(/<=?/);
  const figure = figureNamed(name.trim());
  const isPercentile = figure?.distribution === "latency" && typeof figure.statistic === "number";
  const limit = readQuantity(text, "ms");
  return isPercentile && "value" in limit ? [limit.value] : [];
}

function latencySeries(
  { cell: { label, color }, trials }: SearchedCell,
  percentile: "p50" | "p99",
  unit: DisplayUnit,
): XySeries {
  const points = trials.filter((trial) => trial[percentile] > 0)
    .toSorted((a, b) => a.completedPerSec - b.completedPerSec)
    .map((trial): XyPoint => ({
      x: compact(trial.completedPerSec),
      y: compact(trial[percentile] / unit.size),
      lines: [
        `${percentile} ${formatMs(trial[percentile])} at ${rateIn(trial.completedPerSec)} of ${
          rateIn(trial.ratePerSec)
        } due, ${trialWord(trial)}`,
      ],
      ...trial.outcome === "broken" && { fill: "hollow" },
      ...!trial.counts && { mark: "cross" },
    }));
  return { label, color, draw: "dots", points };
}

/** The capacity as a reference line. A lower bound has no upper end, so its bar ends at the value. */
function kneeOf({ cell: { label, color }, middle: { capacity } }: SearchedCell): Reference[] {
  if (capacity === null) return [];
  const [at, low, high] = [capacity.value, capacity.low, capacity.high ?? capacity.value]
    .map(compact);
  return [{ kind: "vertical", label, color, at, low, high }];
}

/**
 * A target falls off a cliff if, beyond the capacity, p99 is this many times as long, or less than this share of
 * requests succeeds.
 */
const CLIFF = { ofP99: 4, success: 0.9 };

/** `cliff` or `slope`; "" without a trial at the capacity, or just beyond it. */
export function breakingWord(breaking: RunCapacity["breaking"]): "cliff" | "slope" | "" {
  const at = breaking.find(({ ofCapacity }) => ofCapacity === 1);
  const beyond = breaking.find(({ ofCapacity }) => ofCapacity > 1);
  if (at === undefined || beyond === undefined) return "";
  const isCliff = beyond.p99 >= CLIFF.ofP99 * at.p99 || beyond.success < CLIFF.success;
  return isCliff ? "cliff" : "slope";
}

/** Latency at and beyond the capacity of each cell; no rows if no trial was beyond it. */
function breakingTable(searched: readonly SearchedCell[]): Table {
  const all = searched.flatMap(({ cell, middle: { breaking } }) =>
    breaking.map((at) => ({ ...at, cell, word: breakingWord(breaking) }))
  );
  const rows = all.some(({ ofCapacity }) => ofCapacity > 1) ? all : [];
  return tableOf({ caption: "How it breaks" }, rows, [
    column.cell,
    column.number("Of capacity", ({ ofCapacity }) => ofCapacity),
    column.number("Rate", ({ ratePerSec }) => ratePerSec, PER_SEC),
    column.number("p99", ({ p99 }) => p99, timeUnit(rows.map(({ p99 }) => p99))),
    { label: "Success", cell: ({ success }) => ({ text: formatShare(success), value: success }) },
    column.text(
      "Recovers in",
      ({ recoveryS }) => recoveryS === null ? "not seen" : `${formatNumber(recoveryS)} s`,
    ),
    column.text("Breaks as", ({ word }) => word),
  ]);
}
