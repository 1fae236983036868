/** A run of which intervals were joined stands beside shorter runs, whose intervals are shorter. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import { overlaid } from "../../report/subjects/charts/over_time.ts";
import { unpackSteps } from "../../report/subjects/charts/packing.ts";
import { timelinesOf } from "../../report/subjects/charts/timelines.ts";
import { reportModel } from "../../report/model.ts";
import { sum } from "../../report/writing/spread.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { packScenarios } from "../../report/render/html/packed_intervals.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { sumOfSparse } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";

type Point = Run["timeline"]["points"][number];

/** Two neighbours as one. Percentiles are those of the second: nothing here reads them. */
function joined(one: Point, next: Point = one): Point {
  if (one === next) return one;
  const histograms = [one, next].flatMap(({ histogram }) => histogram || []);
  return {
    ...next,
    completed: one.completed + next.completed,
    failed: one.failed + next.failed,
    ...one.errors &&
      { errors: { timeout: (one.errors.timeout ?? 0) + (next.errors?.timeout ?? 0) } },
    bytes: one.bytes + next.bytes,
    histogram: encodeHistogram(sumOfSparse(histograms.map(decodeSparse))),
    censoredHistogram: undefined,
  };
}

function widened(run: Run): Run {
  const { intervalS, points } = run.timeline;
  const wide = points.flatMap((point, i) => i % 2 === 0 ? [joined(point, points[i + 1])] : []);
  return { ...run, timeline: { intervalS: 2 * intervalS, points: wide } };
}

const RESULTS = resultsFixture({
  cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 2, timeoutRatio: 0.05 }],
});
const [first, second] = RESULTS.runs;
/** The second run is longer by an interval, so that its intervals were joined. */
const LONGER: Run = {
  ...second,
  elapsedS: second.elapsedS + 0.25,
  timeline: {
    ...second.timeline,
    points: [...second.timeline.points, {
      ...first.timeline.points[0],
      endS: second.elapsedS + 0.25,
    }],
  },
};
const MIXED: Results = { ...RESULTS, runs: [first, widened(LONGER)] };

Deno.test("the median over runs of different intervals is of the same moments", () => {
  const [{ cells }] = groupRuns(MIXED);
  const [chart] = timelinesOf(cells, MIXED);
  const rate = overlaid(chart.runs, chart.runs[1].t, ({ rate }) => rate);
  const [fine, wide] = chart.runs;
  rate.forEach((band, i) => {
    const own = fine.rate.filter((_, at) => Math.floor(at / 2) === i);
    const middle = own.length === 0 ? wide.rate[i] : sum(own, (value) => value / own.length);
    assert.ok(band && Math.min(middle, wide.rate[i]) - 1e-9 <= band.low + 1e-6);
    assert.ok(band && band.high <= Math.max(...own, wide.rate[i]) + 1e-6);
  });
});

Deno.test("a page packs runs of different intervals in steps of one length", () => {
  const [scenario] = reportModel(MIXED).context.scenarios;
  const packed = packScenarios(new Map([["s", scenario]])).get("s");
  assert.equal(packed?.seconds, 0.5);
  const [cell] = unpackSteps(inflateSync(Buffer.from(packed.packed, "base64")));
  for (const steps of cell) {
    assert.ok(steps.slice(0, -1).every(({ seconds }) => Math.abs(seconds - 0.5) < 1e-9));
  }
  assert.equal(
    sum(cell.flat(), ({ completed }) => completed),
    sum(MIXED.runs, (run) => sum(run.timeline.points, ({ completed }) => completed)),
  );
});
