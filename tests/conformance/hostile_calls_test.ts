/** Responses to gRPC calls that are not what they should be, from a server of octets: each has its one outcome, at once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import {
  DATA,
  END_STREAM,
  FRAME,
  FrameReader,
  HEADERS,
  numbers,
  RST_STREAM,
} from "../../base/http/http2/frames.ts";
import { TargetError } from "../../base/errors.ts";
import { LENGTH, WireWriter } from "../../base/grpc/wire.ts";
import type { TcpEndpoint } from "../../base/net/endpoint.ts";
import { reflectOn } from "../../runner/grpc/ready_calls.ts";
import { frame, headers, settings } from "../http/http2/peer.ts";
import { called } from "./calls.ts";
import { DRIVER_NAMES } from "./ways.ts";

type Frames = (stream: number) => readonly Uint8Array[];

const HEAD = { ":status": "200", "content-type": "application/grpc" };
const BIG = 2 ** 32 - 1;

function head(more: Readonly<Record<string, string>> = {}, flags = 0): Frames {
  return (stream) => [headers(stream, { ...HEAD, ...more }, flags)];
}

function trailers(status: string): Frames {
  return (stream) => [headers(stream, { "grpc-status": status }, END_STREAM)];
}

function octets(bytes: Uint8Array, flags = 0): Frames {
  const parts = bytes.length === 0 ? [bytes] : [];
  for (let at = 0; at < bytes.length; at += 16_000) parts.push(bytes.subarray(at, at + 16_000));
  return (stream) =>
    parts.map((part, at) => frame(DATA, at === parts.length - 1 ? flags : 0, stream, part));
}

/** A message behind its prefix. @param length That the prefix says. */
function enveloped(content: Uint8Array, flag = 0, length = content.length): Uint8Array {
  const whole = new Uint8Array(5 + content.length);
  whole[0] = flag;
  new DataView(whole.buffer).setUint32(1, length);
  whole.set(content, 5);
  return whole;
}

/** `{ "text": "ada" }`. */
const ADA = Uint8Array.of(0x0a, 3, 0x61, 0x64, 0x61);
/** A text of 40 MB. */
const BOMB = gzipSync(new Uint8Array(40_000_000));
const reset: Frames = (stream) => [frame(RST_STREAM, 0, stream, numbers(8))];

interface Case {
  readonly name: string;
  readonly frames: readonly Frames[];
  /** Right, wrong, or the kind of its error. */
  readonly outcome: "right" | "wrong" | "reset" | "protocol";
  /** As it is counted; absent: it is not. */
  readonly status?: string;
}

const CASES: readonly Case[] = [
  {
    name: "a right response",
    frames: [head(), octets(enveloped(ADA)), trailers("0")],
    outcome: "right",
    status: "OK",
  },
  {
    name: "a right one, compressed",
    frames: [head({ "grpc-encoding": "gzip" }), octets(enveloped(gzipSync(ADA), 1)), trailers("0")],
    outcome: "right",
    status: "OK",
  },
  {
    name: "another content-type",
    frames: [head({ "content-type": "text/html" }), octets(enveloped(ADA)), trailers("0")],
    outcome: "wrong",
    status: "none",
  },
  {
    name: "another status of HTTP",
    frames: [head({ ":status": "503" }, END_STREAM)],
    outcome: "wrong",
    status: "none",
  },
  {
    name: "no trailers",
    frames: [head(), octets(enveloped(ADA), END_STREAM)],
    outcome: "wrong",
    status: "none",
  },
  {
    name: "a status that is no number",
    frames: [head(), octets(enveloped(ADA)), trailers("fine")],
    outcome: "wrong",
    status: "none",
  },
  {
    name: "a status that nobody knows",
    frames: [head({ "grpc-status": "99" }, END_STREAM)],
    outcome: "wrong",
    status: "UNKNOWN",
  },
  {
    name: "trailers alone that say OK",
    frames: [head({ "grpc-status": "0" }, END_STREAM)],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "trailers alone that say why",
    frames: [head({ "grpc-status": "16" }, END_STREAM)],
    outcome: "wrong",
    status: "UNAUTHENTICATED",
  },
  {
    name: "two messages",
    frames: [head(), octets(enveloped(ADA)), octets(enveloped(ADA)), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "half a message",
    frames: [head(), octets(enveloped(ADA, 0, 100)), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "a message that is none of its type",
    frames: [head(), octets(enveloped(Uint8Array.of(0x0a, 100, 1))), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "a flag that nobody knows",
    frames: [head(), octets(enveloped(ADA, 7)), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "a compressed message without an encoding",
    frames: [head(), octets(enveloped(gzipSync(ADA), 1)), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "a compression bomb",
    frames: [head({ "grpc-encoding": "gzip" }), octets(enveloped(BOMB, 1)), trailers("0")],
    outcome: "wrong",
    status: "OK",
  },
  {
    name: "a message of 2³² − 1 octets",
    frames: [head(), octets(enveloped(ADA, 0, BIG))],
    outcome: "protocol",
  },
  {
    name: "a reset in mid-message",
    frames: [head(), octets(enveloped(ADA, 0, 100)), reset],
    outcome: "reset",
  },
];

/** Responds to the request of each connection with the frames of its turn. */
function play(socket: Socket, frames: readonly Frames[]): void {
  socket.on("error", () => {}); // the client may have gone
  socket.write(settings());
  const reader = new FrameReader();
  let skip = 24; // the preface
  socket.on("data", (chunk: Uint8Array) => {
    let at = Math.min(skip, chunk.length);
    skip -= at;
    while (at < chunk.length) {
      at = reader.next(chunk, at, chunk.length);
      if (reader.found !== FRAME || reader.type !== HEADERS) continue;
      const { stream } = reader;
      for (const bytes of frames.flatMap((of) => of(stream))) socket.write(bytes);
    }
  });
}

async function playing(framesNow: () => readonly Frames[]): Promise<{
  readonly server: Server;
  readonly endpoint: TcpEndpoint;
}> {
  const server = createServer((socket) => play(socket, framesNow()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { server, endpoint: { hostname: "127.0.0.1", port, http2: true } };
}

for (const driver of DRIVER_NAMES) {
  Deno.test(`${driver}: every response that is no right one has its outcome`, async () => {
    let at = 0;
    const { server, endpoint } = await playing(() => CASES[at].frames);
    for (const { name, outcome, status } of CASES) {
      const call = {
        grpc: "conformance.Echo/One",
        message: { text: "ada" },
        expect: { json: { text: "ada" } },
      };
      const { totals, statuses, errors } = await called(driver, { endpoint }, call, {
        requests: 1,
        connections: 1,
      });
      const { checksPassed, checksFailed } = totals;
      const seen = checksPassed === 1
        ? "right"
        : checksFailed === 1
        ? "wrong"
        : Object.keys(errors)[0];
      assert.equal(seen, outcome, `${name}: ${[...totals.reasons.keys()]}`);
      assert.deepEqual(statuses, status === undefined ? {} : { [status]: 1 }, name);
      at++;
    }
    server.close();
  });
}

/** A message with the field. */
function within(id: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const writer = new WireWriter();
  for (const content of contents) {
    writer.tag(id, LENGTH);
    writer.bytes(Uint8Array.from(content));
  }
  return writer.take();
}

Deno.test("a file of reflection that imports without end is refused at once", async () => {
  const texts = Array.from({ length: 1_001 }, (_, at) => new TextEncoder().encode(`${at}.proto`));
  const file = Uint8Array.from([...within(1, texts[0]), ...within(3, ...texts)]);
  let asked = 0;
  const { server, endpoint } = await playing(() => {
    asked++;
    return [head(), octets(enveloped(within(4, within(1, file)))), trailers("0")];
  });
  const origin = { origin: `http://127.0.0.1:${endpoint.port}`, endpoint };
  const reflect = reflectOn(origin, 20_000, new AbortController().signal);
  await assert.rejects(reflect(["a.S/One"]), /Cannot use the server's reflection: .*1,000 files/);
  assert.equal(asked, 1);
  server.close();
});

const text = (written: string): Uint8Array => new TextEncoder().encode(written);

/** A file whose only method takes a message that is in no file. */
const UNRESOLVED = Uint8Array.from([
  ...within(1, text("a.proto")),
  ...within(2, text("a")),
  ...within(
    6,
    Uint8Array.from([
      ...within(1, text("S")),
      ...within(
        2,
        Uint8Array.from([
          ...within(1, text("One")),
          ...within(2, text(".a.None")),
          ...within(3, text(".a.None")),
        ]),
      ),
    ]),
  ),
]);

for (
  const [what, file] of [
    ["is no descriptor", Uint8Array.of(0xff, 0xff)],
    ["names a type that is in none", UNRESOLVED],
  ] as const
) {
  Deno.test(`a file of reflection that ${what} is a failure of the server`, async () => {
    const { server, endpoint } = await playing(() => [
      head(),
      octets(enveloped(within(4, within(1, file)))),
      trailers("0"),
    ]);
    const origin = { origin: `http://127.0.0.1:${endpoint.port}`, endpoint };
    const reflect = reflectOn(origin, 20_000, new AbortController().signal);
    await assert.rejects(reflect(["a.S/One"]), (error) => {
      assert.ok(error instanceof TargetError, `${error}`);
      assert.match(error.message, /reflection, because its files are not valid: .+--proto\)$/);
      return true;
    });
    server.close();
  });
}
