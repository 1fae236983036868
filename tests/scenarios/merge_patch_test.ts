import assert from "node:assert/strict";
import fc from "fast-check";
import { LayeredData } from "../../base/yaml/merge_patch.ts";
import { forAll } from "../for_all.ts";

/** The examples of RFC 7396, appendix A, but those that are no maps. */
const PATCHES: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, result] of PATCHES) {
  Deno.test(`${JSON.stringify(patch)} over ${JSON.stringify(target)}`, () => {
    const layered = new LayeredData(target);
    layered.lay(patch, []);
    assert.deepEqual(layered.data, result);
  });
}

Deno.test("every value of laid-over data is found where it was written", () => {
  const data = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
      ),
    })).value,
    { noNullPrototype: true },
  );
  forAll([data, fc.array(data, { maxLength: 3 })], (target, patches) => {
    const file: unknown = { ...target, patches };
    const layered = new LayeredData(target);
    patches.forEach((patch, at) => layered.lay(patch, ["patches", at]));
    for (const { path, value } of leavesOf(layered.data)) {
      assert.equal(valueAt(file, layered.writtenAt(path)), value);
    }
  }, { seed: 1, numRuns: 300 });
});

function leavesOf(data: unknown, path: string[] = []): { path: string[]; value: unknown }[] {
  if (typeof data !== "object" || data === null) return [{ path, value: data }];
  return Object.entries(data).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), data);
}
