/** `plateau compare`, by its exit codes and forms. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { measurementFixture } from "../report/fixture.ts";
import { around } from "../report/rates.ts";
import { emptyFolder, plateau } from "./plateau.ts";
import { written } from "./written_results.ts";

const ENDS: [code: number, sentence: string, next: readonly number[], says: RegExp][] = [
  [1, "a rate is worse", around(900, 0.001), /1,000 → 901 requests\/s, .*: worse/],
  [
    5,
    "it can't be told",
    [700, 1_400, 1_000, 900, 1_100],
    /: inconclusive: too few runs; only a change of \d+ %/,
  ],
];

for (const [code, sentence, next, says] of ENDS) {
  Deno.test(`compare exits with ${code} when ${sentence}`, async () => {
    using folder = emptyFolder();
    const base = written(folder.path, "base", { api: around(1_000) });
    const ended = await plateau(["compare", base, written(folder.path, "next", { api: next })]);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stdout, /^static, api\n {2}1,000 → \d+.* requests\/s, \d\.\d+× \[.*\]: /m);
    assert.match(ended.stdout, says);
  });
}

Deno.test("compare exits with 0 when everything is equivalent within the margin", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { api: around(1_000) });
  const next = written(folder.path, "next", { api: around(1_000, 0.0005) });
  const ended = await plateau(["compare", base, join(next, "results.json"), "--margin", "30%"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.match(ended.stdout, /requests\/s, .*: equivalent within 30 %/);
});

Deno.test("compare --json - prints nothing but the comparison, two measurements of bench included", async () => {
  using folder = emptyFolder();
  const [base, next] = [2, 4].map((medianMs) => {
    const path = join(folder.path, `${medianMs}.json`);
    const measurement = measurementFixture({ target: "a", scenario: "static", medianMs });
    Deno.writeTextFileSync(path, JSON.stringify(measurement));
    return path;
  });
  const { code, stdout, stderr } = await plateau(["compare", base, next, "--json", "-"]);
  assert.equal(code, 5, stderr);
  const { schema, outcome, cells: [{ runs, figures }] } = JSON.parse(stdout);
  assert.deepEqual([schema, outcome, runs], [
    "plateau.comparison/1",
    "inconclusive",
    { base: 1, next: 1 },
  ]);
  assert.ok(figures.rate.ratio < 0.6 && figures.rate.low === null);
});

Deno.test("compare tells everything that is wrong with its files and flags at once", async () => {
  using folder = emptyFolder();
  const other = join(folder.path, "other.json");
  Deno.writeTextFileSync(other, "{}");
  const missing = join(folder.path, "missing.json");
  const files = await plateau(["compare", other, missing]);
  assert.equal(files.code, 2);
  assert.match(files.stderr, /other\.json: Cannot read this as results/);
  assert.match(files.stderr, /missing\.json: Cannot read this as results/);
  const flags = await plateau(["compare", other, "--margin", "2", "--threshold", "p98 < 1ms"]);
  assert.equal(flags.code, 2);
  assert.match(flags.stderr, /NEW: Cannot compare without two results/);
  assert.match(flags.stderr, /--margin: Cannot read "2" as a margin: write 2%/);
  assert.match(flags.stderr, /--threshold: Cannot find the figure "p98"/);
});

Deno.test("compare refuses results that have no cell in common", async () => {
  using folder = emptyFolder();
  const base = written(folder.path, "base", { a: [1_000, 1_010], b: [1_000, 1_010] });
  const next = written(folder.path, "next", { c: [1_000, 1_010], d: [1_000, 1_010] });
  const { code, stderr } = await plateau(["compare", base, next]);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /no cell in common \(BASE has static, a; static, b; NEW has static, c; static, d\)/,
  );
});
