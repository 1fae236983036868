import assert from "node:assert/strict";
import { experimentVerdict } from "../../report/model/comparison/verdict.ts";

function scenario(
  name: string,
  verdict: string,
  pairs: readonly string[] = [],
  isTie = false,
): Parameters<typeof experimentVerdict>[0][number] {
  return { name, summary: { verdict, pairs, isTie } };
}

Deno.test("scenarios with the same verdict are told together", () => {
  assert.equal(
    experimentVerdict([
      scenario("static", "hono is fastest"),
      scenario("redis", "hono and express show no significant difference"),
      scenario("fib", "hono is fastest"),
    ]),
    "In static and fib: hono is fastest; in redis: hono and express show no significant difference.",
  );
});

Deno.test("one scenario has its ratio in the verdict", () => {
  const one = scenario("static", "hono is fastest", ["express → hono: 2.00× the requests"]);
  assert.equal(experimentVerdict([one]), "hono is fastest (express → hono: 2.00× the requests).");
});

Deno.test("of one scenario whose first sentence says the verdict already, it is said once", () => {
  const pair = "a and b show no significant difference: 1.23× the requests, p99 0.90×";
  assert.equal(
    experimentVerdict([scenario("s", "a and b show no significant difference", [pair], true)]),
    `${pair}.`,
  );
});

Deno.test("many scenarios and many verdicts are counted, and none without a run", () => {
  const same = Array.from({ length: 6 }, (_, i) => scenario(`s${i}`, "hono is fastest"));
  assert.equal(experimentVerdict(same), "In 6 scenarios: hono is fastest.");
  const different = Array.from({ length: 6 }, (_, i) => scenario(`s${i}`, `t${i} is fastest`));
  assert.match(experimentVerdict(different), /; in s3: t3 is fastest; 2 more scenarios below\.$/);
  assert.equal(experimentVerdict([]), "");
});
