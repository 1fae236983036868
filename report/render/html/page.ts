/**
 * Models → one self-contained page. Text and tables are in the markup and work without scripts; the
 * charts' data is JSON that the client draws. A policy forbids every request and every foreign script.
 */
import { createHash } from "node:crypto";
import type { ReportModel, ScenarioModel } from "../../model.ts";
import { swatchRule } from "../../cells/colors.ts";
import { unique } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { PageTarget } from "../../subjects/verdict/compared_scenarios.ts";
import type { TrendModel } from "../../subjects/trend/trend.ts";
import { type Markup, markup, scriptJson, verbatim } from "../../writing/html.ts";
import type { Written } from "../../writing/written.ts";
import client from "../../client/client.js" with { type: "text" };
import { deflated } from "../../writing/deflated.ts";
import { type PackedSteps, packScenarios } from "./packed_intervals.ts";
import { basedFigures, forestHeights, hasComparisons } from "./sections/comparison.ts";
import { experimentMarkup } from "./sections/experiment.ts";
import { DEPTH_SCRIPT, depthMarkup } from "./sections/depth.ts";
import { barHeights, type Charts, type PagePlace } from "./sections/figures.ts";
import { trendMarkup } from "./sections/lines.ts";
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
  const steps = packScenarios(models.flatMap(({ scenarios }) => scenarios));
  const trended = trends.map((trend, i) =>
    trendMarkup(trend, { id: `t${i + 1}`, charts: first, steps })
  );
  const experiments = models.map((model, i) =>
    experimentMarkup(model, { id: `e${i + 1}`, charts, steps }, i === 0 ? first : charts)
  );
  const all: Charts = new Map([...first, ...charts]);
  const style = RULES + (live?.css ?? "") + barHeights(all) + forestHeights(all) + shades(models);
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
    models.map(({ scenarios }, i) => intervalScripts(scenarios, { id: `e${i + 1}`, steps }))
  }${models.map((model, i) => basesScript(model, { id: `e${i + 1}`, steps }))}
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

/** Rules of the shades that the page's cells have. */
function shades(models: readonly ReportModel[]): string {
  const cells = models.flatMap(({ scenarios }) => scenarios.flatMap(({ cells }) => cells));
  const lines = models.flatMap(({ sweeps }) =>
    sweeps.flatMap(({ figures }) =>
      figures.flatMap(({ facets }) => facets.flatMap(({ series }) => series))
    )
  );
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

/** After the client, which reads them only when a part of the runs is selected. */
function intervalScripts(
  scenarios: readonly ScenarioModel[],
  { id, steps }: { readonly id: string; readonly steps: ReadonlyMap<ScenarioModel, PackedSteps> },
): Markup[] {
  return scenarios.map((scenario, i) =>
    markup`<script type="application/json" id="intervals-${id}-s${i + 1}">${
      scriptJson({
        cells: scenario.cells.map(namedRuns),
        packed: steps.get(scenario)?.packed ?? "",
      })
    }</script>\n`
  );
}

/** What its steps, which are packed, do not say of it. */
function namedRuns(
  { label, color, runs }: CellRuns,
): { label: string; color: number; clock: "intended" | "sent"; repetitions: number[] } {
  const [{ latency: { clock } }] = runs;
  return { label, color, clock, repetitions: runs.map(({ repetition }) => repetition) };
}

/** Deflated: what other bases say is mostly alike; read when one is chosen. */
function basesScript(model: ReportModel, place: Omit<PagePlace, "charts">): Markup | null {
  const bases = model.bases();
  if (bases.length === 0) return null;
  const packed = deflated(JSON.stringify(basedFigures(bases, place)));
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

function linksOf(model: ReportModel, to: string, isOneOfMany: boolean): SectionLink[] {
  const { name, scenarios, sweeps, settling, groups } = model;
  const says = (id: string): boolean => groups.some((group) => group.id === id);
  const detail = "in-detail";
  const link = (
    is: boolean,
    part: string,
    text: string,
    from?: SectionLink["from"],
  ): SectionLink[] => is ? [{ href: `${to}-${part}`, text, from }] : [];
  return [
    { href: to, text: isOneOfMany ? name : "Verdict" },
    ...link(scenarios.some(({ capacity }) => capacity !== null), "capacity", "Capacity"),
    ...link(sweeps.length > 0, "sweeps", "Sweeps"),
    ...link(says("claims"), "claims", "Claims", detail),
    ...link(hasComparisons(model), "compared", "Compared", detail),
    ...scenarios.flatMap((scenario, i) => link(true, `s${i + 1}`, scenario.name, detail)),
    ...link(settling !== null, "settling", "Settling", detail),
    ...link(scenarios.length > 0, "outcomes", "Errors", detail),
    ...link(scenarios.some(({ profiles }) => profiles !== null), "profiles", "Profiles", detail),
    ...link(says("published"), "published", "Published", detail),
    ...groups.filter(({ id }) => id === "missing" || id === "method").flatMap((group) =>
      link(true, group.id, group.title, group.depth === "summary" ? undefined : `in-${group.depth}`)
    ),
  ];
}
