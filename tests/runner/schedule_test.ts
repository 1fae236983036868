import assert from "node:assert/strict";
import { Schedule } from "../../runner/schedule.ts";
import { experimentSpec } from "../../scenarios/experiment.ts";
import { planCells } from "../../scenarios/plan.ts";

const CELLS = planCells(experimentSpec.parse({
  name: "timed",
  targets: { a: { app: "api" } },
  scenarios: { static: { get: "/static" } },
  load: { duration: ["1s", "3s"] },
}));

Deno.test("a run takes its load and what starting and stopping took so far", () => {
  const schedule = new Schedule();
  const guessed = schedule.expectedMs(CELLS);
  assert.ok(guessed > 4_000 && guessed < 6_000, String(guessed));
  schedule.took(CELLS[0], 1_200);
  schedule.took(CELLS[1], 3_400);
  assert.equal(schedule.expectedMs(CELLS), 4_600);
  assert.equal(schedule.expectedMs([CELLS[0]]), 1_300);
  assert.equal(schedule.expectedMs([]), 0);
});
