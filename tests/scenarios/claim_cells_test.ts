/** The cells of a claim: several words of a kind mean any of them. */
import assert from "node:assert/strict";
import {
  type CellChoice,
  choiceOf,
  chosenCells,
  differIn,
  factorsOf,
} from "../../base/figures/cells.ts";
import { namesInCells, parseSelector, type SelectableCell } from "../../base/figures/selector.ts";

const cells: SelectableCell[] = ["fastify", "express", "gin"].flatMap((target) =>
  ["static", "fib"].flatMap((scenario) =>
    [50, 200].map((connections) => ({ target, scenario, parameters: { connections } }))
  )
);

function choice(text: string): CellChoice {
  const selector = parseSelector(text);
  assert.ok("value" in selector);
  const chosen = choiceOf(selector.value, namesInCells(cells));
  assert.ok("value" in chosen, JSON.stringify(chosen));
  return chosen.value;
}

const counts: [text: string, count: number, sentence: string][] = [
  ["", 12, "nothing named: every cell"],
  ["fastify", 4, "a target"],
  ["fastify, gin", 8, "two targets"],
  ["fastify, static, gin", 4, "two targets in a scenario, in any order"],
  ["fastify, gin, static, fib", 8, "two targets in two scenarios"],
  ["connections=50, connections=200, gin", 4, "two values of a factor"],
  ["gin, target=gin", 4, "a target named twice"],
  ["connections=51, connections=50", 6, "a value that no cell has, and one that some have"],
];

for (const [text, count, sentence] of counts) {
  Deno.test(`cells of a claim "${text}": ${sentence}`, () => {
    assert.equal(chosenCells(choice(text), cells).length, count);
  });
}

Deno.test("a word that means nothing is told of, wherever it stands", () => {
  const selector = parseSelector("fastify, express, fastfy");
  assert.ok("value" in selector);
  assert.deepEqual(choiceOf(selector.value, namesInCells(cells)), {
    problem: 'Cannot find the target or scenario "fastfy": did you mean "fastify"?',
  });
});

Deno.test("sides differ in what they name otherwise, whatever the order", () => {
  const [one, other] = [choice("gin, static, fib"), choice("fib, static, connections=50")];
  assert.equal(differIn("a target", one, other), true);
  assert.equal(differIn("a scenario", one, other), false);
  assert.equal(differIn("connections", one, other), true);
  assert.deepEqual([factorsOf(one), factorsOf(other)], [[], ["connections"]]);
});
