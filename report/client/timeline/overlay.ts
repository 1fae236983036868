/** The targets of a scenario in one frame: a line for the median of each one's runs, a band from its lowest run to its highest. */
import type { Chart } from "chart.js";
import {
  overlaid,
  type OverlaidTarget,
  type OverlayLine,
} from "../../subjects/charts/over_time.ts";
import type { Axis, Timeline } from "../../chart.ts";
import { latencyAxis } from "../../subjects/charts/time_range.ts";
import { trackScale } from "../charts/scales.ts";
import { labelOf } from "../charts/linked_charts.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { targetOf } from "../linked/choice.ts";
import { type StepPoint, stepPoints, timeScale } from "./axis.ts";
import { type Dataset, lineOptions, offeredLine, type TimelineConfig } from "./chart.ts";
import { labelsPx, type MarkedRuns, type Marks, timelineMarks } from "./marks.ts";

/** A shown target. */
export interface ShownTarget {
  readonly label: string;
  readonly chart: Timeline;
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
    const drawn = theme.color(color);
    const banded = (track: string, values: OverlayLine, name: string): Dataset[] =>
      bandDatasets({ track, values, name, color: drawn, bandOpacity }, target);
    return [
      ...tracks.flatMap(({ name, track, at }) =>
        banded(track, target.latency[at], `${label}, ${name} ${latency.unit}`)
      ),
      ...banded("rate", target.rate, `${label}, served/s`),
      ...target.failed
        ? [{
          label: `${label}, failed/s`,
          yAxisID: "rate",
          data: pointsOf(target, target.failed, ({ middle }) => middle),
          borderColor: drawn,
          borderWidth: 1.5,
          borderDash: [2, 2],
          fill: false,
        }]
        : [],
    ].map((dataset) => ({ ...dataset, stack: label }));
  });
  return {
    type: "line",
    data: { datasets },
    options: {
      ...lineOptions(data, theme, marks, (track) => marks.track === null || marks.track === track),
      layout: { padding: { top: labelsPx(data), right: 4 } },
      scales: {
        x: timeScale(data, theme),
        rate: trackScale(rate, theme, 3),
        ...Object.fromEntries(
          tracks.toReversed().map(({ track, at }) => [
            track,
            trackScale(
              fittedAxis(targets.map(({ target }) => target.latency[at]), latency.unit),
              theme,
              4,
            ),
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
  const discardedS = Math.min(...runs.map(({ discardedS = 0 }) => discardedS));
  return {
    span: charts[0].span,
    marks,
    runs: [{ label: "", t, steadyFrom: null, changes: [], ...(discardedS > 0 && { discardedS }) }],
    isLabelled: marks.length > 0 || discardedS > 0,
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
  target: OverlaidTarget,
): Dataset[] {
  const end = { label: "", yAxisID: track, borderWidth: 0 };
  return [
    { ...end, data: pointsOf(target, values, ({ low }) => low), fill: false },
    {
      ...end,
      data: pointsOf(target, values, ({ high }) => high),
      backgroundColor: faded(color, bandOpacity),
      fill: "-1",
    },
    {
      label: name,
      yAxisID: track,
      data: pointsOf(target, values, ({ middle }) => middle),
      borderColor: color,
      borderWidth: 1.75,
      fill: false,
    },
  ];
}

function pointsOf(
  { t }: OverlaidTarget,
  line: OverlayLine,
  of: (band: NonNullable<OverlayLine[number]>) => number,
): StepPoint[] {
  return stepPoints(
    { span: 0, runs: [{ label: "", t }] },
    () => line.map((band) => band && of(band)),
  );
}

/** A line so near belongs to what is under the pointer. */
const NEAR_PX = 24;

/** Of the lines of a track that are pointed at, whose one is nearest; null where none is near. */
export function targetAt(drawing: Chart, track: string | undefined, y: number): string | null {
  let [nearest, target]: [number, string | null] = [NEAR_PX, null];
  for (const { datasetIndex, element } of drawing.getActiveElements()) {
    const dataset = drawing.data.datasets[datasetIndex];
    const isOn = dataset.label !== "" && drawing.getDatasetMeta(datasetIndex).yAxisID === track;
    const away = Math.abs(element.y - y);
    if (isOn && away < nearest) [nearest, target] = [away, targetOf(labelOf(dataset))];
  }
  return target;
}
