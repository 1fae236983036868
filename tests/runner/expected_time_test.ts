import assert from "node:assert/strict";
import { ExpectedTime } from "../../runner/experiment/expected_time.ts";
import { TRIAL_MS } from "../../runner/slices/lengths.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planCells } from "../../scenarios/plan/plan.ts";

/** Two targets, each asked for 1 s and for 3 s. */
const [A1, A3, B1, B3] = planCells(
  experimentSpecWith().parse({
    name: "timed",
    targets: { a: { app: "api" }, b: { app: "api" } },
    scenarios: { static: { get: "/static" } },
    load: { duration: ["1s", "3s"] },
  }),
);

Deno.test("before the first run each is expected to take its load and a little", () => {
  const guessed = new ExpectedTime("shuffled").expectedMs([A1, A3]);
  assert.ok(guessed > 4_000 && guessed < 6_000, String(guessed));
  assert.equal(new ExpectedTime("shuffled").expectedMs([]), 0);
});

Deno.test("what starts more servers, or larger ones, is expected to take longer to start", () => {
  const add = { at: "1s", ahead: true };
  const cells = planCells(
    experimentSpecWith().parse({
      name: "started",
      targets: {
        one: { app: "api" },
        proxied: { proxy: { origin: "one" } },
        several: { cluster: { of: "one" } },
        large: { framework: "express" },
        larger: { cluster: { of: "large" } },
        largest: { cluster: { of: "large", add } },
      },
      scenarios: { static: { get: "/static" } },
      load: { duration: "1s" },
    }),
  );
  const [one, proxied, several, large, larger, largest] = cells
    .map((cell) => new ExpectedTime("shuffled").expectedMs([cell]));
  assert.ok(one < proxied && proxied < several, `${[one, proxied, several]}`);
  assert.ok(large < larger && larger < largest, `${[large, larger, largest]}`);
  assert.ok(one < large && several < larger, `${[one, large, several, larger]}`);
});

Deno.test("a cell is expected to take what its runs took", () => {
  const expected = new ExpectedTime("shuffled");
  expected.took(A1, 1_200);
  expected.took(A1, 1_400);
  expected.took(A3, 3_400);
  assert.equal(expected.expectedMs([A1]), 1_300);
  assert.equal(expected.expectedMs([A1, A3, A3]), 1_300 + 2 * 3_400);
});

Deno.test("a cell that has not run starts and stops as others of its target, or else as any", () => {
  const expected = new ExpectedTime("shuffled");
  expected.took(A1, 3_000);
  assert.equal(expected.expectedMs([A3]), 5_000);
  assert.equal(expected.expectedMs([B3]), 5_000);
  expected.took(B1, 1_100);
  assert.equal(expected.expectedMs([A3]), 5_000);
  assert.equal(expected.expectedMs([B3]), 3_100);
});

Deno.test("in slices the pauses take time, and so does finding the lengths, once", () => {
  const [apart, inTurns] = (["shuffled", "slices"] as const).map((order) =>
    new ExpectedTime(order)
  );
  const [once, twice] = [[A3, B3], [A3, B3, A3, B3]].map((cells) => inTurns.expectedMs(cells));
  assert.ok(twice - once > apart.expectedMs([A3, B3]) + 0.08 * 6_000, `${once} ${twice}`);
  assert.ok(once - inTurns.trialMs([A3, B3]) === twice - once, `${once} ${twice}`);
  assert.ok(inTurns.trialMs([A3, B3]) > TRIAL_MS);
  for (const cell of [A3, B3]) inTurns.took(cell, 5_000);
  assert.equal(inTurns.expectedMs([A3, B3, A3, B3]), 20_000);
});
