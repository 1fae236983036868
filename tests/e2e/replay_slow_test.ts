import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement, results } from "../../runner/result/result.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";
import { startRecorder } from "./recorder.ts";
import { startWitness } from "./witness.ts";

const START_MS = Date.UTC(2026, 10, 24);

function logOf(count: number, gapMs: number): string {
  return Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      time: new Date(START_MS + at * gapMs).toISOString(),
      method: at % 10 === 9 ? "POST" : "GET",
      path: `http://192.0.2.1/${at % 3}`,
    })).join("\n");
}

/** A machine that halts at the very end drops what is due just then: not every time. */
const MOST_TRIES = 5;

for (const workers of ["1", "3"]) {
  Deno.test(`a log is replayed to its last request, at twice its speed, on the named server: ${workers} workers`, async () => {
    using folder = emptyFolder();
    const log = join(folder.path, "access.json");
    await Deno.writeTextFile(log, logOf(300, 4));
    const dropped: number[] = [];
    while (!dropped.includes(0)) {
      assert.ok(dropped.length < MOST_TRIES, `${dropped} were dropped`);
      await using witness = startWitness();
      const args = ["bench", witness.origin, "--replay", log, "--replay-format", "json"];
      const more = ["--speed", "2x", "-w", workers, "--json", "-"];
      const { stdout } = await exits(0, [...args, ...more]);
      const { load, requests } = measurement.parse(JSON.parse(stdout));
      assert.equal(load.kind === "rate" && load.arrivals, "recorded");
      assert.deepEqual([requests.due, requests.completed], [270, 270 - requests.dropped]);
      assert.equal(await witness.settledCount(), requests.completed);
      dropped.push(requests.dropped);
    }
  });
}

Deno.test("a log as Apache writes it is sent with its quotes and spaces, and without its noise", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const log = join(folder.path, "access.log");
  const requests = [
    ...[String.raw`GET /q?a=\"b\" HTTP/1.1`, "GET /two words HTTP/1.1", "GET /end HTTP/1.1"],
    ...[String.raw`\x16\x03\x01\x00\xEE`, "-", "PROPFIND /dav HTTP/1.1"],
  ];
  const lines = requests.map((request) =>
    `10.0.0.1 - - [22/Dec/2025:15:19:01 +0300] "${request}" 200 10 "-" "agent"`
  );
  await Deno.writeTextFile(log, lines.join("\n"));
  const args = ["bench", recorder.origin, "--replay", log, "--speed", "2x", "-w", "1", "-c", "1"];
  const { stderr } = await exits(0, args);
  assert.match(
    stderr,
    /only GET and HEAD are sent.*PROPFIND 1.*2 lines without a request, 0 unread/,
  );
  const sent = new Set(recorder.requests.map(({ line }) => line));
  assert.deepEqual([...sent].toSorted(), [
    "GET /end HTTP/1.1",
    'GET /q?a="b" HTTP/1.1',
    "GET /two%20words HTTP/1.1",
  ]);
});

Deno.test("a log that is none is refused with its first lines, before any load", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const log = join(folder.path, "access.log");
  await Deno.writeTextFile(log, "first\nsecond\n");
  const { stderr } = await exits(2, ["bench", witness.origin, "--replay", log]);
  assert.match(stderr, /access\.log:1[\s\S]*access\.log:2/);
  assert.equal(await witness.settledCount(), 0);
});

Deno.test("an experiment replays a log, with every line accounted for, and a resumed one wants the same log", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const cwd = folder.path;
  await Deno.writeTextFile(join(cwd, "access.json"), logOf(300, 4));
  const file = `name: logged
targets: { shop: { url: "${witness.origin}" } }
scenarios:
  day: { replay: { log: access.json, format: json, speed: 2x } }
load: { connections: 20 }
repeat: ${MOST_TRIES}
`;
  await Deno.writeTextFile(join(cwd, "x.yaml"), file);
  const { code, stderr } = await plateau(["run", "x.yaml", "--out", "out"], { cwd });
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /270 requests of access\.json are replayed .*30 requests with other methods \(POST 30\).* 0 unreadable/,
  );
  const path = join(cwd, "out/results.json");
  const saved = results.parse(JSON.parse(await Deno.readTextFile(path)));
  for (const { load, requests } of saved.runs) {
    assert.equal(load.kind === "rate" && load.arrivals, "recorded");
    assert.deepEqual([requests.due, requests.completed], [270, 270 - requests.dropped]);
  }
  const dropped = saved.runs.map(({ requests }) => requests.dropped);
  assert.ok(dropped.includes(0), `${dropped} were dropped`);
  const preflights = MOST_TRIES * 3; // each path once before each run
  const sent = MOST_TRIES * 270 - dropped.reduce((sum, one) => sum + one);
  assert.equal(await witness.settledCount(), sent + preflights);
  const whole = await plateau(["run", "--resume", "out"], { cwd });
  assert.match(whole.stderr, /Nothing is left to measure/);
  await Deno.writeTextFile(join(cwd, "access.json"), logOf(200, 4));
  await exits(2, ["run", "--resume", "out"], { cwd });
  const fleet = ["run", "x.yaml", "--agents", "1", "--redis", "redis://127.0.0.1:1"];
  const refused = await exits(2, [...fleet, "--out", "other"], { cwd });
  assert.match(refused.stderr, /Cannot replay a log from other machines: scenario day is a replay/);
});
