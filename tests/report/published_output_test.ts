import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { hostileResults, MARKUP } from "./hostile.ts";
import { publishedResults } from "./published_results.ts";

Deno.test("results without published figures say nothing of any", () => {
  const results = publishedResults({ measured: { a: { s: 100 } }, published: [] });
  const model = reportModel(results);
  assert.doesNotMatch(renderReportPage([model]).replace(/<script>.*<\/script>/s, ""), /published/i);
  assert.doesNotMatch(renderMarkdown(model), /published/i);
});

const PLAIN = { width: 100, color: false, unicode: true };

Deno.test("terminal and markdown tell the finding, the differences and the confounders", () => {
  const model = reportModel(publishedResults({
    measured: { express: { static: 2_000, redis: 1_600 }, gin: { static: 6_000, redis: 1_500 } },
    published: {
      source: "Table 2",
      values: { express: { static: 1_000, redis: 800 }, gin: { static: 3_000, redis: 1_200 } },
      relative: "express, static",
      confounders: ["Express logged there."],
    },
  }));
  const summary = renderSummary(model, PLAIN);
  assert.match(
    summary,
    /\nPublished: Table 2: rate\nThe order of the 4 cells is only partly as published;/,
  );
  assert.match(summary, /\n {2}redis, gin: measured 0\.75\d*×/);
  const markdown = renderMarkdown(model);
  assert.match(
    markdown,
    /### Published and measured: Table 2: rate\n\nThe order of the 4 cells is/,
  );
  assert.match(markdown, /\n\| gin \| redis \| 1,200 \| 1,500 \\\[/);
  assert.match(markdown, /Other differences:\n\n- Express logged there\./);
});

Deno.test("hostile texts of published tables stay text everywhere", () => {
  const results = hostileResults();
  const nasty = results.experiment.name;
  const table = {
    source: nasty,
    figure: "rate" as const,
    unit: "perSec" as const,
    relative: null,
    values: { "": 5, [nasty]: 6 },
    confounders: [nasty],
  };
  const model = reportModel({
    ...results,
    experiment: { ...results.experiment, published: table },
  });
  assert.equal(model.published[0].table?.rows.length, 2);
  const page = renderReportPage([model]);
  assert.ok(!page.includes(MARKUP.slice(0, 5)));
  assert.equal(page.match(/<script/g)?.length, page.match(/<\/script/g)?.length);
  assert.doesNotMatch(renderMarkdown(model), /<|>/);
  assert.doesNotMatch(
    renderSummary(model, PLAIN),
    /[^\n\P{Cc}]|[\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u,
  );
});
