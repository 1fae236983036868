/** A log that is replayed, of any format. */
import { LOG_FORMATS } from "../../../scenarios/replay/log_line.ts";
import { DEFAULT_KEYS, readReplay } from "../../../scenarios/replay/read_replay.ts";
import type { Decoder } from "../decoder.ts";

const LINE = '127.0.0.1 - ada [24/Nov/2026:08:00:01 +0100] "GET /a?b=1 HTTP/1.1" 200 12 "-" "x"';
const JSON_LINE = '{"time":"2026-11-24T08:00:00.5+00:00","method":"GET","path":"http://a/x"}';
const FORMATS = Object.keys(LOG_FORMATS) as (keyof typeof LOG_FORMATS)[];

export const log: Decoder = {
  seeds: {
    samples: [[LINE, LINE, LINE].join("\n"), [JSON_LINE, JSON_LINE].join("\n")],
    words: ["[", "]", '"GET ', '"time":1e99', "99/Foo/0000:99:99:99", "\\u0000", "\n"],
  },
  decode(text): Promise<void> {
    for (const format of FORMATS) {
      const choice = { format, keys: DEFAULT_KEYS, speed: 2, writes: true };
      readReplay("a.log", choice, (visit) => text.split("\n").forEach(visit));
    }
    return Promise.resolve();
  },
};
