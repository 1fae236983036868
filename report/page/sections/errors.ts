/** The section of errors and of the slowest requests, for each scenario. */
import { type ErrorsModel, flawlessText } from "../../model/charts/errors.ts";
import type { ScenarioModel } from "../../model/model.ts";
import { HOW_TO_READ } from "../../model/numbers/how_to_read.ts";
import type { SlowestModel } from "../../model/tables/slowest.ts";
import { type Markup, markup } from "../../writing/html.ts";
import {
  chartMarkup,
  findingsMarkup,
  howToReadMarkup,
  legendMarkup,
  type PagePlace,
} from "./figures.ts";
import { tableMarkup } from "./tables.ts";

/** Null without scenarios. */
export function outcomesMarkup(
  scenarios: readonly ScenarioModel[],
  place: PagePlace,
): Markup | null {
  if (scenarios.length === 0) return null;
  const section = `${place.id}-outcomes`;
  const parts = scenarios.map((scenario, i) =>
    scenarioMarkup(scenario, { ...place, id: `${section}-${i + 1}` })
  );
  const flawless = flawlessText(scenarios);
  return markup`<section id="${section}" class="in-detail"><h2>Errors and slowest requests</h2>
${flawless && markup`<p>${flawless}</p>`}${parts}</section>`;
}

function scenarioMarkup(
  { name, tables, errors, slowest }: ScenarioModel,
  place: PagePlace,
): Markup | null {
  const { id } = place;
  const hasErrors = errors.findings.length > 0;
  if (!hasErrors && !errors.areMixed && !(tables.reasons ?? slowest)) return null;
  return markup`<div class="${hasErrors ? "" : "in-everything"}"><h3>${name}</h3>
${hasErrors ? findingsMarkup(errors.findings) : null}
${errorsFigure(errors, { ...place, id: `${id}-errors` })}
<div class="in-everything">${
    errors.areMixed ? tableMarkup(tables.outcomes, { id: `${id}-outcomes`, captioned: true }) : null
  }
${tables.reasons && tableMarkup(tables.reasons, { id: `${id}-reasons`, captioned: true })}
${slowest && slowestMarkup(slowest, id)}</div></div>`;
}

function errorsFigure({ charts }: ErrorsModel, place: PagePlace): Markup | null {
  if (charts.length === 0) return null;
  const panels = charts.map(({ label, chart }, i) =>
    markup`<div class="panel"><h4>${label}</h4>${legendMarkup(chart.series)}
${chartMarkup(chart, "stacked", { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  return markup`<figure><div class="panels">${panels}</div>
<figcaption>${howToReadMarkup(HOW_TO_READ.errors)}</figcaption></figure>`;
}

function slowestMarkup({ table, findings }: SlowestModel, id: string): Markup {
  return markup`<h4>Slowest requests</h4>
${findingsMarkup(findings)}
<details><summary>The slowest requests as a table</summary>
${tableMarkup(table, { id: `${id}-slowest`, captioned: false })}</details>`;
}
