import assert from "node:assert/strict";
import {
  cellsIn,
  type ExperimentNames,
  isValue,
  namesInCells,
  parseSelector,
  type SelectableCell,
  selectionOf,
} from "../../base/figures/selector.ts";

const cells: SelectableCell[] = ["fastify", "express"].flatMap((target) =>
  ["static", "fib"].flatMap((scenario) =>
    [50, 200].flatMap((connections) =>
      ["100ms", "1s"].map((delay) => ({
        target,
        scenario,
        parameters: { connections, "set.delay": delay },
      }))
    )
  )
);

function found(text: string, names: ExperimentNames = namesInCells(cells)): string[] {
  const selector = parseSelector(text);
  assert.ok("value" in selector, JSON.stringify(selector));
  const selection = selectionOf(selector.value, names);
  if ("problem" in selection) return [selection.problem];
  return cellsIn(selection.value, cells).map(({ target, scenario, parameters }) =>
    [target, scenario, ...Object.values(parameters)].join(" ")
  );
}

const counts: [text: string, count: number, sentence: string][] = [
  ["", 16, "nothing named: every cell"],
  ["fastify", 8, "a target"],
  ["static", 8, "a scenario"],
  ["fastify, static", 4, "both"],
  ["static,fastify", 4, "in any order, with or without spaces"],
  ["target=fastify, scenario = static", 4, "by what they are"],
  ["connections=50", 8, "a factor"],
  ["set.delay=100ms", 8, "a factor by its path"],
  ["delay=100ms", 8, "a factor by the last part of its path"],
  ["delay=0.1s, fib", 4, "a value that is written in another unit"],
  ['delay="100ms"', 8, "a value in quotes"],
  ["fastify, static, connections=200, delay=1s", 1, "one cell"],
  ["connections=51", 0, "a value that no cell has"],
];

for (const [text, count, sentence] of counts) {
  Deno.test(`selector "${text}": ${sentence}`, () => {
    assert.equal(found(text).length, count);
  });
}

const strange: [text: string, problem: RegExp][] = [
  ["fastfy", /^Cannot find the target or scenario "fastfy": did you mean "fastify"\?$/],
  [
    "hapi",
    /^Cannot find the target or scenario "hapi": the targets are fastify, express, the scenarios are static, fib; to select by a factor, write connections=VALUE or delay=VALUE$/,
  ],
  ["target=static", /^Cannot find the target "static": the targets are fastify, express$/],
  ["scenario=statik", /^Cannot find the scenario "statik": did you mean "static"\?$/],
  ["conections=50", /^Cannot find the factor "conections": did you mean "connections"\?$/],
  ["dely=1s", /^Cannot find the factor "dely": did you mean "delay"\?$/],
  ["zebra=1", /^Cannot find the factor "zebra": the factors are connections, set\.delay$/],
  ["fastify, express", /^Cannot select a target twice: fastify and express$/],
  ["delay=1s, set.delay=100ms", /^Cannot select factor set\.delay twice: 1s and 100ms$/],
];

for (const [text, problem] of strange) {
  Deno.test(`selector "${text}" means nothing`, () => {
    assert.match(found(text)[0], problem);
  });
}

Deno.test("a name of both a target and a scenario must be told apart", () => {
  const names = { targets: ["static", "fastify"], scenarios: ["static", "fib"], factors: [] };
  assert.deepEqual(found("static", names), [
    'Cannot use "static": it names both a target and a scenario; write target=static or scenario=static',
  ]);
  assert.equal(found("scenario=static", names).length, 8);
});

Deno.test("a part of a path that ends two of them is told apart by the paths", () => {
  const names = { targets: [], scenarios: [], factors: ["set.delay", "env.delay"] };
  assert.deepEqual(found("delay=1s", names), [
    'Cannot use "delay": it names several factors; write set.delay or env.delay',
  ]);
});

Deno.test("what has one value can be named like a factor, and what varies comes before it", () => {
  const constants = { "env.delay": "1s", timeout: "5000ms" };
  const [one, ...more] = cells.map((cell) => ({ ...cell, constants }));
  const others = Object.keys(constants);
  const count = (text: string): number | string => {
    const selector = parseSelector(text);
    assert.ok("value" in selector);
    const names = { targets: [], scenarios: [], factors: ["connections", "set.delay"], others };
    const selection = selectionOf(selector.value, names);
    return "problem" in selection
      ? selection.problem
      : cellsIn(selection.value, [one, ...more]).length;
  };
  assert.deepEqual(
    ["timeout=5s", "timeout=6s", "delay=1s", "env.delay=1s, connections=50"].map(count),
    [16, 0, 8, 8],
  );
  assert.match(`${count("timeuot=5s")}`, /did you mean "timeout"\?$/);
});

Deno.test("a target without a cell can be named where it is known, and has no cells", () => {
  const names = { targets: ["fastify", "hapi"], scenarios: ["static"], factors: [] };
  assert.deepEqual(found("hapi", names), []);
});

Deno.test("before the factors are known, any may be named", () => {
  const selector = parseSelector("fastify, anything=1");
  assert.ok("value" in selector);
  const names = { targets: ["fastify"], scenarios: [], factors: null };
  assert.deepEqual(selectionOf(selector.value, names), {
    value: {
      text: "fastify, anything=1",
      target: "fastify",
      scenario: null,
      factors: { anything: "1" },
    },
  });
});

for (const text of ["a,,b", ",a", "a,", "=50", "connections=", "a, =1"]) {
  Deno.test(`selector "${text}" cannot be read`, () => {
    const read = parseSelector(text);
    assert.ok("problem" in read);
    assert.match(
      read.problem,
      /as a selector: write names of targets or scenarios, and factor=value, with commas/,
    );
  });
}

Deno.test("a comma within quotes is part of a value", () => {
  assert.deepEqual(parseSelector('a="1, 2",  b'), {
    value: { text: 'a="1, 2", b', parts: [{ key: "a", value: "1, 2" }, { key: null, value: "b" }] },
  });
});

const values: [written: string, value: unknown, is: boolean][] = [
  ["50", 50, true],
  ["50", "50", true],
  ["50.0", 50, true],
  ["50", 500, false],
  ["100ms", "100ms", true],
  ["0.1s", "100ms", true],
  ["100", "100ms", false],
  ["1000/s", "1000/s", true],
  ["60000/m", "1000/s", true],
  ["true", true, true],
  ["on", "on", true],
  ["on", "off", false],
  ["", 0, false],
  ["0", "", false],
  ["[1,2]", [1, 2], true],
];

for (const [written, value, is] of values) {
  Deno.test(`${written || "nothing"} is ${is ? "" : "not "}${JSON.stringify(value)}`, () => {
    assert.equal(isValue(written, value), is);
  });
}
