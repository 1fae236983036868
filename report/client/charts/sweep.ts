/// <reference lib="dom" />
/** A figure against a factor: lines through measured points, whiskers for intervals, and where growth ends. */
import type { Chart, ChartConfiguration, Plugin, Scale } from "chart.js";
import { type SweepChart } from "../../subjects/charts/charts.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

type SweepSeries = SweepChart["series"][number];
type SweepPoint = SweepSeries["points"][number];

export function sweepConfig(
  data: SweepChart,
  theme: Theme,
): ChartConfiguration<"line", SweepPoint[]> {
  return {
    type: "line",
    data: {
      datasets: data.series.map(({ label, color, points, isDots, isFaint }) => {
        const full = theme.series(color);
        const stroke = isFaint ? faded(full, 0.5) : full;
        return {
          label,
          data: [...points],
          showLine: !isDots,
          borderColor: stroke,
          borderWidth: 1.75,
          pointRadius: isFaint ? 2 : 3.25,
          pointStyle: points.map(({ isCross }) => isCross ? "crossRot" : "circle"),
          pointBorderColor: stroke,
          pointBackgroundColor: points.map(({ isHollow }) => isHollow ? theme.paper : stroke),
        };
      }),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { top: 6, right: 14 } },
      interaction: { mode: "nearest", axis: "x", intersect: false },
      elements: { point: { hoverRadius: 5, borderWidth: 1.5 } },
      scales: { x: factorScale(data, theme), y: valueScale(data.y, theme) },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: { title: () => "", label: ({ dataset, raw }) => pointText(dataset, raw) },
        },
      },
    },
    plugins: [marks(data, theme)],
  };
}

function pointText({ label }: { label?: string }, point: unknown): string {
  return `${label ?? ""}, ${(point as SweepPoint).text}`;
}

/** Ticks at measured values, in the words of the experiment; the factor's name below. */
function factorScale({ x }: SweepChart, theme: Theme): AxisOptions {
  const base = valueScale({ ...x, unit: "" }, theme);
  const title = {
    display: true,
    text: x.unit,
    color: theme.muted,
    font: { family: theme.font, size: 11 },
  };
  if (x.ticks.length === 0) return { ...base, title };
  return {
    ...base,
    title,
    ticks: {
      ...base.ticks,
      callback: (value) => x.ticks.find(({ at }) => at === value)?.text ?? "",
    },
    afterBuildTicks: (drawn: Scale) => {
      drawn.ticks = x.ticks.map(({ at }) => ({ value: at }));
    },
  };
}

function marks(data: SweepChart, theme: Theme): Plugin<"line"> {
  return {
    id: "sweepMarks",
    beforeDatasetsDraw(chart): void {
      if (data.isOffered) drawEquality(chart, data, theme);
      for (const limit of data.limits ?? []) drawLimit(chart, limit, theme);
      data.series.filter(({ knee }) => knee !== null)
        .forEach((series, row) => drawKnee(chart, series, { row, theme }));
    },
    afterDatasetsDraw(chart): void {
      data.series.forEach((series) => drawIntervals(chart, series, theme));
      if (data.x.breakAt !== null) drawBreak(chart, data.x.breakAt, theme);
    },
  };
}

const EQUALITY_STEPS = 60;

/** y = x, bent where only one of the axes is logarithmic. */
function drawEquality(
  { ctx, chartArea, scales: { x, y } }: Chart,
  data: SweepChart,
  theme: Theme,
): void {
  const { left, top, width, height, right } = chartArea;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.strokeStyle = theme.muted;
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  for (let i = 0; i <= EQUALITY_STEPS; i++) {
    const px = left + (right - left) * i / EQUALITY_STEPS;
    const value = Math.max(data.y.min, x.getValueForPixel(px) ?? data.x.min);
    ctx.lineTo(px, y.getPixelForValue(value));
  }
  ctx.stroke();
  ctx.restore();
}

function drawLimit({ ctx, chartArea, scales: { y } }: Chart, limit: number, theme: Theme): void {
  const at = y.getPixelForValue(limit);
  ctx.save();
  ctx.strokeStyle = theme.alarm;
  ctx.setLineDash([6, 3]);
  ctx.beginPath();
  ctx.moveTo(chartArea.left, at);
  ctx.lineTo(chartArea.right, at);
  ctx.stroke();
  ctx.restore();
}

const BAR_PX = 4;

/** A dashed line down from the top, and its interval as a bar at the foot, one above the other. */
function drawKnee(
  { ctx, chartArea, scales: { x } }: Chart,
  { knee, color }: SweepSeries,
  { row, theme }: { row: number; theme: Theme },
): void {
  if (knee === null) return;
  const [at, low, high] = [knee.at, knee.low, knee.high].map((value) => x.getPixelForValue(value));
  const foot = chartArea.bottom - (row + 1) * (BAR_PX + 1);
  ctx.save();
  ctx.strokeStyle = theme.series(color);
  ctx.fillStyle = faded(theme.series(color), 0.5);
  ctx.globalAlpha = 0.7;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(at, chartArea.top);
  ctx.lineTo(at, chartArea.bottom);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.fillRect(low, foot, Math.max(high - low, 1), BAR_PX);
  ctx.restore();
}

const CAP_PX = 3;

function drawIntervals(
  { ctx, scales: { x, y } }: Chart,
  { points, color }: SweepSeries,
  theme: Theme,
): void {
  ctx.save();
  ctx.strokeStyle = theme.series(color);
  ctx.lineWidth = 1.25;
  for (const { x: at, low, high } of points) {
    if (low === null || high === null) continue;
    const [px, top, bottom] = [
      x.getPixelForValue(at),
      y.getPixelForValue(high),
      y.getPixelForValue(low),
    ];
    ctx.beginPath();
    ctx.moveTo(px, top);
    ctx.lineTo(px, bottom);
    for (const end of [top, bottom]) {
      ctx.moveTo(px - CAP_PX, end);
      ctx.lineTo(px + CAP_PX, end);
    }
    ctx.stroke();
  }
  ctx.restore();
}

/** Two strokes through the axis: left of them it is not to scale. */
function drawBreak(
  { ctx, chartArea: { bottom }, scales: { x } }: Chart,
  at: number,
  theme: Theme,
): void {
  const px = x.getPixelForValue(at);
  ctx.save();
  ctx.fillStyle = theme.paper;
  ctx.fillRect(px - 3, bottom - 2, 6, 4);
  ctx.strokeStyle = theme.muted;
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  for (const offset of [-3, 3]) {
    ctx.moveTo(px + offset - 2, bottom + 5);
    ctx.lineTo(px + offset + 2, bottom - 5);
  }
  ctx.stroke();
  ctx.restore();
}
