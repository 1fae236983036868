/** The part of the page that shows several results of one experiment in the order of time. */
import type { ScenarioTrend, TrendModel } from "../../../subjects/trend/trend.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { chartMarkup, legendMarkup, type PagePlace } from "../figures.ts";
import { tableMarkup } from "./tables.ts";

const READING =
  "Each point is the cell in one result, its whisker the 95 % confidence interval over its runs. A line joins them from the oldest to the newest, equally far apart whatever the time between. Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile.";

export function trendMarkup(trend: TrendModel, place: PagePlace): Markup {
  const { title, finding, warnings, scenarios, compared } = trend;
  const sections = scenarios.map((scenario, i) =>
    scenarioTrendMarkup(scenario, { ...place, id: `${place.id}-s${i + 1}` })
  );
  return markup`<article id="${place.id}">
<header><h1>${title}</h1>
<p class="verdict">${finding}</p>
${warnings.map((text) => markup`<p class="warning">${text}</p>`)}</header>
${sections}
${
    compared && markup`<section><h2>${compared.caption}</h2>
${tableMarkup(compared, { id: `${place.id}-compared`, captioned: false })}</section>`
  }
</article>`;
}

function scenarioTrendMarkup(
  { name, findings, series, drawings, table }: ScenarioTrend,
  place: PagePlace,
): Markup {
  const panels = drawings.map(({ title, chart }, i) =>
    markup`<div class="panel"><h3>${title}</h3>
${chartMarkup(chart, { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  const items = findings.map((finding) => markup`<li>${finding}</li>`);
  return markup`<section id="${place.id}"><h2>Trend of ${name}</h2>
<figure>${legendMarkup(series)}
<div class="panels">${panels}</div>
<figcaption>${items.length === 0 ? null : markup`<ul class="findings">${items}</ul>`}
<p class="note">${READING}</p></figcaption>
<details><summary>Values as a table</summary>
${tableMarkup(table, { id: `${place.id}-table`, captioned: false })}</details></figure></section>`;
}
