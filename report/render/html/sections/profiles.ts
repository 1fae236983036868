/** The section of the page that shows where targets spend their time: a flame graph, sentences, and each profile as a table. */
import type { ProfiledCell, ProfilesModel } from "../../../subjects/profiles/profiles.ts";
import type { ScenarioModel } from "../../../model.ts";
import { type Markup, markup, scriptJson } from "../../../writing/html.ts";
import { howToReadMarkup } from "./figures.ts";
import { HOW_TO_READ } from "../../../subjects/reading/how_to_read.ts";
import { tableMarkup } from "./tables.ts";

/** What has profiles: a scenario, or a cell of two results. */
type Profiled = Pick<ScenarioModel, "name" | "profiles">;

/** Null without profile runs. @param id Of the experiment. @param kind Of the section, where its page has several. */
export function profilesMarkup(
  scenarios: readonly Profiled[],
  id: string,
  kind: Markup | null = markup` class="in-detail"`,
): Markup | null {
  const parts = scenarios.flatMap(({ name, profiles }, i) =>
    profiles === null ? [] : [scenarioProfiles(name, profiles, `${id}-profiles-${i + 1}`)]
  );
  if (parts.length === 0) return null;
  return markup`<section id="${id}-profiles"${kind}><h2>Profiles</h2>
${howToReadMarkup(HOW_TO_READ.profiles)}
${parts}</section>`;
}

function scenarioProfiles(
  name: string,
  { cells, differences }: ProfilesModel,
  id: string,
): Markup {
  const drawn = cells.map((cell, i) => cellMarkup(cell, `${id}-${i + 1}`));
  return markup`<h3>${name}</h3>
${differences.map((text) => markup`<p>${sentenceMarkup(text)}.</p>`)}
${flameMarkup(name, cells, id)}
${drawn}`;
}

/** Names of functions stand between backticks, in pairs; one may hold some itself. */
function sentenceMarkup(text: string): Markup {
  const parts = text.split("`");
  return parts.length % 2 === 0
    ? markup`${text}`
    : markup`${
      parts.map((part, i) => i % 2 === 0 ? markup`${part}` : markup`<code>${part}</code>`)
    }`;
}

/** Null where nothing was sampled. The client draws it; without one there are the tables. */
function flameMarkup(
  scenario: string,
  cells: readonly ProfiledCell[],
  id: string,
): Markup | null {
  const flames = cells.flatMap(({ flame }) => flame ?? []);
  if (flames.length === 0) return null;
  const options = flames.map(({ label }, i) => markup`<option value="${i}">${label}</option>`);
  return markup`<figure class="flame" id="${id}">
<form autocomplete="off"><label>Profile of <select name="shown">${options}</select></label>
<label>against <select name="against"></select></label>
<label>Find <input type="search" name="sought"></label>
<button type="button" disabled>Show all</button></form>
<svg role="tree" aria-label="Flame graph of ${scenario}: callers above what they called, as wide as their total time"></svg>
<p class="readout"></p></figure>
<script type="application/json" id="flames-${id}">${scriptJson(flames)}</script>`;
}

function cellMarkup({ label, sentence, notes, table, files }: ProfiledCell, id: string): Markup {
  return markup`<div class="profile" data-label="${label}"><h4>${label}</h4>
${sentence && markup`<p>${sentenceMarkup(sentence)}</p>`}
${notes.map((text) => markup`<p class="note">${text}.</p>`)}
${
    table && markup`<details><summary>Functions as a table</summary>
${tableMarkup(table, { id: `${id}-table`, captioned: false })}</details>`
  }
${files.length > 0 ? markup`<p class="note">Files: ${files.join(", ")}</p>` : null}</div>`;
}
