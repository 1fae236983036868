/** A log as a schedule: which lines are requests, and when each is due. */
import assert from "node:assert/strict";
import { LOG_FORMATS } from "../../scenarios/replay/log_line.ts";
import { ReplayBuilder } from "../../scenarios/replay/schedule.ts";

const KEYS = { time: "ts", method: "verb", path: "uri" };

function builderOf(
  format: keyof typeof LOG_FORMATS,
  lines: readonly string[],
  more = {},
): ReplayBuilder {
  const options = { format: LOG_FORMATS[format], keys: KEYS, speed: 1, writes: false, ...more };
  const builder = new ReplayBuilder(options);
  lines.forEach((line) => builder.add(line));
  return builder;
}

function line(second: number, request: string): string {
  const time = `24/Nov/2026:08:00:0${second} +0100`;
  return `127.0.0.1 - a user [${time}] "${request}" 200 12 "-" "agent"`;
}

Deno.test("requests of one second are spread evenly over it, in the order of the log", () => {
  const lines = [line(1, "GET /a HTTP/1.1"), line(1, "GET /b?x=1 HTTP/1.1")];
  const { requests, sequence, dueUs, durationUs } = builderOf("combined", [
    ...lines,
    line(3, "GET /a HTTP/1.1"),
  ], { speed: 2 }).replay();
  assert.deepEqual([...dueUs], [0, 250_000, 1_000_000]);
  assert.deepEqual([...sequence], [0, 1, 0]);
  assert.deepEqual(requests, [{ method: "GET", path: "/a" }, { method: "GET", path: "/b?x=1" }]);
  assert.equal(durationUs, 1_500_000);
});

Deno.test("JSON lines keep their microseconds, in the order of their moments, and lose their hosts", () => {
  const lines = [
    `{"ts":"2026-11-24T08:00:00.000350Z","verb":"GET","uri":"http://elsewhere:81/later?q=1"}`,
    `{"ts":"2026-11-24T09:00:00.000100+01:00","verb":"HEAD","uri":"/first"}`,
  ];
  const { requests, sequence, dueUs } = builderOf("json", lines).replay();
  assert.deepEqual([...dueUs].map(Math.round), [0, 250]);
  assert.deepEqual([...sequence].map((at) => requests[at].path), ["/first", "/later?q=1"]);
});

Deno.test("vegeta's results are read by their own keys", () => {
  const text = `{"attack":"","seq":0,"code":200,"timestamp":"2026-11-24T08:00:00.5+00:00",` +
    `"latency":1,"method":"GET","url":"http://127.0.0.1:1/x"}`;
  const { requests } = builderOf("vegeta", [text]).replay();
  assert.deepEqual(requests, [{ method: "GET", path: "/x" }]);
});

Deno.test("unreadable lines are counted with their numbers, and writes are left out unless allowed", () => {
  const lines = [
    line(1, "GET / HTTP/1.1"),
    "nonsense",
    line(1, "POST /pay HTTP/1.1"),
    line(2, "-"),
  ];
  const builder = builderOf("common", lines);
  assert.deepEqual([builder.count, builder.wrongLines, builder.writes], [1, 2, 1]);
  assert.deepEqual(builder.wrong.map(({ line }) => line), [2, 4]);
  assert.equal(builderOf("common", lines, { writes: true }).count, 2);
});
