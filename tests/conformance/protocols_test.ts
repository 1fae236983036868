/**
 * What every protocol must do with the octets of a server, however they are cut: the test plays the driver, the exchanges
 * and the clock. Loads over real connections, by both drivers, with and without TLS, are in `drivers_test.ts`.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { END_STREAM, GOAWAY, RST_STREAM } from "../../base/http/http2/frames.ts";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import { InFlight } from "../../runner/load/engine/in_flight.ts";
import type { ExchangeEvents, Protocol } from "../../runner/load/engine/protocol.ts";
import type { ReceivedResponse } from "../../base/http/received.ts";
import { Http1 } from "../../runner/load/protocols/http1/http1.ts";
import { Http2 } from "../../runner/load/protocols/http2/http2.ts";
import { forAll } from "../for_all.ts";
import {
  coded,
  data,
  frame,
  headers,
  joined,
  octets,
  request,
  settings,
} from "../http/http2/peer.ts";

interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** In the parts that the server sends it in; none for a response without content. */
  readonly parts: readonly string[];
  /** Whether the head says how long the content is. */
  readonly isSized: boolean;
  /** An interim response before it. */
  readonly isLate?: boolean;
}

interface Member {
  readonly name: string;
  /** On one slot. */
  readonly over: (driver: Driver, exchanges: ExchangeEvents) => Protocol;
  /** What a server says when a connection begins. */
  readonly welcome: Uint8Array;
  /** The response to the request of this number, from 0. */
  readonly response: (answer: Answer, request: number) => Uint8Array;
  /** What no server may send, and what comes of the exchange. */
  readonly hostile: readonly (readonly [what: string, bytes: Uint8Array, comes: string])[];
}

const HTTP1: Member = {
  name: "http1",
  over: (driver, exchanges) => new Http1(driver, exchanges, 1),
  welcome: new Uint8Array(0),
  response: ({ status, fields, parts, isSized, isLate }) => {
    const body = parts.join("");
    const framing = isSized
      ? { "content-length": String(body.length) }
      : { "transfer-encoding": "chunked" };
    const lines = Object.entries({ ...fields, ...framing }).map(([name, value]) =>
      `${name}: ${value}\r\n`
    );
    const chunks = parts.filter((part) => part !== "").map((part) =>
      `${part.length.toString(16)}\r\n${part}\r\n`
    );
    const early = isLate ? "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" : "";
    const content = isSized ? body : `${chunks.join("")}0\r\n\r\n`;
    return octets(`${early}HTTP/1.1 ${status} \r\n${lines.join("")}\r\n${content}`);
  },
  hostile: [
    ["garbage", octets("garbage\r\n\r\n"), "protocol"],
    ["frames of HTTP/2", settings(), "protocol"],
    ["two lengths", octets("HTTP/1.1 200 \r\ncontent-length: 1, 2\r\n\r\n"), "protocol"],
    [
      "a chunk without a size",
      octets("HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\nx"),
      "protocol",
    ],
    ["interim responses without end", octets("HTTP/1.1 103 \r\n\r\n".repeat(30)), "protocol"],
    ["a head without end", octets(`HTTP/1.1 200 \r\na: ${"b".repeat(70_000)}`), "protocol"],
  ],
};

const HTTP2: Member = {
  name: "http2",
  over: (driver, exchanges) =>
    new Http2(driver, exchanges, { connections: 1, streams: 1, schemes: ["http"] }),
  welcome: settings(),
  response: ({ status, fields, parts, isSized, isLate }, number) => {
    const id = 2 * number + 1;
    const length = String(parts.join("").length);
    const head = {
      ":status": String(status),
      ...fields,
      ...isSized && { "content-length": length },
    };
    return joined(
      ...isLate ? [headers(id, { ":status": "103", link: "</a>" })] : [],
      headers(id, head, parts.length === 0 ? END_STREAM : 0),
      ...parts.map((part, i) => data(id, part, i === parts.length - 1 ? END_STREAM : 0)),
    );
  },
  hostile: [
    ["HTTP/1.1", octets("HTTP/1.1 400 Bad Request\r\n\r\n"), "protocol"],
    ["a head without a status", headers(1, { a: "b" }), "protocol"],
    ["less content than said", shortOfContent(), "protocol"],
    ["a reset", frame(RST_STREAM, 0, 1, coded(2)), "reset"],
    ["a field of a connection", headers(1, { ":status": "200", connection: "close" }), "protocol"],
    [
      "interim responses without end",
      joined(...Array.from({ length: 30 }, () => headers(1, { ":status": "103" }))),
      "protocol",
    ],
    ["a good-bye that complains", frame(GOAWAY, 0, 0, coded(0, 11)), "reset"],
  ],
};

function shortOfContent(): Uint8Array {
  return joined(
    headers(1, { ":status": "200", "content-length": "5" }),
    data(1, "hell", END_STREAM),
  );
}

const MEMBERS = [HTTP1, HTTP2];

/** A driver of sockets that take everything, and exchanges that note what comes of them: a request after the other. */
class Stage implements Driver, ExchangeEvents {
  readonly punctual = false;
  readonly retain = true;
  readonly inFlight = new InFlight(1, 1);
  /** Status, fields, content, and when its first octet and its last came. */
  readonly came: string[] = [];
  isOpen = false;
  receivedBytes = 0;
  sentBytes = 0;
  #events: DriverEvents | null = null;
  protocol: Protocol | null = null;
  readonly #message = { bytes: request(), head: false, step: 0 };

  // What the protocol wants of the driver.

  run(events: DriverEvents): Promise<void> {
    this.#events = events;
    return Promise.resolve();
  }

  connect(): void {}

  send(): void {}

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {
    this.isOpen = false;
  }

  // What the test does.

  begin({ over, welcome }: Member): DriverEvents {
    this.protocol = over(this, this);
    void this.protocol.run();
    this.protocol.connect(0);
    const events = this.#events;
    assert.ok(events);
    events.onOpen(0, 0);
    if (welcome.length > 0) events.onBytes(0, welcome, welcome.length, 0);
    assert.ok(this.isOpen);
    return events;
  }

  // What the protocol reports.

  onTick(nowUs: number): number {
    return nowUs + 1_000;
  }

  onOpen(_: number, nowUs: number): void {
    this.isOpen = true;
    this.#sendNext(nowUs);
  }

  #sendNext(nowUs: number): void {
    this.inFlight.add(0, 0, false, nowUs, nowUs);
    this.protocol?.send(0, this.#message, nowUs);
  }

  onEnd(
    _: number,
    response: ReceivedResponse,
    isLast: boolean,
    firstUs: number,
    us: number,
  ): boolean {
    const { status, bodyBytes, kept } = response;
    const body = kept?.body() ?? new Uint8Array(0);
    assert.equal(body.length, bodyBytes);
    const fields = ["x-a", "set-cookie"].map((name) => kept?.fields(name.toUpperCase()).join("|"));
    this.came.push([status, ...fields, String.fromCharCode(...body), isLast].join(" "));
    assert.ok(firstUs > 0 && firstUs <= us);
    this.inFlight.drop(0);
    return true;
  }

  onRead(_: number, nowUs: number): void {
    this.#sendNext(nowUs);
  }

  onFailed(_: number, by: string, _reason: string, nowUs: number): void {
    this.came.push(by);
    while (this.inFlight.count(0) > 0) this.inFlight.drop(0);
    if (this.protocol?.cancel(0, nowUs) !== true) this.protocol?.close(0);
    this.isOpen = false;
  }

  onDisconnected(): boolean {
    this.isOpen = false;
    return this.inFlight.count(0) > 0;
  }

  onUnsolicited(): void {
    this.came.push("unsolicited");
    this.isOpen = false;
    this.protocol?.close(0);
  }

  onRefused(_: number, by: string): void {
    this.came.push(`refused by ${by}`);
  }

  onReplaced(): void {}

  onSent(bytes: number): void {
    this.sentBytes += bytes;
  }

  onReceived(bytes: number): void {
    this.receivedBytes += bytes;
  }

  isTooLate(): boolean {
    return false;
  }
}

/** What comes of the pieces, each a read of its own. */
function played(member: Member, pieces: readonly Uint8Array[]): Stage {
  const stage = new Stage();
  const events = stage.begin(member);
  let nowUs = 0;
  for (const piece of pieces) {
    if (stage.isOpen && piece.length > 0) events.onBytes(0, piece, piece.length, ++nowUs);
  }
  return stage;
}

function cut(bytes: Uint8Array, ...ends: readonly number[]): Uint8Array[] {
  return [...ends, bytes.length].map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
}

const PLAIN = { status: 200, fields: {}, parts: ["hello"], isSized: true };

/** Answers, and what is to come of them. */
const ANSWERS: readonly (readonly [what: string, answer: Answer, comes: string])[] = [
  ["a sized body", PLAIN, "200   hello false"],
  ["content in parts", { ...PLAIN, parts: ["he", "l", "lo"] }, "200   hello false"],
  ["an unsized body", { ...PLAIN, parts: ["he", "llo"], isSized: false }, "200   hello false"],
  ["no content", { ...PLAIN, parts: [] }, "200    false"],
  ["another status", { ...PLAIN, status: 503 }, "503   hello false"],
  ["an interim response", { ...PLAIN, isLate: true }, "200   hello false"],
  ["fields", { ...PLAIN, fields: { "x-a": "1", "set-cookie": "a=b" } }, "200 1 a=b hello false"],
];

for (const member of MEMBERS) {
  for (const [what, answer, comes] of ANSWERS) {
    Deno.test(`${member.name}: ${what} is the same whole, octet by octet and cut at every offset`, () => {
      const bytes = member.response(answer, 0);
      const ways = [[bytes], Array.from(bytes, (octet) => Uint8Array.of(octet))];
      for (let at = 1; at < bytes.length; at++) ways.push(cut(bytes, at));
      for (const pieces of ways) {
        const { came, inFlight, receivedBytes } = played(member, pieces);
        assert.deepEqual(
          came,
          [comes],
          `in ${pieces.length} pieces, the first of ${pieces[0].length}`,
        );
        assert.equal(inFlight.count(0), 1, "the next is sent");
        assert.equal(receivedBytes, bytes.length + member.welcome.length);
      }
    });
  }

  Deno.test(`${member.name}: exchanges that follow one another are each their own`, () => {
    const stage = new Stage();
    const events = stage.begin(member);
    ANSWERS.forEach(([, answer], number) => {
      const bytes = member.response(answer, number);
      events.onBytes(0, bytes, bytes.length, number + 1);
    });
    assert.deepEqual(stage.came, ANSWERS.map(([, , comes]) => comes));
    assert.ok(stage.sentBytes > 0);
  });

  for (const [what, bytes, comes] of member.hostile) {
    Deno.test(`${member.name}: ${what} fails the exchange once, whole and octet by octet`, () => {
      const ways = bytes.length > 1_000
        ? [[bytes], cut(bytes, 1, 1_000)]
        : [[bytes], Array.from(bytes, (octet) => Uint8Array.of(octet))];
      for (const pieces of ways) {
        const { came } = played(member, pieces);
        assert.deepEqual(came, [comes], `in ${pieces.length} pieces`);
      }
    });
  }

  Deno.test(`${member.name}: a connection that ends within a response fails the exchange once`, () => {
    const bytes = member.response(PLAIN, 0);
    for (const [reset, kind] of [[null, "closed"], ["broken pipe", "reset"]] as const) {
      for (let at = 0; at < bytes.length; at++) {
        const stage = new Stage();
        const events = stage.begin(member);
        if (at > 0) events.onBytes(0, bytes, at, 1);
        events.onEnd(0, reset, 2);
        assert.deepEqual(stage.came, [kind], `after ${at} octets`);
      }
    }
  });

  Deno.test(`${member.name}: octets that were changed come to the same, however they are cut`, () => {
    const answers = ANSWERS.map(([, answer]) => member.response(answer, 0));
    const change = fc.record({ at: fc.nat(), octet: fc.nat(255) });
    forAll([
      fc.constantFrom(...answers),
      fc.array(change, { maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 6 }),
    ], (answer, changes, ends) => {
      const bytes = answer.slice();
      for (const { at, octet } of changes) bytes[at % bytes.length] = octet;
      const sorted = ends.map((end) => end % bytes.length).sort((a, b) => a - b);
      const whole = played(member, [bytes]);
      const pieces = played(member, cut(bytes, ...sorted));
      // What comes after the first depends on whether its request was sent by then.
      assert.equal(pieces.came[0], whole.came[0]);
    });
  });
}
