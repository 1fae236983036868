/** CPU time of both sides between two readings. */
import assert from "node:assert/strict";
import { cpuPerRequestUs } from "../../report/figures/resources.ts";
import { ownEvidence } from "../../runner/slices/session.ts";
import { usedBetween } from "../../runner/slices/side_cpu.ts";
import { bottleneckOf } from "../../runner/trust/bottleneck.ts";
import { slicedSides } from "../report/sliced.ts";

Deno.test("CPU time of a side is what its processes used since the reading before", () => {
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130], [2, 9]])), 32);
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130]])), 30);
  assert.equal(usedBetween(new Map([[1, 100]]), new Map()), null);
});

Deno.test("a process that was found late puts no time of earlier slices into the one at hand", () => {
  assert.equal(usedBetween(new Map([[1, 100]]), new Map([[1, 130], [2, 400]])), null);
  assert.equal(usedBetween(new Map([[1, 130], [2, 400]]), new Map([[1, 160], [2, 450]])), 80);
});

Deno.test("a bottleneck in slices has the CPU time of a request that its figures have", () => {
  const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 40, ratio: 1, restless: 0.1 });
  assert.ok(run.slices);
  const ownUs = cpuPerRequestUs(run) ?? NaN;
  // Over both sides' turns it is less than half.
  const cpu = 0.4 * run.rate * ownUs / 1e6;
  const use = { processes: 1, cores: 2, cpu, waiting: 0.2 * cpu, nice: 0, throttled: null };
  const generator = ownEvidence({ ...run.generator, target: use }, run.slices);
  const { cpuPerRequest = NaN } = bottleneckOf({ ...run, generator });
  assert.ok(Math.abs(1_000 * cpuPerRequest / ownUs - 1) < 0.01, `${cpuPerRequest} ${ownUs}`);
  const { target } = generator;
  assert.ok(target && Math.abs(target.waiting / target.cpu - 0.2) < 1e-9);
});
