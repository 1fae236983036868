/** How the tests are run: every file once, and what is counted of it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PAIRS, roundsOf } from "./rounds.ts";
import { readSummary, readTimes, sumOf } from "./tally.ts";

const at = (name: string): string => join(import.meta.dirname ?? "", name);

Deno.test("every file that runs beside another is there, and in one list", () => {
  const names = PAIRS.flat();
  assert.deepEqual(names.filter((name) => !existsSync(at(name))), []);
  assert.equal(new Set(names).size, names.length);
});

Deno.test("each file runs in one round: shared, in pairs, or alone", () => {
  const files = ["http/a_test.ts", "e2e/new_test.ts", "e2e/run_test.ts", "faults/hearsay_test.ts"];
  assert.deepEqual(roundsOf(files.map(at)), [
    { how: "shared", files: [at("http/a_test.ts")] },
    { how: "alone", files: [at("e2e/new_test.ts")] },
    { how: "pairs", files: [at("faults/hearsay_test.ts")] },
    { how: "pairs", files: [at("e2e/run_test.ts")] },
  ]);
});

const OUTPUT = `running 2 tests from ./tests/e2e/a_test.ts
one ... \x1b[0m\x1b[32mok\x1b[0m \x1b[0m\x1b[38;5;245m(1m2s)\x1b[0m
two ... FAILED (500ms)
  a step of it ... ok (400ms)
./tests/http/b_test.ts => three ... a step ... ok (5ms)
./tests/http/b_test.ts => three ... ok (20ms)

FAILED | 2 passed | 1 failed | 3 ignored (1m3s)
`;

Deno.test("the last summary counts, and a test run without any has failed", () => {
  const counts = { passed: 2, failed: 1, skipped: 3 };
  assert.deepEqual(readSummary(OUTPUT), counts);
  const none = readSummary("error: Module not found");
  assert.deepEqual(none, { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(sumOf([counts, none]), { passed: 2, failed: 2, skipped: 3 });
});

Deno.test("the time of a file is that of its tests, alone or beside others", () => {
  assert.deepEqual([...readTimes(OUTPUT)], [
    ["./tests/e2e/a_test.ts", 62.5],
    ["./tests/http/b_test.ts", 0.02],
  ]);
});
