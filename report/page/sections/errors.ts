/** The section of the page that shows what went wrong and what took longest, for each scenario. */
import type { ErrorsModel } from "../../model/charts/errors.ts";
import type { ScenarioModel } from "../../model/model.ts";
import { HOW_TO_READ } from "../../model/numbers/how_to_read.ts";
import type { SlowestModel } from "../../model/tables/slowest.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { chartMarkup, findingsMarkup, legendMarkup, type Place, readingMarkup } from "./figures.ts";
import { tableMarkup } from "./tables.ts";

/** Null without scenarios. */
export function outcomesMarkup(scenarios: readonly ScenarioModel[], place: Place): Markup | null {
  if (scenarios.length === 0) return null;
  const section = `${place.id}-outcomes`;
  const parts = scenarios.map((scenario, i) =>
    scenarioMarkup(scenario, { ...place, id: `${section}-${i + 1}` })
  );
  return markup`<section id="${section}"><h2>Errors and slowest requests</h2>${parts}</section>`;
}

function scenarioMarkup(
  { name, tables, errors: faults, slowest }: ScenarioModel,
  place: Place,
): Markup {
  const { id } = place;
  return markup`<h3>${name}</h3>
${findingsMarkup(faults.findings)}
${faultsFigure(faults, { ...place, id: `${id}-faults` })}
${tableMarkup(tables.outcomes, { id: `${id}-outcomes`, captioned: true })}
${tables.reasons && tableMarkup(tables.reasons, { id: `${id}-reasons`, captioned: true })}
${slowest && slowestMarkup(slowest, id)}`;
}

function faultsFigure({ charts }: ErrorsModel, place: Place): Markup | null {
  if (charts.length === 0) return null;
  const panels = charts.map(({ label, chart }, i) =>
    markup`<div class="panel"><h4>${label}</h4>${legendMarkup(chart.series)}
${chartMarkup(chart, "faults", { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  return markup`<figure><div class="panels">${panels}</div>
<figcaption>${readingMarkup(HOW_TO_READ.errors)}</figcaption></figure>`;
}

function slowestMarkup({ table, findings }: SlowestModel, id: string): Markup {
  return markup`<h4>Slowest requests</h4>
${findingsMarkup(findings)}
<details><summary>The slowest requests as a table</summary>
${tableMarkup(table, { id: `${id}-slowest`, captioned: false })}</details>`;
}
