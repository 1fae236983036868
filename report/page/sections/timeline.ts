/** The timelines of a scenario, and the controls that choose targets, runs, percentiles and a range of time. */
import { sectionOf, type TimelineChart } from "../../model/charts/charts.ts";
import type { ScenarioModel } from "../../model/model.ts";
import { HOW_TO_READ } from "../../model/numbers/how_to_read.ts";
import { type Markup, markup } from "../../writing/html.ts";
import { captionMarkup, chartMarkup, type PagePlace } from "./figures.ts";
import { swatchMarkup } from "./tables.ts";

export function timelineFigure(scenario: ScenarioModel, place: PagePlace): Markup {
  const { name, series, timelines, timelineFinding } = scenario;
  const ids = timelines.map((_, i) => `${place.id}-${i + 1}`);
  const panels = timelines.map((chart, i) => {
    const { label, color } = series[i];
    const tracks = `tracks-${2 + Number(chart.cpu !== null) + Number(chart.memory !== null)}`;
    return markup`<div class="panel"><h4>${swatchMarkup(color)}${label}</h4>
${chartMarkup(chart, tracks, { ...place, id: ids[i] })}</div>`;
  });
  return markup`<figure class="timelines" id="${place.id}">
${controlsMarkup(scenario, place)}
<div class="panels">${panels}</div>
<p class="unseen" role="status"></p>
<div class="selected" role="group" aria-label="Selection of ${name}"></div>
${captionMarkup(timelineFinding, HOW_TO_READ.timeline)}
<details class="intervals" data-charts="${ids.join(" ")}">
<summary>Intervals as a table</summary></details></figure>`;
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
