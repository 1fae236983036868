import assert from "node:assert/strict";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";

function problemsOf(change: Record<string, unknown>): string[] {
  const parsed = experimentSpecWith().safeParse({
    name: "compared",
    targets: {
      app: { app: "api" },
      cluster: { cluster: { of: "app", policy: ["round-robin", "least-connections"] } },
    },
    scenarios: { static: { get: "/static" } },
    ...change,
  });
  return parsed.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

Deno.test("a compared factor and a base that are there are right, and both may be left out", () => {
  assert.deepEqual(problemsOf({}), []);
  assert.deepEqual(problemsOf({ base: "cluster" }), []);
  assert.deepEqual(problemsOf({ compare: { factor: "policy" } }), []);
  assert.deepEqual(problemsOf({ compare: { factor: "cluster.policy" }, base: "round-robin" }), []);
  assert.deepEqual(problemsOf({ compare: { factor: "policy" }, base: "app" }), []);
});

Deno.test("scenarios may be compared, with one of them as the base", () => {
  const scenarios = { one: { get: "/1" }, two: { get: "/2" } };
  const compare = { factor: "scenario", figure: "eventsPerCpu" };
  assert.deepEqual(problemsOf({ scenarios, compare }), []);
  assert.deepEqual(problemsOf({ scenarios, compare, base: "two" }), []);
  assert.match(
    problemsOf({ scenarios, compare, base: "app" })[0],
    /base: .*the values are one, two/,
  );
});

Deno.test("nothing may be compared, and then a base is a contradiction", () => {
  assert.deepEqual(problemsOf({ compare: "none" }), []);
  assert.deepEqual(problemsOf({ compare: "none", base: "app" }), [
    "base: Cannot use base where nothing is compared: leave out base, or compare: none",
  ]);
});

Deno.test("a compared factor that is not there is found, with its place and the nearest name", () => {
  assert.deepEqual(problemsOf({ compare: { factor: "polcy" } }), [
    'compare.factor: Cannot find the factor "polcy": did you mean "policy"?',
  ]);
  assert.match(
    problemsOf({ compare: { factor: "weather" } })[0],
    /name a key of load, or of a target's set/,
  );
});

Deno.test("a base that is not there is found, with what there is", () => {
  assert.deepEqual(problemsOf({ base: "clustr" }), [
    'base: Cannot find the base "clustr": did you mean "cluster"?',
  ]);
  assert.deepEqual(problemsOf({ base: "round-robin" }), [
    'base: Cannot find the base "round-robin": the targets are app, cluster',
  ]);
  assert.deepEqual(problemsOf({ compare: { factor: "policy" }, base: "x" }), [
    'base: Cannot find the base "x": the targets are app, cluster; ' +
    "the values are round-robin, least-connections",
  ]);
});

Deno.test("compare takes nothing but a factor, a figure, or none", () => {
  assert.deepEqual(problemsOf({ compare: { figure: "perCpu" } }), []);
  assert.deepEqual(problemsOf({ compare: { factor: "policy", figure: "rate" } }), []);
  assert.match(problemsOf({ compare: { figure: "speed" } }).join(), /^compare/);
  assert.match(problemsOf({ compare: {} }).join(), /name a factor or a figure/);
  assert.match(problemsOf({ compare: { target: "a" } }).join(), /compare/);
  assert.match(problemsOf({ compare: "policy" }).join(), /^compare: /);
});
