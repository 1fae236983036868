import assert from "node:assert/strict";
import type { Timeline } from "../../report/chart.ts";
import { overlaid } from "../../report/subjects/charts/over_time.ts";
import { marksText, timelinesOf } from "../../report/subjects/charts/timelines.ts";
import { type CellRuns, groupRuns } from "../../report/cells/cells.ts";
import { median } from "../../report/writing/spread.ts";
import type { Theme } from "../../report/client/charts/theme.ts";
import { intervalAt, momentAt, startOf } from "../../report/client/timeline/axis.ts";
import { framedRuns, framedTargets, overTimeConfig } from "../../report/client/timeline/frames.ts";
import { placedLabels } from "../../report/client/timeline/marks.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { randomFrom } from "./intervals.ts";

const THEME: Theme = {
  ink: "#000000",
  muted: "#000000",
  paper: "#000000",
  link: "#000000",
  steady: "#000000",
  alarm: "#000000",
  font: "serif",
  color: () => "#000000",
  heat: () => "#000000",
};
const MARKS = { range: null, moment: null, track: null };

/** Ends 50 ms early: its last interval is shorter than the others. */
function cutShort(run: Run): Run {
  const points = run.timeline.points.map((point, i, all) =>
    i === all.length - 1 ? { ...point, endS: point.endS - 0.05 } : point
  );
  return { ...run, elapsedS: run.elapsedS - 0.05, timeline: { ...run.timeline, points } };
}

const RESULTS = resultsFixture({
  cells: [
    { target: "hono", scenario: "static", medianMs: 2, runs: 4, warmUp: 3 },
    { target: "koa", scenario: "static", medianMs: 4, runs: 3, timeoutRatio: 0.02 },
  ],
});
const CUT: Results = { ...RESULTS, runs: RESULTS.runs.map(cutShort) };

function chartsOf(results: Results): { cells: readonly CellRuns[]; charts: Timeline[] } {
  const [{ cells }] = groupRuns(results);
  return { cells, charts: timelinesOf(cells, results) };
}

Deno.test("every value is a step from the true start of its interval to its true end", () => {
  for (const chart of chartsOf(CUT).charts) {
    const { data: { datasets } } = overTimeConfig(framedRuns(chart), THEME, MARKS);
    const rate = datasets.find(({ yAxisID }) => yAxisID === "rate");
    const points = rate?.data ?? [];
    let at = 0;
    for (const [i, { t, rate }] of chart.runs.entries()) {
      const start = startOf(chart, i);
      for (const [k, endS] of t.entries()) {
        const [from, to] = [points[at++], points[at++]];
        assert.deepEqual(from, { x: start + (k === 0 ? 0 : t[k - 1]), y: rate[k] });
        assert.deepEqual(to, { x: start + endS, y: rate[k] });
      }
      assert.equal(t.at(-1), 2.95);
      assert.deepEqual([points[at++].y, points[at++].y], [null, null]);
    }
    assert.equal(at, points.length);
    for (const { data } of datasets) assert.equal(data.length, points.length);
  }
});

Deno.test("a moment lies in the interval that holds it, between runs in the last one before", () => {
  const [chart] = chartsOf(CUT).charts;
  const at = (value: number): [number, number] => {
    const moment = momentAt(chart, value, null);
    return [moment.run, intervalAt(chart, moment)];
  };
  assert.deepEqual(at(0), [0, 0]);
  assert.deepEqual(at(0.2501), [0, 1]);
  assert.deepEqual(at(2.949), [0, 11]);
  assert.deepEqual(at(startOf(chart, 1) - 0.01), [0, 11]);
  assert.deepEqual(at(startOf(chart, 1) + 0.01), [1, 0]);
});

Deno.test("the overlay's band holds every run at each interval, and its line is their median", () => {
  const { cells, charts } = chartsOf(CUT);
  charts.forEach((chart, at) => {
    const { runs, runs: [{ t }] } = chart;
    const [p50, p99] = [0, 3].map((p) => overlaid(runs, t, ({ latency }) => latency[p]));
    const rate = overlaid(runs, t, ({ rate }) => rate);
    cells[at].runs.forEach(({ timeline: { points } }) =>
      points.forEach((point, i) => {
        for (const [band, ms] of [[p50[i], point.p50], [p99[i], point.p99]] as const) {
          assert.ok(band && band.low <= ms * 1.0006 && band.high >= ms * 0.9994);
        }
      })
    );
    t.forEach((_, i) => {
      assert.equal(rate[i]?.middle, median(chart.runs.map((run) => run.rate[i])));
      assert.equal(p50[i]?.middle, median(chart.runs.map((run) => run.latency[0][i] ?? 0)));
    });
  });
});

Deno.test("an interval that some runs lack is the median of the others, and none of none", () => {
  const [chart] = chartsOf(RESULTS).charts;
  const [first, second] = chart.runs;
  const shorter = { ...second, t: second.t.slice(0, 2), rate: second.rate.slice(0, 2) };
  const empty = first.latency.map((values) => values.map((value, i) => i === 5 ? null : value));
  const rate = overlaid([shorter, first], first.t, ({ rate }) => rate);
  assert.equal(rate.length, first.t.length);
  assert.deepEqual(rate[2], { middle: first.rate[2], low: first.rate[2], high: first.rate[2] });
  const p50Of = ({ latency: [p50] }: typeof first) => p50;
  const both = overlaid([second, { ...first, latency: empty }], first.t, p50Of);
  assert.equal(both[5]?.middle, second.latency[0][5]);
  assert.equal(overlaid([{ ...first, latency: empty }], first.t, p50Of)[5], null);
});

Deno.test("the overlay draws the targets that it is given, each median with its band", () => {
  const { charts } = chartsOf(RESULTS);
  const shown = charts.map((chart, i) => ({ label: `target ${i}`, chart }));
  const configOf = (targets: typeof shown) => overTimeConfig(framedTargets(targets), THEME, MARKS);
  const named = (targets: typeof shown) =>
    configOf(targets).data.datasets.map(({ label }) => label).filter(Boolean);
  assert.deepEqual(named(shown), [
    ...["target 0, p50, ms", "target 1, p50, ms", "target 0, p99, ms", "target 1, p99, ms"],
    ...["target 0, served/s", "target 1, served/s", "target 1, failed/s"],
  ]);
  assert.equal(named(shown.slice(1)).length, 4);
  const { x: _, ...tracks } = configOf(shown).options?.scales ?? {};
  assert.equal(Object.keys(tracks).length, 3);
  for (const [name, track] of Object.entries(tracks)) {
    assert.ok(track && "stacked" in track && track.stacked === false, `${name} adds up its lines`);
  }
});

Deno.test("failed requests stand beside the served ones, of an open loop the offered ones too", () => {
  const [hono, koa] = chartsOf(RESULTS).charts;
  assert.deepEqual([hono.offered, koa.offered], [[], []]);
  assert.equal(hono.runs[0].failed, undefined);
  const { points } = RESULTS.runs.filter(({ target }) => target === "koa")[0].timeline;
  assert.deepEqual(koa.runs[0].failed, points.map(({ failed }) => failed / 0.25));
  const at = (load: Partial<Run["load"]>): Results => ({
    ...RESULTS,
    runs: RESULTS.runs.map((run) => ({ ...run, load: { ...run.load, ...load } as Run["load"] })),
  });
  const open = chartsOf(at({ kind: "rate", rate: 90_000, durationS: 3 })).charts;
  assert.deepEqual(open[0].offered, [{ fromS: 0, toS: 3, from: 90_000, to: 90_000 }]);
  assert.ok(open[0].rate.max >= 90_000, "the axis holds what is offered");
  const phases = [{ durationS: 1, from: 50, to: 50 }, { durationS: 2, from: 50, to: 600 }];
  const [{ offered, marks }] = chartsOf(at({ kind: "phases", phases })).charts;
  assert.deepEqual(offered, [
    { fromS: 0, toS: 1, from: 50, to: 50 },
    { fromS: 1, toS: 3, from: 50, to: 600 },
  ]);
  assert.deepEqual(marks, [{ atS: 0, label: "50/s" }, { atS: 1, label: "50 → 600/s" }]);
  const stages = [{ durationS: 1, from: 1, to: 9 }, { durationS: 2, from: 9, to: 9 }];
  const [staged] = chartsOf(at({ kind: "closed", stages })).charts;
  assert.deepEqual(staged.offered, []);
  assert.deepEqual(staged.marks, [
    { atS: 0, label: "1 → 9 connections" },
    { atS: 1, label: "9 connections" },
  ]);
});

Deno.test("users who send several requests each offer no known rate", () => {
  const runs = RESULTS.runs.map((run) => ({
    ...run,
    load: { ...run.load, kind: "rate", rate: 100, durationS: 3 } as Run["load"],
    sessions: {
      created: run.requests.due / 2,
      completed: 0,
      failed: 0,
      unfinished: 0,
      length: run.connect,
    },
  }));
  assert.deepEqual(chartsOf({ ...RESULTS, runs }).charts[0].offered, []);
});

Deno.test("an added instance and the discarded part are marked, in a cluster behind a proxy too", () => {
  const experiment = {
    ...RESULTS.experiment,
    discard: 750,
    targets: {
      hono: { cluster: { of: "app", instances: 2, add: { at: 2_000, instances: 1 } } },
      koa: { proxy: { origin: "hono" } },
    },
  };
  const { charts } = chartsOf({ ...RESULTS, experiment });
  for (const { marks, runs, isLabelled } of charts) {
    assert.deepEqual(marks, [{ atS: 2, label: "+1 instance" }]);
    assert.ok(isLabelled && runs.every(({ discardedS }) => discardedS === 0.75));
  }
  assert.equal(
    marksText(charts).replaceAll("\u00a0", " "),
    "Marked: +1 instance at 2 s. Hatched: the start of each run, which no figure counts (0.75 s).",
  );
  assert.equal(marksText(chartsOf(RESULTS).charts), "");
});

Deno.test("labels stay in their runs and apart, and find room in the order of their importance", () => {
  const random = randomFrom(7);
  for (let round = 0; round < 500; round++) {
    const right = 60 + random() * 400;
    const labels = Array.from({ length: 6 }, (_, i) => ({
      text: `label ${i}`,
      width: 10 + random() * 70,
      at: random() * right,
      left: 0,
      right,
    }));
    const placed = placedLabels(labels, 2);
    const fits = labels[0].width <= right;
    assert.equal(placed[0]?.text === "label 0", fits);
    placed.forEach((one, i) => {
      assert.ok(one.left >= 0 && one.right <= right + 1e-9);
      for (const other of placed.slice(i + 1)) {
        assert.ok(one.row !== other.row || one.right < other.left || other.right < one.left);
      }
    });
  }
});
