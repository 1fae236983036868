/** What a target's runtimes report of themselves, and what Go prints of its collections, as it comes. */
import { runCounters } from "../../../runner/counters/run_counters.ts";
import { counters as countersShape } from "../../../runner/result/runtime/counters.ts";
import { CounterReader, ReportRoom } from "../../../targets/observe/runtime/counter_records.ts";
import { GoTrace } from "../../../targets/observe/runtime/go_trace.ts";
import { drawBy, fnv1a } from "../../../base/random.ts";
import type { Decoder } from "../decoder.ts";

const HEAD = '{"pid":12,"runtime":"node v20.20.2"}';
const RECORD =
  '{"at":1000,"forMs":250,"collections":[[900,1.5,"minor",0]],"more":[2,0.3],"stalls":[[950,20,18]],' +
  '"delay":[0.4,20],"utilization":0.25,"heap":5000000}';
const TRACE =
  "gc 5 @0.071s 4%: 0.018+1.1+0.003 ms clock, 0.14+0.35/1.0/0.2+0.02 ms cpu, 4->4->0 MB, 4 MB goal, 8 P";

const RUN = { sinceMs: 500, elapsedS: 10, intervalS: 0.25, slowest: [{ dueS: 0.4, latency: 60 }] };

export const counters: Decoder = {
  seeds: {
    samples: [[HEAD, RECORD, RECORD, ""].join("\n"), [TRACE, "hello", TRACE, ""].join("\n")],
    words: ["\n", HEAD, RECORD, TRACE, "1e308", "[900,1.5]", '"stalls":[', "gc 1 @", "->"],
  },
  decode: (input) => {
    const [reader, room, trace] = [new CounterReader(), new ReportRoom(), new GoTrace()];
    const bytes = new TextEncoder().encode(input);
    const draw = drawBy(fnv1a(input));
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + draw(1, 1 << draw(1, 12)));
      reader.take(part, room);
      trace.take(part, at);
      at += part.length;
    }
    const process = reader.counters();
    const traced = trace.counters();
    const processes = [process, traced].filter((one) => one !== null);
    const run = runCounters({ processes, leftOut: room.leftOut }, RUN);
    if (run !== null) countersShape.parse(run);
  },
};
