/** HAR files: what their requests are here. */
import assert from "node:assert/strict";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { fillTemplate } from "../../scenarios/request/template.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { becomes } from "./foreign.ts";

const BRACED: readonly (readonly [type: string, text: string, sent: string])[] = [
  ["text/plain", "{{{name}}} {{ braces }}", "{{{name}}} {{ braces }}"],
  ["application/x-www-form-urlencoded", "a={{name}}", "a=%7B%7Bname}}"],
  ["application/json", '["{{name}}"]', '["\\u007b\\u007bname}}"]'],
];

for (const [type, text, sent] of BRACED) {
  Deno.test(`what looks like a name in a HAR file is sent as it was in ${type}`, () => {
    const { wire } = onlyStep(type, { name: "x-t", value: "{{name}}" }, { text });
    assert.deepEqual([wire.headers["x-t"], wire.body], ["{{name}}", sent]);
  });
}

Deno.test("the fields of a form in a HAR file are encoded whole", () => {
  const params = [{ name: "{{a}}", value: "{{b c}}\ud800" }];
  const { wire } = onlyStep("application/x-www-form-urlencoded", { name: "x-t" }, { params });
  assert.equal(wire.body, "%7B%7Ba%7D%7D=%7B%7Bb%20c%7D%7D%EF%BF%BD");
});

Deno.test("a header field of a HAR file that can't be sent is left out, with a note", () => {
  const { wire, notes } = onlyStep("text/plain", { name: "X-City", value: "Łódź" }, { text: "a" });
  assert.deepEqual(Object.keys(wire.headers), ["content-type"]);
  assert.ok(notes.some((note) => /left out: the header fields X-City,/.test(note)));
});

Deno.test("a visit that outlasts the usual load lengthens it, and a note says so", () => {
  const entry = (second: number, time: number): object => ({
    startedDateTime: `2026-01-01T00:00:${second}Z`,
    time,
    request: { method: "GET", url: "http://a/b" },
    response: { status: 200 },
  });
  const loadOf = (...entries: object[]): [duration: string, note: string | undefined] => {
    const { text, notes } = becomes(JSON.stringify({ log: { entries } }), "a.har");
    return [/duration: (\S+)/.exec(text)?.[1] ?? "", notes.find((note) => /a default/.test(note))];
  };
  const usual = "the load is a default: 10 virtual users for 10 s";
  assert.deepEqual(loadOf(entry(10, 5_000), entry(18, 2_000)), ["10s", usual]);
  assert.deepEqual(loadOf(entry(10, 5_000), entry(40, 500)), [
    "46s",
    "the load is a default: 10 virtual users for 46 s, because one visit takes 31 s",
  ]);
});

/** One request of an archive. */
function entryAt(startedDateTime: string, url: string, more: object = {}): object {
  return {
    startedDateTime,
    time: 10,
    request: { method: "GET", url, ...more },
    response: { status: 200 },
  };
}

Deno.test("a pause of more than an hour is one of an hour, with a note", () => {
  const entries = [
    entryAt("2026-01-01T10:00:00Z", "http://a/"),
    entryAt("2026-01-01T12:00:00Z", "http://a/b"),
  ];
  const { text, notes } = becomes(JSON.stringify({ log: { entries } }), "a.har");
  assert.match(text, /think: 3600000ms/);
  assert.match(text, /duration: 5401s/);
  assert.ok(
    notes.includes(
      "1 pause of more than 1 h was shortened to 1 h, the longest that a flow may have",
    ),
  );
  assert.ok(parseExperiment(text, "a.yaml"));
});

Deno.test("a HAR file of too many requests, or too long ones, is refused at the first too many", () => {
  const log = (entries: readonly object[]): string =>
    JSON.stringify({ log: { entries } }).replaceAll('{"startedDateTime"', '\n{"startedDateTime"');
  const entry = entryAt("2026-01-01T10:00:00Z", "http://a/");
  assert.throws(
    () => becomes(log(Array.from({ length: 10_002 }, () => entry)), "a.har"),
    /a\.har:10002:1: log\.entries\.10000: Cannot convert this request: .* has more than 10,000 steps, the limit/,
  );
  const long = entryAt("2026-01-01T10:00:00Z", `http://a/${"b".repeat(60_000)}`);
  assert.throws(
    () => becomes(log(Array.from({ length: 20 }, () => long)), "a.har"),
    /a\.har:18:1: log\.entries\.16: Cannot convert this request: the experiment .* the limit is 1,000,000/,
  );
});

Deno.test("what no experiment may have is refused at the request of a HAR file, however long that is", () => {
  const entries = [
    entryAt("2026-01-01T10:00:00Z", "http://a/", { comment: "x".repeat(2_000_000) }),
    entryAt("2026-01-01T10:00:01Z", "http://a/b", { 'a"b': "[{" }),
    { ...entryAt("2026-01-01T10:00:02Z", "http://a/c"), response: { status: 999 } },
  ];
  const source = JSON.stringify({ log: { pages: [], entries } }).replaceAll("},{", "},\n{");
  const { text, problems } = becomes(source, "a.har");
  assert.throws(() => parseExperiment(text, "a.yaml"), /Cannot use 999: the maximum is 599/);
  const path = ["scenarios", "visit", "flow", 4, "expect", "status"];
  assert.deepEqual(problems([{ path, isKey: false, message: "no" }]), [{
    place: "a.har:3:1",
    message: "log.entries.2: scenarios.visit.flow.4.expect.status in the converted experiment: no",
  }]);
});

Deno.test("a visit is to the host of its page that most requests went to, not to a frame before it", () => {
  const page = (origin: string): object => ({
    ...entryAt("2026-01-01T10:00:00Z", origin),
    response: { status: 200, content: { mimeType: "text/html; charset=utf-8" } },
  });
  const picture = entryAt("2026-01-01T10:00:02Z", "http://pictures/a.png");
  const entries = [
    page("http://frame/"),
    page("http://shop/"),
    entryAt("2026-01-01T10:00:01Z", "http://shop/a.css"),
    ...[picture, picture, picture],
  ];
  const { text } = becomes(JSON.stringify({ log: { entries } }), "a.har");
  assert.match(text, /target: http:\/\/shop\n/);
});

Deno.test("null stands for what is not there in a HAR file", () => {
  const postData = { mimeType: null, text: null, params: null, encoding: null };
  const entry = entryAt("2026-01-01T10:00:00Z", "http://a/", { headers: null, postData });
  const entries = [{ ...entry, time: null, _fromCache: null }];
  const { text } = becomes(JSON.stringify({ log: { entries } }), "a.har");
  assert.ok(parseExperiment(text, "a.yaml"));
});

interface Sent {
  readonly wire: WireRequest;
  readonly notes: readonly string[];
}

/** Of an archive with one request with this field and body: what is sent, and the notes. */
function onlyStep(mimeType: string, field: object, posted: object): Sent {
  const headers = [{ name: "content-type", value: mimeType }, field];
  const postData = { mimeType, ...posted };
  const entries = [{
    startedDateTime: "2026-01-01T00:00:00Z",
    request: { method: "POST", url: "http://a/b", headers, postData },
    response: { status: 200 },
  }];
  const { text, notes } = becomes(JSON.stringify({ log: { entries } }), "a.har");
  const { visit } = parseExperiment(text, "a.yaml").scenarios;
  const script = scriptOf(visit, 1);
  assert.ok(script.kind === "flow" && script.steps[0].kind === "request");
  const wire = fillTemplate(script.steps[0].wire, new Map(Object.entries(script.users[0])));
  return { wire, notes };
}
