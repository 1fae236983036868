/** The section of searches for a capacity: what was found, latency over the achieved rate, the trials, and how each target breaks. */
import type { CapacityModel } from "../../../subjects/capacity_picture.ts";
import type { ScenarioModel } from "../../../model.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import {
  chartMarkup,
  findingsMarkup,
  howToReadMarkup,
  legendMarkup,
  type PagePlace,
} from "./figures.ts";
import { tableMarkup } from "./tables.ts";

/** Null where no load was a search for a capacity. */
export function capacitiesMarkup(
  scenarios: readonly ScenarioModel[],
  place: PagePlace,
): Markup | null {
  const section = `${place.id}-capacity`;
  const parts = scenarios.flatMap(({ name, capacity }, i) =>
    capacity === null ? [] : [scenarioCapacity(name, capacity, {
      ...place,
      id: `${section}-${i + 1}`,
    })]
  );
  if (parts.length === 0) return null;
  return markup`<section id="${section}"><h2>Capacity</h2>${parts}</section>`;
}

function scenarioCapacity(name: string, model: CapacityModel, place: PagePlace): Markup {
  const { latency, trials, series, findings, breaking, tables } = model;
  const { id } = place;
  const panels = trials.map(({ label, chart }, i) =>
    markup`<div class="panel" data-label="${label}"><h4>Trials of ${label}</h4>
${chartMarkup(chart, "sweep", { ...place, id: `${id}-trials-${i + 1}` })}</div>`
  );
  const all = tables.map((table, i) =>
    tableMarkup(table, { id: `${id}-table-${i + 1}`, captioned: true })
  );
  return markup`<h3>${name}</h3>
${findingsMarkup(findings)}
<figure>${legendMarkup(series)}
${chartMarkup(latency, "tradeoff", { ...place, id: `${id}-latency` })}
<div class="panels">${panels}</div>
<figcaption>${howToReadMarkup(HOW_TO_READ.capacity)}</figcaption></figure>
${breaking && tableMarkup(breaking, { id: `${id}-breaking`, captioned: true })}
<details><summary>Every trial</summary>${all}</details>`;
}
