import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { refuseLocal } from "../../cli/experiment/plan.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { type Cell, planBlocks } from "../../scenarios/plan/plan.ts";
import { thrown } from "../thrown.ts";

function cellsOf(follow: number | { hops: number; hosts: string[] }): readonly Cell[] {
  const experiment = experimentSpecWith().parse({
    name: "followed",
    targets: { api: { app: "api" } },
    scenarios: { first: { get: "/static" }, second: { get: "/static", follow } },
  });
  return planBlocks(experiment, { seed: 1 }).cells;
}

Deno.test("redirects within the target may be followed from other machines", () => {
  refuseLocal(cellsOf(3));
});

Deno.test("redirects to other hosts may not be followed from other machines", () => {
  const cells = cellsOf({ hops: 3, hosts: ["https://a.test"] });
  const error = thrown(UserError, () => refuseLocal(cells));
  assert.match(
    error.lines.join("\n"),
    /^--agents: Cannot follow redirects to other hosts from other machines: scenario second names other hosts/,
  );
});

Deno.test("data of users may not be renewed for other machines", () => {
  const refresh = { every: 1_000, by: "refresh.by" };
  const error = thrown(UserError, () => refuseLocal(cellsOf(3), { refresh }));
  assert.match(
    error.lines.join("\n"),
    /^--agents: Cannot refresh the data of users on other machines/,
  );
});
