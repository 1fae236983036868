import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonList } from "../../base/yaml/json_list.ts";
import { anySign, forAll } from "../for_all.ts";

interface Read {
  readonly around: unknown;
  readonly members: unknown[];
}

/** @param cuts Where one piece ends and the next begins, as shares of the length. */
function read(text: string, cuts: readonly number[] = []): Read {
  const members: unknown[] = [];
  const list = new JsonList("runs", (member) => members.push(JSON.parse(member)));
  const bytes = new TextEncoder().encode(text);
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length];
  let from = 0;
  for (const end of ends.toSorted((a, b) => a - b)) {
    list.push(bytes.subarray(from, end));
    from = end;
  }
  return { around: JSON.parse(list.end()), members };
}

/** Strings that look like the marks of JSON, among others. */
const tricky = fc.oneof(
  fc.string({ unit: anySign }),
  fc.constantFrom('"runs":[', "\\", '\\"', "],[", "}{", "runs", "😀"),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    tricky,
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constant("runs"), tricky), tie("any"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).any;

Deno.test("a list is read member by member, whatever is in it and around it, and wherever pieces end", () => {
  const others = fc.dictionary(tricky.filter((key) => key !== "runs"), value, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
  const spaces = fc.constantFrom(undefined, 1, "\t", "\n");
  forAll([others, fc.array(value), others, cuts, spaces], (before, runs, after, cuts, space) => {
    const whole = Object.entries(before).concat([["runs", runs]], Object.entries(after));
    const text = JSON.stringify(Object.fromEntries(whole), null, space);
    const found = read(text, cuts);
    const expected = JSON.parse(text);
    assert.deepEqual(found.members, expected.runs);
    assert.deepEqual(found.around, { ...expected, runs: [] });
  }, { seed: 21 });
});

Deno.test("a text without the list in its outermost map is given as it is", () => {
  for (
    const text of [
      '{"a":{"runs":[1]}}',
      '["runs",[1]]',
      '{"runs":{"a":[1]}}',
      '{"a":"runs","b":[1]}',
    ]
  ) {
    const { around, members } = read(text);
    assert.deepEqual([around, members], [JSON.parse(text), []]);
  }
});

for (
  const [what, text] of [
    ["that is cut in a member", '{"runs":[{"a":1},{"a":'],
    ["that is cut between members", '{"runs":[1,'],
    ["with a comma too many", '{"runs":[1,]}'],
    ["with two such lists", '{"runs":[1],"runs":[2]}'],
    ["with a bracket too many", '{"runs":[1]]}'],
    ["with members that no comma parts", '{"runs":[1 2]}'],
  ]
) {
  Deno.test(`a text ${what} is none`, () => {
    assert.throws(() => read(text));
  });
}
