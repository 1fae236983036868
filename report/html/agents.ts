/** The part of a scenario that shows each agent beside the whole. */
import type { AgentsPanel } from "../model/agents/chart.ts";
import type { ScenarioModel } from "../model/model.ts";
import { READING } from "../model/numbers/how_to_read.ts";
import { chartMarkup, legendMarkup, type Place, readingMarkup } from "./figures.ts";
import { type Markup, markup } from "../writing/html.ts";
import { tableMarkup } from "./tables.ts";

/** A longer table is for those who look for one agent. */
const MOST_ROWS = 30;

/** Null where one program loaded alone. */
export function agentsMarkup({ agents }: ScenarioModel, place: Place): Markup | null {
  if (agents === null) return null;
  const { findings, table, panels } = agents;
  const items = findings.map((text) => markup`<li>${text}</li>`);
  const all = tableMarkup(table, { id: `${place.id}-agents`, captioned: false });
  const folded = markup`<details><summary>Each agent</summary>${all}</details>`;
  return markup`<h3>Agents</h3>
${items.length === 0 ? null : markup`<ul class="findings">${items}</ul>`}
${table.rows.length > MOST_ROWS ? folded : all}
${panelsMarkup(panels, place)}`;
}

function panelsMarkup(panels: readonly AgentsPanel[], place: Place): Markup | null {
  if (panels.length === 0) return null;
  const drawn = panels.map(({ label, chart }, i) =>
    markup`<div class="panel"><h4>Requests per second, ${label}</h4>${legendMarkup(chart.series)}
${chartMarkup(chart, "faults", { ...place, id: `${place.id}-agents-${i + 1}` })}</div>`
  );
  return markup`<figure><div class="panels">${drawn}</div>
<figcaption>${readingMarkup(READING.agents)}</figcaption></figure>`;
}
