import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { bottleneckSentence } from "../../report/findings/bottleneck.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Counters } from "../../runner/result/runtime/counters.ts";
import { resultsFixture } from "./fixture.ts";
import { chartsIn, saidAs } from "./said.ts";

const COUNTERS: Counters = {
  processes: [{
    pid: 1,
    runtime: "node v20.20.2",
    collections: 120,
    collectionMs: 90,
    stoppedMs: 90,
    longestMs: 24,
    cpuMs: null,
    delay: { mean: 1.2, max: 53 },
    utilization: 0.4,
    heap: 1e8,
  }],
  points: [],
  collections: [],
  stalls: [{ startS: 1, ms: 50, cpuMs: 50 }],
  slowest: {
    requests: 10,
    collections: { overlapping: 2, expected: 0.4 },
    stalls: { overlapping: 8, expected: 0.6 },
  },
};

/** Of two targets, the first of which is observed where counters are given. */
function modelOf(counters?: Counters): ReturnType<typeof reportModel> {
  const cells = ["<b>api</b>", "other"].map((target) => (
    { target, scenario: "one", medianMs: 2, runs: 2, duration: 3 }
  ));
  const drawn = resultsFixture({ cells });
  return reportModel({
    ...drawn,
    runs: drawn.runs.map((run) =>
      counters && run.target !== "other" ? { ...run, counters, elapsedS: 3 } : run
    ),
  });
}

Deno.test("a cell's pauses are told, with the requests that met them and those by chance", () => {
  const model = modelOf(COUNTERS);
  const [sentence, ...others] = saidAs(model, "verdict/1", "runtime");
  assert.deepEqual(others, []);
  assert.equal(
    sentence.replaceAll(/\s/g, " "),
    "Runtime of <b>api</b>: 240 collections stopped it for 3.00 % of the time; the longest took 24.0 ms; its event loop was " +
      "late by 1.20 ms on average and 53.0 ms at most; of its 20 slowest requests, 20.0 % overlapped a collection " +
      "(4.00 % would by chance) and 80.0 % overlapped a blocked event loop (6.00 % would by chance).",
  );
  assert.match(renderMarkdown(model), /Runtime of .*api.*by chance/);
  const page = renderReportPage([model]);
  assert.match(page, /Runtime of &lt;b&gt;api/);
  assert.doesNotMatch(page, /Runtime of <b>/);
});

Deno.test("of a collection beside the program, how long it stopped it is told apart", () => {
  const collection = { startS: 1, ms: 24, stoppedMs: 0.12, kind: "cycle" } as const;
  const longestOf = (...collections: Counters["collections"]): string => {
    const [sentence] = saidAs(modelOf({ ...COUNTERS, collections }), "verdict/1", "runtime");
    return /the longest took [^,;]+/.exec(sentence.replaceAll(/\s/g, " "))?.[0] ?? "";
  };
  assert.equal(
    longestOf({ ...collection, ms: 3, stoppedMs: 3 }, collection),
    "the longest took 24.0 ms and stopped it for 0.120 ms of that",
  );
  assert.equal(longestOf({ ...collection, stoppedMs: 24 }), "the longest took 24.0 ms");
});

Deno.test("pauses have tracks in the timeline, on the axes of all targets, with gaps where nothing was reported", () => {
  const point = { collections: 1, utilization: null, heap: null };
  const model = modelOf({
    ...COUNTERS,
    points: [
      { ...point, endS: 0.25, stoppedMs: 5, delay: 3 },
      { ...point, endS: 0.75, stoppedMs: 50, delay: null },
    ],
  });
  const timelines = chartsIn(model, "s1/time", "timeline");
  for (const { tracks } of timelines) {
    assert.deepEqual(tracks.map(({ title, axis: { unit } }) => `${title}, ${unit}`).slice(2), [
      "Stopped by collections, ms/s",
      "Event loop late, ms",
    ]);
    const [stopped, late] = tracks.slice(2).map(({ axis }) => axis);
    assert.ok(stopped.max >= 200 && late.max >= 10);
  }
  const valuesOf = (label: string, track: number): (number | null)[] => {
    const at = timelines.findIndex(({ alt }) => alt.includes(label));
    return timelines[at].runs[0].tracks[track].slice(0, 4);
  };
  assert.deepEqual(valuesOf("api", 2), [20, null, 200, null]);
  assert.deepEqual(valuesOf("api", 3), [3, null, null, null]);
  assert.deepEqual(valuesOf("other", 3), [null, null, null, null]);
});

Deno.test("without counters the timeline has no tracks of pauses", () => {
  const [{ tracks, runs }] = chartsIn(modelOf(), "s1/time", "timeline");
  assert.deepEqual(tracks.map(({ title }) => title), ["CPU", "Memory"]);
  assert.ok(runs.every((run) => run.tracks.length === 2));
});

Deno.test("a runtime without an event loop, and one without collections, have no such words", () => {
  const [process] = COUNTERS.processes;
  const quiet = { ...process, collections: 0, stoppedMs: 0, longestMs: 0, delay: null };
  const none = { overlapping: 0, expected: 0 };
  const [sentence] = saidAs(
    modelOf({
      ...COUNTERS,
      processes: [quiet],
      stalls: [],
      slowest: { requests: 0, collections: none, stalls: none },
    }),
    "verdict/1",
    "runtime",
  );
  assert.equal(sentence, "Runtime of <b>api</b>: no collection; no request was slow.");
});

Deno.test("pauses that the slowest requests met no more than by chance are not made their cause", () => {
  const slowest = {
    requests: 10,
    collections: { overlapping: 0, expected: 0 },
    stalls: { overlapping: 0, expected: 5.25 },
  };
  const [sentence] = saidAs(modelOf({ ...COUNTERS, slowest }), "verdict/1", "runtime");
  assert.match(
    sentence.replaceAll(/\s/g, " "),
    /; of its 20 slowest requests, 0 % overlapped a blocked event loop, no more than would by chance \(52\.5 %\)\.$/,
  );
});

Deno.test("slow requests are not held against pauses that there were none of", () => {
  const [process] = COUNTERS.processes;
  const quiet = { ...process, collections: 0, stoppedMs: 0, longestMs: 0, delay: null };
  const none = { overlapping: 0, expected: 0 };
  const sentenceOf = (stalls: typeof none): string => {
    const slowest = { requests: 10, collections: none, stalls };
    const [sentence] = saidAs(
      modelOf({ ...COUNTERS, processes: [quiet], slowest }),
      "verdict/1",
      "runtime",
    );
    return sentence.replaceAll(/\s/g, " ");
  };
  assert.equal(sentenceOf(none), "Runtime of <b>api</b>: no collection.");
  assert.equal(
    sentenceOf({ overlapping: 5, expected: 1 }),
    "Runtime of <b>api</b>: no collection; of its 20 slowest requests, 50.0 % overlapped a blocked event loop " +
      "(10.0 % would by chance).",
  );
});

Deno.test("without counters nothing is said of them", () => {
  assert.deepEqual(saidAs(modelOf(), "verdict/1", "runtime"), []);
});

Deno.test("bottlenecks by pauses have their evidence and an advice", () => {
  const pauses = { ms: 50, share: 0.05, requests: 10, overlapping: 9, expected: 1.2 };
  const sentence = (bottleneck: Parameters<typeof bottleneckSentence>[0]["bottleneck"]): string =>
    bottleneckSentence({ bottleneck }).replaceAll(/\s/g, " ");
  assert.equal(
    sentence({ kind: "blocked-loop", pauses }),
    "Bottleneck: long computations block the target's event loop (for 50.0 ms at a time, 5.00 % of the run; 9 of the 10 " +
      "slowest requests overlap a pause, where 1.2 would by chance); splitting them, or moving them to a worker, will help.",
  );
  assert.equal(
    sentence({ kind: "gc", collectionShare: 0.43 }),
    "Bottleneck: garbage collection takes much of the target's time (43.0 % of its CPU time); fewer objects per request or " +
      "a larger heap will help.",
  );
  assert.match(
    sentence({ kind: "gc", stoppedShare: 0.31 }),
    /garbage collection takes much of the target's time \(31\.0 % of the run\);/,
  );
});
