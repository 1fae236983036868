/** A log that is replayed, of any format. */
import { DEFAULT_KEYS, LOG_FORMAT_NAMES } from "../../../scenarios/replay/choice.ts";
import { readReplay } from "../../../scenarios/replay/read_replay.ts";
import type { Decoder } from "../decoder.ts";

const LINE = '127.0.0.1 - ada [24/Nov/2026:08:00:01 +0100] "GET /a?b=1 HTTP/1.1" 200 12 "-" "x"';
const JSON_LINE = '{"time":"2026-11-24T08:00:00.5+00:00","method":"GET","path":"http://a/x"}';
const CADDY_LINE = '{"ts":1703373474.8,"request":{"method":"GET","uri":"/b"}}';
const HAPROXY_LINE =
  'h haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] in b/s 10/0 200 2 {} "GET /#22 HTTP/1.1"';
const W3C =
  "#Fields: date time cs-method cs-uri-stem cs-uri-query\n2018-01-01 09:10:11 GET /a+b q=1";

export const log: Decoder = {
  seeds: {
    samples: [
      ...[[LINE, LINE, LINE].join("\n"), [JSON_LINE, JSON_LINE].join("\n")],
      ...[CADDY_LINE, HAPROXY_LINE, W3C],
    ],
    words: [
      ...['\\"', "\\x16", "\\\\", "#0a", " HTTP/1.1", "\t"],
      "[",
      "]",
      '"GET ',
      '"time":1e99',
      "99/Foo/0000:99:99:99",
      "\\u0000",
      "\n",
    ],
  },
  decode(text): Promise<void> {
    for (const format of LOG_FORMAT_NAMES) {
      const choice = { format, keys: DEFAULT_KEYS, speed: 2, writes: true };
      readReplay("a.log", choice, (visit) => text.split("\n").forEach(visit));
    }
    return Promise.resolve();
  },
};
