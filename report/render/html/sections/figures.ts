/** Figures: a canvas for each chart with its text, the finding, and how to read it. */
import type {
  BarsChart,
  Chart,
  DensityChart,
  ForestChart,
  TradeoffChart,
} from "../../../subjects/charts/charts.ts";
import type { Series } from "../../../blocks.ts";
import { type Markup, markup, verbatim } from "../../../writing/html.ts";
import { swatchMarkup } from "./tables.ts";

/** Charts of the page by the id of their canvas; travels to the client as JSON. */
export type Charts = Map<string, Chart>;

export interface PagePlace {
  /** Unique in the page. */
  readonly id: string;
  readonly charts: Charts;
  /** How long a packed step of intervals is, by the id of the section that shows them. */
  readonly steps: ReadonlyMap<string, { readonly seconds: number }>;
}

/** The share within a limit that the reader moves; and of more cells than a frame holds, which are drawn. */
export function withinMarkup({ axis, edges, most, series }: DensityChart): Markup {
  const middle = Number(Math.sqrt(edges[0] * edges[edges.length - 1]).toPrecision(1));
  const boxes = series.map(({ label, color }, i) =>
    markup`<label><input type="checkbox" name="ridge" value="${label}"${
      i < most ? verbatim(" checked") : null
    }> ${swatchMarkup(color)}${label}</label> `
  );
  const choice =
    markup`<details><summary>${most} of ${series.length} are drawn, those with the lowest p50: choose others</summary>
<fieldset><legend class="unseen">Drawn, at most ${most}</legend>${boxes}</fieldset></details>`;
  return markup`<form class="limit within" autocomplete="off"><label>Requests within <input type="number" name="limit" min="0" step="any" value="${middle}"> ${axis.unit}</label>
<output></output>${series.length > most ? choice : null}</form>`;
}

/** A limit of p99 that the reader moves; the client says how much each target serves below it. */
export function limitMarkup({ y }: TradeoffChart): Markup {
  return markup`<form class="limit" autocomplete="off"><label>p99 under <input type="number" name="limit" min="0" step="any"> ${y.unit}</label>
<output></output></form>`;
}

export function legendMarkup(series: readonly Series[], marks: readonly string[] = []): Markup {
  const names = series.map(({ label, color }) =>
    markup`<span>${swatchMarkup(color)}${label}</span> `
  );
  const signs = marks.map((mark, i) => markup`<span>${MARKS[i % MARKS.length]} ${mark}</span> `);
  return markup`<p class="legend">${names}</p>
${signs.length === 0 ? null : markup`<p class="legend">${signs}</p>`}`;
}

/** As the client draws them, in the same order. */
const MARKS = ["●", "▲", "■", "◆", "▼", "▶", "◀"];

/** Folded up: it is read once, for the first figure of a kind. */
export function howToReadMarkup(reading: string): Markup {
  return markup`<details class="reading"><summary>How to read this</summary>
<p class="note">${reading}</p></details>`;
}

/** A box of a height that its class fixes, so that nothing moves when the client draws. */
export function chartMarkup(chart: Chart, height: string, { id, charts }: PagePlace): Markup {
  charts.set(id, chart);
  return markup`<div class="chart ${height}">
<canvas id="${id}" role="img" aria-label="${chart.alt}"></canvas></div>`;
}

/** The class of the charts that are as high as this one. */
export function sizeOf(chart: Chart): string {
  switch (chart.kind) {
    case "bars":
      return `bars-${chart.bars.length}`;
    case "forest":
      return `forest-${chart.rows.length}${chart.namesApart ? "-apart" : ""}`;
    case "timeline":
      return `tracks-${2 + chart.tracks.length}`;
    case "density":
      return chart.series.length > 2 ? "ridges" : "density";
    case "errors":
    case "agents":
      return "stacked";
    default:
      return chart.kind;
  }
}

/** Heights of the bars charts, as the page's policy forbids styles on elements. */
export function barHeights(charts: Charts): string {
  const rules = [...charts.values()].filter((chart) => chart.kind === "bars")
    .map((chart) => `.bars-${chart.bars.length}{height:${barsHeightPx(chart)}px}`);
  return [...new Set(rules)].join("");
}

export function barsHeightPx({ bars }: BarsChart): number {
  return bars.length * 44 + 26;
}

/** Heights of the forest plots. */
export function forestHeights(charts: Charts): string {
  const rules = [...charts.values()].filter((chart) => chart.kind === "forest")
    .map((chart) => `.${sizeOf(chart)}{height:${forestHeightPx(chart)}px}`);
  return [...new Set(rules)].join("");
}

export function forestHeightPx({ rows, namesApart }: ForestChart): number {
  return rows.length * (namesApart ? 56 : 40) + 34;
}
