/// <reference lib="dom" />
/** The data that travels with the page: JSON in script elements, of which what is large and not needed at once is deflated. */
import type { Chart } from "../../chart.ts";

/** Charts by ids of canvases, as delivered with the page; null before the first is drawn. */
let written: Readonly<Record<string, Chart>> | null = null;

/** Charts that replace the written ones, by id of their canvas. */
const put = new Map<string, Chart>();

/** The chart of a canvas; undefined for an id that has none. */
export function chartOf(id: string): Chart | undefined {
  return put.get(id) ?? writtenChart(id);
}

/** A chart as delivered with the page. */
export function writtenChart(id: string): Chart | undefined {
  const charts = writtenCharts();
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

function writtenCharts(): Readonly<Record<string, Chart>> {
  return written ??= JSON.parse(scriptText("charts") ?? "{}");
}

/** Charts below the summary of a saved page, which stand at its end. */
export async function readMoreCharts(): Promise<void> {
  const more = scriptText("more-charts");
  if (more === null) return;
  written = { ...writtenCharts(), ...await inflated(JSON.parse(more)).json() };
}

/** Puts a chart in the place of the page's own; null puts that back. */
export function putChart(id: string, chart: Chart | null): void {
  if (chart === null) put.delete(id);
  else put.set(id, chart);
}

/** Forgets the charts, because the page's parts were replaced. */
export function forgetCharts(): void {
  written = null;
  put.clear();
}

export function scriptText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** Reverses `deflated`. */
export function inflated(base64: string): Response {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  );
}

/** Waits for the end of the page, which holds the data that charts do not need; null if it is there already. */
export function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}

/** Markup of the page's own writer. */
export function nodesOf(html: string): Node[] {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}
