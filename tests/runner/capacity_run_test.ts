/** What a run searches with, and what later runs learn of it. */
import assert from "node:assert/strict";
import { earlierCapacityOf } from "../../runner/experiment/capacity_run.ts";
import type { RunCapacity } from "../../runner/result/capacity.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { expectedMsOf } from "../../scenarios/load/load.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";

function cellsOf(load: object): Cell[] {
  return planCells(
    experimentSpecWith().parse({
      name: "a",
      targets: { a: { url: "http://127.0.0.1:1" } },
      scenarios: { s: { get: "/" } },
      load,
    }),
  );
}

type SearchedRun = Parameters<typeof earlierCapacityOf>[1][number];

function runWith(
  { target, scenario, parameters }: Cell,
  capacity: RunCapacity["capacity"],
): SearchedRun {
  return { target, scenario, parameters: { ...parameters }, capacity: { capacity } };
}

const WITHIN = { capacity: { within: "p99 < 50ms" } };

Deno.test("a search has the defaults of the command, and factors make cells of it", () => {
  const [few, many, ...others] = cellsOf({ ...WITHIN, connections: [10, 50] });
  assert.equal(others.length, 0);
  assert.deepEqual(few.parameters, { connections: 10 });
  assert.deepEqual(many.parameters, { connections: 50 });
  assert.ok(few.load.kind === "capacity");
  assert.deepEqual(few.load.goal, {
    within: ["p99 < 50ms"],
    width: 0.02,
    trial: [5_000, 30_000],
    recover: 30_000,
    budget: 1_200_000,
  });
});

Deno.test("a search is announced with no more than its budget and its last part", () => {
  const lengthOf = (more: object): number | null =>
    expectedMsOf(cellsOf({ capacity: { ...WITHIN.capacity, ...more } })[0].load);
  assert.equal(lengthOf({ trial: ["1s", "2s"], budget: "10s" }), 12_000);
  assert.ok((lengthOf({ trial: ["1s", "2s"], budget: "1h" }) ?? 0) < 3_600_000);
});

Deno.test("what belongs to other loads is refused at its place, with the fix", () => {
  for (
    const [more, told] of [
      [{ rate: "10/s" }, /with capacity, rate is a share of it/],
      [{ rate: "300% of capacity" }, /up to 200%/],
      [{ duration: "5s" }, /trial and budget limit the search/],
      [{ pipeline: 2 }, /one request in flight/],
      [{ phases: [{ duration: "1s", arrivals: "1/s" }] }, /leave one of them out/],
      [{ capacity: { within: "lag.p99 < 1ms" } }, /Cannot search for a capacity by/],
      [{ capacity: { within: [] } }, /within/],
      [{ capacity: { within: "p99 < 5ms", width: "90%" } }, /from 0\.5% to 50%/],
      [{ capacity: { within: "p99 < 5ms", trial: ["3s", "2s"] } }, /no longer than the longest/],
    ] as const
  ) {
    assert.throws(() => cellsOf({ ...WITHIN, ...more }), told, JSON.stringify(more));
  }
});

Deno.test("later runs start where the earlier ones of their cell found it, whatever one of them did", () => {
  const [few, many] = cellsOf({ ...WITHIN, connections: [10, 50] });
  const found = (low: number, high: number | null) =>
    ({ value: low, low, high, bound: "target" }) as const;
  const runs = [
    runWith(few, found(100, 110)),
    runWith(few, found(105, 120)),
    runWith(few, found(3, 9_000)),
    runWith(few, found(1, null)),
    runWith(few, { ...found(2, 900), bound: "generator" }),
    runWith(few, null),
    runWith(many, found(500, 600)),
  ];
  assert.deepEqual(earlierCapacityOf(few, runs), { low: 100, high: 120 });
  assert.deepEqual(earlierCapacityOf(many, runs), { low: 500, high: 600 });
  assert.equal(earlierCapacityOf(many, runs.slice(0, -1)), null);
});
