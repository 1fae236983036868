/**
 * Models → one self-contained page. Text and tables are in the markup and work without scripts; the
 * charts' data is JSON that the client draws. A policy forbids every request and every foreign script.
 */
import { createHash } from "node:crypto";
import { type Chart, legendOf } from "../../chart.ts";
import { type Group, shownIn } from "../../blocks.ts";
import type { ReportModel } from "../../model.ts";
import { swatchRule } from "../../cells/colors.ts";
import { unique } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { PageTarget } from "../../subjects/verdict/compared_scenarios.ts";
import type { TrendModel } from "../../subjects/trend/trend.ts";
import { type Markup, markup, scriptJson, verbatim } from "../../writing/html.ts";
import type { Written } from "../../writing/written.ts";
import client from "../../client/client.js" with { type: "text" };
import { deflated } from "../../writing/deflated.ts";
import { blocksMarkup, replacedFigures, sectionMarkup } from "./blocks.ts";
import { packScenarios } from "./packed_intervals.ts";
import { conclusionMarkup, matrixMarkup } from "./sections/conclusion.ts";
import { DEPTH_SCRIPT, depthMarkup } from "./sections/depth.ts";
import { rowsHeights } from "./chart_sizes.ts";
import type { Charts, PagePlace } from "./figures.ts";
import { trendMarkup } from "./sections/trend.ts";
import css from "./style.css" with { type: "text" };

/** Without what only its writers read. */
export const RULES = css.replaceAll(/\/\*[^]*?\*\/|^\s+/gm, "");

/** The additional parts of the page of a running experiment. */
interface LiveParts {
  readonly bar: Markup;
  /** Runs after the page's own. */
  readonly script: string;
  readonly css: string;
}

/**
 * One page of one or more experiments, in the given order.
 *
 * @param live Null for the saved page, which sends no request.
 * @param trends Of experiments with several results; they come first.
 */
export function renderReportPage(
  models: readonly ReportModel[],
  live: LiveParts | null = null,
  trends: readonly TrendModel[] = [],
): Written<"html"> {
  const first: Charts = new Map();
  const charts: Charts = new Map();
  const steps = packScenarios(scenariosOf(models));
  const trended = trends.map((trend, i) =>
    trendMarkup(trend, { id: `t${i + 1}`, charts: first, steps })
  );
  const experiments = models.map((model, i) =>
    experimentMarkup(model, { id: `e${i + 1}`, charts, steps }, i === 0 ? first : charts)
  );
  const all: Charts = new Map([...first, ...charts]);
  const style = RULES + (live?.css ?? "") + rowsHeights(all.values()) +
    shades(models, [...all.values()]);
  const isSaved = live === null;
  const begin = markup`${targetsScript(models)}${chartsScript(isSaved ? first : all)}<script>${
    verbatim(client)
  }</script>\n`;
  return markup`<!doctype html>
<html lang="en">
<head>
${metaMarkup(policyOf(style, live))}
<title>${unique([...trends, ...models].map(({ title }) => title)).join(" · ")}</title>
<link rel="icon" href="data:,">
<script>${verbatim(DEPTH_SCRIPT)}</script>
<style>${verbatim(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${navigationMarkup(models, trends)}
<main id="main">${trended}${
    experiments.map(({ summary, rest }, i) => [
      summary,
      // The verdict is drawn, and controls work, while a browser reads on. A live page replaces all of this.
      i === 0 && isSaved ? begin : null,
      rest,
    ])
  }</main>
${live?.bar ?? null}${isSaved ? moreChartsScript(charts) : null}
${experiments.length === 0 || !isSaved ? begin : null}
${live && markup`<script>${verbatim(live.script)}</script>\n`}${
    [...scenariosOf(models)].map(([id, { cells }]) =>
      intervalScript(id, cells, steps.get(id)?.packed ?? "")
    )
  }${models.map((model, i) => basesScript(model, { id: `e${i + 1}`, charts, steps }))}
</body>
</html>
`.text;
}

/** @param policy What the page may load and run. */
export function metaMarkup(policy: string): Markup {
  return markup`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">`;
}

/** By the ids of their sections. */
function scenariosOf(
  models: readonly ReportModel[],
): Map<string, ReportModel["context"]["scenarios"][number]> {
  return new Map(
    models.flatMap(({ context: { scenarios } }, e) =>
      scenarios.map((scenario, s) => [`e${e + 1}-s${s + 1}`, scenario] as const)
    ),
  );
}

/** The article of an experiment in two pieces, so that the page's client can begin between them. */
interface ExperimentMarkup {
  /** What the summary shows first. */
  readonly summary: Markup;
  readonly rest: Markup;
}

/** @param first Charts of the summary; those of the rest come into the place's own. */
function experimentMarkup(
  { title, lead, card, groups, context }: ReportModel,
  place: PagePlace,
  first: Charts,
): ExperimentMarkup {
  const { id } = place;
  const all = sectionsOf(groups);
  const head = all.filter(({ title }) => title === "");
  const sections = all.filter(({ title }) => title !== "");
  const end = sections.findIndex(({ depth }) => depth !== "summary");
  const [summary, rest] = end < 0 ? [sections, []] : [sections.slice(0, end), sections.slice(end)];
  return {
    summary: markup`<article id="${id}">
<header><h1>${title}</h1>
${blocksMarkup(lead, { ...place, id: `${id}-lead` }, 2)}
${conclusionMarkup(card, id)}
${blocksMarkup(head, place, 2)}</header>
${matrixMarkup(card.matrix, context.scenarios, place)}
${summary.map((group) => sectionMarkup(group, { ...place, charts: first }))}`,
    rest: markup`${rest.map((group) => sectionMarkup(group, place))}</article>`,
  };
}

/** Rules of the shades that the page's cells, and lines of its charts, have. */
function shades(models: readonly ReportModel[], charts: readonly Chart[]): string {
  const cells = models.flatMap(({ context }) => context.scenarios.flatMap(({ cells }) => cells));
  const lines = charts.flatMap((chart) => chart.kind === "xy" ? legendOf(chart) : []);
  return unique([...cells, ...lines].map(({ color }) => swatchRule(color))).join("");
}

/** What the page's client narrows everything to. */
function targetsScript(models: readonly ReportModel[]): Markup {
  const byName = Map.groupBy(models.flatMap(({ targets }) => targets), ({ name }) => name);
  const targets = [...byName.values()].map((same): PageTarget => ({
    ...same[0],
    also: unique(same.flatMap(({ also }) => also)),
  }));
  return markup`<script type="application/json" id="targets">${scriptJson(targets)}</script>\n`;
}

/** Of what the page shows first; of a running experiment, whose newer parts are drawn at once, all. */
export function chartsScript(charts: Charts): Markup {
  return markup`<script type="application/json" id="charts">${
    scriptJson(Object.fromEntries(charts))
  }</script>\n`;
}

function moreChartsScript(charts: Charts): Markup {
  const json = JSON.stringify(Object.fromEntries(charts));
  return markup`<script type="application/json" id="more-charts">${
    scriptJson(deflated(json))
  }</script>\n`;
}

/** After the client, which reads it only when a part of the runs is selected. */
function intervalScript(id: string, cells: readonly CellRuns[], packed: string): Markup {
  return markup`<script type="application/json" id="intervals-${id}">${
    scriptJson({ cells: cells.map(namedRuns), packed })
  }</script>\n`;
}

/** What its steps, which are packed, do not say of it. */
function namedRuns(
  { label, color, runs }: CellRuns,
): { label: string; color: number; clock: "intended" | "sent"; repetitions: number[] } {
  const [{ latency: { clock } }] = runs;
  return { label, color, clock, repetitions: runs.map(({ repetition }) => repetition) };
}

/** Deflated: what other bases say is mostly alike; read when one is chosen. */
function basesScript({ groups }: ReportModel, place: PagePlace): Markup | null {
  const replaced = groups.flatMap((group) =>
    group.blocks.flatMap((block) =>
      block.kind === "alternatives"
        ? Object.entries(replacedFigures(block, { ...place, id: `${place.id}-${group.id}` }))
        : []
    )
  );
  if (replaced.length === 0) return null;
  const packed = deflated(JSON.stringify(Object.fromEntries(replaced)));
  return markup`<script type="application/json" id="bases-${place.id}">${
    scriptJson(packed)
  }</script>\n`;
}

export function policyOf(style: string, live: LiveParts | null = null): string {
  const scripts = [DEPTH_SCRIPT, client, ...(live === null ? [] : [live.script])];
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(" ")}`,
    ...(live === null ? [] : ["connect-src 'self'"]),
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function navigationMarkup(
  models: readonly ReportModel[],
  trends: readonly TrendModel[],
): Markup {
  const trendLinks = trends.map((_, i): SectionLink => ({ href: `#t${i + 1}`, text: "Trend" }));
  const links = models.flatMap((model, i) => linksOf(model, `#e${i + 1}`, models.length > 1));
  const items = [...trendLinks, ...links].map(({ href, text, from }) => {
    const link = markup`<a href="${href}">${text}</a>`;
    return from === undefined ? markup`<li>${link}</li>` : markup`<li class="${from}">${link}</li>`;
  });
  const several = models.length + trends.length > 1 ? markup` class="several"` : null;
  return markup`<nav aria-label="Sections"><div class="bar"><ul${several}>${items}</ul>
${depthMarkup()}</div></nav>`;
}

interface SectionLink {
  readonly href: string;
  readonly text: string;
  /** Absent: it is in the summary. */
  readonly from?: "in-detail" | "in-everything";
}

/** Of what the page shows. */
function sectionsOf(groups: readonly Group[]): Group[] {
  return shownIn("page", groups).filter((block) => block.kind === "group");
}

/** Groups without a title are the head of the experiment. */
function linksOf({ name, groups }: ReportModel, to: string, isOneOfMany: boolean): SectionLink[] {
  return [
    { href: to, text: isOneOfMany ? name : "Verdict" },
    ...sectionsOf(groups).filter(({ title }) => title !== "").map((
      { id, title, depth },
    ): SectionLink => ({
      href: `${to}-${id}`,
      text: title,
      ...depth === "summary" ? {} : { from: `in-${depth}` },
    })),
  ];
}
