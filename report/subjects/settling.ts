/**
 * Time to stable latency against final latency, as P. Kuffel and A. Walter plot it: does a server that responds faster
 * also settle sooner?
 */
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../runner/stats/regression/correlation.ts";
import { figure, table, text } from "../blocks.ts";
import type { CellRuns, ScenarioRuns } from "../cells/cells.ts";
import { cellsOf, nameOf } from "../cells/match.ts";
import { axisOver, compact, markOf, type Xy } from "../chart.ts";
import { rangeOf } from "../figures/figures.ts";
import { POINT_PERCENTILES } from "../figures/intervals.ts";
import type { Range } from "../figures/range.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import { type DisplayUnit, timeUnit } from "../writing/units.ts";
import { counted, unique } from "../writing/words.ts";
import type { Settling } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type ColumnOf, type Table, tableOf } from "./tables/table.ts";

/**
 * A cell with two figures in ms for each of POINT_PERCENTILES: the time at which the percentile becomes stable, and its
 * final level.
 */
interface SettledCell {
  readonly cell: CellRuns;
  /** Unique among the cells. */
  readonly name: string;
  readonly flattens: readonly { readonly from: Range; readonly final: Range }[];
}

/** With fewer dots than this, no relation is visible. */
const LEAST_DOTS = 3;

/** The settling times of all cells; null if no percentile was ever far from its final value. */
export function settlingOf(scenarios: readonly ScenarioRuns[]): Settling | null {
  const several = scenarios.length > 1;
  const cells = cellsOf(scenarios).flatMap((cell): SettledCell[] => {
    const flattens = flattensOf(cell);
    const name = several ? nameOf(cell) : cell.label;
    return flattens.length < POINT_PERCENTILES.length ? [] : [{ cell, name, flattens }];
  });
  if (cells.every(({ flattens }) => flattens.every(({ from }) => from.value === 0))) return null;
  const inOrder = cells.toSorted((a, b) => stableAfterMs(a) - stableAfterMs(b));
  const named = unique(cells.map(({ cell }) => cell.scenario));
  const legend = new Map(cells.map(({ cell: { label, color } }) => [label, { label, color }]));
  return {
    brief: briefOf(inOrder, several),
    blocks: [
      text("settling", findingOf(inOrder)),
      figure(cells.length < LEAST_DOTS ? [] : [{ chart: chartOf(cells, named) }], {
        legend: [...legend.values()],
        marks: named.length > 1 ? named : [],
        reading: READING,
      }),
      table(stableTable(cells, named.length > 1)),
    ],
  };
}

const READING =
  "Each dot is a cell. Across: the settled latency, the median of the last quarter of a run. Up: the time until the median flattens, with its 95 % confidence interval over the runs. Dots that rise to the right mean that faster targets settle sooner (figure 6 of Kuffel and Walter). A dot at 0 was flat from the start. Point at a dot for its name. The table shows the other percentiles.";

/** When each percentile settles, and at what level. Empty if the load itself changes, or if there are no requests. */
function flattensOf(cell: CellRuns): SettledCell["flattens"] {
  if (cell.runs.every(({ warmup }) => warmup === null)) return [];
  return POINT_PERCENTILES.flatMap((percentile) => {
    const behind = percentile === "p50" ? "" : `.${percentile}` as const;
    const [from, final] = [rangeOf(`stable${behind}`, cell), rangeOf(`final${behind}`, cell)];
    if ("none" in from || "none" in final) return [];
    // A time may be a lower bound, because a run ended before it had certainly settled. Here such a
    // time counts like any other, just as in the correlation.
    return [{ from: { value: from.value, interval: from.interval }, final }];
  });
}

function stableAfterMs({ flattens: [median] }: SettledCell): number {
  return median.from.value;
}

/** How settling time and final latency are related. @param cells In the order in which their medians become stable. */
function findingOf(cells: readonly SettledCell[]): string {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  if (first === last) return `The p50 is stable ${whenText(first)}.`;
  const isOneTime = stableAfterMs(first) === stableAfterMs(last);
  if (isOneTime) return `Every p50 is stable ${afterText(first)}.`;
  const [rho, ...others] = POINT_PERCENTILES.map((_, i) =>
    spearmanRho(
      cells.map(({ flattens }) => flattens[i].final.value),
      cells.map(({ flattens }) => flattens[i].from.value),
    )
  );
  const interval = spearmanInterval(rho, cells.length);
  const ends = interval ? ` [${signed(interval.low)}, ${signed(interval.high)}]` : "";
  const also = others.map((other, i) => `${POINT_PERCENTILES[i + 1]} ${signed(other)}`);
  return `${relationText(interval)}: Spearman’s rank correlation ${signed(rho)}${ends} over ${
    counted(cells.length, "cell")
  }; of ${also.join(", ")}. The first median to be stable is that of ${first.name}, ${
    whenText(first)
  }; the last that of ${last.name}, ${whenText(last)}.`;
}

function briefOf(cells: readonly SettledCell[], several: boolean): string {
  const [half, last] = [cells[Math.ceil(cells.length / 2) - 1], cells[cells.length - 1]];
  if (stableAfterMs(half) === stableAfterMs(last)) {
    return `Median latency is stable ${afterText(last)}.`;
  }
  const whose = `${last.cell.label}${several ? ` in ${last.cell.scenario}` : ""}`;
  return `Median latency is stable ${afterText(half)} in half of the cells, and ${
    afterText(last)
  } at the latest (${whose}).`;
}

/** For example `after 750 ms, at 2.1 ms`. */
function whenText(cell: SettledCell): string {
  return `${afterText(cell)}, at ${timeText(cell.flattens[0].final.value)}`;
}

function afterText(cell: SettledCell): string {
  const afterMs = stableAfterMs(cell);
  return afterMs === 0 ? "from the start" : `after ${timeText(afterMs)}`;
}

function timeText(value: number): string {
  return figureRangeText({ value, interval: null }, "ms");
}

function relationText(interval: ReturnType<typeof spearmanInterval>): string {
  if (interval === null) {
    return `Fewer than ${LEAST_CORRELATED} cells cannot show whether a lower final median settles sooner`;
  }
  if (interval.low > 0) return "The lower the final median, the sooner it settles";
  if (interval.high < 0) return "The lower the final median, the later it settles";
  return "The cells do not show whether a lower final median settles sooner";
}

function signed(rho: number): string {
  return Number.isNaN(rho) ? "–" : rho.toFixed(2).replace("-", "−");
}

/** The axis reaches beyond the outermost dots by this factor, so that none lies on the edge. */
const ROOM = 1.25;

function chartOf(cells: readonly SettledCell[], scenarios: readonly string[]): Xy {
  const medians = cells.map(({ flattens: [median] }) => median);
  const unit = timeUnit(medians.map(({ final }) => final.value));
  const finals = medians.map(({ final }) => final.value / unit.size);
  const shownS = (ms: number): number => compact(Math.max(0, ms) / 1_000);
  const highest = medians.map(({ from }) => (from.interval?.high ?? from.value) / 1_000);
  return {
    kind: "xy",
    size: "large",
    alt: `Time to a stable median against the final median: ${
      counted(cells.length, "dot")
    }. The table below has the numbers.`,
    // Logarithmic, because latencies of different work differ by large factors. Linear if a latency
    // is 0.
    x: {
      ...axisOver(unit.name, finals, { logFrom: 0, room: ROOM }),
      title: "final median latency",
    },
    y: { ...axisOver("s", highest, { room: ROOM }), title: "time until it is stable" },
    series: cells.map(({ cell, name, flattens: [{ from, final }] }) => ({
      label: name,
      color: cell.color,
      draw: "dots",
      points: [{
        x: compact(final.value / unit.size),
        y: shownS(from.value),
        low: from.interval && shownS(from.interval.low),
        high: from.interval && shownS(from.interval.high),
        mark: markOf(scenarios, cell.scenario),
        fill: "pale",
        lines: [
          `stable after ${figureRangeText(from, "ms")}`,
          `final median ${figureRangeText(final, "ms")}`,
        ],
      }],
    })),
  };
}

const NOTE =
  "A percentile has settled when it stays within 5 % of its final value, or as close to it as during the run's last quarter (Kuffel and Walter). " +
  "Final is the median of a percentile over that quarter, averaged over the runs.";
const SECONDS: DisplayUnit = { name: "s", size: 1_000, decimals: 3 };

/**
 * When each percentile of latency becomes stable, and at what level.
 * @param several Whether the cells are from several scenarios.
 */
function stableTable(cells: readonly SettledCell[], several: boolean): Table {
  const unit = timeUnit(cells.flatMap(({ flattens }) => flattens.map(({ final }) => final.value)));
  const caption = "Time to stable latency against final latency";
  return tableOf({ caption, notes: [NOTE] }, cells, [
    column.cell,
    column.text("Scenario", ({ cell }) => several ? cell.scenario : ""),
    ...POINT_PERCENTILES.flatMap((percentile, i): ColumnOf<SettledCell>[] => [
      column.number(`Final ${percentile}`, ({ flattens }) => flattens[i].final, unit),
      column.number(`${percentile} stable after`, ({ flattens }) => flattens[i].from, SECONDS),
    ]),
  ]);
}
