/** Files that a program of version 1 of the schema wrote: they are read as files of version 2. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { parseMeasured } from "../../cli/results/reading.ts";
import { fromVersion1 } from "../../runner/result/version_1.ts";

const FOLDER = new URL("../results_v1/", import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

for (const name of names) {
  Deno.test(`${name} of version 1 is read as one of version 2`, () => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    const read = parseMeasured(text, name);
    assert.match(read.schema, /^plateau\.(bench|results)\/2$/);
    const before = JSON.parse(text);
    assert.deepEqual(numbersIn(read), numbersIn(before));
    assert.deepEqual(findingsIn(read).length, findingsIn(before).length);
  });
}

Deno.test("a file of version 2 passes the converter unchanged", () => {
  const text = readFileSync(new URL("bench_closed.json", FOLDER), "utf8");
  const read = parseMeasured(text, "bench_closed.json");
  assert.deepEqual(fromVersion1(read), read);
});

Deno.test("an old key beside its new name is refused", () => {
  const text = readFileSync(new URL("bench_closed.json", FOLDER), "utf8");
  const mixed = JSON.stringify({ ...JSON.parse(text), elapsedS: 1 });
  assert.throws(() => parseMeasured(mixed, "mixed.json"));
});

/** Every number of a file but those that findings repeat: the converter changes names alone. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => key === "findings" ? [] : numbersIn(held))
    .toSorted((a, b) => a - b);
}

/** Of every generator and agent: objects in version 2, sentences in version 1. */
function findingsIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) =>
    Array.isArray(held) && (key === "findings" || key === "reasons") ? held : findingsIn(held)
  );
}
