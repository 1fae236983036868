/** The section that plots the settling time of each cell against its settled latency. */
import type { SettlingModel } from "../../model/charts/settling.ts";
import { HOW_TO_READ } from "../../model/numbers/how_to_read.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { captionMarkup, chartMarkup, type PagePlace } from "./figures.ts";
import { marksLegend } from "./published.ts";
import { tableMarkup } from "./tables.ts";

export function settlingMarkup(model: SettlingModel | null, place: PagePlace): Markup | null {
  if (model === null) return null;
  const { id } = place;
  const { finding, chart, legend, table } = model;
  return markup`<section id="${id}"><h2>Settling time</h2>
${
    chart === null ? markup`<p>${finding}</p>` : markup`<figure>${marksLegend(legend)}
${chartMarkup(chart, "scatter", { ...place, id: `${id}-chart` })}
${captionMarkup(finding, HOW_TO_READ.settling)}</figure>`
  }
${tableMarkup(table, { id: `${id}-table`, captioned: false })}</section>`;
}
