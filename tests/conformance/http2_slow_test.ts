/** What a load over HTTP/2 must do beyond one over HTTP/1.1, against node:http2 and servers that break the rules. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  ACK,
  CONTINUATION,
  END_HEADERS,
  END_STREAM,
  FRAME,
  FrameReader,
  GOAWAY,
  HEADERS,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "../../base/http/http2/frames.ts";
import type { Endpoint, TcpEndpoint } from "../../base/net/endpoint.ts";
import { messageOf } from "../../base/errors.ts";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import type { Script } from "../../scenarios/request/script.ts";
import { certificates } from "../certificates.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import {
  block,
  coded,
  data,
  frame,
  headers,
  joined,
  octets,
  settings,
} from "../http/http2/peer.ts";
import { needing, testWith } from "../needs.ts";
import { assertNothingLost, load } from "./loading.ts";
import { certificateFiles, started } from "./programs.ts";
import { DRIVER_NAMES } from "./ways.ts";

const withNode = needing("node");
const withGoAndOpenssl = needing("go", "openssl");

interface Server {
  readonly endpoint: Endpoint;
  /** Connections so far. */
  readonly accepted: () => number;
  readonly stop: () => Promise<void>;
}

/** What `http2_server.mjs` has seen. */
interface Seen {
  readonly sessions: number;
  readonly streams: number;
  /** Streams at a time. */
  readonly most: number;
  readonly cancelled: number;
}

const SERVER = fileURLToPath(new URL("http2_server.mjs", import.meta.url));

interface NodeServer extends AsyncDisposable {
  readonly endpoint: Endpoint;
  readonly end: () => Promise<Seen>;
}

/** A server of Node's, of such a behaviour. */
async function serving(behaviour: string, isSecure = false): Promise<NodeServer> {
  const files = isSecure ? certificateFiles() : [];
  const server = await started("node", [SERVER, behaviour, ...files]);
  const at = { hostname: "127.0.0.1", port: server.port, http2: true as const };
  return {
    ...server,
    endpoint: isSecure ? secured(at) : at,
    end: async () => JSON.parse(await server.end()),
  };
}

/** Over TLS, by certificates of the tests. */
function secured(endpoint: TcpEndpoint): TcpEndpoint {
  const caCerts = [certificates().authority];
  return { ...endpoint, tls: { serverName: "localhost", insecure: false, caCerts, alpn: "h2" } };
}

let built: Promise<string> | null = null;

/** Built once. */
async function goServer(): Promise<string> {
  const program = join(await Deno.makeTempDir(), "http2_server");
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-o", program, fileURLToPath(new URL("http2_server.go", import.meta.url))],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return program;
}

for (const driver of DRIVER_NAMES) {
  const way = { driver, http2: true as const };

  withNode.test(`${driver}: streams share as many connections as there are to be`, async () => {
    await using server = await serving("hello");
    const wish = { requests: 400, connections: 3, pipeline: 10 };
    const loaded = await load(way, server, wish);
    const { sessions, streams } = await server.end();
    assertNothingLost(loaded);
    const { completed, connect, reconnects } = loaded.totals;
    assert.deepEqual([completed, connect.count, reconnects], [400, 3, 0]);
    assert.deepEqual([sessions, streams], [3, 400]);
  });

  withNode.test(`${driver}: what a server says as soon as it accepts is not lost`, async () => {
    await using server = await serving("hello");
    const loaded = await load(way, server, { requests: 100, connections: 50 });
    assert.deepEqual([loaded.totals.completed, loaded.errors], [100, {}]);
  });

  withNode.test(`${driver}: a HEAD has no body, and octets are those on the wire`, async () => {
    await using server = await serving("hello");
    const wire = { method: "HEAD" };
    const loaded = await load(way, server, { requests: 50, connections: 1, wire });
    const { completed, bytesIn, bytesOut } = loaded.totals;
    assert.equal(completed, 50);
    // A head is that of a frame, and a few indexed fields.
    assert.ok(bytesIn > 50 * 10 && bytesIn < 50 * 100, `${bytesIn} in`);
    assert.ok(bytesOut > 50 * 10 && bytesOut < 50 * 60, `${bytesOut} out`);
  });

  testWith(["node", "openssl"], `${driver}: TLS goes by ALPN, and says so`, async () => {
    await using server = await serving("hello", true);
    const wish = { requests: 40, connections: 2, pipeline: 4 };
    const loaded = await load(way, server, wish);
    const { sessions } = await server.end();
    assert.deepEqual([loaded.totals.completed, loaded.errors, sessions], [40, {}, 2]);
    const agreed = loaded.tls?.handshakes.map(({ alpn }) => alpn) ?? [];
    if (loaded.tls?.by !== "runtime") assert.deepEqual(agreed, ["h2"]);
  });

  withNode.test(`${driver}: requests beyond the streams that the server takes wait for one`, async () => {
    await using server = await serving("few");
    const wish = { requests: 100, connections: 1, pipeline: 6 };
    const loaded = await load(way, server, wish);
    const { most, sessions } = await server.end();
    assertNothingLost(loaded);
    assert.deepEqual([loaded.totals.completed, loaded.errors], [100, {}]);
    assert.deepEqual([most, sessions, loaded.fewestStreams], [2, 1, 2]);
  });

  withNode.test(`${driver}: a server that leaves now and then loses no request`, async () => {
    await using server = await serving("leaving");
    const wish = { requests: 100, connections: 1, pipeline: 4 };
    const loaded = await load(way, server, wish);
    const { sessions } = await server.end();
    assertNothingLost(loaded);
    const { completed, reconnects } = loaded.totals;
    assert.deepEqual([completed, loaded.errors], [100, {}]);
    // The load may end before the server has welcomed the last.
    assert.ok(reconnects >= 5 && sessions - 1 - reconnects <= 1, `${reconnects} of ${sessions}`);
  });

  withNode.test(`${driver}: a stream that is refused fails alone`, async () => {
    await using server = await serving("refusing");
    const wish = { requests: 40, connections: 1, pipeline: 4 };
    const loaded = await load(way, server, wish);
    const { sessions } = await server.end();
    assert.deepEqual([loaded.totals.completed, loaded.errors], [30, { reset: 10 }]);
    assert.deepEqual([...loaded.totals.reasons.keys()], ["RST_STREAM with REFUSED_STREAM"]);
    assert.equal(sessions, 1);
  });

  withNode.test(`${driver}: what times out is cancelled, and its neighbours go on`, async () => {
    await using server = await serving("hanging");
    const wish = { requests: 40, connections: 1, pipeline: 2, timeoutUs: 2_000_000 };
    const loaded = await load(way, server, wish);
    const { cancelled, sessions } = await server.end();
    assert.deepEqual([loaded.totals.completed, loaded.errors], [39, { timeout: 1 }]);
    assert.deepEqual([cancelled, sessions, loaded.totals.reconnects], [1, 1, 0]);
  });
}

/**
 * A server of octets: `act` is called for each request, with its stream and how many came before on its connection, and
 * writes what it likes.
 * @param first What it says of itself.
 * @param onOther Called for each other frame.
 */
async function acting(
  act: (socket: Socket, stream: number, before: number) => void,
  first = settings(),
  onOther = (_: Socket, _frame: Pick<FrameReader, "type" | "flags">): void => {},
): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(first);
    const reader = new FrameReader();
    let skip = 24; // the preface
    let requests = 0;
    socket.on("data", (chunk) => {
      let at = Math.min(skip, chunk.length);
      skip -= at;
      while (at < chunk.length) {
        at = reader.next(chunk, at, chunk.length);
        if (reader.found !== FRAME) continue;
        if (reader.type === HEADERS) act(socket, reader.stream, requests++);
        else onOther(socket, reader);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { hostname: "127.0.0.1", port, http2: true },
    accepted: () => sockets.size,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const MAX_STREAMS = 3;
const OK = { ":status": "200", "content-length": "2" };

function respond(socket: Socket, stream: number): void {
  socket.write(headers(stream, OK));
  socket.write(data(stream, "ok", END_STREAM));
}

/** Name, what the server does to each request, and what all of them fail by. */
const HOSTILE: Readonly<
  Record<string, readonly [(socket: Socket, stream: number) => void, object]>
> = {
  "closes without a word": [(socket) => socket.end(), { closed: 6 }],
  "leaves at once, each time": [(socket) => socket.end(frame(GOAWAY, 0, 0, coded(0, 0))), {
    reset: 6,
  }],
  "complains": [(socket) => socket.end(frame(GOAWAY, 0, 0, coded(0, 11))), { reset: 6 }],
  "refuses": [(socket, stream) => socket.write(frame(RST_STREAM, 0, stream, coded(7))), {
    reset: 6,
  }],
  "responds without a status": [
    (socket, stream) => socket.write(headers(stream, { a: "b" }, END_STREAM)),
    { protocol: 6 },
  ],
  "sends more than it said": [(socket, stream) => {
    socket.write(headers(stream, OK));
    socket.write(data(stream, "too long", END_STREAM));
  }, { protocol: 6 }],
  "breaks its compression": [
    (socket, stream) =>
      socket.write(frame(HEADERS, 4, stream, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff))),
    { protocol: 6 },
  ],
  "stops within the head": [(socket, stream) => socket.end(headers(stream, OK).slice(0, 10)), {
    closed: 6,
  }],
  "stops within the body": [(socket, stream) => {
    socket.write(headers(stream, OK));
    socket.end(data(stream, "o"));
  }, { closed: 6 }],
};

for (const [what, [act, errors]] of Object.entries(HOSTILE)) {
  for (const driver of DRIVER_NAMES) {
    Deno.test(`${driver}: a server that ${what} fails every request and nothing else`, async () => {
      const server = await acting(act);
      const loaded = await load({ driver, http2: true }, server, { requests: 6, connections: 2 });
      await server.stop();
      assertNothingLost(loaded);
      assert.deepEqual([loaded.totals.completed, loaded.errors], [0, errors]);
    });
  }
}

/** A head in parts, as its frames are as long as they may be. */
function inParts(stream: number, fields: Readonly<Record<string, string>>): Uint8Array {
  const whole = block(fields);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += 16_000) parts.push(whole.slice(at, at + 16_000));
  return joined(...parts.map((part, i) => {
    const flags = i === parts.length - 1 ? END_HEADERS : 0;
    return i === 0
      ? frame(HEADERS, flags | END_STREAM, stream, part)
      : frame(CONTINUATION, flags, stream, part);
  }));
}

/** More interim heads than a response may have, of 60 kB each, which the table makes short. */
function manyInterimHeads(stream: number): Uint8Array {
  const status = "\x08\x03103"; // of what the static table has at 8, without indexing
  const long = `\x40\x01x\x7f\xb9\x16${"y".repeat(3_000)}`; // with indexing, 3,000 octets
  const table = "\x3f\xe1\x1f"; // of 4,096 octets, as other blocks leave none of it
  const heads = Array.from(
    { length: 30 },
    (_, i) => i === 0 ? table + status + long : status + "\xbe".repeat(20),
  );
  return joined(...heads.map((head) => frame(HEADERS, END_HEADERS, stream, octets(head))));
}

/** Name, the end that the server makes to one stream alone, and what its request fails by. */
const ENDS_ALONE: Readonly<Record<string, readonly [(stream: number) => Uint8Array, string]>> = {
  "is reset": [(stream) => frame(RST_STREAM, 0, stream, coded(2)), "reset"],
  "is refused": [(stream) => frame(RST_STREAM, 0, stream, coded(7)), "reset"],
  "is reset within the body": [
    (stream) =>
      joined(headers(stream, OK), data(stream, "o"), frame(RST_STREAM, 0, stream, coded(8))),
    "reset",
  ],
  "has no status": [(stream) => headers(stream, { a: "b" }, END_STREAM), "protocol"],
  "is longer than it says": [
    (stream) => joined(headers(stream, OK), data(stream, "too long", END_STREAM)),
    "protocol",
  ],
  "is shorter than it says": [
    (stream) => joined(headers(stream, OK), data(stream, "o", END_STREAM)),
    "protocol",
  ],
  "has a head over its limit": [
    (stream) => inParts(stream, { ":status": "200", a: "b".repeat(70_000) }),
    "protocol",
  ],
  "has too many interim heads": [manyInterimHeads, "protocol"],
  "has a window that is widened by nothing": [
    (stream) => frame(WINDOW_UPDATE, 0, stream, coded(0)),
    "protocol",
  ],
};

for (const [what, [end, kind]] of Object.entries(ENDS_ALONE)) {
  for (const driver of DRIVER_NAMES) {
    Deno.test(`${driver}: a stream that ${what} fails its request, and the next follows on its connection`, async () => {
      const server = await acting((socket, stream, before) => {
        if (before % 2 === 0) socket.write(end(stream));
        else respond(socket, stream);
      });
      const loaded = await load({ driver, http2: true }, server, { requests: 20, connections: 1 });
      await server.stop();
      assertNothingLost(loaded);
      const { completed, reconnects } = loaded.totals;
      assert.deepEqual([completed, loaded.errors, reconnects], [10, { [kind]: 10 }, 0]);
      assert.equal(server.accepted(), 1);
    });
  }
}

/** Acknowledges PINGs. */
function isAlive(socket: Socket, { type, flags }: Pick<FrameReader, "type" | "flags">): void {
  if (type === PING && flags !== ACK) socket.write(frame(PING, ACK, 0, new Uint8Array(8)));
}

for (const driver of DRIVER_NAMES) {
  const way = { driver, http2: true as const };

  Deno.test(`${driver}: where every stream is reset, every arrival is sent on the connections that are there`, async () => {
    const server = await acting((socket, stream) => {
      socket.write(frame(RST_STREAM, 0, stream, coded(2)));
    });
    const loaded = await load(way, server, {
      connections: 3,
      durationUs: 3_000_000, // of which the last two leave time to a machine that halts
      pacer: {
        kind: "open",
        phases: [{ durationUs: 1_000_000, fromPerSec: 300, toPerSec: 300 }],
        arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
      },
    });
    await server.stop();
    assertNothingLost(loaded);
    const { due, dropped, reconnects } = loaded.totals;
    assert.deepEqual([due, loaded.errors, dropped, reconnects], [300, { reset: 300 }, 0, 0]);
    assert.equal(server.accepted(), 3);
  });

  Deno.test(`${driver}: a server that is there keeps its connection after a time-out`, async () => {
    const server = await acting(
      (socket, stream, before) => void (before > 0 && respond(socket, stream)),
      settings(),
      isAlive,
    );
    const wish = { requests: 20, connections: 1, timeoutUs: 2_000_000 };
    const loaded = await load(way, server, wish);
    await server.stop();
    const { completed, reconnects } = loaded.totals;
    assert.deepEqual([completed, loaded.errors, reconnects], [19, { timeout: 1 }, 0]);
    assert.equal(server.accepted(), 1);
  });

  for (
    const [what, names] of [
      ["before their responses", [3]],
      ["after it has said that it leaves", [2 ** 31 - 1, 3]],
    ] as const
  ) {
    Deno.test(`${driver}: a server that names the streams it took ${what} loses no request`, async () => {
      const server = await acting((socket, stream, before) => {
        if (before > 1) return;
        if (before === 0) return;
        for (const last of names) socket.write(frame(GOAWAY, 0, 0, coded(last, 0)));
        respond(socket, stream);
        respond(socket, 1);
      });
      const wish = { requests: 60, connections: 1, pipeline: 6 };
      const loaded = await load(way, server, wish);
      await server.stop();
      assertNothingLost(loaded);
      const { completed, reconnects } = loaded.totals;
      assert.deepEqual([completed, loaded.errors], [60, {}]);
      assert.ok(reconnects >= 29, `${reconnects}`);
    });
  }

  for (
    const [what, first] of [["none", 0], ["one", 1]] as const
  ) {
    Deno.test(`${driver}: where the server takes ${what} of the streams at first, requests wait, and their latency says so`, async () => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const more = settings([MAX_STREAMS, 100]);
      const server = await acting(
        (socket, stream, before) => void (before >= first && respond(socket, stream)),
        settings([MAX_STREAMS, first]),
        (socket, { type, flags }) => {
          if (type !== SETTINGS || flags !== ACK || timer !== undefined) return;
          timer = setTimeout(() => {
            socket.write(more);
            if (first > 0) respond(socket, 1);
          }, 200);
        },
      );
      const wish = { requests: 40, connections: 1, pipeline: 4 };
      const loaded = await load(way, server, wish);
      clearTimeout(timer);
      await server.stop();
      assertNothingLost(loaded);
      assert.deepEqual([loaded.totals.completed, loaded.errors], [40, {}]);
      const { maxUs } = mergeHistograms(loaded.parts.map(({ latency }) => latency));
      assert.ok(maxUs > 150_000, `${maxUs} µs`);
      assert.equal(server.accepted(), 1);
    });
  }

  Deno.test(`${driver}: a server that raises its streams at once fails none`, async () => {
    const first = joined(settings([MAX_STREAMS, 1]), settings([MAX_STREAMS, 100]));
    const server = await acting(respond, first);
    const loaded = await load(way, server, { requests: 60, connections: 1, pipeline: 4 });
    await server.stop();
    const { totals: { completed }, errors, fewestStreams } = loaded;
    assert.deepEqual([completed, errors, fewestStreams], [60, {}, undefined]);
  });

  Deno.test(`${driver}: a server that never takes a stream has every request time out, on one connection`, async () => {
    const server = await acting(() => {}, settings([MAX_STREAMS, 0]));
    const wish = { requests: 4, connections: 1, pipeline: 2, timeoutUs: 300_000 };
    const loaded = await load(way, server, wish);
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual([loaded.errors, server.accepted()], [{ timeout: 4 }, 1]);
  });

  Deno.test(`${driver}: replies that a server wants and does not read have an end`, async () => {
    const server = await flooding();
    const loaded = await load(way, server, { requests: 2, connections: 1 });
    await server.stop();
    assert.deepEqual(loaded.errors, { protocol: 2 });
    assert.deepEqual([...loaded.totals.reasons.keys()], [
      "ENHANCE_YOUR_CALM: the server does not read what it is sent: more than 10000 replies wait to be sent",
    ]);
  });
}

/** A server that responds to each request with PINGs without end, and reads nothing from then on. */
async function flooding(): Promise<Server> {
  const pings = Array.from({ length: 1_000 }, () => frame(PING, 0, 0, new Uint8Array(8)));
  return await acting((socket, stream) => {
    socket.pause();
    socket.write(headers(stream, { ":status": "200" }));
    const some = joined(data(stream, "x"), ...pings);
    const flood = (): void => {
      while (!socket.destroyed && socket.write(some));
      socket.once("drain", flood);
    };
    flood();
  });
}

Deno.test("tcp: what a server says first is heard, however busy the load is with another", async () => {
  const server = await flooding();
  const wish = { requests: 12, connections: 2 };
  const loaded = await load({ driver: "tcp", http2: true }, server, wish);
  await server.stop();
  assert.deepEqual(loaded.errors, { protocol: 12 });
  const [reason, ...others] = loaded.totals.reasons.keys();
  assert.match(reason, /^ENHANCE_YOUR_CALM/);
  assert.deepEqual(others, []);
});

/** As `run` checks a target before a load of so many streams on each connection. */
async function preflight({ endpoint }: Server, streams: number): Promise<string> {
  const wire = { method: "GET", path: "/", headers: {}, body: null };
  const request = {
    ...{ kind: "request" as const, step: 0, wire, captures: [], follow: null },
    expect: { status: 200 },
  };
  const script: Script = { kind: "requests", stepNames: [], requests: [request], sequence: [0] };
  const { signal } = new AbortController();
  const origin = "port" in endpoint ? `http://127.0.0.1:${endpoint.port}` : "";
  return await checkResponses({
    ...{ target: "a", origin, http2: true, streams, script, timeoutMs: 20_000, signal },
  }).then(() => "right", messageOf);
}

Deno.test("a preflight waits for streams that the server does not take at first, and for more after its response", async () => {
  const timers: ReturnType<typeof setTimeout>[] = [];
  const raise = (socket: Socket, streams: number): void => {
    timers.push(setTimeout(() => socket.write(settings([MAX_STREAMS, streams])), 50));
  };
  const server = await acting(
    (socket, stream) => {
      respond(socket, stream);
      raise(socket, 100);
    },
    settings([MAX_STREAMS, 0]),
    (socket, { type, flags }) => {
      if (type === SETTINGS && flags !== ACK) raise(socket, 1);
    },
  );
  assert.equal(await preflight(server, 10), "right");
  timers.forEach(clearTimeout);
  await server.stop();
});

Deno.test("a preflight refuses a load of more streams than the server takes, and names both", async () => {
  const server = await acting(respond, settings([MAX_STREAMS, 3]));
  assert.match(
    await preflight(server, 10),
    /the server allows 3 concurrent streams.*but the load has 10/,
  );
  assert.equal(await preflight(server, 3), "right");
  await server.stop();
});

/** What a handler of Go's net/http does, and what comes of 200 requests to it. */
const GO_HANDLERS = {
  "panics": ["/panic", { completed: 0, errors: { reset: 200 }, reconnects: false }],
  "closes its connection": ["/close", { completed: 200, errors: {}, reconnects: true }],
} as const;

for (const [what, [path, expected]] of Object.entries(GO_HANDLERS)) {
  for (const driver of DRIVER_NAMES) {
    withGoAndOpenssl.test(`${driver}: a handler of Go that ${what} gets every request`, async () => {
      const program = await (built ??= goServer());
      await using server = await started(program, certificateFiles());
      const endpoint = secured({ hostname: "127.0.0.1", port: server.port, http2: true });
      const wish = { requests: 200, connections: 2, pipeline: 10, wire: { path } };
      const loaded = await load({ driver, http2: true }, { endpoint }, wish);
      assertNothingLost(loaded);
      const { completed, reconnects } = loaded.totals;
      const found = { completed, errors: loaded.errors, reconnects: reconnects > 0 };
      assert.deepEqual(found, expected);
    });
  }
}

for (const driver of DRIVER_NAMES) {
  Deno.test(`${driver}: a connection that falls silent is replaced`, async () => {
    let first: Socket | null = null;
    const server = await acting((socket, stream) => {
      first ??= socket;
      if (socket === first) return;
      respond(socket, stream);
    });
    const loaded = await load({ driver, http2: true }, server, {
      ...{ requests: 20, connections: 1, pipeline: 2, timeoutUs: 2_000_000 },
    });
    await server.stop();
    const { completed, reconnects } = loaded.totals;
    assert.deepEqual([completed, loaded.errors, reconnects], [18, { timeout: 2 }, 1]);
  });

  Deno.test(`${driver}: a server of HTTP/1.1 is said to be none of HTTP/2`, async () => {
    const answer = new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n");
    const server = await acting(() => {}, answer);
    const loaded = await load({ driver, http2: true }, server, { requests: 2, connections: 1 });
    await server.stop();
    assert.deepEqual(loaded.errors, { protocol: 2 });
    assert.deepEqual([...loaded.totals.reasons.keys()], [
      "PROTOCOL_ERROR: the server does not speak HTTP/2",
    ]);
  });
}
