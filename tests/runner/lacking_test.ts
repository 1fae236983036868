import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { cellNeeds, missingPrerequisiteOf } from "../../runner/experiment/missing_prerequisites.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planCells } from "../../scenarios/plan/plan.ts";

const api = { app: "api" };
const NEEDS: [what: string, target: unknown, scenario: unknown, needs: string[]][] = [
  ["the app api asked for /redis", api, { get: "/redis?a=b" }, ["redis"]],
  ["a framework asked for /redis", { framework: "gin" }, { get: "/redis" }, ["redis"]],
  ["a front of it", { cluster: { of: "behind" } }, { get: "/redis" }, ["redis"]],
  ["a mix", api, { mix: [{ get: "/fib" }, { get: "/redis" }] }, ["redis"]],
  ["a flow", api, { flow: [{ think: "1s" }, { get: "/redis" }] }, ["redis"]],
  ["a page", api, { page: "/static", with: ["/redis"] }, ["redis"]],
  ["what a scenario says", { app: "work" }, { get: "/", needs: ["redis"] }, ["redis"]],
  ["another path", api, { get: "/static" }, []],
  ["an answer that tells of none", api, { get: "/redis", expect: { status: 503 } }, []],
  ["the same path of a server of one's own", { command: ["node"] }, { get: "/redis" }, []],
];

for (const [what, target, scenario, needs] of NEEDS) {
  Deno.test(`a cell needs ${needs[0] ?? "nothing"}: ${what}`, () => {
    const targets = { a: target, behind: api };
    const [cell] = planCells(
      experimentSpecWith().parse({ name: "a", targets, scenarios: { a: scenario } }),
    );
    assert.deepEqual(cellNeeds(cell), needs);
  });
}

Deno.test("a cell that needs Redis is told why there is none, with the last lines of what did not start", () => {
  const [cell] = planCells(
    experimentSpecWith().parse({
      name: "a",
      targets: { a: api },
      scenarios: { a: { get: "/redis" } },
    }),
  );
  const why = new TargetError("Cannot start a private Redis: it exited", ["out of luck"]);
  assert.deepEqual(missingPrerequisiteOf(cell, why), {
    need: "redis",
    reason: "Cannot start a private Redis: it exited",
    evidence: ["out of luck"],
  });
  assert.match(missingPrerequisiteOf(cell, null)?.reason ?? "", /^No Redis: /);
});
