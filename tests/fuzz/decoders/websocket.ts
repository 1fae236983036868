/** Messages of a WebSocket, by which an inspector hands a profile over. */
import { MessageReader } from "../../../base/http/websocket.ts";
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
];

function outcome(pieces: readonly string[]): string {
  const reader = new MessageReader("inspectorMessage");
  const messages: string[] = [];
  try {
    for (const piece of pieces) messages.push(...reader.take(octetsOf(piece)));
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    return JSON.stringify([messages.slice(0, 0), error.message]);
  }
  return JSON.stringify([messages, reader.isClosed]);
}

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
