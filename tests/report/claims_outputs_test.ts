/** The same outcomes on the page, in the terminal, in markdown and in JUnit XML. */
import assert from "node:assert/strict";
import { renderJunit, resultsSuite } from "../../report/files/junit.ts";
import { renderMarkdown } from "../../report/files/markdown.ts";
import { type ReportModel, reportModel } from "../../report/model/model.ts";
import { renderReportPage } from "../../report/page/page.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import { claimOf, RATES } from "./claimed.ts";
import { hostileResults } from "./hostile.ts";
import { resultsAt } from "./rates.ts";

function claiming(): Results {
  const results = resultsAt(RATES);
  results.experiment.claims = [
    claimOf("rate(fast) > 2 × rate(slow)", {
      source: "p. 6, table III",
      note: "on <their> machine",
    }),
    claimOf("rate(slow) > rate(fast)"),
    claimOf("rate(hapi) > 1/s"),
  ];
  return results;
}

const results = claiming();
const model = reportModel(results);
const SUMMARY = "1 of 3 claims reproduced, 1 not, 1 inconclusive";

function terminal(of: ReportModel, width = 400): string {
  return renderSummary(of, { width, color: false, unicode: true });
}

Deno.test("the page has the claims after the answer, counted, with where they stand and what was found", () => {
  const page = renderReportPage([model]).replaceAll("\u00a0", " ");
  assert.ok(page.includes('<a href="#e1-claims">Claims: 1 ✓ · 1 ✗ · 1 ?</a>'));
  assert.ok(page.includes('<li class="in-detail"><a href="#e1-claims">Claims</a></li>'));
  const [section] = page.match(/<section id="e1-claims".*?<\/section>/s) ?? [""];
  assert.ok(section.includes(`<strong>${SUMMARY}</strong>`));
  assert.match(
    section,
    /<th scope="row" class="name"><span>rate\(fast\) &gt; 2 × rate\(slow\)<\/span><\/th>/,
  );
  assert.match(section, /p\. 6, table III.*on &lt;their&gt; machine/);
  assert.match(section, /<td class="text">3\.00× \[2\.9\d*, 3\.0\d*\]<\/td>/);
  assert.match(section, /✓ reproduced.*✗ not reproduced.*\? inconclusive/s);
  assert.match(section, /rate is 3,00\d\/s \(static, fast\) against 1,000\/s \(static, slow\)/);
  assert.ok(page.indexOf('<section id="e1-claims"') > page.indexOf('class="overview"'));
  assert.ok(page.indexOf('<section id="e1-claims"') < page.indexOf('id="e1-s1"'));
});

Deno.test("the terminal has a line a claim, and their number", () => {
  const text = terminal(model).replaceAll("\u00a0", " ");
  assert.match(
    text,
    /\nClaims\n✓ rate\(fast\) > 2 × rate\(slow\) \(p\. 6, table III\): reproduced: rate is 3,00\d\/s \(static, fast\)/,
  );
  assert.match(text, /\n✗ rate\(slow\) > rate\(fast\): not reproduced: rate is /);
  assert.match(
    text,
    /\n\? rate\(hapi\) > 1\/s: inconclusive: Cannot find a target or scenario "hapi"/,
  );
  assert.ok(text.includes(`\n${SUMMARY}.\n`));
});

Deno.test("the terminal has the notes of claims and what makes all of them doubtful, as the page does", () => {
  const noted = /^✓ rate\(fast\) > 2 × .*\n {2}on <their> machine\n✗ /m;
  assert.match(terminal(model), noted);
  assert.doesNotMatch(terminal(model), /so are the outcomes/);
  const results = claiming();
  for (const { generator } of results.runs) generator.trust = "suspect";
  const of = reportModel(results);
  const [, doubt] = of.claims.table?.notes ?? [];
  assert.ok(terminal(of).includes(`\n${SUMMARY}.\n${doubt}\n`));
});

Deno.test("markdown has the same table", () => {
  const text = renderMarkdown(model).replaceAll("\u00a0", " ");
  assert.match(text, /### Claims\n\n\*\*1 of 3 claims reproduced, 1 not, 1 inconclusive\*\*\n\n/);
  assert.match(text, /\n\| Claim \| Stands in \| Found \| Outcome \| In words \|\n/);
  assert.match(
    text,
    /\n\| rate.*fast.* \| p\. 6, table III on &lt;their&gt; machine \| 3\.00× /,
  );
});

Deno.test("JUnit has a testcase a claim: not reproduced fails, inconclusive is skipped", () => {
  const { cases } = resultsSuite(results, model);
  const claims = cases.filter(({ classname }) => classname === "fixture.claims");
  assert.deepEqual(claims.map(({ name, problem }) => [name, problem?.kind]), [
    ["rate(fast) > 2 × rate(slow)", undefined],
    ["rate(slow) > rate(fast)", "failure"],
    ["rate(hapi) > 1/s", "skipped"],
  ]);
  assert.match(claims[1].problem?.message ?? "", /^not reproduced: rate is /);
});

Deno.test("outcomes of runs that are not to be trusted are told of as doubtful", () => {
  const doubted = claiming();
  for (const { generator } of doubted.runs) generator.trust = "suspect";
  const [how, doubt] = reportModel(doubted).claims.table?.notes ?? [];
  assert.match(how, /^Reproduced: /);
  assert.match(doubt, /^These runs are suspect, and so are the outcomes: in 10 of 10 runs the gen/);
  assert.equal(model.claims.table?.notes.length, 1);
});

Deno.test("without claims nothing is said of them", () => {
  const silent = resultsAt(RATES);
  const without = reportModel(silent);
  const texts = [
    renderReportPage([without]).replace(/<(script|style)>.*?<\/\1>/gs, ""),
    terminal(without),
    renderMarkdown(without),
    renderJunit([resultsSuite(silent, without)]),
  ];
  for (const text of texts) assert.doesNotMatch(text, /claim/i);
});

Deno.test("hostile claims are text wherever they stand", () => {
  const hostile = hostileResults();
  const shown = reportModel(hostile);
  assert.equal(shown.claims.judged.length, 2);
  assert.match(shown.claims.judged[1].sentence, /^Cannot find a factor ".*onerror/s);
  const page = renderReportPage([shown]);
  assert.ok(page.includes("#e1-claims") && !/<img|<\/script><script>globalThis/.test(page));
  assert.ok(!/<img|\]\(javascript/.test(renderMarkdown(shown)));
  // deno-lint-ignore no-control-regex -- what steers terminals
  assert.doesNotMatch(terminal(shown), /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.ok(!renderJunit([resultsSuite(hostile, shown)]).includes("<img"));
});
