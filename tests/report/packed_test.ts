import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import { unpackSteps } from "../../report/subjects/charts/packing.ts";
import { rangeFigures } from "../../report/subjects/charts/time_range.ts";
import { reportModel } from "../../report/model.ts";
import { sum } from "../../report/writing/spread.ts";
import { packScenarios } from "../../report/render/html/packed_intervals.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";

const RESULTS = resultsFixture({
  cells: [
    { target: "hono", scenario: "static", medianMs: 2, runs: 2, warmUp: 3 },
    { target: "express", scenario: "static", medianMs: 5, runs: 2, timeoutRatio: 0.01 },
  ],
});
const [SCENARIO] = reportModel(RESULTS).context.scenarios;

/** Characters of the results' own histograms. */
const characters = sum(
  RESULTS.runs,
  ({ timeline }) => sum(timeline.points, ({ histogram }) => histogram.length),
);

const PAGES = [
  { says: "a page with room has a step for every interval", room: 1, seconds: 0.25, steps: 12 },
  { says: "a fuller page takes four intervals together", room: 0.3, seconds: 1, steps: 3 },
  { says: "a page without room has one step a run", room: 0, seconds: 4, steps: 1 },
];

for (const { says, room, seconds, steps } of PAGES) {
  Deno.test(`${says}, and its percentiles are those of the results`, () => {
    const packed = packScenarios(new Map([["s", SCENARIO]]), room * characters).get("s");
    assert.equal(packed?.seconds, seconds);
    const cells = unpackSteps(inflateSync(Buffer.from(packed.packed, "base64")));
    cells.forEach((cell, i) => {
      assert.deepEqual(cell.map(({ length }) => length), [steps, steps]);
      const { runs } = SCENARIO.cells[i];
      const toS = Math.max(1, seconds);
      const points = runs.flatMap(({ timeline }) =>
        timeline.points.filter(({ endS }) => endS <= toS)
      );
      const whole = mergeHistograms(points.map(({ histogram }) => decodeSparse(histogram)));
      assert.deepEqual(
        rangeFigures({ clock: "sent", runs: cell }, { fromS: 0, toS }, [50, 90, 99]).percentiles
          .map((p) => p?.ms),
        [50, 90, 99].map((p) => whole.valueAtPercentile(p) / 1_000),
      );
    });
  });
}

Deno.test("requests that failed without a time-out are no lower bounds", () => {
  const results = structuredClone(RESULTS);
  for (const { timeline } of results.runs) {
    for (const point of timeline.points) {
      if (point.failed > 0) point.errors = { reset: point.failed };
    }
  }
  const [scenario] = reportModel(results).context.scenarios;
  const packed = packScenarios(new Map([["s", scenario]]), characters).get("s")?.packed ?? "";
  const steps = unpackSteps(inflateSync(Buffer.from(packed, "base64"))).flat(2);
  assert.ok(sum(steps, ({ failed }) => failed) > 0);
  assert.equal(sum(steps, ({ bounds }) => bounds.count), 0);
});

Deno.test("what all runs take is foretold by some of them", () => {
  const cells = [1, 2, 5, 20].map((medianMs) => ({
    ...{ target: `of ${medianMs} ms`, scenario: "static", medianMs, runs: 12 },
  }));
  const [scenario] = reportModel(resultsFixture({ cells })).context.scenarios;
  const sizeAt = (most?: number): number =>
    sum(
      [...packScenarios(new Map([["s", scenario]]), most).values()],
      ({ packed }) => packed.length,
    );
  const whole = sizeAt(Infinity);
  for (const share of [0.9, 0.6, 0.4]) {
    const size = sizeAt(share * whole);
    assert.ok(size < whole && size <= 1.05 * share * whole, `${size} of ${whole} for ${share}`);
  }
});
