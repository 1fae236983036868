import assert from "node:assert/strict";
import { LiveReport } from "../../cli/live/report.ts";
import { reportModel } from "../../report/model/model.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "../report/fixture.ts";

const WHOLE = resultsFixture({
  cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 3 }],
});

function after(runs: number): Results {
  return { ...WHOLE, state: "running", finishedAt: null, runs: WHOLE.runs.slice(0, runs) };
}

async function pageOf({ url }: LiveReport): Promise<string> {
  return await (await fetch(url)).text();
}

Deno.test("who asks between two saves gets the page of the last one, and the very last at the end", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });
  const early = pageOf(live); // before there is any
  await live.onSaved(after(0));
  assert.match(await early, /: 0 of 3 planned runs are in/);
  await live.onSaved(after(2));
  assert.match(await pageOf(live), /: 2 of 3 planned runs are in/);
  assert.equal(await pageOf(live), await pageOf(live));
  await live.end([reportModel(WHOLE)], { isWhole: true, path: "report.html" });
  assert.doesNotMatch(await pageOf(live), /planned runs are in/);
});

Deno.test("when rendering takes too much of the time, runs are shown later, but the end is", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 0 });
  await live.onSaved(after(0));
  await live.onSaved(after(2));
  assert.match(await pageOf(live), /: 0 of 3 planned runs are in/);
  await live.end([reportModel(WHOLE)], { isWhole: true, path: "report.html" });
  assert.match(await pageOf(live), /Done: this page no longer changes/);
});

Deno.test("a page that cannot be rendered ends no experiment: the one before stays", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });
  await live.onSaved(after(1));
  const defect = new Proxy(after(2), {
    get: (results, key) => {
      if (key === "runs") throw new Error("a defect");
      return Reflect.get(results, key);
    },
  });
  await live.onSaved(defect);
  assert.match(await pageOf(live), /: 1 of 3 planned runs are in/);
});
