/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The page's client: which function draws which chart, and the start of everything else. It decides no number:
 * figures come from the page's JSON, colours and type from its style sheet.
 */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as Drawing,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
} from "chart.js";
import { type Chart, sectionOf } from "../subjects/charts/charts.ts";
import { barsConfig } from "./charts/bars.ts";
import { densityChoice, densityConfig, equipDistributions } from "./charts/density.ts";
import { Drawings } from "./charts/drawings.ts";
import { equipLimits, limitOf, tradeoffConfig } from "./charts/tradeoff.ts";
import { forestConfig } from "./charts/forest.ts";
import { fitLinked, linkedChart, linkedMarks } from "./charts/linked_charts.ts";
import { forgetCharts, readMoreCharts } from "./charts/page_data.ts";
import { orderConfig, scatterConfig } from "./charts/scatter.ts";
import { agentsConfig, errorsConfig } from "./charts/stacked_bars.ts";
import { reveal, startDepth } from "./depth.ts";
import { sweepConfig } from "./charts/sweep.ts";
import { tailsConfig } from "./charts/tails.ts";
import type { Theme } from "./charts/theme.ts";
import { renewBases, startBases } from "./bases.ts";
import { linkElements, startElements } from "./linked/elements.ts";
import { renewMenu, startMenu } from "./linked/menu.ts";
import { equipOutcomes, equipTables, fillWhenOpened } from "./tables/tables.ts";
import { equipFlames } from "./profiles/flame_graph.ts";
import { followLink, timelineFigures } from "./timeline/figure.ts";

Drawing.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  // Below the tooltips.
  linkedMarks,
  Tooltip,
);

/** The kinds of chart: one file and one case each. */
function drawingOf(canvas: HTMLCanvasElement, whole: Chart, theme: Theme): Drawing | null {
  const chart = linkedChart(whole);
  switch (chart?.kind) {
    case undefined:
      return null;
    case "bars":
      return new Drawing(canvas, barsConfig(chart, theme));
    case "timeline":
    case "overlay":
    case "heatmap":
      return timelines.get(sectionOf(canvas.id))?.draw(canvas, chart, theme) ?? null;
    case "density":
      return new Drawing(canvas, densityConfig(chart, theme, densityChoice(canvas)));
    case "tails":
      return new Drawing(canvas, tailsConfig(chart, theme));
    case "errors":
      return new Drawing(canvas, errorsConfig(chart, theme));
    case "agents":
      return new Drawing(canvas, agentsConfig(chart, theme));
    case "forest":
      return new Drawing(canvas, forestConfig(chart, theme));
    case "sweep":
      return new Drawing(canvas, sweepConfig(chart, theme));
    case "order":
      return new Drawing(canvas, orderConfig(chart, theme));
    case "tradeoff":
      return new Drawing(canvas, tradeoffConfig(chart, theme, () => limitOf(canvas)));
    case "scatter":
      return new Drawing(canvas, scatterConfig(chart, theme));
  }
}

startDepth(async () => {
  for (const figure of timelines.values()) await figure.heatmaps?.prepare();
});
startMenu();
startElements();
const drawings = new Drawings(drawingOf);
let timelines = timelineFigures(drawings);
drawings.start();
equip();
const drawAnew = (): void => {
  fitLinked();
  drawings.restart();
};
startBases(() => {
  equip();
  drawAnew();
});
// The client stands after the summary, so that it is of use while the rest of a large page is read.
addEventListener("DOMContentLoaded", async () => {
  await readMoreCharts();
  timelines = timelineFigures(drawings, timelines);
  fitLinked();
  drawings.observe();
  equip();
  reveal();
  followLink(timelines);
  document.documentElement.dataset.page = "read";
});
addEventListener("hashchange", () => followLink(timelines));
addEventListener("chosen", () => {
  for (const figure of timelines.values()) figure.followChoice();
  drawAnew();
});
addEventListener("marked", () => drawings.redraw());
// The page of a running experiment puts in newer parts, and then says so.
addEventListener("renewed", () => {
  forgetCharts();
  renewMenu();
  fitLinked();
  timelines = timelineFigures(drawings);
  drawings.restart();
  equip();
  renewBases().then((isOther) => isOther && equip());
});

function equip(): void {
  equipLimits(drawings);
  equipDistributions(drawings);
  linkElements();
  equipTables();
  equipOutcomes();
  equipFlames();
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.intervals")) {
    fillWhenOpened(details);
  }
}
