/** What a figure of timelines has beside its panels: all targets in one frame, and the controls of a view. */
import type { Panel } from "../../../blocks.ts";
import { type Chart, sectionOf, type TimelineChart } from "../../../subjects/charts/charts.ts";
import { HEAT_SHARES } from "../../../subjects/charts/heatmap.ts";
import { formatTick } from "../../../writing/units.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { chartMarkup, legendMarkup, type PagePlace } from "./figures.ts";

interface Frame {
  readonly above: Markup | null;
  readonly below: Markup | null;
  readonly values: Markup | null;
}

/** @param place Of the figure. */
export function timelineFrame(panels: readonly Panel[], place: PagePlace): Frame {
  const timelines = panels.flatMap(({ chart }) => chart.kind === "timeline" ? [chart] : []);
  const { id } = place;
  if (timelines.length === 0) {
    const isHeat = panels[0].chart.kind === "heatmap";
    return {
      above: null,
      below: null,
      values: isHeat
        ? markup`<details class="heats"><summary>Requests by moment and latency as a table</summary></details>`
        : null,
    };
  }
  const ids = panels.map((_, i) => `${id}-${i + 1}`);
  return {
    above: markup`${controlsMarkup(timelines, place)}
${keyMarkup(timelines)}
${overlayMarkup(panels, timelines, place)}`,
    below: markup`<p class="unseen" role="status"></p>
<div class="selected" role="group" aria-label="Selection"></div>`,
    values: markup`<details class="intervals" data-charts="${id}-overlay ${ids.join(" ")}">
<summary>Intervals as a table</summary></details>`,
  };
}

/** All targets in one frame, first; null where it would show what the only panel shows. */
function overlayMarkup(
  panels: readonly Panel[],
  timelines: readonly TimelineChart[],
  place: PagePlace,
): Markup | null {
  if (timelines.length === 1 && timelines[0].runs.length === 1) return null;
  const series = panels.flatMap(({ of }, i) =>
    of === null ? [] : [{ label: of.label, color: of.color, of: `${place.id}-${i + 1}` }]
  );
  const chart: Chart = {
    kind: "overlay",
    alt:
      "Latency and requests per second over time: the median run of each target and the band of its runs",
    series,
  };
  return markup`${legendMarkup(series)}
${chartMarkup(chart, "overlay", { ...place, id: `${place.id}-overlay` })}`;
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
function controlsMarkup(timelines: readonly TimelineChart[], { id, steps }: PagePlace): Markup {
  const section = sectionOf(id);
  const seconds = steps.get(section)?.seconds ?? 1;
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
<a href="#view=${section}">Link to this view</a></p>
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

/** Arrow keys read it: the client says what is where. */
export function heatChartMarkup(
  chart: Extract<Chart, { kind: "heatmap" }>,
  { id, charts }: PagePlace,
): Markup {
  charts.set(id, chart);
  return markup`<div class="chart heatmap" role="group" tabindex="0" aria-label="${chart.alt}: arrow keys read it"><canvas id="${id}" role="img" aria-label="${chart.alt}"></canvas></div>
<output class="note"></output>`;
}

export function heatKeyMarkup(): Markup {
  return markup`<p class="legend">Share of the interval’s requests: ${
    HEAT_SHARES.map(heatKey)
  }<span><i class="line faster"></i>and faster</span> <span><i class="line bound"></i>lower bounds</span></p>`;
}

function heatKey(from: number, i: number): Markup {
  const text = i === 0
    ? `under ${formatTick(100 * HEAT_SHARES[1])}`
    : `from ${formatTick(100 * from)}`;
  return markup`<span><i class="swatch heat-${i}"></i>${text} %</span> `;
}
