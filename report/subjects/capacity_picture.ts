/**
 * The searches for a capacity of a scenario: latency over the achieved rate from all trials, the trials in order, and
 * how each target breaks. Pure.
 */
import { figureNamed, readQuantity } from "../../base/figures/figure.ts";
import type { CapacityTrial, RunCapacity } from "../../runner/result/capacity.ts";
import { capacitySentence, trialsTable } from "./capacity.ts";
import {
  type DisplayUnit,
  formatCount,
  formatMs,
  formatNumber,
  formatShare,
  timeUnit,
} from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { CellRuns } from "../cells/cells.ts";
import { type Block, figure, type Finding, group, list, table } from "../blocks.ts";
import type { ReportContext, Subject } from "./subject.ts";
import { cellColumn, numberCell, type Table, tableOf, textCell } from "./tables/table.ts";
import {
  type Axis,
  compact,
  type Reference,
  type Xy,
  type XyPoint,
  type XySeries,
} from "../chart.ts";

interface SearchedCell {
  readonly cell: CellRuns;
  readonly searches: readonly RunCapacity[];
  /** The one whose capacity is the median of the cell's runs. */
  readonly middle: RunCapacity;
}

/** Nothing where no load was a search for a capacity. */
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
  const rates = axisOfRates(searched);
  const legend = searched.map(({ cell: { label, color } }) => ({ label, color }));
  return [
    list(searched.map(findingOf)),
    figure([{ title: "", of: null, chart: latencyChart(scenario, searched) }], { legend }),
    figure(
      searched.map((one) => ({
        title: `Trials of ${one.cell.label}`,
        of: one.cell,
        chart: trialsChart(one, rates),
      })),
      { reading: READING },
    ),
    table(breakingTable(searched), { isCaptioned: true }),
    ...searched.map(({ cell: { label }, searches }) => {
      const trials = trialsTable({ trials: searches.flatMap((one) => one.trials) });
      const caption = `Trials of ${label}`;
      return table({ ...trials, caption }, { fold: caption });
    }),
  ];
}

const READING =
  "Each dot is a trial at one rate: p99 strong, p50 pale. Filled: every rule held; hollow: a rule broke; a cross: not counted, as the generator or the machine may be why. The dashed line across is a rule's limit. The dashed upright line is the capacity, the bar at its foot the 95 % interval. Beneath, the trials in order: a whisker joins the highest rate that had held below the lowest that had broken; the dashed line is the capacity. A trial that breaks ends early, so its p99 would grow. A cliff: p99 just beyond the capacity is at least 4 times that at it, or fewer than 90 % succeed; else a slope. Latency and the rates of trials are on logarithmic axes.";

function searchedCell(cell: CellRuns): SearchedCell[] {
  const searches = cell.runs.flatMap(({ capacity }) => capacity ?? [])
    .filter(({ trials }) => trials.length > 0);
  if (searches.length === 0) return [];
  const sorted = searches.toSorted((a, b) => valueOf(a) - valueOf(b));
  return [{ cell, searches, middle: sorted[(sorted.length - 1) >> 1] }];
}

function valueOf({ capacity }: RunCapacity): number {
  return capacity?.value ?? 0;
}

function findingOf({ cell: { label }, searches, middle }: SearchedCell): Finding {
  const of = searches.length === 1
    ? ""
    : ` (the run with the median capacity of ${formatCount(searches.length)})`;
  return { code: "capacity", text: `${label}${of}: ${capacitySentence(middle)}.` };
}

/** Room around the values of a logarithmic axis. */
const ROOM = 1.3;

function logAxis(values: readonly number[], unit: string): Axis {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { unit, scale: "log", min: 1, max: 10 };
  return {
    unit,
    scale: "log",
    min: compact(Math.min(...positive) / ROOM),
    max: compact(Math.max(...positive) * ROOM),
  };
}

function allTrials(searched: readonly SearchedCell[]): CapacityTrial[] {
  return searched.flatMap(({ searches }) => searches.flatMap(({ trials }) => trials));
}

function latencyChart(scenario: string, searched: readonly SearchedCell[]): Xy {
  const trials = allTrials(searched);
  const limits = [
    ...new Set(searched.flatMap(({ middle }) => middle.within.flatMap(limitMs))),
  ];
  const unit = timeUnit([...trials.map(({ p99 }) => p99), ...limits]);
  const shown = [...trials.flatMap(({ p50, p99 }) => [p50, p99]), ...limits];
  const ends = searched.flatMap(({ middle: { capacity } }) => [
    capacity?.value ?? 0,
    capacity?.high ?? 0,
  ]);
  const most = Math.max(...trials.map(({ completedPerSec }) => completedPerSec), ...ends);
  return {
    kind: "xy",
    size: "large",
    alt: `p50 and p99 of ${scenario} over the requests per second that were achieved, from ${
      counted(trials.length, "trial")
    }. The tables below have their values.`,
    x: {
      ...{ unit: "", scale: "linear", min: 0, max: compact(most * 1.06 || 1) },
      title: "achieved requests/s",
    },
    y: logAxis(shown.map((ms) => ms / unit.size), unit.name),
    references: [
      ...limits.map((ms) => limitAt(ms / unit.size)),
      ...searched.flatMap(kneeOf),
    ],
    series: [
      ...searched.map((one) => latencySeries(one, "p99", unit)),
      ...searched.map((one): XySeries => ({ ...latencySeries(one, "p50", unit), isFaint: true })),
    ],
  };
}

function limitAt(value: number): Reference {
  return { kind: "horizontal", at: compact(value), color: "alarm" };
}

/** Of a rule for a percentile, in ms; none of others. */
function limitMs(rule: string): number[] {
  const [name, text = ""] = rule.split(/<=?/);
  const figure = figureNamed(name.trim());
  const isPercentile = figure?.distribution === "latency" && typeof figure.statistic === "number";
  const limit = readQuantity(text, "ms");
  return isPercentile && "value" in limit ? [limit.value] : [];
}

function latencySeries(
  { cell: { label, color }, searches }: SearchedCell,
  percentile: "p50" | "p99",
  unit: DisplayUnit,
): XySeries {
  const trials = searches.flatMap(({ trials }) => trials)
    .filter((trial) => trial[percentile] > 0)
    .toSorted((a, b) => a.completedPerSec - b.completedPerSec);
  return {
    label,
    color,
    draw: "dots",
    points: trials.map((trial): XyPoint => ({
      x: compact(trial.completedPerSec),
      y: compact(trial[percentile] / unit.size),
      lines: [
        `${percentile} ${formatMs(trial[percentile])} at ${rateText(trial.completedPerSec)} of ${
          rateText(trial.ratePerSec)
        } due, ${wordOf(trial)}`,
      ],
      ...lookOf(trial),
    })),
  };
}

/** What is "at least" has no upper end: its bar ends at the value. */
function kneeOf({ cell: { label, color }, middle: { capacity } }: SearchedCell): Reference[] {
  if (capacity === null) return [];
  const { value, low, high } = capacity;
  return [{
    kind: "vertical",
    label,
    color,
    at: compact(value),
    low: compact(low),
    high: compact(high ?? value),
  }];
}

function lookOf({ outcome, counts }: CapacityTrial): Pick<XyPoint, "fill" | "mark"> {
  return {
    ...outcome === "broken" && { fill: "hollow" },
    ...!counts && { mark: "cross" },
  };
}

function wordOf({ outcome, counts }: CapacityTrial): string {
  return counts ? outcome : `${outcome}, not counted`;
}

function rateText(perSec: number): string {
  return `${perSec < 100 ? formatNumber(perSec) : formatCount(perSec)}/s`;
}

function axisOfRates(searched: readonly SearchedCell[]): Axis {
  const rates = allTrials(searched).map(({ ratePerSec }) => ratePerSec);
  return logAxis([...rates, ...searched.map(({ middle }) => valueOf(middle))], "/s");
}

function trialsChart({ cell, searches, middle }: SearchedCell, y: Axis): Xy {
  const points = searches.flatMap(({ trials }) => boundedPoints(trials))
    .map((point, i) => ({ ...point, x: i + 1 }));
  const ticks = points.map(({ x }) => ({ at: x, text: String(x) }));
  return {
    kind: "xy",
    alt: `Rates of ${
      counted(points.length, "trial")
    } of ${cell.label}, in order. The table below has them.`,
    size: "small",
    x: { unit: "", scale: "linear", min: 0.5, max: points.length + 0.5, ticks, title: "trial" },
    y,
    references: middle.capacity === null ? [] : [limitAt(middle.capacity.value)],
    series: [{ label: cell.label, color: cell.color, draw: "dots", points }],
  };
}

/** Each trial from the highest rate that had held by then to the lowest that had broken. */
function boundedPoints(trials: readonly CapacityTrial[]): Omit<XyPoint, "x">[] {
  return trials.map((trial, i) => {
    const known = trials.slice(0, i + 1).filter(({ counts }) => counts);
    const ratesOf = (outcome: CapacityTrial["outcome"]): number[] =>
      known.filter((one) => one.outcome === outcome).map(({ ratePerSec }) => ratePerSec);
    const high = Math.min(...ratesOf("broken"));
    const low = Math.max(...ratesOf("held").filter((rate) => rate < high));
    const isBounded = Number.isFinite(low) && Number.isFinite(high);
    const bounds = isBounded ? `; held at ${rateText(low)}, broke at ${rateText(high)}` : "";
    return {
      y: compact(trial.ratePerSec),
      low: isBounded ? compact(low) : null,
      high: isBounded ? compact(high) : null,
      lines: [`trial at ${rateText(trial.ratePerSec)}: ${wordOf(trial)}${bounds}`],
      ...lookOf(trial),
    };
  });
}

/** p99 so many times that at the capacity, or so many wrong: beyond it the target falls off a cliff. */
const CLIFF = { ofP99: 4, success: 0.9 };

/** `cliff` or `slope`; "" where there was no trial at the capacity, or none just beyond it. */
export function breakingWord(breaking: RunCapacity["breaking"]): "cliff" | "slope" | "" {
  const at = breaking.find(({ ofCapacity }) => ofCapacity === 1);
  const beyond = breaking.find(({ ofCapacity }) => ofCapacity > 1);
  if (at === undefined || beyond === undefined) return "";
  const isCliff = beyond.p99 >= CLIFF.ofP99 * at.p99 || beyond.success < CLIFF.success;
  return isCliff ? "cliff" : "slope";
}

/** No rows where no trial was beyond the capacity. */
function breakingTable(searched: readonly SearchedCell[]): Table {
  const all = searched.flatMap(({ cell, middle: { breaking } }) =>
    breaking.map((at) => ({ ...at, cell, word: breakingWord(breaking) }))
  );
  const rows = all.some(({ ofCapacity }) => ofCapacity > 1) ? all : [];
  const unit = timeUnit(rows.map(({ p99 }) => p99));
  return tableOf({ caption: "How it breaks" }, rows, [
    cellColumn,
    { label: "Of capacity", cell: ({ ofCapacity }) => numberCell(ofCapacity) },
    { label: "Rate", unit: "/s", cell: ({ ratePerSec }) => numberCell(ratePerSec) },
    { label: "p99", unit: unit.name, cell: ({ p99 }) => numberCell(p99, unit) },
    { label: "Success", cell: ({ success }) => ({ text: formatShare(success), value: success }) },
    {
      label: "Recovers in",
      kind: "text",
      cell: ({ recoveryS }) =>
        textCell(recoveryS === null ? "not seen" : `${formatNumber(recoveryS)} s`),
    },
    { label: "Breaks as", kind: "text", cell: ({ word }) => textCell(word) },
  ]);
}
