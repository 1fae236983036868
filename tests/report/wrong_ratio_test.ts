import assert from "node:assert/strict";
import { measurementFixture } from "./fixture.ts";
import {
  type EndedRequests,
  errorRatioOf,
  errorsOf,
  successesOf,
} from "../../report/figures/errors.ts";
import { FIGURES } from "../../report/figures/figures.ts";

const CLEAN: EndedRequests = {
  requests: { due: 100, completed: 100, failed: 0, unfinished: 0, dropped: 0 },
  status: { "200": 100 },
  checks: { passed: 100, failed: 0 },
};

const requests = (changes: Partial<EndedRequests["requests"]>): EndedRequests["requests"] => ({
  ...CLEAN.requests,
  ...changes,
});

const CASES: readonly [string, EndedRequests, number | null][] = [
  ["right answers alone", CLEAN, 0],
  ["failed requests", { ...CLEAN, requests: requests({ completed: 90, failed: 10 }) }, 0.1],
  ["requests that were never sent", {
    ...CLEAN,
    requests: requests({ completed: 25, dropped: 75 }),
  }, 0.75],
  ["answers that an expectation refused, though their status is 200", {
    ...CLEAN,
    checks: { passed: 80, failed: 20 },
  }, 0.2],
  ["answers of status 500 that were expected", { ...CLEAN, status: { "500": 100 } }, 0],
  ["answers of status 500 where nothing was expected", {
    ...CLEAN,
    status: { "200": 60, "304": 30, "500": 10 },
    checks: { passed: 0, failed: 0 },
  }, 0.1],
  ["requests that were unfinished at the end, which are neither", {
    ...CLEAN,
    requests: requests({ completed: 45, failed: 5, unfinished: 50 }),
  }, 0.1],
  ["nothing that ended", { ...CLEAN, requests: requests({ completed: 0, unfinished: 100 }) }, null],
];

for (const [what, run, ratio] of CASES) {
  Deno.test(`the share of wrong requests of ${what} is ${ratio}`, () => {
    assert.equal(errorRatioOf([run]), ratio);
  });
}

Deno.test("of several runs it is that of all their requests", () => {
  const dropped = { ...CLEAN, requests: requests({ due: 300, completed: 0, dropped: 300 }) };
  assert.deepEqual(errorsOf([CLEAN, dropped]), { count: 300, of: 400 });
  assert.deepEqual(successesOf([CLEAN, dropped]), { count: 100, of: 400 });
  assert.equal(errorRatioOf([CLEAN, dropped]), 0.75);
});

Deno.test("figures and thresholds have the same success: requests never sent count against it", () => {
  const run = { ...measurementFixture({ target: "api", scenario: "s", medianMs: 5 }), ...CLEAN };
  const dropped = { ...run, requests: requests({ completed: 25, dropped: 75 }) };
  const status = { "200": 25 };
  const checks = { passed: 25, failed: 0 };
  const figure = FIGURES.success.of({ ...dropped, status, checks });
  assert.ok("value" in figure);
  assert.equal(figure.value, 0.25);
  assert.deepEqual(successesOf([{ ...dropped, status, checks }]), { count: 25, of: 100 });
});
