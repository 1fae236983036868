/// <reference lib="dom" />
/** The data in the page: JSON in script elements. Large data that is not needed immediately is compressed. */
import type { Chart } from "../../chart.ts";

/** Charts by the id of their canvas; null until the charts in the page are first read. */
let written: Readonly<Record<string, Chart>> | null = null;

/** The chart of a canvas, by the canvas's id. */
export function chartOf(id: string): Chart | undefined {
  const charts = writtenCharts();
  return Object.hasOwn(charts, id) ? charts[id] : undefined;
}

function writtenCharts(): Readonly<Record<string, Chart>> {
  return written ??= JSON.parse(scriptText("charts") ?? "{}");
}

/** Reads the charts that follow the summary. Their data is at the end of the page. */
export async function readMoreCharts(): Promise<void> {
  const more = scriptText("more-charts");
  if (more === null) return;
  written = { ...writtenCharts(), ...await inflated(JSON.parse(more)).json() };
}

export function scriptText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

/** Decompresses what `deflated` has written into the page. */
export function inflated(base64: string): Response {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  );
}

/**
 * Waits until the whole page is parsed, because large data, such as the intervals of runs, is at its end. Returns null
 * if the page is parsed already.
 */
export function parsed(): Promise<unknown> | null {
  return document.readyState === "loading"
    ? new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))
    : null;
}

/** The nodes of HTML that comes from the page's own writer, and is trusted for that reason. */
export function nodesOf(html: string): Node[] {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}
