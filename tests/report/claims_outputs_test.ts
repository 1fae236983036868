/** The same outcomes on the page, in the terminal, in markdown and in JUnit XML. */
import assert from "node:assert/strict";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { verdictsJson } from "../../report/judge/claims/claims.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
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
    /<th scope=row><span>rate\(fast\) &gt; 2 × rate\(slow\)<\/span></,
  );
  assert.match(section, /p\. 6, table III.*on &lt;their&gt; machine/);
  assert.match(section, /<td class=text>3\.00× \[2\.9\d*, 3\.0\d*\]</);
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
  const xml = renderJunit([resultsSuite(results, model)]).replaceAll("\u00a0", " ");
  assert.match(
    xml,
    /<system-out>✓ rate.*reproduced: rate is 3,00.*; note: on &lt;their&gt; machine&#10;✗ rate/,
  );
});

/** Five runs of each target, of which those given are suspect. */
function suspectRuns(isSuspect: (run: Results["runs"][number]) => boolean): Results {
  const doubted = claiming();
  for (const run of doubted.runs.filter(isSuspect)) run.generator.trust = "suspect";
  return doubted;
}

Deno.test("a claim whose runs are not valid is inconclusive in every form, and says why", () => {
  const doubted = suspectRuns(() => true);
  const shown = reportModel(doubted);
  assert.deepEqual(shown.claims.judged.map(({ outcome }) => outcome), [
    "inconclusive",
    "inconclusive",
    "inconclusive",
  ]);
  const why = /10 of 10 runs behind it are not valid, and without them it is inconclusive/;
  const [first] = verdictsJson(shown.claims);
  assert.match(first.doubt, why);
  assert.match(first.sentence, /; as it is, reproduced: rate is 3,00\d\/s/);
  const texts = [
    renderReportPage([shown]),
    terminal(shown),
    renderMarkdown(shown),
    renderJunit([resultsSuite(doubted, shown)]),
    shown.claims.summary && JSON.stringify(verdictsJson(shown.claims)),
  ];
  for (const text of texts) assert.match(text.replaceAll("\u00a0", " "), why);
});

Deno.test("a claim whose outcome is the same without invalid runs keeps it", () => {
  const shown = reportModel(suspectRuns(({ repetition }) => repetition === 2));
  assert.deepEqual(
    shown.claims.judged.map(({ outcome }) => outcome),
    model.claims.judged.map(({ outcome }) => outcome),
  );
  assert.equal(verdictsJson(shown.claims)[0].doubt, "");
});

Deno.test("invalid runs of other cells leave a claim alone", () => {
  const results = suspectRuns(({ target }) => target === "slow");
  results.experiment.claims = [claimOf("rate(fast) > 2000/s"), claimOf("rate(slow) > 500/s")];
  const { judged } = reportModel(results).claims;
  assert.deepEqual(judged.map(({ outcome }) => outcome), ["reproduced", "inconclusive"]);
});

Deno.test("the note of a claim stands in every form", () => {
  const results = claiming();
  for (const claim of results.experiment.claims ?? []) claim.note = "a note to read";
  const shown = reportModel(results);
  const texts = [
    renderReportPage([shown]),
    terminal(shown),
    renderMarkdown(shown),
    renderJunit([resultsSuite(results, shown)]),
    JSON.stringify(verdictsJson(shown.claims)),
  ];
  for (const text of texts) assert.match(text.replaceAll("\u00a0", " "), /a note to read/);
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

/** @param code Why each of its runs is suspect. */
function suspectFor(code: "unsteady" | "generator-busy"): Results {
  const doubted = suspectRuns(() => true);
  for (const { generator } of doubted.runs) {
    generator.findings = code === "unsteady"
      ? [{ code, severity: "suspect", evidence: { unsettled: "wander" }, advice: ["longer-run"] }]
      : [{
        code,
        severity: "suspect",
        evidence: { cpu: 0.9, waiting: 0 },
        advice: ["more-workers"],
      }];
  }
  return doubted;
}

Deno.test("runs that never settle count for a claim, as it is of whole runs; disturbed ones do not", () => {
  const outcomes = (doubted: Results) =>
    reportModel(doubted).claims.judged.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes(suspectFor("unsteady")), model.claims.judged.map((one) => one.outcome));
  assert.ok(outcomes(suspectFor("generator-busy")).every((one) => one === "inconclusive"));
  const both = suspectFor("generator-busy");
  for (const { generator } of both.runs) {
    generator.findings.push(...suspectFor("unsteady").runs[0].generator.findings);
  }
  assert.ok(outcomes(both).every((one) => one === "inconclusive"));
});

Deno.test("what can't be decided here is counted apart in every form", () => {
  const small = claiming();
  small.machine.allowedCores = 2;
  small.experiment.claims = [
    claimOf("rate(hapi) > 1/s"),
    { ...claimOf("rate(slow) > rate(fast)"), given: { text: "cores >= 4", cores: 4 } },
    { ...claimOf("rate(fast) > rate(slow)"), given: { text: "cores >= 4", cores: 4 } },
  ];
  const shown = reportModel(small);
  const summary = "1 of 3 claims reproduced, 2 inconclusive (1 not decidable here)";
  assert.equal(shown.claims.summary, summary);
  assert.ok(terminal(shown).replaceAll("\u00a0", " ").includes(summary));
  const markdown = renderMarkdown(shown).replaceAll("\u00a0", " ").replaceAll("\\", "");
  assert.ok(markdown.includes(summary));
  const page = renderReportPage([shown]).replaceAll("\u00a0", " ");
  assert.ok(page.includes("? 2 inconclusive (1 not decidable here)</button>"));
  assert.deepEqual(
    verdictsJson(shown.claims).map(({ isDecidable }) => isDecidable),
    [undefined, false, undefined],
  );
});
