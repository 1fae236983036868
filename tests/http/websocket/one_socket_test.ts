/** The WebSocket that a preflight opens, over a connection that the test plays. */
import assert from "node:assert/strict";
import type { Connection } from "../../../base/net/connection.ts";
import { openSocketOn } from "../../../base/net/one_socket.ts";
import { ResponseReader } from "../../../base/http/response.ts";
import { acceptOf } from "../../../base/http/websocket/handshake.ts";
import { FLAWED_INTERIM } from "./flawed_interim.ts";
import { ascii, joined } from "./server_frames.ts";

const OFFER = { subprotocols: [], deflate: false };
const REQUEST = ascii(
  `GET /ws HTTP/1.1\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n\r\n`.toLowerCase(),
);
const EARLY = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n";

/** A server that sends its response in pieces of so many octets, and closes. */
function serverWith(response: (accept: string) => string, pieceBytes: number): Connection {
  let sent = new Uint8Array(0);
  let left: Uint8Array | null = null;
  return {
    read(buffer): Promise<number | null> {
      const [, key = ""] = /sec-websocket-key: (\S+)/.exec(new TextDecoder().decode(sent)) ?? [];
      left ??= ascii(response(acceptOf(key)));
      const piece = left.subarray(0, pieceBytes);
      left = left.subarray(piece.length);
      buffer.set(piece);
      return Promise.resolve(piece.length === 0 ? null : piece.length);
    },
    write(bytes): Promise<number> {
      sent = joined(sent, bytes);
      return Promise.resolve(bytes.length);
    },
    close: () => {},
  };
}

function switching(accept: string): string {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n" +
    `Sec-WebSocket-Accept: ${accept}\r\n\r\n`;
}

const RESPONSES: readonly (readonly [string, (accept: string) => string, number])[] = [
  ["a 101", switching, 101],
  ["a 101 after interim responses", (accept) => EARLY + EARLY + switching(accept), 101],
  ["a 403", () => "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", 403],
  ["a 403 after an interim response", () => `${EARLY}HTTP/1.1 403 No\r\n\r\n`, 403],
];
for (const [what, response, status] of RESPONSES) {
  Deno.test(`a preflight takes ${what}, in one piece or in many`, async () => {
    for (const pieceBytes of [1, 7, 1_000]) {
      const taken = await openSocketOn(serverWith(response, pieceBytes), REQUEST, OFFER);
      assert.equal(taken.status, status);
    }
  });
}

Deno.test("a preflight says where a connection has ended too early", async () => {
  for (
    const [text, why] of [
      ["", "closed before the response"],
      [EARLY, "closed within the head"],
      ["HTTP/1.1 403 Forbidden\r\n", "closed within the head"],
    ]
  ) {
    const opening = openSocketOn(serverWith(() => text, 1_000), REQUEST, OFFER);
    await assert.rejects(opening, { message: why });
  }
});

for (const [what, { octets, reason }] of Object.entries(FLAWED_INTERIM)) {
  Deno.test(`a preflight refuses an interim response as HTTP/1.1 does: ${what}`, async () => {
    const http = new ResponseReader();
    const plain = ascii(`${octets}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`);
    http.read(plain, 0, plain.length);
    assert.equal(http.reason, reason);
    for (const pieceBytes of [7, 1_000]) {
      const server = serverWith((accept) => octets + switching(accept), pieceBytes);
      await assert.rejects(openSocketOn(server, REQUEST, OFFER), { message: reason });
    }
  });
}

Deno.test("a preflight refuses a 101 with a malformed line", async () => {
  const server = serverWith((accept) => switching(accept).replace("Upgrade:", "Upgrade :"), 1_000);
  await assert.rejects(openSocketOn(server, REQUEST, OFFER), { message: "malformed field name" });
});
