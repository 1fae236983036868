/** When a load is hopeless by its own rules. */
import assert from "node:assert/strict";
import { AbortWatch } from "../../runner/measure/abort_watch.ts";
import { Histogram, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { type Load, loadOf } from "../../scenarios/load/load.ts";
import type { Script } from "../../scenarios/request/script.ts";
import { flowOf, requestsOf } from "../scenarios/made_script.ts";

interface Interval {
  readonly completed: number;
  readonly ms: number;
  readonly failed: number;
  readonly wrong?: number;
}

interface Watching {
  readonly load?: Load;
  readonly script?: Script;
  readonly seesAll?: boolean;
}

const OPTIONS = { keepAlive: true, timeout: 60_000 };
const CLOSED = loadOf(OPTIONS);
const ONE_REQUEST = requestsOf({ get: "/" });
const FLOW = flowOf({ flow: [{ think: "5s" }, { get: "/" }] });

function of(ms: number, count: number): SparseHistogram {
  const times = new Histogram();
  for (let i = 0; i < count; i++) times.record(ms * 1_000);
  return times.toSparse();
}

/**
 * Intervals of 250 ms, in each of which so many requests complete in so many milliseconds, and so many fail.
 * @param inFlight By worker, the latencies so far of those that are in flight at the end of each.
 */
function watched(
  rules: readonly string[],
  intervals: readonly Interval[],
  inFlight: readonly SparseHistogram[] = [],
  { load = CLOSED, script = ONE_REQUEST, seesAll = true }: Watching = {},
): AbortWatch {
  const request = { load: { ...load, abortOn: [...rules] }, script, intervalMs: 250 };
  const watch = new AbortWatch(request, { inFlight: () => inFlight, seesAll });
  let completedSoFar = 0;
  intervals.forEach(({ completed, ms, failed, wrong = 0 }, index) => {
    completedSoFar += completed;
    watch.observe({ index, completed, failed, wrong, latency: of(ms, completed), completedSoFar });
  });
  return watch;
}

Deno.test("errors above their share end a load, once there are enough of them", () => {
  const interval = { completed: 95, ms: 1, failed: 6 };
  const { found, signal } = watched(["errors > 5%"], Array(5).fill(interval));
  assert.deepEqual(found, { rule: "errors > 5%", beyond: 24, ended: 404, afterS: 1 });
  assert.ok(signal.aborted);
});

Deno.test("wrong responses are errors, and no successes", () => {
  const interval = { completed: 100, ms: 1, failed: 4, wrong: 60 };
  for (const rule of ["errors > 5%", "success < 50%"]) {
    const { found } = watched([rule], Array(5).fill(interval));
    assert.deepEqual(found, { rule, beyond: 64, ended: 104, afterS: 0.25 });
  }
});

Deno.test("a load at its limit goes on, and so does one without rules", () => {
  const interval = { completed: 95, ms: 1, failed: 5 };
  assert.equal(watched(["errors > 5%"], Array(40).fill(interval)).found, null);
  assert.equal(watched([], Array(5).fill({ completed: 0, ms: 1, failed: 99 })).found, null);
});

Deno.test("a percentile above its limit ends a load, by all requests so far", () => {
  const [fast, slow] = [{ completed: 900, ms: 10, failed: 0 }, {
    completed: 100,
    ms: 900,
    failed: 0,
  }];
  const rules = ["success < 50%", "p90 > 500ms"];
  assert.equal(watched(rules, [fast, slow]).found, null);
  const { found } = watched(rules, [fast, slow, slow]);
  assert.deepEqual(found, { rule: "p90 > 500ms", beyond: 200, ended: 1_100, afterS: 0.75 });
});

const NONE: Interval = { completed: 0, ms: 0, failed: 0 };
const FAST: Interval = { completed: 1_000, ms: 10, failed: 0 };

Deno.test("requests in flight that have waited for longer than the limit end a load", () => {
  const rules = ["p99 > 1s"];
  const hanging = [of(1_200, 20), of(1_100, 10)];
  assert.deepEqual(watched(rules, [NONE], hanging).found, {
    ...{ rule: "p99 > 1s", beyond: 30, ended: 0, waiting: 30, afterS: 0.25 },
  });
  assert.equal(watched(rules, [NONE], [of(900, 30)]).found, null, "they may end in time");
  assert.equal(watched(["errors > 5%"], [NONE], hanging).found, null, "they are no errors yet");
});

Deno.test("requests in flight count as right until they have waited for longer than the limit", () => {
  const rules = ["p90 > 1s"];
  const open = (late: number): SparseHistogram[] => [of(1_200, late), of(100, 300 - late)];
  const ended = { completed: 100, ms: 10, failed: 0 };
  assert.equal(watched(rules, [ended], open(40)).found, null);
  assert.deepEqual(watched(rules, [ended], open(41)).found, {
    ...{ rule: "p90 > 1s", beyond: 41, ended: 100, waiting: 41, afterS: 0.25 },
  });
});

Deno.test("a few requests may be a cold start, but not for ten seconds", () => {
  const rules = ["p99 > 1s"];
  assert.equal(watched(rules, [NONE], [of(9_000, 3)]).found, null);
  assert.equal(watched(rules, [NONE], [of(10_100, 3)]).found?.waiting, 3);
  assert.equal(watched(["p99 > 20s"], [NONE], [of(10_100, 3)]).found, null);
});

const RATE = loadOf({ ...OPTIONS, rate: 4_000, connections: 5 });
/** A server that hangs after 2 s. @param intervals For how many intervals it has hung. */
function hungFor(intervals: number, watching: Watching = {}): AbortWatch {
  const all = [...Array(8).fill(FAST), ...Array(intervals).fill(NONE)];
  return watched(["p99 > 1s"], all, [of(1_100, 5)], { load: RATE, ...watching });
}

Deno.test("requests of an open loop that wait for a connection count as well", () => {
  assert.equal(hungFor(4).found, null, "nothing that is due has waited for a second");
  // A second before that, 9,000 were due, give or take five standard deviations.
  assert.deepEqual(hungFor(5).found, {
    ...{ rule: "p99 > 1s", beyond: 525, ended: 8_000, waiting: 525, afterS: 3.25 },
  });
  const keepsUp = watched(["p99 > 1s"], Array(40).fill(FAST), [], { load: RATE });
  assert.equal(keepsUp.found, null);
});

Deno.test("requests that are due and have waited for less than the limit count as right", () => {
  const late = [of(1_200, 30)];
  const load = loadOf({ ...OPTIONS, rate: 1_000, connections: 30 });
  assert.equal(watched(["p50 > 1s"], Array(5).fill(NONE), late, { load }).found, null);
});

Deno.test("what silent agents may have done is not counted as waiting, nor are users whose requests are not due", () => {
  assert.equal(hungFor(5, { seesAll: false }).found, null);
  assert.equal(hungFor(5, { script: FLOW }).found, null);
});

Deno.test("the last interval of a load ends nothing, however short it was", () => {
  const load = loadOf({ ...OPTIONS, rate: 20_000, duration: 1_100, connections: 5 });
  const whole: Interval = { completed: 5_000, ms: 1, failed: 0 };
  const intervals = [...Array(4).fill(whole), { ...whole, completed: 2_000 }];
  assert.equal(watched(["p99 > 50ms"], intervals, [], { load }).found, null);
});
