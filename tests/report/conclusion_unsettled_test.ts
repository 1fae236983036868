import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { conclusionJson } from "../../report/subjects/verdict/conclusion.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { type Results, results as schema, type Run } from "../../runner/result/result.ts";
import { concluded, many } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";

/**
 * As they are stored: runs that are picked never settle, all others do.
 * @param stray By so much of its requests/s such a run is faster, then slower.
 */
function unsettled(
  results: Results,
  isUnsettled: (run: Run) => boolean,
  stray = 0.8,
): Results {
  for (const run of results.runs) {
    if (!isUnsettled(run)) {
      run.warmup = { label: "flat", steadyFromS: 0 };
      continue;
    }
    run.warmup = { label: "no-steady-state", steadyFromS: null };
    run.timeline.points.forEach((point, at, { length }) => {
      point.completed = Math.round(point.completed * (2 * at < length ? 1 + stray : 1 - stray));
    });
  }
  return schema.parse(JSON.parse(JSON.stringify(results)));
}

const THREE = { fastify: around(1_000), gin: around(1_900), slow: around(500) };

Deno.test("unsettled: a third target that never settled is named, and the others are judged", () => {
  const { sentence, figure, next, matrix } = concluded(
    unsettled(resultsAt(THREE), ({ target }) => target === "slow"),
  );
  assert.equal(sentence, "gin serves 1.9× fastify; slow never settled and is not judged.");
  assert.deepEqual([figure?.certainty, figure?.label], [
    "decided",
    "requests/s of gin over fastify",
  ]);
  assert.deepEqual(next.map(({ text }) => text), [
    "Make runs longer: most runs of slow never settle.",
  ]);
  const [cell] = matrix?.rows.find(({ label }) => label === "slow")?.cells ?? [];
  assert.equal(cell?.certainty, "likely"); // slower in both halves of its runs
});

Deno.test("unsettled: one that ran ahead of the winner is said to have done so", () => {
  const { sentence } = concluded(
    unsettled(resultsAt({ ...THREE, wild: around(3_000) }), ({ target }) => target === "wild"),
  );
  assert.equal(sentence, "gin serves 1.9× fastify; wild served more but never settled.");
});

Deno.test("unsettled: half of the runs are not most, and then the target is judged", () => {
  const { sentence } = concluded(
    unsettled(resultsAt(THREE), ({ target, repetition }) => target === "slow" && repetition < 3),
  );
  assert.equal(sentence, "gin serves 1.9× fastify.");
});

Deno.test("unsettled: of two targets one that never settled leaves nothing to judge", () => {
  const { fastify, gin } = THREE;
  const { sentence, figure } = concluded(
    unsettled(resultsAt({ fastify, gin }), ({ target }) => target === "gin"),
  );
  assert.equal(
    sentence,
    "gin against fastify: inconclusive, with no steady state in 5 of 5 runs.",
  );
  assert.equal(figure?.certainty, "open");
});

Deno.test("unsettled: one that strays by less than it differs from all others is judged", () => {
  const { fastify, gin } = THREE;
  const isGin = ({ target }: Run): boolean => target === "gin";
  const two = concluded(unsettled(resultsAt({ fastify, gin }), isGin, 0.2));
  assert.equal(two.sentence, "gin serves 1.9× fastify.");
  assert.equal(two.figure?.certainty, "decided");
  const three = concluded(unsettled(resultsAt(THREE), isGin, 0.2));
  assert.equal(three.sentence, "gin serves 1.9× fastify.");
});

Deno.test("unsettled: one that is ahead in both halves of its runs is likely the fastest, and never proven", () => {
  const isGin = ({ target }: Run): boolean => target === "gin";
  const { fastify, slow } = THREE;
  const rates = { fastify, gin: around(1_900), slow };
  const results = unsettled(resultsAt(rates), isGin, 0.4);
  const { sentence, figure, forest } = concluded(results);
  assert.equal(
    sentence,
    "gin is likely faster than fastify and slow, not proven: no steady state in 5 of 5 runs.",
  );
  assert.deepEqual([figure?.certainty, figure?.label], [
    "likely",
    "requests/s of gin over fastify",
  ]);
  assert.equal(forest?.rows[0].word, "likely better, not proven: no steady state");
  assert.match(
    concluded(unsettled(resultsAt(rates), isGin, 0.9)).sentence,
    /but never settled|inconclusive/,
  );
});

Deno.test("unsettled: of several scenarios it is said where one is likely the fastest", () => {
  const of = (target: string, scenario: string) => (run: Run): boolean =>
    run.target === target && run.scenario === scenario;
  const gin = of("gin", "fib");
  assert.equal(
    concluded(unsettled(many(), gin, 0.3)).sentence,
    "gin is fastest in 3 of 5 scenarios, 1.5× the next, and is likely fastest in fib; fastify leads in error.",
  );
  const both = unsettled(many(), (run) => gin(run) || of("fastify", "fib")(run), 0.3);
  const row = concluded(both).forest?.rows.find(({ label }) => label.startsWith("fib"));
  assert.match(row?.label ?? "", /^fib: gin(?: \/ fastify)?$/); // not the next of those that settled
  assert.match(row?.text ?? "", /^1\.5/);
});

Deno.test("unsettled: beside a base that falls short elsewhere, one is likely faster; the shortfall is the figure", () => {
  const cells = ["calm", "storm", "flood"].flatMap((scenario, s) =>
    [["a", 10], ["b", 5], ["c", 5]].map(([target, medianMs]): CellSpec => ({
      ...{ target: String(target), scenario, medianMs: Number(medianMs), runs: 3 },
      wrongRatio: target === "a" && s > 0 ? 0.2 * s : undefined,
    }))
  );
  const results = resultsFixture({ cells });
  Object.assign(results.experiment, { base: "a" });
  const { sentence, figure, forest } = concluded(
    unsettled(results, ({ target, scenario }) => target !== "a" && scenario === "calm", 0.4),
  );
  assert.match(
    plain(sentence),
    /^[bc] keeps up in storm and flood \(a responds wrongly to up to 4\d %\), and is likely faster in calm\. /,
  );
  assert.match(plain(figure?.text ?? ""), /^4\d %$/);
  assert.match(
    figure?.label ?? "",
    /^of requests to a get a wrong response in flood, where [bc] keeps up$/,
  );
  assert.deepEqual(forest?.rows.map(({ label }) => label), ["calm: b", "calm: c"]);
  assert.match(forest?.title ?? "", / against a, /);
});

Deno.test("unsettled: where those that settled are not told apart, nobody wins", () => {
  const noisy = [900, 2_600, 1_400, 700, 2_300];
  const { sentence } = concluded(
    unsettled(
      resultsAt({ a: around(2_000), b: noisy, c: around(500) }),
      ({ target }) => target === "c",
    ),
  );
  assert.match(
    sentence,
    /^a against b: inconclusive in 5 runs each; c never settled and is not judged\.$/,
  );
});

Deno.test("unsettled: of many scenarios it is said in which, or in how many", () => {
  const inOne = concluded(
    unsettled(many(), ({ target, scenario }) => target === "express" && scenario === "error"),
  );
  assert.equal(
    inOne.sentence,
    "gin is fastest in 4 of 5 scenarios, 1.5× the next; fastify leads in error; " +
      "express never settled in error and is not judged there.",
  );
  const everywhere = concluded(unsettled(many(), ({ target }) => target === "express"));
  assert.equal(
    everywhere.sentence,
    "gin is fastest in 4 of 5 scenarios, 1.5× the next; fastify leads in error; " +
      "express never settled and is not judged.",
  );
  const leader = concluded(
    unsettled(many(), ({ target, scenario }) => target === "gin" && scenario === "fib"),
  );
  assert.match(leader.sentence, /; gin served more in fib but never settled\.$/);
});

Deno.test("unsettled: the verdict of the scenario and its pairs name it, too", () => {
  const { scenarios: [{ summary }] } = reportModel(
    unsettled(resultsAt(THREE), ({ target }) => target === "slow"),
  );
  assert.equal(summary.verdict.code, "leads");
  const [remark] = summary.remarks;
  assert.ok(remark.kind === "unsettled" && remark.label === "slow");
  assert.deepEqual([remark.perSec.value, remark.unsteady], [500, { count: 5, of: 5 }]);
  assert.equal(summary.pairs.length, 2);
});

Deno.test("unsettled: whoever it is and wherever, no sentence has more than 25 words", () => {
  const targets = ["gin", "fastify", "express"];
  const scenarios = ["static", "fib", "redis", "validation", "error"];
  for (let drawn = 1; drawn < 2 ** targets.length; drawn++) {
    for (const from of [0, 3, 4]) { // in all, in two, in one
      const { sentence } = concluded(
        unsettled(
          many(),
          ({ target, scenario }) =>
            (drawn >> targets.indexOf(target) & 1) === 1 && scenarios.indexOf(scenario) >= from,
        ),
      );
      assertReadable(plain(sentence));
    }
  }
});

Deno.test("unsettled: page, terminal, markdown and JSON say the same", () => {
  const cases = [
    unsettled(resultsAt(THREE), ({ target }) => target === "slow"),
    unsettled(many(), ({ target }) => target === "express"),
    unsettled(many(), ({ target, scenario }) => target === "gin" && scenario === "fib", 0.3),
  ];
  for (const results of cases) {
    const model = reportModel(results);
    const sentence = plain(model.conclusion.sentence);
    assert.match(sentence, /never settled and is not judged\.$|is likely fastest in fib/);
    const terminal = renderSummary(model, { width: 400, color: false, unicode: true });
    assert.ok(terminal.includes(sentence), terminal);
    assert.ok(plain(renderReportPage([model])).includes(sentence));
    assert.ok(plain(renderMarkdown(model)).replaceAll(/[*\\]/g, "").includes(sentence));
    const json = JSON.parse(JSON.stringify(conclusionJson(model.conclusion)));
    assert.equal(json.sentence, sentence);
  }
});

Deno.test("unsettled: several targets, each in other scenarios, are not said to be so in all", () => {
  const { sentence } = concluded(
    unsettled(
      many(),
      ({ target, scenario }) =>
        target === "express"
          ? scenario !== "static"
          : target === "fastify" && scenario === "static",
    ),
  );
  assert.match(sentence, /; fastify and express never settled in some of 5 scenarios/);
});
