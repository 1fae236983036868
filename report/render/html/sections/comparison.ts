/** The section of the page that shows how targets compare: for each scenario a forest plot, and its table. */
import type { Chart, ForestChart } from "../../../subjects/charts/charts.ts";
import type { ForestModel } from "../../../subjects/charts/forest.ts";
import type { OtherBase } from "../../../subjects/verdict/other_bases.ts";
import type { ReportModel, ScenarioModel } from "../../../model.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import type { Table } from "../../../subjects/tables/table.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { captionMarkup, chartMarkup, type Charts, type PagePlace } from "./figures.ts";
import { tableMarkup } from "./tables.ts";

export function hasComparisons({ scenarios }: Pick<ReportModel, "scenarios">): boolean {
  return scenarios.some(({ forest }) => forest !== null);
}

/** Null where nothing is compared. */
export function forestsMarkup(model: ReportModel, place: PagePlace): Markup | null {
  if (!hasComparisons(model)) return null;
  const section = `${place.id}-compared`;
  const scenarios = model.scenarios.map((scenario, i) =>
    forestMarkup(scenario, { ...place, id: `${section}-${i + 1}` })
  );
  return markup`<section id="${section}" class="in-detail"><h2>Relative comparison</h2>
${baseMarkup(model.bases().map(({ base }) => base))}${scenarios}</section>`;
}

/** The client compares with the chosen one; null where there is nothing to choose. */
function baseMarkup(names: readonly string[]): Markup | null {
  if (names.length === 0) return null;
  const options = names.map((name) => markup`<option value="${name}">${name}</option>`);
  return markup`<form class="base" autocomplete="off"><label>Compare with <select name="base"><option value="">the base of the experiment</option>${options}</select></label></form>`;
}

/** What a base that is chosen in the page puts into the figure of a scenario. */
export interface BasedFigure {
  readonly html: string;
  readonly charts: Readonly<Record<string, Chart>>;
}

/** For each base its figures, by the ids of those that they replace. @param id Of the experiment. */
export function basedFigures(
  bases: readonly OtherBase[],
  { id, steps }: Omit<PagePlace, "charts">,
): Record<string, Record<string, BasedFigure>> {
  return Object.fromEntries(bases.map(({ base, scenarios }) => {
    const figures = scenarios.flatMap((based, i) => {
      if (based === null) return [];
      const charts: Charts = new Map();
      const place = { id: `${id}-compared-${i + 1}`, steps, charts };
      const html = figureMarkup(based.forest, based.table, place).text;
      return [[place.id, { html, charts: Object.fromEntries(charts) }]];
    });
    return [base, Object.fromEntries(figures)];
  }));
}

function forestMarkup({ name, forest, tables }: ScenarioModel, place: PagePlace): Markup | null {
  if (forest === null || tables.compared === null) return null;
  return markup`<h3>${name}</h3>
<figure class="forest" id="${place.id}">${figureMarkup(forest, tables.compared, place)}</figure>`;
}

function figureMarkup(forest: ForestModel, table: Table, place: PagePlace): Markup {
  return markup`${forestPanels(forest, place)}
${captionMarkup(forest.finding, HOW_TO_READ.forest)}
<details><summary>Values as a table</summary>
${tableMarkup(table, { id: `${place.id}-table`, captioned: false })}</details>`;
}

/** @param headed The title as a heading, one level below that of the section. */
export function forestPanels(
  { charts }: ForestModel,
  place: PagePlace,
  headed = (title: string): Markup => markup`<h4>${title}</h4>`,
): Markup {
  const panels = charts.map(({ title, chart }, i) =>
    markup`<div class="panel">${headed(title)}
${chartMarkup(chart, shapeOf(chart), { ...place, id: `${place.id}-${i + 1}` })}</div>`
  );
  return markup`<div class="panels">${panels}</div>`;
}

/** The class of the charts that are as high as this one. */
function shapeOf({ rows, namesApart }: ForestChart): string {
  return `forest-${rows.length}${namesApart ? "-apart" : ""}`;
}

/** Heights of the forest plots, as the page's policy forbids styles on elements. */
export function forestHeights(charts: Charts): string {
  const rules = [...charts.values()].filter((chart) => chart.kind === "forest")
    .map((chart) => `.${shapeOf(chart)}{height:${forestHeightPx(chart)}px}`);
  return [...new Set(rules)].join("");
}

export function forestHeightPx({ rows, namesApart }: ForestChart): number {
  return rows.length * (namesApart ? 56 : 40) + 34;
}
