/** What page and terminal say of profiles. */
import assert from "node:assert/strict";
import type { Results, TargetProfile } from "../../runner/result/result.ts";
import { reportModel } from "../../report/model/model.ts";
import { renderReportPage } from "../../report/page/page.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { HOSTILE, profileOf, resultsWith } from "./profiled_results.ts";

function summaryOf(results: Results): string {
  const options = { width: 100, color: false, unicode: true };
  return renderSummary(reportModel(results), options).replaceAll(/\s+/g, " ");
}

Deno.test("the summary names the hot function, its caller, the range over runs, and the time outside", () => {
  const text = summaryOf(resultsWith([profileOf("fast", 1, 600), profileOf("fast", 2, 400)]));
  assert.match(
    text,
    /55\.6 % \(50\.0 %–60\.0 % in 2 runs\) of fast's time is in `json` → `stringify` \(app\/main\.js:7\)\. Outside of functions: 11\.1 % garbage collection\./,
  );
});

Deno.test("the slowest of a runtime is held against its fastest, per request", () => {
  const runs = (target: string, hotMs: number): TargetProfile[] =>
    [1, 2].map((run) => profileOf(target, run, hotMs + run));
  const text = summaryOf(resultsWith([...runs("fast", 600), ...runs("slow", 1_600)]));
  assert.match(
    text,
    /slow works 2\.00 ms on a request, fast 1\.00 ms: more time is in `stringify` of app\/main\.js \(\+1\.00 ms, 100 % of the difference\)/,
  );
});

Deno.test("differences within the noise of the runs are not named", () => {
  const text = summaryOf(resultsWith([
    profileOf("fast", 1, 600),
    profileOf("fast", 2, 1_900),
    profileOf("slow", 1, 1_000),
    profileOf("slow", 2, 2_200),
  ]));
  assert.match(text, /no function differs by more than the runs do/);
});

Deno.test("names with markup are text in the page", () => {
  const page = renderReportPage([reportModel(resultsWith([profileOf("fast", 1, 600, HOSTILE)]))]);
  assert.ok(!page.includes("<img"));
  assert.ok(page.includes("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"));
  assert.match(page, /12 small calls are not shown; their time, 0\.4 % of all/);
  assert.match(page, /href="#e1-profiles"/);
});

Deno.test("a profile that could not be taken is a note, and results without profiles have no section", () => {
  const nothing = { ...profileOf("fast", 1, 0), notes: ["no profile of process 7 (node: gone)"] };
  const empty = { ...nothing, tree: { frames: [], frame: [], parent: [], ownMs: [] }, busyMs: 0 };
  const pages = [[empty], []].map((profiles) =>
    renderReportPage([reportModel(resultsWith(profiles))])
  );
  assert.ok(pages[0].includes("no profile of process 7 (node: gone)"));
  assert.ok(!pages[1].includes("-profiles"));
});
