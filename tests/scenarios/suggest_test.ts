import assert from "node:assert/strict";
import { closest } from "../../base/suggest.ts";

const KNOWN = ["title", "targets", "scenarios", "load", "name", "set"];

const words: [sentence: string, word: string, meant: string | null][] = [
  ["a letter missing", "tile", "title"],
  ["a letter too many", "sett", "set"],
  ["two letters swapped", "titel", "title"],
  ["another case", "Load", "load"],
  ["a plural", "names", "name"],
  ["half of the letters different", "base", null],
  ["nothing in common", "zebra", null],
  ["no letter at all", "", null],
];

for (const [sentence, word, meant] of words) {
  Deno.test(`a word with ${sentence} ${meant === null ? "means nothing" : `means ${meant}`}`, () => {
    assert.equal(closest(word, KNOWN), meant);
  });
}

Deno.test("nothing is meant where nothing is known", () => assert.equal(closest("a", []), null));
