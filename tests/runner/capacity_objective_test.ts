import assert from "node:assert/strict";
import { CertainOutcome, slicesOf } from "../../runner/capacity/trial.ts";
import { type Objective, objectiveOf } from "../../scenarios/claims/objective.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { EMPTY, Histogram, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";

function objective(text: string): Objective | null {
  const parsed = parseThreshold(text);
  assert.ok("threshold" in parsed, text);
  return objectiveOf(parsed.threshold);
}

Deno.test("a percentile, success and errors are shares of requests that may miss the rule", () => {
  const allowed = (text: string): number | undefined => objective(text)?.allowed;
  assert.equal(allowed("p99 < 50ms"), 0.01);
  assert.equal(allowed("p99.9 <= 1s"), 0.001);
  assert.equal(allowed("p50 < 5ms"), 0.5);
  assert.equal(allowed("success >= 99.9%"), 0.001);
  assert.equal(allowed("errors < 0.5%"), 0.005);
  assert.equal(allowed("success >= 100%"), 1e-6);
});

Deno.test("what is no share of requests, or demands to be slow, is no objective", () => {
  for (const text of ["mean < 5ms", "p99 > 5ms", "rate > 100/s", "success < 99%", "cpu < 1"]) {
    assert.equal(objective(text), null, text);
  }
  assert.equal(objective("p99 not worse than baseline"), null);
});

function histogramOf(...latenciesMs: readonly number[]): string {
  const histogram = new Histogram();
  for (const ms of latenciesMs) histogram.record(ms * 1_000);
  return latenciesMs.length === 0 ? "" : encodeHistogram(histogram.toSparse());
}

type Timed = Parameters<typeof slicesOf>[0];

function measured(
  point: Pick<Measurement["timeline"]["points"][number], "completed" | "failed" | "histogram"> & {
    wrong?: number;
    censoredHistogram?: string;
  },
  dropped = 0,
): Timed {
  const times = { p50: 0, p75: 0, p90: 0, p99: 0, max: 0 };
  const requests = { due: 0, completed: 0, failed: 0, unfinished: 0, dropped };
  return {
    timeline: { intervalS: 0.25, points: [{ endS: 0.25, bytes: 0, ...times, ...point }] },
    requests,
  };
}

function slice(text: string, timed: Timed): [requests: number, beyond: number] {
  const rule = objective(text);
  assert.ok(rule !== null);
  const [{ requests, beyond: [beyond] }] = slicesOf(timed, rule);
  return [requests, beyond];
}

Deno.test("a request beyond the limit misses a percentile, and so does one that failed", () => {
  const histogram = histogramOf(0.5, 1.9, 2, 8);
  const timed = measured({ completed: 4, failed: 1, histogram });
  assert.deepEqual(slice("p99 < 2ms", timed), [5, 3]);
  assert.deepEqual(slice("p99 <= 2ms", timed), [5, 2]);
});

Deno.test("requests beyond a half, a quarter and twice the limit are counted too; by outcome all the same, and none beyond twice", () => {
  const parts = (text: string, timed: Timed): readonly number[] => {
    const rule = objective(text);
    assert.ok(rule !== null);
    return slicesOf(timed, rule)[0].beyond;
  };
  const [histogram, open] = [histogramOf(0.4, 0.6, 1.5, 1.9, 2, 3, 8), histogramOf(1.9)];
  const timed = measured({ completed: 6, failed: 1, histogram, censoredHistogram: open });
  // 2, 3, 8 and the one that failed; also 1.5; also 0.6; of twice 8 and the one that failed.
  assert.deepEqual(parts("p99 < 2ms", timed), [4, 5, 6, 2]);
  assert.deepEqual(parts("success >= 99%", timed), [1, 1, 1, 0]);
  const late = { histogram: histogramOf(1.5, 3), censoredHistogram: histogramOf(3) };
  assert.deepEqual(
    parts("p99 < 2ms", measured({ completed: 1, failed: 0, ...late })),
    [1, 2, 2, 0],
    "beyond the limit, perhaps not twice",
  );
});

Deno.test("a request that is still open counts when it is beyond the limit, and is on neither side before", () => {
  const timed = measured({
    completed: 1,
    failed: 0,
    histogram: histogramOf(1, 20, 70),
    censoredHistogram: histogramOf(20, 70),
  });
  assert.deepEqual(slice("p99 < 50ms", timed), [2, 1]);
});

Deno.test("a fast refusal is no response within a limit: a percentile is missed by what is wrong, or late if that is more", () => {
  const fast = { failed: 0, histogram: histogramOf(1, 1, 1, 1, 60) };
  assert.deepEqual(slice("p99 < 50ms", measured({ ...fast, completed: 5, wrong: 3 })), [5, 3]);
  assert.deepEqual(slice("p99 < 50ms", measured({ ...fast, completed: 5, wrong: 1 })), [5, 1]);
});

Deno.test("a wrong response, a failure and a request never sent are no success", () => {
  const timed = measured({ completed: 10, failed: 2, wrong: 3, histogram: "" }, 5);
  assert.deepEqual(slice("success >= 99%", timed), [17, 10]);
});

Deno.test("times of messages are shares of messages, and those of whole streams none", () => {
  const of = (text: string): unknown => objective(text)?.messages;
  assert.deepEqual(
    ["p99(ttfe) < 200ms", "gap.p50 <= 1s", "p99(ttft) < 1s", "p99 < 1s", "errors < 1%"].map(of),
    ["ttfe", "gap", "ttft", null, null],
  );
  for (const text of ["p99(tpot) < 1s", "ttfe.mean < 1s", "p99(gap) > 1s", "eventsPerSec > 1/s"]) {
    assert.equal(objective(text), null, text);
  }
});

Deno.test("a message that a stream waited for when it was cut missed the rule, however long it had waited", () => {
  const requests = { completed: 3, failed: 1, histogram: histogramOf(900, 900, 900) };
  const messages = (
    failed: number,
    open: readonly number[],
    ...ms: readonly number[]
  ): Timed => {
    const timed = measured(requests);
    const times = {
      ...{ p50: 0, p99: 0, histogram: histogramOf(...ms, ...open) },
      ...open.length > 0 && { censoredHistogram: histogramOf(...open) },
    };
    const points = timed.timeline.points.map((point) => ({
      ...point,
      messages: { received: ms.length, ...failed > 0 && { failed }, gap: times },
    }));
    return { ...timed, timeline: { ...timed.timeline, points } };
  };
  const within = "p99(gap) < 50ms";
  assert.deepEqual(slice(within, messages(0, [], 1, 2, 60)), [3, 1]);
  assert.deepEqual(slice(within, messages(1, [10], 1, 2, 60)), [4, 2], "cut after 10 ms");
  assert.deepEqual(slice(within, messages(1, [90], 1, 2)), [3, 1], "cut after 90 ms, once");
  assert.deepEqual(slice(within, messages(0, [10, 90], 1, 2)), [3, 1], "left open");
  assert.deepEqual(slice(within, messages(0, [])), [0, 0], "none came");
  assert.deepEqual(slice("p99(ttfe) < 50ms", messages(2, [], 1)), [2, 2], "refused");
  assert.deepEqual(slice(within, measured(requests)), [0, 0], "no stream");
});

/** After how many seconds of 20 it is certain that a rule is broken; null: never. 10 streams end a second, each with 100 gaps. */
function certainAfter(text: string, slowGapsPerSec: number): number | null {
  const rule = objective(text);
  assert.ok(rule !== null);
  const watch = new CertainOutcome([rule], {
    ...{ ratePerSec: 10, plannedS: 20, startS: 0, burst: null },
  });
  const none = { all: EMPTY, censored: EMPTY };
  const all = timesOf(1_000 - slowGapsPerSec, slowGapsPerSec);
  for (let s = 1; s <= 20; s++) {
    const messages = { received: 1_000, failed: 0, ttfe: none, gap: { all, censored: EMPTY } };
    const isCertain = watch.isCertain({
      ...{ kind: "live", url: "", elapsedMs: 1_000 * s, durationMs: 20_000, ratePerSec: 10 },
      ...{ p50Ms: 1, p99Ms: 1, failed: 0, latency: EMPTY, completed: 10 * s, requests: null },
      messages: { ...messages, ttft: none, message: none, perSec: 1_000, lead: "gap" },
      workers: { count: 1, cpuRatio: 0, lateMs: 0 },
    });
    if (isCertain) return s;
  }
  return null;
}

/** Of 1 ms and of 200 ms. */
function timesOf(fast: number, slow: number): SparseHistogram {
  const times = new Histogram();
  for (let i = 0; i < fast; i++) times.record(1_000);
  for (let i = 0; i < slow; i++) times.record(200_000);
  return times.toSparse();
}

Deno.test("a trial whose streams have many gaps goes on while its rule may hold, and ends once it is surely broken", () => {
  assert.equal(certainAfter("p99(gap) < 100ms", 8), null, "0.8 % are late");
  const after = certainAfter("p99(gap) < 100ms", 900);
  assert.ok(after !== null && after <= 10, `${after}`);
});
