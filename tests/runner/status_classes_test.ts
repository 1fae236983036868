/** Latency by class of status: each response counts in the class of its status, whatever that is. */
import assert from "node:assert/strict";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { isResponseGroup } from "../../runner/load/recording/totals.ts";
import { breachOf, servedOf } from "../../runner/measure/totals.ts";
import { EMPTY, sumOfSparse } from "../../runner/stats/histogram/histogram.ts";

const MS = 1_000;

/** The count and the mean of each class of status, of responses that took 1 ms, 2 ms and so on. */
function classesOf(statuses: readonly number[]): unknown {
  const parts: IntervalPart[] = [];
  const recorder = new Recorder(250 * MS, (part) => parts.push(part));
  statuses.forEach((status, i) => {
    const latencyUs = (i + 1) * MS;
    recorder.due++;
    recorder.complete(0, status, 0, 0, latencyUs, latencyUs);
    recorder.groups.add(status, 0, latencyUs);
  });
  const totals = recorder.finish(250 * MS);
  const all = sumOfSparse(parts.map(({ latency }) => latency));
  const intervals = { seconds: statuses.length, values: all.count, bounds: 0 };
  assert.equal(breachOf([totals], intervals), null);
  assert.ok([...totals.groups.keys()].every(isResponseGroup), "agents may send every group");
  const { statusLatency } = servedOf([totals], { all, censored: EMPTY });
  return statusLatency && Object.entries(statusLatency)
    .map(([name, { latency: { count, mean } }]) => [name, count, mean]);
}

const CASES: readonly (readonly [string, readonly number[], unknown])[] = [
  ["a WebSocket is no 2xx", [101, 403], [["1xx", 1, 1], ["4xx", 1, 2]]],
  ["a WebSocket beside 2xx", [101, 200, 204], [["1xx", 1, 1], ["2xx", 2, 2.5]]],
  ["statuses from 600 on", [200, 600, 999, 503], [
    ["2xx", 1, 1],
    ["5xx", 1, 4],
    ["6xx", 1, 2],
    ["9xx", 1, 3],
  ]],
  ["2xx alone need no classes", [200, 204], undefined],
  ["nor do WebSockets alone", [101, 101], undefined],
];
for (const [what, statuses, classes] of CASES) {
  Deno.test(`by class of status: ${what}`, () => assert.deepEqual(classesOf(statuses), classes));
}
