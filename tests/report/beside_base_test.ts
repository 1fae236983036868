/** The verdict of an experiment that names a base: what each of several others does beside it. */
import assert from "node:assert/strict";
import type { ConclusionModel } from "../../report/model/conclusion/conclusion.ts";
import type { Results } from "../../runner/result/result.ts";
import { concluded, many, TWO } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

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
  const { sentence } = beside("fastify", many());
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
    /^[bc] keeps up in storm and flood, where a responds wrongly to up to 4\d %; /,
  );
  assert.match(text, /%; [bc] is (?:undecided|about as fast as a) in calm\. /);
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
