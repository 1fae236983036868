/// <reference lib="dom" />
/** A value for each name: above it the name, the value and a verdict as text; a bar or a dot with its interval and its runs. */
import type { Chart, ChartConfiguration, ChartDataset, Point } from "chart.js";
import type { Row, Rows } from "../../chart.ts";
import { FOOT_PX, type PlacedRow, placedRows } from "../../render/html/chart_sizes.ts";
import { formatNumber } from "../../writing/units.ts";
import { cutTo } from "./labels.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, strokeInterval, strokeLines, type Theme } from "./theme.ts";

const INSET_PX = 8;
const LINE_PX = 15;
const SWATCH_PX = 9;
const BAR_PX = 12;
const RADIUS_PX = 4.5;

type Dataset = ChartDataset<"line" | "bar", Point[]>;

/** Rows are as far from the top as their place on the upright axis says, px. */
export function rowsConfig(
  chart: Rows,
  theme: Theme,
): ChartConfiguration<"line" | "bar", Point[]> {
  const placed = placedRows(chart);
  const areRatios = chart.margin !== undefined;
  const x: AxisOptions = {
    ...valueScale(chart.axis),
    afterFit: (scale) => {
      scale.height = FOOT_PX;
    },
  };
  return {
    type: "line",
    data: {
      datasets: [
        ...placed.map((place) => datasetOf(place, theme)),
        ...placed.flatMap((place) => place.row.draw === "bar" ? runsOf(place, theme) : []),
      ],
    },
    options: {
      indexAxis: "y",
      layout: { autoPadding: false, padding: { left: areRatios ? INSET_PX : 1, right: INSET_PX } },
      interaction: { mode: "nearest", axis: "y", intersect: false },
      scales: {
        x: areRatios ? { ...x, grid: { display: false } } : x,
        y: {
          ...{ type: "linear", display: false, reverse: true, offset: false },
          ...{ min: 0, max: placed.at(-1)?.bottom ?? 0 },
        },
      },
      plugins: {
        tooltip: {
          filter: ({ datasetIndex }) => datasetIndex < placed.length,
          callbacks: {
            title: ([item]) => item ? placed[item.datasetIndex].row.label : "",
            label: ({ datasetIndex }) => linesOf(placed[datasetIndex].row),
          },
        },
      },
    },
    plugins: [{
      id: "rows",
      beforeDatasetsDraw(drawing): void {
        if (areRatios) drawEquality(drawing, chart, theme);
        const pointed = placed[drawing.getActiveElements()[0]?.datasetIndex];
        for (const place of placed) {
          if (place.heading !== null) drawHeading(drawing, place, theme);
          if (place === pointed) shade(drawing, place, theme);
        }
      },
      // With the strength of its dataset.
      beforeDatasetDraw(drawing, { index }): void {
        if (index < placed.length) drawTexts({ drawing, chart, theme }, placed[index]);
      },
    }],
  };
}

function linesOf({ text, word, runs }: Row): string[] {
  const single = runs.length < 2
    ? []
    : runs.map(({ repetition, value }) => `run ${repetition}: ${formatNumber(value)}`);
  return [`${text} ${word}`.trimEnd(), ...single];
}

/** Where the middle of its bar or dot is. */
function middleOf({ bottom }: PlacedRow): number {
  return bottom - LINE_PX / 2 - 5;
}

/** A dot is filled where there is a verdict. */
function datasetOf(place: PlacedRow, theme: Theme): Dataset {
  const { row } = place;
  const own = { label: row.label, data: [{ x: row.value, y: middleOf(place) }], order: 1 };
  if (row.draw === "bar") {
    const color = theme.color(row.color);
    return {
      ...own,
      type: "bar",
      grouped: false,
      barThickness: BAR_PX,
      borderRadius: 2,
      backgroundColor: color,
      hoverBackgroundColor: color,
    };
  }
  const color = toneColor(row, theme);
  const fill = row.tone === "open" ? theme.paper : color;
  return {
    ...own,
    clip: RADIUS_PX + 1,
    pointRadius: RADIUS_PX,
    pointHoverRadius: RADIUS_PX,
    pointBorderWidth: 1.75,
    pointHoverBorderWidth: 1.75,
    pointBorderColor: color,
    pointBackgroundColor: fill,
  };
}

/** Dots on a line from the lowest to the highest, over their bar. */
function runsOf(place: PlacedRow, theme: Theme): Dataset[] {
  const { row: { label, runs } } = place;
  if (runs.length < 2) return [];
  const values = runs.map(({ value }) => value).sort((a, b) => a - b);
  return [{
    label,
    data: values.map((x) => ({ x, y: middleOf(place) })),
    clip: RADIUS_PX,
    borderColor: theme.ink,
    borderWidth: 1.5,
    pointRadius: 2.75,
    pointHoverRadius: 2.75,
    pointBorderWidth: 1.5,
    pointBorderColor: theme.ink,
    pointBackgroundColor: theme.paper,
  }];
}

function toneColor({ tone }: Row, theme: Theme): string {
  if (tone === "better") return theme.good;
  return tone === "worse" ? theme.alarm : theme.muted;
}

/** The band in which a difference makes none, and the line of equality. */
function drawEquality(
  { ctx, chartArea: { top, bottom }, scales: { x } }: Chart,
  { margin = 1 }: Rows,
  theme: Theme,
): void {
  const [low, one, high] = [1 / margin, 1, margin].map((ratio) => x.getPixelForValue(ratio));
  ctx.save();
  ctx.fillStyle = faded(theme.muted, 0.25);
  ctx.fillRect(low, top, Math.max(2, high - low), bottom - top);
  ctx.strokeStyle = theme.muted;
  strokeLines(ctx, [[one, top, one, bottom]]);
  ctx.restore();
}

function shade(
  { ctx, width, scales: { y } }: Chart,
  { top, bottom }: PlacedRow,
  theme: Theme,
): void {
  const [from, to] = [top, bottom].map((px) => y.getPixelForValue(px));
  ctx.fillStyle = faded(theme.muted, 0.12);
  ctx.fillRect(0, from, width, to - from);
}

function drawHeading(
  { ctx, scales: { y } }: Chart,
  { row: { group = "" }, heading }: PlacedRow,
  theme: Theme,
): void {
  const at = y.getPixelForValue(heading ?? 0);
  ctx.save();
  ctx.font = `600 12px ${theme.font}`;
  ctx.textBaseline = "middle";
  clearText(ctx, theme, { left: 0, width: ctx.measureText(group).width, y: at });
  ctx.fillStyle = theme.muted;
  ctx.fillText(group, 0, at);
  ctx.restore();
}

interface Frame {
  readonly drawing: Chart;
  readonly chart: Rows;
  readonly theme: Theme;
}

function drawTexts(frame: Frame, place: PlacedRow): void {
  const { drawing: { ctx, width, scales: { x, y } }, chart, theme } = frame;
  const { row } = place;
  const nameY = y.getPixelForValue(place.top + LINE_PX / 2 + 4);
  ctx.save();
  ctx.textBaseline = "middle";
  const textLeft = drawText(frame, row, chart.namesApart ? nameY + LINE_PX : nameY);
  drawName(frame, row, { y: nameY, end: chart.namesApart ? width - INSET_PX : textLeft - 9 });
  if (row.draw === "dot" && row.low !== null && row.high !== null) {
    const ends = [row.low, row.high].map((end) => x.getPixelForValue(end));
    ctx.strokeStyle = toneColor(row, theme);
    ctx.lineWidth = 1.75;
    strokeInterval(ctx, ends, { at: y.getPixelForValue(middleOf(place)), cap: 4 });
  }
  ctx.restore();
}

/** So that no line of the plot runs through a text. */
function clearText(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  { left, width, y }: { readonly left: number; readonly width: number; readonly y: number },
): void {
  ctx.fillStyle = theme.paper;
  ctx.fillRect(left - 3, y - 8, width + 6, 16);
}

/** To the right the value, and the verdict in its colour. Gives where they begin. */
function drawText({ drawing: { ctx, width }, theme }: Frame, row: Row, y: number): number {
  const right = width - INSET_PX;
  const bold = `600 12px ${theme.font}`;
  ctx.textAlign = "right";
  ctx.font = bold;
  const wordPx = row.word === "" ? 0 : ctx.measureText(`${row.word} `).width;
  if (row.draw === "dot") ctx.font = `12px ${theme.font}`;
  const left = right - wordPx - ctx.measureText(row.text).width;
  clearText(ctx, theme, { left, width: right - left, y });
  ctx.fillStyle = theme.ink;
  ctx.fillText(row.text, right - wordPx, y);
  ctx.font = bold;
  ctx.fillStyle = toneColor(row, theme);
  ctx.fillText(row.word, right, y);
  ctx.textAlign = "left";
  return left;
}

/** To the left, as far as there is room. */
function drawName(
  { drawing: { ctx }, chart: { margin }, theme }: Frame,
  row: Row,
  { y, end }: { readonly y: number; readonly end: number },
): void {
  const left = margin === undefined ? 1 : INSET_PX;
  const start = left + (row.draw === "dot" ? SWATCH_PX + 5 : 3);
  ctx.font = `12.5px ${theme.font}`;
  const name = cutTo(end - start, row.name ?? row.label, ctx);
  const width = start - left - 3 + ctx.measureText(name).width;
  clearText(ctx, theme, { left: left + 3, width, y });
  ctx.fillStyle = theme.ink;
  ctx.fillText(name, start, y);
  if (row.draw === "bar") return;
  ctx.fillStyle = theme.color(row.color);
  ctx.fillRect(left, y - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX);
}
