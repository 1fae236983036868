/// <reference lib="dom" />
/** The data that travels with the page: JSON in a script element for each section, parsed when its first chart is drawn. */
import { type Chart, sectionOf } from "../../../model/charts/charts.ts";
import { parseCharts } from "../../../writing/json.ts";

const sections = new Map<string, Record<string, Chart>>();

/** The chart of a canvas; undefined for an id that has none. */
export function chartOf(id: string): Chart | undefined {
  const section = sectionOf(id);
  const charts = sections.get(section) ??
    parseCharts<Record<string, Chart>>(scriptText(`charts-${section}`) ?? "{}");
  sections.set(section, charts);
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

/** When the page's parts were put in anew. */
export function forgetCharts(): void {
  sections.clear();
}

export function scriptText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}
