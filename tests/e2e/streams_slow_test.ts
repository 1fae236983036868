/** Streams that break off or stand still, and those of an experiment with its rules. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Measurement, results } from "../../runner/result/result.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { bench } from "./measured.ts";
import { emptyFolder, plateau, serve } from "./plateau.ts";

Deno.test("a stream that goes on after the time-out keeps no worker from ending", async () => {
  await using app = await serve("streams", "--set", "events=1000000", "--set", "gaps=100ms");
  const flags = ["--stream", "events", "-c", "3", "-d", "1s", "-t", "1s"];
  const { requests, generator } = await bench(`${app.origin}/events`, ...flags);
  assert.deepEqual([requests.failed, requests.unfinished], [0, 3]);
  const codes = generator.findings.map(({ code }) => code);
  assert.ok(!codes.includes("worker-ended"), codes.join());
});

const DRIVERS = ["epoll", "tcp"] as const;

type MessageTimes = NonNullable<Measurement["streams"]>["gap"];

interface Witness {
  readonly messages: number;
  readonly begun: number;
  readonly ended: number;
  readonly cut: number;
  readonly tookMs: number;
}

async function sentBy(origin: string): Promise<Witness> {
  return await (await fetch(`${origin}/sent`)).json();
}

Deno.test("a server that stands still again and again sends as many messages as are received, and each wait is a gap", async () => {
  const [events, standsMs, everyMs] = [17, 300, 600];
  await using app = await serve(
    ...["streams", "--set", `events=${events}`, "--set", "gaps=40ms"] as const,
    ...["--set", `freeze=${standsMs}ms`, "--set", `freezeEvery=${everyMs}ms`] as const,
  );
  const before = { messages: 0, ended: 0, tookMs: 0 };
  for (const driver of DRIVERS) {
    const flags = ["--stream", "events", "-c", "3", "-n", "6", "--driver", driver];
    const { streams, checks } = await bench(`${app.origin}/events`, ...flags);
    const { messages, ended, tookMs } = await sentBy(app.origin);
    assert.ok(streams);
    assert.equal(streams.messages.received, messages - before.messages, driver);
    assert.deepEqual([streams.whole, checks.passed], [ended - before.ended, 6]);
    assert.deepEqual(streams.gap.lowerBounds, undefined);
    assert.equal(streams.gap.count, 6 * (events - 1));
    // A stream takes no longer for its server than for its client, which counts from the send of its request to the last
    // message: so no wait is missing, however long the machine halts. Each time is rounded to a microsecond.
    const sumOf = ({ count, mean }: MessageTimes): number => count * mean;
    const waitedMs = sumOf(streams.ttfe) + sumOf(streams.gap);
    const sentMs = tookMs - before.tookMs;
    assert.ok(sentMs >= 6 * (events - 1) * 40, `${sentMs} ms`);
    assert.ok(waitedMs >= sentMs - 6 * events / 1_000, `${waitedMs} of ${sentMs} ms, ${driver}`);
    Object.assign(before, { messages, ended, tookMs });
  }
});

Deno.test("of streams that die in the middle each fails one message, and those before are counted", async () => {
  const cutAfter = 4;
  await using app = await serve(
    ...["streams", "--set", "events=10", "--set", "gaps=20ms", "--set", `cutAfter=${cutAfter}`],
  );
  const before = { messages: 0, cut: 0 };
  const since = async (): Promise<[messages: number, cut: number]> => {
    const { messages, cut } = await sentBy(app.origin);
    const found: [number, number] = [messages - before.messages, cut - before.cut];
    Object.assign(before, { messages, cut });
    return found;
  };
  for (const driver of DRIVERS) {
    const wish = ["--stream", "events", "-c", "3", "--driver", driver];
    const died = await bench(`${app.origin}/events`, ...wish, "-n", "6");
    const [messages, cut] = await since();
    assert.ok(died.streams);
    const { received, failed, due } = died.streams.messages;
    assert.deepEqual([received, failed, due], [messages, cut, messages + cut], driver);
    assert.deepEqual([died.requests.failed, cut], [6, 6]);
    const { censoredHistogram = "", count } = died.streams.gap;
    assert.equal(decodeSparse(censoredHistogram).count, 6, "each wait is a lower bound");
    assert.equal(count, 6 * cutAfter);
    // Requested again, each goes on where it was cut, until the server says that this was all.
    const again = [...wish, "-n", "6", "--reconnect", "10ms"];
    const whole = await bench(`${app.origin}/events`, ...again);
    const [resent, cuts] = await since();
    assert.ok(whole.streams);
    assert.deepEqual([whole.streams.messages.received, resent], [6 * 10, 6 * 10], driver);
    assert.deepEqual(whole.streams.interruptions, { ended: 6, cut: cuts, refused: 0 });
    assert.deepEqual([whole.requests.failed, whole.streams.whole, cuts], [0, 6, 6 * 2]);
  }
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
      - { get: /events, stream: events, hold: 60ms, expect: { contains: "0" } }
load: { connections: 2, duration: 1s }
repeat: 1
thresholds: ["p99(ttfe) < 20s", "tpot.p50(tokens) > 1ms", "messages.failed(tokens) <= 0", "ttfe.p99(held.GET /lines) < 20s"]
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
  const held = runs.find(({ scenario }) => scenario === "held");
  const [lines, events] = held?.steps ?? [];
  assert.deepEqual([lines.name, events.name], ["GET /lines", "GET /events"]);
  assert.ok(lines.streams && events.streams && held?.streams);
  assert.equal(lines.streams.events + events.streams.events, held.streams.events);
  assert.ok(lines.streams.whole > 0 && events.streams.ttfe.count > 0);
  const tokens = runs.find(({ scenario }) => scenario === "tokens")?.streams;
  assert.ok(tokens?.tokens);
  assert.ok(tokens.tokens.tokens >= 6 * tokens.whole);
  assert.ok(readFileSync(join(out, "report.html"), "utf8").includes("between messages"));
});

Deno.test("a flow opens a WebSocket after its login, and rules hold its messages", async () => {
  using folder = emptyFolder();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      if (request.method === "POST") {
        return Response.json({ token: "t1" }, { headers: { "set-cookie": "session=s1" } });
      }
      if (request.headers.get("cookie") !== "session=s1") return new Response("", { status: 403 });
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(data.startsWith("t1 ") ? data : "no");
      return response;
    },
  );
  const file = join(folder.path, "mine.yaml");
  Deno.writeTextFileSync(
    file,
    `name: mine
targets: { app: { url: "http://127.0.0.1:${server.addr.port}" } }
scenarios:
  chat:
    flow:
      - { post: /login, capture: { token: { json: token } } }
      - { websocket: /ws, send: { every: 20ms, text: "{{ token }} {{ n }}" }, hold: 100ms }
load: { connections: 2, duration: 1s }
repeat: 1
thresholds: ["message.p99(chat) < 20s", "messages.failed(chat) <= 0", "messagesPerSec(chat) > 1/s"]
`,
  );
  const out = join(folder.path, "out");
  const { code, stdout } = await plateau(["run", file, "--out", out]);
  assert.ok(code === 0 || code === 5, stdout); // of a busy machine no run decides anything
  const { runs: [{ sockets, checks, sessions }] } = results.parse(
    JSON.parse(readFileSync(join(out, "results.json"), "utf8")),
  );
  assert.ok(sockets && sessions);
  assert.deepEqual([checks.failed, sockets.unmatched, sockets.messages.failed], [0, 0, 0]);
  assert.ok(sockets.messages.received >= 5 && sessions.completed > 0);
  assert.ok(readFileSync(join(out, "report.html"), "utf8").includes("of a message"));
});
