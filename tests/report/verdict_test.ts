import assert from "node:assert/strict";
import {
  type ScenarioVerdict,
  type VerdictCode,
  type VerdictOf,
  verdictOf,
} from "../../report/model/comparison/verdict.ts";
import {
  experimentVerdict,
  summaryText,
  verdictSentence,
} from "../../report/model/comparison/verdict_sentences.ts";

function scenario(
  name: string,
  verdict: ScenarioVerdict,
  pairs: readonly string[] = [],
  isTie = false,
): Parameters<typeof experimentVerdict>[0][number] {
  return { name, summary: { verdict, pairs, isTie } };
}

function fastest(target: string): ScenarioVerdict {
  return verdictOf("fastest", { target, by: "rate" });
}

function tie(...targets: string[]): ScenarioVerdict {
  return verdictOf("tie", { targets });
}

Deno.test("scenarios with the same verdict are told together", () => {
  assert.equal(
    experimentVerdict([
      scenario("static", fastest("hono")),
      scenario("redis", tie("hono", "express")),
      scenario("fib", fastest("hono")),
    ]),
    "In static and fib: hono is fastest; in redis: hono and express show no significant difference.",
  );
});

Deno.test("one scenario has its ratio in the verdict", () => {
  const one = scenario("static", fastest("hono"), ["express → hono: 2.00× the requests"]);
  assert.equal(experimentVerdict([one]), "hono is fastest (express → hono: 2.00× the requests).");
});

Deno.test("of one scenario whose first sentence says the verdict already, it is said once", () => {
  const pair = "a and b show no significant difference: 1.23× the requests, p99 0.90×";
  assert.equal(experimentVerdict([scenario("s", tie("a", "b"), [pair], true)]), `${pair}.`);
});

Deno.test("many scenarios and many verdicts are counted, and none without a run", () => {
  const same = Array.from({ length: 6 }, (_, i) => scenario(`s${i}`, fastest("hono")));
  assert.equal(experimentVerdict(same), "In 6 scenarios: hono is fastest.");
  const different = Array.from({ length: 6 }, (_, i) => scenario(`s${i}`, fastest(`t${i}`)));
  assert.match(experimentVerdict(different), /; in s3: t3 is fastest; 2 more scenarios below\.$/);
  assert.equal(experimentVerdict([]), "");
});

Deno.test("verdicts of other evidence stand apart, but numbers that print alike are one", () => {
  const served = (rate: number): ScenarioVerdict => verdictOf("alone", { target: "a", rate });
  assert.equal(
    experimentVerdict([
      scenario("s", served(999.9)),
      scenario("t", served(1_000.2)),
      scenario("u", served(1_001)),
      scenario("v", fastest("a")),
      scenario("w", verdictOf("fastest", { target: "a", by: "p99" })),
    ]),
    "In s and t: a served 1,000 requests/s; in u: a served 1,001 requests/s; " +
      "in v: a is fastest; in w: a responds fastest.",
  );
});

const ENDS = { target: "a", fastest: "connections 50", slowest: "connections 1" };
const BOTH = { factors: ["connections", "delay"] };

/** A code without a sample does not compile. */
type Samples = { readonly [Code in VerdictCode]: readonly [VerdictOf<Code>, string] };

const SAMPLES: Samples = {
  "no-right-response": [verdictOf("no-right-response", {}), "No target responded correctly"],
  incomparable: [
    verdictOf("incomparable", {}),
    "No two targets responded correctly at equal values of the factors",
  ],
  alone: [verdictOf("alone", { target: "a", rate: 1_234.4 }), "a served 1,234 requests/s"],
  tie: [verdictOf("tie", { targets: ["a", "b"] }), "a and b show no significant difference"],
  fastest: [verdictOf("fastest", { target: "a", by: "rate" }), "a is fastest"],
  "fastest-in-one-run": [
    verdictOf("fastest-in-one-run", { target: "a" }),
    "a was fastest in one run each",
  ],
  "fastest-in-few-runs": [
    verdictOf("fastest-in-few-runs", { target: "a" }),
    "a was fastest (inconclusive: too few runs)",
  ],
  "depends-on-factors": [
    verdictOf("depends-on-factors", { ...BOTH, hasInterval: true }),
    "Which is fastest depends on the number of connections and delay",
  ],
  "tie-at-every-setting": [
    verdictOf("tie-at-every-setting", { factors: ["delay"], targets: ["a", "b", "c"] }),
    "a, b and c show no significant difference at every delay",
  ],
  "fastest-at-every-setting": [
    verdictOf("fastest-at-every-setting", { ...BOTH, target: "a", by: "p99" }),
    "a responds fastest at every number of connections and delay",
  ],
  "fastest-in-few-runs-at-every-setting": [
    verdictOf("fastest-in-few-runs-at-every-setting", { factors: ["delay"], target: "a" }),
    "a was fastest at every delay (inconclusive: too few runs)",
  ],
  span: [verdictOf("span", ENDS), "a is fastest at connections 50 and slowest at connections 1"],
  "inconclusive-span": [
    verdictOf("inconclusive-span", ENDS),
    "a was fastest at connections 50 and slowest at connections 1 (inconclusive)",
  ],
  "span-in-few-runs": [
    verdictOf("span-in-few-runs", ENDS),
    "a was fastest at connections 50 and slowest at connections 1 (inconclusive: too few runs)",
  ],
  "same-at-every-setting": [
    verdictOf("same-at-every-setting", { factors: ["connections"], target: "a" }),
    "a is about as fast at every number of connections",
  ],
};

Deno.test("every verdict has its sentence", () => {
  for (const [verdict, text] of Object.values(SAMPLES)) {
    assert.equal(verdictSentence(verdict), text);
  }
  const depended = verdictOf("depends-on-factors", { factors: ["delay"], hasInterval: false });
  assert.equal(verdictSentence(depended), "Which was fastest depends on delay");
});

Deno.test("a summary is the verdict with its detail, if any", () => {
  assert.equal(summaryText({ verdict: fastest("a"), detail: "by far." }), "a is fastest: by far.");
  assert.equal(summaryText({ verdict: fastest("a"), detail: "" }), "a is fastest.");
});
