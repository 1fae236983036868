/** The same outcomes of claims and thresholds on the page, in the terminal, in markdown and in JUnit XML. */
import assert from "node:assert/strict";
import { verdictsJson } from "../../report/findings/claim_sentences.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import { claimOf, RATES } from "./claimed.ts";
import { thresholdsOf } from "./gated.ts";
import { plain } from "./readable.ts";
import { resultsAt } from "./rates.ts";

function claiming(): Results {
  const results = resultsAt(RATES);
  results.machine.allowedCores = 2;
  results.experiment.claims = [
    claimOf("rate(fast) > 2 × rate(slow)", {
      source: "p. 6, table III",
      note: "on <their> machine",
    }),
    claimOf("rate(slow) > rate(fast)"),
    claimOf("rate(slow) > 2 × rate(fast)", { given: { text: "cores >= 4", cores: 4 } }),
    claimOf("rate(hapi) > 1/s"),
  ];
  results.experiment.thresholds = thresholdsOf("rate(fast) > 2000/s", "rate(slow) > 2000/s");
  return results;
}

const SUMMARY =
  "1 of 4 claims reproduced, 1 not, 2 inconclusive (1 cannot be decided in this set-up)";

function formsOf(results: Results): Record<"page" | "terminal" | "markdown" | "junit", string> {
  const model: ReportModel = reportModel(results);
  const forms = {
    page: renderReportPage([model]).replace(/<(script|style)>.*?<\/\1>/gs, ""),
    terminal: renderSummary(model, { width: 400, color: false, unicode: true }),
    markdown: renderMarkdown(model).replaceAll("\\", ""),
    junit: renderJunit([resultsSuite(results, model)]),
  };
  return { ...forms, ...Object.fromEntries(Object.entries(forms).map(([k, v]) => [k, plain(v)])) };
}

const FORMS = formsOf(claiming());

Deno.test("the page has the claims after the answer, by their outcome, with where they stand", () => {
  const { page } = FORMS;
  assert.match(
    page,
    /<a href="#e1-claims">Claims: 1.reproduced · 1.not reproduced · 2.inconclusive<\/a>/,
  );
  assert.ok(page.includes('<li class="in-detail"><a href="#e1-claims">Claims</a></li>'));
  const [section] = page.match(/<section id="e1-claims".*?<\/section>/s) ?? [""];
  assert.ok(section.includes(`<strong>${SUMMARY}</strong>`));
  assert.match(section, /p\. 6, table III.*on &lt;their&gt; machine/);
  assert.match(section, /✓ reproduced.*✗ not reproduced.*\? inconclusive/s);
  assert.ok(section.includes("? 2 inconclusive (1 cannot be decided in this set-up)</button>"));
  assert.match(section, /<tr data-outcome="not reproduced">/);
  const at = ['id="e1-verdict"', '<section id="e1-claims"', 'id="e1-s1"'].map((part) =>
    page.indexOf(part)
  );
  assert.deepEqual(at, at.toSorted((a, b) => a - b));
});

Deno.test("the terminal has a line a claim and a threshold, and the claims' number", () => {
  assert.match(
    FORMS.terminal,
    /\nClaims\n✓ rate\(fast\) > 2 × rate\(slow\) \(p\. 6, table III\): reproduced: rate is 3,00\d\/s .*; note: on <their> machine\n✗ rate/,
  );
  assert.match(FORMS.terminal, /\n\? rate\(hapi\) > 1\/s: inconclusive: Cannot find the target /);
  assert.ok(FORMS.terminal.includes(`\n${SUMMARY}\n`));
  assert.match(
    FORMS.terminal,
    /\nThresholds\n✓ rate\(fast\) > 2000\/s: static, fast: rate is .*\n✗ rate\(slow\) > 2000\/s: /,
  );
});

Deno.test("markdown has the same tables, before the scenarios", () => {
  const { markdown } = FORMS;
  assert.ok(markdown.includes(`**${SUMMARY}**`));
  assert.match(markdown, /\n\| Claim \| Stands in \| Found \| Outcome \| In words \|\n/);
  assert.match(markdown, /\| rate.*fast.* \| p\. 6, table III on &lt;their&gt; machine \| 3\.00× /);
  assert.match(markdown, /### Thresholds\n\n\| Threshold \| Of \| Outcome \| Found \|\n/);
  assert.match(markdown, /\| rate\(slow\) &gt; 2000\/s \| static, slow \| ✗ fail \| rate is /);
  assert.ok(markdown.indexOf("### Claims") < markdown.indexOf("### Relative comparison"));
});

Deno.test("JUnit has a testcase a claim: not reproduced fails, inconclusive is skipped", () => {
  const results = claiming();
  const { cases } = resultsSuite(results, reportModel(results));
  const claims = cases.filter(({ classname }) => classname === "fixture.claims");
  assert.deepEqual(claims.map(({ problem }) => problem?.kind), [
    undefined,
    ...["failure", "skipped", "skipped"],
  ]);
  assert.match(claims[1].problem?.message ?? "", /^not reproduced: rate is /);
  assert.match(FORMS.junit, /<system-out>✓ rate.*; note: on &lt;their&gt; machine&#10;✗ rate/);
});

Deno.test("why a claim is not decided on a busy machine stands in every form, and so does a note", () => {
  const doubted = claiming();
  for (const run of doubted.runs) run.generator.trust = "suspect";
  for (const claim of doubted.experiment.claims ?? []) claim.note = "a note to read";
  const why = /none of the 10 runs behind the figure is valid/;
  const texts = [
    ...Object.values(formsOf(doubted)),
    JSON.stringify(verdictsJson(reportModel(doubted).claims)),
  ];
  for (const text of texts) {
    assert.match(text, why);
    assert.match(text, /a note to read/);
  }
});

Deno.test("without claims and thresholds nothing is said of them, and one without its baseline is noted", () => {
  const silent = resultsAt(RATES);
  for (const text of Object.values(formsOf(silent))) assert.doesNotMatch(text, /claim|threshold/i);
  silent.experiment.thresholds = thresholdsOf("rate not worse than baseline", "rate > 0/s");
  const { page, terminal, markdown } = formsOf(silent);
  for (const text of [page, terminal, markdown]) {
    assert.match(text, /Not judged, because there is no baseline: 1 threshold\./);
  }
});
