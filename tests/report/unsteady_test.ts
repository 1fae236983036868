import assert from "node:assert/strict";
import { unsteadyOf, unsteadyText } from "../../report/cells/cells.ts";
import type { SteadyLabel } from "../../runner/stats/steady_state/steady_state.ts";

const runs = (...labels: SteadyLabel[]) =>
  labels.map((label) => ({ warmup: { label, steadyFromS: null } }));

Deno.test("a cell is unsteady when more than half of its runs have no steady state", () => {
  const found = unsteadyOf(runs("no-steady-state", "flat", "no-steady-state"));
  assert.deepEqual(found, { count: 2, of: 3 });
});

Deno.test("a cell is not unsteady when half of its runs have no steady state", () =>
  assert.equal(unsteadyOf(runs("no-steady-state", "flat")), null));

Deno.test("runs of a load that changes, and no runs at all, are not unsteady", () => {
  assert.equal(unsteadyOf([{ warmup: null }]), null);
  assert.equal(unsteadyOf([]), null);
});

Deno.test("unsteady runs are counted, but for the only one", () => {
  assert.equal(unsteadyText({ count: 4, of: 5 }), "no steady state in 4 of 5 runs: run longer");
  assert.equal(unsteadyText({ count: 1, of: 1 }), "no steady state: run longer");
});
