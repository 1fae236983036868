import assert from "node:assert/strict";
import fc from "fast-check";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { mergeSlowest, SLOWEST } from "../../runner/load/recording/slowest.ts";
import { ask, sessionStage } from "./session_stage.ts";
import {
  encoder,
  OK,
  opened,
  play,
  received,
  SECOND,
  stage,
  STEADY,
  tick,
  totalsOf,
} from "./stage.ts";
import { forAll } from "../for_all.ts";

interface Logged {
  readonly worker: number;
  readonly slot: number;
  readonly latencyUs: number;
  readonly doneUs: number;
  readonly outcome: string;
}

const OUTCOMES = ["completed", "wrong", "timeout", "unfinished", "reset"] as const;

const exchange = fc.record({
  slot: fc.nat(3),
  // Few values, so that many are equal.
  latencyUs: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5_000 })),
  outcome: fc.constantFrom(...OUTCOMES),
});

/** Records the exchanges one after the other, the unfinished ones at the end; gives the full log, too. */
function recorded(
  worker: number,
  exchanges: readonly { slot: number; latencyUs: number; outcome: typeof OUTCOMES[number] }[],
): { recorder: Recorder; log: Logged[]; endUs: number } {
  const recorder = new Recorder(250_000, () => {});
  recorder.slowest.labelBy((slot) => `GET /${worker}/${slot}`);
  const log: Logged[] = [];
  let nowUs = 10_000;
  const isOpen = ({ outcome }: { outcome: string }): boolean => outcome === "unfinished";
  for (const one of exchanges.filter((one) => !isOpen(one))) {
    const { slot, latencyUs, outcome } = one;
    nowUs += 7 + worker;
    const dueUs = nowUs - latencyUs;
    if (outcome === "timeout" || outcome === "reset") {
      recorder.fail(slot, 0, { kind: outcome, reason: outcome }, dueUs, dueUs + 1, nowUs);
    } else {
      recorder.complete(slot, 200, dueUs, dueUs + 1, nowUs, nowUs);
      recorder.checked(outcome === "completed");
    }
    if (outcome !== "reset") log.push({ worker, slot, latencyUs, doneUs: nowUs, outcome });
  }
  for (const { slot, latencyUs } of exchanges.filter(isOpen)) {
    recorder.leaveUnfinished(slot, 0, nowUs - latencyUs, nowUs - latencyUs, nowUs);
    log.push({ worker, slot, latencyUs, doneUs: nowUs, outcome: "unfinished" });
  }
  return { recorder, log, endUs: nowUs };
}

Deno.test("the slowest of several workers are those of the full log, slowest first", () => {
  const workers = fc.array(fc.array(exchange, { maxLength: 60 }), { minLength: 1, maxLength: 3 });
  forAll([workers], (exchanges) => {
    const parts = exchanges.map((list, worker) => recorded(worker, list));
    const merged = mergeSlowest(
      parts.map(({ recorder, endUs }) => recorder.finish(endUs).slowest),
      exchanges.map(() => 4),
    );
    const expected = parts.flatMap(({ log }) => log)
      .sort((a, b) => b.latencyUs - a.latencyUs || a.doneUs - b.doneUs)
      .slice(0, SLOWEST);
    assert.deepEqual(
      merged.map(({ latency, connection, outcome, request, dueS }) => ({
        latencyUs: Math.round(latency * 1_000),
        connection,
        outcome,
        request,
        doneUs: Math.round(dueS * 1e6 + latency * 1_000),
      })),
      expected.map(({ worker, slot, latencyUs, doneUs, outcome }) => ({
        latencyUs,
        connection: worker * 4 + slot,
        outcome,
        request: `GET /${worker}/${slot}`,
        doneUs,
      })),
    );
  }, { seed: 11 });
});

Deno.test("a failure that says nothing about the latency is not among the slowest", () => {
  const recorder = new Recorder(250_000, () => {});
  recorder.fail(0, 0, { kind: "reset", reason: "connection reset" }, 0, 0, 100_000);
  assert.deepEqual(recorder.finish(200_000).slowest, []);
});

Deno.test("a wrong answer marks its own exchange and no other", () => {
  const recorder = new Recorder(250_000, () => {});
  for (let i = 1; i <= SLOWEST; i++) {
    recorder.complete(0, 200, 0, 0, i * 100, i * 100);
    recorder.checked(i !== 3);
  }
  // Too quick to be kept: the last that was kept is another.
  recorder.complete(0, 500, 1_000, 1_000, 1_010, 1_010);
  recorder.checked(false);
  const { slowest } = recorder.finish(2_000);
  assert.deepEqual(
    slowest.filter(({ outcome }) => outcome === "wrong").map(({ latencyUs }) => latencyUs),
    [300],
  );
});

Deno.test("a request loop tells when each of the slowest was due and sent, and what it asked", () => {
  const s = stage({ pacer: STEADY, requests: 0, durationUs: 10_000 });
  play(s, tick(0), opened(0, 1_700), received(0, 2_000), tick(10_000), tick(6 * SECOND));
  const [unfinished, answered] = totalsOf(s).slowest;
  const { dueUs, sentUs, doneUs, status, request, outcome } = answered;
  assert.deepEqual([dueUs, sentUs, doneUs, status], [0, 1_700, 2_000, 200]);
  assert.deepEqual([request, outcome], ["GET /", "completed"]);
  assert.deepEqual([unfinished.outcome, unfinished.status, unfinished.request], [
    "unfinished",
    0,
    "GET /",
  ]);
});

Deno.test("a request that got no connection in time was never sent", () => {
  const s = stage({ durationUs: SECOND, timeoutUs: 50_000 });
  play(s, tick(0), tick(60_000), tick(SECOND));
  const [first] = mergeSlowest([totalsOf(s).slowest], [1]);
  assert.deepEqual([first.sentS, first.request, first.status], [null, null, null]);
  assert.ok(first.outcome === "timeout" || first.outcome === "unfinished");
});

Deno.test("a visitor's request is told as it was sent, with his own values", () => {
  const wire = { method: "GET", path: "/user/{{ id }}", headers: {}, body: null };
  const s = sessionStage({ steps: [ask({ wire })], users: [{ id: "7" }] });
  play(s, tick(0), opened(0, 1_000), received(0, 9_000));
  assert.equal(s.end(1_010_000).totals.slowest[0].request, "GET /user/7");
});

Deno.test("a pipelined response is listed with its own request", () => {
  const s = stage({ pipeline: 2, requests: 2, durationUs: Infinity });
  play(s, tick(0), opened(0, 0));
  const both = encoder.encode(new TextDecoder().decode(OK).repeat(2));
  play(s, received(0, 500, both), tick(20_000));
  assert.deepEqual(totalsOf(s).slowest.map(({ doneUs }) => doneUs), [500, 500]);
});

Deno.test("intervals tell failures by kind, and wrong answers", () => {
  const parts: { errors: readonly number[] | null; wrong: number }[] = [];
  const recorder = new Recorder(100, (part) => parts.push(part));
  recorder.complete(0, 200, 0, 0, 10, 10);
  recorder.checked(true);
  recorder.fail(0, 0, { kind: "reset", reason: "connection reset" }, 100, 100, 150);
  recorder.complete(0, 500, 150, 150, 160, 160);
  recorder.checked(false);
  recorder.finish(250);
  assert.deepEqual(parts.map(({ errors }) => errors?.indexOf(1) ?? null), [null, 2, null]);
  assert.deepEqual(parts.map(({ wrong }) => wrong), [0, 1, 0]);
});
