import { drawBy, fnv1a } from "../../../base/random.ts";
import { cutUp, feed } from "../../http/feed.ts";
import { type Decoder, Finding } from "../decoder.ts";

const samples = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: a\r\n\r\n5;a="b;c"\r\nhello\r\n0\r\na: b\r\n\r\n',
  "HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\nuntil the end",
];

/** Whatever came, cut anywhere or byte by byte it comes to the same. */
function decode(input: string): void {
  const wire = input.replaceAll(/[^\0-\xff]/g, "?").slice(0, 100_000);
  const whole = JSON.stringify(feed([wire], { untilClose: true }));
  const draw = drawBy(fnv1a(wire));
  const cuts = Array.from({ length: draw(0, 12) }, () => draw(0, wire.length));
  const pieces = draw(0, 3) === 0 && wire.length < 2_000 ? [...wire] : cutUp(wire, cuts);
  const cut = JSON.stringify(feed(pieces, { untilClose: true }));
  if (cut !== whole) throw new Finding(`cut, it is ${cut}, and ${whole} as a whole`);
}

export const response: Decoder = {
  seeds: {
    samples,
    words: [
      ...[
        ...["\r\n", "\n", "\r", ":", ": ", "0\r\n\r\n", "ffffffffffffffff", ";", "\t", "chunked"],
        "close",
      ],
      ...[
        "Content-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "HTTP/1.1 ",
        "1",
        "identity, ",
      ],
    ],
  },
  decode,
};
