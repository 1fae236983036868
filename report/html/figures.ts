/** Figures: a canvas for each chart with its text, the finding, and how to read it. */
import type { BarsChart, Chart, DensityChart } from "../charts.ts";
import type { ScenarioModel } from "../model.ts";
import { READING } from "../reading.ts";
import { type Markup, markup } from "./markup.ts";
import { swatchMarkup } from "./tables.ts";

/** Charts of the page by the id of their canvas; travels to the client as JSON. */
export type Charts = Map<string, Chart>;

export interface Place {
  /** Unique in the page. */
  readonly id: string;
  readonly charts: Charts;
}

export function barsMarkup(chart: BarsChart, place: Place): Markup {
  return chartMarkup(chart, `bars-${chart.bars.length}`, place);
}

export function timelineFigure(scenario: ScenarioModel, place: Place): Markup {
  const { series, timelines, timelineFinding } = scenario;
  const ids = timelines.map((_, i) => `${place.id}-${i + 1}`);
  const panels = timelines.map((chart, i) => {
    const { label, color } = series[i];
    const lanes = chart.cpu ? "lanes-3" : "lanes-2";
    return markup`<div class="panel"><h4>${swatchMarkup(color)}${label}</h4>
${chartMarkup(chart, lanes, { ...place, id: ids[i] })}</div>`;
  });
  return markup`<figure><div class="panels">${panels}</div>
${captionMarkup(timelineFinding, READING.timeline)}
<details class="intervals" data-charts="${ids.join(" ")}">
<summary>Intervals as a table</summary></details></figure>`;
}

export function densityFigure(chart: DensityChart, finding: string, place: Place): Markup {
  const names = chart.series.map(({ label, color }) =>
    markup`<span>${swatchMarkup(color)}${label}</span> `
  );
  return markup`<figure><p class="legend">${names}</p>
${chartMarkup(chart, "density", place)}
${captionMarkup(finding, READING.density)}</figure>`;
}

function captionMarkup(finding: string, reading: string): Markup {
  return markup`<figcaption><p>${finding}</p><p class="note">${reading}</p></figcaption>`;
}

/** A box of a height that its class fixes, so that nothing moves when the client draws. */
function chartMarkup(chart: Chart, height: string, { id, charts }: Place): Markup {
  charts.set(id, chart);
  return markup`<div class="chart ${height}">
<canvas id="${id}" role="img" aria-label="${chart.alt}"></canvas></div>`;
}

/** Heights of the bars charts, as the page's policy forbids styles on elements. */
export function barHeights(charts: Charts): string {
  const counts = [...charts.values()]
    .flatMap((chart) => chart.kind === "bars" ? [chart.bars.length] : []);
  return [...new Set(counts)]
    .map((count) => `.bars-${count}{height:${count * 44 + 26}px}`)
    .join("");
}
