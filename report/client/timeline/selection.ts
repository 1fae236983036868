/// <reference lib="dom" />
/**
 * The selected part of the runs: a table of figures that are recomputed from the intervals in this part. Everything
 * else in the scenario is greyed out, because it describes whole runs.
 */
import {
  type RangeFigures,
  rangeFigures,
  type TimedSteps,
  type TimeRange,
} from "../../subjects/charts/time_range.ts";
import * as column from "../../subjects/tables/column.ts";
import {
  type ColumnOf,
  measuredCell,
  NONE,
  type Table,
  type TableCell,
  tableOf,
} from "../../subjects/tables/table.ts";
import { unpackSteps } from "../../subjects/charts/packing.ts";
import { lowerBoundsText } from "../../figures/lower_bounds.ts";
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, formatNumber, formatTick, timeUnit } from "../../writing/units.ts";
import { inflated, parsed, scriptText } from "../charts/page_data.ts";
import { chosenBase, linkedItems, targetOf } from "../linked/choice.ts";

interface StepsOfCell extends TimedSteps {
  readonly label: string;
  readonly color: number;
  readonly repetitions: readonly number[];
}

export interface Steps {
  /** Cells, in the order of the section's timelines. */
  readonly cells: readonly StepsOfCell[];
  /** Unit of latencies. It suits the whole runs, and is kept for every selection. */
  readonly unit: DisplayUnit;
}

/** Unpacks the intervals of a section. */
export async function stepsOf(section: string): Promise<Steps> {
  await parsed();
  const data: { cells: readonly Omit<StepsOfCell, "runs">[]; packed: string } = JSON.parse(
    scriptText(`intervals-${section}`) ?? "",
  );
  const runs = unpackSteps(new Uint8Array(await inflated(data.packed).arrayBuffer()));
  const cells = data.cells.map((cell, i) => ({ ...cell, runs: runs[i] }));
  const medians = cells.map((cell) => rangeFigures(cell, null, [50]).percentiles[0]?.ms ?? 0);
  return { cells, unit: timeUnit(medians) };
}

/**
 * A table of figures for a part of the runs, compared with those of the chosen base, or else with those of the first
 * cell.
 * @param range Null for the whole run.
 * @param percentiles Names of percentiles, such as `p99`.
 */
export function partTable(
  { cells, unit }: Steps,
  range: TimeRange | null,
  percentiles: readonly string[],
): Table {
  const time = range ? `${formatTick(range.fromS)}–${formatTick(range.toS)} s` : "All";
  const isOne = cells.every(({ runs }) => runs.length === 1);
  const caption = isOne ? range ? time : "All of the run" : `${time} of every run`;
  const rows = linkedItems(cells).map(({ label, color, ...cell }) => ({
    ...{ label, color },
    figures: rangeFigures(cell, range, percentiles.map((name) => Number(name.slice(1)))),
  }));
  const first = rows.find(({ label }) => targetOf(label) === chosenBase) ?? rows[0];
  const beside = (cell: TableCell, figures: RangeFigures, base?: number | null): TableCell =>
    figures === first.figures || !base || cell.value === undefined
      ? cell
      : { ...cell, below: `${formatNumber(cell.value / base, 2)}×` };
  const bounds = sum(rows, ({ figures }) => figures.censored);
  const notes = [
    rows.length > 1
      ? `×: as a multiple of the figure of ${first.label}. It has no confidence interval, because a range picked by eye supports no verdict.`
      : "",
    "The figures are recomputed from the intervals of the runs' timelines.",
    lowerBoundsText(bounds),
  ].filter((note) => note !== "");
  return tableOf({ caption, notes }, rows, [
    column.name("Target", ({ label, color }) => ({ text: label, color })),
    {
      label: "Requests/s",
      cell: ({ figures }) =>
        figures.ratePerSec === null
          ? NONE
          : beside(measuredCell({ value: figures.ratePerSec }), figures, first.figures.ratePerSec),
    },
    ...percentiles.map((label, i): ColumnOf<typeof rows[number]> => ({
      ...{ label, unit: unit.name },
      cell: ({ figures }) => {
        const [time, base] = [figures.percentiles[i], first.figures.percentiles[i]];
        if (time === null) return NONE;
        const { ms: value, isAtLeast, isSupported } = time;
        const cell = measuredCell({ value, isAtLeast, isWeak: !isSupported }, unit);
        return isAtLeast || base?.isAtLeast ? cell : beside(cell, figures, base?.ms);
      },
    })),
    column.number("Completed", ({ figures }) => figures.completed, "count"),
    column.rare(column.number("Failed", ({ figures }) => figures.failed, "count")),
  ]);
}

/** Greys out what describes whole runs, or restores it if `isPart` is false. @param section The scenario's section. */
export function greyRest(section: string, isPart: boolean): void {
  const [experiment, number] = section.split("-s");
  const elsewhere = ["compared", "outcomes", "tradeoff"]
    .map((name) => `${experiment}-${name}-${number}`)
    .flatMap((id) => [...document.querySelectorAll(`[id="${id}"], [id^="${id}-"]`)]);
  const verdict = document.getElementById(`${experiment}-verdict-${number}`)?.closest(".group");
  const all = [
    ...[...document.querySelectorAll(`#${section} ${FIGURES}`)]
      .filter((element) => !element.closest(`#${section}-timeline`)),
    ...verdict?.querySelectorAll(FIGURES) ?? [],
    ...elsewhere.flatMap((element) => element.closest(FIGURES) ?? []),
    ...document.querySelectorAll(`td:has(a[href="#${section}"])`),
  ];
  // An element inside another one is already greyed out with it.
  for (const element of all) {
    const isInside = all.some((other) => other !== element && other.contains(element));
    if (!isInside) element.classList.toggle("whole-run", isPart);
  }
}

const FIGURES = ":is(figure, .scroll, .findings, figcaption, p.verdict, .panel)";
