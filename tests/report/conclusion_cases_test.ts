/** Verdicts that a first reader could take wrongly: few runs, failing targets, many targets, scenarios in part. */
import assert from "node:assert/strict";
import type { Results, Run } from "../../runner/result/result.ts";
import { concluded } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";
import { sweepResults } from "./sweep_results.ts";

/** The same in three scenarios: b is ahead of a, but maybe by less than the margin. */
function nearMargin(): Results {
  const one = resultsAt({ a: [1_000, 1_010, 1_005], b: [1_030, 1_036, 1_041] });
  const runs = ["x", "y", "z"].flatMap((scenario, i) =>
    one.runs.map((run) => ({ ...structuredClone(run), scenario, order: run.order + 6 * i }))
  );
  return { ...one, runs };
}

Deno.test("conclusion: who seems ahead in most places is named, as likely", () => {
  const { sentence, figure } = concluded(nearMargin());
  assert.equal(sentence, "b is likely fastest in all 3 scenarios, not proven.");
  assert.deepEqual([figure?.text, figure?.certainty], ["1.03×", "likely"]);
});

Deno.test("conclusion: a fast target that responds wrongly is named beside the winner", () => {
  const three = { a: around(1_000), b: around(2_000, 0.001), c: around(1_500, 0.002) };
  const { sentence } = concluded(
    resultsAt(three, (target) => ({ wrongRatio: target === "b" ? 0.3 : 0 })),
  );
  assert.match(plain(sentence), /^c serves 1\.5× a; b responds wrongly to \d\d %\.$/);
});

Deno.test("conclusion: of several that fall short all are named where there is no room for more", () => {
  const cells = ["x", "y", "z"].flatMap((scenario): CellSpec[] => [
    { target: "a", scenario, medianMs: 2, runs: 4 },
    { target: "b", scenario, medianMs: 3, runs: 4 },
    { target: "c", scenario, medianMs: 1, runs: 4, wrongRatio: 0.3 },
    { target: "d", scenario, medianMs: 1, runs: 4, wrongRatio: scenario === "z" ? 0.1 : 0 },
  ]);
  assert.match(
    plain(concluded(resultsFixture({ cells })).sentence),
    /; c and d fall short\.$/,
  );
});

Deno.test("conclusion: of thirty targets alike few are named", () => {
  const cells = Array.from({ length: 30 }, (_, i): CellSpec => ({
    ...{ target: `t${i}`, scenario: "static", medianMs: 10, runs: 3, duration: 1 },
  }));
  const { sentence } = concluded(resultsFixture({ cells }));
  assertReadable(plain(sentence));
  assert.match(sentence, / and \d\d others: inconclusive in 3 runs each\.$/);
});

Deno.test("conclusion: a comparison in one scenario of two says in which, and has its forest", () => {
  const { sentence, forest } = concluded(resultsFixture({
    cells: [
      { target: "a", scenario: "x", medianMs: 10, runs: 3 },
      { target: "b", scenario: "x", medianMs: 20, runs: 3 },
      { target: "a", scenario: "y", medianMs: 10, runs: 3, wrongRatio: 1 },
    ],
  }));
  assert.match(plain(sentence), /^x: a serves 2\.0× b; y: a responds wrongly to 100 %\.$/);
  assert.equal(forest?.rows.length, 1);
});

Deno.test("conclusion: two scenarios without any leader are two, and the largest figure has its place", () => {
  const cells = ["x", "y"].flatMap((scenario) =>
    ["a", "b", "c"].map((target): CellSpec => ({ target, scenario, medianMs: 10, runs: 5 }))
  );
  const { sentence, figure } = concluded(resultsFixture({ cells }));
  assert.equal(sentence, "None of 3 is fastest for certain in either scenario.");
  assert.match(figure?.label ?? "", /^requests\/s of [abc] in [xy]$/);
});

Deno.test("next: runs that differ more than the targets are not called near the margin", () => {
  const { next } = concluded(resultsAt({ a: [1_000, 2_000, 1_500], b: [1_400, 2_300, 900] }));
  assert.match(next[0].text, /^Make runs longer, or the machine quieter: /);
});

Deno.test("conclusion: one that misses the offered rate is in no comparison with one that keeps up", () => {
  const results = sweepResults(["a", "b"].map((target, i) => ({
    ...{ target, parameters: { rate: "4000/s" }, rate: 2_000 * (i + 1) },
  })));
  for (const run of results.runs) {
    run.requests.due = 4_000 * run.elapsedS;
    run.requests.unfinished = Math.max(0, run.requests.due - run.requests.completed);
  }
  const { sentence, forest } = concluded(results);
  assert.match(plain(sentence), /^At 4,000\/s only b keeps up: a completes 2,0\d\d of /);
  assert.equal(forest, null);
});

Deno.test("conclusion: tails from some to hundreds of times shorter are a range of such times", () => {
  const cellsOf = (scenario: string, times: number): CellSpec[] =>
    [["a", 2], ["b", 2 * times]].map(([target, medianMs]): CellSpec => ({
      ...{ target: String(target), scenario, medianMs: Number(medianMs), runs: 4 },
      parameters: { rate: "20/s" },
      connections: 10,
    }));
  const results = resultsFixture({ cells: [...cellsOf("x", 10), ...cellsOf("y", 400)] });
  for (const run of results.runs) {
    run.load = { ...run.load, kind: "rate", rate: 20, durationS: 3 } as Run["load"];
  }
  const { sentence, figure } = concluded(results);
  assert.match(plain(sentence), /, p99 [\d.]+–[34]\d0× shorter than that of the next\.$/);
  assert.match(plain(figure?.text ?? ""), /^[\d.]+–[34]\d0× shorter$/);
  assert.equal(figure?.label, "p99 of a than of the next, in 2 comparisons");
});

Deno.test("conclusion: the worst that a target falls short by is said where it is, beside the rest", () => {
  const shortOf = (wrong: Readonly<Record<string, number>>): string => {
    const cells = ["x", "y", "z"].flatMap((scenario): CellSpec[] => [
      { target: "a", scenario, medianMs: 2, runs: 4 },
      { target: "b", scenario, medianMs: 3, runs: 4 },
      { target: "c", scenario, medianMs: 4, runs: 4, wrongRatio: wrong[scenario] ?? 0 },
    ]);
    return plain(concluded(resultsFixture({ cells })).sentence);
  };
  assert.match(
    shortOf({ x: 0.9, y: 0.04 }),
    /; c responds wrongly to 9\d? % in x, and falls short in y\.$/,
  );
  assert.match(shortOf({ y: 0.9 }), /; c responds wrongly to 9\d? % in y\.$/);
  assert.match(
    shortOf({ x: 1, y: 1, z: 1 }),
    /; c responds wrongly to 100 % in all 3 scenarios\.$/,
  );
});

Deno.test("conclusion: where two are about as fast, which is faster is not open", () => {
  const equal = { a: [1_000, 1_001, 1_002, 999], b: [1_001, 1_000, 999, 1_002] };
  const noisy = { a: [800, 1_300, 1_000, 1_100], b: [1_200, 900, 1_150, 850] };
  const [first, ...others] = [equal, noisy, equal].map((rates) => resultsAt(rates));
  const runs = [first, ...others].flatMap((results, i) =>
    results.runs.map((run) => ({ ...run, scenario: `s${i}`, order: run.order + 8 * i }))
  );
  assert.match(
    plain(concluded({ ...first, runs }).sentence),
    /^Whether (?:a or b|b or a) is faster is open in 1 of 3 scenarios; both are about as fast in s0 and s2\.$/,
  );
});

const LEADS = { a: around(1_000), b: around(2_000, 0.001) };
const SEEMS = { a: [1_000, 1_010, 1_005], b: [1_030, 1_036, 1_041] };
const ALIKE = { a: [1_000, 1_001, 1_002, 999], b: [1_001, 1_000, 999, 1_002] };
const NOISY = { a: [800, 1_300, 1_000, 1_100], b: [1_200, 900, 1_150, 850] };

/** a in place of b, and b in place of a. */
function swapped({ a, b }: Record<"a" | "b", number[]>): Record<"a" | "b", number[]> {
  return { a: b, b: a };
}

/** The sentence on scenarios s0, s1 and so on. */
function sentenceOf(...scenarios: readonly Record<"a" | "b", number[]>[]): string {
  const all = scenarios.map((rates) => resultsAt(rates));
  const runs = all.flatMap((results, i) =>
    results.runs.map((run) => ({ ...run, scenario: `s${i}`, order: run.order + 20 * i }))
  );
  return plain(concluded({ ...all[0], runs }).sentence);
}

Deno.test("conclusion: where the leader is likely fastest, too, is said of it, with a verb", () => {
  assert.match(
    sentenceOf(LEADS, LEADS, SEEMS, SEEMS),
    /^b is fastest in 2 of 4 scenarios, \S+× the next, and is likely fastest in s2 and s3\.$/,
  );
});

Deno.test("conclusion: of places without the leader each sentence has its own subject", () => {
  assert.match(
    sentenceOf(LEADS, LEADS, swapped(LEADS), swapped(SEEMS)),
    /^b is fastest in 2 of 4 scenarios, \S+× the next; a leads in s2; a is likely fastest in s3\.$/,
  );
  assert.match(
    sentenceOf(LEADS, LEADS, ALIKE, NOISY),
    /^b is fastest in 2 of 4 scenarios, \S+× the next; both are about as fast in s2; s3 is undecided\.$/,
  );
  assert.match(
    sentenceOf(LEADS, NOISY, NOISY, NOISY),
    /^b is fastest in s0, \S+× the next; the other 3 are undecided\.$/,
  );
});

Deno.test("conclusion: where there is no room for their names, places without a leader are counted", () => {
  const noisy = Array.from({ length: 4 }, () => NOISY);
  const likely = Array.from({ length: 3 }, () => swapped(SEEMS));
  assert.match(
    sentenceOf(LEADS, LEADS, swapped(LEADS), ...likely, ALIKE, ...noisy),
    /^b is fastest in 2 of 11 scenarios, \S+× the next; a leads in 1; a is likely fastest in 3; 5 have no leader\.$/,
  );
});

Deno.test("conclusion: scenarios without a target in common are told one after another", () => {
  const cells = [["a", "x", 10], ["b", "x", 20], ["c", "y", 10], ["d", "y", 30]].map((
    [target, scenario, medianMs],
  ): CellSpec => ({
    ...{ target: String(target), scenario: String(scenario), medianMs: Number(medianMs), runs: 3 },
  }));
  assert.match(
    plain(concluded(resultsFixture({ cells })).sentence),
    /^x: a serves 2\.0× b\. y: c serves [23]\.\d× d\.$/,
  );
});

/** Of each run of a all but five responses have this status, which is as expected or not. */
function refused(status: string, isExpected: boolean): Results {
  const results = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  for (const run of results.runs.filter(({ target }) => target === "a")) {
    const { completed } = run.requests;
    run.status = { 200: 5, [status]: completed - 5 };
    run.checks = isExpected
      ? { passed: completed, failed: 0 }
      : { passed: 5, failed: completed - 5 };
  }
  return results;
}

Deno.test("conclusion: whose figures are those of refusals is said, where they were expected", () => {
  const said = " Nearly all responses of a have status 429.";
  assert.equal(concluded(refused("429", true)).sentence, `b serves 2.0× a.${said}`);
  assert.doesNotMatch(concluded(refused("429", false)).sentence, /status 429/);
  assert.doesNotMatch(concluded(refused("304", true)).sentence, /status 304/);
});

Deno.test("conclusion: a scenario that expects one refusal alone is no reason to tell of it", () => {
  const results = refused("500", true);
  const [{ scenario }] = results.runs;
  const expecting = (status: unknown): string => {
    const scenarios = { [scenario]: { get: "/", expect: { status } } };
    return concluded({ ...results, experiment: { ...results.experiment, scenarios } }).sentence;
  };
  for (const status of [500, [500]]) assert.doesNotMatch(expecting(status), /status 500/);
  for (const status of [200, [200, 500]]) assert.match(expecting(status), /of a have status 500/);
});

Deno.test("next: where more runs would decide is said, where the rest is decided", () => {
  const decided = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  const open = resultsAt({ a: [900, 1_000, 1_100], b: [1_100, 1_210, 1_045] });
  const runs = open.runs.map((run) => ({
    ...run,
    scenario: "other",
    order: run.order + decided.runs.length,
  }));
  const { next } = concluded({ ...decided, runs: [...decided.runs, ...runs] });
  assert.match(next[0].text, /^Set repeat: \d+, which probably decides in other\.$/);
});

Deno.test("conclusion: a range over all places is open only in those that are", () => {
  const decided = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  const open = resultsAt({ a: [900, 1_000, 1_100], b: [1_100, 1_210, 1_045] });
  const runs = ["x", "y"].flatMap((scenario, i) =>
    open.runs.map((run) => ({ ...run, scenario, order: run.order + 100 * (i + 1) }))
  );
  const { figure } = concluded({ ...decided, runs: [...decided.runs, ...runs] });
  assert.equal(figure?.label, "requests/s of b over a, open in 2 of 3 scenarios");
});
