/** A comparison of two results → one self-contained page: its verdict, both sides beside each other, and how they were measured. */
import { TRUSTS } from "../../../runner/result/generator.ts";
import { type ComparedModel, comparedModel } from "../../subjects/compared_conclusion.ts";
import type { ResultsComparison } from "../../subjects/compared_results.ts";
import { notesOf } from "../../subjects/tables/compared.ts";
import { swatchRule } from "../../cells/colors.ts";
import { DENSITY } from "../../subjects/latency.ts";
import { FOREST } from "../../subjects/compared.ts";
import { profileBlocks } from "../../subjects/profiles/profiles.ts";
import { figure, type Group, group, prunedAll } from "../../blocks.ts";
import { unique } from "../../writing/words.ts";
import { type Markup, markup, verbatim } from "../../writing/html.ts";
import type { Written } from "../../writing/written.ts";
import client from "../../client/client.js" with { type: "text" };
import { thresholdBlocks, thresholds } from "../../subjects/thresholds.ts";
import { chartsScript, metaMarkup, policyOf, RULES } from "./page.ts";
import { blocksMarkup, factsMarkup, moreText, reasonsMarkup, sectionMarkup } from "./blocks.ts";
import { legendOf } from "../../chart.ts";
import { rowsHeights } from "./chart_sizes.ts";
import { conclusionMarkup } from "./sections/conclusion.ts";
import {
  chartMarkup,
  type Charts,
  legendMarkup,
  type PagePlace,
  readingMarkup,
} from "./figures.ts";
import { tableMarkup } from "./sections/tables.ts";

/** @param comparison Of at least one cell. */
export function renderComparisonPage(comparison: ResultsComparison): Written<"html"> {
  const model = comparedModel(comparison);
  const charts: Charts = new Map();
  const main = mainMarkup(comparison, model, { id: "c1", charts, steps: new Map() });
  const colors = comparison.matches.map(({ next }) => next.cell.color);
  const style = RULES + rowsHeights(charts.values()) + unique(colors.map(swatchRule)).join("");
  return markup`<!doctype html>
<html lang="en">
<head>
${metaMarkup(policyOf(style))}
<title>${model.title}: ${namesOf(comparison).join(" and ")}</title>
<link rel="icon" href="data:,">
<style>${verbatim(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${navigationMarkup(model, comparison)}
<main id="main"><article id="c1">${main}</article></main>
${chartsScript(charts)}<script>${verbatim(client)}</script>
</body>
</html>
`.text;
}

function namesOf({ sides }: ResultsComparison): string[] {
  return sides.map(({ name }) => name);
}

function navigationMarkup(
  { densities, forest }: ComparedModel,
  { profiles }: ResultsComparison,
): Markup {
  const links = [
    ["c1", "Verdict"],
    ["c1-cells", "Side by side"],
    ...(forest === null ? [] : [["c1-ratios", "Ratios"]]),
    ...(profiles.length === 0 ? [] : [["c1-profiles", "Profiles"]]),
    ...(densities.length === 0 ? [] : [["c1-latency", "Latency"]]),
    ["c1-method", "Method"],
  ].map(([id, text]) => markup`<li><a href="#${id}">${text}</a></li>`);
  return markup`<nav aria-label="Sections"><div class="bar"><ul>${links}</ul></div></nav>`;
}

function mainMarkup(
  comparison: ResultsComparison,
  model: ComparedModel,
  place: PagePlace,
): Markup {
  const { gates, onlyBase, onlyNext } = comparison;
  const [base, next] = namesOf(comparison);
  const { id } = place;
  return markup`<header><h1>${model.title}</h1>
<p class="about">${whenText(model)}</p>
${revisionsMarkup(comparison)}
${conclusionMarkup(model.card, id)}
${trustMarkup(comparison)}
${onlyMarkup(base, onlyBase)}${onlyMarkup(next, onlyNext)}</header>
${thresholdsMarkup(gates, place)}
<section id="${id}-cells" class="sides"><h2>Side by side</h2>
${tableMarkup(model.table, { id: `${id}-cells-table`, captioned: false })}</section>
${ratiosMarkup(comparison, model, place)}
${comparison.profiles.length === 0 ? null : sectionMarkup(profilesGroup(comparison), place)}
${latencyMarkup(model, place)}
${methodMarkup(comparison, model, id)}`;
}

function thresholdsMarkup(gates: ResultsComparison["gates"], place: PagePlace): Markup | null {
  const { id, title } = thresholds;
  const [said] = prunedAll([group(title, thresholdBlocks(gates), { id })]);
  return said?.kind === "group" ? sectionMarkup(said, place) : null;
}

function profilesGroup({ profiles }: ResultsComparison): Group {
  const cells = profiles.map(({ name, profiles }) => group(name, profileBlocks(name, profiles)));
  return group("Profiles", prunedAll(cells), { id: "profiles" });
}

/** `BASE measured 2031-05-04 10:18 UTC, NEW 2031-05-05 09:00 UTC.` */
function whenText({ sides }: ComparedModel): string {
  const [base, next] = sides.map(({ facts }) =>
    facts.find(({ label }) => label === "At")?.text ?? "at an unknown time"
  );
  const [first, second] = sides.map(({ side }) => side.name);
  return `${first} was measured ${base}, ${second} ${next}.`;
}

function revisionsMarkup({ revisions, sides: [base, next] }: ResultsComparison): Markup | null {
  return revisions && markup`<p class="about">${base.name} is ${revisions.base}<br>
${next.name} is ${revisions.next}</p>`;
}

/** What makes the figures doubtful, of both sides in one place; null where both are to be trusted. */
function trustMarkup({ sides, untrusted, doubts }: ResultsComparison): Markup | null {
  if (untrusted.length === 0 || doubts.length === 0) return null;
  const levels = sides.map(({ trust }) => trust?.level ?? "valid");
  const level = TRUSTS.findLast((level) => levels.includes(level)) ?? "valid";
  return markup`<details class="trust ${level}"><summary>Why ${untrusted.join("; ")}</summary>${
    reasonsMarkup(doubts)
  }</details>`;
}

function onlyMarkup(name: string, cells: readonly string[]): Markup | null {
  return cells.length === 0
    ? null
    : markup`<p class="warning">Only in ${name}: ${cells.join("; ")}</p>`;
}

/** Of a comparison with more cells they fill pages. */
const MOST_PRINTED_RATIOS = 16;

/** With the interval that decides each. */
function ratiosMarkup(
  { cells, sides: [{ name: base }, { name: next }] }: ResultsComparison,
  { forest }: ComparedModel,
  place: PagePlace,
): Markup | null {
  if (forest === null) return null;
  const section = `${place.id}-ratios`;
  // On paper the table above says the same in less room.
  const kind = cells.length > MOST_PRINTED_RATIOS ? markup` class="unprinted"` : null;
  const panels = forest.charts.map(({ title, chart }) => ({ title, of: null, chart }));
  return markup`<section id="${section}"${kind}><h2>Ratios, ${next} over ${base}</h2>
${
    blocksMarkup([figure(panels, { id: "1", reading: FOREST })], { ...place, id: section }, 3)
  }</section>`;
}

/** Of a comparison of many cells: paper is for what a reader takes along. */
const MOST_PRINTED = 6;

/** Both sides of each cell in one frame. */
function latencyMarkup({ densities }: ComparedModel, place: PagePlace): Markup | null {
  if (densities.length === 0) return null;
  const section = `${place.id}-latency`;
  const figures = densities.map(({ name, chart, finding }, i) =>
    markup`<div class="panel${i < MOST_PRINTED ? "" : " unprinted"}"><h3>${name}</h3>
${chartMarkup(chart, { ...place, id: `${section}-${i + 1}` })}
<p class="note">${finding}</p></div>`
  );
  const left = densities.length - MOST_PRINTED;
  const rest = left > 0 ? markup`<p class="note on-paper">${moreText(left)}</p>` : null;
  return markup`<section id="${section}"><h2>Latency of both</h2>
<figure>${legendMarkup(legendOf(densities[0].chart))}<div class="panels">${figures}</div>${rest}
<figcaption>${readingMarkup(DENSITY)}</figcaption></figure></section>`;
}

function methodMarkup(
  { cells, differences }: ResultsComparison,
  { sides }: ComparedModel,
  id: string,
): Markup {
  const parts = sides.map(({ side, facts }) =>
    markup`<div><h3>${side.name}</h3>${factsMarkup({ facts })}</div>`
  );
  const items = differences.map((text) => markup`<li>${text}</li>`);
  return markup`<section id="${id}-method"><h2>Method</h2>
<div class="halves">${parts}</div>
${items.length === 0 ? null : markup`<h3>Not measured alike</h3><ul class="findings">${items}</ul>`}
${
    notesOf(cells.map(({ comparison }) => comparison)).map((note) => markup`<p>${note}</p>`)
  }</section>`;
}
