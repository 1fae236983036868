import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { doubtsOfSides, meaningOfRuns, trustOf, trustOfRuns } from "../../report/findings/trust.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import type { Trust } from "../../runner/result/generator.ts";
import type { Results } from "../../runner/result/result.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";
import { tableIn } from "./said.ts";

const PLAIN = { width: 100, color: false, unicode: true };
const EVIDENCE =
  "The generator may have been the limit, not the target: its busiest worker used 97 % of a core.";
const REASON =
  `${EVIDENCE} Give the generator more workers (-w of plateau bench, or \`workers\` of an experiment's load).`;

function busy(cpu: number): TrustFinding {
  const evidence = { cpu, waiting: null };
  return { code: "generator-busy", severity: "suspect", evidence, advice: ["more-workers"] };
}

const STOLEN: TrustFinding = {
  code: "steal",
  severity: "suspect",
  evidence: { steal: 0.05 },
  advice: ["repeat-run"],
};
const UNSTEADY: TrustFinding = {
  code: "unsteady",
  severity: "suspect",
  evidence: { unsettled: null },
  advice: [],
};

/** Two targets with two runs each, whose generators are judged so in turn. */
function judged(...trusts: Trust[]): Results {
  const cell = { scenario: "static", medianMs: 5, runs: 2 };
  const results = resultsFixture({
    cells: [{ ...cell, target: "fast" }, { ...cell, target: "slow" }],
  });
  trusts.forEach((trust, i) => {
    Object.assign(results.runs[i].generator, {
      trust,
      findings: trust === "valid" ? [] : [busy(0.97)],
    });
  });
  return results;
}

Deno.test("where every run is valid, that is what is said, without reasons", () => {
  assert.deepEqual(trustOfRuns(judged().runs), {
    level: "valid",
    text: "neither the generator nor the machine was the limit in any of 4 runs",
    reasons: [],
  });
});

Deno.test("the worst run decides, and runs to doubt alike have a line with why, the worst first", () => {
  assert.deepEqual(trustOfRuns(judged("suspect", "invalid", "suspect", "valid").runs), {
    level: "invalid",
    text: "in 1 of 4 runs the generator or the machine distorted the figures; 2 more are suspect",
    reasons: [
      `static, fast, run 2 is invalid: ${EVIDENCE}`,
      `2 runs in 2 cells are suspect, such as static, fast, run 1: ${REASON}`,
    ],
  });
});

Deno.test("runs that only never settled are no fault of the generator or the machine", () => {
  const results = judged("suspect", "suspect");
  for (const { generator } of results.runs.slice(0, 2)) {
    generator.findings = [UNSTEADY];
  }
  assert.equal(
    trustOfRuns(results.runs)?.text,
    "in 2 of 4 runs rate or latency reached no steady state, so the figures describe only the time that was measured",
  );
  results.runs[0].generator.findings = [UNSTEADY, STOLEN];
  assert.match(trustOfRuns(results.runs)?.text ?? "", /the machine may have distorted the figures/);
});

Deno.test("what is said of all runs is said of most: a few invalid ones do not speak for suspect ones", () => {
  const meaning = (...trusts: Trust[]): string => meaningOfRuns(judged(...trusts).runs);
  const MAY_BE = "the generator or the machine may have distorted the figures";
  const WAS = "the generator or the machine distorted the figures";
  assert.equal(meaning("invalid", "suspect", "suspect", "suspect"), MAY_BE);
  assert.equal(meaning("invalid", "invalid", "suspect", "suspect"), MAY_BE);
  assert.equal(meaning("invalid", "invalid", "invalid", "suspect"), WAS);
});

Deno.test("where most runs only never settled, a few that the generator held back do not speak for them", () => {
  const { runs } = judged("suspect", "suspect", "suspect", "suspect");
  for (const { generator } of runs.slice(0, 3)) generator.findings = [UNSTEADY];
  assert.match(meaningOfRuns(runs), /^rate or latency reached no steady state/);
  runs[0].generator.findings = [UNSTEADY, STOLEN];
  assert.match(meaningOfRuns(runs), /^the generator or the machine may have distorted the figures/);
});

Deno.test("cells that are to be doubted for the same reason share a line", () => {
  const cells = ["a", "b", "c", "d"].map((target) => ({
    target,
    scenario: "s",
    medianMs: 5,
    runs: 2,
  }));
  const results = resultsFixture({ cells });
  results.runs.forEach((run, i) => {
    const findings = [i < 6 ? busy(0.9 + i / 100) : STOLEN];
    Object.assign(run.generator, { trust: "suspect", findings });
  });
  assert.deepEqual(trustOfRuns(results.runs)?.reasons, [
    `6 runs in 3 cells are suspect, such as s, a, run 1: ${REASON.replace("97", "90")}`,
    "s, d, run 1 and 1 more are suspect: The hypervisor gave 5 % of the cores' time to other machines (steal). Repeat the run.",
  ]);
});

Deno.test("a reason that many runs have is said once, whatever else they have, and none that did not decide", () => {
  const results = judged("invalid", "invalid", "suspect", "suspect");
  const stolen: TrustFinding = { ...STOLEN, severity: "invalid", evidence: { steal: 0.2 } };
  const found = [[stolen, UNSTEADY], [stolen], [busy(0.97), UNSTEADY], [UNSTEADY]];
  results.runs.forEach(({ generator }, i) => Object.assign(generator, { findings: found[i] }));
  const lines = trustOfRuns(results.runs)?.reasons.map((line) => line.replace(/ \(steal\).*/, ""));
  assert.deepEqual(lines, [
    "static, fast, run 1 and 1 more are invalid: The hypervisor gave 20 % of the cores' time to other machines",
    "static, slow, run 1 and 1 more are suspect: The run has no steady state.",
    `static, slow, run 1 is suspect: ${REASON}`,
  ]);
});

Deno.test("what invalid and suspect runs have in common is said once, after the last of them", () => {
  const results = judged("invalid", "suspect", "suspect");
  const waited = (waiting: number, severity: "suspect" | "invalid"): TrustFinding => ({
    code: "neighbour",
    severity,
    evidence: { waiter: "target", waiting, others: 1.2, busiest: [] },
    advice: ["stop-other-programs"],
  });
  const niced: TrustFinding = {
    code: "low-priority",
    severity: "suspect",
    evidence: { nice: 19, waiting: 0.4, others: 1.2, busiest: [] },
    advice: ["raise-priority"],
  };
  const found = [waited(0.6, "invalid"), waited(0.3, "suspect"), niced];
  found.forEach((finding, i) => Object.assign(results.runs[i].generator, { findings: [finding] }));
  const OTHERS = "of the time that it had work, and other programs used 1.2 cores";
  assert.deepEqual(trustOfRuns(results.runs)?.reasons, [
    `static, fast, run 1 is invalid: The target did not get the cores that it needed: it waited 60 % ${OTHERS}; they held the generator back so much that the figures are not those of the target.`,
    `static, fast, run 2 is suspect: The target did not get the cores that it needed: it waited 30 % ${OTHERS}. Stop other programs (plateau doctor names them) or measure when they are idle.`,
    "static, slow, run 1 is suspect: The target did not get the cores that it needed: at nice 19 it waited 40 % of its runnable time, and other programs used 1.2 cores. Programs that Plateau did not start, such as the target's database, count as other programs. Give the target normal priority.",
  ]);
  const sides = [["BASE", 0], ["NEW", 1]] as const;
  const [base, next] = doubtsOfSides(
    sides.map(([name, i]) => ({ name, runs: [results.runs[i]] })),
  );
  assert.match(base, /^BASE: static, fast, run 1 is invalid: .* not those of the target\.$/);
  assert.match(
    next,
    /^NEW: .* used 1\.2 cores\. Programs that .* Stop other programs [^\n]* idle\.$/,
  );
});

Deno.test("a single run gives its reasons as they are", () => {
  const [run] = judged("suspect").runs;
  const alone = trustOfRuns([run]);
  assert.deepEqual(alone, trustOf(run));
  assert.deepEqual(alone?.reasons, [REASON]);
});

Deno.test("without runs there is nothing to trust or to doubt", () => {
  assert.equal(trustOfRuns([]), null);
  assert.doesNotMatch(renderReportPage([reportModel(judgedNothing())]), /class="trust/);
});

Deno.test("how far an experiment came is no doubt about a run, so it is said before the runs in doubt", () => {
  const model = reportModel({ ...judged("invalid"), state: "interrupted", planned: 20 });
  const line = "Interrupted: 4 of 20 planned runs are done.";
  const [, , first, second] = renderSummary(model, PLAIN).split("\n");
  assert.deepEqual(first, line);
  assert.match(second, /^Invalid: in 1 of 4 runs/);
  assert.match(
    renderReportPage([model]),
    new RegExp(`<p class="warning">${line}</p>\\n<details class="trust`),
  );
});

function judgedNothing(): Results {
  return resultsFixture({ cells: [], state: "interrupted" });
}

Deno.test("whether to trust it stands in words under the title of terminal, page and markdown", () => {
  const model = reportModel(judged("invalid"));
  const line = "Invalid: in 1 of 4 runs the generator or the machine distorted the figures";
  const [, title, first, second] = renderSummary(model, PLAIN).split("\n");
  assert.deepEqual([title, first], [model.title, line]);
  assert.match(second, /^ {2}static, fast, run 1 is invalid: The generator may/);
  const [, lead, below] = renderReportPage([model]).split(/<p class="lead">(.*)<\/p>\n/);
  assert.equal(lead, model.card.sentence);
  assert.ok(below.includes('<li class="amber">'));
  assert.ok(below.includes('<details class="trust invalid"><summary>Invalid: in 1 of 4 runs'));
  assert.match(renderMarkdown(model), /\n\nInvalid: in 1 of 4 runs .*\n\n- static, fast/);
});

Deno.test("bench says it above its last line, and in markdown under the URL", () => {
  const measured = measurementFixture({ target: "api", scenario: "static", medianMs: 5 });
  const generator = { ...measured.generator, trust: "suspect" as const, findings: [busy(0.97)] };
  const lines = renderMeasurement({ ...measured, generator }, PLAIN).split("\n");
  const at = lines.findIndex((line) => line.startsWith("Suspect: the generator or the machine"));
  assert.ok(`  ${REASON}`.startsWith(lines[at + 1]));
  assert.ok(lines.length - at < 8);
  assert.match(renderMeasurement(measured, PLAIN), /^Valid: neither.*\n[^\n]+\n$/m);
  assert.match(renderMeasurementMarkdown({ ...measured, generator }), /^## .*\n\nSuspect: /);
});

Deno.test("every run's own verdict is in the table of all runs", () => {
  const model = reportModel(judged("invalid"));
  const runs = tableIn(model, "s1/runs");
  const at = runs.columns.findIndex(({ label }) => label === "Trust");
  assert.deepEqual(runs.rows.map((row) => row[at].text), ["invalid", "valid", "valid", "valid"]);
});
