import fc from "fast-check";
import assert from "node:assert/strict";
import { type BundleInput, Bundler } from "../../runner/fleet/agent/outbox.ts";
import { agentMessage } from "../../runner/fleet/protocol/agent_message.ts";
import { packedSoFar } from "../../runner/fleet/protocol/packing.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { SoFarReport, WorkerReport } from "../../runner/load/worker/messages.ts";
import { EMPTY } from "../../runner/stats/histogram/histogram.ts";
import * as packed from "./packed.ts";

const FROM = { run: "run-1", agent: "one" };
const PLACE = { firstWorker: 3, workers: 7, own: 2 };
const HEALTH = { cpuRatio: 0.5, lateUs: 7 };
const [PART] = fc.sample(packed.part, { numRuns: 1, seed: 1 });
const [REPORT] = fc.sample(packed.report, { numRuns: 1, seed: 1 });

function part(index: number): IntervalPart {
  return { ...PART, index };
}

function soFar(elapsedUs: number): SoFarReport {
  return { ...REPORT, elapsedUs, open: EMPTY };
}

function report(elapsedUs: number): WorkerReport {
  return { ...REPORT, elapsedUs };
}

/** Worker and index of each part, and each worker's time, as the coordinator reads them. */
function gist(bundle: BundleInput | null): unknown {
  if (bundle === null) return null;
  const read = agentMessage.parse(JSON.parse(JSON.stringify(bundle)));
  assert.ok(read.kind === "bundle");
  return {
    seq: read.seq,
    parts: read.parts.map(({ worker, part }) => [worker, part.index]),
    soFar: read.soFar.map((packed) => packedSoFar.parse(packed).elapsedUs),
  };
}

Deno.test("a bundle waits until every worker has agentMessage how far it is", () => {
  const bundler = new Bundler(FROM, PLACE);
  assert.equal(bundler.take(), null);
  bundler.addPart(1, part(0), HEALTH);
  bundler.addSoFar(1, soFar(10));
  assert.equal(bundler.take(), null);
  bundler.addPart(0, part(0), HEALTH);
  bundler.addSoFar(0, soFar(11));
  assert.deepEqual(gist(bundler.take()), { seq: 0, parts: [[4, 0], [3, 0]], soFar: [11, 10] });
  assert.equal(bundler.take(), null);
  assert.equal(bundler.count, 1);
});

Deno.test("a worker that tells nothing new is as far as it was", () => {
  const bundler = new Bundler(FROM, PLACE);
  bundler.addSoFar(0, soFar(10));
  bundler.addSoFar(1, soFar(10));
  bundler.addPart(0, part(0), HEALTH);
  bundler.addPart(0, part(1), HEALTH);
  bundler.addSoFar(0, soFar(20));
  assert.deepEqual(gist(bundler.take()), { seq: 0, parts: [[3, 0], [3, 1]], soFar: [20, 10] });
});

Deno.test("the last bundle needs no telling of how far they are: they are done", () => {
  const bundler = new Bundler(FROM, PLACE);
  assert.equal(bundler.takeLast([report(30), report(31)]), null);
  bundler.addPart(1, part(0), HEALTH);
  const last = bundler.takeLast([report(30), report(31)]);
  assert.deepEqual(gist(last), { seq: 0, parts: [[4, 0]], soFar: [30, 31] });
});
