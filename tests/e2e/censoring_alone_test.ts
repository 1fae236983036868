/** What is only known to take longer than the load lasts. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Measurement } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { bench } from "./measured.ts";
import { startWitness } from "./witness.ts";

function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** What completed, and what came, until the deadline. */
function assertEndsAtDeadline(measured: Measurement): void {
  const { requests, drain, rate, elapsedS, timeline: { points }, bytes } = measured;
  const inTime = requests.completed - (drain?.completed ?? 0);
  assert.equal(sum(points.map(({ completed }) => completed)), inTime);
  assert.equal(rate, inTime / elapsedS);
  const bytesInTime = sum(points.map(({ bytes }) => bytes));
  assert.ok(Math.abs(bytes.inPerSecond * elapsedS - bytesInTime) < 1e-3);
}

Deno.test("bench of an app that takes 50 ms reads that and next to nothing more", async () => {
  await using witness = startWitness({ delayMs: 50 });
  const measured = await bench(witness.origin, "-c", "10", "-d", "1s");
  assertEndsAtDeadline(measured);
  const { due, completed, failed, unfinished, dropped } = measured.requests;
  assert.equal(due, completed + failed + unfinished + dropped);
  const { fastest, percentiles: { "50": p50 } } = measured.latency;
  assert.ok(p50 >= 50, `p50 is ${p50} ms`);
  // A busy machine delays many answers, but not all.
  assert.ok(fastest >= 49 && fastest <= 54, `the fastest took ${fastest} ms`);
});

Deno.test("a server that always takes a second takes a second, however the load ends; the rate ends with it", async () => {
  await using witness = startWitness({ delayMs: 1_000 });
  const measured = await bench(witness.origin, "-c", "50", "-d", "1.2s");
  const { requests, latency, service, drain, timeline: { points } } = measured;
  assertEndsAtDeadline(measured);
  assert.equal(requests.unfinished, 0);
  assert.equal(requests.completed, requests.due);
  assert.equal(await witness.settledCount(), requests.due);
  // One on each connection, however long the machine stood still.
  assert.ok(drain?.completed === 50, JSON.stringify(drain));
  assert.ok(drain.durationS > 0 && drain.durationS < 5, `${drain.durationS} s`);
  for (const { min, percentiles, lowerBounds } of [latency, service]) {
    assert.ok(min >= 990 && percentiles["50"] < 1_600, `${min} and ${percentiles["50"]} ms`);
    assert.equal(lowerBounds, undefined);
  }
  assert.equal(latency.censored, 0);
  assert.equal(measured.censoredHistogram, undefined);
  const inLast = decodeHistogram(points[points.length - 1].histogram).count;
  assert.ok(inLast >= drain.completed, `${inLast}`);
});

const SECONDS = 3;
const FROZEN_S = 2;
const PER_SEC = 200;
const CONNECTIONS = 10;

Deno.test("of a server that freezes for the last 2 s of 3 the high percentiles are at least what the arrivals waited", async () => {
  let beganMs = 0;
  const frozenMs = (SECONDS - FROZEN_S) * 1_000;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async () => {
      beganMs ||= performance.now();
      const atMs = performance.now() - beganMs;
      if (atMs >= frozenMs) await sleep(SECONDS * 1_000 + 300 - atMs);
      return new Response("ok");
    },
  );
  const measured = await bench(
    `http://127.0.0.1:${server.addr.port}`,
    ...["-r", `${PER_SEC}/s`, "-c", `${CONNECTIONS}`, "-d", `${SECONDS}s`],
  );
  const { requests, latency, service, drain } = measured;
  assertEndsAtDeadline(measured);
  const due = SECONDS * PER_SEC;
  assert.deepEqual([requests.due, latency.count, requests.unfinished], [due, due, 0]);
  // All that arrived in the freeze but for one on each connection; a machine that halts moves its start by as long.
  const { dropped } = requests;
  const most = FROZEN_S * PER_SEC - CONNECTIONS;
  assert.ok(dropped < most + 80 && dropped > most - 80, `${dropped} dropped`);
  assert.equal(latency.censored, dropped);
  assert.equal(decodeHistogram(measured.censoredHistogram ?? "").count, dropped);
  assert.equal(drain?.completed, CONNECTIONS);
  // Of the slowest 30 of 600 ten were in flight, and the others are the first that were never sent: the next
  // has waited 20 steps less than those, 1.85 s of 2 s.
  const p95 = latency.percentiles["95"];
  const waitMs = (dropped - 20) * 1_000 / PER_SEC;
  assert.ok(p95 > waitMs - 30 && p95 < waitMs + 30, `${p95} ms, not ${waitMs}`);
  for (const name of ["75", "90", "95", "99", "mean", "max"]) {
    assert.ok(latency.lowerBounds?.includes(name), `${name} of ${latency.lowerBounds}`);
  }
  assert.deepEqual([service.count, service.lowerBounds], [requests.completed, undefined]);
});
