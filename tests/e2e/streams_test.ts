/** Streams as users have them: on the command line, and in an experiment with its rules. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Measurement, measurement, results } from "../../runner/result/result.ts";
import { emptyFolder, exits, plateau, serve } from "./plateau.ts";

async function bench(code: number, ...args: string[]): Promise<Measurement> {
  const { stdout } = await exits(code, ["bench", ...args, "--json", "-"]);
  return measurement.parse(JSON.parse(stdout));
}

Deno.test("bench measures a stream that has no end, which is unfinished, and so is one message of each", async () => {
  await using app = await serve("streams", "--set", "events=1000000", "--set", "gaps=100ms");
  const { requests, streams } = await bench(
    ...[0, `${app.origin}/events`, "--stream", "events", "-c", "3", "-d", "1s"] as const,
  );
  assert.deepEqual([requests.completed, requests.unfinished], [0, 3]);
  assert.ok(streams);
  const { due, received, failed, unfinished, dropped } = streams.messages;
  assert.deepEqual([due, failed, unfinished, dropped], [received + 3, 0, 3, 0]);
  assert.ok(received > 3 && streams.eventsPerSec <= 33, `${streams.eventsPerSec}/s`);
  assert.ok(streams.gap.lowerBounds?.includes("max"));
  assert.deepEqual(streams.byName.map(({ name }) => name), ["tick"]);
});

Deno.test("an experiment holds streams to rules", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  Deno.writeTextFileSync(
    file,
    `name: mine
targets: { app: { app: streams, set: { events: 8, gaps: 20ms } } }
scenarios:
  tokens:
    get: /tokens
    stream: events
    until: "[DONE]"
    token: { json: "choices[0].delta.content" }
  held:
    flow:
      - { get: /lines, stream: lines }
      - { get: /events, stream: events, hold: 60ms, expect: { contains: "1" } }
load: { connections: 2, duration: 1s }
repeat: 1
thresholds: ["p99(ttfe) < 20s", "tpot.p50(tokens) > 1ms", "messages.failed(tokens) <= 0"]
`,
  );
  const out = join(folder.path, "out");
  const { code, stdout } = await plateau(["run", file, "--out", out]);
  assert.ok(code === 0 || code === 5, stdout); // of a busy machine no run decides anything
  assert.match(stdout, /p99\(ttfe\) < 20s/);
  const { runs } = results.parse(JSON.parse(readFileSync(join(out, "results.json"), "utf8")));
  for (const { streams, requests, checks } of runs) {
    assert.ok(streams);
    assert.equal(checks.failed, 0);
    assert.ok(requests.completed > 0 && streams.events > 0);
  }
  const tokens = runs.find(({ scenario }) => scenario === "tokens")?.streams;
  assert.ok(tokens?.tokens);
  assert.ok(tokens.tokens.tokens >= 6 * tokens.whole);
  assert.ok(readFileSync(join(out, "report.html"), "utf8").includes("between events"));
});

Deno.test("what belongs to a stream needs one, and a pipeline of streams needs HTTP/2", async () => {
  const { stderr } = await exits(2, [
    ...["bench", "http://127.0.0.1:1/", "--until", "x", "--hold", "1s", "--token", "a"],
  ]);
  for (const flag of ["--until", "--hold", "--token"]) assert.ok(stderr.includes(flag), stderr);
  const pipelined = ["bench", "http://127.0.0.1:1/", "--stream", "lines", "--pipeline", "2"];
  assert.match((await exits(2, pipelined)).stderr, /streams.*--http2/s);
});
