/** The verdict of an experiment that names a base: what each of several others does beside it. */
import assert from "node:assert/strict";
import type { ConclusionModel } from "../../report/subjects/verdict/conclusion.ts";
import type { Results } from "../../runner/result/result.ts";
import { along, concluded, inScenarios, many, TWO } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { sweepResults } from "./sweep_results.ts";

function beside(base: string, results: Results): ConclusionModel {
  Object.assign(results.experiment, { base });
  return concluded(results);
}

const plain = (text: string): string => text.replaceAll(/\s/gu, " ");

Deno.test("each other is told by its ratio to the base, the farthest first, and the figure is of that one", () => {
  const { sentence, figure } = beside(
    "a",
    resultsAt({ a: around(5_000), b: around(2_500), c: around(25) }),
  );
  assert.equal(sentence, "c serves 1/210 of a; b serves 0.50× a.");
  assert.equal(figure?.label, "requests/s of c than of a");
  assert.ok(Math.abs((figure?.value ?? 0) - 0.005) < 0.0005);
});

Deno.test("of a base that leads, and one that follows, both sides are told", () => {
  const { sentence } = beside(
    "b",
    resultsAt({ a: around(1_000), b: around(2_000), c: around(9_000) }),
  );
  assert.equal(sentence, "c serves 4.5× b; a serves 0.50× b.");
});

Deno.test("one other, no base, or a base that was not measured: who is fastest is told as ever", () => {
  assert.equal(beside("a", resultsAt(TWO)).sentence, "b serves 2.0× a.");
  const three = { a: around(1_000), b: around(2_000), c: around(8_000) };
  assert.equal(concluded(resultsAt(three)).sentence, "c serves 4.0× b.");
  assert.equal(beside("z", resultsAt(three)).sentence, "c serves 4.0× b.");
});

Deno.test("where the base falls short, the others keep up; where they do, they are not compared", () => {
  const short = (wrong: string): Results =>
    resultsFixture({
      cells: [["a", 8], ["b", 4], ["c", 2]].map(([target, medianMs]): CellSpec => ({
        target: String(target),
        scenario: "static",
        medianMs: Number(medianMs),
        runs: 3,
        wrongRatio: target === wrong ? 0.5 : undefined,
      })),
    });
  assert.match(
    plain(beside("a", short("a")).sentence),
    /^b keeps up, where a responds wrongly to \d\d %; c keeps up, where a responds wrongly to \d\d %\.$/,
  );
  assert.match(
    plain(beside("a", short("c")).sentence),
    /^b serves 2\.\d× a; c responds wrongly to \d\d %\.$/,
  );
});

Deno.test("in several scenarios each other is told once, with where it does what", () => {
  const { sentence, figure } = beside("fastify", many());
  assert.equal(figure?.label, "requests/s of express over fastify, in 5 comparisons");
  assert.match(figure?.text ?? "", /^0\.5\d–0\.5\d×$/);
  const text = plain(sentence);
  assert.match(text, /^express serves 0\.5\d–0\.5\d× fastify in all 5 scenarios; gin serves /);
  assert.match(
    text,
    /; gin serves 1\.[\d.–]+× fastify in static, fib, redis and validation, and serves 0\.\d\d× fastify in error\.$/,
  );
});

Deno.test("a base that falls short in some scenarios: the worst is told for all", () => {
  const cells = ["calm", "storm", "flood"].flatMap((scenario, s) =>
    ["a", "b", "c"].map((target): CellSpec => ({
      target,
      scenario,
      medianMs: 5,
      runs: 3,
      wrongRatio: target === "a" && s > 0 ? 0.2 * s : undefined,
    }))
  );
  const text = plain(beside("a", resultsFixture({ cells })).sentence);
  assert.match(
    text,
    /^[bc] keeps up in storm and flood \(a responds wrongly to up to 4\d %\), and is /,
  );
  assert.match(text, /%\), and is (?:undecided|about as fast as a) in calm\. /);
  assert.match(text, /1 more target below\.$/);
});

Deno.test("of whom nothing is known, that is said once", () => {
  const rates = {
    a: around(1_000),
    b: [400, 2_500, 900, 1_700, 1_200],
    c: [600, 2_600, 800, 1_500, 1_000],
    d: around(2_000, 0.001),
  };
  assert.equal(beside("a", resultsAt(rates)).sentence, "d serves 2.0× a; b and c are undecided.");
});

Deno.test("a target with several cells in one place is told of that one place, each cell in its row", () => {
  const results = sweepResults([
    ...["1", "2"].map((size) => ({ target: "a", parameters: { size }, rate: 1_000 })),
    ...["10ms", "1s"].map((ttl, i) => ({
      target: "b",
      parameters: { size: "1", "app.ttl": ttl },
      rate: 2_000 + 1_000 * i,
    })),
    ...["1", "2"].map((size) => ({ target: "c", parameters: { size }, rate: 8_000 })),
  ]);
  const { sentence, forest } = beside("a", results);
  assert.match(sentence, /b serves 2\.\d?–3\.\d?× a at size 1\./);
  const own = forest?.rows.filter(({ label }) => label.includes("b · ")) ?? [];
  assert.equal(new Set(own.map(({ label }) => label)).size, 2);
});

Deno.test("one that is in a single scenario is told in it, beside settings of another", () => {
  const settings = along("connections", ["10", "50"], { a: [1_000, 2_000], b: [3_000, 6_100] });
  const alone = ["a", "c"].map((target, i) => ({ target, parameters: {}, rate: 500 * (i + 1) }));
  const { sentence } = beside("a", inScenarios(settings, alone));
  assert.match(plain(sentence), /c serves 2\.0× a in s1\b/);
});
