/// <reference lib="dom" />
/**
 * What one chart over time shows: the runs of a target side by side, or several targets in one frame, each as the
 * median of its runs with a band from the lowest run to the highest. It is drawn as lines in tracks, and also written
 * as a table.
 */
import type { Chart, ChartConfiguration, ChartDataset } from "chart.js";
import {
  type Axis,
  axisOver,
  LATENCY_LOG_FROM,
  type OfferedPart,
  type Timeline,
  type TimelineRun,
} from "../../chart.ts";
import { overlaid, type OverlayLine } from "../../subjects/charts/over_time.ts";
import * as column from "../../subjects/tables/column.ts";
import {
  measuredCell,
  NONE,
  type Table,
  type TableCell,
  tableOf,
  unitNamed,
} from "../../subjects/tables/table.ts";
import { formatNumber } from "../../writing/units.ts";
import { labelOf } from "../charts/linked_charts.ts";
import { trackScale } from "../charts/scales.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { targetOf } from "../linked/choice.ts";
import {
  indexOf,
  intervalText,
  intervalTimes,
  startOf,
  type StepPoint,
  stepPoints,
  timeScale,
} from "./axis.ts";
import { labelsPx, type MarkedRuns, type Marks, momentOf, timelineMarks } from "./marks.ts";

export interface OverTime extends MarkedRuns {
  readonly tracks: readonly Track[];
  /** The parts of the offered load, for each target. */
  readonly offered: readonly (readonly OfferedPart[])[];
}

interface Track {
  readonly id: string;
  readonly title: string;
  readonly axis: Axis;
  /** Unit of the track's table columns; "" if the columns' names already contain it. */
  readonly unit: string;
  /** Height relative to other tracks. */
  readonly weight: number;
  readonly lines: readonly TrackLine[];
}

interface TrackLine {
  /** Name of the line's column in the table, such as `p99`. */
  readonly column: string;
  /** The target that the line belongs to, if several targets share the frame. */
  readonly of?: { readonly label: string; readonly color: number };
  /** The values of each run. */
  readonly values: readonly (readonly (number | null)[])[];
  /** Band between the lowest and the highest run of a target. */
  readonly band?: OverlayLine;
  readonly isBound?: (run: number, interval: number) => boolean;
  readonly look: (theme: Theme) => Partial<Dataset>;
}

type Dataset = ChartDataset<"line", StepPoint[]>;

/** Opacity of the bands between percentiles; the nearer to the median, the darker. */
const BAND_OPACITY = [0, 0.4, 0.26, 0.14];

export function framedRuns(chart: Timeline): OverTime {
  const { percentiles, latency, rate, runs, tracks, offered } = chart;
  const area = (
    column: string,
    of: (run: TimelineRun) => readonly (number | null)[],
    color: Timeline["color"] | "alarm" = chart.color,
  ): TrackLine => ({
    column,
    values: runs.map(of),
    look: (theme) => ({
      borderColor: theme.color(color),
      borderWidth: 1.5,
      backgroundColor: faded(theme.color(color), 0.12),
      fill: "origin",
    }),
  });
  const hasFailed = runs.some(({ failed }) => failed);
  return {
    ...chart,
    offered: [offered],
    tracks: [
      {
        ...{ id: "latency", title: `Latency, ${latency.unit}`, axis: latency, weight: 5 },
        unit: latency.unit,
        lines: percentiles.map((column, i): TrackLine => ({
          column,
          values: runs.map(({ latency }) => latency[i]),
          isBound: (run, at) => runs[run].lowerBounds?.[column]?.includes(at) ?? false,
          look: (theme) => ({
            borderColor: faded(theme.color(chart.color), i === 0 ? 1 : 0.75),
            borderWidth: i === 0 ? 2 : 0.75,
            backgroundColor: faded(theme.color(chart.color), BAND_OPACITY[i]),
            fill: i === 0 ? false : "-1",
          }),
        })),
      },
      {
        ...{ id: "rate", title: "Requests/s", axis: rate, unit: "", weight: 3 },
        lines: [
          area(hasFailed ? "served/s" : rate.unit, ({ rate }) => rate),
          ...hasFailed ? [area("failed/s", failedOf, "alarm")] : [],
        ],
      },
      ...tracks.map(({ title, axis }, i): Track => ({
        ...{ id: title, title: `${title}, ${axis.unit}`, axis, unit: axis.unit, weight: 2 },
        lines: [area(title, ({ tracks }) => tracks[i])],
      })),
    ],
  };
}

function failedOf({ failed, t }: TimelineRun): readonly number[] {
  return failed ?? t.map(() => 0);
}

/**
 * All targets in one frame. It is as long as the longest timeline, and has the marks of all targets.
 * @param targets At least one. Each target's chart holds its runs. The percentiles, the time span, the unit of latency
 * and the axis of rates come from the first chart.
 */
export function framedTargets(
  targets: readonly { readonly label: string; readonly chart: Timeline }[],
): OverTime {
  const charts = targets.map(({ chart }) => chart);
  const [{ percentiles, latency, rate, span }] = charts;
  const runs = charts.flatMap(({ runs }) => runs);
  const { t } = runs.reduce((a, b) => (b.t.at(-1) ?? 0) > (a.t.at(-1) ?? 0) ? b : a);
  const bandOpacity = 0.3 / Math.sqrt(targets.length);
  const linesOf = (
    column: string,
    of: (run: TimelineRun) => readonly (number | null)[],
    shown = targets,
  ): TrackLine[] =>
    shown.map(({ label, chart: { color, runs } }) => {
      const band = overlaid(runs, t, of);
      return {
        ...{ column, of: { label, color }, band },
        values: [band.map((one) => one && one.middle)],
        look: (theme) => ({
          borderColor: theme.color(color),
          borderWidth: 1.75,
          backgroundColor: faded(theme.color(color), bandOpacity),
          fill: false,
        }),
      };
    });
  // The lowest and the highest percentile have separate tracks, so that a tail does not squeeze the
  // medians together.
  const tracks = [...new Set([0, percentiles.length - 1])].map((at): Track => {
    const lines = linesOf(percentiles[at], ({ latency }) => latency[at]);
    const ends = lines.flatMap(({ band = [] }) =>
      band.flatMap((one) => one ? [one.low, one.high] : [])
    );
    return {
      ...{ id: at === 0 ? "latency" : "tail", title: `${percentiles[at]}, ${latency.unit}` },
      axis: axisOver(latency.unit, ends, { logFrom: LATENCY_LOG_FROM }),
      ...{ unit: latency.unit, weight: 4, lines },
    };
  });
  const failing = targets.filter(({ chart }) => chart.runs.some(({ failed }) => failed));
  const failed = linesOf("failed/s", failedOf, failing).map(({ band: _, ...line }): TrackLine => ({
    ...line,
    look: (theme) => ({ ...line.look(theme), borderWidth: 1.5, borderDash: [2, 2] }),
  }));
  const marks = charts.flatMap(({ marks }) => marks)
    .filter(({ atS, label }, i, all) =>
      all.findIndex((other) => other.atS === atS && other.label === label) === i
    );
  const discardedS = Math.min(...runs.map(({ discardedS = 0 }) => discardedS));
  return {
    ...{ span, marks, isLabelled: marks.length > 0 || discardedS > 0 },
    runs: [{ label: "", t, steadyFrom: null, changes: [], ...discardedS > 0 && { discardedS } }],
    offered: charts.map(({ offered }) => offered),
    tracks: [...tracks, {
      ...{ id: "rate", title: "Requests/s", axis: rate, unit: "", weight: 3 },
      lines: [...linesOf("served/s", ({ rate }) => rate), ...failed],
    }],
  };
}

/**
 * The configuration of Chart.js for a frame. Events are turned off in it, because the scenario's figure handles the
 * pointer for all charts together.
 */
export function overTimeConfig(
  frame: OverTime,
  theme: Theme,
  marks: Marks,
): ChartConfiguration<"line", StepPoint[]> {
  const areTargets = frame.tracks.some(({ lines }) => lines.some(({ of }) => of));
  const isRead = (track = ""): boolean =>
    !areTargets || marks.track === null || marks.track === track;
  return {
    type: "line",
    data: {
      datasets: [
        ...frame.tracks.flatMap((track) =>
          track.lines.flatMap((line) => datasetsOf(frame, track, { line, theme }))
        ),
        ...frame.offered.filter(({ length }) => length > 0).map((parts) =>
          offeredLine(frame, parts, theme)
        ),
      ],
    },
    options: {
      events: [],
      layout: { padding: { top: labelsPx(frame), right: 4 } },
      elements: { point: { radius: 0, hoverRadius: 0 }, line: { borderJoinStyle: "round" } },
      scales: {
        x: timeScale(frame),
        // Reversed, because Chart.js stacks axes from the bottom up.
        ...Object.fromEntries(
          frame.tracks.map(({ id, axis, weight }) => [id, trackScale(axis, weight)])
            .reverse(),
        ),
      },
      plugins: {
        tooltip: {
          filter: ({ parsed, dataset }) =>
            parsed.y !== null && dataset.label !== "" && isRead(dataset.yAxisID),
          callbacks: {
            title: () => titleOf(frame, marks),
            label: ({ dataset, parsed }) => `${dataset.label}: ${formatNumber(parsed.y ?? 0)}`,
          },
        },
      },
    },
    plugins: [timelineMarks(frame, theme, marks)],
  };
}

/** The datasets of a line. The edges of a band have no names, so that the tooltip shows only the median. */
function datasetsOf(
  frame: OverTime,
  { id, unit }: Track,
  { line, theme }: { readonly line: TrackLine; readonly theme: Theme },
): Dataset[] {
  const { column, of, values, band } = line;
  const own = { yAxisID: id, stack: of?.label };
  const { backgroundColor, ...look } = line.look(theme);
  const name = unit === "" ? column : `${column}, ${unit}`;
  const middle: Dataset = {
    ...{ ...own, ...look, label: of ? `${of.label}, ${name}` : name },
    data: stepPoints(frame, values),
  };
  if (!band) return [{ ...middle, backgroundColor }];
  const end = (side: "low" | "high"): Dataset => ({
    ...{ ...own, label: "", borderWidth: 0, backgroundColor },
    data: stepPoints(frame, [band.map((one) => one && one[side])]),
    fill: side === "low" ? false : "-1",
  });
  return [end("low"), end("high"), middle];
}

function titleOf(frame: OverTime, { moment }: Marks): string {
  const own = moment && momentOf(frame, moment);
  const times = own && intervalTimes(frame, own);
  return times ? intervalText(frame, own.run, times) : "";
}

/** The offered load, drawn in front of the other lines so that it stays visible where a target keeps up with it. */
function offeredLine(frame: OverTime, parts: readonly OfferedPart[], theme: Theme): Dataset {
  return {
    ...{ label: "", yAxisID: "rate", order: -1, fill: false },
    ...{ borderColor: theme.ink, borderWidth: 1.25, borderDash: [5, 3] },
    data: frame.runs.flatMap((_, run) => {
      const start = startOf(frame, run);
      const points = parts.flatMap(({ fromS, toS, from, to }) => [
        { x: start + fromS, y: from },
        { x: start + toS, y: to },
      ]);
      return [...points, { x: start + frame.span, y: null }];
    }),
  };
}

/** Highlights the interval of the marked moment, and shows the value of each line in the tooltip. */
export function pointOut(drawing: Chart, frame: OverTime, { moment }: Marks): void {
  const index = moment && indexOf(frame, momentOf(frame, moment));
  const active = index === null
    ? []
    : drawing.data.datasets.flatMap(({ data }, datasetIndex) =>
      index < data.length ? [{ datasetIndex, index }] : []
    );
  drawing.setActiveElements(active);
  drawing.tooltip?.setActiveElements(active, { x: 0, y: drawing.chartArea.top });
  drawing.draw();
}

/** A line counts as under the pointer within this distance. */
const NEAR_PX = 24;

/** Target of the line in a track that is nearest to the pointer; null if none is near. */
export function targetAt(drawing: Chart, track: string | null, y: number): string | null {
  let [nearest, target]: [number, string | null] = [NEAR_PX, null];
  for (const { datasetIndex, element } of drawing.getActiveElements()) {
    const dataset = drawing.data.datasets[datasetIndex];
    const isOn = dataset.label !== "" && drawing.getDatasetMeta(datasetIndex).yAxisID === track;
    const away = Math.abs(element.y - y);
    if (isOn && away < nearest) [nearest, target] = [away, targetOf(labelOf(dataset))];
  }
  return target;
}

/**
 * A table with a row for each interval of each run or target. For a target, each cell has the median of its runs, with
 * the lowest and the highest value below it.
 */
export function frameTable(frame: OverTime, caption: string): Table {
  const all = frame.tracks.flatMap(({ lines, unit }) => lines.map((line) => ({ line, unit })));
  const owners = Map.groupBy(all.map(({ line }) => line), ({ of }) => of?.label);
  const rows = [...owners.values()].flatMap((lines) =>
    frame.runs.flatMap(({ label, t }, run) => {
      const of = lines[0].of ?? { label };
      return t.map((endS, i) => ({ lines, of, run, endS, i }));
    })
  );
  return tableOf({ caption }, rows, [
    column.name(all[0].line.of ? "Target" : "Run", ({ of: { label, ...color } }) => ({
      text: label,
      ...color,
    })),
    column.number("End", ({ endS }) => endS, unitNamed("s")),
    ...new Map(all.map(({ line: { column }, unit }) => [column, {
      ...{ label: column, unit },
      cell: ({ lines, run, i }: typeof rows[number]) =>
        cellOf(lines.find((line) => line.column === column), run, i),
    }])).values(),
  ]);
}

/**
 * The cell of a line. The only line that can be missing is that of failed requests, if none of the target's requests
 * failed, so a missing line counts as 0.
 */
function cellOf(line: TrackLine | undefined, run: number, i: number): TableCell {
  const value = line ? line.values[run][i] : 0;
  if (value === null) return NONE;
  const cell = measuredCell({ value, isAtLeast: line?.isBound?.(run, i) ?? false });
  const band = line?.band?.[i];
  return band && band.low !== band.high
    ? { ...cell, below: `${formatNumber(band.low)}–${formatNumber(band.high)}` }
    : cell;
}
