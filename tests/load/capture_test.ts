/** Values taken from answers, however large or strange those are. */
import assert from "node:assert/strict";
import { ResponseReader } from "../../base/http/response.ts";
import { LIMITS } from "../../base/limits.ts";
import { loadEngine } from "../../base/pattern.ts";
import { takerOf, whyOverlooked } from "../../runner/load/engine/capture.ts";
import type { CaptureSource } from "../../scenarios/request/flow.ts";

await loadEngine();

/** An answer with this body, read whole. */
function answered(body: string): ResponseReader {
  const reader = new ResponseReader({ retain: true });
  const bytes = new TextEncoder().encode(body);
  const head = `HTTP/1.1 200 OK\r\nx-id: 7\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  const whole = new TextEncoder().encode(head);
  reader.begin(false);
  reader.read(whole, 0, whole.length);
  if (bytes.length > 0) reader.read(bytes, 0, bytes.length);
  return reader;
}

interface Taken {
  readonly value: string | null;
  /** Null when it is not overlooked. */
  readonly why: string | null;
}

function taken(from: CaptureSource, body: string): Taken {
  const reader = answered(body);
  const spec = { as: "x", from };
  const value = takerOf(spec)(reader);
  return { value, why: value === null ? whyOverlooked(spec, reader) : null };
}

const ID: CaptureSource = { kind: "pattern", source: "id=(\\w+)" };
const MEMBER: CaptureSource = { kind: "json", path: ["a"] };
const { patternBody, jsonBody, captured } = LIMITS;

Deno.test("a pattern looks at the start of a long body", () => {
  const rest = "-".repeat(patternBody.most);
  assert.deepEqual(taken(ID, `id=7 ${rest}`), { value: "7", why: null });
  assert.deepEqual(taken(ID, `${rest} id=7`), {
    value: null,
    why: "a pattern searches only the first 256 kB of a body, and this body is longer",
  });
  const cut = taken(ID, `${"-".repeat(patternBody.most - 4)}id=7890`);
  assert.equal(cut.value, null, "the value goes on behind the cut");
  assert.equal(taken(ID, `${"-".repeat(patternBody.most - 4)}id=7`).value, "7");
});

Deno.test("a character that is cut in two harms nothing", () => {
  const body = `id=7 ${"é".repeat(patternBody.most)}`;
  assert.equal(taken(ID, body).value, "7");
});

Deno.test("a long JSON body is not looked at, as no part of it would be JSON", () => {
  const json = (length: number): string => `{"a":1,"b":"${"x".repeat(length - 14)}"}`;
  assert.equal(taken(MEMBER, json(jsonBody.most)).value, "1");
  const { value, why } = taken(MEMBER, json(jsonBody.most + 300_000));
  assert.equal(value, null);
  assert.equal(why, "a JSON body from which values are read is 1.3 MB; the limit is 1 MB");
});

Deno.test("JSON that is nested too deep to be written again has no value", () => {
  const depth = 400_000;
  const { value } = taken(MEMBER, `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  assert.equal(value, null);
});

Deno.test("a value that is too long for the requests after it counts as missing", () => {
  const body = (length: number): string => `{"a":"${"x".repeat(length)}"}`;
  const sources: CaptureSource[] = [MEMBER, { kind: "pattern", source: '"(x+)"' }];
  for (const source of sources) {
    assert.equal(taken(source, body(captured.most)).value?.length, captured.most);
    assert.equal(taken(source, body(captured.most + 1)).value, null);
    assert.deepEqual(taken(source, body(captured.most + 2)), {
      value: null,
      why: "a captured value has 64,002 characters; the limit is 64,000",
    });
  }
});

Deno.test("of an answer that lacks the value nothing is said but that", () => {
  assert.deepEqual(taken(ID, "nothing"), { value: null, why: null });
  assert.deepEqual(taken(MEMBER, "no JSON"), { value: null, why: null });
  assert.deepEqual(taken({ kind: "header", name: "x-id" }, ""), { value: "7", why: null });
});
