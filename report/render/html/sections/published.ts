/** The section that sets published figures beside the measured ones. */
import type { ScatterChart } from "../../../subjects/charts/charts.ts";
import type { PublishedModel } from "../../../judge/published/model.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { chartMarkup, howToReadMarkup, legendMarkup, type PagePlace } from "./figures.ts";
import { tableMarkup } from "./tables.ts";

/** Null when nothing was published. */
export function publishedMarkup(
  tables: readonly PublishedModel[],
  place: PagePlace,
): Markup | null {
  if (tables.length === 0) return null;
  const { id } = place;
  const parts = tables.map((table, i) => oneMarkup(table, { ...place, id: `${id}-${i + 1}` }));
  return markup`<section id="${id}" class="in-detail"><h2>Published and measured</h2>${parts}</section>`;
}

function oneMarkup(model: PublishedModel, place: PagePlace): Markup {
  const { title, finding, missing, table, order, chart } = model;
  const lists = [
    listMarkup("Differences that matter", model.differences),
    listMarkup("Other differences", model.confounders),
  ];
  return markup`<div class="published"><h3>${title}</h3>
${finding && markup`<p class="verdict">${finding}</p>`}
${
    chart === null
      ? lists
      : markup`<div class="halves"><div>${
        figureMarkup(model, chart, place)
      }</div><div>${lists}</div></div>`
  }
${table && tableMarkup(table, { id: `${place.id}-table`, captioned: false })}
${missing && markup`<p class="note">${missing}</p>`}
${order && tableMarkup(order, { id: `${place.id}-order`, captioned: true })}</div>`;
}

function figureMarkup(model: PublishedModel, chart: ScatterChart, place: PagePlace): Markup {
  return markup`<figure>${marksLegend(model.legend)}
${chartMarkup(chart, "scatter", place)}
<figcaption>${howToReadMarkup(HOW_TO_READ.published)}</figcaption></figure>`;
}

/** As the client draws them, in the same order. */
const MARKS = ["●", "▲", "■", "◆", "▼", "▶", "◀"];

export function marksLegend({ series, scenarios }: PublishedModel["legend"]): Markup {
  const marks = scenarios.map((scenario, i) =>
    markup`<span>${MARKS[i % MARKS.length]} ${scenario}</span> `
  );
  return markup`${legendMarkup(series)}
${marks.length === 0 ? null : markup`<p class="legend">${marks}</p>`}`;
}

function listMarkup(heading: string, sentences: readonly string[]): Markup | null {
  if (sentences.length === 0) return null;
  const items = sentences.map((sentence) => markup`<li>${sentence}</li>`);
  return markup`<h4>${heading}</h4><ul class="findings">${items}</ul>`;
}
