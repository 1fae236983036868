/** Streams and WebSockets on the command line. */
import assert from "node:assert/strict";
import { bench } from "./measured.ts";
import { exits, serve } from "./plateau.ts";

Deno.test("bench measures a stream that has no end, which is unfinished, and so is one message of each", async () => {
  await using app = await serve("streams", "--set", "events=1000000", "--set", "gaps=100ms");
  const { requests, streams } = await bench(
    `${app.origin}/events`,
    ...["--stream", "events", "-c", "3", "-d", "1s"],
  );
  assert.deepEqual([requests.completed, requests.unfinished], [0, 3]);
  assert.ok(streams);
  const { due, received, failed, unfinished, dropped } = streams.messages;
  assert.deepEqual([due, failed, unfinished, dropped], [received + 3, 0, 3, 0]);
  assert.ok(received > 3 && streams.eventsPerSec <= 33, `${streams.eventsPerSec}/s`);
  assert.ok(streams.gap.lowerBounds?.includes("max"));
  assert.deepEqual(streams.byName.map(({ name }) => name), ["tick"]);
});

Deno.test("bench loads WebSockets by their URL, and leaves them at the end", async () => {
  await using app = await serve("streams", "--set", "delay=5ms");
  const url = `${app.origin.replace("http", "ws")}/ws`;
  const { requests, sockets, checks, timeline, elapsedS, ...measured } = await bench(
    url,
    ...["--send", "n={{ n }}", "--every", "20ms", "-c", "3", "-d", "1s"],
  );
  const inIntervals = timeline.points.reduce(
    (sum, { messages }) => sum + (messages?.received ?? 0),
    0,
  );
  assert.equal(measured.url, url);
  assert.deepEqual([requests.completed, requests.failed, checks.failed], [3, 0, 0]);
  assert.ok(sockets);
  const { due, received, failed, unfinished, dropped } = sockets.messages;
  assert.deepEqual([due, failed, unfinished, dropped], [received, 0, 0, 0]);
  assert.ok(due > 0 && due <= 150 && sockets.message.min >= 5, `${due}`);
  assert.deepEqual(sockets.closeCodes, { 1000: 3 });
  assert.equal(inIntervals, Math.round(sockets.messagesPerSec * elapsedS));
  const paced = ["bench", url, "--send", "a", "--every", "20ms", "-c", "3", "-d", "1s"];
  const { stdout: shown } = await exits(0, paced);
  assert.match(shown, /^Messages\/s +[\d.,]+$/m);
  assert.match(shown.trimEnd(), /\n[\d.,]+ messages\/s · (?:p50 .* · )?p99 [^\n]*$/);
  const wrong = ["bench", url, "--http2", "--every", "1s", "-n", "5"];
  const { stderr } = await exits(2, wrong);
  for (const flag of ["--http2", "--every", "--requests"]) assert.ok(stderr.includes(flag), stderr);
  const without = await exits(2, ["bench", app.origin, "--send", "x", "--expect", "push"]);
  assert.match(without.stderr, /without a WebSocket/);
  for (
    const [flag, value] of [["--expect", "echo"], ["--expect-status", "200"], [
      "--expect-body",
      "x",
    ]]
  ) {
    const { stderr } = await exits(2, ["bench", url, flag, value]);
    assert.match(stderr, new RegExp(`^${flag}: `, "m"));
  }
});

Deno.test("what belongs to a stream needs one, and a pipeline of streams needs HTTP/2", async () => {
  const { stderr } = await exits(2, [
    ...["bench", "http://127.0.0.1:1/", "--until", "x", "--hold", "1s", "--reconnect", "1s"],
    ...["--token", "a"],
  ]);
  for (const flag of ["--until", "--hold", "--reconnect", "--token"]) {
    assert.ok(stderr.includes(flag), stderr);
  }
  const pipelined = ["bench", "http://127.0.0.1:1/", "--stream", "lines", "--pipeline", "2"];
  assert.match((await exits(2, pipelined)).stderr, /streams.*--http2/s);
  const again = ["bench", "http://127.0.0.1:1/", "--stream", "lines", "--reconnect", "1s"];
  assert.match((await exits(2, again)).stderr, /--reconnect.*only events have identifiers/s);
  const within = ["capacity", "http://127.0.0.1:1/", "--within", "p99(ttfe) < 1s"];
  assert.match((await exits(2, within)).stderr, /--within.*no response is a stream.*--stream/s);
});
