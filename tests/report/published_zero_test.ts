/** Published figures of 0, and measured ones. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { PublishedModel } from "../../report/judge/published/model.ts";
import { column, modelOf, publishedResults } from "./published_results.ts";

Deno.test("0 where more was published is far, and 0 where 0 was is not; axes are linear", () => {
  const model = modelOf({
    measured: { express: { static: 100 }, gin: { static: 100 } },
    published: { figure: "5xx", unit: "share", values: { express: 0, gin: 0.25 } },
  });
  assert.equal(model.chart?.y.scale, "linear");
  assert.deepEqual(column(model, "Measured ÷ published"), ["–", "0"]);
  assert.match(
    model.finding,
    /^There is no order to compare.* 1 of 2 figures is surely more than 25\s% from the published one, the farthest gin at 0×\.$/,
  );
  assert.match(
    model.differences[0],
    /^gin: measured 0\s% where 25\.0\s% was published, 0× as much\.$/,
  );
  assert.deepEqual(model.chart?.points.map(({ isFar }) => isFar), [false, true]);
});

Deno.test("what is surely not 0 is infinitely far from a published 0, and told of first", () => {
  const model = modelOf({
    measured: { express: { static: 300 }, gin: { static: 200 }, fastify: { static: 100 } },
    published: { values: { express: 100, gin: 0, fastify: 0 } },
  });
  assert.deepEqual(column(model, "Measured ÷ published"), ["3.01", "∞", "∞"]);
  assert.match(model.finding, / 3 of 3 figures are surely .* the farthest gin at ∞×\.$/);
  assert.deepEqual(model.differences.map((text) => text.replace(/:.*/, "")), [
    "gin",
    "fastify",
    "express",
  ]);
  assert.match(model.table?.notes.join(" ") ?? "", /surely not 0 is that far from 0\.$/);
});

Deno.test("what may be 0 is not far from a published 0, nor surely in another order", () => {
  const results = publishedResults({
    measured: { express: { static: 100 }, gin: { static: 100 } },
    published: { figure: "5xx", unit: "share", values: { express: 0, gin: 0.02 } },
  });
  const [first] = results.runs.filter(({ target }) => target === "express");
  first.status = { "200": 50, "500": 50 };
  for (const run of results.runs) if (run.target === "gin") run.status = { "200": 98, "500": 2 };
  const [model] = reportModel(results).published;
  assert.deepEqual(model.differences, []);
  assert.doesNotMatch(model.finding, /change places/);
});

Deno.test("a measured 0 has a ratio to the cell that all are divided by; none has to a 0", () => {
  const published = { figure: "2xx", unit: "share", values: { express: 1, gin: 0.5 } } as const;
  const spec = { measured: { express: { static: 100 }, gin: { static: 100 } }, published };
  const relativeTo = (relative: string): PublishedModel => {
    const results = publishedResults({ ...spec, published: { ...published, relative } });
    for (const run of results.runs) if (run.target === "gin") run.status = { "500": 9 };
    return reportModel(results).published[0];
  };
  assert.deepEqual(column(relativeTo("express"), "Measured, relative"), ["1.00", "0"]);
  assert.equal(relativeTo("express").differences.length, 1);
  assert.match(
    relativeTo("gin").table?.notes.join(" ") ?? "",
    /^Nothing could be divided by gin, which is 0 or not measured for some row/,
  );
});
