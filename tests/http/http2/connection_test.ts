/** A client of HTTP/2 without a socket: what it takes a server's octets for, and what it sends. */
import assert from "node:assert/strict";
import {
  ACK,
  CONTENT,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME,
  FrameReader,
  GOAWAY,
  HEADERS,
  NOTHING,
  numberAt,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "../../../base/http/http2/frames.ts";
import { asHttp2 } from "../../../base/http/http2/request.ts";
import { MALFORMED, RIGHT, WRONG_CONTENT } from "./connection_cases.ts";
import { CONNECTION_ERRORS } from "./connection_error_cases.ts";
import { Client, coded, data, frame, headers, joined, octets, request, settings } from "./peer.ts";

const OK = { ":status": "200" };

for (const [name, frames, expected] of [...RIGHT, ...MALFORMED, ...WRONG_CONTENT]) {
  Deno.test(`${name}: is the same however it is cut`, () => {
    const bytes = joined(settings(), ...frames);
    for (const size of [bytes.length, 1, 3]) {
      assert.deepEqual(new Client().read(bytes, size), expected, `in pieces of ${size}`);
    }
  });
}

for (const [name, frames, error] of CONNECTION_ERRORS) {
  Deno.test(`${name}: ends the connection, with its code in a GOAWAY`, () => {
    const bytes = joined(settings(), ...frames);
    for (const size of [bytes.length, 1, 3]) {
      const client = new Client();
      const [last = "none"] = client.read(bytes, size).slice(-1);
      assert.ok(last.startsWith(error), `${last} in pieces of ${size}`);
      const goAway = sent(client).at(-1);
      assert.equal(goAway?.type, GOAWAY);
      assert.ok(client.connection.isLeaving);
    }
  });
}

interface Sent {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** The frames that the client has sent since the last look. */
function sent({ connection }: Client): Sent[] {
  const bytes = connection.out.take();
  const reader = new FrameReader();
  const frames: Sent[] = [];
  for (let at = 0; at < bytes.length;) {
    at = reader.next(bytes, at, bytes.length);
    assert.ok([FRAME, CONTENT, NOTHING].includes(reader.found));
    const { type, flags, stream, payload, from, to } = reader;
    if (reader.found !== NOTHING) {
      frames.push({ type, flags, stream, payload: payload.slice(from, to) });
    }
  }
  return frames;
}

Deno.test("a server that speaks HTTP/1.1 is named as such", () => {
  assert.deepEqual(new Client().read(octets("HTTP/1.1 400 Bad Request\r\n\r\n")), [
    "PROTOCOL_ERROR: the server does not speak HTTP/2",
  ]);
});

Deno.test("a server begins with its SETTINGS", () => {
  assert.deepEqual(new Client().read(headers(1, OK, END_STREAM)), [
    "PROTOCOL_ERROR: a first frame other than SETTINGS",
  ]);
  assert.deepEqual(new Client().read(frame(SETTINGS, ACK, 0)), [
    "PROTOCOL_ERROR: an acknowledgement of settings before the server's own SETTINGS",
  ]);
});

Deno.test("SETTINGS and PING are acknowledged, and their acknowledgements are not", () => {
  const client = new Client();
  sent(client);
  client.read(joined(settings(), frame(PING, 0, 0, octets("12345678"))));
  client.read(joined(frame(SETTINGS, ACK, 0), frame(PING, ACK, 0, octets("87654321"))));
  assert.deepEqual(sent(client), [
    { type: SETTINGS, flags: ACK, stream: 0, payload: new Uint8Array(0) },
    { type: PING, flags: ACK, stream: 0, payload: octets("12345678") },
  ]);
});

Deno.test("streams of places are odd numbers, and responses come in any order", () => {
  const client = new Client(3);
  assert.deepEqual(sent(client).map(({ type, stream }) => [type, stream]), [
    [HEADERS, 1],
    [HEADERS, 3],
    [HEADERS, 5],
  ]);
  client.read(joined(
    settings(),
    headers(5, OK, END_STREAM),
    headers(1, OK),
    headers(3, OK, END_STREAM),
    data(1, "", END_STREAM),
  ));
  assert.deepEqual(client.events.map((event) => event[0]), ["2", "1", "0"]);
  assert.equal(client.connection.active, 0);
});

Deno.test("a HEAD's response has the length of what it does not bring", () => {
  const client = new Client(1, request({ method: "HEAD" }));
  const fields = { ":status": "200", "content-length": "5" };
  assert.deepEqual(client.read(joined(settings(), headers(1, fields, END_STREAM))), [
    "0: response 200",
  ]);
});

Deno.test("what still comes on a stream that we gave up changes nothing but the tables", () => {
  const client = new Client(2);
  client.read(settings());
  sent(client);
  client.connection.cancel(0);
  const [reset] = sent(client);
  assert.deepEqual([reset.type, reset.stream, numberAt(reset.payload, 0)], [RST_STREAM, 1, 8]);
  client.read(joined(headers(1, OK), data(1, "late", END_STREAM), headers(3, OK, END_STREAM)));
  assert.equal(client.connection.error, null);
  assert.deepEqual(client.events.map((event) => event[0]), ["1"]);
});

Deno.test("what comes on a stream after its end breaks the connection", () => {
  const client = new Client();
  client.read(joined(settings(), headers(1, OK, END_STREAM), data(1, "more", END_STREAM)));
  assert.equal(client.connection.error, "STREAM_CLOSED: a frame on a stream that has ended");
});

const LONG_BODY = "x".repeat(100_000);
const LONG = { method: "POST", body: LONG_BODY };

function bodyOf(frames: readonly Sent[], stream = 1): { bytes: number; ends: boolean } {
  const own = frames.filter((one) => one.type === DATA && one.stream === stream);
  return {
    bytes: own.reduce((sum, { payload }) => sum + payload.length, 0),
    ends: own.some(({ flags }) => flags === END_STREAM),
  };
}

Deno.test("a body is sent as far as the windows let it, and goes on when they widen", () => {
  const client = new Client(1, request(LONG));
  assert.deepEqual(bodyOf(sent(client)), { bytes: 65_535, ends: false });
  client.read(joined(settings(), frame(WINDOW_UPDATE, 0, 0, coded(10_000))));
  assert.equal(bodyOf(sent(client)).bytes, 0);
  client.read(frame(WINDOW_UPDATE, 0, 1, coded(1_000)));
  assert.deepEqual(bodyOf(sent(client)), { bytes: 1_000, ends: false });
  client.read(frame(WINDOW_UPDATE, 0, 1, coded(1_000_000)));
  assert.deepEqual(bodyOf(sent(client)), { bytes: 9_000, ends: false });
  client.read(frame(WINDOW_UPDATE, 0, 0, coded(1_000_000)));
  assert.deepEqual(bodyOf(sent(client)), { bytes: 100_000 - 65_535 - 10_000, ends: true });
});

Deno.test("SETTINGS that allow less leave a stream in debt", () => {
  const client = new Client(1, request(LONG));
  sent(client);
  client.read(joined(settings([4, 1_000]), frame(WINDOW_UPDATE, 0, 0, coded(1_000_000))));
  client.read(frame(WINDOW_UPDATE, 0, 1, coded(64_535)));
  assert.equal(bodyOf(sent(client)).bytes, 0);
  client.read(settings([4, 1_007]));
  assert.equal(bodyOf(sent(client)).bytes, 7);
});

Deno.test("frames are as large as the server wants them, and blocks go on in CONTINUATION", () => {
  const client = new Client(1, request({ headers: { "x-long": "~".repeat(40_000) } }));
  const [first, ...rest] = sent(client);
  assert.deepEqual([first.type, first.flags], [HEADERS, END_STREAM]);
  assert.ok(rest.every(({ type }) => type === CONTINUATION));
  assert.deepEqual(rest.map(({ flags }) => flags), [...rest.slice(1).map(() => 0), END_HEADERS]);
  client.read(joined(settings([5, 60_000]), headers(1, OK, END_STREAM)));
  sent(client);
  client.connection.begin(
    0,
    asHttp2(request({ headers: { "x-long": "~".repeat(40_000) } }), "http"),
  );
  const [high, middle, low, type, flags] = client.connection.out.take();
  assert.ok((high << 16 | middle << 8 | low) > 40_000);
  assert.deepEqual([type, flags], [HEADERS, END_STREAM | END_HEADERS]);
});

Deno.test("a response that comes before its request is sent makes the rest needless", () => {
  const client = new Client(1, request(LONG));
  client.read(settings());
  sent(client);
  client.read(headers(1, { ":status": "413" }, END_STREAM));
  assert.equal(client.events.length, 1);
  assert.deepEqual(sent(client).map(({ type }) => type), [RST_STREAM]);
  client.read(frame(WINDOW_UPDATE, 0, 1, coded(1_000)));
  assert.equal(client.connection.error, null);
});

Deno.test("a server that leaves takes what it says, and no more", () => {
  const client = new Client(3);
  client.read(joined(settings(), frame(GOAWAY, 0, 0, coded(3, 0))));
  assert.deepEqual(client.events, ["2: turned away"]);
  assert.ok(client.connection.isLeaving && !client.connection.mayBegin);
  client.read(joined(headers(1, OK, END_STREAM), headers(3, OK, END_STREAM)));
  assert.equal(client.connection.active, 0);
});

Deno.test("which streams were taken may be said after it was said that the server leaves", () => {
  const client = new Client(3);
  client.read(joined(settings(), frame(GOAWAY, 0, 0, coded(2 ** 31 - 1, 0))));
  assert.deepEqual([client.events, client.connection.hasTaken], [[], false]);
  client.read(frame(GOAWAY, 0, 0, coded(1, 0)));
  assert.deepEqual([client.events, client.connection.hasTaken], [
    ["1: turned away", "2: turned away"],
    true,
  ]);
  client.read(joined(headers(3, OK, END_STREAM), headers(1, OK, END_STREAM)));
  assert.equal(client.connection.error, null);
  assert.equal(client.events.length, 3);
});

const MANY_PINGS = joined(
  ...Array.from({ length: 5_000 }, () => frame(PING, 0, 0, octets("12345678"))),
);

Deno.test("replies that the server does not read have a limit, those that it reads have none", () => {
  const client = new Client(1, request(), false);
  client.read(joined(settings(), headers(1, OK)));
  const content = data(1, "x"); // without any, PINGs alone are too many
  let unsentBytes = 0;
  const flood = (): void => {
    const bytes = joined(content, MANY_PINGS);
    client.connection.read(bytes, bytes.length, unsentBytes);
  };
  for (let i = 0; i < 20; i++) {
    flood();
    client.connection.out.take(); // the system takes all of it
  }
  assert.equal(client.connection.error, null);
  for (let i = 0; i < 3; i++) {
    flood();
    unsentBytes += client.connection.out.take().length;
  }
  assert.equal(
    client.connection.error,
    "ENHANCE_YOUR_CALM: the server does not read what it is sent: more than 10000 replies wait to be sent",
  );
});

Deno.test("requests have a limit, too, where a server ends those that it has not read", () => {
  const client = new Client(1);
  const ends = (of: (id: number) => Uint8Array): number => {
    let unsentBytes = client.connection.out.take().length;
    client.connection.read(settings(), settings().length, 0);
    for (let id = 1; client.connection.error === null && id < 2_000; id += 2) {
      const bytes = of(id);
      client.connection.read(bytes, bytes.length, unsentBytes);
      if (client.connection.error !== null) return (id - 1) / 2;
      client.connection.begin(0, asHttp2(request(), "http"));
      unsentBytes += client.connection.out.take().length;
    }
    return Infinity;
  };
  const count = ends((id) => frame(RST_STREAM, 0, id, coded(8)));
  assert.ok(count > 100 && count < 120, `${count}`);
  assert.match(
    client.connection.error ?? "",
    /^ENHANCE_YOUR_CALM: .* requests whose responses have ended wait to be sent/,
  );
});

Deno.test("as many streams begin as the server takes", () => {
  const client = new Client(2);
  assert.equal(client.connection.mayBegin, false); // nobody knows yet
  client.read(joined(settings([3, 2]), headers(1, OK, END_STREAM)));
  assert.equal(client.connection.mayBegin, true);
  client.connection.begin(0, asHttp2(request(), "http"));
  assert.equal(client.connection.mayBegin, false);
});

Deno.test("a server is told in time that it may send on", () => {
  const client = new Client(1, request(), false);
  client.read(joined(settings(), headers(1, OK)));
  sent(client);
  const content = data(1, "x".repeat(16_384));
  for (let i = 0; i <= 2 ** 29 / 16_384; i++) client.connection.read(content, content.length);
  assert.deepEqual(sent(client).map(({ type, stream }) => [type, stream]), [
    [WINDOW_UPDATE, 0],
    [WINDOW_UPDATE, 1],
  ]);
});
