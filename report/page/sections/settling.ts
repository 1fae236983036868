/** The section that sets the time to stable latency against the latency at which it ends. */
import type { SettlingModel } from "../../model/charts/settling.ts";
import { HOW_TO_READ } from "../../model/numbers/how_to_read.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { captionMarkup, chartMarkup, type Place } from "./figures.ts";
import { marksLegend } from "./published.ts";
import { tableMarkup } from "./tables.ts";

export function stableMarkup(model: SettlingModel | null, place: Place): Markup | null {
  if (model === null) return null;
  const { id } = place;
  const { finding, chart, legend, table } = model;
  return markup`<section id="${id}"><h2>Time to stable latency</h2>
${
    chart === null ? markup`<p>${finding}</p>` : markup`<figure>${marksLegend(legend)}
${chartMarkup(chart, "scatter", { ...place, id: `${id}-chart` })}
${captionMarkup(finding, HOW_TO_READ.settling)}</figure>`
  }
${tableMarkup(table, { id: `${id}-table`, captioned: false })}</section>`;
}
