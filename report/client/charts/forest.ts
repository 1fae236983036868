/// <reference lib="dom" />
/** Ratios with their intervals, a row a pair: above each its name, the ratio and the verdict in a word. */
import type { Chart, ChartConfiguration, Plugin, Scale } from "chart.js";
import type { ForestChart } from "../../subjects/charts/charts.ts";
import { formatTick } from "../../writing/units.ts";
import { cutTo } from "./bars.ts";
import { type AxisOptions, logTicks, roundStep, valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

type ForestRow = ForestChart["rows"][number];

/** Where in its row, from 0 at the top to 1, a ratio is drawn: below its text, of one line or two. */
const MIDDLE = 0.68;
const MIDDLE_APART = 0.77;
const LINE_PX = 15;

export function forestConfig(
  data: ForestChart,
  theme: Theme,
): ChartConfiguration<"line", { x: number; y: number }[]> {
  const middle = middleOf(data);
  return {
    type: "line",
    data: {
      datasets: [{
        data: data.rows.map(({ ratio }, i) => ({ x: ratio, y: i + middle })),
        showLine: false,
      }],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { right: 8, left: 8 } },
      interaction: { mode: "nearest", axis: "y", intersect: false },
      // Drawn below, with their intervals.
      elements: { point: { radius: 0, hoverRadius: 0, hitRadius: 12 } },
      scales: {
        x: ratioScale(data, theme),
        y: { type: "linear", display: false, reverse: true, min: 0, max: data.rows.length },
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([{ dataIndex }]) => data.rows[dataIndex].label,
            label: ({ dataIndex }) => saidOf(data.rows[dataIndex]),
          },
        },
      },
    },
    plugins: [drawing(data, theme)],
  };
}

function middleOf({ namesApart }: ForestChart): number {
  return namesApart ? MIDDLE_APART : MIDDLE;
}

function saidOf({ text, word }: ForestRow): string {
  return `${text} ${word}`.trimEnd();
}

function ratioScale({ axis }: ForestChart, theme: Theme): AxisOptions {
  const base = valueScale(axis, theme);
  return {
    ...base,
    ticks: { ...base.ticks, callback: (value) => `${formatTick(Number(value))}${axis.unit}` },
    afterBuildTicks: (drawn: Scale) => {
      drawn.ticks = ratioTicks(axis).map((value) => ({ value }));
    },
  };
}

/** In steps of 1, 2, 5; where there would be too few of them, in equal ones. */
function ratioTicks(axis: ForestChart["axis"]): number[] {
  const { min, max } = axis;
  const ticks = logTicks(axis, 7);
  if (ticks.length >= 3) return ticks;
  const step = roundStep((max - min) / 7);
  const first = Math.ceil(min / step);
  return Array.from({ length: Math.floor(max / step) - first + 1 }, (_, i) => (first + i) * step);
}

function drawing(data: ForestChart, theme: Theme): Plugin<"line"> {
  return {
    id: "forest",
    beforeDatasetsDraw: (chart) => drawMargin(chart, data, theme),
    afterDatasetsDraw(chart): void {
      data.rows.forEach((row, i) => {
        const y = chart.scales.y.getPixelForValue(i + middleOf(data));
        const ratioLeft = drawText(chart, row, { y: y - LINE_PX, theme });
        const name = data.namesApart
          ? { y: y - 2 * LINE_PX, end: chart.chartArea.right }
          : { y: y - LINE_PX, end: ratioLeft - 9 };
        drawName(chart, row, { ...name, theme });
        drawRatio(chart, row, { y, theme });
      });
    },
  };
}

/** The band in which a difference makes none, and the line of equality. */
function drawMargin(
  { ctx, chartArea: { top, bottom }, scales: { x } }: Chart,
  { margin }: ForestChart,
  theme: Theme,
): void {
  const [low, one, high] = [1 / margin, 1, margin].map((ratio) => x.getPixelForValue(ratio));
  ctx.save();
  ctx.fillStyle = faded(theme.muted, 0.25);
  ctx.fillRect(low, top, Math.max(2, high - low), bottom - top);
  ctx.strokeStyle = theme.muted;
  ctx.beginPath();
  ctx.moveTo(one, top);
  ctx.lineTo(one, bottom);
  ctx.stroke();
  ctx.restore();
}

interface RowPlace {
  readonly y: number;
  readonly theme: Theme;
}

const SWATCH_PX = 9;

/** To the right the ratio, and the verdict in its colour. Gives where they begin. */
function drawText(
  { ctx, chartArea: { right } }: Chart,
  { text, verdict, word }: ForestRow,
  { y, theme }: RowPlace,
): number {
  ctx.save();
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.font = `600 12px ${theme.font}`;
  const ratioRight = right - (word === "" ? 0 : ctx.measureText(`${word} `).width);
  ctx.font = `12px ${theme.font}`;
  const ratioLeft = ratioRight - ctx.measureText(text).width;
  // So that no line of the plot runs through it.
  ctx.fillStyle = theme.paper;
  ctx.fillRect(ratioLeft - 3, y - 8, right - ratioLeft + 3, 16);
  ctx.fillStyle = theme.ink;
  ctx.fillText(text, ratioRight, y);
  ctx.font = `600 12px ${theme.font}`;
  ctx.fillStyle = verdictColor(verdict, theme);
  ctx.fillText(word, right, y);
  ctx.restore();
  return ratioLeft;
}

/** To the left, as far as there is room. */
function drawName(
  { ctx, chartArea: { left } }: Chart,
  { label, color }: ForestRow,
  { y, end, theme }: RowPlace & { readonly end: number },
): void {
  ctx.save();
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.font = `12px ${theme.font}`;
  const start = left + SWATCH_PX + 5;
  const name = cutTo(end - start, label, ctx);
  // So that no line of the plot runs through it.
  ctx.fillStyle = theme.paper;
  ctx.fillRect(left, y - 8, start + ctx.measureText(name).width + 3 - left, 16);
  ctx.fillStyle = theme.ink;
  ctx.fillText(name, start, y);
  ctx.fillStyle = theme.series(color);
  ctx.fillRect(left, y - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX);
  ctx.restore();
}

function verdictColor(verdict: ForestRow["verdict"], theme: Theme): string {
  if (verdict === "better") return theme.good;
  return verdict === "worse" ? theme.alarm : theme.muted;
}

const RADIUS_PX = 4.5;
const CAP_PX = 4;

/** The interval as a line with caps, the ratio as a dot on it: filled where there is a verdict. */
function drawRatio(
  { ctx, scales: { x } }: Chart,
  { ratio, low, high, verdict }: ForestRow,
  { y, theme }: RowPlace,
): void {
  const color = verdictColor(verdict, theme);
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.75;
  if (low !== null && high !== null) {
    const ends = [low, high].map((end) => x.getPixelForValue(end));
    ctx.beginPath();
    ctx.moveTo(ends[0], y);
    ctx.lineTo(ends[1], y);
    for (const end of ends) {
      ctx.moveTo(end, y - CAP_PX);
      ctx.lineTo(end, y + CAP_PX);
    }
    ctx.stroke();
  }
  ctx.beginPath();
  ctx.arc(x.getPixelForValue(ratio), y, RADIUS_PX, 0, 2 * Math.PI);
  ctx.fillStyle = verdict === null || verdict === "inconclusive" ? theme.paper : color;
  ctx.fill();
  ctx.stroke();
  ctx.restore();
}
