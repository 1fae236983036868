/** A log as a schedule: which lines are requests, and when each is due. */
import assert from "node:assert/strict";
import { type Files, NO_FILES } from "../../base/files.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { LOG_FORMATS } from "../../scenarios/replay/log_line.ts";
import { readReplay } from "../../scenarios/replay/read_replay.ts";
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

Deno.test("lines are told apart: requests, other methods, no request, unreadable; each with its number", () => {
  const lines = [
    line(1, "GET / HTTP/1.1"),
    "nonsense",
    line(1, "POST /pay HTTP/1.1"),
    "",
    line(2, "-"),
    line(2, "PROPFIND /dav HTTP/1.1"),
  ];
  const builder = builderOf("common", lines);
  const counts = ({ count, wrongLines, emptyLines, lines }: ReplayBuilder): number[] => [
    ...[count, wrongLines, emptyLines, lines],
  ];
  assert.deepEqual(counts(builder), [1, 1, 1, 5]);
  assert.deepEqual([...builder.otherMethods], [["POST", 1], ["PROPFIND", 1]]);
  assert.deepEqual(builder.wrong.map(({ line }) => line), [2]);
  assert.deepEqual(builder.empty.map(({ line }) => line), [5]);
  const all = builderOf("common", lines, { writes: true });
  assert.deepEqual(counts(all), [2, 1, 1, 5]);
  assert.deepEqual([...all.otherMethods], [["PROPFIND", 1]]);
});

const TIME = "[22/Dec/2025:15:19:01 +0300]";

/** A line of text, and what becomes of it: the path of its GET, or why there is none. */
const ACCESS_LINES: Readonly<Record<string, readonly [line: string, path: string | RegExp]>> = {
  "Apache's escaped quotes": [
    String.raw`h - - ${TIME} "GET /q?a=\"b\" HTTP/1.1" 200 1`,
    '/q?a="b"',
  ],
  "Apache's backslash": [String.raw`h - - ${TIME} "GET /a\\b HTTP/1.1" 200 1`, "/a\\b"],
  "Apache's octets": [String.raw`h - - ${TIME} "GET /\xc3\xa9\t HTTP/1.1" 200 1`, "/%C3%A9"],
  "nginx's octets": [
    String.raw`h - - ${TIME} "GET /q?a=\x22b\x22\x5C HTTP/1.1" 200 1`,
    '/q?a="b"\\',
  ],
  "nginx's escape=json": [String.raw`h - - ${TIME} "GET /a\u001fb HTTP/1.1" 200 1`, "/a%1Fb"],
  "nginx's escape=none": [`h - - ${TIME} "GET /q?a="b" HTTP/1.1" 200 1 "-" "x"`, '/q?a="b"'],
  "octets of UTF-8": [`h - - ${TIME} "GET /為 HTTP/1.1" 200 1`, "/%E7%82%BA"],
  "a decoded space": [`h - - ${TIME} "GET /two words HTTP/1.1" 200 1`, "/two%20words"],
  "a space that was refused": [`h - - ${TIME} "GET /two words HTTP/1.1" 400 1`, /two words/],
  "HTTP/0.9": [`h - - ${TIME} "GET /old" 200 1 "-" "x"`, "/old"],
  "nothing": [`h - - ${TIME} "" 400 0 "-" "-"`, /no method|is not a request line/],
  "a time-out": [`h - - ${TIME} "-" 408 -`, /is not a request line/],
  "TLS": [
    String.raw`h - - ${TIME} "\x16\x03\x01\x00\xEE" 400 150 "-" "-"`,
    /is not a request line/,
  ],
  "a scanner's word": [`h - - ${TIME} "HELP" 400 47 "-" "-"`, /is not a request line/],
  "OPTIONS of the whole server": [`h - - ${TIME} "OPTIONS * HTTP/1.0" 200 1`, /is not a path/],
  "a virtual host": [
    `v:80 "10.0.0.1, 10.0.0.2" 10.0.0.3 - - ${TIME} "GET /v HTTP/1.1" 200 1`,
    "/v",
  ],
  "fields after it": [`h - - ${TIME} "GET /x HTTP/1.1" 404 0 "-" "-"rt=0.017 uct="-"`, "/x"],
  "an upstream's name": [`h - - ${TIME} "GET /i HTTP/1.1" 200 1 "-" "c" 8 0.1 [web-80] [] -`, "/i"],
  "Apache's log of TLS": [`${TIME} 10.0.0.1 TLSv1.2 ECDHE "GET /tls HTTP/1.1" -`, "/tls"],
  "S3": [`b59 www.a ${TIME} 1.2.3.4 arn:x E5 WEBSITE.GET.OBJECT k "GET /k HTTP/1.1" 200 -`, "/k"],
  "Python's server": [`1.2.3.4 - - [26/Oct/2025 13:08:39] "GET /.git/a HTTP/1.1" 404 -`, "/.git/a"],
  "HAProxy": [
    String
      .raw`Feb  6 12:14:14 h haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] in b/s ` +
    String.raw`10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {a} {} "GET /q?a=#22b#23 HTTP/1.1"`,
    '/q?a="b',
  ],
  "HAProxy's bad request": [
    `h haproxy[1]: 1.2.3.4:1 [06/Feb/2009:12:14:14.655] a a/<NOSRV> -1/-1 400 187 "<BADREQ>"`,
    /is not a request line/,
  ],
  "HAProxy's connection of TCP": [
    "h haproxy[1]: 1.2.3.4:1 [06/Feb/2009:12:14:14.655] fnt bck/srv1 0/0/5007 212 -- 0/0",
    /no request in quotes/,
  ],
  "Envoy": [`[2019-04-08T16:16:55.931Z] "GET /e HTTP/1.1" 200 - 0 89 5 4 "-" "curl"`, "/e"],
  "Envoy's TCP": [
    `[2019-04-08T16:50:12.533Z] "- - -" 0 - 87 254 4 - "-" "-"`,
    /is not a request line/,
  ],
  "Amazon's load balancer": [
    `https 2020-01-01T00:55:04.127531Z app/a 1.2.3.4:2817 10.0.0.1:80 0.001 200 200 225 24950 ` +
    `"GET https://www.a:443/p?q=1 HTTP/1.1" "Mozilla" ECDHE TLSv1.2 0 2020-01-01T00:55:04.0Z`,
    "/p?q=1",
  ],
  "nginx's $msec": [`1622537123.456 10.0.0.1 "GET /msec HTTP/1.1" 200`, "/msec"],
  "JSON around it": [
    String.raw`{"message":"[2019-04-10T03:49:34.451Z] \"GET /a HTTP/1.1\" 501 - \"1\"","time":""}`,
    /is not a request line/,
  ],
};

for (const [what, [text, path]] of Object.entries(ACCESS_LINES)) {
  Deno.test(`a line of an access log with ${what} is ${path}`, () => {
    const builder = builderOf("combined", [text]);
    assert.deepEqual([builder.wrongLines, ...builder.otherMethods], [0]);
    if (typeof path === "string") {
      assert.deepEqual(builder.replay().requests, [{ method: "GET", path }]);
    } else {
      assert.equal(builder.count, 0);
      assert.match(builder.empty[0].why, path);
    }
  });
}

/** A line of JSON by the given keys, and its path, or why it is unreadable. */
const JSON_LINES: readonly (readonly [
  format: "json" | "caddy" | "traefik",
  keys: object,
  line: string,
  path: string | RegExp,
])[] = [
  ["caddy", KEYS, `{"ts":1703373474.81,"request":{"method":"GET","uri":"/b?x=1"}}`, "/b?x=1"],
  ["caddy", KEYS, `Nov 20 h caddy[7]: {"ts":17033.5,"request":{"method":"GET","uri":"/j"}}`, "/j"],
  [
    "traefik",
    KEYS,
    `{"RequestMethod":"GET","RequestPath":"/t","StartLocal":"2024-02-02T17:07:08.048870614Z"}`,
    "/t",
  ],
  [
    "json",
    { time: "at", method: "http.verb", path: "http.url" },
    `{"at":"28/May/2025:07:45:20 +0000","http":{"verb":"GET","url":"https://a/b"},"http.url":"/c"}`,
    "/c",
  ],
  [
    "json",
    { ...KEYS, request: "r.line" },
    `{"ts":1,"r":{"line":"GET /a?b=\\"c\\" HTTP/1.1"}}`,
    '/a?b="c"',
  ],
  ["json", KEYS, `{"ts":1,"verb":"GET","uri":"/é a"}`, "/%C3%A9%20a"],
  ["json", KEYS, `{"ts":1,"verb":"GET","uri":"/\ufffd"}`, /not UTF-8/],
  ["json", KEYS, `{"ts":1,"verb":"GET","uri":"index.html"}`, /is not a path/],
  ["json", KEYS, `{"ts":1,"uri":"/"}`, /no text in "verb"/],
  ["json", KEYS, `{"verb":"GET","uri":"/"}`, /it has no "ts"/],
];

for (const [format, keys, text, path] of JSON_LINES) {
  Deno.test(`a line of a log of ${format}, ${text}, is ${path}`, () => {
    const builder = builderOf(format, [text], { keys });
    if (typeof path === "string") {
      assert.deepEqual(builder.replay().requests, [{ method: "GET", path }]);
    } else assert.match(builder.wrong[0].why, path);
  });
}

Deno.test("lines of JSON that are about no request are counted as such", () => {
  const builder = builderOf("caddy", [
    `{"level":"info","ts":1,"msg":"serving initial configuration"}`,
    `{"ts":1,"request":{"method":"","uri":""}}`,
    `{"ts":1,"request":{"method":"MKCOL","uri":"/"}}`,
  ]);
  assert.deepEqual([builder.wrongLines, builder.emptyLines, builder.count], [0, 2, 0]);
  assert.deepEqual([...builder.otherMethods], [["MKCOL", 1]]);
});

Deno.test("the fields of a W3C log are those that stand above each line", () => {
  const { requests, dueUs } = builderOf("w3c", [
    "#Software: Microsoft Internet Information Services 10.0",
    "#Date: 2018-01-01 09:10:09",
    "#Fields: time cs-method cs-uri-stem cs-uri-query c-ip",
    "09:10:10 GET /my+file+é+100%.pdf - 127.0.0.1",
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query cs(Cookie) sc-status",
    '2018-01-01 09:10:11 10.0.0.1 GET /a#b q=1+2 "a=b; c=d" 200',
    "#Fields: date time x-edge-location c-ip cs-method cs-uri-stem sc-status cs-uri-query sc-range-end",
    "2018-01-01\t09:10:12\tLAX1\t2a02::1\tGET\t/en(test)+1\t404\tx=%20y",
  ]).replay();
  assert.deepEqual(requests.map(({ path }) => path), [
    "/my%20file%20%C3%A9%20100%25.pdf",
    "/a%23b?q=1+2",
    "/en(test)+1?x=%20y",
  ]);
  assert.deepEqual([...dueUs], [0, 1e6, 2e6]);
});

Deno.test("a line of a W3C log is unreadable without its fields, or with others", () => {
  const { wrong, count, lines } = builderOf("w3c", [
    "2018-01-01 09:10:11 GET /",
    "#Fields: date time cs-method cs-uri-stem",
    "2018-01-01 09:10:11 GET / more",
  ]);
  assert.deepEqual([count, lines], [0, 2]);
  assert.deepEqual(wrong.map(({ line }) => line), [1, 3]);
  assert.match(wrong[0].why, /#Fields/);
  assert.match(wrong[1].why, /5 values, but #Fields names 4/);
});

/** All are the same moment, and one that is a millisecond later. */
const MOMENTS: readonly (readonly [first: unknown, second: unknown])[] = [
  [1_622_537_123, 1_622_537_123.001],
  [1_622_537_123_000, 1_622_537_123_001],
  [1_622_537_123_000_000, 1_622_537_123_001_000],
  ["1622537123000000000", "1622537123001000000"],
  ["1622537123.000", "1622537123.001"],
  ["2021-06-01T08:45:23Z", "2021-06-01T10:45:23.001+02:00"],
  ["2021/06/01 08:45:23", "2021-06-01 08:45:23,001"],
  ["01/Jun/2021:08:45:23 +0000", "01/Jun/2021:10:45:23.001 +0200"],
];

for (const [first, second] of MOMENTS) {
  Deno.test(`${second} is a millisecond after ${first}`, () => {
    const lines = [first, second].map((ts) => JSON.stringify({ ts, verb: "GET", uri: "/" }));
    const { dueUs } = builderOf("json", lines).replay();
    assert.deepEqual([...dueUs].map((us) => Math.round(us / 100) / 10), [0, 1]);
  });
}

Deno.test("requests of one second are spread over it in every format whose moments are whole seconds", () => {
  const lines = ["/a", "/b"].map((uri) => JSON.stringify({ ts: 1_622_537_123, verb: "GET", uri }));
  assert.deepEqual([...builderOf("json", lines).replay().dueUs], [0, 500_000]);
});

const SCANNED = [
  ...Array.from({ length: 100 }, (_, at) => line(at % 10, `GET /p${at} HTTP/1.1`)),
  ...[line(3, String.raw`\x16\x03\x01\x00\xEE`), line(3, "-"), line(3, "PROPFIND /dav HTTP/1.1")],
];

function read(lines: readonly string[], more = {}): ReturnType<typeof readReplay> {
  const choice = { format: "combined", keys: KEYS, speed: 1, writes: false, ...more } as const;
  return readReplay("a.log", choice, (visit) => lines.forEach(visit));
}

Deno.test("scanners' noise refuses no log: the note counts each kind, and names the methods that are sent", () => {
  const log = read(SCANNED);
  assert.ok("note" in log);
  assert.match(log.note, /^100 requests of a\.log are replayed \(only GET and HEAD are sent\)/);
  assert.match(
    log.note,
    /1 request with another method \(PROPFIND 1\), 2 lines without a request, 0 unreadable/,
  );
});

Deno.test("unreadable lines refuse a log where they are more than one in a hundred", () => {
  assert.ok("note" in read([...SCANNED, "nonsense"]));
  const log = read([...SCANNED, "nonsense", "nonsense"]);
  assert.ok("problem" in log);
  assert.match(log.problem, /^2 of 105 lines are unreadable/);
  assert.deepEqual(log.wrong.map(({ line }) => line), [104, 105]);
});

const CADDY = `{"ts":1703373474.81,"request":{"method":"GET","uri":"/b?x=1"}}`;

Deno.test("a log of another format is refused with the name of its own", () => {
  const w3c = ["#Fields: date time cs-method cs-uri-stem", "2018-01-01 09:10:11 GET /"];
  const remedies = [read(w3c), read([CADDY]), read(["nonsense"])]
    .map((log) => "remedy" in log && log.remedy);
  assert.deepEqual(remedies, [{ format: "w3c" }, { format: "caddy" }, { format: null }]);
});

Deno.test("a log of other methods alone is refused with the way to send them", () => {
  const log = read([line(1, "POST /pay HTTP/1.1")]);
  assert.ok("problem" in log);
  assert.equal(log.remedy, "writes");
  assert.match(log.problem, /no request to send.*POST 1/);
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
  assert.deepEqual([load.arrivals, load.durationMs, load.timeout], ["recorded", 3_000, 1_000]);
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
  ["{ replay: a.log, get: / }", "", /get.*the log determines what is sent/],
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
