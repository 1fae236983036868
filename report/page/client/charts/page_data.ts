/// <reference lib="dom" />
/** The data that travels with the page: JSON in a script element for each section, parsed when its first chart is drawn. */
import { type Chart, sectionOf } from "../../../model/charts/charts.ts";

const sections = new Map<string, Record<string, Chart>>();

/** The chart of a canvas; undefined for an id that has none. */
export function chartOf(id: string): Chart | undefined {
  const section = sectionOf(id);
  const charts = sections.get(section) ?? JSON.parse(scriptText(`charts-${section}`) ?? "{}");
  sections.set(section, charts);
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

/** Puts charts in the place of those of the same canvases. */
export function putCharts(charts: Readonly<Record<string, Chart>>): void {
  for (const [id, chart] of Object.entries(charts)) {
    chartOf(id);
    const section = sectionOf(id);
    sections.set(section, { ...sections.get(section), [id]: chart });
  }
}

/** When the page's parts were put in anew. */
export function forgetCharts(): void {
  sections.clear();
}

export function scriptText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** What was deflated, from base64. */
export async function inflated(base64: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What the charts do not need stands at the end of the page, which may still be on its way. */
export function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}
