import assert from "node:assert/strict";
import { lexer } from "marked";
import { conclusionJson } from "../../report/subjects/verdict/conclusion.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { type Results, results as schema } from "../../runner/result/result.ts";
import { concluded, doubted, many, POLICIES, TWO } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";
import { sweepResults } from "./sweep_results.ts";

Deno.test("conclusion: two targets are a ratio, in the sentence, the figure and the forest alike", () => {
  const { question, sentence, figure, forest, reliability, next } = concluded(resultsAt(TWO));
  assert.equal(question, "fixture");
  assert.equal(sentence, "b serves 2.0× a.");
  assert.ok(figure !== null && figure.low !== null && figure.high !== null);
  assert.equal(figure.label, "requests/s of b over a");
  assert.match(`${figure.text} ${plain(figure.interval)}`, /^2\.0\d× \[1\.9\d, 2\.0\d\]$/);
  assert.ok(figure.low > 1.9 && figure.high < 2.1);
  assert.equal(figure.certainty, "decided");
  assert.deepEqual(forest?.rows.map(({ label, word }) => `${label} ${word}`), ["b better"]);
  assert.equal(reliability?.sentence, "All 10 runs are valid.");
  assert.deepEqual(next.map(({ code }) => code), ["none"]);
});

Deno.test("conclusion: who is as fast as the first, and whom the first beats, are both said", () => {
  const rates = { a: around(1_000), b: around(2_000), c: around(2_003), d: around(500) };
  assert.equal(
    plain(concluded(resultsAt(rates)).sentence),
    "b is about as fast as c: within 2 %; c is faster than a and d.",
  );
});

Deno.test("conclusion: nobody is fastest whom a third, noisy one may beat", () => {
  const noisy = [900, 2_600, 1_400, 700, 2_300];
  const { sentence, figure } = concluded(
    resultsAt({ a: around(2_000), b: around(1_500), c: noisy }),
  );
  assert.match(sentence, /^a against c: inconclusive in 5 runs each; a is faster than b\.$/);
  assert.equal(figure?.certainty, "open");
});

/** The fixture's requests/s follow from the median latency; its tail and CPU are set here. */
function priced(slowRatio: number, cores: number): Results {
  const cell = (target: string, medianMs: number, more: Partial<CellSpec>): CellSpec => ({
    target,
    scenario: "static",
    medianMs,
    runs: 6,
    ...more,
  });
  const results = resultsFixture({
    cells: [cell("fastify", 6, { slowRatio: 0 }), cell("gin", 2, { slowRatio })],
  });
  for (const run of results.runs.filter(({ target }) => target === "gin")) {
    for (const point of run.resources) point.cpu *= cores;
  }
  return results;
}

Deno.test("conclusion: a faster target with more CPU says so, and one with less does not", () => {
  assert.match(
    concluded(priced(0, 1.6)).sentence,
    /^gin serves [23]\.\d× fastify; it uses 1\.\d× the CPU\.$/,
  );
  assert.match(concluded(priced(0, 0.5)).sentence, /^gin serves [23]\.\d× fastify\.$/);
});

Deno.test("conclusion: a longer tail is said, where it is decided", () => {
  const results = resultsAt(
    { a: around(1_000), b: around(2_000, 0.001) },
    (target) => ({ medianMs: 20, slowRatio: target === "b" ? 0.06 : 0.002 }),
  );
  const { sentence } = concluded(results);
  assert.match(sentence, /^b serves 2\.0× a; its p99 is (twice|\d\.\d×) as long/);
  const even = concluded(resultsAt(TWO)).sentence;
  assert.doesNotMatch(even, /p99/);
});

Deno.test("conclusion: of two that serve as much, whose tail is longer is said", () => {
  const { sentence, figure } = concluded(resultsAt(
    { a: around(2_000), b: around(2_003) },
    (target) => ({ slowRatio: target === "b" ? 0.06 : 0.002 }),
  ));
  assert.match(
    plain(sentence),
    /^[ab] is about as fast as [ab]: within 2 %; the p99 of b is (twice|[\d.]+×) as long\.$/,
  );
  assert.equal(figure?.text, "Same throughput");
  assert.ok(figure.low !== null && Math.abs(figure.low - 1) < 0.01);
});

Deno.test("conclusion: of many scenarios one sentence names who leads in how many", () => {
  const { sentence, figure, forest } = concluded(many());
  assert.equal(
    sentence,
    "gin is fastest in 4 of 5 scenarios, 1.5× the next; fastify leads in error.",
  );
  assert.equal(figure?.text, "1.5×");
  assert.equal(forest?.rows.length, 5);
  assert.match(forest?.rows[4].label ?? "", /^error: fastify \/ gin$/);
});

Deno.test("conclusion: where the leader had nobody beside it, the reason is said", () => {
  const cells = ["x", "y", "z"].flatMap((scenario): CellSpec[] => [
    { target: "a", scenario, medianMs: 2, runs: 4 },
    { target: "b", scenario, medianMs: 3, runs: 4, wrongRatio: scenario === "z" ? 0.3 : 0 },
  ]);
  const { sentence, next } = concluded(resultsFixture({ cells }));
  assert.equal(
    plain(sentence),
    "a is fastest in all 3 scenarios, 1.5× the next; b responds wrongly to 30 % in z.",
  );
  assert.deepEqual(next.map(({ text }) => text), ["Check the responses of b."]);
});

Deno.test("conclusion: where no target responds correctly there is no figure, and no all-clear", () => {
  const { sentence, figure, next } = concluded(resultsAt(TWO, () => ({ wrongRatio: 0.9 })));
  assert.match(sentence, /^No target responded correctly: a responds wrongly to /);
  assert.equal(figure, null);
  assert.deepEqual(next.map(({ code }) => code), ["check-targets"]);
});

Deno.test("conclusion: no sentence has more than 25 words", () => {
  for (const results of [many(), resultsAt(TWO), sweepResults(POLICIES)]) {
    const { sentence, next, reliability } = concluded(results);
    for (const text of [sentence, reliability?.sentence ?? "", ...next.map(({ text }) => text)]) {
      assertReadable(plain(text));
    }
  }
});

// The matrix.

Deno.test("matrix: rows from the best, with the ratio to the best of each column", () => {
  const { matrix } = concluded(many());
  assert.ok(matrix);
  assert.deepEqual(matrix.columns.map(({ label }) => label), [
    "static",
    "fib",
    "redis",
    "validation",
    "error",
  ]);
  assert.deepEqual(matrix.rows.map(({ label }) => label), ["gin", "fastify", "express"]);
  const [gin, fastify] = matrix.rows.map(({ cells }) => cells);
  assert.deepEqual([gin[0]?.certainty, gin[0]?.ratio], ["best", 1]);
  assert.equal(gin[4]?.certainty, "decided");
  assert.ok((fastify[0]?.ratio ?? 1) < 0.7);
  assert.equal(fastify[4]?.certainty, "best");
});

Deno.test("matrix: a cell that falls short has no ratio, and says by what", () => {
  const { matrix } = concluded(
    resultsAt(TWO, (target) => ({ wrongRatio: target === "b" ? 0.5 : undefined })),
  );
  const [a, b] = matrix?.rows.map(({ cells: [cell] }) => cell) ?? [];
  assert.equal(a?.certainty, "best");
  assert.deepEqual([b?.ratio, b?.certainty], [null, "none"]);
  assert.match(plain(b?.shortfall ?? ""), /^b responds wrongly to \d\d %$/);
});

// All forms agree.

Deno.test("conclusion: page, terminal, markdown and JSON have the same sentences", () => {
  const cases = [
    many(),
    resultsAt(TWO),
    doubted(many(), ({ repetition, scenario }) => repetition === 1 && scenario === "fib"),
    resultsAt({ a: [1_000, 1_200], b: [1_100, 1_000] }),
    sweepResults(POLICIES),
  ];
  for (const results of cases) {
    const model = reportModel(results);
    const { sentence } = model.conclusion;
    assert.notEqual(sentence, "");
    const terminal = renderSummary(model, { width: 400, color: false, unicode: true });
    assert.ok(terminal.includes(plain(sentence)), terminal);
    assert.ok(plain(renderReportPage([model])).includes(plain(sentence)));
    const [, first] = lexer(renderMarkdown(model)).filter(({ type }) => type !== "space");
    assert.equal(
      plain(String("text" in first ? first.text : "")).replaceAll(/[*\\]/g, ""),
      plain(sentence),
    );
    const json = JSON.parse(
      JSON.stringify({ ...results, conclusion: conclusionJson(model.conclusion) }),
    );
    const { conclusion } = schema.parse(json);
    assert.deepEqual(conclusion, json.conclusion, "the schema knows all of it");
    assert.equal(conclusion?.sentence, plain(sentence));
  }
});

Deno.test("conclusion: the most that one target keeps up with is its figure, not its least loaded p99", () => {
  const cells = [2_000, 4_000, 8_000].map((rate, i) => ({
    parameters: { rate: `${rate}/s` },
    rate: rate === 8_000 ? 5_600 : rate,
    medianMs: [2, 3, 90][i],
  }));
  const results = sweepResults(cells);
  for (const run of results.runs.filter(({ rate }) => rate > 5_000)) run.requests.due = 8_000;
  const { figure } = concluded(results);
  assert.equal(figure?.unit, "requests/s");
  assert.ok(Math.abs((figure?.value ?? 0) - 4_000) < 80, JSON.stringify(figure));
  assert.match(figure?.label ?? "", /, the most that was kept up with$/);
  assert.equal(figure?.interval, ""); // it serves what is offered, run by run
});

Deno.test("conclusion: targets without an equal setting are not called done", () => {
  const { sentence, next } = concluded(sweepResults([
    { target: "a", parameters: { size: 1 }, rate: 1_000 },
    { target: "b", parameters: { size: 2 }, rate: 2_000 },
  ]));
  assert.equal(sentence, "No two targets responded correctly at equal values of the factors.");
  assert.deepEqual(next.map(({ code }) => code), ["equal-settings"]);
});

Deno.test("conclusion: a terminal ends with it", () => {
  const model = reportModel(resultsAt(TWO));
  const lines = renderSummary(model, { width: 80, color: false, unicode: true }).trimEnd().split(
    "\n",
  );
  assert.deepEqual(lines.slice(-4), [
    "b serves 2.0× a.",
    plain(
      `${model.conclusion.figure?.text} ${model.conclusion.figure?.interval} requests/s of b over a`,
    ),
    "All 10 runs are valid.",
    "Next: Nothing: every run is valid, and nothing more is to be decided.",
  ]);
});

Deno.test("next: so many runs as would decide, at least the usual number", () => {
  const few = concluded(resultsAt({ a: [900, 1_000, 1_100], b: [1_100, 1_210, 1_045] })).next;
  assert.match(few[0].text, /^Set repeat: \d+; that many runs of each would probably decide\.$/);
  const one = concluded(resultsAt({ a: [900], b: [1_000] })).next;
  assert.equal(one[0].text, "Set repeat: 5, as one run says nothing about the next.");
});

/** Two scenarios in which a and b, or others too, overlap, with arrivals at a rate that all keep up with. */
function undecided(others: Readonly<Record<string, number[]>> = {}): Results {
  const noisy = {
    ...{ a: [900, 1_100, 1_000, 980, 1_020], b: [1_080, 930, 1_010, 1_040, 960] },
    ...others,
  };
  const results = resultsAt(noisy, () => ({ medianMs: 20, slowRatio: 0.05 }));
  for (const run of results.runs) {
    const { connections, keepAlive, timeout } = run.load;
    run.load = {
      ...{ kind: "rate", rate: run.rate, durationS: 2, arrivals: "uniform", seed: 1 },
      ...{ connections, keepAlive, timeout },
    };
  }
  const again = results.runs.map((run) => ({
    ...structuredClone(run),
    scenario: "other",
    order: run.order + results.runs.length,
  }));
  return { ...results, runs: [...results.runs, ...again] };
}

Deno.test("conclusion: where nothing is decided it names what is open, and how two compare so far", () => {
  const { sentence, figure, reliability } = concluded(
    doubted(undecided(), ({ repetition }) => repetition === 1),
  );
  assert.match(
    sentence,
    /^Whether (?:a or b|b or a) responds faster is open in both scenarios\.$/,
  );
  assert.deepEqual([figure?.unit, figure?.certainty], ["×", "open"]);
  assert.match(figure?.label ?? "", /^p99 of (?:a over b|b over a), open in both scenarios$/);
  assert.match(
    reliability?.sentence ?? "",
    /^16 of 20 runs are valid; the verdict is (?:the same without the other 4|inconclusive without the other 4, too)\.$/,
  );
});

Deno.test("conclusion: of three in an open loop of which none is ahead, the lowest p99 is the figure", () => {
  const { figure } = concluded(undecided({ c: [1_010, 940, 1_060, 990, 1_000] }));
  assert.equal(figure?.unit, "ms");
  assert.match(figure?.label ?? "", /^p99 of [abc] in (?:static|other), the lowest seen$/);
});
