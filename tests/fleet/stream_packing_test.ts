/** Streams through a fleet: what an agent is told of them, and what it reports. */
import assert from "node:assert/strict";
import { scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { packedReport, packReport } from "../../runner/fleet/protocol/packing.ts";
import { SocketRecorder } from "../../runner/load/recording/socket_messages.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import { EMPTY } from "../../runner/stats/histogram/histogram.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { NO_FILES } from "../../base/files.ts";

Deno.test("a script with streams is the same after it was a job of an agent", () => {
  const scenario = scenarioSpecWith(NO_FILES).parse({
    ...{ get: "/tokens", stream: "events", until: "[DONE]", hold: "5s", reconnect: true },
    token: { json: "choices[0].delta.content" },
    expect: { contains: "a" },
  });
  const script = scriptOf(scenario, 1);
  assert.deepEqual(scriptShape.parse(JSON.parse(JSON.stringify(script))), script);
  assert.ok(script.kind === "requests");
  assert.deepEqual(script.requests[0].stream, {
    ...{ kind: "events", until: "[DONE]", holdMs: 5_000, reconnectMs: 3_000 },
    token: { kind: "json", path: ["choices", "0", "delta", "content"] },
  });
});

Deno.test("a script with a WebSocket is the same after it was a job of an agent", () => {
  for (const expect of ["echo", "order", { message: { json: "id" }, contains: "a" }]) {
    const scenario = scenarioSpecWith(NO_FILES).parse({
      ...{ websocket: "/ws", send: { every: "10ms", json: { id: "{{ n }}" } }, hold: "5s", expect },
      ...{ subprotocol: ["a", "b"], deflate: true },
    });
    const script = scriptOf(scenario, 1);
    assert.deepEqual(scriptShape.parse(JSON.parse(JSON.stringify(script))), script);
  }
});

Deno.test("messages of WebSockets are the same after they were a report of an agent", () => {
  const sockets = new SocketRecorder(1, { steps: new Set([3]), pushed: new Set() });
  const setting = { slots: 1, steps: new Set<number>(), sockets };
  const recorder = new StreamingRecorder(setting, 250_000, () => {});
  const socket = sockets.open(0, 3, {
    ...{ openUs: 0, untilUs: 10_000, everyUs: 1_000, most: Infinity, isAnswered: true },
  });
  for (let n = 0; n < 3; n++) sockets.send(socket);
  sockets.come(socket);
  sockets.answer(socket, 1, 3_000);
  sockets.end(0, "left", 5_000);
  for (let code = 3_000; code < 3_030; code++) sockets.closed(socket, code);
  const report = {
    totals: recorder.finish(10_000),
    sessions: { created: 0, completed: 0, failed: 0, length: EMPTY, places: 0, mostOfPlace: 0 },
    ...{ elapsedUs: 10_000, time: { cpuUs: 1, waitedUs: null }, spunUs: 0 },
    ...{ busyPeriods: EMPTY, timerUs: 1 },
  };
  assert.equal(report.totals.messages, undefined, "nothing is a stream");
  const read = packedReport.parse(JSON.parse(JSON.stringify(packReport(report))));
  assert.ok(read.totals.sockets);
  const [{ step, latency, closeCodes, ...counts }] = read.totals.sockets;
  assert.equal(step, 3);
  const { due, received, failed, unfinished, dropped } = counts;
  // Of 0 to 5 ms three were sent, and one of them answered.
  assert.deepEqual([due, received, failed, unfinished, dropped], [6, 1, 0, 2, 3]);
  assert.deepEqual([latency.all.count, latency.censored.count], [6, 5]);
  assert.deepEqual([closeCodes.length, closeCodes[0]], [21, [0, 10]]);
});

Deno.test("events after the first 20 names are counted together, apart from those a server calls other events", () => {
  const { messages } = new StreamingRecorder(
    { slots: 1, steps: new Set([0]) },
    250_000,
    () => {},
  );
  messages.begin(0, 0, 0);
  const names = ["other events", ...Array.from({ length: 22 }, (_, i) => `name ${i}`)];
  for (const name of names) messages.receive(0, name, 1_000);
  const counted = messages.totals(2_000)[0].names.map(({ name, received }) => [name, received]);
  assert.deepEqual(counted, [...names.slice(0, 20).map((name) => [name, 1]), ["", 3]]);
});

Deno.test("messages are the same after they were a report of an agent", () => {
  const setting = { slots: 2, steps: new Set([0]), withTokens: new Set([0]) };
  const recorder = new StreamingRecorder(setting, 250_000, () => {});
  const { messages } = recorder;
  messages.begin(0, 0, 0);
  messages.begin(1, 0, 0);
  for (const us of [1_000, 3_000, 6_000]) {
    messages.receive(0, "tick", us);
    messages.takeToken(0, us);
  }
  messages.end(0, "whole", 7_000);
  messages.end(1, "late", 9_000);
  const report = {
    totals: recorder.finish(10_000),
    sessions: { created: 0, completed: 0, failed: 0, length: EMPTY, places: 0, mostOfPlace: 0 },
    ...{ elapsedUs: 10_000, time: { cpuUs: 1, waitedUs: null }, spunUs: 0 },
    ...{ busyPeriods: EMPTY, timerUs: 1 },
  };
  const read = packedReport.parse(JSON.parse(JSON.stringify(packReport(report))));
  assert.ok(read.totals.messages);
  const [{ names, first, gap, firstToken, perToken, ...counts }] = read.totals.messages;
  const { received, failed, due, tokens } = counts;
  assert.deepEqual([due, received, failed, tokens], [4, 3, 1, 3]);
  assert.deepEqual(names.map(({ name, received, gap }) => [name, received, gap.count]), [
    ["tick", 3, 2],
  ]);
  assert.deepEqual([first.all.count, first.censored.count, gap.all.count], [2, 1, 2]);
  assert.deepEqual([firstToken.censored.count, perToken.maxUs], [1, 2_500]);
});
