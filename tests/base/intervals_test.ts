import assert from "node:assert/strict";
import fc from "fast-check";
import { JoinedSeries } from "../../base/intervals.ts";
import { forAll } from "../for_all.ts";

Deno.test("a joined series holds everything in its order, in at most as many entries, of one width but the last", () => {
  forAll([fc.nat(300), fc.integer({ min: 1, max: 9 })], (length, most) => {
    const series = new JoinedSeries<number[]>(most, (one, next) => [...one, ...next]);
    const all = Array.from({ length }, (_, at) => at);
    for (const each of all) series.add([each]);
    const { entries } = series;
    assert.deepEqual(entries.flat(), all);
    assert.ok(entries.length <= most);
    const [width] = entries.map((entry) => entry.length);
    if (entries.length === 0) return;
    assert.ok(entries.slice(0, -1).every((entry) => entry.length === width));
    assert.ok((entries.at(-1) ?? []).length <= width);
    assert.ok(entries.length === 1 || Number.isInteger(Math.log2(width)));
  }, { seed: 15 });
});
