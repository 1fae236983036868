import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Published } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import {
  column,
  differing,
  modelOf,
  notesOf,
  partsOf,
  type PublishedPart,
  publishedResults,
  type RateTable,
} from "./published_results.ts";

const PUBLISHED = {
  express: { static: 1_000, redis: 800 },
  gin: { static: 3_000, redis: 1_200 },
  fastify: { static: 2_000, redis: 1_500 },
};

/** Twice as fast a machine, with gin in redis slower than it should be. */
const MEASURED = {
  express: { static: 2_000, redis: 1_600 },
  gin: { static: 6_000, redis: 1_500 },
  fastify: { static: 4_000, redis: 3_000 },
};

const RELATIVE = modelOf({
  measured: MEASURED,
  published: {
    source: "Table 2",
    values: PUBLISHED,
    relative: "express, static",
    confounders: ["Express logged there."],
  },
});

Deno.test("rows come in the order of the file, with both figures and both relative to the named cell", () => {
  assert.equal(RELATIVE.title, "Table 2: rate");
  const columns: [label: string, texts: string][] = [
    ["Target", "express | express | gin | gin | fastify | fastify"],
    ["Scenario", "static | redis | static | redis | static | redis"],
    ["Published", "1,000 | 800 | 3,000 | 1,200 | 2,000 | 1,500"],
    ["Measured", "2,000 | 1,600 | 6,000 | 1,500 | 4,000 | 3,000"],
    ["Published, relative", "1.00 | 0.800 | 3.00 | 1.20 | 2.00 | 1.50"],
    ["Measured, relative", "1.00 | 0.800 | 3.00 | 0.750 | 2.00 | 1.50"],
    ["Measured ÷ published", "– | 1.00 | 1.00 | 0.625 | 1.00 | 1.00"],
  ];
  for (const [label, texts] of columns) assert.equal(column(RELATIVE, label), texts, label);
  // The ratios have intervals, the base has none by itself.
  const last = RELATIVE.table?.rows.map((row) => row[row.length - 1]) ?? [];
  assert.equal(last[0].below, undefined);
  assert.match(last[3].below ?? "", /^\[0\.6\d+,\s0\.6\d+\]$/);
  // A difference that matters is called out and marked, with what else was different.
  assert.match(
    RELATIVE.differences.join("\n"),
    /^redis, gin: measured 0\.75\d*×\s\[.*\] where 1\.20× was published, 0\.62\d+×\s\[.*\] as much\.$/,
  );
  const marked = last.map(({ alarming = false }) => alarming);
  assert.deepEqual(marked, [false, false, false, true, false, false]);
  assert.deepEqual(RELATIVE.confounders, ["Express logged there."]);
  assert.match(
    notesOf(RELATIVE),
    /divided by those of express, static\. A difference matters, and is marked, /,
  );
  assert.match(
    RELATIVE.finding,
    /^Rank correlation with the published order: 0\.83 over 6 cells\. 1 of 5 figures is certainly more than 25\s% from the published one, the farthest redis, gin at 0\.62\d+×\s\[0\.6\d+,\s0\.6\d+\]\.$/,
  );
});

Deno.test("the rule is said once, with the first of several tables", () => {
  const published = [{ values: PUBLISHED }, { values: PUBLISHED }, { values: PUBLISHED }];
  const parts = partsOf(publishedResults({ measured: MEASURED, published }));
  const withRule = parts.map((part) => notesOf(part).includes("A difference matters, and is"));
  assert.deepEqual(withRule, [true, false, false]);
});

Deno.test("rank correlations are told by scenario, where it has cells enough for one", () => {
  const rates = [1_000, 2_000, 3_000, 4_000, 5_000];
  const tableOf = (redis: readonly number[]): RateTable =>
    Object.fromEntries(rates.map((rate, i) => [`t${i + 1}`, { static: rate, redis: redis[i] }]));
  const model = modelOf({
    measured: tableOf([200, 100, 300, 400, 500]),
    published: { values: tableOf([100, 200, 300, 400, 500]) },
  });
  assert.match(
    model.finding,
    /^Rank correlation with the published order: 0\.99 over 10 cells \(static 1, redis 0\.90\)\./,
  );
});

Deno.test("without a cell to divide by a faster machine moves every figure, and a note says so", () => {
  const model = modelOf({ measured: MEASURED, published: { values: PUBLISHED } });
  assert.match(column(model, "Measured ÷ published"), /^2\.00 /);
  assert.ok(!model.table?.columns.some(({ label }) => label.includes("relative")));
  assert.match(notesOf(model), /^The figures are not relative to a base/);
});

Deno.test("a target to divide by is that of the same scenario; where there are two, nothing is divided", () => {
  const model = modelOf({
    measured: MEASURED,
    published: { values: PUBLISHED, relative: "express" },
  });
  assert.equal(column(model, "Published, relative"), "1.00 | 1.00 | 3.00 | 1.50 | 2.00 | 1.88");
  assert.match(column(model, "Measured ÷ published"), /^– \| – \| /);
  const values = { express: 1_000, "express, static": 900, gin: 3_000 };
  const measured = { express: { static: 2_000 }, gin: { static: 6_000 } };
  const two = modelOf({ measured, published: { values, relative: "express" } });
  assert.match(notesOf(two), /^The figures are not divided by those of express/);
});

Deno.test("figures that fit are said to fit", () => {
  const model = modelOf({ measured: PUBLISHED, published: { values: PUBLISHED } });
  assert.match(
    model.finding,
    /^Rank correlation with the published order: 1 over 6 cells\. No figure is certainly more than 25\s% from the published one\./,
  );
  assert.deepEqual(model.differences, []);
});

Deno.test("what was not measured, was left out, or is no cell any more is told", () => {
  const { gin: _, ...measured } = MEASURED;
  const results = publishedResults({
    measured,
    published: { values: { ...PUBLISHED, "express, static, cores=2": 5 }, relative: "gin, static" },
  });
  const experiment = { ...results.experiment, targets: { express: {}, gin: {}, fastify: {} } };
  const [model] = partsOf({ ...results, experiment });
  assert.equal(model.table?.rows.length, 4);
  assert.equal(
    model.missing,
    "Published, but not compared: gin, static; gin, redis (it was not measured); " +
      'express, static, cores=2 (Cannot find the factor "cores": the experiment has no factors).',
  );
  assert.match(notesOf(model), /^The figures are not divided by those of gin, static/);
  const one = publishedResults({
    measured: { express: { static: 100 } },
    published: {
      values: { "connections=20": { express: 100, gin: 50 }, "express, connections=21": 1 },
    },
  });
  const app = { app: "api" } as const;
  const load = { connections: [20], duration: [1_000] };
  const [part] = partsOf({
    ...one,
    experiment: { ...one.experiment, targets: { express: app, gin: app }, load },
    flags: { set: {}, only: { targets: ["express"] } },
  });
  assert.equal(column(part, "Published"), "100");
  assert.equal(
    part.missing,
    "Published, but not compared: connections=20, gin (left out by --only); " +
      "express, connections=21 (it was not measured).",
  );
});

Deno.test("with nothing of it measured a table is a sentence", () => {
  const results = publishedResults({
    measured: { express: { static: 100 } },
    published: { figure: "lag.p99", unit: "ms", values: { express: 5 }, source: "p. 3" },
  });
  const [part] = partsOf(results);
  assert.equal(part.table, null);
  const page = renderReportPage([reportModel(results)]);
  assert.match(page, /p\. 3: lag\.p99.*express \(a closed loop has no lag/s);
});

Deno.test("one run is compared by its figure, without an interval", () => {
  const model = modelOf({ measured: MEASURED, published: { values: PUBLISHED }, runs: 1 });
  assert.ok(model.table?.rows.every((row) => row.every(({ below }) => below === undefined)));
  // The sixth is 1.25 times as much, which is not more than a quarter.
  assert.equal(model.differences.length, 5);
});

Deno.test("a published bound is far only beyond it, and has no place in an order; nothing is divided by it", () => {
  const model = modelOf({
    measured: {
      ...{ a: { static: 1_000 }, b: { static: 2_000 } },
      ...{ c: { static: 3_000 }, d: { static: 4_000 } },
    },
    published: { values: { a: "< 5000", b: "< 1000", c: "> 9000", d: "> 1000" } },
  });
  assert.equal(column(model, "Published"), "< 5,000 | < 1,000 | > 9,000 | > 1,000");
  assert.equal(differing(model), "c | b");
  assert.doesNotMatch(model.finding, /order/);
  assert.match(model.differences[1], /measured 2,00\d\/s .* where <\s1,000\/s was published/);
  const measured = { a: { static: 1_000 }, b: { static: 2_000 } };
  const about = modelOf({ measured, published: { values: { a: "~ 1000", b: 2_000 } } });
  assert.equal(column(about, "Published"), "~ 1,000 | 2,000");
  assert.match(about.finding, /^The order of the 2 cells is the published one\./);
  const bounded = modelOf({
    measured,
    published: { relative: "a", values: { a: "> 900", b: 2_000 } },
  });
  assert.match(notesOf(bounded), /^The figures are not divided by those of a/);
});

Deno.test("a measured lower bound is not far below what was published, nor what is divided by one far above", () => {
  const cells = ["a", "b"].map((target) => ({
    ...{ target, scenario: "s", medianMs: 10, runs: 5, timeoutRatio: target === "a" ? 0.1 : 0 },
  }));
  const partIn = (values: Published["values"], relative: string | null): PublishedPart => {
    const published: Published[] = [
      { figure: "p95", unit: "ms", values, relative, confounders: [] },
    ];
    return partsOf(resultsFixture({ cells, experiment: { published } }))[0];
  };
  const farIn = (values: Published["values"], relative: string | null): string =>
    differing(partIn(values, relative));
  assert.equal(farIn({ a: 1e9, b: 1e9 }, null), "b");
  assert.equal(farIn({ a: 1e9, b: 1 }, "a"), "");
  assert.equal(farIn({ a: 1, b: 1e9 }, "a"), "b");
});

// Published figures of 0, and measured ones.

const HUNDREDS = { express: { static: 100 }, gin: { static: 100 } };

Deno.test("0 where more was published is far, and 0 where 0 was is not", () => {
  const model = modelOf({
    measured: HUNDREDS,
    published: { figure: "5xx", unit: "share", values: { express: 0, gin: 0.25 } },
  });
  assert.equal(column(model, "Measured ÷ published"), "– | 0");
  assert.match(
    model.finding,
    /^The order cannot be compared.* 1 of 2 figures is certainly more than 25\s% from the published one, the farthest gin at 0×\.$/,
  );
  assert.match(
    model.differences[0],
    /^gin: measured 0\s% where 25\.0\s% was published, 0× as much\.$/,
  );
});

Deno.test("what is surely not 0 is infinitely far from a published 0, and told of first", () => {
  const model = modelOf({
    measured: { express: { static: 300 }, gin: { static: 200 }, fastify: { static: 100 } },
    published: { values: { express: 100, gin: 0, fastify: 0 } },
  });
  assert.equal(column(model, "Measured ÷ published"), "3.01 | ∞ | ∞");
  assert.match(model.finding, / 3 of 3 figures are certainly .* the farthest gin at ∞×\.$/);
  assert.equal(differing(model), "gin | fastify | express");
  assert.match(notesOf(model), /certainly not 0 counts as that far from a published 0\.$/);
});

Deno.test("what may be 0 is not far from a published 0", () => {
  const results = publishedResults({
    measured: HUNDREDS,
    published: { figure: "5xx", unit: "share", values: { express: 0, gin: 0.02 } },
  });
  const [first] = results.runs.filter(({ target }) => target === "express");
  first.status = { "200": 50, "500": 50 };
  for (const run of results.runs) if (run.target === "gin") run.status = { "200": 98, "500": 2 };
  const [model] = partsOf(results);
  assert.deepEqual(model.differences, []);
});

Deno.test("a measured 0 has a ratio to the cell that all are divided by; none has to a 0", () => {
  const published = { figure: "2xx", unit: "share", values: { express: 1, gin: 0.5 } } as const;
  const relativeTo = (relative: string): PublishedPart => {
    const results = publishedResults({ measured: HUNDREDS, published: { ...published, relative } });
    for (const run of results.runs) if (run.target === "gin") run.status = { "500": 9 };
    return partsOf(results)[0];
  };
  assert.equal(column(relativeTo("express"), "Measured, relative"), "1.00 | 0");
  assert.equal(relativeTo("express").differences.length, 1);
  assert.match(
    notesOf(relativeTo("gin")),
    /^The figures are not divided by those of gin \(for at least one row, that figure is 0, missing, /,
  );
});

// In every form.

const PLAIN = { width: 100, color: false, unicode: true };

Deno.test("terminal and markdown tell the finding, the differences and the confounders; without figures nothing", () => {
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
    /\nTable 2: rate\nThe order of the 4 cells is not the published one\. 1 of 3/,
  );
  const markdown = renderMarkdown(model);
  assert.match(
    markdown,
    /### Published and measured\n\n#### Table 2: rate\n\nThe order of the 4 cells is/,
  );
  assert.match(markdown, /\n\| gin \| redis \| 1,200 \| 1,500 \\\[/);
  assert.match(markdown, /Other differences\n\n- Express logged there\./);
  const silent = reportModel(publishedResults({ measured: { a: { s: 100 } }, published: [] }));
  const page = renderReportPage([silent]).replace(/<script>.*<\/script>/s, "");
  assert.doesNotMatch(page + renderMarkdown(silent), /published/i);
});
