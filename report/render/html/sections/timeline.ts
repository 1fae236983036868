/** The timelines of a scenario, and the controls that choose targets, runs, percentiles and a range of time. */
import { sectionOf, type TimelineChart } from "../../../subjects/charts/charts.ts";
import type { ScenarioModel } from "../../../model.ts";
import { HEAT_SHARES } from "../../../subjects/charts/heatmap.ts";
import { formatTick } from "../../../writing/units.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { marksText } from "../../../subjects/charts/timelines.ts";
import type { OverlayChart } from "../../../subjects/charts/over_time.ts";
import { captionMarkup, chartMarkup, legendMarkup, type PagePlace } from "./figures.ts";
import { swatchMarkup } from "./tables.ts";

export function timelineFigure(scenario: ScenarioModel, place: PagePlace): Markup {
  const { name, series, timelines, timelineFinding } = scenario;
  const ids = timelines.map((_, i) => `${place.id}-${i + 1}`);
  const panels = timelines.map((chart, i) => {
    const { label, color } = series[i];
    const tracks = `tracks-${2 + chart.tracks.length}`;
    return markup`<div class="panel"><h4>${swatchMarkup(color)}${label}</h4>
${chartMarkup(chart, tracks, { ...place, id: ids[i] })}</div>`;
  });
  return markup`<figure class="timelines" id="${place.id}">
${controlsMarkup(scenario, place)}
${keyMarkup(timelines)}
${overlayMarkup(scenario, ids, place)}
<div class="panels">${panels}</div>
<p class="unseen" role="status"></p>
<div class="selected" role="group" aria-label="Selection of ${name}"></div>
${captionMarkup(`${timelineFinding} ${marksText(timelines)}`.trim(), HOW_TO_READ.timeline)}
<details class="intervals" data-charts="${place.id}-overlay ${ids.join(" ")}">
<summary>Intervals as a table</summary></details></figure>`;
}

/** All targets in one frame, first; null where it would show what the only panel shows. */
function overlayMarkup(
  { name, series, timelines }: ScenarioModel,
  ids: readonly string[],
  place: PagePlace,
): Markup | null {
  if (timelines.length === 1 && timelines[0].runs.length === 1) return null;
  const id = `${place.id}-overlay`;
  const chart: OverlayChart = {
    kind: "overlay",
    alt:
      `Latency and requests per second of ${name} over time: the median run of each target and the band of its runs`,
    series: series.map((one, i) => ({ ...one, of: ids[i] })),
  };
  return markup`${legendMarkup(series)}
${chartMarkup(chart, "overlay", { ...place, id })}`;
}

/** What the lines in the track of requests mean, where there is more than one. */
function keyMarkup(timelines: readonly TimelineChart[]): Markup | null {
  const has = {
    offered: timelines.some(({ offered }) => offered.length > 0),
    failed: timelines.some(({ runs }) => runs.some(({ failed }) => failed)),
  };
  if (!has.offered && !has.failed) return null;
  const line = (kind: string): Markup => markup`<span><i class="line ${kind}"></i>${kind}</span> `;
  return markup`<p class="legend">Requests/s: ${line("served")}${
    has.failed ? line("failed") : null
  }${has.offered ? line("offered") : null}</p>`;
}

/** Works with a keyboard, by touch and, on the charts, by dragging; shown once the client is there. */
function controlsMarkup(scenario: ScenarioModel, { id, steps }: PagePlace): Markup {
  const { timelines } = scenario;
  const seconds = steps.get(scenario)?.seconds ?? 1;
  const end = Math.max(1, Math.ceil(timelines[0].span / seconds - 1e-6)) * seconds;
  const plain = (value: number): number => Number(value.toFixed(6));
  const input = (name: string, value: number): Markup =>
    markup`<input type="number" name="${name}" min="0" max="${
      plain(end)
    }" step="${seconds}" value="${plain(value)}">`;
  const percentiles = timelines[0].percentiles.map((label, i) => ({ label, value: i + 1 }));
  return markup`<form class="view" autocomplete="off">
<p class="range"><label>From ${input("from", 0)}</label> <label>to ${input("to", end)} s</label>
<button type="button" name="whole">Whole run</button>
<span class="note">or drag over a chart</span>
<a href="#view=${sectionOf(id)}">Link to this view</a></p>
<details><summary>Choose runs and percentiles</summary>
${choiceMarkup("run", "Runs", runsOf(timelines))}
${choiceMarkup("percentile", "Percentiles", percentiles)}
</details></form>`;
}

interface ChoiceOption {
  /** What the view calls it. */
  readonly value: number;
  readonly label: string;
}

/** Null where there is nothing to choose from. */
function choiceMarkup(
  name: string,
  legend: string,
  choices: readonly ChoiceOption[],
): Markup | null {
  if (choices.length < 2) return null;
  const boxes = choices.map(({ value, label }) =>
    markup`<label><input type="checkbox" name="${name}" value="${value}" checked> ${label}</label> `
  );
  return markup`<fieldset><legend>${legend}</legend>${boxes}</fieldset>`;
}

/** Those that any of the cells has, by their repetitions. */
function runsOf(timelines: readonly TimelineChart[]): ChoiceOption[] {
  const labels = new Map(
    timelines.flatMap(({ runs }) => runs.map(({ repetition, label }) => [repetition, label])),
  );
  return [...labels].map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.value - b.value);
}

/** Requests by moment and latency, a panel a target; the client makes it of the packed intervals. */
export function heatmapFigure(
  { series, heatmapFinding }: ScenarioModel,
  place: PagePlace,
): Markup {
  const panels = series.map(({ label, color }, cell) => {
    const alt = `Requests of ${label} by moment and latency`;
    const id = `${place.id}-${cell + 1}`;
    place.charts.set(id, { kind: "heatmap", alt, cell });
    return markup`<div class="panel"><h4>${swatchMarkup(color)}${label}</h4>
<div class="chart heatmap" role="group" tabindex="0" aria-label="${alt}: arrow keys read it"><canvas id="${id}" role="img" aria-label="${alt}"></canvas></div>
<output class="note"></output></div>`;
  });
  return markup`<figure class="heatmaps" id="${place.id}">
<p class="legend">Share of the interval’s requests: ${
    HEAT_SHARES.map(heatKey)
  }<span><i class="line faster"></i>and faster</span> <span><i class="line bound"></i>lower bounds</span></p>
<div class="panels">${panels}</div>
${captionMarkup(heatmapFinding, HOW_TO_READ.heatmap)}
<details class="heats"><summary>Requests by moment and latency as a table</summary></details></figure>`;
}

function heatKey(from: number, i: number): Markup {
  const text = i === 0
    ? `under ${formatTick(100 * HEAT_SHARES[1])}`
    : `from ${formatTick(100 * from)}`;
  return markup`<span><i class="swatch heat-${i}"></i>${text} %</span> `;
}
