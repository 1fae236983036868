/** Records of TLS that no server should send, before and after the handshake: each fails its request, and says why. */
import assert from "node:assert/strict";
import type { Endpoint, Tls } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { certificates } from "../certificates.ts";
import { frame, octets, settings } from "../http/http2/peer.ts";
import { needing } from "../needs.ts";
import { assertNothingLost, load } from "./loading.ts";
import { raw } from "./servers.ts";
import { scripted, type TlsPeer, type TlsVersion } from "./tls_peer.ts";
import { DRIVER_NAMES, type Way } from "./ways.ts";

const withOpensslAndLibssl = needing("openssl", "libssl");

type Kind = "timeout" | "tls" | "reset";

/** The time-out of a request: short where it is what ends the request, and else long enough for a busy machine. */
const TIMEOUTS_US: Readonly<Record<Kind, number>> = {
  timeout: 500_000,
  tls: 8_000_000,
  reset: 8_000_000,
};

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

async function outcomeOf(
  driver: DriverName,
  server: { readonly endpoint: Endpoint },
  expected: Kind,
): Promise<string> {
  const wish = { requests: 2, connections: 2, timeoutUs: TIMEOUTS_US[expected] };
  const loaded = await load({ driver }, server, wish);
  assertNothingLost(loaded);
  assert.ok(loaded.elapsedUs < 20_000_000);
  const { completed, reasons } = loaded.totals;
  const kinds = Object.keys(loaded.errors);
  return `${completed > 0 ? "completed" : kinds.join("+")}: ${[...reasons.keys()].join("; ")}`;
}

function record(type: number, payload: Uint8Array, version = 0x0303): Uint8Array<ArrayBuffer> {
  const { length } = payload;
  return Uint8Array.of(type, version >> 8, version & 0xff, length >> 8, length & 0xff, ...payload);
}

const [CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION] = [20, 21, 22, 23];
const alert = (level: number, code: number): Uint8Array<ArrayBuffer> =>
  record(ALERT, Uint8Array.of(level, code));

function message(type: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(type, 0, body.length >> 8, body.length & 0xff, ...body);
}

interface ServerHello {
  readonly version?: number;
  readonly cipher?: number;
  readonly random?: Uint8Array;
  readonly session?: Uint8Array;
}

const NO_RANDOM = new Uint8Array(32).fill(7);

/** A ServerHello, or a HelloRetryRequest, which differs by its random octets alone (RFC 8446 §4.1.3). */
function serverHello(
  { version = 0x0303, cipher = 0x1301, random = NO_RANDOM, session = new Uint8Array(0) }:
    ServerHello,
  extensions: readonly number[] = [0, 0x2b, 0, 2, 3, 4],
): Uint8Array<ArrayBuffer> {
  const body = Uint8Array.of(
    ...[version >> 8, version & 0xff, ...random, session.length, ...session],
    ...[
      cipher >> 8,
      cipher & 0xff,
      0,
      extensions.length >> 8,
      extensions.length & 0xff,
      ...extensions,
    ],
  );
  return record(HANDSHAKE, message(2, body));
}

const RETRY = Uint8Array.fromHex(
  "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c",
);
const times = (count: number, bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: count }, () => bytes);

/** What a server sends in place of its ServerHello, given the session that the client names; `null` sends nothing and waits. */
type Hello = (session: Uint8Array) => readonly Uint8Array[] | null;

const HANDSHAKES: Readonly<Record<string, Hello>> = {
  "HTTP in the clear": () => [octets("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
  "SETTINGS of HTTP/2 in the clear": () => [settings([3, 100], [4, 65_535])],
  "SSH": () => [octets("SSH-2.0-OpenSSH_9.2\r\n")],
  "zeros": () => [new Uint8Array(2_000)],
  "nothing, and the end": () => [],
  "nothing at all": () => null,
  "an alert: handshake failure": () => [alert(2, 40)],
  "an alert: no such version": () => [alert(2, 70)],
  "an alert that nobody knows": () => [alert(2, 255)],
  "an alert of a level that nobody knows": () => [alert(9, 40)],
  "an alert octet by octet": () => [...alert(2, 40)].map((octet) => Uint8Array.of(octet)),
  "close_notify": () => [alert(1, 0)],
  "1,000 warnings": () => times(1_000, alert(1, 100)),
  "a record of data": () => [record(APPLICATION, octets("hello"))],
  "a record of a type that nobody knows": () => [record(99, octets("hello"))],
  "a record of a version that nobody knows": () => [record(HANDSHAKE, octets("hello"), 0x7f7f)],
  "a record longer than may be": () => [
    Uint8Array.of(HANDSHAKE, 3, 3, 0xff, 0xff, ...new Uint8Array(70_000)),
  ],
  "1,000 empty records": () => times(1_000, record(HANDSHAKE, new Uint8Array(0))),
  "1,000 changes of the cipher": () => times(1_000, record(CHANGE_CIPHER_SPEC, Uint8Array.of(1))),
  "TLS 1.1": (session) => [serverHello({ version: 0x0302, cipher: 0xc013, session }, [])],
  "a cipher that nobody offered": (session) => [serverHello({ cipher: 0xfafa, session })],
  "a session that nobody has": () => [serverHello({ session: new Uint8Array(32) })],
  "a hello without a key": (session) => [serverHello({ session })],
  "a hello that breaks off": (session) => [serverHello({ session }).slice(0, 20)],
  "a hello of 16 MB": () => [
    record(HANDSHAKE, Uint8Array.of(2, 0xff, 0xff, 0xff, ...new Uint8Array(1_000))),
  ],
  "two demands for another hello": (session) =>
    times(
      2,
      serverHello({ random: RETRY, session }, [0, 0x2b, 0, 2, 3, 4, 0, 0x33, 0, 2, 0, 0x18]),
    ),
  "a certificate before the hello": () => [record(HANDSHAKE, message(11, new Uint8Array(10)))],
  "a message that nobody knows": () => [record(HANDSHAKE, message(77, new Uint8Array(10)))],
};

/** Of a ClientHello: after the heads of its record and message, its version and its random octets. */
function sessionOf(hello: Uint8Array): Uint8Array {
  const at = 5 + 4 + 2 + 32;
  return hello.slice(at + 1, at + 1 + hello[at]);
}

for (const driver of DRIVER_NAMES) {
  for (const [what, helloTo] of Object.entries(HANDSHAKES)) {
    withOpensslAndLibssl.test(`${driver}: ${what} in place of a handshake fails as it should`, async () => {
      const server = raw(wayOf(driver), async (conn) => {
        const hello = new Uint8Array(4_096);
        await conn.read(hello);
        const parts = helloTo(sessionOf(hello));
        for (const part of parts ?? []) await conn.write(part);
        if (parts === null) await conn.read(hello);
      });
      const kind = what === "nothing at all" ? "timeout" : "tls";
      const outcome = await outcomeOf(driver, server, kind);
      await server.stop();
      assert.match(outcome, new RegExp(`^${kind}: .{10}`));
    });
  }
}

const WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

function spoiled(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at < 0 ? copy.length + at : at] ^= 1;
  return copy;
}

/** In place of a response, after the handshake. */
const RECORDS: Readonly<Record<string, (peer: TlsPeer) => readonly Uint8Array[]>> = {
  "a record whose last octet is wrong": (peer) => [spoiled(peer.record(WHOLE), -1)],
  "a record whose first octet is wrong": (peer) => [spoiled(peer.record(WHOLE), 5)],
  "a record whose length is wrong": (peer) => [spoiled(peer.record(WHOLE), 4)],
  "a record twice": (peer) => {
    const half = peer.record(WHOLE.slice(0, 10));
    return [half, half];
  },
  "records in the wrong order": (peer) => {
    const [first, second] = [WHOLE.slice(0, 10), WHOLE.slice(10)].map((part) => peer.record(part));
    return [second, first];
  },
  "a response in the clear": () => [octets(WHOLE)],
  "an alert in the clear": () => [alert(2, 80)],
  "an empty record": () => [record(APPLICATION, new Uint8Array(0))],
  "a record longer than may be": () => [record(APPLICATION, new Uint8Array(17_000))],
  "a frame of HTTP/2 in the clear": () => [frame(6, 0, 0, octets("12345678"))],
};

for (const driver of DRIVER_NAMES) {
  for (const version of ["TLS 1.2", "TLS 1.3"] as const satisfies readonly TlsVersion[]) {
    for (const [what, made] of Object.entries(RECORDS)) {
      withOpensslAndLibssl.test(`${driver}, ${version}: ${what} fails a request as it should`, async () => {
        const server = scripted(wayOf(driver), version, async (peer) => {
          await peer.send(...made(peer));
          await peer.request();
        });
        // More is to come of a record that is longer than it seems.
        const kind = /whose length/.test(what) && version === "TLS 1.3" ? "timeout" : "reset";
        const outcome = await outcomeOf(driver, server, kind);
        await server.stop();
        assert.match(outcome, new RegExp(`^${kind}: .{10}`));
      });
    }
  }
}
