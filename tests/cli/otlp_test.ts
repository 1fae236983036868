/** Metrics on their way to a collector, which may be anybody: what is sent, what is tried again, and what is said. */
import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import type { Collector } from "../../cli/flags/output_flags.ts";
import { type SendingClock, sendMetrics } from "../../cli/output/otlp.ts";
import { measurementOtlpRequests } from "../../report/render/otlp.ts";
import { jsonText } from "../../report/writing/json.ts";
import { measurementFixture } from "../report/fixture.ts";
import { exportMetricsServiceRequest } from "../report/otlp_schema.ts";
import { type Asked, collectorOf, type Listening, startCollector } from "./collector.ts";

const REQUEST = jsonText({ resourceMetrics: [] });
const NOTHING_REFUSED = "{}";

/** Speaks no HTTP of its own: what it is sent is answered by these octets, and the end. */
function startRaw(octets: string): Listening {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: Asked[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      asked.push({ method: "", path: "", headers: new Headers(), body: "" });
      await connection.read(new Uint8Array(65_536));
      await connection.write(new TextEncoder().encode(octets)).catch(() => {});
      connection.close();
    }
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    asked,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      await accepting;
    },
  };
}

const ok = (body = NOTHING_REFUSED) => (): Response => new Response(body);
const status = (status: number, headers = {}, body = "") => (): Response =>
  new Response(body, { status, headers });

const START_MS = Date.parse("2031-05-04T10:18:03Z");

/** Time that goes on only while somebody waits. */
class TestClock implements SendingClock {
  readonly pauses: number[] = [];
  readonly latest: AbortController[] = [];
  readonly #random: () => number;
  #nowMs = 0;
  nowMs = (): number => this.#nowMs;
  dateMs = (): number => START_MS + this.#nowMs;
  constructor(random = (): number => 1) {
    this.#random = random;
  }
  random = (): number => this.#random();
  pause = (ms: number): Promise<void> => {
    this.pauses.push(ms);
    this.#nowMs += ms;
    return Promise.resolve();
  };
  pass(ms: number): void {
    this.#nowMs += ms;
  }
  late = (): AbortSignal => {
    this.latest.push(new AbortController());
    return this.latest[this.latest.length - 1].signal;
  };
}

/** What is said of a delivery that fails. */
async function refusalOf(to: Collector, clock = new TestClock()): Promise<string> {
  const error: unknown = await sendMetrics(to, [REQUEST], undefined, clock).catch((error) => error);
  assert.ok(error instanceof TargetError, `${error}`);
  const before = `Cannot send metrics to ${to.url.origin}${to.url.pathname}`;
  assert.ok(error.message.startsWith(before), error.message);
  return error.message.slice(before.length).replaceAll("\u00a0", " ");
}

Deno.test("metrics are posted as JSON to the path of metrics, with the fields of the environment", async () => {
  await using collector = startCollector(ok());
  const loadStartedAt = "2031-05-04T10:18:03.250Z";
  const measurement = {
    ...measurementFixture({ target: "", scenario: "s", medianMs: 5 }),
    loadStartedAt,
  };
  const requests = measurementOtlpRequests(measurement, "here");
  const to = collectorOf(`${collector.origin}/base/`, "api-key=a%20long%20key, X-Other = b=c ");
  await sendMetrics(to, requests);
  const [{ method, path, headers, body }] = collector.asked;
  assert.deepEqual([method, path], ["POST", "/base/v1/metrics"]);
  assert.deepEqual(
    ["content-type", "api-key", "x-other"].map((name) => headers.get(name)),
    ["application/json", "a long key", "b=c"],
  );
  assert.equal(body, requests[0]);
  exportMetricsServiceRequest.parse(JSON.parse(body));
});

Deno.test("no secret is in what is said, even where the collector says it", async () => {
  await using collector = startCollector(({ headers }) =>
    new Response(
      JSON.stringify({ message: `no ${headers.get("api-key")} ${headers.get("authorization")}` }),
      { status: 401 },
    )
  );
  const origin = collector.origin.replace("://", "://somebody:a-pass-word@");
  const to = collectorOf(`${origin}/?token=of-the-query`, "api-key=0f-the-environment");
  const said = await refusalOf(to);
  assert.match(said, /^: it responds with 401, no /);
  assert.doesNotMatch(said, /0f-the-environment|a-pass-word|of-the-query/);
  assert.ok(!said.includes(btoa("somebody:a-pass-word")));
  assert.equal(secrets.text("0f-the-environment"), "[secret]");
});

const refused: [sentence: string, answer: () => Response, said: RegExp][] = [
  [
    "400 with its message",
    status(400, {}, '{"code":3,"message":"no such unit"}'),
    /^: it responds with 400, no such unit$/,
  ],
  ["400 without JSON", status(400, {}, "<html>"), /^: it responds with 400$/],
  ["404", status(404), /^: it responds with 404; does it receive OTLP\/HTTP at this address\?$/],
  ["500", status(500), /^: it responds with 500$/],
  ["413", status(413, { "retry-after": "1" }), /^: it responds with 413$/],
  [
    "a long message",
    status(400, {}, JSON.stringify({ message: "x".repeat(9_999) })),
    /^: it responds with 400, x{300}…$/,
  ],
  [
    "a success without JSON",
    ok("<html>welcome</html>"),
    /^: its response is not JSON, so it is not an OTLP\/HTTP collector/,
  ],
  ["a success of a number", ok("7"), /^: its response is not JSON/],
  [
    "rejected points",
    ok('{"partialSuccess":{"rejectedDataPoints":"5","errorMessage":"too old"}}'),
    /^: it rejected 5 data points: too old$/,
  ],
  [
    "rejected points as a number",
    ok('{"partialSuccess":{"rejectedDataPoints":5}}'),
    /^: it rejected 5 data points$/,
  ],
  [
    "one rejected point",
    ok('{"partialSuccess":{"rejectedDataPoints":"1"}}'),
    /^: it rejected 1 data point$/,
  ],
  [
    "rejected points that are no number",
    ok('{"partialSuccess":{"rejectedDataPoints":"some","errorMessage":"too old"}}'),
    /^: it rejected data points, without saying how many: too old$/,
  ],
  [
    "a huge body",
    ok(`"${"x".repeat(200_000)}"`),
    /^: its response can't be read: a response of an OpenTelemetry collector is larger than 64 kB, the limit/,
  ],
];
for (const [sentence, answer, said] of refused) {
  Deno.test(`a collector that responds with ${sentence} is not asked again`, async () => {
    await using collector = startCollector(answer);
    assert.match(await refusalOf(collectorOf(collector.origin)), said);
    assert.equal(collector.asked.length, 1);
  });
}

for (
  const body of ["", "{}", '{"partialSuccess":{}}', '{"partialSuccess":{"rejectedDataPoints":"0"}}']
) {
  Deno.test(`a success with the body ${body || "of nothing"} is one`, async () => {
    await using collector = startCollector(ok(body));
    await sendMetrics(collectorOf(collector.origin), [REQUEST], undefined, new TestClock());
    assert.equal(collector.asked.length, 1);
  });
}

Deno.test("no redirect is followed, and nobody else is contacted", async () => {
  await using other = startCollector(ok());
  await using collector = startCollector(status(307, { location: `${other.origin}/v1/metrics` }));
  const said = await refusalOf(collectorOf(collector.origin));
  assert.equal(
    said,
    `: it redirects to ${other.origin}/v1/metrics, but redirects are not followed; write the URL of the collector itself`,
  );
  assert.deepEqual([collector.asked.length, other.asked.length], [1, 0]);
});

for (const code of [429, 502, 503, 504]) {
  Deno.test(`${code} is tried again after the seconds that the collector names`, async () => {
    await using collector = startCollector(status(code, { "retry-after": "7" }), ok());
    const clock = new TestClock();
    await sendMetrics(collectorOf(collector.origin), [REQUEST], undefined, clock);
    assert.deepEqual(clock.pauses, [7_000]);
    assert.deepEqual(collector.asked.map(({ body }) => body), [REQUEST, REQUEST]);
  });
}

const unhelpful: [sentence: string, retryAfter: string][] = [
  ["0 s", "0"],
  ["a date in the past", new Date(START_MS - 60_000).toUTCString()],
  ["this moment", new Date(START_MS).toUTCString()],
  ["less than nothing", "-1"],
  ["no time at all", "soon"],
];
for (const [sentence, retryAfter] of unhelpful) {
  Deno.test(`who names ${sentence} is tried again ever later, for half a minute in all`, async () => {
    await using collector = startCollector(status(503, { "retry-after": retryAfter }));
    const clock = new TestClock();
    const said = await refusalOf(collectorOf(collector.origin), clock);
    assert.equal(said, ": it responds with 503, in 6 attempts");
    assert.deepEqual(clock.pauses, [1_000, 2_000, 4_000, 8_000, 8_000]);
    assert.equal(collector.asked.length, 6);
  });
}

Deno.test("pauses are random between the half and the whole, so that clients don't come back together", async () => {
  const drawn = [0, 0.5, 1, 0.25, 0];
  await using collector = startCollector(status(503), status(429), status(502), status(504), ok());
  const clock = new TestClock(() => drawn.shift() ?? 1);
  await sendMetrics(collectorOf(collector.origin), [REQUEST], undefined, clock);
  assert.deepEqual(clock.pauses, [500, 1_500, 4_000, 5_000]);
});

Deno.test("a date to try again after is waited for", async () => {
  const date = new Date(START_MS + 9_000).toUTCString();
  await using collector = startCollector(status(503, { "retry-after": date }), ok());
  const clock = new TestClock();
  await sendMetrics(collectorOf(collector.origin), [REQUEST], undefined, clock);
  assert.deepEqual(clock.pauses, [9_000]);
});

const longer: [retryAfter: string, asked: string][] = [
  ["31", "31 s"],
  ["9".repeat(400), "more than a day"],
  [new Date(START_MS + 120_000).toUTCString(), "2 min"],
];
for (const [retryAfter, asked] of longer) {
  Deno.test(`who asks for a pause of ${asked} is not waited for`, async () => {
    await using collector = startCollector(status(429, { "retry-after": retryAfter }));
    const clock = new TestClock();
    const said = await refusalOf(collectorOf(collector.origin), clock);
    assert.equal(
      said,
      `: it responds with 429 and asks for a pause of ${asked}, but Plateau gives up after 30 s`,
    );
    assert.deepEqual(clock.pauses, []);
  });
}

Deno.test("no request begins when the time for all of them is over", async () => {
  await using collector = startCollector(status(503, { "retry-after": "29" }), () => {
    clock.pass(900);
    return new Response(NOTHING_REFUSED);
  }, ok());
  const clock = new TestClock();
  const to = collectorOf(collector.origin);
  await assert.rejects(
    sendMetrics(to, [REQUEST, REQUEST], undefined, clock),
    /metrics, part 2 of 2: Plateau gives up after 30\u00a0s$/,
  );
  assert.equal(collector.asked.length, 2);
});

Deno.test("a collector that hangs is given up when its time is over", async () => {
  const clock = new TestClock();
  const held = Promise.withResolvers<Response>();
  await using collector = startCollector(() => {
    clock.latest[0].abort();
    return held.promise;
  });
  const said = await refusalOf(collectorOf(collector.origin), clock);
  held.resolve(new Response());
  assert.equal(said, ": it did not respond within 10 s");
  assert.equal(clock.latest.length, 1);
});

Deno.test("who can't be reached is tried three times", async () => {
  const { origin } = await (async () => {
    await using gone = startCollector(ok());
    return gone;
  })();
  const clock = new TestClock();
  assert.match(await refusalOf(collectorOf(origin), clock), /refused.*, in 3 attempts$/i);
  assert.deepEqual(clock.pauses, [1_000, 2_000]);
});

Deno.test("who hangs up without a response is tried three times, and one that speaks no HTTP once", async () => {
  await using silent = startRaw("");
  assert.match(await refusalOf(collectorOf(silent.origin)), /, in 3 attempts$/);
  assert.equal(silent.asked.length, 3);
  await using other = startRaw("220 mail.example ESMTP\r\n");
  assert.match(await refusalOf(collectorOf(other.origin)), /^: its response can't be read: /);
  assert.equal(other.asked.length, 1);
});

Deno.test("a response without an end is read as far as the limit of a collector's response", async () => {
  const chunk = `1000\r\n${"x".repeat(4_096)}\r\n`;
  const endless = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(32)}`;
  await using collector = startRaw(endless);
  assert.match(await refusalOf(collectorOf(collector.origin)), /^: its response can't be read: /);
  assert.equal(collector.asked.length, 1);
});

Deno.test("of several requests the one is named that was refused, and none follows it", async () => {
  await using collector = startCollector(ok(), status(400), ok());
  const requests = [REQUEST, REQUEST, REQUEST];
  await assert.rejects(
    sendMetrics(collectorOf(collector.origin), requests, undefined, new TestClock()),
    /metrics, part 2 of 3: it responds with 400$/,
  );
  assert.equal(collector.asked.length, 2);
});

Deno.test("a signal ends the sending; one that came before it does not", async () => {
  const interrupted = new AbortController();
  await using collector = startCollector(() => {
    interrupted.abort();
    return new Response("", { status: 503 });
  }, ok());
  const to = collectorOf(collector.origin);
  const { signal } = interrupted;
  const error: unknown = await sendMetrics(to, [REQUEST], signal).catch((error) => error);
  assert.equal(error, signal.reason);
  assert.equal(collector.asked.length, 1);
  await sendMetrics(to, [REQUEST], signal);
  assert.equal(collector.asked.length, 2);
});
