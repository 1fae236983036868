/** The runs of one cell side by side over time: latency percentiles, requests per second, CPU, each in a lane. */
import type { ChartConfiguration, ChartDataset, Plugin, Scale } from "chart.js";
import type { TimelineChart, TimelineRun } from "../../charts.ts";
import { formatNumber, formatTick } from "../../units.ts";
import { type AxisOptions, laneScale, roundStep } from "./scales.ts";
import { tooltip } from "./tooltip.ts";
import { faded, type Theme } from "./theme.ts";

/** Blank between two runs, as a share of a run's time. */
const GAP = 0.06;

interface Point {
  readonly x: number;
  readonly y: number | null;
}

type Dataset = ChartDataset<"line", Point[]>;
type Config = ChartConfiguration<"line", Point[]>;

type Lane = "latency" | "rate" | "cpu";

/** Where run `index` begins on the axis. */
function startOf({ span }: TimelineChart, index: number): number {
  return index * span * (1 + GAP);
}

export function timelineConfig(data: TimelineChart, theme: Theme): Config {
  return {
    type: "line",
    data: { datasets: datasetsOf(data, theme) },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      elements: { point: { radius: 0, hoverRadius: 0 }, line: { borderJoinStyle: "round" } },
      layout: { padding: { top: data.runs.length > 1 ? 18 : 4, right: 4 } },
      // Lanes are stacked from the bottom up.
      scales: {
        x: timeScale(data, theme),
        ...(data.cpu && { cpu: laneScale(data.cpu, { theme, weight: 2 }) }),
        rate: laneScale(data.rate, { theme, weight: 3 }),
        latency: laneScale(data.latency, { theme, weight: 5 }),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          filter: ({ parsed }) => parsed.y !== null,
          callbacks: {
            title: ([item]) => item ? momentText(data, item.dataIndex) : "",
            label: ({ dataset, parsed }) => `${dataset.label}: ${formatNumber(parsed.y ?? 0)}`,
          },
        },
      },
    },
    plugins: [runsAndTitles(data, theme)],
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
    borderColor: i === 0 ? color : faded(color, 0.75),
    borderWidth: i === 0 ? 2 : 0.75,
    backgroundColor: faded(color, BAND_OPACITY[i]),
    fill: i === 0 ? false : "-1",
  }));
  const lower = (lane: Lane, unit: string, of: (run: TimelineRun) => Values): Dataset => ({
    label: unit,
    yAxisID: lane,
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
  ];
}

type Values = readonly (number | null)[];

/** The runs one after the other, each followed by a null that ends its line. */
function pointsOf(data: TimelineChart, of: (run: TimelineRun) => Values): Point[] {
  return data.runs.flatMap((run, i) => {
    const values = of(run);
    const start = startOf(data, i);
    const end = { x: start + data.span, y: null };
    return [...run.t.map((t, k) => ({ x: start + t, y: values[k] })), end];
  });
}

/** What the point at `index` of every dataset is called. */
function momentText({ runs }: TimelineChart, index: number): string {
  let at = index;
  for (const { label, t } of runs) {
    if (at < t.length) return `${runs.length > 1 ? `${label}, ` : ""}${formatNumber(t[at])} s`;
    at -= t.length + 1;
  }
  return "";
}

/** Narrower runs have only their number. */
const LABEL_PX = 44;

/** Bands behind the runs with their names, and the name of each lane at its top. */
function runsAndTitles(data: TimelineChart, theme: Theme): Plugin<"line"> {
  const lanes: [Lane, string][] = [
    ["latency", `Latency, ${data.latency.unit}`],
    ["rate", "Requests/s"],
    ["cpu", `CPU, ${data.cpu?.unit}`],
  ];
  return {
    id: "runsAndTitles",
    beforeDatasetsDraw({ ctx, chartArea: { top, bottom }, scales: { x } }): void {
      if (data.runs.length === 1) return;
      ctx.save();
      ctx.font = `11px ${theme.font}`;
      data.runs.forEach(({ label }, i) => {
        const left = x.getPixelForValue(startOf(data, i));
        const width = x.getPixelForValue(startOf(data, i) + data.span) - left;
        ctx.fillStyle = faded(theme.muted, 0.07);
        ctx.fillRect(left, top, width, bottom - top);
        ctx.fillStyle = theme.muted;
        ctx.fillText(width > LABEL_PX ? label : label.replace(/\D+/, ""), left + 2, top - 5, width);
      });
      ctx.restore();
    },
    afterDatasetsDraw({ ctx, scales }): void {
      ctx.save();
      ctx.font = `600 11px ${theme.font}`;
      ctx.fillStyle = theme.muted;
      ctx.strokeStyle = theme.paper;
      ctx.lineWidth = 3;
      ctx.textBaseline = "top";
      for (const [lane, title] of lanes) {
        const scale = scales[lane];
        if (!scale) continue;
        // A halo keeps the title readable on a line of the grid.
        ctx.strokeText(title, scale.right + 4, scale.top + 3);
        ctx.fillText(title, scale.right + 4, scale.top + 3);
      }
      ctx.restore();
    },
  };
}

const TICK_PX = 44;
/** A tick this near to the next run's start, in steps, would run into its label. */
const NEAR_NEXT_RUN = 0.45;

/** Seconds since the start of each run, at round steps. */
function timeScale(data: TimelineChart, theme: Theme): AxisOptions {
  const { runs, span } = data;
  return {
    type: "linear",
    min: 0,
    max: startOf(data, runs.length - 1) + span,
    border: { color: theme.line },
    grid: { display: false },
    ticks: {
      color: theme.muted,
      font: { family: theme.font, size: 11 },
      maxRotation: 0,
      autoSkip: false,
      callback: (value) => secondsText(data, Number(value)),
    },
    afterBuildTicks: (scale: Scale) => {
      const ticks = Math.max(1, Math.floor(scale.chart.width / TICK_PX / runs.length));
      const step = roundStep(span / ticks);
      const most = Math.floor((startOf(data, 1) - step * NEAR_NEXT_RUN) / step);
      const seconds = Array.from({ length: most + 1 }, (_, i) => i * step);
      scale.ticks = runs.flatMap((_, i) =>
        seconds.map((second) => ({ value: startOf(data, i) + second }))
      );
    },
  };
}

function secondsText(data: TimelineChart, value: number): string {
  const run = Math.floor(value / startOf(data, 1) + 1e-6);
  const seconds = value - startOf(data, run);
  return seconds < 1e-6 ? "0 s" : formatTick(seconds);
}
