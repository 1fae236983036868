/**
 * Models → one self-contained page. Text and tables are in the markup and work without scripts; the
 * charts' data is JSON that the client draws. A policy forbids every request and every foreign script.
 */
import { createHash } from "node:crypto";
import type { MissingModel } from "../caveats.ts";
import type { Fact } from "../method.ts";
import type { ReportModel } from "../model.ts";
import type { TrustModel } from "../trust.ts";
import client from "./client.js" with { type: "text" };
import { barHeights, type Charts, type Place } from "./figures.ts";
import { Markup, markup, scriptJson } from "./markup.ts";
import { gatesMarkup, overviewMarkup, scenarioMarkup } from "./scenario.ts";
import css from "./style.css" with { type: "text" };

/** One page of one or more experiments, in the given order. */
export function renderPage(models: readonly ReportModel[]): string {
  const charts: Charts = new Map();
  const experiments = models.map((model, i) =>
    experimentMarkup(model, { id: `e${i + 1}`, charts })
  );
  const style = css + barHeights(charts);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(client, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${models.map(({ title }) => title).join(" · ")}</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${navigationMarkup(models)}
<main id="main">${experiments}</main>
<script type="application/json" id="charts">${scriptJson(Object.fromEntries(charts))}</script>
<script>${new Markup(client)}</script>
</body>
</html>
`.text;
}

function policyOf(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function navigationMarkup(models: readonly ReportModel[]): Markup {
  const links = models.flatMap(({ name, scenarios, missing }, i) => [
    [`#e${i + 1}`, models.length > 1 ? name : "Answer"],
    ...scenarios.map((scenario, j) => [`#e${i + 1}-s${j + 1}`, scenario.name]),
    ...(missing.length > 0 ? [[`#e${i + 1}-missing`, "Not measured"]] : []),
    [`#e${i + 1}-method`, "Method"],
  ]);
  const items = links.map(([href, text]) => markup`<li><a href="${href}">${text}</a></li>`);
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
${trustMarkup(model.trust)}
${factsMarkup(model.facts)}
${model.repetitions && markup`<p>${model.repetitions}</p>`}
${model.warnings.map((text) => markup`<p class="warning">${text}</p>`)}</header>
${gatesMarkup(model.gates, place)}
${overviewMarkup(model.scenarios, place)}
${scenarios}
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
<p>Save the experiment below as <code>${sourceName}</code>, then run <code>${command}</code></p>
<details><summary>The experiment, word for word</summary>${preMarkup(source)}</details></section>`;
}
