/// <reference lib="dom" />
/** The data that travels with the page: JSON in a script element for each section, parsed when its first chart is drawn. */
import { type Chart, sectionOf } from "../../subjects/charts/charts.ts";
import { fromBase91, parseCharts } from "../../writing/json.ts";

const sections = new Map<string, Record<string, Chart>>();

/** What stands in their place. */
const put = new Map<string, Chart>();

/** The chart of a canvas; undefined for an id that has none. */
export function chartOf(id: string): Chart | undefined {
  return put.get(id) ?? writtenChart(id);
}

/** As it came with the page. */
export function writtenChart(id: string): Chart | undefined {
  const section = sectionOf(id);
  const charts = sections.get(section) ??
    parseCharts<Record<string, Chart>>(scriptText(`charts-${section}`) ?? "{}");
  sections.set(section, charts);
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

/** Puts a chart in the place of the page's own; null puts that back. */
export function putChart(id: string, chart: Chart | null): void {
  if (chart === null) put.delete(id);
  else put.set(id, chart);
}

/** When the page's parts were put in anew. */
export function forgetCharts(): void {
  sections.clear();
  put.clear();
}

export function scriptText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** What was deflated, from its letters. */
export async function inflated(text: string): Promise<Uint8Array> {
  const stream = new Blob([fromBase91(text)]).stream().pipeThrough(
    new DecompressionStream("deflate"),
  );
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What the charts do not need stands at the end of the page, which may still be on its way. */
export function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}
