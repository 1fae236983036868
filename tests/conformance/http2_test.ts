/** What a load over HTTP/2 must do beyond one over HTTP/1.1, against node:http2 and servers that break the rules. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  END_STREAM,
  FRAME,
  FrameReader,
  GOAWAY,
  HEADERS,
  RST_STREAM,
} from "../../base/http/http2/frames.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import { certificates } from "../certificates.ts";
import { coded, data, frame, headers, settings } from "../http/http2/peer.ts";
import { testWith } from "../needs.ts";
import { assertNothingLost, load } from "./loading.ts";
import { DRIVER_NAMES } from "./ways.ts";

interface Server {
  readonly endpoint: Endpoint;
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

/** A server of Node's, of such a behaviour. */
async function serving(
  behaviour: string,
  isSecure = false,
): Promise<{ readonly endpoint: Endpoint; readonly end: () => Promise<Seen> }> {
  const files = isSecure ? certificateFiles() : [];
  const child = new Deno.Command("node", {
    args: [SERVER, behaviour, ...files],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (): Promise<boolean> => {
    const { value = "", done } = await lines.read();
    text += value;
    return !done;
  };
  while (!text.includes("\n") && await read());
  const [port] = text.split("\n");
  const at = { hostname: "127.0.0.1", port: Number(port), http2: true as const };
  const end = async (): Promise<Seen> => {
    await child.stdin.close();
    while (await read());
    await child.status;
    return JSON.parse(text.slice(port.length + 1));
  };
  if (!isSecure) return { endpoint: at, end };
  const caCerts = [certificates().authority];
  const tls = { serverName: "localhost", insecure: false, caCerts, alpn: "h2" as const };
  return { endpoint: { ...at, tls }, end };
}

function certificateFiles(): string[] {
  const folder = Deno.makeTempDirSync();
  const { cert, key } = certificates().signed;
  return Object.entries({ cert, key }).map(([name, text]) => {
    const path = join(folder, name);
    Deno.writeTextFileSync(path, text);
    return path;
  });
}

for (const driver of DRIVER_NAMES) {
  const way = { driver, http2: true as const };

  testWith(
    ["node"],
    `${driver}: streams share as many connections as there are to be`,
    async () => {
      const { endpoint, end } = await serving("hello");
      const wish = { requests: 400, connections: 3, pipeline: 10 };
      const loaded = await load(way, { endpoint }, wish);
      const { sessions, streams } = await end();
      assertNothingLost(loaded);
      const { completed, connect, reconnects } = loaded.totals;
      assert.deepEqual([completed, connect.count, reconnects], [400, 3, 0]);
      assert.deepEqual([sessions, streams], [3, 400]);
    },
  );

  testWith(
    ["node"],
    `${driver}: a HEAD has no body, and octets are those on the wire`,
    async () => {
      const { endpoint, end } = await serving("hello");
      const wire = { method: "HEAD" };
      const loaded = await load(way, { endpoint }, { requests: 50, connections: 1, wire });
      await end();
      const { completed, bytesIn, bytesOut } = loaded.totals;
      assert.equal(completed, 50);
      // A head is that of a frame, and a few indexed fields.
      assert.ok(bytesIn > 50 * 10 && bytesIn < 50 * 100, `${bytesIn} in`);
      assert.ok(bytesOut > 50 * 10 && bytesOut < 50 * 60, `${bytesOut} out`);
    },
  );

  testWith(["node", "openssl"], `${driver}: TLS goes by ALPN, and says so`, async () => {
    const { endpoint, end } = await serving("hello", true);
    const wish = { requests: 40, connections: 2, pipeline: 4 };
    const loaded = await load(way, { endpoint }, wish);
    const { sessions } = await end();
    assert.deepEqual([loaded.totals.completed, loaded.errors, sessions], [40, {}, 2]);
    const agreed = loaded.tls?.handshakes.map(({ alpn }) => alpn) ?? [];
    if (loaded.tls?.by !== "runtime") assert.deepEqual(agreed, ["h2"]);
  });

  testWith(
    ["node"],
    `${driver}: no more streams than the server takes, and the rest is said`,
    async () => {
      const { endpoint, end } = await serving("few");
      const wish = { requests: 100, connections: 1, pipeline: 6 };
      const loaded = await load(way, { endpoint }, wish);
      const { most } = await end();
      const { protocol = 0 } = loaded.errors;
      assert.ok(protocol >= 4 && loaded.totals.completed === 100 - protocol);
      assert.deepEqual([...loaded.totals.reasons.keys()], [
        "the server takes 2 streams at a time on a connection",
      ]);
      assert.equal(most, 2);
    },
  );

  testWith(["node"], `${driver}: a server that leaves now and then loses no request`, async () => {
    const { endpoint, end } = await serving("leaving");
    const wish = { requests: 100, connections: 1, pipeline: 4 };
    const loaded = await load(way, { endpoint }, wish);
    const { sessions } = await end();
    assertNothingLost(loaded);
    const { completed, reconnects } = loaded.totals;
    assert.deepEqual([completed, loaded.errors], [100, {}]);
    // The load may end before the server has welcomed the last.
    assert.ok(reconnects >= 5 && sessions - 1 - reconnects <= 1, `${reconnects} of ${sessions}`);
  });

  testWith(["node"], `${driver}: a stream that is refused fails alone`, async () => {
    const { endpoint, end } = await serving("refusing");
    const wish = { requests: 40, connections: 1, pipeline: 4 };
    const loaded = await load(way, { endpoint }, wish);
    const { sessions } = await end();
    assert.deepEqual([loaded.totals.completed, loaded.errors], [30, { reset: 10 }]);
    assert.deepEqual([...loaded.totals.reasons.keys()], ["RST_STREAM with REFUSED_STREAM"]);
    assert.equal(sessions, 1);
  });

  testWith(
    ["node"],
    `${driver}: what times out is cancelled, and its neighbours go on`,
    async () => {
      const { endpoint, end } = await serving("hanging");
      const wish = { requests: 40, connections: 1, pipeline: 2, timeoutUs: 2_000_000 };
      const loaded = await load(way, { endpoint }, wish);
      const { cancelled } = await end();
      assert.deepEqual([loaded.totals.completed, loaded.errors], [39, { timeout: 1 }]);
      assert.equal(cancelled, 1);
    },
  );
}

/** A server of octets: `act` is called for each request, with its number, and writes what it likes. */
async function acting(
  act: (socket: Socket, stream: number) => void,
  first = settings(),
): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(first);
    const reader = new FrameReader();
    let skip = 24; // the preface
    socket.on("data", (chunk) => {
      let at = Math.min(skip, chunk.length);
      skip -= at;
      while (at < chunk.length) {
        at = reader.next(chunk, at, chunk.length);
        if (reader.found === FRAME && reader.type === HEADERS) act(socket, reader.stream);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { hostname: "127.0.0.1", port, http2: true },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const OK = { ":status": "200", "content-length": "2" };
/** Name, what the server does to each request, and what all of them fail by. */
const HOSTILE: readonly (readonly [string, (socket: Socket, stream: number) => void, object])[] = [
  ["closes without a word", (socket) => socket.end(), { closed: 6 }],
  ["leaves at once, each time", (socket) => socket.end(frame(GOAWAY, 0, 0, coded(0, 0))), {
    reset: 6,
  }],
  ["complains", (socket) => socket.end(frame(GOAWAY, 0, 0, coded(0, 11))), { reset: 6 }],
  ["refuses", (socket, stream) => socket.write(frame(RST_STREAM, 0, stream, coded(7))), {
    reset: 6,
  }],
  [
    "responds without a status",
    (socket, stream) => socket.write(headers(stream, { a: "b" }, END_STREAM)),
    { protocol: 6 },
  ],
  ["sends more than it said", (socket, stream) => {
    socket.write(headers(stream, OK));
    socket.write(data(stream, "too long", END_STREAM));
  }, { protocol: 6 }],
  [
    "breaks its compression",
    (socket, stream) =>
      socket.write(frame(HEADERS, 4, stream, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff))),
    { protocol: 6 },
  ],
  ["stops within the head", (socket, stream) => socket.end(headers(stream, OK).slice(0, 10)), {
    closed: 6,
  }],
  ["stops within the body", (socket, stream) => {
    socket.write(headers(stream, OK));
    socket.end(data(stream, "o"));
  }, { closed: 6 }],
];

for (const [what, act, errors] of HOSTILE) {
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

for (const driver of DRIVER_NAMES) {
  Deno.test(`${driver}: a connection that falls silent is replaced`, async () => {
    let first: Socket | null = null;
    const server = await acting((socket, stream) => {
      first ??= socket;
      if (socket === first) return;
      socket.write(headers(stream, OK));
      socket.write(data(stream, "ok", END_STREAM));
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
