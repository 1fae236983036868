import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import { assertAsBefore } from "../../runner/experiment/experiment.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";
import { resultsFixture } from "../report/fixture.ts";

const [A, B] = planCells(
  experimentSpecWith().parse({
    name: "before",
    targets: { a: { app: "api" }, b: { app: "api" } },
    scenarios: { static: { get: "/static" } },
  }),
);

/** Of `a` alone. */
function before(redis: string | null): Results {
  const cells = [{ target: "a", scenario: "static", medianMs: 2, duration: 1 }];
  return { ...resultsFixture({ cells }), redis };
}

function lacking(...cells: Cell[]): Map<Cell, { reason: string }> {
  return new Map(cells.map((cell) => [cell, { reason: "no nginx" }]));
}

Deno.test("nothing goes on without what a measured cell needs", () => {
  const now = { redis: null, missing: lacking(A) };
  assert.throws(
    () => assertAsBefore(before(null), now),
    /^TargetError: .*prerequisites that earlier runs had are missing/,
  );
  assertAsBefore(before(null), { redis: null, missing: lacking(B) });
});

Deno.test("nothing goes on with another Redis", () => {
  const now = { redis: { kind: "private" }, missing: lacking() } as const;
  assert.throws(
    () => assertAsBefore(before("given"), now),
    /a Redis that was named with --redis or REDIS_URL, but the remaining runs would use one that Plateau started/,
  );
  assertAsBefore(before("private"), now);
  assertAsBefore(before(null), now);
});
