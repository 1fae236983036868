/** The runs of one cell side by side over time: latency percentiles, requests per second, CPU and the like, each in a track. */
import type { Chart, ChartConfiguration, ChartDataset } from "chart.js";
import type { OfferedPart, Timeline, TimelineRun } from "../../chart.ts";
import { formatNumber } from "../../writing/units.ts";
import { trackScale } from "../charts/scales.ts";
import { faded, type Theme, tooltip } from "../charts/theme.ts";
import {
  intervalText,
  intervalTimes,
  type RunMoment,
  type RunsAxis,
  startOf,
  type StepPoint,
  stepPoints,
  timeScale,
} from "./axis.ts";
import { labelsPx, type Marks, momentOf, timelineMarks, type TrackTitles } from "./marks.ts";

export type TimelineConfig = ChartConfiguration<"line", StepPoint[]>;
export type Dataset = ChartDataset<"line", StepPoint[]>;

export function timelineConfig(data: Timeline, theme: Theme, marks: Marks): TimelineConfig {
  return {
    type: "line",
    data: { datasets: datasetsOf(data, theme) },
    options: {
      ...lineOptions(data, theme, marks),
      layout: { padding: { top: labelsPx(data), right: 4 } },
      // Tracks are stacked from the bottom up.
      scales: {
        x: timeScale(data, theme),
        ...Object.fromEntries(
          data.tracks.map(({ title, axis }) => [title, trackScale(axis, theme, 2)])
            .reverse(),
        ),
        rate: trackScale(data.rate, theme, 3),
        latency: trackScale(data.latency, theme, 5),
      },
    },
    plugins: [
      timelineMarks(data, theme, { marks, titles: titlesOf(data) }),
      offeredLine(data, theme),
    ],
  };
}

function titlesOf({ latency, tracks }: Timeline): TrackTitles {
  return {
    latency: `Latency, ${latency.unit}`,
    rate: "Requests/s",
    ...Object.fromEntries(tracks.map((track) => [track.title, nameOf(track)])),
  };
}

function nameOf({ title, axis }: Timeline["tracks"][number]): string {
  return `${title}, ${axis.unit}`;
}

/**
 * What all lines over time share. The figure shows the interval under the pointer: Chart.js itself follows none.
 *
 * @param isRead Whether the values of a track are shown to the pointer.
 */
export function lineOptions(
  data: RunsAxis,
  theme: Theme,
  marks: Marks,
  isRead: (track: string) => boolean = () => true,
): NonNullable<TimelineConfig["options"]> {
  return {
    events: [],
    elements: { point: { radius: 0, hoverRadius: 0 }, line: { borderJoinStyle: "round" } },
    plugins: {
      tooltip: {
        ...tooltip(theme),
        filter: ({ parsed, dataset }) =>
          parsed.y !== null && dataset.label !== "" && isRead(dataset.yAxisID ?? ""),
        callbacks: {
          title: () => marks.moment === null ? "" : titleOf(data, momentOf(data, marks.moment)),
          label: ({ dataset, parsed }) => `${dataset.label}: ${formatNumber(parsed.y ?? 0)}`,
        },
      },
    },
  };
}

/** `run 2, 4–4.25 s`. */
function titleOf(data: RunsAxis, moment: RunMoment): string {
  const times = intervalTimes(data, moment);
  if (times === null) return "";
  return `${data.runs.length > 1 ? `${data.runs[moment.run].label}, ` : ""}${intervalText(times)}`;
}

/** Over the other lines: where a target keeps up, both are seen. */
export function offeredLine(
  data: RunsAxis & { readonly offered: readonly OfferedPart[] },
  theme: Theme,
): { id: string; afterDatasetsDraw(drawing: Chart): void } {
  return {
    id: "offered",
    afterDatasetsDraw({ ctx, scales: { x, rate } }): void {
      ctx.save();
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1.25;
      ctx.setLineDash([5, 3]);
      data.runs.forEach((_, run) => {
        const start = startOf(data, run);
        ctx.beginPath();
        for (const { fromS, toS, from, to } of data.offered) {
          ctx.lineTo(x.getPixelForValue(start + fromS), rate.getPixelForValue(from));
          ctx.lineTo(x.getPixelForValue(start + toS), rate.getPixelForValue(to));
        }
        ctx.stroke();
      });
      ctx.restore();
    },
  };
}

/** The band between two percentiles, darker towards the median. */
const BAND_OPACITY = [0, 0.4, 0.26, 0.14];

function datasetsOf(data: Timeline, theme: Theme): Dataset[] {
  const color = theme.color(data.color);
  const pointsOf = (of: (run: TimelineRun) => readonly (number | null)[]): StepPoint[] =>
    stepPoints(data, (run) => of(data.runs[run]));
  const latency = data.percentiles.map((label, i): Dataset => ({
    label: `${label}, ${data.latency.unit}`,
    yAxisID: "latency",
    data: pointsOf((run) => run.latency[i]),
    borderColor: i === 0 ? color : faded(color, 0.75),
    borderWidth: i === 0 ? 2 : 0.75,
    backgroundColor: faded(color, BAND_OPACITY[i]),
    fill: i === 0 ? false : "-1",
  }));
  const lower = (
    track: string,
    label: string,
    of: (run: TimelineRun) => readonly (number | null)[],
    drawn = color,
  ): Dataset => ({
    label,
    yAxisID: track,
    data: pointsOf(of),
    borderColor: drawn,
    borderWidth: 1.5,
    backgroundColor: faded(drawn, 0.12),
    fill: "origin",
  });
  const hasFailed = data.runs.some(({ failed }) => failed);
  return [
    ...latency,
    lower("rate", hasFailed ? "served/s" : data.rate.unit, (run) => run.rate),
    ...(hasFailed
      ? [lower("rate", "failed/s", (run) => run.failed ?? run.t.map(() => 0), theme.alarm)]
      : []),
    ...data.tracks.map((track, i) => lower(track.title, nameOf(track), (run) => run.tracks[i])),
  ];
}
