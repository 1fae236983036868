/**
 * What a client makes of the frames of a server: the families of the Autobahn test suite, which itself needs Python 2, written
 * again from RFC 6455 and RFC 7692. Each case is cut everywhere, and comes to the same. Families 1 to 7 are messages, pings,
 * reserved bits, opcodes, fragments, UTF-8 and closing; 9 and 10 sizes, 12 and 13 compression.
 */
import assert from "node:assert/strict";
import { constants, createDeflateRaw, deflateRawSync } from "node:zlib";
import { KeptRoom } from "../../../base/http/kept.ts";
import { type DeflateSetting, MessageInflater } from "../../../base/http/websocket/deflate.ts";
import { clientFrame } from "../../../base/http/websocket/frames.ts";
import { MessageReader } from "../../../base/http/websocket/message_reader.ts";
import { ascii, close, frame, head, hex, joined, utf8 } from "./server_frames.ts";

interface Case {
  readonly name: string;
  readonly octets: Uint8Array;
  /** What is read of it: messages, control frames, and the code of the rule that it breaks. */
  readonly read: readonly string[];
}

const shown = (bytes: Uint8Array): string =>
  bytes.length > 200 ? `${bytes.length} octets` : bytes.toHex();
const text = (bytes: Uint8Array | string): string =>
  `text ${shown(typeof bytes === "string" ? utf8(bytes) : bytes)}`;
const binary = (bytes: Uint8Array): string => `binary ${shown(bytes)}`;
const ping = (bytes: Uint8Array | string): string =>
  `ping ${shown(typeof bytes === "string" ? utf8(bytes) : bytes)}`;
const pong = (bytes: Uint8Array | string): string =>
  `pong ${shown(typeof bytes === "string" ? utf8(bytes) : bytes)}`;
const BROKEN = "broken 1002";
const NOT_UTF8 = "broken 1007";
const TOO_LARGE = "broken 1009";

function readOf(
  parts: readonly Uint8Array[],
  deflate: DeflateSetting | null = null,
): { readonly read: string[]; readonly reader: MessageReader } {
  const read: string[] = [];
  const reader = new MessageReader({
    onMessage: (isText, bytes, from, to) =>
      read.push((isText ? text : binary)(bytes.slice(from, to))),
    onPing: (bytes, from, to) => read.push(ping(bytes.slice(from, to))),
    onPong: (bytes, from, to) => read.push(pong(bytes.slice(from, to))),
    onClose: (code, reason) => read.push(`closed ${code} ${reason}`),
  }, {
    room: new KeptRoom(),
    limit: "streamMessage",
    inflater: deflate && new MessageInflater(deflate),
  });
  for (const part of parts) reader.read(part, 0, part.length);
  if (reader.problem !== null) read.push(`broken ${reader.problem.code}`);
  return { read, reader };
}

const EVERYWHERE = 600;

/** Two parts at every offset, or at those near the frames' heads of what is large; and octet by octet. */
function* cutsOf(octets: Uint8Array): Generator<Uint8Array[]> {
  yield [octets];
  const { length } = octets;
  for (let at = 0; at <= length; at += length <= EVERYWHERE || at < 20 ? 1 : 4_099) {
    yield [octets.subarray(0, at), octets.subarray(at)];
  }
  if (length <= EVERYWHERE) yield Array.from(octets, (_, at) => octets.subarray(at, at + 1));
}

function check(cases: readonly Case[], deflate: DeflateSetting | null = null): void {
  for (const { name, octets, read } of cases) {
    for (const parts of cutsOf(octets)) {
      assert.deepEqual(
        readOf(parts, deflate).read,
        read,
        `${name}, ${parts.length} parts, ${parts[0].length}`,
      );
    }
  }
}

const SIZES = [0, 1, 125, 126, 127, 128, 65_535, 65_536];

Deno.test("family 1: messages of every length of the length", () => {
  check(SIZES.flatMap((size) => {
    const [stars, octets] = [ascii("*".repeat(size)), new Uint8Array(size).fill(0xfe)];
    return [
      { name: `text of ${size}`, octets: frame(0x81, stars), read: [text(stars)] },
      { name: `binary of ${size}`, octets: frame(0x82, octets), read: [binary(octets)] },
    ];
  }));
});

Deno.test("family 2: pings and pongs", () => {
  const most = new Uint8Array(125).fill(0xfe);
  check([
    { name: "2.1 empty", octets: frame(0x89), read: [ping("")] },
    { name: "2.2 text", octets: frame(0x89, "Hello"), read: [ping("Hello")] },
    { name: "2.3 octets", octets: frame(0x89, hex("00fffefd")), read: [ping(hex("00fffefd"))] },
    { name: "2.4 of 125", octets: frame(0x89, most), read: [ping(most)] },
    { name: "2.5 of 126", octets: frame(0x89, new Uint8Array(126)), read: [BROKEN] },
    { name: "2.7 pong that nobody asked for", octets: frame(0x8a), read: [pong("")] },
    { name: "2.8 the same with octets", octets: frame(0x8a, "x"), read: [pong("x")] },
    {
      name: "2.10 ten",
      octets: joined(...Array.from({ length: 10 }, (_, n) => frame(0x89, `${n}`))),
      read: Array.from({ length: 10 }, (_, n) => ping(`${n}`)),
    },
  ]);
});

Deno.test("family 3: reserved bits", () => {
  check([0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70].flatMap((bits) => [
    {
      name: `bits ${bits}`,
      octets: joined(frame(0x81, "first"), frame(0x81 | bits, "second"), frame(0x89)),
      read: [text("first"), BROKEN],
    },
    { name: `ping with bits ${bits}`, octets: frame(0x89 | bits), read: [BROKEN] },
    { name: `close with bits ${bits}`, octets: frame(0x88 | bits), read: [BROKEN] },
  ]));
});

Deno.test("family 4: opcodes that nobody knows", () => {
  check([3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => ({
    name: `opcode ${opcode}`,
    octets: joined(frame(0x81, "first"), frame(0x80 | opcode, "second"), frame(0x89)),
    read: [text("first"), BROKEN],
  })));
});

Deno.test("family 5: fragments, and what comes between them", () => {
  const [begin, go, end] = [frame(0x01, "one"), frame(0x00, "two"), frame(0x80, "three")];
  check([
    { name: "5.1 ping in two", octets: joined(frame(0x09, "a"), frame(0x80, "b")), read: [BROKEN] },
    { name: "5.2 pong in two", octets: joined(frame(0x0a, "a"), frame(0x80, "b")), read: [BROKEN] },
    { name: "close in two", octets: joined(frame(0x08), frame(0x80)), read: [BROKEN] },
    { name: "5.3 text in two", octets: joined(begin, end), read: [text("onethree")] },
    {
      name: "5.6 ping between",
      octets: joined(begin, frame(0x89, "p"), go, frame(0x8a, "q"), end),
      read: [ping("p"), pong("q"), text("onetwothree")],
    },
    {
      name: "empty fragments",
      octets: joined(frame(0x01), frame(0x00), frame(0x00, "x"), frame(0x80)),
      read: [text("x")],
    },
    { name: "empty throughout", octets: joined(frame(0x01), frame(0x80)), read: [text("")] },
    { name: "5.9 goes on from nothing", octets: frame(0x80, "x"), read: [BROKEN] },
    { name: "5.12 the same, not the last", octets: frame(0x00, "x"), read: [BROKEN] },
    {
      name: "5.15 goes on after its end",
      octets: joined(begin, end, go, frame(0x81, "x")),
      read: [text("onethree"), BROKEN],
    },
    { name: "5.18 begins within", octets: joined(begin, frame(0x81, "x")), read: [BROKEN] },
    { name: "binary within text", octets: joined(begin, frame(0x82, "x")), read: [BROKEN] },
    {
      name: "5.19 two messages, pings and all",
      octets: joined(begin, frame(0x89, "1"), end, frame(0x02, "b"), frame(0x89, "2"), frame(0x80)),
      read: [ping("1"), text("onethree"), ping("2"), binary(utf8("b"))],
    },
  ]);
});

// Markus Kuhn's stress test, and section 3.9 of the Unicode standard.
const GOOD_TEXTS = [
  "",
  "κόσμε",
  "\0",
  "\x7f",
  "\u0080",
  "\u07ff",
  "\u0800",
  "\ud7ff",
  "\ue000",
  "\ufffd",
  "\ufffe",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "Hello-µ@ßöäüàá-UTF-8!!",
  "\ufeff",
];
const BAD_TEXTS = [
  "80",
  "bf",
  "80bf80",
  "c0",
  "c1bf",
  "c080",
  "e0",
  "e080",
  "e08080",
  "e09fbf",
  "ed a0 80",
  "ed bf bf",
  "eda080edb080",
  "f0808080",
  "f08fbfbf",
  "f4908080",
  "f5808080",
  "f888808080",
  "fc8480808080",
  "fe",
  "ff",
  "c3",
  "c328",
  "e228a1",
  "e28228",
  "f0288cbc",
  "f09028bc",
  "f0288c28",
  "6ce46e",
  "cebae1bdb9cf83cebcceb5eda080656469746564",
  "cebae1bdb9cf83cebcceb5f4908080656469746564",
];

Deno.test("family 6: texts are UTF-8, in one frame and in frames that part characters", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (const octets of GOOD_TEXTS.map(utf8)) {
    const parts = [
      frame(0x01),
      ...Array.from(octets, (one) => frame(0x00, Uint8Array.of(one))),
      frame(0x80),
    ];
    check([
      { name: `good ${octets.toHex()}`, octets: frame(0x81, octets), read: [text(octets)] },
      { name: `in parts ${octets.toHex()}`, octets: joined(...parts), read: [text(octets)] },
    ]);
  }
  for (const octets of BAD_TEXTS.map(hex)) {
    assert.throws(() => decoder.decode(octets), "an independent decoder agrees");
    const parts = [
      frame(0x01),
      ...Array.from(octets, (one) => frame(0x00, Uint8Array.of(one))),
      frame(0x80),
    ];
    check([
      { name: `bad ${octets.toHex()}`, octets: frame(0x81, octets), read: [NOT_UTF8] },
      { name: `in parts ${octets.toHex()}`, octets: joined(...parts), read: [NOT_UTF8] },
      { name: `as binary ${octets.toHex()}`, octets: frame(0x82, octets), read: [binary(octets)] },
    ]);
  }
  check([{
    name: "6.4 what cannot become right is refused before its end",
    octets: joined(frame(0x01, hex("cebae1bdb9")), frame(0x00, hex("f4908080"))),
    read: [NOT_UTF8],
  }]);
});

Deno.test("every sequence of two octets, and three of many, is judged as the platform's decoder judges it", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const isRight = (octets: Uint8Array): boolean => {
    try {
      decoder.decode(octets);
      return true;
    } catch {
      return false;
    }
  };
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      const third = (first * 31 + second * 17) & 0xff;
      for (
        const octets of [Uint8Array.of(first, second), Uint8Array.of(first, second, third, 0x80)]
      ) {
        const { read } = readOf([frame(0x81, octets)]);
        // A comparison alone takes a tenth of an assertion, of which there would be 131,072.
        const expected = isRight(octets) ? text(octets) : NOT_UTF8;
        if (read.length !== 1 || read[0] !== expected) assert.deepEqual(read, [expected]);
      }
    }
  }
});

const GOOD_CODES = [
  1000,
  1001,
  1002,
  1003,
  1007,
  1008,
  1009,
  1010,
  1011,
  1012,
  1013,
  1014,
  3000,
  3999,
  4000,
  4999,
];
const BAD_CODES = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];

Deno.test("family 7: closing", () => {
  const after = joined(frame(0x81, "x"), frame(0x89));
  check([
    {
      name: "7.1 messages before",
      octets: joined(frame(0x81, "x"), close(1000)),
      read: [text("x"), "closed 1000 "],
    },
    {
      name: "7.1.3 frames after",
      octets: joined(close(1000), after, close(1001)),
      read: ["closed 1000 "],
    },
    {
      name: "7.1.5 within a message",
      octets: joined(frame(0x01, "x"), close(1000), frame(0x80)),
      read: ["closed 1000 "],
    },
    { name: "7.3.1 without a code", octets: close(null), read: ["closed 1005 "] },
    { name: "7.3.2 half a code", octets: frame(0x88, hex("03")), read: [BROKEN] },
    { name: "7.3.4 a reason", octets: close(1000, "Hello"), read: ["closed 1000 Hello"] },
    {
      name: "7.3.5 the longest",
      octets: close(1000, "x".repeat(123)),
      read: [`closed 1000 ${"x".repeat(123)}`],
    },
    { name: "7.3.6 a longer one", octets: close(1000, "x".repeat(124)), read: [BROKEN] },
    {
      name: "7.5.1 a reason that is not UTF-8",
      octets: close(1000, hex("cebaf4908080")),
      read: [NOT_UTF8],
    },
    ...GOOD_CODES.map((code) => ({
      name: `${code}`,
      octets: close(code),
      read: [`closed ${code} `],
    })),
    ...BAD_CODES.map((code) => ({ name: `${code}`, octets: close(code), read: [BROKEN] })),
  ]);
});

Deno.test("families 9 and 10: large messages, in one frame, in many, and beyond the limit", () => {
  const most = 1_000_000;
  const whole = new Uint8Array(most).fill(0x2a);
  const parts = (size: number): Uint8Array =>
    joined(
      frame(0x02, whole.subarray(0, size)),
      ...Array.from(
        { length: Math.ceil(most / size) - 2 },
        (_, n) => frame(0x00, whole.subarray((n + 1) * size, (n + 2) * size)),
      ),
      frame(0x80, whole.subarray((Math.ceil(most / size) - 1) * size)),
    );
  for (
    const octets of [frame(0x81, whole), frame(0x82, whole), parts(64), parts(1_300), parts(65_536)]
  ) {
    for (const at of [0, 1, 9, 10, 11, 65_536, 500_000, octets.length - 1]) {
      const { read, reader } = readOf([octets.subarray(0, at), octets.subarray(at)]);
      assert.deepEqual([read.length, reader.problem], [1, null]);
      assert.match(read[0], /1000000 octets/);
    }
  }
  check([
    { name: "one octet more", octets: head(0x82, most + 1), read: [TOO_LARGE] },
    { name: "2^63 - 1", octets: hex("827f7fffffffffffffff"), read: [TOO_LARGE] },
    { name: "2^63", octets: hex("827f8000000000000000"), read: [BROKEN] },
    { name: "2^64 - 1", octets: hex("827fffffffffffffffff"), read: [BROKEN] },
    { name: "16 bits for what 7 can say", octets: hex("827e0001 00"), read: [BROKEN] },
    { name: "64 bits for what 16 can say", octets: hex("827f000000000000ffff"), read: [BROKEN] },
    { name: "a mask", octets: hex("8185 37fa213d 7f9f4d5158"), read: [BROKEN] },
  ]);
  const beyond = joined(frame(0x02, whole.subarray(0, 999_999)), head(0x80, 2));
  assert.deepEqual(readOf([beyond]).read, [TOO_LARGE]);
});

Deno.test("endless fragments keep no more than a message may have, and give it back", () => {
  const room = new KeptRoom(2_000_000);
  const reader = new MessageReader(
    { onMessage: () => {}, onPing: () => {}, onPong: () => {}, onClose: () => {} },
    { room, limit: "streamMessage" },
  );
  const part = frame(0x00, new Uint8Array(1_000));
  reader.read(frame(0x02, "x"), 0, 3);
  for (let n = 0; n < 5_000 && reader.problem === null; n++) reader.read(part, 0, part.length);
  assert.equal(reader.problem?.code, 1009);
  assert.equal(room.take(2_000_000), true, "all of it was given back");
});

Deno.test("a message that finds no room names the limit of the worker, not its own", () => {
  const reader = new MessageReader(
    { onMessage: () => {}, onPing: () => {}, onPong: () => {}, onClose: () => {} },
    { room: new KeptRoom(1_000), limit: "streamMessage" },
  );
  const part = frame(0x02, new Uint8Array(2_000));
  reader.read(part, 0, part.length - 1);
  assert.match(String(reader.problem?.reason), /^a worker's memory .* 256 MB, the limit$/);
});

const TAIL = 4;
const alone = (message: Uint8Array | string): Uint8Array => {
  const whole = deflateRawSync(message, { finishFlush: constants.Z_SYNC_FLUSH });
  return whole.subarray(0, whole.length - TAIL);
};

/** As a server with a context compresses them. */
async function inContext(messages: readonly (Uint8Array | string)[]): Promise<Uint8Array[]> {
  const deflate = createDeflateRaw();
  const chunks: Uint8Array[] = [];
  deflate.on("data", (chunk) => chunks.push(chunk));
  const out: Uint8Array[] = [];
  for (const message of messages) {
    await new Promise<void>((done) => {
      deflate.write(message, () => deflate.flush(constants.Z_SYNC_FLUSH, () => done()));
    });
    const whole = joined(...chunks.splice(0));
    out.push(whole.subarray(0, whole.length - TAIL));
  }
  deflate.destroy();
  return out;
}

Deno.test("families 12 and 13: compressed messages, each alone or in a context, whole and in fragments", async () => {
  const random = Uint8Array.from({ length: 70_000 }, (_, at) => Math.imul(at, 0x9e3779b9) >>> 24);
  const messages = [
    "Hello",
    "Hello",
    "",
    "x".repeat(40_000),
    "n=1 of a message",
    "n=2 of a message",
    new TextDecoder("latin1").decode(random),
    "n=3 of a message",
    "x".repeat(40_000),
  ].map(utf8);
  const read = messages.map(text);
  const [inOne, together] = [messages.map(alone), await inContext(messages)];
  for (
    const [payloads, isEachAlone] of [[inOne, true], [inOne, false], [together, false]] as const
  ) {
    const frames = payloads.map((payload) => frame(0xc1, payload));
    check([{ name: "whole", octets: joined(...frames), read }], { isEachAlone });
    const parted = payloads.map((payload) => {
      const half = payload.length >> 1;
      return joined(
        frame(0x41, payload.subarray(0, half)),
        frame(0x89),
        frame(0x80, payload.subarray(half)),
      );
    });
    const withPings = read.flatMap((one) => [ping(""), one]);
    check([{ name: "in fragments", octets: joined(...parted), read: withPings }], { isEachAlone });
  }
  // RFC 7692 §7.2.3.1 to §7.2.3.4: "Hello", compressed and again, not compressed, and in two blocks.
  const HELLO = [
    ["c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00", 2],
    ["c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00", 1],
    ["c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00", 1],
    ["41 03 f2 48 cd 80 04 c9 c9 07 00", 1],
  ] as const;
  for (const [octets, times] of HELLO) {
    const hello = Array<string>(times).fill(text("Hello"));
    check([{ name: octets, octets: hex(octets), read: hello }], { isEachAlone: false });
  }
  check(
    [
      { name: "not compressed", octets: frame(0x81, "plain"), read: [text("plain")] },
      { name: "no deflate", octets: frame(0xc1, hex("ffffffff")), read: [NOT_UTF8] },
      {
        name: "a continuation that says so",
        octets: joined(frame(0x41, alone("x")), frame(0xc0)),
        read: [BROKEN],
      },
      { name: "a ping that says so", octets: frame(0xc9), read: [BROKEN] },
      {
        name: "a bomb",
        octets: frame(0xc2, alone(new Uint8Array(200_000_000))),
        read: [TOO_LARGE],
      },
      { name: "not UTF-8 behind it", octets: frame(0xc1, alone(hex("c080"))), read: [NOT_UTF8] },
    ].map((one) => ({ ...one, octets: joined(one.octets) })),
    { isEachAlone: true },
  );
});

Deno.test("a client's frames are those that RFC 6455 §5.7 prints, whatever their length", () => {
  assert.deepEqual(
    clientFrame(0x81, utf8("Hello"), 0x37fa213d),
    hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"),
  );
  for (
    const [length, head] of [[256, "82 fe 01 00"], [
      65_536,
      "82 ff 00 00 00 00 00 01 00 00",
    ]] as const
  ) {
    const octets = hex(head);
    const written = clientFrame(0x82, new Uint8Array(length), 0);
    assert.deepEqual(written.subarray(0, octets.length), octets);
    assert.equal(written.length, octets.length + 4 + length);
  }
});
