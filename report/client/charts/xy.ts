/// <reference lib="dom" />
/** Charts of one figure against another: lines, dots, steps and columns, with intervals and reference values. */
import type {
  Chart,
  ChartConfiguration,
  ChartDataset,
  ChartOptions,
  Scale,
  TooltipItem,
} from "chart.js";
import type { Mark, Reference, Xy, XyPoint, XySeries } from "../../chart.ts";
import { boundText, formatNumber } from "../../writing/units.ts";
import { cutTo, type PlacedDot, placedNames } from "./labels.ts";
import { shareWithin } from "./limit.ts";
import { strengthAmong } from "./linked_charts.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, strokeLines, type Theme } from "./theme.ts";

type XyType = "line" | "bar";
interface Place {
  readonly x: number;
  readonly y: number | null;
}
type Line = ChartDataset<"line", Place[]>;
type Bars = ChartDataset<"bar", Place[]>;

/** More series of steps than this are drawn as ridges, if the chart allows it. */
const MOST_OVERLAID = 2;
/** Height of the tallest ridge, relative to the distance between ridges. */
const RIDGE = 1.7;

/** A chart as it is shown, with what is needed to draw its series. */
interface Frame {
  readonly chart: Xy;
  readonly theme: Theme;
  readonly areRidges: boolean;
  /** Position of a series' baseline on the y axis; only for steps. */
  readonly baseOf: (series: XySeries) => number;
  /** The factor by which the heights of steps are multiplied. */
  readonly stretch: number;
}

/** The configuration of Chart.js for the chart. @param limit Where the reader's limit is; null for none. */
export function xyConfig(
  chart: Xy,
  theme: Theme,
  limit: number | null,
): ChartConfiguration<XyType, Place[]> {
  const { series } = chart;
  const most = Math.max(...series.flatMap(({ values = [] }) => values.map((value) => value ?? 0)));
  const areRidges = chart.ridges === true && series.length > MOST_OVERLAID;
  const frame: Frame = {
    ...{ chart, theme, areRidges },
    baseOf: (one) => areRidges ? series.length - 1 - series.indexOf(one) : 0,
    stretch: areRidges ? RIDGE / most : 1,
  };
  return {
    type: "line",
    data: { datasets: series.map((one) => datasetOf(one, frame)) },
    options: {
      layout: { padding: { top: 8, right: 14 } },
      interaction: interactionOf(chart),
      scales: scalesOf(frame, most),
      plugins: {
        tooltip: {
          filter: (item) => linesOf(chart, item).length > 0,
          callbacks: {
            title: (items) => titleOf(chart, items),
            label: (item) => linesOf(chart, item),
          },
        },
      },
    },
    plugins: [{
      id: "xy",
      beforeDatasetsDraw(drawing): void {
        for (const reference of chart.references ?? []) drawReference(drawing, frame, reference);
      },
      // Drawn in this hook, because the opacity that `linkedMarks` sets for a dataset is in effect here, so
      // the intervals fade together with their series.
      beforeDatasetDraw(drawing, { index }): void {
        drawIntervals(drawing, series[index], colorOf(series[index], theme));
      },
      afterDatasetsDraw(drawing): void {
        drawing.ctx.save();
        drawing.ctx.strokeStyle = theme.alarm;
        if (limit !== null && chart.limit) drawLimit(drawing, chart.limit.axis, limit);
        if (areRidges) drawRidgeNames(drawing, frame);
        if (chart.isNamed) drawNames(drawing, frame);
        if (chart.at) drawPointed(drawing, theme);
        drawing.ctx.restore();
      },
    }],
  };
}

function scalesOf({ chart, areRidges }: Frame, most: number): Record<string, AxisOptions> {
  const { x, y, series } = chart;
  // The axis of ridges holds their positions, not values. One or two series of steps are not drawn
  // as ridges, so they share an axis of values.
  const upright = areRidges
    ? { max: series.length - 1 + RIDGE * 1.03, ticks: series.map((_, at) => ({ at, text: "" })) }
    : chart.ridges && { max: most * 1.05 };
  return {
    x: valueScale(x),
    y: valueScale({ ...y, ...upright }),
    ...series.some(({ draw }) => draw === "foot") && {
      foot: { type: "linear", axis: "y", display: false, min: 0, max: FOOT_HEIGHTS },
    },
  };
}

function interactionOf({ at, series }: Xy): ChartOptions["interaction"] {
  if (at) return { mode: "index", intersect: false };
  return series.some(({ draw }) => draw === "line")
    ? { mode: "nearest", axis: "x", intersect: false }
    : { mode: "nearest", intersect: true };
}

function colorOf({ color, isFaint }: XySeries, theme: Theme): string {
  return isFaint ? faded(theme.color(color), 0.45) : theme.color(color);
}

function datasetOf(series: XySeries, frame: Frame): Line | Bars {
  const { chart: { at = [] }, theme } = frame;
  const { label, values = [], points = [], isFaint } = series;
  const own: Line = {
    label,
    data: series.points
      ? points.map(({ x, y }) => ({ x, y }))
      : values.map((y, i): Place => ({ x: at[i], y })),
    order: isFaint ? 1 : 0,
    borderColor: colorOf(series, theme),
    pointRadius: 0,
    pointHoverRadius: 0,
  };
  switch (series.draw) {
    case "line":
    case "dots":
      return series.points ? dotted(own, series, theme) : {
        ...own,
        borderWidth: isFaint ? 0.75 : 2.25,
        segment: {
          borderDash: ({ p1DataIndex }) =>
            p1DataIndex >= (series.boundsFrom ?? Infinity) ? [2, 2] : undefined,
        },
      };
    case "path":
      return {
        ...own,
        borderColor: faded(theme.color(series.color), 0.7),
        borderWidth: 1,
        borderDash: [4, 3],
        pointHitRadius: 0,
      };
    case "steps":
      return stepped(own, series, frame);
    case "foot":
      return columns(series, own.data, frame);
  }
}

/** Pixels that a size of 1 adds to the radius. */
const MOST_ADDED_PX = 6;

function radiusOf({ size = 0, mark = "dot" }: XyPoint, { isFaint }: XySeries): number {
  const least = mark === "dot" || mark === "cross" ? 3.75 : 4.75;
  return (isFaint ? 2 : least) + MOST_ADDED_PX * Math.sqrt(size);
}

/** The point style of each shape in Chart.js, and its rotation in degrees. */
const POINTS = {
  dot: ["circle", 0],
  up: ["triangle", 0],
  square: ["rect", 0],
  diamond: ["rectRot", 0],
  down: ["triangle", 180],
  right: ["triangle", 90],
  left: ["triangle", 270],
  cross: ["crossRot", 0],
} as const satisfies Readonly<Record<Mark, readonly [style: string, rotation: number]>>;

function dotted(own: Line, series: XySeries, theme: Theme): Line {
  const color = colorOf(series, theme);
  const { points = [] } = series;
  const radii = points.map((point) => radiusOf(point, series));
  const fills = {
    hollow: theme.paper,
    pale: faded(theme.color(series.color), 0.45),
    ringed: color,
  };
  return {
    ...own,
    showLine: series.draw === "line",
    borderWidth: 1.75,
    // Lets a dot at the end of the axis be drawn whole.
    clip: Math.max(0, ...radii) + 3,
    pointStyle: points.map(({ mark = "dot" }) => POINTS[mark][0]),
    pointRotation: points.map(({ mark = "dot" }) => POINTS[mark][1]),
    pointRadius: radii,
    pointHoverRadius: radii.map((radius) => radius + 2),
    pointHitRadius: 10,
    pointBorderWidth: points.map(({ fill }) => fill === "ringed" ? 2 : 1.5),
    pointBorderColor: points.map(({ fill }) => fill === "ringed" ? theme.ink : color),
    pointBackgroundColor: points.map(({ fill }) => fill ? fills[fill] : color),
  };
}

/** A dataset with a point at the start of each step, and one at the end of the last step. */
function stepped(
  own: Line,
  series: XySeries,
  { chart: { at = [] }, theme, areRidges, baseOf, stretch }: Frame,
): Line {
  const { values = [] } = series;
  const base = baseOf(series);
  const valueAt = (i: number): number =>
    base + (values[Math.min(i, values.length - 1)] ?? 0) * stretch;
  return {
    ...own,
    data: at.map((x, i) => ({ x, y: valueAt(i) })),
    stepped: "after",
    fill: { value: base },
    // Draws lower ridges in front of higher ones.
    order: base,
    borderWidth: 1.75,
    backgroundColor: faded(theme.color(series.color), areRidges ? 0.3 : 0.14),
  };
}

/** Height of the plot, as a multiple of the tallest possible column at its foot. */
const FOOT_HEIGHTS = 7;

function columns(
  { label, color, values }: XySeries,
  data: Place[],
  { chart: { at = [] }, theme }: Frame,
): Bars {
  const fill = faded(theme.color(color), 0.35);
  return {
    label,
    type: "bar",
    data: values?.map((y, i) => ({ x: (at[i] + at[i + 1]) / 2, y })) ?? data,
    yAxisID: "foot",
    order: 2,
    backgroundColor: fill,
    hoverBackgroundColor: fill,
    barThickness: "flex",
    categoryPercentage: 1,
    barPercentage: 0.7,
  };
}

// Texts of the tooltip.

type Item = TooltipItem<XyType>;

function titleOf({ at, places, x, series }: Xy, items: readonly Item[]): string {
  const [item] = items;
  if (!item) return "";
  if (!at) return items.length === 1 ? series[item.datasetIndex].label : "";
  const i = placeOf(item, series[item.datasetIndex]);
  return places?.[i] ??
    `${formatNumber(at[i])}–${formatNumber(at[i + 1])} ${x.unit}`.trim();
}

/**
 * The index of the value that an item of the tooltip is about. The last point only ends the last step, so it belongs to
 * that step.
 */
function placeOf({ dataIndex }: Item, { values }: XySeries): number {
  return Math.min(dataIndex, (values?.length ?? Infinity) - 1);
}

function linesOf(chart: Xy, item: Item): string[] {
  const series = chart.series[item.datasetIndex];
  if (!chart.at) {
    const lines = series.points?.[item.dataIndex]?.lines ?? [];
    const isAlone = (item.chart.tooltip?.dataPoints?.length ?? 1) === 1;
    if (lines.length === 0 || isAlone) return [...lines];
    return [`${series.label}, ${lines.join(", ")}`];
  }
  const i = placeOf(item, series);
  const value = series.values?.[i] ?? null;
  if (value === null || series.isFaint) return [];
  const text = boundText(
    `${formatNumber(value)} ${chart.y.unit || chart.y.title || ""}`.trim(),
    i >= (series.boundsFrom ?? Infinity) && !series.within,
  );
  const within = series.within ? `, ${shareWithin(chart, series, chart.at[i + 1])} within` : "";
  return [`${series.label}: ${text}${within}`];
}

// What is drawn behind and above the series.

const CAP_PX = 3;

/** Lines that draw an interval as a bar with caps. @param at Position of the bar on the other axis. */
function intervalLines([from, to]: readonly number[], at: number): number[][] {
  return [
    [from, at, to, at],
    ...[from, to].map((end) => [end, at - CAP_PX, end, at + CAP_PX]),
  ];
}

function drawIntervals(
  { ctx, scales: { x, y } }: Chart,
  { points = [] }: XySeries,
  color: string,
): void {
  const pixelsIn = (scale: Scale, ends: readonly (number | null | undefined)[]): number[] =>
    ends.flatMap((end) => typeof end === "number" ? [scale.getPixelForValue(end)] : []);
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.25;
  for (const { x: atX, y: atY, low, high, left, right } of points) {
    const [upright, across] = [pixelsIn(y, [low, high]), pixelsIn(x, [left, right])];
    const lines = upright.length < 2 ? [] : intervalLines(upright, x.getPixelForValue(atX));
    strokeLines(ctx, lines.map(([a, b, c, d]) => [b, a, d, c]));
    if (across.length === 2) strokeLines(ctx, intervalLines(across, y.getPixelForValue(atY)));
  }
}

const EQUALITY_STEPS = 60;
const KNEE_PX = 4;

function drawReference(drawing: Chart, { chart, theme }: Frame, reference: Reference): void {
  const { ctx, chartArea: { left, top, right, bottom }, scales: { x, y } } = drawing;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  switch (reference.kind) {
    case "horizontal": {
      const at = y.getPixelForValue(reference.at);
      ctx.strokeStyle = theme.color(reference.color);
      if (reference.color === "alarm") ctx.setLineDash([6, 3]);
      strokeLines(ctx, [[left, at, right, at]]);
      break;
    }
    case "vertical": {
      const [at, low, high] = [reference.at, reference.low, reference.high]
        .map((value) => x.getPixelForValue(value));
      const row = (chart.references ?? []).filter(({ kind }) => kind === "vertical")
        .indexOf(reference);
      const labels = chart.series.map(({ label }) => label);
      ctx.globalAlpha = 0.7 * strengthAmong(labels, reference.label);
      ctx.strokeStyle = theme.color(reference.color);
      ctx.fillStyle = theme.color(reference.color);
      ctx.setLineDash([4, 3]);
      strokeLines(ctx, [[at, top, at, bottom]]);
      const foot = bottom - (row + 1) * (KNEE_PX + 1);
      ctx.fillRect(low, foot, Math.max(high - low, 1), KNEE_PX);
      break;
    }
    case "equality": {
      ctx.strokeStyle = theme.muted;
      ctx.setLineDash([2, 4]);
      ctx.beginPath();
      // The line y = x is curved if only one of the axes is logarithmic.
      const least = chart.y.scale === "log" ? chart.y.min / 2 : -Infinity;
      for (let i = 0; i <= EQUALITY_STEPS; i++) {
        const px = left + (right - left) * i / EQUALITY_STEPS;
        ctx.lineTo(px, y.getPixelForValue(Math.max(x.getValueForPixel(px) ?? 0, least)));
      }
      ctx.stroke();
    }
  }
  ctx.restore();
}

function drawLimit(
  { ctx, chartArea: { left, right, top, bottom }, scales }: Chart,
  axis: "x" | "y",
  limit: number,
): void {
  const at = scales[axis].getPixelForValue(limit);
  const isSeen = axis === "x" ? at >= left && at <= right : at >= top && at <= bottom;
  if (!isSeen) return;
  ctx.lineWidth = 1.5;
  strokeLines(ctx, [axis === "x" ? [at, top, at, bottom] : [left, at, right, at]]);
}

/** Draws each name above the right end of its ridge, where the ridge is low. */
function drawRidgeNames(
  { ctx, chartArea: { right }, scales: { y } }: Chart,
  { chart: { series: shown }, theme, baseOf }: Frame,
): void {
  const labels = shown.map(({ label }) => label);
  ctx.font = `12px ${theme.font}`;
  ctx.textAlign = "right";
  ctx.lineWidth = 3;
  ctx.strokeStyle = theme.paper;
  ctx.fillStyle = theme.ink;
  for (const series of shown) {
    const at = y.getPixelForValue(baseOf(series)) - 5;
    ctx.globalAlpha = strengthAmong(labels, series.label);
    ctx.strokeText(series.label, right - 4, at);
    ctx.fillText(series.label, right - 4, at);
  }
  ctx.globalAlpha = 1;
  ctx.textAlign = "left";
}

/** Names longer than this share of the plot's width are cut. */
const LONGEST_NAME = 0.6;

/**
 * Draws each name where it covers neither a dot nor another name. A dot without such a place is identified only by its
 * colour.
 */
function drawNames(
  { ctx, chartArea, scales: { x, y } }: Chart,
  { chart: { series: shown }, theme }: Frame,
): void {
  const dotOf = (point: XyPoint, series: XySeries): PlacedDot => ({
    x: x.getPixelForValue(point.x),
    y: y.getPixelForValue(point.y),
    radius: radiusOf(point, series),
  });
  ctx.font = `12px ${theme.font}`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.ink;
  const labels = shown.map(({ label }) => label);
  const dots = shown.flatMap((series) => series.points?.map((point) => dotOf(point, series)) ?? []);
  const names = shown.flatMap((series) => {
    const point = series.draw === "line" ? series.points?.at(-1) : series.points?.[0];
    if (point === undefined || series.label === "") return [];
    const text = cutTo((chartArea.right - chartArea.left) * LONGEST_NAME, series.label, ctx);
    const width = ctx.measureText(text).width;
    return [{ text, label: series.label, dot: dotOf(point, series), width }];
  });
  placedNames(names, dots, chartArea).forEach((place, i) => {
    ctx.globalAlpha = strengthAmong(labels, names[i].label);
    if (place !== null) ctx.fillText(names[i].text, place.left, (place.top + place.bottom) / 2);
  });
  ctx.globalAlpha = 1;
}

function drawPointed(drawing: Chart, theme: Theme): void {
  const { ctx, chartArea: { top, bottom } } = drawing;
  const [active] = drawing.getActiveElements();
  if (!active) return;
  ctx.strokeStyle = faded(theme.ink, 0.4);
  ctx.lineWidth = 1;
  strokeLines(ctx, [[active.element.x, top, active.element.x, bottom]]);
}
