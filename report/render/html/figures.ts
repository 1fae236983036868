/**
 * The markup of figures: a canvas for each chart with its text alternative and controls, the findings, and instructions
 * for reading the chart.
 */
import { type Chart, type Overlay, sectionOf, type Timeline, type Xy } from "../../chart.ts";
import type { Figure, Panel, Series } from "../../blocks.ts";
import { HEAT_SHARES } from "../../subjects/charts/heatmap.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { formatTick } from "../../writing/units.ts";
import { rowsMarkup } from "./rows.ts";
import { swatchMarkup, tableMarkup } from "./sections/tables.ts";
import { findingsMarkup, foldMarkup, headingMarkup } from "./texts.ts";

/** Charts of the page by canvas id. The client receives them as JSON. */
export type Charts = Map<string, Chart>;

export interface PagePlace {
  /** Unique on the page. */
  readonly id: string;
  readonly charts: Charts;
  /** Length of a packed step, which joins one or more intervals, by the id of the section that shows the intervals. */
  readonly steps: ReadonlyMap<string, { readonly seconds: number }>;
}

export function figureMarkup(figure: Figure, place: PagePlace, level: number): Markup {
  const own = ownPlace(figure, place);
  const [{ chart }] = figure.panels;
  // The class by which the page's client finds figures that it makes interactive.
  const followed = chart.kind === "rows" && chart.margin !== undefined
    ? "forest"
    : chart.kind === "timeline" || chart.kind === "heatmap"
    ? `${chart.kind}s`
    : null;
  const attributes = followed && markup` class="${followed}" id="${own.id}"`;
  return markup`<figure${attributes}>${figureContent(figure, own, level)}</figure>\n`;
}

/**
 * The place of a figure. If the figure has an id, the id of its place depends only on its section and this id, not on
 * its position.
 */
export function ownPlace({ id }: Figure, place: PagePlace): PagePlace {
  return id === "" ? place : { ...place, id: `${sectionOf(place.id)}-${id}` };
}

export function figureContent(figure: Figure, place: PagePlace, level: number): Markup {
  const { legend, marks, panels, findings, reading, values } = figure;
  const { id } = place;
  const timelines = panels.flatMap(({ chart }) => chart.kind === "timeline" ? [chart] : []);
  const isHeat = panels.some(({ chart }) => chart.kind === "heatmap");
  const isAlone = panels.length === 1 && titleOf(panels[0]) === "";
  const drawn = panels.map((panel, i) =>
    panelMarkup(panel, isAlone ? place : { ...place, id: `${id}-${i + 1}` }, level)
  );
  const charts = panels.length === 1 && timelines.length === 0 && !isHeat
    ? drawn
    : markup`<div class="panels">${drawn}</div>`;
  const caption = markup`<figcaption>${findingsMarkup(findings)}${
    readingMarkup(reading)
  }</figcaption>`;
  if (timelines.length > 0) {
    return markup`${viewMarkup(timelines, place)}
${keyMarkup(timelines)}
${overlayMarkup(panels, timelines, place)}
${charts}
<p class="unseen" role="status"></p>
<div class="selected" role="group" aria-label="Selection"></div>
${caption}
<details class="intervals"><summary>Intervals as a table</summary></details>`;
  }
  if (isHeat) {
    return markup`${HEAT_KEY}
${charts}
${caption}
<details class="heats"><summary>Requests by time and latency as a table</summary></details>`;
  }
  const table = values &&
    foldMarkup("Values as a table", tableMarkup(values, { id: `${id}-values`, captioned: false }));
  const shapes = marks.map((name, i) => markup`${MARKS[i % MARKS.length]} ${name}`);
  return markup`${legendMarkup(legend.map(nameMarkup))}${
    shapes.length < 2 ? null : legendMarkup(shapes)
  }
${charts}
${caption}
${table}`;
}

function titleOf({ of, title = of?.label ?? "" }: Panel): string {
  return title;
}

function panelMarkup(panel: Panel, place: PagePlace, level: number): Markup {
  const { of, chart } = panel;
  const [title, drawn] = [titleOf(panel), chartMarkup(chart, place)];
  if (title === "") return drawn;
  const swatch = swatchMarkup(of?.color);
  const label = of === undefined ? null : markup` data-label="${of.label}"`;
  return markup`<div class="panel"${label}>${headingMarkup(title, level, { swatch })}
${drawn}</div>`;
}

/**
 * A box for the chart, with its controls. The box has a fixed height from its class, so that nothing moves when the
 * client draws the chart.
 */
function chartMarkup(chart: Chart, { id, charts }: PagePlace): Markup {
  if (chart.kind === "rows") return rowsMarkup(chart, id);
  charts.set(id, chart);
  const canvas = markup`<canvas id="${id}" role="img" aria-label="${chart.alt}"></canvas>`;
  if (chart.kind === "heatmap") {
    return markup`<div class="chart heatmap" role="group" tabindex="0" aria-label="${chart.alt}: arrow keys read it">${canvas}</div>
<output class="note"></output>`;
  }
  const px = heightPx(chart);
  const size = px !== null ? `high-${px}` : chart.kind === "xy" ? chart.size : chart.kind;
  return markup`<div class="chart ${size}">${canvas}</div>${
    chart.kind === "xy" ? limitMarkup(chart) : null
  }`;
}

/**
 * Style rules for the heights of charts that grow with their content. They are not inline styles, because the page's
 * security policy forbids these.
 */
export function heightRules(charts: Iterable<Chart>): string {
  const heights = new Set([...charts].flatMap((chart) => heightPx(chart) ?? []));
  return [...heights].map((px) => `.high-${px}{height:${px}px}`).join("");
}

/** Number of ridges that fit into a chart of height `RIDGES_PX`; each further ridge adds `RIDGE_PX`. */
const RIDGES = 6;
const RIDGES_PX = 300;
const RIDGE_PX = 44;
/** Height of the tracks for latency and requests together, and of each further track. */
const TRACKS_PX = 291;
const TRACK_PX = 55;

/** Height in pixels; null for charts whose height does not depend on their content. */
function heightPx(chart: Chart): number | null {
  if (chart.kind === "timeline") return TRACKS_PX + Math.max(1, chart.tracks.length) * TRACK_PX;
  const isHigh = chart.kind === "xy" && chart.ridges && chart.series.length > RIDGES;
  return isHigh ? RIDGES_PX + (chart.series.length - RIDGES) * RIDGE_PX : null;
}

/** A field in which the reader can move the limit; null if the chart has none. */
function limitMarkup({ limit, x, y }: Xy): Markup | null {
  if (!limit) return null;
  const axis = limit.axis === "x" ? x : y;
  const middle = Number(Math.sqrt((axis.min || axis.max / 10) * axis.max).toPrecision(1));
  return markup`
<form class="limit" autocomplete="off"><label>${limit.label} <input type="number" name="limit" min="0" step="any" value="${middle}"> ${axis.unit}</label>
<output></output></form>`;
}

function legendMarkup(names: readonly Markup[], of = ""): Markup | null {
  const items = names.map((name) => markup`<span>${name}</span> `);
  return names.length === 0 ? null : markup`<p class="legend">${of}${items}</p>`;
}

function nameMarkup({ label, color }: Series): Markup {
  return markup`${swatchMarkup(color)}${label}`;
}

/** The marks as characters, in the order of `SCENARIO_MARKS`, which the client draws. */
const MARKS = ["●", "▲", "■", "◆", "▼", "▶", "◀"];

/**
 * A fold with instructions for reading a chart, closed at first because readers need them only once; null if `reading`
 * is "".
 */
export function readingMarkup(reading: string): Markup | null {
  if (reading === "") return null;
  return markup`<details class="reading"><summary>How to read this</summary>
<p class="note">${reading}</p></details>`;
}

// Timelines: a chart that overlays all targets, and controls for choosing a time range.

/**
 * A chart that overlays all targets; null if there is only one target with one run, because its own panel shows the
 * same.
 */
function overlayMarkup(
  panels: readonly Panel[],
  timelines: readonly Timeline[],
  place: PagePlace,
): Markup | null {
  if (timelines.length === 1 && timelines[0].runs.length === 1) return null;
  const series = panels.flatMap(({ of }, i) =>
    of === undefined ? [] : [{ label: of.label, color: of.color, of: `${place.id}-${i + 1}` }]
  );
  const chart: Overlay = {
    kind: "overlay",
    alt:
      "Latency and requests per second over time: the median run of each target and the band of its runs",
    series,
  };
  return markup`${legendMarkup(series.map(nameMarkup))}
${chartMarkup(chart, { ...place, id: `${place.id}-overlay` })}`;
}

/** The meaning of each line in the track of requests; null if there is only one line. */
function keyMarkup(timelines: readonly Timeline[]): Markup | null {
  const hasOffered = timelines.some(({ offered }) => offered.length > 0);
  const hasFailed = timelines.some(({ runs }) => runs.some(({ failed }) => failed));
  const kinds = ["served", ...hasFailed ? ["failed"] : [], ...hasOffered ? ["offered"] : []];
  if (kinds.length === 1) return null;
  const names = kinds.map((kind) => markup`<i class="line ${kind}"></i>${kind}`);
  return legendMarkup(names, "Requests/s: ");
}

/**
 * Controls for the time range, as an alternative to dragging on the charts. They work by keyboard and touch and are
 * shown once the client is loaded.
 */
function viewMarkup(timelines: readonly Timeline[], { id, steps }: PagePlace): Markup {
  const stepS = steps.get(sectionOf(id))?.seconds ?? 1;
  const [{ span }] = timelines;
  const end = Math.max(1, Math.ceil(span / stepS - 1e-6)) * stepS;
  const plain = (value: number): number => Number(value.toFixed(6));
  const input = (name: string, value: number): Markup =>
    markup`<input type="number" name="${name}" min="0" max="${plain(end)}" step="${stepS}" value="${
      plain(value)
    }">`;
  return markup`<form class="view" autocomplete="off">
<p class="range"><label>From ${input("from", 0)}</label> <label>to ${input("to", end)} s</label>
<button type="button" name="whole">Whole run</button>
<span class="note">or drag over a chart</span>
<a href="#view=${sectionOf(id)}">Link to this view</a></p></form>`;
}

const HEAT_KEY = markup`
<p class="legend">Share of the interval’s requests: ${
  HEAT_SHARES.map((from, i) => {
    const text = i === 0
      ? `under ${formatTick(100 * HEAT_SHARES[1])}`
      : `from ${formatTick(100 * from)}`;
    return markup`<span><i class="swatch heat-${i}"></i>${text} %</span> `;
  })
}<span><i class="line faster"></i>and faster</span> <span><i class="line bound"></i>lower bounds</span></p>`;
