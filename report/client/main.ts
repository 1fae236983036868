/// <reference lib="dom" />
/**
 * The entry point of the page's client. It chooses the function that draws each chart, and starts everything else. All
 * figures come from the page's JSON, and colours and fonts from its style sheet.
 */
import {
  BarController,
  BarElement,
  Chart as Drawing,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
} from "chart.js";
import { type Chart, sectionOf } from "../chart.ts";
import { startBases } from "./bases.ts";
import { Drawings } from "./charts/drawings.ts";
import { equipLimits, limitOf } from "./charts/limit.ts";
import { readMoreCharts } from "./charts/page_data.ts";
import { linkedMarks } from "./charts/linked_charts.ts";
import type { Theme } from "./charts/theme.ts";
import { xyConfig } from "./charts/xy.ts";
import { reveal, startDepth } from "./depth.ts";
import { linkElements, startElements } from "./linked/elements.ts";
import { startMenu } from "./linked/menu.ts";
import { equipFlames } from "./profiles/flame_graph.ts";
import { equipOutcomes, equipTables } from "./tables/tables.ts";
import { followLink, scenarioFigures } from "./timeline/figure.ts";

Drawing.register(
  BarController,
  BarElement,
  // Must come before Filler, so that the areas that Filler fills below lines fade with their lines.
  linkedMarks,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
);
Drawing.defaults.set({
  animation: false,
  maintainAspectRatio: false,
  normalized: true,
  parsing: false,
});

/**
 * Draws a chart. Null if there is nothing to draw: for rows, which are HTML, and for a chart that is hidden or still
 * lacks its data.
 */
function drawingOf(canvas: HTMLCanvasElement, chart: Chart, theme: Theme): Drawing | null {
  switch (chart.kind) {
    case "xy":
      return new Drawing(canvas, xyConfig(chart, theme, limitOf(canvas)));
    case "rows":
      return null; // rows are HTML, not a drawing
    case "timeline":
    case "overlay":
    case "heatmap":
      return timelines.get(sectionOf(canvas.id))?.draw(canvas, chart, theme) ?? null;
  }
}

startDepth();
startMenu();
startElements();
const drawings = new Drawings(drawingOf);
let timelines = scenarioFigures(drawings);
drawings.start();
equip();
startBases(equip);
// The script stands right after the summary, so that it works while the rest of a large page is
// still loading.
addEventListener("DOMContentLoaded", async () => {
  await readMoreCharts();
  timelines = scenarioFigures(drawings, timelines);
  drawings.restart();
  equip();
  reveal();
  followLink(timelines, { isScrolled: isReloaded() });
  document.documentElement.dataset.page = "read";
});
addEventListener("hashchange", () => followLink(timelines, { isScrolled: false }));
addEventListener("chosen", () => {
  for (const figure of timelines.values()) figure.followChoice();
  drawings.restart();
});
addEventListener("marked", () => drawings.redraw());

/** Whether the page was reloaded, so that the browser itself restores the scroll position. */
function isReloaded(): boolean {
  return performance.getEntriesByType("navigation").some((entry) =>
    entry instanceof PerformanceNavigationTiming && entry.type === "reload"
  );
}

function equip(): void {
  equipLimits(drawings);
  linkElements();
  equipTables();
  equipOutcomes();
  equipFlames();
}
