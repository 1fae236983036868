import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import {
  HEAT_SHARES,
  heatEdgesUs,
  type Heatmap,
  heatmapOf,
  heatOf,
  heatText,
} from "../../report/subjects/charts/heatmap.ts";
import {
  type CellSteps,
  type PackedStep,
  unpackSteps,
} from "../../report/subjects/charts/packing.ts";
import { reportModel } from "../../report/model.ts";
import { sum } from "../../report/writing/spread.ts";
import { packScenarios } from "../../report/render/html/packed_intervals.ts";
import type { Results } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { lowestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { resultsFixture } from "./fixture.ts";
import { said } from "./said.ts";

const MS = { name: "ms", size: 1, decimals: 3 };

const RESULTS = resultsFixture({
  cells: [
    { target: "hono", scenario: "static", medianMs: 2, runs: 2, warmUp: 3 },
    { target: "koa", scenario: "static", medianMs: 4, runs: 3, timeoutRatio: 0.02 },
  ],
});

function cellsOf(results: Results): CellSteps[] {
  const [scenario] = reportModel(results).context.scenarios;
  const [packed] = packScenarios(new Map([["s", scenario]])).values();
  return unpackSteps(inflateSync(Buffer.from(packed.packed, "base64")));
}

function total(values: Iterable<number>): number {
  return sum([...values], (value) => value);
}

Deno.test("every request of a run is in its heatmap, once, in the interval in which it ended", () => {
  const cells = cellsOf(RESULTS);
  const edgesUs = heatEdgesUs(cells);
  const targets = reportModel(RESULTS).context.scenarios[0].cells.map(({ label }) => label);
  cells.forEach((runs, cell) => {
    const { runs: columns } = heatmapOf(runs, edgesUs);
    RESULTS.runs.filter(({ target }) => target === targets[cell]).forEach((run, at) => {
      const { points } = run.timeline;
      assert.equal(columns[at].length, points.length);
      points.forEach(({ completed, failed, endS }, i) => {
        assert.equal(total(columns[at][i].counts), completed + failed);
        assert.equal(columns[at][i].total, completed + failed);
        assert.equal(total(columns[at][i].bounds), failed);
        assert.ok(Math.abs(columns[at][i].toS - endS) < 1e-9);
      });
    });
  });
});

Deno.test("a row counts the requests between its edges, as the results have them", () => {
  const cells = cellsOf(RESULTS);
  const edgesUs = heatEdgesUs(cells);
  const targets = reportModel(RESULTS).context.scenarios[0].cells.map(({ label }) => label);
  const { runs, lowest } = heatmapOf(cells[0], edgesUs);
  const { timeline: { points } } = RESULTS.runs.filter(({ target }) => target === targets[0])[0];
  points.forEach(({ histogram }, i) => {
    const { indices, counts } = decodeSparse(histogram);
    for (let row = lowest; row < edgesUs.length - 1; row++) {
      const from = row === lowest ? 0 : edgesUs[row];
      const expected = sum([...indices.keys()], (at) => {
        const us = lowestUsOf(indices[at]);
        return us >= from && us < edgesUs[row + 1] ? counts[at] : 0;
      });
      assert.equal(runs[0][i].counts[row], expected, `row ${row} of interval ${i}`);
    }
  });
});

function step(
  seconds: number,
  valuesUs: readonly number[],
  boundsUs: readonly number[] = [],
): PackedStep {
  const [latency, bounds] = [[...valuesUs, ...boundsUs], boundsUs].map((values) => {
    const histogram = new Histogram();
    for (const us of values) histogram.record(us);
    return histogram.toSparse();
  });
  return { seconds, completed: valuesUs.length, failed: boundsUs.length, latency, bounds };
}

/** 4–4.25 s of a run in miniature: two requests of 8.5 ms, one of 9.9 ms, one of 3 ms, and one that timed out at 12 ms. */
const STEPS = [[
  step(0.25, [3_000, 3_000]),
  step(0.25, [8_500, 8_500, 9_900, 3_000], [12_000]),
  step(0.25, []),
  step(0.1, [3_000]),
]];

function heat(): Heatmap {
  return heatmapOf(STEPS, heatEdgesUs([STEPS]));
}

Deno.test("rows have round edges around all latencies, and columns are as long as their steps", () => {
  const { edgesUs, runs } = heat();
  assert.equal(edgesUs[0], 2_800);
  assert.equal(edgesUs.at(-1), 12_500);
  assert.deepEqual(runs[0].map(({ toS }) => Number(toS.toFixed(9))), [0.25, 0.5, 0.75, 0.85]);
  assert.deepEqual(runs[0].map(({ total }) => total), [2, 5, 0, 1]);
});

Deno.test("edges are coarser where latencies span decades, and never too many", () => {
  for (const highest of [10, 1e3, 1e5, 1e7, 3.6e9]) {
    const edges = heatEdgesUs([[[step(1, [3, highest])]]]);
    assert.ok(edges.length > 4 && edges.length <= 52, `${edges.length}`);
    assert.ok(edges[0] <= 3 && (edges.at(-1) ?? 0) > highest);
  }
  assert.deepEqual(heatEdgesUs([[[step(1, [])]]]), [1, 10]);
});

Deno.test("a place reads as its latencies, its share, and how many of it took longer", () => {
  const map = heat();
  const text = (column: number, us: number) =>
    heatText(map, map.runs[0][column], {
      row: map.edgesUs.findLastIndex((edge) => edge <= us),
      unit: MS,
    }).replaceAll("\u00a0", " ");
  assert.equal(text(1, 8_500), "2 requests between 8 and 9 ms, 40.0 % of 5.");
  assert.equal(text(1, 3_000), "1 request under 3.15 ms, 20.0 % of 5.");
  assert.equal(text(0, 8_500), "no requests between 8 and 9 ms.");
  assert.equal(
    text(1, 12_000),
    "1 request between 11.2 and 12.5 ms, 20.0 % of 5. 1 of them took longer: it had no response by then.",
  );
  assert.equal(text(2, 3_000), "no request ended.");
});

Deno.test("a colour stands for the shares from its own on", () => {
  assert.equal(heatOf(0, 100), -1);
  HEAT_SHARES.forEach((share, i) => assert.equal(heatOf(Math.max(1, share * 1e6), 1e6), i));
  assert.equal(heatOf(5, 5), HEAT_SHARES.length - 1);
});

const EVEN = resultsFixture({
  cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 3 }],
});
const SLOW = Array.from({ length: 5_000 }, () => 90_000);
const ALIKE = Array.from({ length: 500 }, () => 250_000);

type Points = Results["runs"][number]["timeline"]["points"];

const BURSTS: Readonly<
  Record<string, readonly [finding: RegExp, of: (points: Points, run: number) => Points]>
> = {
  "even requests are not slow in bursts": [/^No target is slow in bursts/, (points) => points],
  // As many as are slow in all other intervals together, and more.
  "slow requests in one interval are found there": [
    /^Half of the slowest 1 % of hono ended in 1 of 36 intervals, at 1–1.25 s of run 2\.$/,
    (points, run) =>
      points.map((point, i) =>
        run === 1 && i === 4
          ? { ...point, histogram: encodeHistogram(step(0.25, SLOW).latency) }
          : point
      ),
  ],
  "runs without intervals tell of no bursts, however many requests they had": [
    /^Whether slow requests come in bursts is unknown: .* requests, but none has more than 0 in its intervals\.$/,
    () => [],
  ],
};

for (const [says, [finding, of]] of Object.entries(BURSTS)) {
  Deno.test(says, () => {
    const runs = EVEN.runs.map((run, i) => ({
      ...run,
      timeline: { ...run.timeline, points: of(run.timeline.points, i) },
    }));
    assert.match(said(reportModel({ ...EVEN, runs }), "s1/latency")[0].text, finding);
  });
}

Deno.test("where all requests take as long, none of them are slow in bursts", () => {
  const [{ latency, ...run }] = EVEN.runs;
  const histogram = encodeHistogram(step(0.25, ALIKE).latency);
  const points = run.timeline.points.map((point) => ({
    ...{ ...point, completed: 500, failed: 0, histogram },
  }));
  const alike = {
    ...run,
    latency: { ...latency, percentiles: { ...latency.percentiles, "99": 250 } },
    timeline: { ...run.timeline, points },
  };
  const [finding] = said(reportModel({ ...EVEN, runs: [alike] }), "s1/latency");
  assert.match(finding.text, /^No target is slow in bursts/);
});
