/**
 * Whole responses, whatever the records and the segments that they come in, and whatever comes between: every count is
 * known before the load. The server's records are made by the test (`tls_peer.ts`).
 */
import assert from "node:assert/strict";
import type { Tls } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { certificates } from "../certificates.ts";
import { testWith } from "../needs.ts";
import { assertNothingLost, load, type Loaded, type Wish } from "./loading.ts";
import { scripted, type TlsPeer, type TlsVersion } from "./tls_peer.ts";
import { DRIVER_NAMES, type Way } from "./ways.ts";

const BODY = "Hello, World!";
const response = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const WHOLE = response(BODY);
/** Of a record of OpenSSL's with TLS 1.3: its head, the kind of what is in it, and the tag. */
const RECORD_BYTES = 5 + WHOLE.length + 1 + 16;

function wayOf(driver: DriverName): Way {
  const tls: Tls = {
    serverName: "localhost",
    insecure: false,
    caCerts: [certificates().authority],
  };
  return {
    name: driver,
    driver,
    needs: ["openssl"],
    place: () => ({ hostname: "127.0.0.1", port: 0 }),
    endpoint: (address) => ({ hostname: "127.0.0.1", port: (address as Deno.NetAddr).port, tls }),
  };
}

type Respond = (peer: TlsPeer, ordinal: number) => Promise<void>;

interface Case {
  readonly version?: TlsVersion;
  readonly requests: number;
  readonly body?: string;
  readonly pipeline?: number;
  /** What the server does once it has read so many requests, of all connections. */
  readonly respond: Respond;
}

/** Both who do TLS: every response is right, on one connection, with one full handshake. */
function allRight(
  sentence: string,
  { version = "TLS 1.3", requests, body = BODY, pipeline = 1, respond }: Case,
): void {
  everyTls.test(`${sentence}`, async (way) => {
    const server = scripted(way, version, async (peer) => {
      for (let ordinal = 0; ordinal < requests; ordinal++) {
        if (ordinal > 0 && await peer.request() === null) return;
        await respond(peer, ordinal);
      }
      await peer.request(); // until the client closes
    });
    const loaded = await load(way, server, {
      ...expecting(body),
      requests,
      pipeline,
      connections: 1,
    });
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual(countsOf(loaded), {
      ...NONE,
      completed: requests,
      right: requests,
      opened: 1,
    });
    assert.equal(server.seen(), requests);
    assertFull(loaded, 1);
  });
}

const everyTls = {
  test(sentence: string, test: (way: Way) => Promise<void>): void {
    for (const driver of DRIVER_NAMES) {
      testWith(["openssl", "libssl"], `${driver}: ${sentence}`, () => test(wayOf(driver)));
    }
  },
};

function expecting(body: string): Pick<Wish, "check"> {
  return { check: { statuses: [200], body: new TextEncoder().encode(body), contains: null } };
}

const NONE = { completed: 0, right: 0, wrong: 0, opened: 0, errors: {}, unsolicited: 0 };

function countsOf({ totals, errors }: Loaded): typeof NONE {
  return {
    completed: totals.completed,
    right: totals.checksPassed,
    wrong: totals.checksFailed,
    opened: totals.connect.count,
    errors,
    unsolicited: totals.unsolicited,
  };
}

/** Where the driver says so: the runtime does not. */
function assertFull({ tls }: Loaded, handshakes: number): void {
  if (tls === undefined || tls.handshakes.length === 0) return;
  const sum = tls.handshakes.reduce((all, { full }) => all + full, 0);
  assert.deepEqual([sum, tls.handshakes.some(({ resumed }) => resumed > 0)], [handshakes, false]);
}

allRight("a record that is cut at any of its bytes is read whole", {
  requests: RECORD_BYTES - 1,
  respond: async (peer, ordinal) => {
    const record = peer.record(WHOLE);
    assert.equal(record.length, RECORD_BYTES);
    await peer.send(record.subarray(0, ordinal + 1), record.subarray(ordinal + 1));
  },
});

allRight("a record whose bytes come one by one is read whole", {
  requests: 2,
  respond: async (peer) =>
    await peer.send(...Array.from(peer.record(WHOLE), (byte) => Uint8Array.of(byte))),
});

allRight("a response of which every byte has a record of its own is read whole", {
  requests: 3,
  respond: async (peer) => {
    const records = [...WHOLE].map((byte) => peer.record(byte));
    await peer.send(joined(...records));
  },
});

allRight("a response that is cut into two records anywhere is read whole", {
  requests: WHOLE.length - 1,
  respond: async (peer, ordinal) => {
    const records = [WHOLE.slice(0, ordinal + 1), WHOLE.slice(ordinal + 1)].map((part) =>
      peer.record(part)
    );
    await (ordinal % 2 === 0 ? peer.send(joined(...records)) : peer.send(...records));
  },
});

const LONG_BODY = "0123456789abcdef".repeat(6_000);

for (const version of ["TLS 1.2", "TLS 1.3"] as const) {
  allRight(`${version}: a response of several full records is read whole`, {
    version,
    requests: 5,
    body: LONG_BODY,
    respond: async (peer, ordinal) => {
      const records = peer.record(response(LONG_BODY));
      const cut = 16_384 + 997 * ordinal;
      await peer.send(records.subarray(0, cut), records.subarray(cut));
    },
  });
}

const PIPELINE = 4;

allRight("several responses in one record respond to as many requests", {
  requests: 5 * PIPELINE,
  pipeline: PIPELINE,
  respond: async (peer, ordinal) => {
    if ((ordinal + 1) % PIPELINE === 0) await peer.send(peer.record(WHOLE.repeat(PIPELINE)));
  },
});

allRight("a record that ends within the second of its responses is read on in the next", {
  requests: 2 * (WHOLE.length - 1),
  pipeline: 2,
  respond: async (peer, ordinal) => {
    if (ordinal % 2 === 0) return;
    const cut = WHOLE.length + (ordinal + 1) / 2;
    const records = [WHOLE.repeat(2).slice(0, cut), WHOLE.repeat(2).slice(cut)];
    await peer.send(joined(...records.map((part) => peer.record(part))));
  },
});

const BETWEEN: Record<string, (peer: TlsPeer) => Uint8Array> = {
  "a KeyUpdate": (peer) => peer.keyUpdate(false),
  "a KeyUpdate that demands another": (peer) => peer.keyUpdate(true),
  "a NewSessionTicket": (peer) => peer.ticket(),
};
for (const [what, made] of Object.entries(BETWEEN)) {
  allRight(`${what} before, within and after responses changes nothing`, {
    requests: 30,
    respond: async (peer, ordinal) => {
      const place = ordinal % 3;
      const parts = [0, 1, 2].flatMap((at) => [
        ...at === place ? [made(peer)] : [],
        ...at < 2 ? [peer.record(WHOLE.slice(at * 20, at === 0 ? 20 : undefined))] : [],
      ]);
      await (ordinal % 2 === 0 ? peer.send(joined(...parts)) : peer.send(...parts));
    },
  });
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

everyTls.test("tickets are not used: the handshake of each new connection is full", async (way) => {
  const server = scripted(way, "TLS 1.3", async (peer) => {
    await peer.send(joined(peer.ticket(), peer.record(WHOLE)));
    await peer.request();
  });
  const wish = { ...expecting(BODY), requests: 12, connections: 2, keepAlive: false };
  const loaded = await load(way, server, wish);
  await server.stop();
  assertNothingLost(loaded);
  assert.deepEqual(countsOf(loaded), { ...NONE, completed: 12, right: 12, opened: 12 });
  assertFull(loaded, 12);
});

const UNTIL_CLOSE = `HTTP/1.1 200 OK\r\n\r\n${BODY}`;
const HALF = WHOLE.slice(0, -5);

/** How a connection ends, and what becomes of each of three requests, one a connection. */
const ENDS: Record<
  string,
  { readonly said: string; readonly isCut: boolean; readonly outcome: object }
> = {
  "close_notify after a response until the end completes it": {
    ...{ said: UNTIL_CLOSE, isCut: false },
    outcome: { completed: 3, right: 3 },
  },
  "close_notify within a response fails it as closed": {
    ...{ said: HALF, isCut: false },
    outcome: { errors: { closed: 3 } },
  },
  "close_notify in place of a response fails the request as closed": {
    ...{ said: "", isCut: false },
    outcome: { errors: { closed: 3 } },
  },
  "an end without close_notify after a response until the end fails it as reset": {
    ...{ said: UNTIL_CLOSE, isCut: true },
    outcome: { errors: { reset: 3 } },
  },
  "an end without close_notify within a response fails it as reset": {
    ...{ said: HALF, isCut: true },
    outcome: { errors: { reset: 3 } },
  },
  "an end without close_notify in place of a response fails the request as reset": {
    ...{ said: "", isCut: true },
    outcome: { errors: { reset: 3 } },
  },
};
for (const [sentence, { said, isCut, outcome }] of Object.entries(ENDS)) {
  everyTls.test(sentence, async (way) => {
    const server = scripted(way, "TLS 1.3", async (peer) => {
      const last = said === "" ? [] : [peer.record(said)];
      await peer.send(joined(...last, ...isCut ? [] : [peer.closeNotify()]));
    });
    const loaded = await load(way, server, { ...expecting(BODY), requests: 3, connections: 1 });
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual(countsOf(loaded), { ...NONE, opened: 3, ...outcome });
    assert.equal(server.seen(), 3);
  });
}

/** Longer than a machine stands still. */
const APART_US = 600_000;

for (const isCut of [false, true]) {
  const what = isCut ? "an end without close_notify" : "close_notify";
  everyTls.test(`${what} while nothing is in flight fails nothing`, async (way) => {
    const server = scripted(way, "TLS 1.3", async (peer) => {
      const last = peer.record(WHOLE);
      await peer.send(isCut ? last : joined(last, peer.closeNotify()));
    });
    const perSec = 1e6 / APART_US;
    const loaded = await load(way, server, {
      ...expecting(BODY),
      connections: 1,
      durationUs: 2.5 * APART_US,
      pacer: {
        kind: "open",
        phases: [{ durationUs: 2.5 * APART_US, fromPerSec: perSec, toPerSec: perSec }],
        arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
      },
    });
    await server.stop();
    assertNothingLost(loaded);
    const { due } = loaded.totals;
    assert.ok(due >= 2, `${due} arrivals`);
    assert.deepEqual(
      { ...countsOf(loaded), opened: due },
      { ...NONE, completed: due, right: due, opened: due },
    );
    assert.equal(server.seen(), due);
  });
}
