import assert from "node:assert/strict";
import { LiveReport } from "../../cli/live/report.ts";
import { reportModel } from "../../report/model.ts";
import type { Results } from "../../runner/result/result.ts";
import { Viewers } from "../../cli/live/viewers.ts";
import type { LiveStream } from "../../cli/live/connection.ts";
import { GETTING_READY, pointOf } from "../../report/render/html/live_page.ts";
import {
  type LivePoint,
  MOST_POINTS,
  type PointsEvent,
} from "../../report/render/html/live_status.ts";
import { resultsFixture } from "../report/fixture.ts";
import { latencies, LIVE } from "../report/progress_events.ts";

const WHOLE = resultsFixture({
  cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 3 }],
});

function after(runs: number): Results {
  return { ...WHOLE, state: "running", finishedAt: null, runs: WHOLE.runs.slice(0, runs) };
}

async function pageOf({ url }: LiveReport): Promise<string> {
  return await (await fetch(url)).text();
}

Deno.test("who asks between two saves gets the page of the last one, and the very last at the end", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });
  const early = pageOf(live); // before there is any
  await live.onSaved(after(0));
  assert.match(await early, /: 0 of 3 planned runs are done/);
  await live.onSaved(after(2));
  assert.match(await pageOf(live), /: 2 of 3 planned runs are done/);
  assert.equal(await pageOf(live), await pageOf(live));
  await live.end([reportModel(WHOLE)], { isWhole: true, path: "report.html" });
  assert.doesNotMatch(await pageOf(live), /planned runs are done/);
});

Deno.test("when rendering takes too much of the time, runs are shown later, but the end is", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 0 });
  await live.onSaved(after(0));
  await live.onSaved(after(2));
  assert.match(await pageOf(live), /: 0 of 3 planned runs are done/);
  await live.end([reportModel(WHOLE)], { isWhole: true, path: "report.html" });
  assert.match(await pageOf(live), /Done: this page no longer changes/);
});

Deno.test("a page that cannot be rendered ends no experiment: the one before stays", async () => {
  await using live = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });
  await live.onSaved(after(1));
  const defect = new Proxy(after(2), {
    get: (results, key) => {
      if (key === "runs") throw new Error("a defect");
      return Reflect.get(results, key);
    },
  });
  await live.onSaved(defect);
  assert.match(await pageOf(live), /: 1 of 3 planned runs are done/);
});

function point(i: number): LivePoint {
  return pointOf({ ...LIVE, elapsedMs: (i + 1) * 250, ratePerSec: i });
}

/** A browser that has read what waited for it at first. */
async function reading(viewers: Viewers): Promise<LiveStream> {
  const stream = viewers.add({ status: GETTING_READY, page: 0 });
  assert.ok(stream);
  await stream.next();
  return stream;
}

/** The receipt of the page that waits for it. */
async function receiptOf(stream: LiveStream): Promise<string> {
  const text = new TextDecoder().decode(await stream.next() ?? new Uint8Array());
  return /"receipt":"([^"]+)"/.exec(text)?.[1] ?? "";
}

Deno.test("a newer page is waited for until those who showed the last one have loaded it", async () => {
  const viewers = new Viewers();
  const before = viewers.add({ status: GETTING_READY, page: 1 });
  assert.ok(before);
  assert.ok(viewers.hasShown(await receiptOf(before)));
  let isShown = false;
  const shown = viewers.show(2, 3_600_000).then(() => isShown = true);
  before.leave();
  const after = viewers.add({ status: GETTING_READY, page: 2 });
  assert.ok(after);
  const receipt = await receiptOf(after);
  assert.equal(isShown, false);
  assert.ok(viewers.hasShown(receipt));
  await shown;
});

Deno.test("who has not shown the last page is not waited for", async () => {
  const viewers = new Viewers();
  await reading(viewers);
  await viewers.show(1, 3_600_000);
});

/** The points that wait for it, sent at once. */
async function pointsOf(stream: LiveStream): Promise<PointsEvent> {
  const text = new TextDecoder().decode(await stream.next() ?? new Uint8Array());
  const [, data] = /^event: points\ndata: (.*)\n\n$/.exec(text) ?? [];
  assert.ok(data, text);
  return JSON.parse(data);
}

Deno.test("every interval of the run in progress is sent once, and each run begins anew", async () => {
  const viewers = new Viewers();
  const stream = await reading(viewers);
  viewers.beginRun();
  viewers.addPoint(point(0));
  assert.deepEqual(await pointsOf(stream), { isNew: true, points: [point(0)] });
  const next = pointsOf(stream); // it waits
  viewers.addPoint(point(1));
  assert.deepEqual(await next, { isNew: false, points: [point(1)] });
  viewers.beginRun();
  assert.deepEqual(await pointsOf(stream), { isNew: true, points: [] });
  viewers.addPoint(point(0));
  assert.deepEqual(await pointsOf(stream), { isNew: false, points: [point(0)] });
});

Deno.test("who reads nothing for a while gets the last two minutes at once: no queue grows", async () => {
  const viewers = new Viewers();
  const stream = await reading(viewers);
  viewers.beginRun();
  for (let i = 0; i < 5 * MOST_POINTS; i++) viewers.addPoint(point(i));
  const { isNew, points } = await pointsOf(stream);
  assert.equal(isNew, true);
  assert.equal(points.length, MOST_POINTS);
  assert.deepEqual(points.at(-1), point(5 * MOST_POINTS - 1));
  for (let i = 0; i < 3; i++) viewers.addPoint(point(i));
  assert.equal((await pointsOf(stream)).points.length, 3);
});

Deno.test("a time that begins anew is that of another trial, and its picture begins anew", async () => {
  const viewers = new Viewers();
  const stream = await reading(viewers);
  for (const at of [0, 1, 2, 0, 1]) viewers.addPoint(point(at));
  assert.deepEqual(await pointsOf(stream), { isNew: true, points: [point(0), point(1)] });
});

Deno.test("a browser that comes in the middle of a run gets its points so far", async () => {
  const viewers = new Viewers();
  viewers.beginRun();
  viewers.addPoint(point(0));
  viewers.addPoint(point(1));
  const stream = viewers.add({ status: GETTING_READY, page: 0 });
  const text = new TextDecoder().decode(await stream?.next() ?? new Uint8Array());
  const two =
    /^event: points\ndata: \{"isNew":true,"points":\[(?:,?\{"endMs":[^[\]]+?\}\}){2}\]\}\n\n/;
  assert.match(text, two);
  assert.match(text, /\nevent: status\n.*\n\nevent: page\n/s);
});

Deno.test("a point is the interval as it was measured; without a response it has no latency", () => {
  assert.deepEqual(pointOf(LIVE), {
    endMs: 1_500,
    rate: { label: "Requests/s", value: 12_345.6 },
    p99: { label: "p99", value: 4.56 },
  });
  assert.equal(pointOf({ ...LIVE, latency: latencies() }).p99.value, null);
});

Deno.test("a point of WebSockets or streams has the messages of the interval", () => {
  const none = { all: latencies(), censored: latencies() };
  const times = { ttfe: none, ttft: none, gap: none, message: none };
  const messages = { ...times, received: 500, failed: 0, perSec: 2_000 };
  const of = (lead: "message" | "gap") =>
    pointOf({
      ...LIVE,
      messages: { ...messages, lead, [lead]: { ...none, all: latencies(1, 2, 7) } },
    });
  assert.deepEqual(of("message").rate, { label: "Messages/s", value: 2_000 });
  assert.deepEqual(of("message").p99, { label: "p99", value: 7 });
  assert.deepEqual(of("gap").p99, { label: "gap p99", value: 7 });
});
