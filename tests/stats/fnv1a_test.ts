import assert from "node:assert/strict";
import { fnv1a } from "../../base/random.ts";

/** Of the authors' own test vectors (http://www.isthe.com/chongo/src/fnv/test_fnv.c). */
const vectors: [text: string, hash: number][] = [
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["b", 0xe70c2de5],
  ["foobar", 0xbf9cf968],
];

for (const [text, hash] of vectors) {
  Deno.test(`the hash of ${JSON.stringify(text)} is that of the authors`, () => {
    assert.equal(fnv1a(text), hash);
  });
}
