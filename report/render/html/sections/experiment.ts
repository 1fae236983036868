/** One experiment of the page: its verdicts, its sections, and how it was measured. */
import type { Fact } from "../../../blocks.ts";
import type { ReportModel } from "../../../model.ts";
import type { TrustModel } from "../../../findings/trust.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { sectionMarkup } from "../blocks.ts";
import { capacitiesMarkup } from "./capacity.ts";
import { forestsMarkup } from "./comparison.ts";
import { conclusionMarkup, isShown, matrixMarkup } from "./conclusion.ts";
import {
  captionMarkup,
  chartMarkup,
  legendMarkup,
  marksMarkup,
  type PagePlace,
} from "./figures.ts";
import { profilesMarkup } from "./profiles.ts";
import { outcomesMarkup, overviewMarkup, scenarioMarkup, tradeoffsMarkup } from "./scenario.ts";
import { sweepsMarkup } from "./lines.ts";
import { tableMarkup } from "./tables.ts";
import type { SettlingModel } from "../../../subjects/charts/settling.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { capitalized } from "../../../writing/words.ts";

/** Its article in two pieces, so that the page's client can begin between them. */
export interface ExperimentMarkup {
  /** What the summary shows. */
  readonly summary: Markup;
  readonly rest: Markup;
}

/** @param charts Of the summary; those of the rest come into the place's own. */
export function experimentMarkup(
  model: ReportModel,
  place: PagePlace,
  charts = place.charts,
): ExperimentMarkup {
  return { summary: summaryMarkup(model, { ...place, charts }), rest: restMarkup(model, place) };
}

function summaryMarkup(model: ReportModel, place: PagePlace): Markup {
  const { id } = place;
  return markup`<article id="${id}">
<header><h1>${model.title}</h1>
${model.about && markup`<p class="about">${model.about}</p>`}
${model.unanswered && markup`<p class="lead">${model.unanswered}</p>`}
${conclusionMarkup(model.conclusion, id)}
${trustMarkup(model.trust)}
${factsMarkup(model.facts)}
${model.repetitions && markup`<p>${model.repetitions}</p>`}
${model.warnings.map((text) => markup`<p class="warning">${text}</p>`)}</header>
${saidMarkup(model, "thresholds", place)}
${matrixMarkup(model.conclusion.matrix, model.scenarios, place)}
${overviewMarkup(model.scenarios, place, isShown(model.conclusion.matrix))}
${capacitiesMarkup(model.scenarios, place)}
${tradeoffsMarkup(model.scenarios, place)}
${sweepsMarkup(model.sweeps, place)}
`;
}

function restMarkup(model: ReportModel, place: PagePlace): Markup {
  const { id } = place;
  const scenarios = model.scenarios.map((scenario, i) =>
    scenarioMarkup(scenario, { ...place, id: `${id}-s${i + 1}` })
  );
  return markup`${saidMarkup(model, "claims", place)}
${forestsMarkup(model, place)}
${scenarios}
${saidMarkup(model, "order", place)}
${settlingMarkup(model.settling, { ...place, id: `${id}-settling` })}
${outcomesMarkup(model.scenarios, place)}
${profilesMarkup(model.scenarios, id)}
${saidMarkup(model, "published", place)}
${saidMarkup(model, "missing", place)}
${saidMarkup(model, "method", place)}
</article>`;
}

/** What a subject says; null where that is nothing. */
function saidMarkup({ groups }: ReportModel, id: string, place: PagePlace): Markup | null {
  const group = groups.find((one) => one.id === id);
  return group === undefined ? null : sectionMarkup(group, place);
}

/** Why runs are not valid; null where all are. */
function trustMarkup(trust: TrustModel | null): Markup | null {
  if (trust === null || trust.reasons.length === 0) return null;
  const { level, text, reasons } = trust;
  return markup`<details class="trust ${level}"><summary>${capitalized(level)}: ${text}</summary>${
    reasonsMarkup(reasons)
  }</details>`;
}

export function reasonsMarkup(reasons: readonly string[]): Markup | null {
  if (reasons.length === 0) return null;
  const items = reasons.map((reason, i) =>
    markup`<li${i < MOST_PRINTED ? null : markup` class="unprinted"`}>${reason}</li>`
  );
  const left = reasons.length - MOST_PRINTED;
  const rest = left > 0 ? markup`<p class="on-paper">${moreText(left)}</p>` : null;
  return markup`<ul>${items}</ul>${rest}`;
}

/** On paper the rest would come before every figure. */
const MOST_PRINTED = 3;

/** @param left What paper leaves out. */
export function moreText(left: number): string {
  return `${left === 1 ? "1 more is" : `${left} more are`} in the page on a screen.`;
}

export function factsMarkup(facts: readonly Fact[]): Markup {
  const items = facts.map(({ label, text }) =>
    markup`<div><dt>${label}</dt><dd>${text}</dd></div>`
  );
  return markup`<dl class="facts">${items}</dl>`;
}

// The section that plots the settling time of each cell against its settled latency.

function settlingMarkup(model: SettlingModel | null, place: PagePlace): Markup | null {
  if (model === null) return null;
  const { id } = place;
  const { finding, chart, legend, table } = model;
  return markup`<section id="${id}" class="in-detail"><h2>Settling time</h2>
${
    chart === null
      ? markup`<p>${finding}</p>`
      : markup`<figure>${legendMarkup(legend.series)}${marksMarkup(legend.scenarios)}
${chartMarkup(chart, "scatter", { ...place, id: `${id}-chart` })}
${captionMarkup(finding, HOW_TO_READ.settling)}</figure>`
  }
${tableMarkup(table, { id: `${id}-table`, captioned: false })}</section>`;
}
