import assert from "node:assert/strict";
import { cacheStatusIn, instanceIn } from "../../base/http/framing_fields.ts";
import { KnownHead } from "../../base/http/head.ts";
import { COMPLETE, ResponseReader } from "../../base/http/response.ts";
import { octetsOf } from "./feed.ts";

const SAYINGS: { fields: string[]; instance?: number; cache?: "hit" | "miss" | "stale" }[] = [
  { fields: [] },
  { fields: ["x-instance: 1"], instance: 1 },
  { fields: ["X-Instance:128 "], instance: 128 },
  { fields: ["x-instance: 129"] },
  { fields: ["x-instance: 99999999999999999999999"] },
  { fields: ["x-instance: 12a"] },
  { fields: ["x-instance: -1"] },
  { fields: ["x-instance:"] },
  { fields: ["x-instance: 3", "x-instance: 4"], instance: 4 },
  { fields: ["x-cache: hit"], cache: "hit" },
  { fields: ["X-CACHE: MISS from a cache"], cache: "miss" },
  { fields: ["x-cache: stale"], cache: "stale" },
  { fields: ["x-cache: bypass"] },
  { fields: ["x-cache: hit", "x-instance: 7"], instance: 7, cache: "hit" },
  {
    fields: ["x-instance: 7", "x-cache: miss", "x-caches: 1", "x-instances: 9"],
    instance: 7,
    cache: "miss",
  },
];

function wireOf(fields: readonly string[]): Uint8Array {
  const lines = ["HTTP/1.1 200 OK", ...fields, "Content-Length: 2"];
  return octetsOf(`${lines.join("\r\n")}\r\n\r\nok`);
}

function saidBy({ state, served }: ResponseReader): unknown {
  assert.equal(state, COMPLETE);
  return { instance: instanceIn(served), cache: cacheStatusIn(served) };
}

for (const { fields, instance = 0, cache = null } of SAYINGS) {
  const name = fields.join(", ") || "neither field";
  Deno.test(`who served a response is read however it is cut: ${name}`, () => {
    const wire = wireOf(fields);
    for (let cut = 0; cut <= wire.length; cut++) {
      const reader = new ResponseReader();
      reader.begin(false);
      reader.read(wire, 0, cut);
      reader.read(wire, cut, wire.length);
      assert.deepEqual(saidBy(reader), { instance, cache }, `cut at ${cut}`);
    }
  });
}

Deno.test("one response's words are not taken for the next one's, nor lost with a known head", () => {
  const reader = new ResponseReader({ known: new KnownHead() });
  const said = [2, 2, 0, 5, 5, 2].map((instance) => {
    const wire = wireOf(instance === 0 ? [] : [`x-instance: ${instance}`]);
    reader.begin(false);
    reader.read(wire, 0, wire.length);
    return instanceIn(reader.served);
  });
  assert.deepEqual(said, [2, 2, 0, 5, 5, 2]);
});
