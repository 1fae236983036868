/** Messages of a WebSocket, by which servers respond to a load, and an inspector hands a profile over. */
import { KeptRoom } from "../../../base/http/kept.ts";
import { MessageInflater } from "../../../base/http/websocket/deflate.ts";
import { MessageReader } from "../../../base/http/websocket/message_reader.ts";
import { drawBy, fnv1a } from "../../../base/random.ts";
import { cutUp, octetsOf } from "../../http/feed.ts";
import { type Decoder, Finding } from "../decoder.ts";

function frame(first: number, text: string): string {
  const length = text.length < 126 ? [text.length] : [126, text.length >> 8, text.length & 0xff];
  return String.fromCharCode(first, ...length) + text;
}

const samples = [
  frame(0x81, '{"id":1,"result":{}}') + frame(0x89, "ping") + frame(0x81, "x".repeat(300)),
  frame(0x01, "be") + frame(0x8a, "") + frame(0x00, "gi") + frame(0x80, "n") +
  frame(0x88, "\x03\xe8"),
  "\x82\x7f\0\0\0\0\0\0\0\x05hello",
  "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00",
];

function outcome(pieces: readonly string[]): string {
  const read: string[] = [];
  const taken = (what: string) => (bytes: Uint8Array, from: number, to: number): void =>
    void read.push(`${what} ${bytes.subarray(from, to).toHex()}`);
  const room = new KeptRoom(ROOM_BYTES);
  const reader = new MessageReader({
    onMessage: (isText, ...part) => taken(isText ? "text" : "binary")(...part),
    ...{ onPing: taken("ping"), onPong: taken("pong") },
    onClose: (code, reason) => void read.push(`closed ${code} ${reason}`),
  }, {
    ...{ room, limit: "streamMessage" },
    inflater: new MessageInflater({ isEachAlone: false }),
  });
  for (const piece of pieces) {
    const bytes = octetsOf(piece);
    reader.read(bytes, 0, bytes.length);
  }
  reader.end();
  if (!room.take(ROOM_BYTES)) throw new Finding("it keeps what it should have given back");
  return JSON.stringify([read, reader.problem]);
}

/** For one message of the largest size. */
const ROOM_BYTES = 1_000_000;

/** Cut anywhere it comes to the same. */
export const websocket: Decoder = {
  seeds: {
    samples,
    words: [frame(0x81, "a"), frame(0x80, ""), "\x81\xfe", "\x81\x7f\xff\xff\xff\xff"],
  },
  decode: (input) => {
    const wire = input.replaceAll(/[^\0-\xff]/g, "?").slice(0, 100_000);
    const draw = drawBy(fnv1a(wire));
    const cuts = Array.from({ length: draw(0, 12) }, () => draw(0, wire.length));
    const [whole, cut] = [outcome([wire]), outcome(cutUp(wire, cuts))];
    if (cut !== whole) throw new Finding(`cut, it is ${cut}, and ${whole} as a whole`);
  },
};
