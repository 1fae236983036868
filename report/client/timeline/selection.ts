/// <reference lib="dom" />
/**
 * The figures of a selected part of the runs, recomputed from their intervals: a table, and a sentence for
 * screen readers.
 */
import {
  type RangeFigures,
  rangeFigures,
  type RangePercentile,
  type SelectedPart,
  type TimedSteps,
} from "../../subjects/charts/time_range.ts";
import { sum } from "../../writing/spread.ts";
import {
  boundText,
  type DisplayUnit,
  formatCount,
  formatIn,
  formatNumber,
  formatQuantity,
  formatTick,
  timeUnit,
} from "../../writing/units.ts";
import { lowerBoundsText } from "../../figures/lower_bounds.ts";
import { numberElement, type NumberText, rowHead, tableElement } from "../tables/element.ts";
import { chosenBase, linkedItems, targetOf } from "../linked/choice.ts";
import type { View } from "./view.ts";
import { unpackSteps } from "../../subjects/charts/packing.ts";
import { inflated, parsed, scriptText } from "../charts/page_data.ts";

interface StepsOfCell extends TimedSteps {
  readonly label: string;
  readonly color: number;
  /** One for each of the runs. */
  readonly repetitions: readonly number[];
}

export interface Steps {
  /** In the order of the section's timelines. */
  readonly cells: readonly StepsOfCell[];
  /** Of their latencies: that of the whole runs, the same for every selection. */
  readonly unit: DisplayUnit;
}

/** A shown cell, with its recomputed figures. */
interface SelectedCell {
  readonly label: string;
  readonly color: number;
  readonly figures: RangeFigures;
}

interface Selected {
  /** What was selected: "2–5 s of run 1". */
  readonly what: string;
  readonly percentiles: readonly string[];
  /** Of latencies. */
  readonly unit: DisplayUnit;
  /** At least one; the others are compared with the chosen base, or else the first. */
  readonly cells: readonly SelectedCell[];
}

/** @param all Names of all percentiles, as `p99`. */
export function selectedOf(
  { cells, unit }: Steps,
  view: View,
  all: readonly string[],
): Selected {
  const percentiles = all.filter((name) => view.percentiles?.includes(name) ?? true);
  const numbers = percentiles.map((name) => Number(name.slice(1)));
  return {
    what: whatText(view, Math.max(...cells.map(({ runs }) => runs.length))),
    percentiles,
    unit,
    cells: linkedItems(cells).map((cell) => {
      const { label, color, clock, runs, repetitions } = cell;
      const shown = runs.filter((_, i) => view.runs?.includes(repetitions[i]) ?? true);
      return {
        label,
        color,
        figures: rangeFigures({ clock, runs: shown }, view.range, numbers),
      };
    }),
  };
}

/** What the other figures of the scenario are to show; null: all of every run. */
export function partOf({ cells }: Steps, view: View): SelectedPart | null {
  const { range, runs } = view;
  if (range === null && runs === null) return null;
  return {
    range,
    what: whatText(view, Math.max(...cells.map((cell) => cell.runs.length))),
    cells: cells.map((cell) => {
      const kept = [...cell.runs.keys()].filter((i) => runs?.includes(cell.repetitions[i]) ?? true);
      return {
        ...cell,
        runs: kept.map((i) => cell.runs[i]),
        repetitions: kept.map((i) => cell.repetitions[i]),
      };
    }),
  };
}

/** "2–5 s of runs 1, 3". */
function whatText({ range, runs }: View, count: number): string {
  const time = range ? `${formatTick(range.fromS)}–${formatTick(range.toS)} s` : "All";
  if (count === 1) return range ? time : "All of the run";
  if (runs === null) return `${time} of every run`;
  return `${time} of run${runs.length > 1 ? "s" : ""} ${runs.join(", ")}`;
}

export function selectedElements(selected: Selected): HTMLElement[] {
  const { what, percentiles, unit, cells } = selected;
  const first = cells.find(({ label }) => targetOf(label) === chosenBase()) ?? cells[0];
  const hasFailed = cells.some(({ figures }) => figures.failed > 0);
  const heads = [
    { label: "Target", unit: "" },
    { label: "Requests/s", unit: "" },
    ...percentiles.map((label) => ({ label, unit: unit.name })),
    { label: "Completed", unit: "" },
    ...(hasFailed ? [{ label: "Failed", unit: "" }] : []),
  ];
  const rows = cells.map(({ label, color, figures }) => {
    const base = figures === first.figures ? null : first.figures;
    const texts = [
      rateText(figures, base),
      ...figures.percentiles.map((p, i) => timeText(p, base?.percentiles[i] ?? null, unit)),
      countText(figures.completed),
      ...(hasFailed ? [countText(figures.failed)] : []),
    ];
    return [rowHead(label, color), ...texts.map(numberElement)];
  });
  const censored = sum(cells, ({ figures }) => figures.censored);
  return [tableElement(what, heads, rows), note(cells.length > 1 ? first.label : null, censored)];
}

function rateText({ ratePerSec }: RangeFigures, base: RangeFigures | null): NumberText {
  if (ratePerSec === null) return { text: "–" };
  const against = base?.ratePerSec ?? null;
  return {
    text: formatNumber(ratePerSec),
    value: ratePerSec,
    below: ratioText(ratePerSec, against),
  };
}

function timeText(
  time: RangePercentile | null,
  base: RangePercentile | null,
  unit: DisplayUnit,
): NumberText {
  if (time === null) return { text: "–" };
  const text = formatIn(time.ms, unit);
  return {
    text: boundText(text, time.isAtLeast),
    value: time.ms,
    weak: !time.isSupported,
    below: time.isAtLeast || base?.isAtLeast ? undefined : ratioText(time.ms, base?.ms ?? null),
  };
}

function countText(value: number): NumberText {
  return { text: formatCount(value), value };
}

function ratioText(value: number, base: number | null): string | undefined {
  return base === null || base === 0 ? undefined : `${formatNumber(value / base, 2)}×`;
}

/** @param first With which the others are compared; null without others. */
function note(first: string | null, censored: number): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = "note";
  const ratios = first === null
    ? ""
    : `×: as a multiple of ${first}, without a confidence interval: a range picked by eye supports no verdict. `;
  paragraph.textContent = `${ratios}Recomputed from the intervals of the runs. ${
    lowerBoundsText(censored)
  }`.trim();
  return paragraph;
}

/** The highest rate and the lowest latency of the selection. */
export function selectedSentence({ what, percentiles, unit, cells }: Selected): string {
  const rates = cells.map(({ figures }) => figures.ratePerSec ?? -1);
  const most = cells[rates.indexOf(Math.max(...rates))];
  const last = percentiles.length - 1;
  const found = cells.map(({ figures }) => figures.percentiles[last]);
  const times = found.map((time) => time?.ms ?? Infinity);
  const leastMs = Math.min(...times);
  const least = cells[times.indexOf(leastMs)];
  if (most.figures.ratePerSec === null) return `${what}: it holds no interval.`;
  const rate = `${what}: ${most.label} completed ${
    formatNumber(most.figures.ratePerSec)
  } requests/s`;
  if (leastMs === Infinity) return `${rate}.`;
  const isAtLeast = found[times.indexOf(leastMs)]?.isAtLeast ?? false;
  const time = `${percentiles[last]} of ${least.label} was ${
    boundText(formatQuantity(leastMs, unit), isAtLeast)
  }`;
  return cells.length === 1 ? `${rate}; ${time}.` : `${rate}, the most; ${time}, the lowest.`;
}

/** The intervals of a section, unpacked at first use. */
export async function stepsOf(section: string): Promise<Steps> {
  await parsed();
  const { cells: named, packed }: PackedIntervals = JSON.parse(
    scriptText(`intervals-${section}`) ?? "",
  );
  const runs = unpackSteps(new Uint8Array(await inflated(packed).arrayBuffer()));
  const cells = named.map((cell, i) => ({ ...cell, runs: runs[i] }));
  const medians = cells.map((cell) => rangeFigures(cell, null, [50]).percentiles[0]?.ms ?? 0);
  return { cells, unit: timeUnit(medians) };
}

interface PackedIntervals {
  readonly cells: readonly Omit<StepsOfCell, "runs">[];
  readonly packed: string;
}
