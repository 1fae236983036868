/**
 * Renders documents as one self-contained page. Text and tables are in the markup and work without scripts; the data of
 * charts is JSON, which the client draws. A content security policy forbids all requests and foreign scripts.
 */
import { createHash } from "node:crypto";
import { legendOf } from "../../chart.ts";
import { type Group, shownIn } from "../../blocks.ts";
import type { Document } from "../../document.ts";
import { swatchRules } from "../../cells/colors.ts";
import { unique } from "../../writing/words.ts";
import type { PageTarget } from "../../subjects/verdict/compared_scenarios.ts";
import { dataScript, type Markup, markup, verbatim } from "../../writing/html.ts";
import type { Written } from "../../writing/written.ts";
import client from "../../client/client.js" with { type: "text" };
import { blocksMarkup, classAttribute, replacedFigures, sectionMarkup } from "./blocks.ts";
import { deflated, packScenarios } from "./packed_intervals.ts";
import { conclusionMarkup } from "./sections/conclusion.ts";
import { DEPTH_SCRIPT, depthMarkup } from "./sections/depth.ts";
import { type Charts, heightRules, type PagePlace } from "./figures.ts";
import css from "./style.css" with { type: "text" };

/** The style sheet, without comments and indentation. */
const RULES = css.replaceAll(/\/\*[^]*?\*\/|^\s+/gm, "");

/** Parts that only the page of a running experiment has. */
interface LiveParts {
  readonly bar: Markup;
  /** Executed after the page's own script. */
  readonly script: string;
  readonly css: string;
}

/** A document and its parts, as they are placed on the page. */
interface Article {
  readonly document: Document;
  /** Id of the article's element; the ids of all its parts begin with it. */
  readonly id: string;
  /** Groups without a title. */
  readonly head: readonly Group[];
  /** Titled groups before the first one that is not part of the summary; `rest` has the other titled groups. */
  readonly summary: readonly Group[];
  readonly rest: readonly Group[];
}

/**
 * Makes an article of each document. The number in its id counts documents of the same kind, so the second comparison
 * has the id c2.
 */
function articlesOf(documents: readonly Document[]): Article[] {
  return documents.map((document, i) => {
    const { kind, groups } = document;
    const number = documents.slice(0, i + 1).filter((other) => other.kind === kind).length;
    const all = shownIn("page", groups).filter((block) => block.kind === "group");
    const sections = all.filter(({ title }) => title !== "");
    const deep = sections.findIndex(({ depth }) => depth !== "summary");
    const end = deep < 0 ? sections.length : deep;
    return {
      document,
      id: `${kind[0]}${number}`,
      head: all.filter(({ title }) => title === ""),
      summary: sections.slice(0, end),
      rest: sections.slice(end),
    };
  });
}

/**
 * Renders documents as one page, in the given order.
 * @param live The additional parts of a running experiment's page; null for a saved page, which sends no requests.
 */
export function renderReportPage(
  documents: readonly Document[],
  live: LiveParts | null = null,
): Written<"html"> {
  const articles = articlesOf(documents);
  const first: Charts = new Map();
  const charts: Charts = new Map();
  const scenarios = scenariosOf(articles);
  const steps = packScenarios(new Map(scenarios));
  const place = { charts, steps };
  const deep = articles.findIndex(({ rest }) => rest.length > 0);
  const begun = deep < 0 ? articles.length - 1 : deep;
  const summaries = articles.map((article, i) =>
    summaryMarkup(article, { ...place, id: article.id, charts: i <= begun ? first : charts })
  );
  const rests = articles.map(({ id, rest }) =>
    markup`${rest.map((group) => sectionMarkup(group, { ...place, id }))}</article>`
  );
  const all: Charts = new Map([...first, ...charts]);
  const colors = [
    ...documents.flatMap(({ colors }) => colors),
    ...[...all.values()].flatMap((chart) =>
      chart.kind === "xy" ? legendOf(chart).map(({ color }) => color) : []
    ),
  ];
  const style = RULES + (live?.css ?? "") + heightRules(all.values()) + swatchRules(colors);
  const begin = markup`${dataScript("targets", targetsOf(documents))}
${dataScript("charts", Object.fromEntries(first))}
<script>${verbatim(client)}</script>\n`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, live)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${unique(documents.map(({ title }) => title)).join(" · ")}</title>
<link rel="icon" href="data:,">
<script>${verbatim(DEPTH_SCRIPT)}</script>
<style>${verbatim(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<nav aria-label="Sections"><div class="bar">${linksMarkup(articles)}
${deep < 0 ? null : depthMarkup()}</div></nav>
<main id="main">${
    // The client's script follows the summary, so that the verdict is drawn and controls work while
    // the browser is still loading the rest.
    articles.map((_, i) => [summaries[i], i === begun ? begin : null, rests[i]])}</main>
${live?.bar ?? null}${dataScript("more-charts", deflatedJson(Object.fromEntries(charts)))}

${live && markup`<script>${verbatim(live.script)}</script>\n`}${
    // This data comes after the client's script, which reads it only when the user selects some of
    // the runs.
    scenarios.map(([id, scenario]) => {
      const cells = scenario.cells.map(({ label, color, runs }) => ({
        ...{ label, color, clock: runs[0].latency.clock },
        repetitions: runs.map(({ repetition }) => repetition),
      }));
      const data = { cells, packed: steps.get(id)?.packed ?? "" };
      return markup`${dataScript(`intervals-${id}`, data)}\n`;
    })}${articles.map(({ document: { groups }, id }) => basesScript(groups, { ...place, id }))}
</body>
</html>
`.text;
}

/** All scenarios, with the ids of their sections. */
function scenariosOf(articles: readonly Article[]): [id: string, Document["scenarios"][number]][] {
  return articles.flatMap(({ id, document: { scenarios } }) =>
    scenarios.map((scenario, s): [string, typeof scenario] => [`${id}-s${s + 1}`, scenario])
  );
}

/** The beginning of an article. The page's client can start as soon as the browser has loaded this part. */
function summaryMarkup({ document, head, summary }: Article, place: PagePlace): Markup {
  const { title, lead, card } = document;
  const { id } = place;
  return markup`<article id="${id}">
<header><h1>${title}</h1>
${blocksMarkup(shownIn("page", lead), { ...place, id: `${id}-lead` }, 2)}
${card && conclusionMarkup(card, id)}
${blocksMarkup(head, place, 2)}</header>
${summary.map((group) => sectionMarkup(group, place))}`;
}

/** The targets to which the user can restrict the whole page. */
function targetsOf(documents: readonly Document[]): PageTarget[] {
  const byName = Map.groupBy(documents.flatMap(({ targets }) => targets), ({ name }) => name);
  return [...byName.values()].map((same) => ({
    ...same[0],
    also: unique(same.flatMap(({ also }) => also)),
  }));
}

function deflatedJson(value: unknown): string {
  return deflated(JSON.stringify(value));
}

/**
 * The figures for each alternative base. They are deflated together, because they resemble each other; the client
 * inflates them when the user chooses another base.
 */
function basesScript(groups: readonly Group[], place: PagePlace): Markup | null {
  const replaced = groups.flatMap((group) =>
    group.blocks.flatMap((block) =>
      block.kind === "alternatives"
        ? replacedFigures(block, { ...place, id: `${place.id}-${group.id}` })
        : []
    )
  );
  if (replaced.length === 0) return null;
  const packed = deflatedJson(Object.fromEntries(replaced));
  return markup`${dataScript(`bases-${place.id}`, packed)}\n`;
}

function policyOf(style: string, live: LiveParts | null): string {
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

function linksMarkup(articles: readonly Article[]): Markup {
  const areSeveral = articles.length > 1;
  const items = articles.flatMap(({ document: { name }, id, summary, rest }) => [
    markup`<li><a href="#${id}">${areSeveral ? name : "Verdict"}</a></li>`,
    ...[...summary, ...rest].map((section) =>
      markup`<li${
        classAttribute(section.depth)
      }><a href="#${id}-${section.id}">${section.title}</a></li>`
    ),
  ]);
  return markup`<ul${areSeveral ? markup` class="several"` : null}>${items}</ul>`;
}
