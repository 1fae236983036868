/// <reference lib="dom" />
/** Bars of requests per second: the label above each bar, its runs as dots on a line from lowest to highest. */
import type { Chart, ChartConfiguration, Plugin } from "chart.js";
import type { BarsChart } from "../../subjects/charts/charts.ts";
import { formatNumber } from "../../writing/units.ts";
import { valueScale } from "./scales.ts";
import { type Theme, tooltip } from "./theme.ts";

const LABEL_ABOVE_PX = 13;
/** From the axis, which would run through the label. */
const LABEL_LEFT_PX = 4;

export function barsConfig(data: BarsChart, theme: Theme): ChartConfiguration<"bar"> {
  const most = Math.max(0, ...data.bars.flatMap(({ runs }) => valuesOf(runs))) || 1;
  return {
    type: "bar",
    data: {
      labels: data.bars.map(({ label }) => label),
      datasets: [{
        data: data.bars.map(({ value }) => value),
        backgroundColor: data.bars.map(({ color }) => theme.series(color)),
        barThickness: 12,
        borderRadius: 2,
      }],
    },
    options: {
      indexAxis: "y",
      animation: false,
      maintainAspectRatio: false,
      layout: { padding: { top: 4, right: 12 } },
      scales: {
        y: { display: false, offset: true },
        x: valueScale({ unit: "", scale: "linear", min: 0, max: most * 1.03 }, theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            label: ({ dataIndex }) => `${data.bars[dataIndex].text} ${data.unit}`,
            afterBody: ([{ dataIndex }]) => runLines(data.bars[dataIndex].runs),
          },
        },
      },
    },
    plugins: [labelsAndRuns(data, theme)],
  };
}

type Runs = BarsChart["bars"][number]["runs"];

function valuesOf(runs: Runs): number[] {
  return runs.map(({ value }) => value);
}

function runLines(runs: Runs): string[] {
  if (runs.length === 1) return [];
  return runs.map(({ repetition, value }) => `run ${repetition}: ${formatNumber(value)}`);
}

function labelsAndRuns({ bars }: BarsChart, theme: Theme): Plugin<"bar"> {
  return {
    id: "labelsAndRuns",
    afterDatasetsDraw(chart): void {
      const elements = chart.getDatasetMeta(0).data;
      bars.forEach((bar, i) => {
        drawLabel(chart, {
          label: bar.label,
          text: bar.text,
          y: elements[i].y - LABEL_ABOVE_PX,
          theme,
        });
        if (bar.runs.length > 1) {
          drawRuns(chart, { rates: valuesOf(bar.runs), y: elements[i].y, theme });
        }
      });
    },
  };
}

interface Label {
  readonly label: string;
  readonly text: string;
  readonly y: number;
  readonly theme: Theme;
}

function drawLabel(
  { ctx, chartArea: { left, right } }: Chart,
  { label, text, y, theme }: Label,
): void {
  ctx.save();
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.ink;
  ctx.font = `600 13px ${theme.font}`;
  ctx.textAlign = "right";
  ctx.fillText(text, right, y);
  const start = left + LABEL_LEFT_PX;
  const room = right - start - ctx.measureText(text).width - 12;
  ctx.font = `13px ${theme.font}`;
  ctx.textAlign = "left";
  ctx.fillText(cutTo(room, label, ctx), start, y);
  ctx.restore();
}

/** As much of the text as there is room for, pixels; cut in its middle, as names differ at their ends. */
export function cutTo(
  room: number,
  text: string,
  ctx: { measureText(text: string): { readonly width: number } },
): string {
  if (ctx.measureText(text).width <= room) return text;
  const characters = [...text];
  for (let kept = characters.length - 1; kept > 1; kept--) {
    const head = Math.floor(kept / 3);
    const cut = [...characters.slice(0, head), "…", ...characters.slice(head - kept)].join("");
    if (ctx.measureText(cut).width <= room) return cut;
  }
  return "…";
}

// Names beside dots.

const LINE_PX = 13;
/** Between a dot and its name. */
const GAP_PX = 5;

/** On the canvas, px. */
export interface PlacedDot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the name of each dot stands, the first names first; null where it would cover a dot or another name. */
export function placedNames(
  names: readonly { readonly dot: PlacedDot; readonly width: number }[],
  dots: readonly PlacedDot[],
  area: Box,
): (Box | null)[] {
  const taken: Box[] = dots.map(({ x, y, radius }) => boxOf(x - radius, y, 2 * radius, radius));
  return names.map(({ dot, width }) => {
    const place = placesBeside(dot, width).find((box) =>
      box.left >= area.left && box.right <= area.right && box.top >= area.top &&
      box.bottom <= area.bottom && taken.every((other) => !areOver(box, other))
    );
    if (place !== undefined) taken.push(place);
    return place ?? null;
  });
}

/** From the best: to the right, to the left, above and below. */
function placesBeside({ x, y, radius }: PlacedDot, width: number): Box[] {
  const gap = radius + GAP_PX;
  const lefts = [x + gap, x - gap - width];
  const beside = [-7, 0, 7].flatMap((offset) =>
    lefts.map((left) => boxOf(left, y + offset, width, LINE_PX / 2))
  );
  const middle = x - width / 2;
  const away = radius + LINE_PX / 2 + 1;
  return [...beside, ...[-away, away].map((by) => boxOf(middle, y + by, width, LINE_PX / 2))];
}

function boxOf(left: number, middle: number, width: number, halfHeight: number): Box {
  return { left, right: left + width, top: middle - halfHeight, bottom: middle + halfHeight };
}

function areOver(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

interface Dots {
  readonly rates: readonly number[];
  readonly y: number;
  readonly theme: Theme;
}

function drawRuns({ ctx, scales: { x } }: Chart, { rates, y, theme }: Dots): void {
  ctx.save();
  ctx.strokeStyle = theme.ink;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x.getPixelForValue(Math.min(...rates)), y);
  ctx.lineTo(x.getPixelForValue(Math.max(...rates)), y);
  ctx.stroke();
  for (const rate of rates) {
    ctx.beginPath();
    ctx.arc(x.getPixelForValue(rate), y, 2.75, 0, 2 * Math.PI);
    ctx.fillStyle = theme.paper;
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
