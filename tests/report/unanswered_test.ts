/** What every form says first of runs in which no request got a response. */
import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { verifyMeasurement } from "../../cli/output/verify.ts";
import { measurementSuite, renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { noResponseOf, noResponseText } from "../../report/findings/no_response.ts";
import { findingSentence } from "../../report/findings/sentences.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Results } from "../../runner/result/result.ts";
import { judgedByResponses } from "../../runner/trust/judging.ts";
import { measurementFixture } from "./fixture.ts";
import { renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";
import { around, resultsAt } from "./rates.ts";
import { silence } from "./silenced.ts";

const PLAIN = { width: 100, color: false, unicode: true };
const answered = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
const silent = silence(answered);
const SENTENCE = "No request got a response: 50 timed out after 5 s";

/** Two targets, of which "mute" answers nothing in the repetitions that are given. */
function halfMute(...repetitions: readonly number[]): Results {
  const results = resultsAt({ api: around(1_000), mute: around(1_000) });
  const isMute = ({ target, repetition }: Results["runs"][number]): boolean =>
    target === "mute" && repetitions.includes(repetition);
  return { ...results, runs: results.runs.map((run) => isMute(run) ? silence(run) : run) };
}

Deno.test("what became of unanswered requests is said with its counts, the most frequent first", () => {
  const texts = (["timeout", "unfinished", "dropped"] as const)
    .map((ends) => noResponseText(noResponseOf([silence(answered, ends)])));
  assert.deepEqual(texts, [
    SENTENCE,
    "No request got a response: 50 still waiting at the end",
    "No request got a response: 50 never sent",
  ]);
  const mixed = {
    requests: { due: 1_330, completed: 0, failed: 1_319, unfinished: 4, dropped: 7 },
    errors: { connect: 1_300, timeout: 10, reset: 9 },
    reasons: {},
    load: { timeout: 250 },
    generator: { findings: [] },
  };
  assert.equal(
    noResponseText(noResponseOf([mixed])),
    "No request got a response: 1,300 could not connect, 10 timed out after 250 ms, " +
      "9 ended in a reset, 7 never sent, 4 still waiting at the end",
  );
  const none = { ...mixed, requests: { ...mixed.requests, due: 0 } };
  assert.equal(noResponseText(noResponseOf([none])), "No request was due");
});

const BROKEN: readonly [reason: string, became: string][] = [
  ["not HTTP/1.0 or HTTP/1.1", "got bytes that are not HTTP"],
  ["the response's head is larger than 65.5 kB, the limit", "got a response over a limit"],
  ["both transfer-encoding and content-length", "got a response that breaks the rules of HTTP"],
  ["the field connection, which HTTP/2 forbids", "got a response that breaks the rules of HTTP"],
  ["other reasons", "got a response that breaks the rules of HTTP"],
  [
    "PROTOCOL_ERROR: the server does not speak HTTP/2",
    "found a server that speaks another version of HTTP",
  ],
];
for (const [reason, became] of BROKEN) {
  Deno.test(`a response that is none because of "${reason}" has a sentence of its own`, () => {
    const run = {
      ...answered,
      requests: { due: 5, completed: 0, failed: 5, unfinished: 0, dropped: 0 },
      errors: { protocol: 5 },
      reasons: { [reason]: 5 },
    };
    assert.equal(noResponseText(noResponseOf([run])), `No request got a response: 5 ${became}`);
    const { findings: [{ code, evidence }] } = judgedByResponses(run, {
      trust: "valid",
      findings: [],
    });
    assert.equal(code, "no-response");
    assert.deepEqual(Object.values("protocol" in evidence ? evidence.protocol ?? {} : {}), [5]);
  });
}

function leadOf({ lead: [first] }: ReportModel): string {
  return first.kind === "text" ? first.text : "";
}

Deno.test("an answer with any status is an answer", () => {
  const refused = { ...answered, status: { "500": answered.requests.completed } };
  assert.equal(isUnanswered(refused), false);
  assert.equal(judgedByResponses(refused, { trust: "valid", findings: [] }).trust, "valid");
});

Deno.test("where nothing was answered no target is judged beside that", () => {
  const model = reportModel(halfMute(1));
  assert.notEqual(model.card.sentence, "");
  assert.equal(model.lead.length, 1);
  const { runs, ...rest } = halfMute();
  assert.equal(
    reportModel({ ...rest, runs: runs.map((run) => silence(run)) }).card.sentence,
    "",
  );
});

Deno.test("a run without an answer is invalid for that reason, before all others", () => {
  const steal: TrustFinding = {
    code: "steal",
    severity: "suspect",
    evidence: { steal: 0.05 },
    advice: [],
  };
  const { trust, findings } = judgedByResponses(silent, { trust: "suspect", findings: [steal] });
  assert.equal(trust, "invalid");
  assert.deepEqual(findings.map(({ code }) => code), ["no-response", "steal"]);
  assert.ok(findingSentence(findings[0]).startsWith(`${SENTENCE}. `));
});

const LOST: TrustFinding = {
  code: "agent-lost",
  severity: "suspect",
  evidence: { lastReportS: 0, reason: "killed", unsent: "dropped" },
  advice: ["check-agent"],
  agents: ["a", "b"],
};
const NEVER = silence(answered, "dropped");
const HELD = { ...answered.generator.delay, max: 1_000 * answered.elapsedS };
const UNSENT:
  readonly (readonly [string, Parameters<typeof judgedByResponses>[0], TrustFinding[]])[] = [
    ["all of whose workers were held up", {
      ...NEVER,
      generator: { ...NEVER.generator, delay: HELD },
    }, []],
    ["whose agents were all lost", NEVER, [LOST]],
  ];
for (const [what, run, findings] of UNSENT) {
  Deno.test(`a run ${what} has sent nothing, and its target is not to blame`, () => {
    const unsent = { ...run, bytes: { in: 0, out: 0, inPerSecond: 0 } };
    const judged = judgedByResponses(unsent, { trust: "valid", findings });
    assert.equal(judged.trust, "invalid");
    const [{ code, advice }] = judged.findings;
    assert.equal(code, "nothing-sent");
    assert.deepEqual(advice, [
      "longer-run",
      findings.length > 0 ? "check-late-agents" : "stop-other-programs",
    ]);
    const text = noResponseText(noResponseOf([{ ...NEVER, generator: judged }]));
    assert.equal(text, "No request got a response: the generator sent none");
    const sent = judgedByResponses({ ...unsent, bytes: answered.bytes }, {
      trust: "valid",
      findings,
    });
    assert.equal(sent.findings[0].code, "no-response");
  });
}

Deno.test("a target to which a generator with time dials in vain is to blame, even if one of its agents is lost", () => {
  const unsent = { ...NEVER, bytes: { in: 0, out: 0, inPerSecond: 0 } };
  const agents = ["a", "b", "c"].map((name) => ({ name }));
  const cases: [Parameters<typeof judgedByResponses>[0], TrustFinding[]][] = [
    [unsent, []],
    [{ ...unsent, agents }, [LOST]],
  ];
  for (const [run, findings] of cases) {
    const { findings: [{ code, advice }] } = judgedByResponses(run, { trust: "valid", findings });
    assert.deepEqual([code, advice], ["no-response", ["check-target"]]);
  }
});

Deno.test("a generator that had its time and nothing to send is not said to have been held up", () => {
  const requests = { ...NEVER.requests, due: 0, dropped: 0 };
  const idle = { ...NEVER, requests, bytes: { in: 0, out: 0, inPerSecond: 0 } };
  const judged = judgedByResponses(idle, { trust: "valid", findings: [] });
  assert.equal(judged.findings[0].code, "no-response");
  const text = noResponseText(noResponseOf([{ ...idle, generator: judged }]));
  assert.equal(text, "No request was due");
});

Deno.test("the error of a measurement in which nothing was sent advises about the generator", () => {
  const unsent = { ...NEVER, bytes: { in: 0, out: 0, inPerSecond: 0 } };
  const generator = { ...unsent.generator, delay: HELD };
  const judged = judgedByResponses({ ...unsent, generator }, { trust: "valid", findings: [] });
  const measured = { ...unsent, generator: { ...generator, ...judged } };
  assert.throws(() => verifyMeasurement(measured), (error) => {
    assert.ok(error instanceof TargetError);
    const [first, second] = error.lines;
    assert.match(first, /no request got a response: the generator sent none$/);
    assert.match(second, /The generator sent no request in .*: a worker was held up for up to /);
    assert.match(second, / Make the run longer, or stop other programs /);
    return true;
  });
});

Deno.test("the markdown of bench says it below the URL, the terminal that nothing was measured, as its error has the rest", () => {
  assert.match(
    renderMeasurement(silent, PLAIN),
    /\nInvalid: nothing was measured\n.* · invalid\n$/,
  );
  const [heading, , said] = renderMeasurementMarkdown(silent).split("\n");
  assert.deepEqual([heading.slice(0, 3), said], ["## ", `**${SENTENCE}.**`]);
  assert.doesNotMatch(renderMeasurement(answered, PLAIN), /No request/);
  assert.doesNotMatch(renderMeasurementMarkdown(answered), /No request/);
});

Deno.test("a measurement of an earlier version that calls itself valid is not shown as valid", () => {
  assert.equal(silent.generator.trust, "valid");
  assert.match(renderMeasurement(silent, PLAIN), /^Invalid: nothing was measured$/m);
  assert.match(renderMeasurementMarkdown(silent), /^Invalid: nothing was measured$/m);
});

Deno.test("terminal, markdown and page of an experiment say first which runs had no answer", () => {
  const model = reportModel(halfMute(2, 4));
  const sentence =
    "No request got a response in 2 of 10 runs (static, mute): 100 timed out after 5 s.";
  const [, first] = renderSummary(model, PLAIN).split("\nVerdict\n");
  assert.ok(first.startsWith(`${sentence}\n`), first);
  const [heading, , lead] = renderMarkdown(model).split("\n");
  assert.equal(heading, `## ${model.title}`);
  assert.equal(lead.replaceAll("\\", ""), `**${sentence}**`);
  const page = renderReportPage([model]);
  assert.equal(/<p class="warning">(.*?)<\/p>/.exec(page)?.[1], sentence);
  assert.match(page, /<summary>Invalid: in 2 of 10 runs nothing was measured/);
});

Deno.test("an experiment in which every run had an answer says nothing of it", () => {
  const model = reportModel(halfMute());
  assert.deepEqual(model.lead, []);
  assert.doesNotMatch(renderReportPage([model]), /No request got/);
});

Deno.test("of an experiment without any answer it is said once, for all runs", () => {
  const { runs, ...rest } = halfMute(1, 2, 3, 4, 5);
  const mute = { ...rest, runs: runs.filter(({ target }) => target === "mute") };
  assert.equal(
    leadOf(reportModel(mute)),
    "No request got a response in any of 5 runs: 250 timed out after 5 s.",
  );
  const alone = { ...mute, runs: mute.runs.slice(0, 1) };
  assert.equal(leadOf(reportModel(alone)), `${SENTENCE}.`);
});

Deno.test("JUnit counts it as an error, of bench and of the cell of an experiment", () => {
  const about = { measurement: silent, startedAt: "2031-05-04T10:18:00.000Z", hostname: "h" };
  const alone = renderJunit([measurementSuite(about, [])]);
  assert.match(alone, /tests="1" failures="0" errors="1"/);
  assert.ok(alone.includes(`<error type="no-response" message="${SENTENCE}">`), alone);
  const results = halfMute(2);
  const suite = renderJunit([resultsSuite(results, reportModel(results))]);
  assert.match(suite, /tests="2" failures="0" errors="1"/);
  assert.ok(
    suite.includes('message="No request got a response in 1 of 5 runs: 50 timed out after 5 s"'),
  );
});

for (
  const [when, base, next] of [
    ["before", halfMute(3), halfMute()],
    ["now", halfMute(), halfMute(3)],
  ] as const
) {
  Deno.test(`compare gives no verdict where no request got a response ${when}`, () => {
    const comparison = compareResults(base, next);
    const cell = comparison.cells.find(({ next }) => next === "mute");
    assert.equal(cell?.errors, `${when}, no request got a response: 50 timed out after 5 s`);
    const verdicts = new Set(cell?.comparison.figures.map(({ verdict }) => verdict));
    assert.deepEqual([...verdicts], ["inconclusive"]);
    assert.equal(comparison.outcome, "inconclusive");
  });
}
