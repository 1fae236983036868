/** The sections with lines: the effects of the experiment's factors, and trends over several results. */
import type { SweepFigure, SweepModel } from "../../../subjects/sweeps/sweeps.ts";
import type { WeightsModel } from "../../../subjects/sweeps/variance_explained.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import {
  chartMarkup,
  findingsMarkup,
  howToReadMarkup,
  legendMarkup,
  type PagePlace,
} from "./figures.ts";
import { swatchMarkup, tableMarkup } from "./tables.ts";
import type { ScenarioTrend, TrendModel } from "../../../subjects/trend/trend.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";

/** Null without factors to show. */
export function sweepsMarkup(sweeps: readonly SweepModel[], place: PagePlace): Markup | null {
  if (sweeps.length === 0) return null;
  const section = `${place.id}-sweeps`;
  const scenarios = sweeps.map((sweep, i) =>
    scenarioMarkup(sweep, { ...place, id: `${section}-${i + 1}` })
  );
  return markup`<section id="${section}"><h2>Sweeps</h2>${scenarios}</section>`;
}

function scenarioMarkup({ scenario, figures, weights }: SweepModel, place: PagePlace): Markup {
  const drawn = figures.map((figure, i) =>
    figureMarkup(figure, scenario, { ...place, id: `${place.id}-${i + 1}` })
  );
  return markup`${drawn}${weights && weightsMarkup(weights, scenario, place.id)}`;
}

function figureMarkup(figure: SweepFigure, scenario: string, place: PagePlace): Markup {
  const { factor, findings, facets, note, reading, table } = figure;
  const parts = facets.map((facet, i) =>
    facetMarkup(facet, { ...place, id: `${place.id}-${i + 1}` })
  );
  return markup`<h3>${scenario} by ${factor}</h3>
<figure>${parts}
<figcaption>${findingsMarkup(findings)}
${note && markup`<p>${note}</p>`}${howToReadMarkup(reading)}</figcaption>
<details><summary>Values as a table</summary>
${tableMarkup(table, { id: `${place.id}-table`, captioned: false })}</details></figure>`;
}

function facetMarkup(
  { label, series, drawings }: SweepFigure["facets"][number],
  place: PagePlace,
): Markup {
  const names = series.map(({ label, color }) =>
    markup`<span>${swatchMarkup(color)}${label}</span> `
  );
  const panels = drawings.map(({ title, chart }, i) =>
    markup`<div class="panel"><h4>${title}</h4>
${chartMarkup(chart, "sweep", { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  return markup`<p class="legend">${label && markup`<strong>${label}</strong>`}${names}</p>
<div class="panels">${panels}</div>`;
}

function weightsMarkup({ table, findings }: WeightsModel, scenario: string, id: string): Markup {
  return markup`<div class="in-detail"><h3>Variance explained in ${scenario}</h3>
${findings.map((finding) => markup`<p>${finding}</p>`)}
${tableMarkup(table, { id: `${id}-weights`, captioned: false })}</div>`;
}

// The part of the page that shows several results of one experiment in the order of time.

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
${chartMarkup(chart, "sweep", { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  const items = findings.map((finding) => markup`<li>${finding}</li>`);
  return markup`<section id="${place.id}"><h2>Trend of ${name}</h2>
<figure>${legendMarkup(series)}
<div class="panels">${panels}</div>
<figcaption>${items.length === 0 ? null : markup`<ul class="findings">${items}</ul>`}
<p class="note">${HOW_TO_READ.trend}</p></figcaption>
<details><summary>Values as a table</summary>
${tableMarkup(table, { id: `${place.id}-table`, captioned: false })}</details></figure></section>`;
}
