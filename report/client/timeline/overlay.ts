/** The targets of a scenario in one frame: a line for the median of each one's runs, a band from its lowest run to its highest. */
import type { Chart } from "chart.js";
import {
  overlaid,
  type OverlaidTarget,
  type OverlayLine,
} from "../../subjects/charts/over_time.ts";
import type { Axis, TimelineChart } from "../../subjects/charts/charts.ts";
import { latencyAxis } from "../../subjects/charts/time_range.ts";
import { trackScale } from "../charts/scales.ts";
import { stackOf } from "../charts/linked_charts.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { targetOf } from "../linked/choice.ts";
import {
  indexOf,
  type IntervalPosition,
  type RunsAxis,
  type StepPoint,
  stepPoints,
  timeScale,
} from "./axis.ts";
import { type Dataset, lineOptions, offeredLine, type TimelineConfig } from "./chart.ts";
import { isLabelled, labelsPx, type MarkedRuns, type Marks, timelineMarks } from "./marks.ts";

/** A shown target. */
export interface ShownTarget {
  readonly label: string;
  readonly chart: TimelineChart;
}

/** @param shown At least one, with the runs and percentiles that are shown, on one latency axis. */
export function overlayConfig(
  shown: readonly ShownTarget[],
  theme: Theme,
  marks: Marks,
): TimelineConfig {
  const targets = shown.map(({ label, chart }) => ({ label, chart, target: overlaid(chart) }));
  const data = overlaidRuns(shown);
  const [{ chart: { percentiles, latency, rate } }] = shown;
  const tracks = shownPercentiles(percentiles);
  const titles = {
    ...Object.fromEntries(tracks.map(({ name, track }) => [track, `${name}, ${latency.unit}`])),
    rate: "Requests/s",
  };
  const bandOpacity = 0.3 / Math.sqrt(shown.length);
  const datasets = targets.flatMap(({ label, chart: { color }, target }): Dataset[] => {
    const drawn = theme.series(color);
    const banded = (track: string, values: OverlayLine, name: string): Dataset[] =>
      bandDatasets({ track, values, name, color: drawn, bandOpacity }, target);
    return [
      ...tracks.flatMap(({ name, track, at }) =>
        banded(track, target.latency[at], `${label}, ${name} ${latency.unit}`)
      ),
      ...banded("rate", target.rate, `${label}, served/s`),
      ...(target.failed ? failedDatasets(target, label, drawn) : []),
    ].map((dataset) => ({ ...dataset, stack: label }));
  });
  return {
    type: "line",
    data: { datasets },
    options: {
      ...lineOptions(data, theme, marks, (track) => marks.track === null || marks.track === track),
      layout: { padding: { top: labelsPx(data, isLabelled(data)), right: 4 } },
      scales: {
        x: timeScale(data, theme),
        rate: trackScale(rate, { theme, weight: 3 }),
        ...Object.fromEntries(
          tracks.toReversed().map(({ track, at }) => [
            track,
            trackScale(fittedAxis(targets.map(({ target }) => target.latency[at]), latency.unit), {
              theme,
              weight: 4,
            }),
          ]),
        ),
      },
    },
    plugins: [
      timelineMarks(data, theme, { marks, titles }),
      ...shown.map(({ chart: { offered } }, i) => ({
        ...offeredLine({ ...data, offered }, theme),
        id: `offered${i}`,
      })),
    ],
  };
}

/** All of them as one run: as long as the longest, marked where any of them is. */
export function overlaidRuns(shown: readonly ShownTarget[]): MarkedRuns {
  const charts = shown.map(({ chart }) => chart);
  const runs = charts.flatMap(({ runs }) => runs);
  const { t } = runs.reduce((a, b) => b.t.length > a.t.length ? b : a);
  const marks = charts.flatMap(({ marks }) => marks)
    .filter(({ atS, label }, i, all) =>
      all.findIndex((other) => other.atS === atS && other.label === label) === i
    );
  const discarded = runs.map(({ discardedS }) => discardedS ?? 0);
  const discardedS = Math.min(...discarded);
  return {
    span: charts[0].span,
    marks,
    runs: [{ label: "", t, steadyFrom: null, changes: [], ...(discardedS > 0 && { discardedS }) }],
  };
}

/** The lowest and the highest of those that are shown; each has a track of its own. */
function shownPercentiles(
  percentiles: readonly string[],
): { readonly name: string; readonly track: string; readonly at: number }[] {
  return [...new Set([0, percentiles.length - 1])].map((at) => ({
    at,
    name: percentiles[at],
    track: at === 0 ? "latency" : "tail",
  }));
}

/** Of one track alone: a tail must not press the medians together. */
function fittedAxis(lines: readonly OverlayLine[], unit: string): Axis {
  const bands = lines.flat().filter((band) => band !== null);
  return latencyAxis(
    unit,
    Math.min(...bands.map(({ low }) => low)),
    Math.max(0, ...bands.map(({ high }) => high)),
  );
}

interface TrackBand {
  readonly track: string;
  readonly values: OverlayLine;
  readonly name: string;
  readonly color: string;
  readonly bandOpacity: number;
}

/** Without a name, which is the median's, the ends of the band say nothing to the pointer. */
function bandDatasets(
  { track, values, name, color, bandOpacity }: TrackBand,
  { t }: OverlaidTarget,
): Dataset[] {
  const pointsOf = (of: (band: NonNullable<OverlayLine[number]>) => number): StepPoint[] =>
    stepPoints({ span: 0, runs: [{ label: "", t }] }, () => values.map((band) => band && of(band)));
  const end = { label: "", yAxisID: track, borderWidth: 0 };
  return [
    { ...end, data: pointsOf(({ low }) => low), fill: false },
    {
      ...end,
      data: pointsOf(({ high }) => high),
      backgroundColor: faded(color, bandOpacity),
      fill: "-1",
    },
    {
      label: name,
      yAxisID: track,
      data: pointsOf(({ middle }) => middle),
      borderColor: color,
      borderWidth: 1.75,
      fill: false,
    },
  ];
}

function failedDatasets({ t, failed }: OverlaidTarget, label: string, color: string): Dataset[] {
  return [{
    label: `${label}, failed/s`,
    yAxisID: "rate",
    data: stepPoints(
      { span: 0, runs: [{ label: "", t }] },
      () => failed?.map((band) => band && band.middle) ?? [],
    ),
    borderColor: color,
    borderWidth: 1.5,
    borderDash: [2, 2],
    fill: false,
  }];
}

/** A line so near belongs to what is under the pointer. */
const NEAR_PX = 24;

interface PointedPlace {
  readonly axis: RunsAxis;
  readonly moment: IntervalPosition;
  readonly track: string | undefined;
  readonly y: number;
}

/** The target whose median is nearest; null where none is near. */
export function targetAt(drawing: Chart, { axis, moment, track, y }: PointedPlace): string | null {
  const index = indexOf(axis, moment) ?? 0;
  let [nearest, target]: [number, string | null] = [NEAR_PX, null];
  drawing.data.datasets.forEach((dataset, i) => {
    const { yAxisID, data } = drawing.getDatasetMeta(i);
    const away = Math.abs((data.at(index)?.y ?? Infinity) - y);
    if (dataset.label === "" || yAxisID !== track || !(away < nearest)) return;
    [nearest, target] = [away, targetOf(stackOf(dataset))];
  });
  return target;
}
