/**
 * Models → one self-contained page. Text and tables are in the markup and work without scripts; the
 * charts' data is JSON that the client draws. A policy forbids every request and every foreign script.
 */
import { createHash } from "node:crypto";
import type { MissingModel } from "../model/findings/caveats.ts";
import type { Cell } from "../model/runs/cells.ts";
import { sectionOf } from "../model/charts/charts.ts";
import type { Fact } from "../model/method/method.ts";
import type { ReportModel, ScenarioModel } from "../model/model.ts";
import type { TrendModel } from "../model/trend/trend.ts";
import type { TrustModel } from "../model/findings/trust.ts";
import { unique } from "../model/numbers/words.ts";
import client from "./client.js" with { type: "text" };
import { claimsMarkup } from "./claims.ts";
import { barHeights, type Charts, type Place } from "./figures.ts";
import { forestHeights, forestsMarkup, hasComparisons } from "./forest.ts";
import { type Markup, markup, scriptJson, verbatim } from "../writing/html.ts";
import { packScenarios } from "./packed.ts";
import { publishedMarkup } from "./published.ts";
import { gatesMarkup, overviewMarkup, scenarioMarkup } from "./scenario.ts";
import { outcomesMarkup } from "./slowest.ts";
import { stableMarkup } from "./stable.ts";
import { sweepsMarkup } from "./sweeps.ts";
import { trendMarkup } from "./trend.ts";
import type { Written } from "../writing/written.ts";
import css from "./style.css" with { type: "text" };

/** What the page of a running experiment has besides. */
export interface LiveParts {
  readonly bar: Markup;
  /** Runs after the page's own. */
  readonly script: string;
  readonly css: string;
}

/**
 * One page of one or more experiments, in the given order.
 *
 * @param live Null for the page that stays, which asks nobody for anything.
 * @param trends Of experiments with several results; they come first.
 */
export function renderPage(
  models: readonly ReportModel[],
  live: LiveParts | null = null,
  trends: readonly TrendModel[] = [],
): Written<"html"> {
  const charts: Charts = new Map();
  const steps = packScenarios(models.flatMap(({ scenarios }) => scenarios));
  const trended = trends.map((trend, i) => trendMarkup(trend, { id: `t${i + 1}`, charts, steps }));
  const experiments = models.map((model, i) =>
    experimentMarkup(model, { id: `e${i + 1}`, charts, steps })
  );
  const style = css + (live?.css ?? "") + barHeights(charts) + forestHeights(charts);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, live)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${unique([...trends, ...models].map(({ title }) => title)).join(" · ")}</title>
<link rel="icon" href="data:,">
<style>${verbatim(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${navigationMarkup(models, trends)}
<main id="main">${trended}${experiments}</main>
${live?.bar ?? null}${chartScripts(charts)}
<script>${verbatim(client)}</script>
${live && markup`<script>${verbatim(live.script)}</script>\n`}${
    models.map(({ scenarios }, i) => intervalScripts(scenarios, { id: `e${i + 1}`, steps }))
  }
</body>
</html>
`.text;
}

/** One for each section, as only those are read whose charts are looked at. */
function chartScripts(charts: Charts): Markup[] {
  return [...Map.groupBy(charts, ([id]) => sectionOf(id))].map(([section, entries]) =>
    markup`<script type="application/json" id="charts-${section}">${
      scriptJson(Object.fromEntries(entries))
    }</script>\n`
  );
}

/** After the client, which reads them only when somebody selects a part of the runs. */
function intervalScripts(
  scenarios: readonly ScenarioModel[],
  { id, steps }: Pick<Place, "id" | "steps">,
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
  { label, color, runs }: Cell,
): { label: string; color: number; clock: "intended" | "sent"; repetitions: number[] } {
  const [{ latency: { clock } }] = runs;
  return { label, color, clock, repetitions: runs.map(({ repetition }) => repetition) };
}

function policyOf(style: string, live: LiveParts | null): string {
  const scripts = live === null ? [client] : [client, live.script];
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
  const trendLinks = trends.map((_, i) => [`#t${i + 1}`, "Trend"]);
  const links = models.flatMap((model, i) => {
    const { name, claims, scenarios, sweeps, published, missing } = model;
    return [
      [`#e${i + 1}`, models.length > 1 ? name : "Answer"],
      ...(claims.table === null ? [] : [[`#e${i + 1}-claims`, "Claims"]]),
      ...(hasComparisons(model) ? [[`#e${i + 1}-compared`, "Compared"]] : []),
      ...scenarios.map((scenario, j) => [`#e${i + 1}-s${j + 1}`, scenario.name]),
      ...(sweeps.length > 0 ? [[`#e${i + 1}-sweeps`, "Sweeps"]] : []),
      ...(model.stable === null ? [] : [[`#e${i + 1}-stable`, "Stable"]]),
      ...(scenarios.length > 0 ? [[`#e${i + 1}-outcomes`, "Errors"]] : []),
      ...(published.length > 0 ? [[`#e${i + 1}-published`, "Published"]] : []),
      ...(missing.length > 0 ? [[`#e${i + 1}-missing`, "Not measured"]] : []),
      [`#e${i + 1}-method`, "Method"],
    ];
  });
  const items = [...trendLinks, ...links].map(([href, text]) =>
    markup`<li><a href="${href}">${text}</a></li>`
  );
  return markup`<nav aria-label="Sections"><ul>${items}</ul></nav>`;
}

function experimentMarkup(model: ReportModel, place: Place): Markup {
  const { id } = place;
  const scenarios = model.scenarios.map((scenario, i) =>
    scenarioMarkup(scenario, { ...place, id: `${id}-s${i + 1}` })
  );
  return markup`<article id="${id}">
<header><h1>${model.title}</h1>
${model.about && markup`<p class="about">${model.about}</p>`}
${model.unanswered && markup`<p class="lead">${model.unanswered}</p>`}
${model.verdict && markup`<p class="lead">${model.verdict}</p>`}
${trustMarkup(model.trust)}
${model.claims.summary && markup`<p><a href="#${id}-claims">${model.claims.summary}</a></p>`}
${factsMarkup(model.facts)}
${model.repetitions && markup`<p>${model.repetitions}</p>`}
${model.warnings.map((text) => markup`<p class="warning">${text}</p>`)}</header>
${claimsMarkup(model.claims, id)}
${gatesMarkup(model.gates, place)}
${overviewMarkup(model.scenarios, place)}
${forestsMarkup(model, place)}
${scenarios}
${sweepsMarkup(model.sweeps, place)}
${stableMarkup(model.stable, { ...place, id: `${id}-stable` })}
${outcomesMarkup(model.scenarios, place)}
${publishedMarkup(model.published, { ...place, id: `${id}-published` })}
${missingMarkup(model.missing, id)}
${methodMarkup(model, id)}
</article>`;
}

/** Each experiment's badge: the verdict in a word, then what it means and why. */
function trustMarkup(trust: TrustModel | null): Markup | null {
  if (trust === null) return null;
  const { level, text, reasons } = trust;
  const items = reasons.map((reason) => markup`<li>${reason}</li>`);
  return markup`<div class="trust ${level}"><p><strong>${level}</strong>: ${text}</p>
${reasons.length === 0 ? null : markup`<ul>${items}</ul>`}</div>`;
}

function factsMarkup(facts: readonly Fact[]): Markup {
  const items = facts.map(({ label, text }) =>
    markup`<div><dt>${label}</dt><dd>${text}</dd></div>`
  );
  return markup`<dl class="facts">${items}</dl>`;
}

function missingMarkup(missing: readonly MissingModel[], id: string): Markup | null {
  if (missing.length === 0) return null;
  const items = missing.map(({ what, kind, reason, evidence }) =>
    markup`<li><strong>${what}</strong>: ${kind}: ${reason}${preMarkup(evidence.join("\n"))}</li>`
  );
  return markup`<section id="${id}-missing"><h2>Not measured</h2>
<ul class="missing">${items}</ul></section>`;
}

/** Focusable, as it scrolls. */
function preMarkup(text: string): Markup | null {
  return text === "" ? null : markup`<pre tabindex="0">${text}</pre>`;
}

function methodMarkup(model: ReportModel, id: string): Markup {
  const { machine, method, source, sourceName, command } = model;
  return markup`<section id="${id}-method"><h2>Machine and method</h2>
${factsMarkup(machine)}
${method.map((sentence) => markup`<p>${sentence}</p>`)}
<h3>To repeat it</h3>
${
    source === "" || sourceName === ""
      ? markup`<p>Run <code>${command}</code></p>`
      : markup`<p>Save the experiment below as <code>${sourceName}</code>, then run <code>${command}</code></p>`
  }
${sourceMarkup(source)}</section>`;
}

function sourceMarkup(source: string): Markup | null {
  if (source === "") return null;
  return markup`<details><summary>The experiment, word for word</summary>${
    preMarkup(source)
  }</details>`;
}
