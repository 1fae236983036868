/** A log as a schedule: which lines are requests, and when each is due. */
import assert from "node:assert/strict";
import { type Files, NO_FILES } from "../../base/files.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
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

const FOLDER_FILES: Files = {
  ...NO_FILES,
  eachLine: (path, visit) => {
    const lines = path === "wrong.log" ? ["first", "second"] : [
      line(1, "GET /a HTTP/1.1"),
      line(1, "POST /b HTTP/1.1"),
      line(5, "GET /c HTTP/1.1"),
    ];
    lines.forEach(visit);
    return `digest of ${path}`;
  },
};

function experimentOf(scenario: string, load = ""): Experiment {
  const text = `name: x\ntargets: { a: { app: api } }\nscenarios:\n  log: ${scenario}\n${load}`;
  return parseExperiment(text, "x.yaml", { files: FOLDER_FILES });
}

Deno.test("a scenario replays a log, on the connections of the load", () => {
  const { scenarios, ...rest } = experimentOf(
    "{ replay: { log: a.log, speed: 2x, writes: true }, headers: { x-a: b } }",
    "load: { connections: [7, 9], timeout: 1s }",
  );
  const cells = planCells({ scenarios, ...rest });
  assert.deepEqual(cells.map(({ parameters }) => parameters), [{ connections: 7 }, {
    connections: 9,
  }]);
  const { load, request } = cells[0];
  assert.ok(load.kind === "rate");
  assert.deepEqual([load.arrivals, load.durationMs, load.timeoutMs], ["recorded", 3_000, 1_000]);
  assert.equal(load.ratePerSec, 1);
  const script = scriptOf(request, 1);
  assert.ok(script.kind === "requests" && script.dueUs !== undefined);
  assert.deepEqual([...script.dueUs], [0, 250_000, 2_000_000]);
  assert.deepEqual(script.requests[1].wire, {
    ...{ method: "POST", path: "/b", headers: { "x-a": "b" }, body: null },
  });
});

Deno.test("an experiment in JSON has the digest of its log, and none of its lines", () => {
  const { scenarios } = experimentOf("{ replay: a.log }");
  assert.deepEqual(JSON.parse(JSON.stringify(scenarios.log)).replay, {
    ...{ log: "a.log", format: "combined", speed: 1, writes: false },
    keys: { time: "time", method: "method", path: "path" },
    sha256: "digest of a.log",
  });
});

const REPLAY_WRONG: readonly (readonly [scenario: string, load: string, why: RegExp])[] = [
  [
    "{ replay: wrong.log }",
    "",
    /scenarios\.log\.replay: Cannot replay wrong\.log: 2 of 2 lines are/,
  ],
  ["{ replay: { log: a.log, speed: fast } }", "", /Cannot read "fast" as a speed/],
  ["{ replay: a.log, get: / }", "", /get.*the log says what is sent/],
  ["{ replay: a.log, body: x }", "", /body.*a log has no bodies/],
  [
    "{ replay: a.log }",
    "load: { duration: 3s }",
    /load\.duration: Cannot replay the log of log with/,
  ],
  [
    "{ replay: a.log }",
    "load: { rate: 3/s }",
    /load\.rate: Cannot replay the log of log with rate/,
  ],
  ["{ replay: a.log }", "load: { pipeline: 2 }", /load\.pipeline: Cannot replay/],
  ["{ replay: a.log, load: { requests: 3 } }", "", /scenarios\.log\.load\.requests: Cannot replay/],
  [
    "{ replay: a.log }",
    "load: { phases: [{ pause: 1s }, { duration: 1s, arrivals: 1/s }] }",
    /load\.phases/,
  ],
  [
    "{ replay: a.log }",
    "load: { stages: [{ duration: 1s, connections: 5 }] }",
    /load\.stages: Cannot replay the log of log with stages/,
  ],
];
for (const [scenario, load, why] of REPLAY_WRONG) {
  Deno.test(`a replay is refused with ${why.source}`, () => {
    assert.throws(() => experimentOf(scenario, load), why);
  });
}
