/** The runs of one cell side by side over time: latency percentiles, requests per second, CPU, memory, each in a track. */
import type { ActiveElement, ChartConfiguration, ChartDataset } from "chart.js";
import type { TimelineChart, TimelineRun } from "../../../model/charts/charts.ts";
import { formatNumber } from "../../../model/numbers/units.ts";
import { trackScale } from "../charts/scales.ts";
import { faded, type Theme, tooltip } from "../charts/theme.ts";
import { momentText, startOf, timeScale } from "./axis.ts";
import { type Marks, timelineMarks } from "./marks.ts";

interface TrackPoint {
  readonly x: number;
  readonly y: number | null;
}

type Dataset = ChartDataset<"line", TrackPoint[]>;
type TimelineConfig = ChartConfiguration<"line", TrackPoint[]>;

type TrackName = "latency" | "rate" | "cpu" | "memory";

interface TimelineOptions {
  readonly theme: Theme;
  readonly marks: Marks;
  /** Called with the index of the points under the pointer. */
  readonly onHover: (index: number | null) => void;
}

export function timelineConfig(
  data: TimelineChart,
  { theme, marks, onHover }: TimelineOptions,
): TimelineConfig {
  return {
    type: "line",
    data: { datasets: datasetsOf(data, theme) },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      onHover: (_, active: readonly ActiveElement[]) => onHover(active.at(0)?.index ?? null),
      elements: { point: { radius: 0, hoverRadius: 0 }, line: { borderJoinStyle: "round" } },
      layout: { padding: { top: data.runs.length > 1 ? 18 : 4, right: 4 } },
      // Tracks are stacked from the bottom up.
      scales: {
        x: timeScale(data, theme),
        ...(data.memory && { memory: trackScale(data.memory, { theme, weight: 2 }) }),
        ...(data.cpu && { cpu: trackScale(data.cpu, { theme, weight: 2 }) }),
        rate: trackScale(data.rate, { theme, weight: 3 }),
        latency: trackScale(data.latency, { theme, weight: 5 }),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          filter: ({ parsed }) => parsed.y !== null && !marks.isDragged,
          callbacks: {
            title: ([item]) => item ? momentText(data, item.dataIndex) : "",
            label: ({ dataset, parsed }) => `${dataset.label}: ${formatNumber(parsed.y ?? 0)}`,
          },
        },
      },
    },
    plugins: [timelineMarks(data, theme, marks)],
  };
}

/** The band between two percentiles, darker towards the median. */
const BAND_OPACITY = [0, 0.4, 0.26, 0.14];

function datasetsOf(data: TimelineChart, theme: Theme): Dataset[] {
  const color = theme.series(data.color);
  const latency = data.percentiles.map((label, i): Dataset => ({
    label: `${label}, ${data.latency.unit}`,
    yAxisID: "latency",
    data: pointsOf(data, (run) => run.latency[i]),
    pointRadius: ({ dataset, dataIndex }) =>
      isAlone(dataset.data as TrackPoint[], dataIndex) ? 2 : 0,
    pointBackgroundColor: color,
    borderColor: i === 0 ? color : faded(color, 0.75),
    borderWidth: i === 0 ? 2 : 0.75,
    backgroundColor: faded(color, BAND_OPACITY[i]),
    fill: i === 0 ? false : "-1",
  }));
  const lower = (
    track: TrackName,
    unit: string,
    of: (run: TimelineRun) => LineValues,
  ): Dataset => ({
    label: unit,
    yAxisID: track,
    data: pointsOf(data, of),
    borderColor: color,
    borderWidth: 1.5,
    backgroundColor: faded(color, 0.12),
    fill: "origin",
  });
  return [
    ...latency,
    lower("rate", data.rate.unit, (run) => run.rate),
    ...(data.cpu ? [lower("cpu", `CPU, ${data.cpu.unit}`, (run) => run.cpu)] : []),
    ...(data.memory ? [lower("memory", `memory, ${data.memory.unit}`, (run) => run.memory)] : []),
  ];
}

/** A value between intervals without one: no line goes through it. */
function isAlone(points: readonly TrackPoint[], at: number): boolean {
  const has = (index: number): boolean => (points[index]?.y ?? null) !== null;
  return has(at) && !has(at - 1) && !has(at + 1);
}

type LineValues = readonly (number | null)[];

/** The runs one after the other, each followed by a null that ends its line. */
function pointsOf(data: TimelineChart, of: (run: TimelineRun) => LineValues): TrackPoint[] {
  return data.runs.flatMap((run, i) => {
    const values = of(run);
    const start = startOf(data, i);
    const end = { x: start + data.span, y: null };
    return [...run.t.map((t, k) => ({ x: start + t, y: values[k] })), end];
  });
}
