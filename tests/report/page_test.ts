import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { reportModel } from "../../report/model.ts";
import { CLIENTS, sourceLine } from "../../report/client/build.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { dataScript, markup } from "../../report/writing/html.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults, MARKUP } from "./hostile.ts";
import { chartsIn } from "./said.ts";

const RESULTS = resultsFixture({
  cells: [
    { target: "hono", scenario: "static", medianMs: 2, runs: 2 },
    { target: "express", scenario: "static", medianMs: 5, runs: 2 },
  ],
});

/** The page without its script. */
function markupOf(page: string): string {
  return page.replace(/<script>.*<\/script>/s, "");
}

for (const [name, entry] of Object.entries(CLIENTS)) {
  Deno.test(`${name} is bundled from the sources as they are`, async () => {
    const bundle = new URL(`../../report/client/${name}`, import.meta.url);
    const [first] = readFileSync(bundle, "utf8").split("\n");
    assert.equal(first, await sourceLine(entry), `${name} is stale: run deno task build`);
  });
}

Deno.test("the policy allows exactly the page's own script and style", () => {
  const page = renderReportPage([reportModel(RESULTS)]);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1].replaceAll(
    "&#39;",
    "'",
  );
  const hashes = (tag: string): string =>
    [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, text]) =>
      `'sha256-${createHash("sha256").update(text).digest("base64")}'`
    ).join(" ");
  assert.equal(
    policy,
    `default-src 'none'; script-src ${hashes("script")}; style-src ${hashes("style")}; ` +
      "img-src data:; base-uri 'none'; form-action 'none'",
  );
});

Deno.test("the page names no address to load from and has no inline handler or style", () => {
  const page = markupOf(renderReportPage([reportModel(RESULTS)]));
  assert.doesNotMatch(page, /\s(?:src|srcset|action|style|on\w+)=/);
  const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
  for (const link of links) assert.match(link, /^(?:#|data:,$)/);
});

Deno.test("every link of the page leads to an element of it, and ids are unique", () => {
  const page = markupOf(renderReportPage([reportModel(RESULTS), reportModel(RESULTS)]));
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, id] of page.matchAll(/(?:href="#(?:view=)?|aria-labelledby=")([^"]*)"/g)) {
    assert.ok(ids.includes(id), id);
  }
});

Deno.test("the same results give the same page, byte by byte", () => {
  assert.equal(renderReportPage([reportModel(RESULTS)]), renderReportPage([reportModel(RESULTS)]));
});

Deno.test("no hostile text becomes an element, a comment or the end of a script", () => {
  const page = renderReportPage([reportModel(hostileResults())]);
  assert.ok(!page.includes(MARKUP.slice(0, 5)));
  const data = page.match(/<script type="application\/json" id="[-a-z0-9]+">/g)
    ?.length ?? 0;
  assert.equal(page.match(/<script/g)?.length, 2 + data);
  assert.equal(page.match(/<\/script/g)?.length, 2 + data);
  assert.equal(page.match(/<script>/g)?.length, 2);
  assert.ok(!page.includes("<!--"));
});

Deno.test("markup`` escapes every text, and only markup goes in as it is", () => {
  const inner = markup`<b>${"<&>\"'"}</b>`;
  assert.equal(
    markup`<p title="${'"x'}">${[inner, "\x00", 3, null]}</p>`.text,
    `<p title="&quot;x"><b>&lt;&amp;&gt;&quot;&#39;</b>\ufffd3</p>`,
  );
});

Deno.test("dataScript() has the same value, without a sign that ends a script", () => {
  const value = { "</script>": ["<!--", "\u2028"] };
  const [, json] = /^<script [^>]*>([^<]*)<\/script>$/.exec(dataScript("id", value).text) ?? [];
  assert.deepEqual(JSON.parse(json), value);
});

Deno.test("a page of a few runs weighs under 400 KB", () => {
  assert.ok(new TextEncoder().encode(renderReportPage([reportModel(RESULTS)])).length < 400_000);
});

Deno.test("runs are called by their repetition, in every figure, also where one of them is missing", () => {
  const results = resultsFixture({
    cells: [
      { target: "a", scenario: "static", medianMs: 5, runs: 3 },
      { target: "b", scenario: "static", medianMs: 5, runs: 3 },
    ],
  });
  const lost = results.runs.findIndex(({ target }) => target === "b");
  const model = reportModel({ ...results, runs: results.runs.toSpliced(lost, 1) });
  const bars = chartsIn(model, "verdict/1", "rows")[0];
  const timelines = chartsIn(model, "s1/time", "timeline");
  assert.deepEqual(bars.rows[1].runs.map(({ repetition }) => repetition), [2, 3]);
  assert.deepEqual(timelines[1].runs.map(({ label }) => label), ["run 2", "run 3"]);
  const page = renderReportPage([model]);
  assert.match(page, /"label":"b","color":1,"clock":"sent","repetitions":\[2,3\]/);
});

Deno.test("seconds to choose from have no digits but those of their steps", () => {
  const results = resultsFixture({
    cells: [{ target: "a", scenario: "static", medianMs: 5, duration: 7 }],
  });
  const [run] = results.runs;
  run.timeline.intervalS = 0.1;
  const page = renderReportPage([reportModel(results)]);
  assert.match(page, /name="to" min="0" max="7" step="0\.1" value="7"/);
});
