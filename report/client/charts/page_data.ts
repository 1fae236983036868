/// <reference lib="dom" />
/**
 * The data that comes with the page: JSON in script elements; large data that is not needed immediately is deflated.
 */
import type { Chart } from "../../chart.ts";

/** Charts by canvas id; null until the first chart is drawn. */
let written: Readonly<Record<string, Chart>> | null = null;

/** The chart of a canvas; undefined if there is none. */
export function chartOf(id: string): Chart | undefined {
  const charts = writtenCharts();
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

function writtenCharts(): Readonly<Record<string, Chart>> {
  return written ??= JSON.parse(scriptText("charts") ?? "{}");
}

/** Reads the charts below the summary, which are at the end of the page. */
export async function readMoreCharts(): Promise<void> {
  const more = scriptText("more-charts");
  if (more === null) return;
  written = { ...writtenCharts(), ...await inflated(JSON.parse(more)).json() };
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

/** Waits for the end of the page, which holds the data that charts do not need; null if it is loaded already. */
export function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}

/** Nodes of markup from the page's own writer. */
export function nodesOf(html: string): Node[] {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}
