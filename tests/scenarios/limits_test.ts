import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beyond, checkLimit, isWithin, type LimitName, LIMITS, mostOf } from "../../base/limits.ts";
import { UserError } from "../../base/errors.ts";
import { thrown } from "../thrown.ts";

const NAMES = Object.keys(LIMITS) as LimitName[];

Deno.test("docs/limits.md lists every limit as it is", () => {
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const expected = NAMES.map((name) => [
    `\`${name}\``,
    LIMITS[name].what,
    (LIMITS[name].unit as string) === "bytes"
      ? mostOf(name)
      : `${mostOf(name)} ${LIMITS[name].unit}`,
  ]);
  assert.deepEqual(rows, expected);
});

Deno.test("what is at the limit is taken, what is one beyond is not", () => {
  for (const name of NAMES) {
    assert.ok(isWithin(name, LIMITS[name].most));
    assert.ok(!isWithin(name, LIMITS[name].most + 1));
  }
});

Deno.test("the error says what it is, how much it has and what the most is", () => {
  assert.equal(
    beyond("rows", 120_000),
    "a table of values has 120,000 rows; the limit is 100,000",
  );
  const error = thrown(
    UserError,
    () => checkLimit("experimentFile", 3_700_000_000, "a.yaml", "read it"),
  );
  assert.equal(
    error.message,
    "a.yaml: Cannot read it: an experiment file is 3.7 GB; the limit is 1 MB",
  );
});
