import fc from "fast-check";
import assert from "node:assert/strict";
import { chartsWithLists, parseCharts } from "../../report/writing/json.ts";

/** As a page gets it: through JSON. */
function back(charts: unknown): unknown {
  return parseCharts(JSON.stringify(chartsWithLists(charts)));
}

const figure = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: -9_999, max: 9_999 }).map((value) => Number(`${value}e-3`)),
);
/** With stretches of one step, of one number and of none. */
const stretches = fc.array(
  fc.tuple(figure, fc.integer({ min: 1, max: 200 }), fc.constantFrom(0, 0.25)),
  { maxLength: 4 },
).map((parts) =>
  parts.flatMap(([from, length, step]) =>
    Array.from({ length }, (_, i) => from === null ? null : from + i * step)
  )
);
const row = fc.record({
  label: fc.string(),
  x: figure,
  points: fc.array(figure, { maxLength: 12 }),
}, { noNullPrototype: true });

Deno.test("charts come back from their short lists as they were", () => {
  fc.assert(
    fc.property(
      fc.record({
        numbers: fc.array(figure, { maxLength: 40 }),
        stretches,
        rows: fc.array(row, { maxLength: 12 }),
        words: fc.array(fc.constantFrom("valid", "suspect", "", 0.1 + 0.2, -0.7e-12, true, null)),
        others: fc.array(fc.oneof(figure, row, fc.string()), { maxLength: 12 }),
      }, { noNullPrototype: true }),
      (charts) => assert.deepEqual(back(charts), charts),
    ),
    { numRuns: 500 },
  );
});

Deno.test("numbers of four digits in steps take two signs or one, and equal rows no key twice", () => {
  const rates = Array.from({ length: 40 }, (_, i) => 1_200 + 100 * (i % 7));
  assert.ok(JSON.stringify(chartsWithLists(rates)).length < 2 * 40 + 12);
  const rows = rates.map((value) => ({ repetition: 1, value }));
  const json = JSON.stringify(chartsWithLists(rows));
  assert.equal(json.split("repetition").length, 2);
  assert.deepEqual(back(rows), rows);
});

Deno.test("a row that leaves a key out has none when it comes back", () => {
  const rows = Array.from(
    { length: 8 },
    (_, i) => i === 3 ? { a: 1, b: undefined } : { a: 1, b: 2 },
  );
  assert.deepEqual(back(rows), rows.map(({ a, b }) => b === undefined ? { a } : { a, b }));
});

Deno.test("a word, or a long fraction, that comes again takes two signs", () => {
  const thirds = Array.from({ length: 60 }, (_, i) => (1 + i % 4) / 3);
  assert.ok(JSON.stringify(chartsWithLists(thirds)).length < 2 * 60 + 4 * 20);
  const words = thirds.map((value) => value > 1 ? "suspect" : "valid");
  assert.ok(JSON.stringify(chartsWithLists(words)).length < 2 * 60 + 40);
  assert.deepEqual(back({ thirds, words }), { thirds, words });
});
