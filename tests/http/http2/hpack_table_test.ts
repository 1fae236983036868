import assert from "node:assert/strict";
import fc from "fast-check";
import { type Field, fieldBytes } from "../../../base/http/http2/fields.ts";
import { HpackTable } from "../../../base/http/http2/hpack_table.ts";
import { FIRST_DYNAMIC } from "./blocks.ts";
import { forAll } from "../../for_all.ts";

/** RFC 7541 §4, as it is written: an array, newest first. */
class Model {
  readonly entries: Field[] = [];

  constructor(private most: number) {}

  get bytes(): number {
    return this.entries.reduce((sum, field) => sum + fieldBytes(field), 0);
  }

  insert(field: Field): void {
    this.#evictTo(this.most - fieldBytes(field));
    if (fieldBytes(field) <= this.most) this.entries.unshift(field);
  }

  resize(most: number): void {
    this.most = most;
    this.#evictTo(most);
  }

  #evictTo(bytes: number): void {
    while (this.entries.length > 0 && this.bytes > bytes) this.entries.pop();
  }
}

const fields = fc.record({
  name: fc.constantFrom("a", "b", "c", "accept", ":status"),
  value: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("", "1", "2", "200") },
    { weight: 1, arbitrary: fc.constantFrom("v".repeat(40), "v".repeat(200)) },
  ),
}, { noNullPrototype: true });
const inserts = fc.array(fields, { minLength: 1, maxLength: 50 }).map((some) => ({ some }));
const sizes = fc.constantFrom(0, 31, 34, 100, 333, 1_000, 4_096).map((most) => ({ most }));

Deno.test("whatever is inserted and however it is resized, the table is as RFC 7541 §4 says", () => {
  let longest = 0;
  forAll([fc.array(fc.oneof(inserts, inserts, sizes), { maxLength: 20 })], (steps) => {
    const [table, model] = [new HpackTable(4_096), new Model(4_096)];
    for (const step of steps) {
      if ("most" in step) [table, model].forEach((one) => one.resize(step.most));
      else step.some.forEach((field) => [table, model].forEach((one) => one.insert(field)));
      assertSame(table, model);
      longest = Math.max(longest, table.length);
    }
  }, { seed: 53, numRuns: 500 });
  assert.ok(longest > 64, `at most ${longest} entries`);
});

function assertSame(table: HpackTable, { entries, bytes }: Model): void {
  assert.deepEqual([table.length, table.bytes], [entries.length, bytes]);
  for (const [age, entry] of entries.entries()) {
    assert.equal(table.at(FIRST_DYNAMIC + age), entry);
    assertFirst(table, entry, entries);
  }
  assert.equal(table.at(FIRST_DYNAMIC + entries.length), undefined);
  assert.equal(table.at(0), undefined);
}

/** An entry is found at the lowest index that has it. */
function assertFirst(table: HpackTable, { name, value }: Field, entries: readonly Field[]): void {
  const index = table.indexOf({ name, value });
  assert.deepEqual(table.at(index), { name, value });
  const age = entries.findIndex((entry) => entry.name === name && entry.value === value);
  assert.ok(index < FIRST_DYNAMIC || index === FIRST_DYNAMIC + age);
  const ofName = table.indexOfName(name);
  assert.equal(table.at(ofName)?.name, name);
  assert.ok(ofName <= index);
}

Deno.test("each name of the static table is found at its first index, and each field at its own", () => {
  const table = new HpackTable(0);
  for (let index = 1; index < FIRST_DYNAMIC; index++) {
    const field = table.at(index);
    assert.ok(field !== undefined);
    assert.equal(table.indexOf(field), index);
    assert.equal(table.at(table.indexOfName(field.name))?.name, field.name);
    assert.ok(table.at(table.indexOfName(field.name) - 1)?.name !== field.name);
  }
  assert.equal(table.indexOf({ name: ":method", value: "PUT" }), 0);
  assert.equal(table.indexOfName("x-own"), 0);
});
