/** The section of the page that shows what became of claims. */
import type { ClaimsModel } from "../model/claims/model.ts";
import { type Markup, markup } from "../writing/html.ts";
import { tableMarkup } from "./tables.ts";

/** Null without claims. @param id Of the experiment. */
export function claimsMarkup({ table, summary }: ClaimsModel, id: string): Markup | null {
  if (table === null) return null;
  return markup`<section id="${id}-claims" class="claims"><h2>Claims</h2>
<p class="verdict"><strong>${summary}</strong></p>
${tableMarkup(table, { id: `${id}-claims-table`, captioned: false })}</section>`;
}
