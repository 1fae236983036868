/** The sections of the page that show scenarios: the overview of all, then each in full. */
import { type ErrorsModel, flawlessText } from "../../../subjects/charts/errors.ts";
import type { SlowestModel } from "../../../subjects/tables/slowest.ts";
import type { AgentsPanel } from "../../../subjects/agents/agents.ts";
import { remarksText, verdictSentence } from "../../../findings/judgements.ts";
import type { ScenarioModel } from "../../../model.ts";
import type { TradeoffChart } from "../../../subjects/charts/charts.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import type { ServedTables } from "../../../subjects/tables/served.ts";
import type { Table } from "../../../subjects/tables/table.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import {
  barsMarkup,
  chartMarkup,
  densityFigure,
  findingsMarkup,
  howToReadMarkup,
  legendMarkup,
  type PagePlace,
  tailsFigure,
} from "./figures.ts";
import { tableMarkup } from "./tables.ts";
import { heatmapFigure, timelineFigure } from "./timeline.ts";

/** For each scenario its verdict, its bars, and the summary table that they show. @param isDetail Whether the summary shows it otherwise. */
export function overviewMarkup(
  scenarios: readonly ScenarioModel[],
  place: PagePlace,
  isDetail: boolean,
): Markup {
  if (scenarios.length === 0) return markup`<p>No run is complete yet.</p>`;
  const verdicts = scenarios.map((scenario, i) =>
    verdictMarkup(scenario, { ...place, id: `${place.id}-verdict-${i + 1}` })
  );
  return markup`<figure class="overview${
    isDetail ? " in-detail" : ""
  }"><h2>Requests per second</h2>${verdicts}
<figcaption>${
    howToReadMarkup(`${HOW_TO_READ.bars} ${HOW_TO_READ.confidence}`)
  }</figcaption></figure>`;
}

/** What each target gives up in p99 for its requests/s; null where nothing is traded. */
export function tradeoffsMarkup(
  scenarios: readonly ScenarioModel[],
  place: PagePlace,
): Markup | null {
  const panels = scenarios.flatMap(({ name, tradeoff }, i) =>
    tradeoff === null ? [] : [
      markup`<div class="panel"><h3>${name}</h3>
${chartMarkup(tradeoff.chart, "tradeoff", { ...place, id: `${place.id}-tradeoff-${i + 1}` })}
${tradeoff.chart.isLine ? limitMarkup(tradeoff.chart) : null}
<p>${tradeoff.finding}</p></div>`,
    ]
  );
  if (panels.length === 0) return null;
  return markup`<section id="${place.id}-tradeoff"><h2>Throughput against tail latency</h2>
<figure><div class="panels tradeoffs-${Math.min(panels.length, 3)}">${panels}</div>
<figcaption>${howToReadMarkup(HOW_TO_READ.tradeoff)}</figcaption></figure></section>`;
}

/** A limit of p99 that the reader moves; the client says how much each target serves below it. */
function limitMarkup({ y }: TradeoffChart): Markup {
  return markup`<form class="limit" autocomplete="off"><label>p99 under <input type="number" name="limit" min="0" step="any"> ${y.unit}</label>
<output></output></form>`;
}

function verdictMarkup(
  { name, request, load, summary: result, bars, tables, bottlenecks, runtimeFindings }:
    ScenarioModel,
  place: PagePlace,
): Markup {
  const summary = tableMarkup(tables.summary, { id: `${place.id}-table`, captioned: false });
  return markup`<section class="scenario-verdict"><h3>${name} ${requestMarkup(request)}</h3>
${loadMarkup(load)}
<p class="verdict"><strong>${verdictSentence(result.verdict)}.</strong> ${remarksText(result)}</p>
${bottlenecks.map((text) => markup`<p class="note">Bottleneck of ${text}</p>`)}
${runtimeFindings.map((text) => markup`<p class="note">Runtime of ${text}</p>`)}
<div class="beside">${barsMarkup(bars, place)}<div>${summary}</div></div></section>`;
}

function requestMarkup(request: string): Markup | null {
  return request ? markup`<code>${request}</code>` : null;
}

function loadMarkup(load: string): Markup | null {
  return load ? markup`<p class="note">Load: ${load}</p>` : null;
}

export function scenarioMarkup(scenario: ScenarioModel, place: PagePlace): Markup {
  const { name, request, load, tables, density, densityFinding, tails, tailsFinding } = scenario;
  const { id } = place;
  const table = (table: Table, key: string): Markup =>
    tableMarkup(table, { id: `${id}-${key}`, captioned: false });
  return markup`<section class="scenario in-detail" id="${id}"><h2>${name} ${
    requestMarkup(request)
  }</h2>
${loadMarkup(load)}
<h3>Over time</h3>
${timelineFigure(scenario, { ...place, id: `${id}-timeline` })}
${steadyMarkup(scenario, id)}
<h3>Latency</h3>
${heatmapFigure(scenario, { ...place, id: `${id}-heatmap` })}
${density && densityFigure(density, densityFinding, { ...place, id: `${id}-density` })}
${tails && tailsFigure(tails, tailsFinding, { ...place, id: `${id}-tails` })}
${
    tables.steps && markup`<h3>Requests one by one</h3>
${table(tables.steps, "steps")}`
  }
<div class="in-everything">
${table(tables.percentiles, "percentiles")}
${perSecondMarkup(tables, id)}
${connectionsMarkup(tables.connections, id)}
${servedMarkup(tables.served, id)}
${agentsMarkup(scenario, place)}
${resourcesMarkup(scenario, id)}
<details><summary>Every run</summary>${table(tables.runs, "runs")}</details></div>
</section>`;
}

/** The counts of whole seconds; null where no run has enough of them. */
function perSecondMarkup({ perSecond }: ScenarioModel["tables"], id: string): Markup | null {
  if (perSecond === null) return null;
  const [requests, bytes] = perSecond;
  return markup`<h3>Per second</h3>
<div class="pair"><div>${tableMarkup(requests, { id: `${id}-requests`, captioned: true })}</div>
<div>${tableMarkup(bytes, { id: `${id}-bytes`, captioned: true })}</div></div>
<p class="note">${HOW_TO_READ.perSecond}</p>`;
}

function connectionsMarkup(table: Table | null, id: string): Markup | null {
  if (table === null) return null;
  return markup`<h3>Connections and responses</h3>
${tableMarkup(table, { id: `${id}-connections`, captioned: false })}`;
}

/** By class of status, by instance, by cache, and the virtual users' sessions; null where there is none of them. */
function servedMarkup(served: ServedTables, id: string): Markup[] {
  return Object.entries(served).flatMap(([key, table]: [string, Table | null]) =>
    table === null ? [] : [markup`${tableMarkup(table, { id: `${id}-${key}`, captioned: true })}`]
  );
}

/** CPU and memory of the targets; null where none was watched. */
function resourcesMarkup({ tables, perCpuFinding }: ScenarioModel, id: string): Markup | null {
  if (tables.resources === null) return null;
  return markup`<h3>Resources of the targets</h3>
<p>${perCpuFinding}</p>
${tableMarkup(tables.resources, { id: `${id}-resources`, captioned: false })}`;
}

/** How each cell reaches its steady state; null for a load that itself changes. */
function steadyMarkup({ steadyFindings, tables }: ScenarioModel, id: string): Markup | null {
  if (tables.steady === null) return null;
  const { steady, parts } = tables.steady;
  const findings = steadyFindings.map(({ text }) => markup`<li>${text}</li>`);
  return markup`<h3>Warm-up and steady state</h3>
<ul class="findings">${findings}</ul>
<div class="in-everything">${parts && tableMarkup(parts, { id: `${id}-parts`, captioned: true })}
${steady && tableMarkup(steady, { id: `${id}-steady`, captioned: true })}</div>`;
}

/** A longer table is folded up: it serves to look up one agent. */
const MOST_ROWS = 30;

/** Each agent beside the whole; null where one program loaded alone. */
function agentsMarkup({ agents }: ScenarioModel, place: PagePlace): Markup | null {
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

function panelsMarkup(panels: readonly AgentsPanel[], place: PagePlace): Markup | null {
  if (panels.length === 0) return null;
  const drawn = panels.map(({ label, chart }, i) =>
    markup`<div class="panel" data-label="${label}"><h4>Requests per second, ${label}</h4>${
      legendMarkup(chart.series)
    }
${chartMarkup(chart, "stacked", { ...place, id: `${place.id}-agents-${i + 1}` })}</div>`
  );
  return markup`<figure><div class="panels">${drawn}</div>
<figcaption>${howToReadMarkup(HOW_TO_READ.agents)}</figcaption></figure>`;
}

// The section of errors and of the slowest requests, for each scenario.

/** Null without scenarios. */
export function outcomesMarkup(
  scenarios: readonly ScenarioModel[],
  place: PagePlace,
): Markup | null {
  if (scenarios.length === 0) return null;
  const section = `${place.id}-outcomes`;
  const parts = scenarios.map((scenario, i) =>
    scenarioErrors(scenario, { ...place, id: `${section}-${i + 1}` })
  );
  const flawless = flawlessText(scenarios);
  return markup`<section id="${section}" class="in-detail"><h2>Errors and slowest requests</h2>
${flawless && markup`<p>${flawless}</p>`}${parts}</section>`;
}

function scenarioErrors(
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
