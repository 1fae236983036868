import { drawBy, fnv1a } from "../../../base/random.ts";
import { cutUp } from "../../http/feed.ts";
import { END_STREAM, GOAWAY, PING, RST_STREAM } from "../../../base/http/http2/frames.ts";
import {
  Client,
  coded,
  data,
  frame,
  headers,
  joined,
  octets,
  settings,
} from "../../http/http2/peer.ts";
import { HOSTILE_FRAMES } from "../../http/http2/hostile_frames.ts";
import { type Decoder, Finding } from "../decoder.ts";

const OK = { ":status": "200", "content-type": "text/plain" };
const PLACES = 3;

const samples = [
  [headers(1, OK), data(1, "hello"), data(1, "", END_STREAM), headers(3, OK, END_STREAM)],
  [headers(5, { ...OK, "content-length": "5" }), data(5, "hello", END_STREAM)],
  [headers(1, { ":status": "103" }), headers(1, OK), headers(1, { "x-sum": "1" }, END_STREAM)],
  [frame(PING, 0, 0, octets("12345678")), frame(RST_STREAM, 0, 3, coded(7))],
  [headers(1, OK, END_STREAM), frame(GOAWAY, 0, 0, coded(1, 0))],
  ...Object.values(HOSTILE_FRAMES).flat().map(({ frames }) => frames).filter(isShort),
].map((frames) => String.fromCharCode(...joined(settings([3, 100], [4, 70_000]), ...frames)));

function isShort(frames: readonly Uint8Array[]): boolean {
  return frames.reduce((sum, { length }) => sum + length, 0) < 1_000;
}

function outcome(pieces: readonly string[]): string {
  const client = new Client(PLACES);
  for (const piece of pieces) if (client.connection.error === null) client.read(octets(piece));
  return JSON.stringify([client.events, client.connection.error]);
}

/** Whatever came, cut anywhere or octet by octet it comes to the same. */
function decode(input: string): void {
  const wire = input.replaceAll(/[^\0-\xff]/g, "?").slice(0, 100_000);
  const whole = outcome([wire]);
  const draw = drawBy(fnv1a(wire));
  const cuts = Array.from({ length: draw(0, 12) }, () => draw(0, wire.length));
  const pieces = draw(0, 3) === 0 && wire.length < 2_000 ? [...wire] : cutUp(wire, cuts);
  const cut = outcome(pieces);
  if (cut !== whole) throw new Finding(`cut, it is ${cut}, and ${whole} as a whole`);
}

export const http2: Decoder = {
  seeds: {
    samples,
    words: [headers(1, OK), data(1, "a"), settings(), frame(PING, 0, 0, octets("12345678"))]
      .map((bytes) => String.fromCharCode(...bytes)),
  },
  decode,
};
