/** Figures: a canvas for each chart with its text, the finding, and how to read it. */
import type {
  BarsChart,
  Chart,
  DensityChart,
  TailsChart,
} from "../../../subjects/charts/charts.ts";
import type { ScenarioModel } from "../../../model.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { type Markup, markup, verbatim } from "../../../writing/html.ts";
import { swatchMarkup } from "./tables.ts";

/** Charts of the page by the id of their canvas; travels to the client as JSON. */
export type Charts = Map<string, Chart>;

export interface PagePlace {
  /** Unique in the page. */
  readonly id: string;
  readonly charts: Charts;
  /** How long a packed step of each scenario's intervals is. */
  readonly steps: ReadonlyMap<ScenarioModel, { readonly seconds: number }>;
}

export function barsMarkup(chart: BarsChart, place: PagePlace): Markup {
  return chartMarkup(chart, `bars-${chart.bars.length}`, place);
}

export function densityFigure(chart: DensityChart, finding: string, place: PagePlace): Markup {
  return markup`<figure>${legendMarkup(chart.series)}
${chartMarkup(chart, chart.series.length > 2 ? "ridges" : "density", place)}
${withinMarkup(chart)}
${captionMarkup(finding, HOW_TO_READ.density)}</figure>`;
}

/** The share within a limit that the reader moves; and of more cells than a frame holds, which are drawn. */
function withinMarkup({ axis, edges, most, series }: DensityChart): Markup {
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

export function tailsFigure(chart: TailsChart, finding: string, place: PagePlace): Markup {
  return markup`<figure>${legendMarkup(chart.series)}
${chartMarkup(chart, "tails", place)}
${captionMarkup(finding, HOW_TO_READ.tails)}</figure>`;
}

export function legendMarkup(
  series: readonly { readonly label: string; readonly color: number }[],
): Markup {
  const names = series.map(({ label, color }) =>
    markup`<span>${swatchMarkup(color)}${label}</span> `
  );
  return markup`<p class="legend">${names}</p>`;
}

/** As the client draws them, in the same order. */
const MARKS = ["●", "▲", "■", "◆", "▼", "▶", "◀"];

/** What the shapes of dots stand for; null where all have one. */
export function marksMarkup(names: readonly string[]): Markup | null {
  if (names.length < 2) return null;
  const marks = names.map((name, i) => markup`<span>${MARKS[i % MARKS.length]} ${name}</span> `);
  return markup`<p class="legend">${marks}</p>`;
}

/** What a figure or a table shows, a sentence each. */
export function findingsMarkup(findings: readonly string[]): Markup {
  if (findings.length === 1) return markup`<p>${findings[0]}</p>`;
  const items = findings.map((finding) => markup`<li>${finding}</li>`);
  return markup`<ul class="findings">${items}</ul>`;
}

export function captionMarkup(finding: string, reading: string): Markup {
  return markup`<figcaption><p>${finding}</p>${howToReadMarkup(reading)}</figcaption>`;
}

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
