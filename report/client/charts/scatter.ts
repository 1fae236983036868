/// <reference lib="dom" />
/** A figure against another: dots with their intervals; about the line of equality, where there is one, the far ones ringed. */
import type { Chart, ChartConfiguration, ChartDataset, Plugin, Point } from "chart.js";
import type { Axis, OrderChart, ScatterChart } from "../../subjects/charts/charts.ts";
import { formatMoment, formatNumber, formatShare } from "../../writing/units.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

/** One for each scenario, in their order, filled all; the page's legend shows the same. */
const MARKS = [
  { style: "circle", degrees: 0, radiusPx: 4.5 },
  { style: "triangle", degrees: 0, radiusPx: 5.5 },
  { style: "rect", degrees: 0, radiusPx: 5.5 },
  { style: "rectRot", degrees: 0, radiusPx: 5.5 },
  { style: "triangle", degrees: 180, radiusPx: 5.5 },
  { style: "triangle", degrees: 90, radiusPx: 5.5 },
  { style: "triangle", degrees: 270, radiusPx: 5.5 },
] as const;

const HOVERED_PX = 7;
/** Near enough to be meant by a finger, too. */
const HIT_PX = 10;
const TICKS = 7;

export function scatterConfig(
  data: ScatterChart,
  theme: Theme,
): ChartConfiguration<"line", Point[]> {
  const { titles: [across, upwards], points } = data;
  return {
    type: "line",
    data: { datasets: [dotsOf(data, theme)] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { top: 4, right: 14 } },
      interaction: { mode: "nearest", intersect: true },
      scales: {
        x: titledScale(data.x, across, theme),
        y: titledScale(data.y, upwards, theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? points[item.dataIndex].label : "",
            label: ({ dataIndex }) => [...points[dataIndex].lines],
          },
        },
      },
    },
    plugins: [intervals(data, theme)],
  };
}

function dotsOf({ points }: ScatterChart, theme: Theme): ChartDataset<"line", Point[]> {
  const colors = points.map(({ color }) => theme.series(color));
  const marks = points.map(({ mark }) => MARKS[mark % MARKS.length]);
  return {
    data: points.map(({ x, y }) => ({ x, y })),
    showLine: false,
    // A dot at 0 is whole, too.
    clip: HOVERED_PX,
    pointStyle: marks.map(({ style }) => style),
    pointRotation: marks.map(({ degrees }) => degrees),
    pointRadius: marks.map(({ radiusPx }) => radiusPx),
    pointHoverRadius: HOVERED_PX,
    pointHitRadius: HIT_PX,
    pointBorderWidth: points.map(({ isFar }) => isFar ? 2 : 1.5),
    pointBorderColor: points.map(({ isFar }, i) => isFar ? theme.ink : colors[i]),
    pointBackgroundColor: points.map(({ isFar }, i) => isFar ? colors[i] : faded(colors[i], 0.45)),
  };
}

export function titledScale(axis: Axis, text: string, theme: Theme, ticks = TICKS): AxisOptions {
  const font = { family: theme.font, size: 12 };
  return {
    ...valueScale(axis, theme, ticks),
    title: { display: true, text, color: theme.muted, font },
  };
}

/** Behind the dots. */
function intervals(data: ScatterChart, theme: Theme): Plugin<"line"> {
  const { x: axis, farRatio } = data;
  return {
    id: "intervals",
    beforeDatasetsDraw(chart): void {
      chart.ctx.save();
      if (farRatio !== null) drawEquality(chart, { axis, farRatio }, theme);
      drawIntervals(chart, data, theme);
      chart.ctx.restore();
    },
  };
}

/** The line, and the band about it in which no difference is called out. */
function drawEquality(
  { ctx, chartArea: { left, top, width, height }, scales: { x, y } }: Chart,
  { axis: { min, max }, farRatio }: { readonly axis: Axis; readonly farRatio: number },
  theme: Theme,
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  const corners = [[min, farRatio], [max, farRatio], [max, 1 / farRatio], [min, 1 / farRatio]];
  ctx.beginPath();
  for (const [at, factor] of corners) {
    ctx.lineTo(x.getPixelForValue(at), y.getPixelForValue(at * factor));
  }
  ctx.fillStyle = faded(theme.ink, 0.07);
  ctx.fill();
  ctx.beginPath();
  ctx.moveTo(x.getPixelForValue(min), y.getPixelForValue(min));
  ctx.lineTo(x.getPixelForValue(max), y.getPixelForValue(max));
  ctx.strokeStyle = theme.muted;
  ctx.setLineDash([6, 4]);
  ctx.stroke();
  ctx.restore();
}

/** Intervals are drawn where they are longer than their dot. */
function drawIntervals(
  { ctx, scales: { x, y } }: Chart,
  { points }: ScatterChart,
  theme: Theme,
): void {
  ctx.lineWidth = 1.5;
  for (const { x: at, low, high, color } of points) {
    if (low === null || high === null) continue;
    ctx.strokeStyle = theme.series(color);
    ctx.beginPath();
    ctx.moveTo(x.getPixelForValue(at), y.getPixelForValue(low));
    ctx.lineTo(x.getPixelForValue(at), y.getPixelForValue(high));
    ctx.stroke();
  }
}

// Every run in time: a dot against the mean of its cell, by its trust; beneath, how busy the machine was.

const RADIUS_PX = 3.5;
/** Of the columns beneath the dots, at most. */
const FOOT_PX = 26;

export function orderConfig(
  data: OrderChart,
  theme: Theme,
): ChartConfiguration<"line", Point[]> {
  const { runs } = data;
  const colors = runs.map(({ color }) => theme.series(color));
  return {
    type: "line",
    data: {
      datasets: [{
        data: runs.map(({ ratio }, i) => ({ x: i + 1, y: ratio })),
        showLine: false,
        clip: RADIUS_PX * 2,
        pointStyle: runs.map(({ trust }) => trust === "invalid" ? "crossRot" : "circle"),
        pointRadius: RADIUS_PX,
        pointHoverRadius: RADIUS_PX + 2,
        pointHitRadius: 8,
        pointBorderWidth: 1.5,
        pointBorderColor: colors,
        pointBackgroundColor: runs.map(({ trust }, i) =>
          trust === "valid" ? colors[i] : theme.paper
        ),
      }],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { top: 6, right: 14 } },
      interaction: { mode: "nearest", intersect: true },
      scales: {
        x: titledScale(
          { unit: "", scale: "linear", min: 0, max: runs.length + 1 },
          "runs in the order in which they ran",
          theme,
        ),
        y: titledScale(data.axis, "requests/s", theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? runs[item.dataIndex].label : "",
            label: ({ dataIndex }) => runLines(runs[dataIndex]),
          },
        },
      },
    },
    plugins: [{ id: "busy", beforeDatasetsDraw: (chart) => drawBusy(chart, data, theme) }],
  };
}

/** `0.98×`. */
function shareOfMean(ratio: number): string {
  return ratio < LEAST_SHARE ? `< ${LEAST_SHARE}×` : `${formatNumber(ratio, 3)}×`;
}

const LEAST_SHARE = 0.001;

function runLines(
  { rate, mean, order, startedAt, busy, trust }: OrderChart["runs"][number],
): string[] {
  return [
    `${formatNumber(rate)} requests/s, ${shareOfMean(rate / mean)} the mean of its cell`,
    `ran as number ${order}, ${formatMoment(startedAt)}`,
    ...(busy === null ? [] : [`cores of the machine in use: ${formatShare(busy)}`]),
    trust,
  ];
}

/** At the foot of the plot: a column a run, full height where all cores were busy; and the line of no difference. */
function drawBusy(
  { ctx, chartArea: { left, right, bottom }, scales: { x, y } }: Chart,
  { runs }: OrderChart,
  theme: Theme,
): void {
  ctx.save();
  ctx.strokeStyle = theme.muted;
  ctx.beginPath();
  ctx.moveTo(left, y.getPixelForValue(1));
  ctx.lineTo(right, y.getPixelForValue(1));
  ctx.stroke();
  ctx.fillStyle = faded(theme.muted, 0.35);
  const width = Math.max(1, (x.getPixelForValue(2) - x.getPixelForValue(1)) * 0.7);
  runs.forEach(({ busy }, i) => {
    const height = FOOT_PX * Math.min(1, busy ?? 0);
    ctx.fillRect(x.getPixelForValue(i + 1) - width / 2, bottom - height, width, height);
  });
  ctx.restore();
}
