import assert from "node:assert/strict";
import fc from "fast-check";
import { scriptShape } from "../../runner/fleet/protocol/job_schema.ts";
import { encodeRequest } from "../../base/http/request.ts";
import { filledToSend } from "../../scenarios/request/template.ts";
import type { LoadRequest } from "../../runner/measure/loader.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { refuses, sending, STEP } from "./jobs.ts";
import { anySign, forAll } from "../for_all.ts";

const SEED = 20_261_121;
const REQUEST: Omit<LoadRequest, "script"> = {
  origin: "http://127.0.0.1:1",
  load: {
    ...{ kind: "closed", connections: 1, workers: 1, pipeline: 1, keepAlive: true, timeout: 1_000 },
    ...{ durationMs: 1_000, requests: null },
  },
  ...{ seed: 5, driver: "tcp", intervalMs: 250, logPath: "/tmp/log", implicitCheck: false },
};
const REQUEST_LINE = /^GET \/[\x21-\x7e]* HTTP\/1\.1\r?$/;

Deno.test("a job may not smuggle anything into the head of a request", () => {
  const smuggling: [wire: object, why: RegExp][] = [
    [{ method: "GET / HTTP/1.1\r\nX: y\r\n\r\nGET" }, /Invalid option/],
    [{ method: "get" }, /Invalid option/],
    [{ method: "CONNECT" }, /Invalid option/],
    [{ path: "" }, /Cannot use "" as a path: start with \//],
    [{ path: "http://elsewhere/" }, /as a path: start with \//],
    [{ path: "/ HTTP/1.1" }, /as a path/],
    [{ path: "/\r\nX: y" }, /as a path/],
    [{ path: "/{{\r\nX: y\r\n}}" }, /as a path: it has control characters/],
    [{ path: "/{{ a\u0085b }}" }, /as a path: it has control characters/],
    [{ path: "{{\0}}" }, /as a path: it has control characters/],
    [{ path: "/{{ }}" }, /as a path: start with \//],
    [{ path: "/" + "a".repeat(65_536) }, /Too big/],
    [{ headers: { "content-length": "0" } }, /Invalid key|follow from the body/],
    [{ headers: { "Transfer-Encoding": "chunked" } }, /Invalid key|follow from the body/],
    [{ headers: { "x\r\ny": "1" } }, /Invalid key|as a header name/],
    [{ headers: { "x: y\r\nz": "1" } }, /Invalid key|as a header name/],
    [{ headers: { x: "1\r\ny: 2" } }, /as a header value: line breaks/],
    [{ headers: { x: "\u2028" } }, /as a header value/],
    [{ headers: { x: "\0" } }, /as a header value/],
    [{ headers: null }, /expected record/],
    [{ body: 5 }, /neither text nor parts of a form/],
    [{ body: [5] }, /neither text nor parts of a form/],
    [{ body: [{ base64: "no base64" }] }, /Invalid base64/],
    [{ body: [{ text: "a", base64: "aaaa" }] }, /neither|Unrecognized key/],
    [{ body: Array(10_001).fill({ text: "" }) }, /neither|Too big/],
    [{ host: "elsewhere" }, /Unrecognized key/],
  ];
  for (const [wire, why] of smuggling) refuses(scriptShape, sending(wire), why);
});

Deno.test("whatever a job that is accepted says, and whatever is filled in, one request is sent", () => {
  const bits = fc.array(fc.constantFrom("/", "{{", "}}", "a", " ", "\r\n", "\0", "é", "\u2028"));
  const text = bits.map((bits) => bits.join(""));
  const value = fc.option(fc.string({ unit: anySign }));
  forAll([text, text, value], (path, header, value) => {
    const wire = { ...STEP.wire, path: `/${path}`, headers: { x: header } };
    if (!scriptShape.safeParse(sending(wire)).success) return;
    const values = new Map(value === null ? [] : [["a", value]]);
    const bytes = encodeRequest(filledToSend(wire, values), { host: "h", keepAlive: true });
    const lines = new TextDecoder().decode(bytes).split("\n");
    assert.equal(lines.length, 5);
    assert.match(lines[0], REQUEST_LINE);
  }, { seed: SEED, numRuns: 2_000 });
});

Deno.test("a job of requests without values sends only paths that a file could have", () => {
  for (const path of ["/{{ HTTP/1.0 }}", "/{{é}}", "{{http://elsewhere/}}"]) {
    const script = scriptShape.parse(sending({ path }));
    const [share] = shareOut({ ...REQUEST, script }, "tcp");
    assert.ok(share.script.kind === "requests");
    const [line] = new TextDecoder().decode(share.script.requests[0].bytes).split("\n");
    assert.match(line, REQUEST_LINE);
  }
});
