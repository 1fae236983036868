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
  assert.ok(notes.some((note) => /without its header fields X-City,/.test(note)));
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
    "the load is a default: 10 virtual users for 46 s, as the visit alone takes 31 s",
  ]);
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
