/** The hostile frames of `http2/hostile_frames.ts` by a socket, with both drivers: each fails its request, or does not. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { END_STREAM, FRAME, FrameReader, HEADERS } from "../../base/http/http2/frames.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { HOSTILE_FRAMES, type HostileFrames } from "../http/http2/hostile_frames.ts";
import { data, headers, joined, settings } from "../http/http2/peer.ts";
import { assertNothingLost, load, type Loaded } from "./loading.ts";
import { DRIVER_NAMES } from "./ways.ts";

/** What a connection begins with, and what follows its request. */
interface Script {
  readonly first: Uint8Array;
  readonly then: readonly Uint8Array[];
}

/** Plays to each connection the script of its number, and ends it. */
async function playing(
  scriptOf: (connection: number) => Script,
): Promise<{ server: Server; port: number }> {
  let connections = 0;
  const server = createServer((socket) => play(socket, scriptOf(connections++)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

function play(socket: Socket, { first, then }: Script): void {
  socket.on("error", () => {}); // the client may have gone
  socket.write(first);
  const reader = new FrameReader();
  let skip = 24; // the preface
  socket.on("data", (chunk) => {
    let at = Math.min(skip, chunk.length);
    skip -= at;
    while (at < chunk.length && !socket.writableEnded) {
      at = reader.next(chunk, at, chunk.length);
      if (reader.found !== FRAME || reader.type !== HEADERS) continue;
      for (const bytes of then) socket.write(bytes);
      socket.end();
    }
  });
}

async function loaded(
  driver: DriverName,
  connections: number,
  method: string,
  scriptOf: (n: number) => Script,
): Promise<Loaded> {
  const { server, port } = await playing(scriptOf);
  const endpoint = { hostname: "127.0.0.1", port, http2: true } as const;
  const wish = { requests: connections, connections, wire: { method } };
  const loaded = await load({ driver, http2: true }, { endpoint }, wish);
  server.close();
  assertNothingLost(loaded);
  return loaded;
}

/** How a single request ends: completed, or by which kind of failure. */
function expected({ comes, error }: HostileFrames): string {
  const [first] = comes;
  if (first === undefined) return error === undefined ? "closed" : "protocol";
  const [, what] = first.split(" ");
  return what === "malformed" ? "protocol" : what === "reset" ? "reset" : "completed";
}

function outcome({ totals, errors }: Loaded): string {
  return totals.completed === 1 ? "completed" : Object.keys(errors).join();
}

for (const driver of DRIVER_NAMES) {
  for (const [group, rows] of Object.entries(HOSTILE_FRAMES)) {
    Deno.test(`${driver}: hostile ${group} end a request as they should`, async () => {
      for (const row of rows) {
        // Several requests are a matter of the connection, and so are bodies that wait for windows.
        if (row.places !== undefined || row.request === "POST") continue;
        const { first = settings(), frames, request = "GET" } = row;
        const script = { first, then: frames };
        const result = await loaded(driver, 1, request, () => script);
        assert.equal(outcome(result), expected(row), `${row.what}: ${[...result.totals.reasons]}`);
      }
    });
  }

  Deno.test(`${driver}: a response that breaks off at any octet fails as closed`, async () => {
    const whole = joined(
      headers(1, { ":status": "200", "content-length": "5" }),
      data(1, "he"),
      data(1, "llo", END_STREAM),
    );
    const result = await loaded(driver, whole.length + 1, "GET", (connection) => ({
      first: settings(),
      then: [whole.slice(0, connection)],
    }));
    assert.equal(result.totals.completed, 1);
    assert.deepEqual(result.errors, { closed: whole.length });
  });
}
