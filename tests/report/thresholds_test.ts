/** A gate opens by evidence: what measurements show of a threshold, and what they can't. */
import assert from "node:assert/strict";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import {
  type Gate,
  gatesOf,
  judgeTogether,
  measurementGates,
  worstOf,
} from "../../report/judge/thresholds.ts";
import type { Reason } from "../../report/judge/reasons.ts";
import { type Evidence, fact, tested } from "../../report/judge/rules.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { survivors } from "./concluded.ts";
import { resultsFixture } from "./fixture.ts";
import {
  answered,
  endOf,
  gatesIn,
  judge,
  judgedOf,
  repeated,
  thresholdsOf,
  timed,
  type Times,
} from "./gated.ts";
import { around, resultsAt } from "./rates.ts";

type Row = readonly [text: string, end: string, sentence: string, measurement: Measurement];

function inOneInterval(measurement: Measurement): Measurement {
  const { timeline } = measurement;
  return { ...measurement, timeline: { ...timeline, points: timeline.points.slice(0, 1) } };
}

const PERCENTILES: readonly Row[] = [
  ["p99.99 < 500ms", "few-requests", "40 requests have no p99.99", timed([[40, 5]])],
  ["p99.9 < 50ms", "few-requests", "1,000 requests have no p99.9", timed([[1_000, 5]])],
  ["p99.99 < 500ms", "fail", "40 that all took longer show that it is longer", timed([[40, 700]])],
  ["p99 < 50ms", "pass", "none of 20,000 requests took as long", timed([[20_000, 5]])],
  ["p99 < 49ms", "few-clusters", "ten slow ones may come at once", timed([[1_000, 5]])],
  ["p99 < 50ms", "pass", "none of 40 intervals came near a tenth of it", timed([[1_000, 5]])],
  ["p99 < 50ms", "pass", "none took a tenth as long in 10 s", inOneInterval(timed([[1_000, 5]]))],
  ["p99 < 49ms", "short-run", "they are not far enough below", inOneInterval(timed([[1_000, 5]]))],
  ["p99 < 50ms", "pass", "0.3 % of 4,000 took longer", timed([[3_988, 5], [12, 90]])],
  ["p99 < 50ms", "more-requests", "0.8 % of 1,000 may be luck", timed([[992, 5], [8, 90]])],
  ["p99 < 50ms", "pass", "0.5 % of 10,000 took longer", timed([[9_950, 5], [50, 90]])],
  ["p99 < 50ms", "more-requests", "exactly 1 % took longer", timed([[990, 5], [10, 90]])],
  ["p99 < 50ms", "fail", "3 % took longer", timed([[970, 5], [30, 90]])],
  ["p99 < 90ms", "fail", "3 % took just as long", timed([[970, 5], [30, 90]])],
  ["p99 <= 90ms", "pass", "none took longer", timed([[19_400, 5], [600, 90]])],
  ["p99 > 50ms", "pass", "3 % took longer", timed([[970, 5], [30, 90]])],
  ["p99 > 50ms", "fail", "none of 40 intervals came near a tenth of it", timed([[1_000, 5]])],
  ["p99 > 90ms", "fail", "none took longer", timed([[19_400, 5], [600, 90]])],
  ["p99 >= 90ms", "pass", "3 % took just as long", timed([[970, 5], [30, 90]])],
  ["p50 >= 50ms", "fail", "few took as long", timed([[900, 5], [100, 90]])],
  ["firstByte.p99 < 50ms", "pass", "the p99.9 is below, too", timed([[20_000, 5], [10, 900]])],
  ["connect.p99 < 50ms", "few-requests", "20 connections have no p99", timed([[20, 5]])],
];

/** As older results have it, which say only how many requests never ended. */
function uncounted({ censoredHistogram: _, ...older }: Measurement): Measurement {
  return older;
}

const BOUNDS: readonly Row[] = [
  ["p50 < 500ms", "requests-open", "half never ended", timed([[550, 140]], [[550, 200]])],
  [
    "p50 < 500ms",
    "requests-open",
    "all may lie below",
    uncounted(timed([[600, 140]], [[500, 900]])),
  ],
  ["p50 < 500ms", "pass", "so few lie above", timed([[6_000, 140]], [[5, 900]])],
  ["p99 < 500ms", "fail", "too many took longer already", timed([[600, 140]], [[500, 900]])],
  ["p99 < 500ms", "pass", "so few can't move it", timed([[20_000, 140]], [[12, 200]])],
  ["p99 > 100ms", "pass", "they took longer already", timed([[600, 140]], [[500, 200]])],
  [
    "p99 > 900ms",
    "requests-open",
    "they may have taken longer",
    timed([[12_000, 140]], [[10_000, 200]]),
  ],
];

const COUNTS: readonly Row[] = [
  ["success >= 99.99%", "more-requests", "40 without a failure prove little", answered(40, 0)],
  // Four bursts of 20 would fail in 80,000 requests.
  ["success >= 99.9%", "pass", "none of 77,000 failed", answered(77_000, 0)],
  ["success >= 99.9%", "more-requests", "none of 76,000 failed", answered(76_000, 0)],
  ["success >= 99.9%", "fail", "so many fail in a twentieth of all runs", answered(979, 21)],
  ["success >= 99.9%", "few-clusters", "10 of 1,000 may be one burst", answered(990, 10)],
  ["errors < 1%", "few-clusters", "5 of 1,000 failed", answered(995, 5)],
  ["errors < 1%", "pass", "50 of 10,000 failed, one by one", answered(9_950, 50)],
  ["errors < 1%", "fail", "200 of 10,000 failed, one by one", answered(9_800, 200)],
  ["errors < 1%", "more-requests", "90 of 10,000 failed, one by one", answered(9_910, 90)],
  [
    "dropped < 10%",
    "few-clusters",
    "one moment's requests were never sent",
    answered(1_000, 0, 50),
  ],
  ["dropped < 10%", "pass", "of many requests, too", answered(10_000, 0, 50)],
  ["success >= 99.9%", "fail", "what was never sent has no answer", answered(1_000, 0, 50)],
  ["2xx > 99%", "pass", "all of 20,000 answers are 2xx", answered(20_000, 0)],
  ["success >= 100%", "pass", "none of 40 failed", answered(40, 0)],
  ["success >= 100%", "fail", "one of 10,000 failed", answered(9_999, 1)],
  ["errors <= 0%", "pass", "none of 40 failed", answered(40, 0)],
  ["5xx <= 0", "pass", "no answer is 5xx", answered(40, 0)],
];

/** 10,000 requests: 4 reset, 5 under way at the end, 1 never sent, 5 answered wrong; the p99 at 49 ms. */
const WHOLE: Measurement = {
  ...timed([[9_850, 5], [140, 49]]),
  requests: { due: 10_000, completed: 9_990, failed: 4, unfinished: 5, dropped: 1 },
  status: { "200": 9_990 },
  errors: { reset: 4 },
  checks: { passed: 9_985, failed: 5 },
};
const NONE = { due: 0, completed: 0, failed: 0, unfinished: 0, dropped: 0 };

const VALUES: readonly Row[] = [
  ["rate > 1000/s", "pass", "the rate of one run is what it is", WHOLE],
  ["rate >= 1201/s", "fail", "the rate of one run is what it is", WHOLE],
  ["max < 49ms", "fail", "the longest of one run is what it is", WHOLE],
  ["mean < 8ms", "pass", "the mean of one run is what it is", WHOLE],
  ["p99 < 49ms", "fail", "the limit itself is not below it", WHOLE],
  ["p99 <= 49ms", "pass", "the limit itself is allowed", WHOLE],
  // 4 failed, 5 wrong, 1 never sent, of the 9,995 that were not under way at the end.
  ["success >= 97%", "pass", "10 of 9,995 failed", WHOLE],
  ["success >= 99.8%", "few-clusters", "10 of 9,995 failed", WHOLE],
  ["success >= 99.998%", "fail", "10 of 9,995 failed", WHOLE],
  ["dropped <= 0", "fail", "one was never sent", WHOLE],
  ["generator.cpu < 0.001", "fail", "the generator used more", WHOLE],
  ["lag.p99 < 1ms", "nothing-to-judge", "a closed loop has no lag", WHOLE],
  ["cpu < 4", "nothing-to-judge", "nobody watched the target", WHOLE],
  ["startUp < 1s", "nothing-to-judge", "Plateau did not start the target", WHOLE],
  ["rate < 5/s", "nothing-to-judge", "no request was due", { ...WHOLE, requests: NONE }],
  ["p99 < 50ms", "nothing-to-judge", "no request has a latency", {
    ...WHOLE,
    latency: { ...WHOLE.latency, count: 0 },
  }],
  ["errors <= 0", "nothing-to-judge", "no request ended", {
    ...WHOLE,
    requests: { ...NONE, due: 3, unfinished: 3 },
    checks: { passed: 0, failed: 0 },
    status: {},
  }],
];

const RESTLESS: Measurement = {
  ...timed([[20_000, 5]]),
  warmup: { label: "no-steady-state", steadyFromS: null },
};

function steadilyWandering(measurement: Measurement, intervals: number): Measurement {
  const { timeline: { intervalS, points } } = measurement;
  return {
    ...measurement,
    warmup: { label: "no-steady-state", steadyFromS: null, unsettled: "wander" },
    timeline: { intervalS, points: points.slice(0, intervals) },
  };
}

const FEW = timed([[1_000, 5]]);
const DISTURBED: Measurement = {
  ...FEW,
  generator: {
    ...FEW.generator,
    trust: "invalid",
    findings: [{
      ...{ code: "sent-late", severity: "invalid" },
      ...{ evidence: { lag: 5 }, advice: ["own-machine"] },
    }],
  },
};

const UNSTEADY: readonly Row[] = [
  ["p99 < 50ms", "unsteady", "it drifts, far below", { ...FEW, warmup: RESTLESS.warmup }],
  ["p99 < 49ms", "unsteady", "it drifts, not so far below", { ...FEW, warmup: RESTLESS.warmup }],
  ["p99 < 50ms", "pass", "it keeps to the level it wanders about", steadilyWandering(FEW, 40)],
  ["p99 < 50ms", "wanders", "it may wander off", steadilyWandering(FEW, 30)],
  ["p99 < 49ms", "few-clusters", "it wanders, with few clusters", steadilyWandering(FEW, 40)],
  ["p99 < 49ms", "not-valid", "a longer one would be as late", DISTURBED],
  ["p99 < 50ms", "pass", "what was late makes it no faster", DISTURBED],
  ["p99 < 50ms", "unsteady", "a percentile lasts", RESTLESS],
  ["rate > 1000/s", "unsteady", "a rate lasts", RESTLESS],
  ["p99 < 1ms", "fail", "it fails all the same", RESTLESS],
  ["max < 50ms", "pass", "the longest does not last", RESTLESS],
  ["success >= 99%", "pass", "a share does not last", RESTLESS],
];

const ONE_RUN = [PERCENTILES, BOUNDS, COUNTS, VALUES, UNSTEADY].flat();
for (const [text, end, sentence, measurement] of ONE_RUN) {
  Deno.test(`one run: ${text}: ${end} where ${sentence}`, () => {
    const gate = judge(text, measurement);
    assert.equal(endOf(gate), end);
    if (gate.found.code === "absent") assert.equal(gate.outcome, "fail");
  });
}

Deno.test("what would decide is an estimate by the share, and the clusters, that were seen", () => {
  const reasonOf = (text: string, measurement: Measurement): Reason | null =>
    judge(text, measurement).reason;
  const few = reasonOf("success >= 99.9%", answered(19_990, 10));
  assert.ok(few?.code === "few-clusters" && few.needed === 10);
  assert.deepEqual([few.clusters, few.seconds].map(Math.round), [1, 100]);
  const none = reasonOf("success >= 99.9%", answered(20_000, 0));
  assert.ok(none?.code === "more-requests" && none.like === "without a failure");
  assert.equal(Math.round(none.requests / 1_000), 77);
  const slow = reasonOf("p99 < 50ms", timed([[9_920, 5], [80, 90]]));
  assert.ok(slow?.code === "more-requests");
  assert.equal(slow.seconds, slow.requests / 1_000);
  // Of independent requests, by Student's t of 8 degrees of freedom: 2.306² · 0.01 · 0.99 / 0.002².
  assert.ok(slow.requests >= 13_161 && slow.requests < 3 * 13_161, `${slow.requests}`);
  const at = reasonOf("p99 < 50ms", timed([[9_900, 5], [100, 90]]));
  assert.ok(at?.code === "more-requests" && at.requests === Infinity);
});

const SEVERAL: [sentence: string, text: string, end: string][] = [
  ["the whole interval is on the right side", "rate > 900/s", "pass"],
  ["the whole interval is on the wrong side", "rate > 1100/s", "fail"],
  ["the interval lies across the limit", "rate > 997/s", "more-runs"],
  ["of shares, too", "success >= 99%", "pass"],
  ["of the target's memory, too", "memory < 1MB", "fail"],
  ["the largest of all runs is a fact, not an estimate", "max < 1ms", "fail"],
  ["bounds too few to move the percentile", "p95 < 100ms", "pass"],
  ["bounds that could move it over the limit", "p99.9 < 400ms", "requests-open"],
  ["bounds that could only make it worse", "p99.9 < 50ms", "fail"],
  ["bounds that could only make it better", "p99.9 > 50ms", "pass"],
  ["too few requests for the percentile", "p99.99 < 9s", "few-requests"],
];

for (const [sentence, text, end] of SEVERAL) {
  Deno.test(`several runs: ${sentence}: ${text}: ${end}`, () => {
    assert.equal(endOf(gatesIn(resultsAt({ a: around(1_000) }), text)[0]), end);
  });
}

/** Three runs, with the times of requests that ended, and of those that never did. */
const three = (ended: Times, bounds: Times = []): Results => {
  const measurement = timed(ended, bounds);
  return repeated(measurement, measurement, measurement);
};

/** Service times of three runs have no interval. Of 2,000 requests so many were under way for 20 ms when the run ended. */
const underWay = (count: number): Results => three([[2_000 - count, 5]], [[count, 20]]);

const OPEN_COUNTS: [text: string, sentence: string, open: number, end: string][] = [
  ["service.p99 < 50ms", "0.1 % may have taken longer", 2, "pass"],
  ["service.p99 < 50ms", "1.5 % may have taken longer", 30, "requests-open"],
  ["service.p99 > 50ms", "at most 0.1 % took longer", 2, "fail"],
  ["service.p99 > 50ms", "1.5 % may have taken longer", 30, "requests-open"],
];

for (const [text, sentence, open, end] of OPEN_COUNTS) {
  Deno.test(`several runs: counted because there is no interval: ${text}: ${end} where ${sentence}`, () => {
    assert.equal(endOf(gatesIn(underWay(open), text)[0]), end);
  });
}

Deno.test("several runs: a percentile that only the product limit puts beyond the limit is open", () => {
  // 500 ended after 140 ms and 450 were cut off after 200 ms, so the 60 that took 900 ms stand for half of them all.
  const runs = Array.from({ length: 5 }, (_, i): Measurement => {
    const run = timed([[500, 140], [60 + i, 900]], [[450, 200]]);
    const { requests: { completed }, histogram, censoredHistogram, timeline } = run;
    const [point] = timeline.points;
    const whole = { ...point, endS: run.elapsedS, completed, histogram, censoredHistogram };
    return { ...run, timeline: { ...timeline, points: [whole] } };
  });
  const ends = ["p50 > 500ms", "p50 < 500ms", "p50 > 100ms"]
    .map((text) => endOf(gatesIn(repeated(...runs), text)[0]));
  assert.deepEqual(ends, ["requests-open", "requests-open", "pass"]);
});

/** The p-value of a threshold that is broken. */
function brokenP(text: string, results: Results): number {
  const [{ evidence: { outcome, p } }] = gatesIn(results, text);
  assert.ok(outcome === "broken" && p !== null, text);
  return p;
}

Deno.test("requests that may have been slow make too many slow ones no surer, in several runs and in one", () => {
  const text = "p99 < 50ms";
  assert.equal(
    brokenP(text, three([[284, 5], [6, 90]], [[10, 20]])),
    brokenP(text, three([[284, 5], [6, 90], [10, 20]])),
  );
  assert.equal(
    brokenP(text, repeated(timed([[9_800, 5], [160, 90]], [[40, 20]]))),
    brokenP(text, repeated(timed([[9_800, 5], [160, 90], [40, 20]]))),
  );
});

Deno.test("requests that may have been slow make too few slow ones less sure, in several runs and in one", () => {
  const text = "p99 > 50ms";
  assert.equal(
    brokenP(text, three([[299, 5]], [[1, 20]])),
    brokenP(text, three([[299, 5], [1, 90]])),
  );
  const [open, ended] = [
    timed([[9_965, 5], [15, 90]], [[20, 20]]),
    timed([[9_965, 5], [15, 90], [20, 20]]),
  ].map((run) => brokenP(text, repeated(run)));
  assert.ok(open > 2 * ended, `${open} ${ended}`);
});

Deno.test("the largest of all runs is a fact even where they are of two kinds", () => {
  const results = resultsAt({ a: around(1_000) });
  results.runs.forEach(({ latency }, i) => latency.max = [50, 51, 52, 49, 200][i]);
  const ends = ["max < 100ms", "max < 300ms"].map((text) => endOf(gatesIn(results, text)[0]));
  assert.deepEqual(ends, ["fail", "pass"]);
});

Deno.test("a figure of 0 in every run is below a limit for certain, and makes no other failure less sure", () => {
  const silent = resultsAt({ a: [0, 0, 0] });
  assert.equal(endOf(gatesIn(silent, "rate > 500/s")[0]), "fail");
  const thresholds = thresholdsOf("rate > 500/s", "max < 1ms", "memory < 1MB");
  const gates = judgeTogether(gatesOf(thresholds, groupRuns(silent), silent)).map(judgedOf);
  assert.deepEqual(gates.map(endOf), ["fail", "fail", "fail"]);
});

Deno.test("runs of two kinds decide nothing where the limit is between them, nor beside another cell", () => {
  const kinds = resultsAt({ a: [1_000, 1_002, 998, 1_001, 600], b: around(1_000) });
  const ends = [
    ...["rate(a) > 700/s", "rate(a) > 100/s"],
    ...["rate(b) < 1.6 × rate(a)", "rate(b) > 0.1 × rate(a)", "rate(b) > 4 × rate(a)"],
  ].map((text) => endOf(gatesIn(kinds, text)[0]));
  assert.deepEqual(ends, ["groups", "pass", "groups", "pass", "fail"]);
});

Deno.test("what slows both sides of some repetitions makes no two kinds of their ratios", () => {
  const slowed = resultsAt({
    fast: [2_000, 2_004, 1_996, 2_002, 1_200],
    slow: [1_000, 1_001, 999, 1_002, 600],
  });
  const ends = ["rate(fast) > 1.5 × rate(slow)", "rate(fast) > 1500/s"]
    .map((text) => endOf(gatesIn(slowed, text)[0]));
  assert.deepEqual(ends, ["pass", "groups"]);
});

Deno.test("a cell that keeps only some of its runs' steady parts is of two kinds", () => {
  for (const text of ["rate(a) > 1550/s", "rate(a) > 0.8 × rate(b)"]) {
    const { evidence: { reason } } = gatesIn(survivors(), text)[0];
    assert.ok(reason?.code === "groups", `${text}: ${reason?.code}`);
    assert.equal(reason.groups.unsettled?.count, 5);
  }
});

Deno.test("a threshold on results without a run fails", () => {
  const results = resultsFixture({ cells: [], state: "interrupted" });
  assert.deepEqual(gatesIn(results, "p99 < 50ms").map(endOf), ["nothing-measured"]);
  assert.deepEqual(gatesIn(results, "p99 < 50ms").map(({ outcome }) => outcome), ["fail"]);
});

// Against a baseline of about 1,000 requests/s, of another session or of the same.

const SPREAD = [900, 1_000, 1_040, 930, 980];
const BASELINES: [text: string, rates: readonly number[], another: string, same: string][] = [
  ["rate not worse than baseline by 5%", around(1_000, 0.0005), "other-session", "pass"],
  ["rate not worse than baseline by 5%", around(5_000, 0.001), "other-session", "pass"],
  ["rate not worse than baseline by 5%", around(800, 0.001), "other-session", "fail"],
  ["rate not worse than baseline by 5%", SPREAD, "other-session", "more-runs"],
  ["rate not worse than baseline by 50%", SPREAD, "other-session", "pass"],
  ["memory not worse than baseline by 50%", around(1_000), "other-session", "pass"],
  ["rate not worse than baseline by 5%", [1_000], "one-run-a-side", "one-run-a-side"],
  ["max not worse than baseline by 5%", around(1_000), "no-interval", "no-interval"],
  // Lower bounds reach the p99.9 of both sides.
  ["p99.9 not worse than baseline by 5%", around(1_000), "requests-open", "requests-open"],
];

for (const [text, rates, another, same] of BASELINES) {
  Deno.test(`${text} at ${rates.map(Math.round).join(", ")}: ${another}; in one session ${same}`, () => {
    const baseline = resultsAt({ a: around(1_000) });
    const sessions = ["2031-05-03T10:18:00.000Z", baseline.startedAt];
    const gates = sessions.map((startedAt) =>
      gatesIn(resultsAt({ a: rates }), text, { ...baseline, startedAt })[0]
    );
    assert.deepEqual(gates.map(endOf), [another, same]);
  });
}

Deno.test("beside a baseline shorter times are no failure, and longer ones are", () => {
  const taking = (medianMs: number): Results =>
    resultsAt({ a: around(1_000) }, () => ({ medianMs }));
  const ends = [30, 10].map((medianMs) =>
    endOf(gatesIn(taking(medianMs), "p50 not worse than baseline by 5%", taking(20))[0])
  );
  assert.deepEqual(ends, ["fail", "pass"]);
});

Deno.test("one run against one run of the baseline decides nothing, however far it is", () => {
  const one = { ...timed([[1_000, 5]]), rate: 1 };
  const gate = judge("rate not worse than baseline by 5%", one, resultsAt({ a: [1_000] }));
  assert.equal(endOf(gate), "one-run-a-side");
});

Deno.test("a cell that the baseline has not fails; without a baseline such thresholds are left out", () => {
  const results = resultsAt({ a: [1_000, 1_010], b: [1_000, 1_010] });
  const baseline = resultsAt({ a: [1_000, 1_010], c: [1_000, 1_010] });
  const gates = gatesIn(results, "rate not worse than baseline", baseline);
  assert.deepEqual(gates.map(({ label }) => label), ["a", "b"]);
  assert.deepEqual([endOf(gates[1]), gates[1].outcome], ["no-baseline", "fail"]);
  assert.deepEqual(gatesIn(results, "rate not worse than baseline"), []);
});

Deno.test("against a baseline of another session worse fails where it is known how sessions differ", () => {
  const session = (rate: number, day: number) => ({
    ...resultsAt({ a: around(rate) }),
    startedAt: `2031-05-${String(day).padStart(2, "0")}T10:18:00.000Z`,
  });
  const rates = [990, 1_000, 1_010, 1_004, 995, 1_002, 991, 1_007, 998, 1_001, 1_003, 997];
  const earlier = rates.map((rate, day) => session(rate, day + 1));
  const thresholds = thresholdsOf("rate not worse than baseline by 5%");
  const [known, unknown] = [{ earlier }, {}].map((options) =>
    compareResults(session(1_000, 14), session(600, 15), { thresholds, ...options }).gates[0]
  );
  assert.deepEqual([known.outcome, unknown.reason], ["fail", "other-session"]);
});

// Thresholds that name their cells.

const NAMED = resultsFixture({
  cells: [
    { target: "plain", scenario: "list", medianMs: 12, runs: 6 },
    { target: "cached", scenario: "list", medianMs: 2, runs: 6 },
    { target: "plain", scenario: "wait", medianMs: 40, runs: 6 },
    { target: "cached", scenario: "wait", medianMs: 38, runs: 6 },
  ],
});
const told = (text: string, results: Results = NAMED): string[] =>
  gatesIn(results, text).map((gate) => `${gate.scenario}, ${gate.label}: ${endOf(gate)}`);

Deno.test("a threshold of named cells is held against them alone, one of two figures against each pair", () => {
  const pass = ["list, plain: pass", "list, cached: pass"];
  assert.deepEqual(told("p50(list) < 20ms"), pass);
  assert.deepEqual(told("p50(cached, list) < 1ms"), ["list, cached: fail"]);
  assert.deepEqual(told("p50() < 20ms"), [...pass, "wait, plain: fail", "wait, cached: fail"]);
  assert.deepEqual(told("rate(cached) > 1.5 × rate(plain)"), [
    "list, cached: pass",
    "wait, cached: fail",
  ]);
  assert.deepEqual(told("rate(cached, list) > 20 × rate(plain, list)"), ["list, cached: fail"]);
  assert.deepEqual(told("p50(cached, list) < 0.5 × p50(plain, list)"), ["list, cached: pass"]);
  assert.deepEqual(told("rate(list) > rate(wait)"), pass);
});

Deno.test("a pair with one run each, or whose first responses are wrong, is undecided", () => {
  const cells = ["plain", "cached"].map((target, i) => ({
    ...{ target, scenario: "list", medianMs: 12 / (1 + 5 * i) },
  }));
  const text = "rate(cached) > 2 × rate(plain)";
  assert.deepEqual(told(text, resultsFixture({ cells })), ["list, cached: one-run-each"]);
  for (const [ratios, end] of [[[0, 0.4], "wrong-responses"], [[0.4, 0], "pass"]] as const) {
    const wrong = cells.map((cell, i) => ({ ...cell, runs: 5, wrongRatio: ratios[i] }));
    assert.deepEqual(told(text, resultsFixture({ cells: wrong })), [`list, cached: ${end}`]);
  }
});

Deno.test("of two shares that are 0 there is no ratio; of one it is surely 0, or surely beyond any limit", () => {
  const ends = [[0, 0], [0, 0.4], [0.4, 0]].map((wrongRatios) => {
    const cells = ["cached", "plain"].map((target, i) => ({
      ...{ target, scenario: "list", medianMs: 12, runs: 5, wrongRatio: wrongRatios[i] },
    }));
    return told("5xx(cached) <= 2 × 5xx(plain)", resultsFixture({ cells }))[0];
  });
  assert.deepEqual(ends, ["list, cached: no-ratio", "list, cached: pass", "list, cached: fail"]);
});

Deno.test("a gate that names what was not measured does not open", () => {
  const missing: Results["missing"] = [{
    ...{ target: "gone", scenario: "list", parameters: {}, repetition: null },
    ...{ kind: "failed", reason: "it never started", evidence: [] },
  }];
  const results = resultsFixture({
    cells: [{ target: "plain", scenario: "list", medianMs: 12, runs: 3 }],
    missing,
    experiment: { targets: { plain: { app: "api" }, gone: { app: "api" } } },
  });
  assert.deepEqual(told("p50(gone) < 20ms", results), ["list, gone: cell-not-measured"]);
  assert.deepEqual(told("rate(plain) > rate(gone)", results), ["list, plain: cell-not-measured"]);
  assert.deepEqual(told("p50(nobody) < 20ms", results), [", : wrong-selector"]);
  assert.equal(worstOf(gatesIn(results, "p50(nobody) < 20ms")), "fail");
});

// One exit code tells of all thresholds, so they are judged as one family.

function gateOf(evidence: Evidence): Gate {
  return { threshold: "p99 < 50ms", scenario: "static", label: "a", evidence };
}

const NOTHING = { code: "absent", absences: [{ code: "nothing-measured" }] } as const;
const remedy = { code: "more-runs", runs: 12, isEachSide: false } as const;
const failing = (p: number): Gate => gateOf(tested(NOTHING, { outcome: "broken", p, remedy }));
const passing = gateOf(tested(NOTHING, { outcome: "held", p: 1e-9, remedy }));

const outcomesOf = (...gates: readonly Gate[]): string[] =>
  judgeTogether(gates).map((gate) => judgedOf(gate).outcome);

Deno.test("what fails alone and not among many is inconclusive, and says what would decide it", () => {
  const others = Array.from({ length: 19 }, () => passing);
  const outcomes = [[failing(0.04)], [failing(0.04), ...others], [failing(0.0024), ...others]]
    .map((gates) => outcomesOf(...gates)[0]);
  assert.deepEqual(outcomes, ["fail", "inconclusive", "fail"]);
  const [{ evidence: { reason } }] = judgeTogether([failing(0.04), ...others]);
  assert.deepEqual(reason, { code: "family", tests: 20, remedy });
});

Deno.test("shares of requests that fail alone are not sure to fail among others, by the p of their counts", () => {
  // 125 of 10,000 where 100 are allowed: p = 0.04.
  const longer = timed([[9_875, 5], [125, 90]]);
  for (
    const [text, measurement] of [["p99 < 50ms", longer], [
      "success >= 99%",
      answered(9_875, 125),
    ]] as const
  ) {
    assert.equal(endOf(judge(text, measurement)), "fail");
    const all = thresholdsOf(text, "p50 < 9s", "p75 < 9s", "p90 < 9s");
    const [gate] = measurementGates(all, measurement, null);
    assert.equal(gate.evidence.reason?.code, "family");
  }
});

Deno.test("facts are no tests and make nothing harder, and a pass stands by its own interval", () => {
  const facts = Array.from({ length: 19 }, () => gateOf(fact("broken", NOTHING)));
  assert.ok(outcomesOf(failing(0.04), ...facts).every((outcome) => outcome === "fail"));
  const outcomes = outcomesOf(passing, failing(1e-6), failing(1e-6));
  assert.deepEqual(outcomes, ["pass", "fail", "fail"]);
});

Deno.test("the thresholds of a comparison are one family with the figures that decide it", () => {
  const [base, next] = [resultsAt({ a: around(1_000) }), resultsAt({ a: around(1_000, 0.0005) })];
  // 4 degrees of freedom: the limit is 3.3 standard errors away, which is p = 0.03.
  const [gate] = compareResults(base, next, { thresholds: thresholdsOf("rate > 1012/s") }).gates;
  assert.equal(gate.reason, "family");
  assert.equal(endOf(gatesIn(next, "rate > 1012/s")[0]), "fail");
});

Deno.test("a failure outweighs what is inconclusive, and that outweighs a pass", () => {
  const outcomes = (["pass", "inconclusive", "fail"] as const).map((outcome) => ({ outcome }));
  const worst = [3, 2, 1, 0].map((count) => worstOf(outcomes.slice(0, count)));
  assert.deepEqual(worst, ["fail", "inconclusive", "pass", "pass"]);
});
