/** Parameters of an experiment file: what is put in where, and what people get wrong. */
import assert from "node:assert/strict";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { wrongLines } from "./right_experiment.ts";

/** Lines 1 to 4 of a file are its parameters, 5 to 8 what they change. */
const FILE = `name: changed
parameters:
  scale: { small: {}, paper: { repeat: 10, load: { duration: 1m } } }
  delay: 100ms
targets: { slow: { app: user, set: { delay: "\${delay}" } } }
scenarios: { user: { get: "/user?\${delay}" } }
load: { duration: 1s }
repeat: 3
`;

function read(set: Record<string, string> = {}, text = FILE): Experiment {
  return parseExperiment(text, "x.yaml", { set });
}

Deno.test("without --set the first choice and the values of the file hold", () => {
  const { repeat, load, targets, scenarios, parameters } = read();
  assert.deepEqual({ repeat, load, targets, parameters }, {
    repeat: 3,
    load: {
      connections: [50],
      pipeline: [1],
      timeout: [5_000],
      keepAlive: [true],
      duration: [1_000],
    },
    targets: { slow: { app: "user", set: { delay: "100ms" } } },
    parameters: { scale: "small", delay: "100ms" },
  });
  assert.equal("get" in scenarios.user && scenarios.user.get, "/user?100ms");
});

Deno.test("a choice is laid over the file, and a value stands wherever it is named", () => {
  const { repeat, load, targets, scenarios, parameters } = read({ scale: "paper", delay: "5ms" });
  assert.equal(repeat, 10);
  assert.ok("duration" in load);
  assert.deepEqual(load.duration, [60_000]);
  assert.deepEqual(targets.slow, { app: "user", set: { delay: "5ms" } });
  assert.equal("get" in scenarios.user && scenarios.user.get, "/user?5ms");
  assert.deepEqual(parameters, { scale: "paper", delay: "5ms" });
});

Deno.test("a file without parameters has none in its results", () => {
  const text = FILE.replace(/^parameters:(\n {2}.*)*\n/m, "").replaceAll("${delay}", "1ms");
  assert.equal("parameters" in read({}, text), false);
});

/** The settings of a target, of which one is `written`, with the parameter `x` as given. */
function put(written: string, x: string, set: Record<string, string> = {}): unknown {
  const text = `name: a
parameters: { x: ${x}, y: 7 }
targets: { a: { command: [node, ${written}] } }
scenarios: { s: { get: / } }
load: { connections: "\${y}" }`;
  const { targets: { a } } = read(set, text);
  return "command" in a && a.command[1];
}

const texts: [sentence: string, written: string, x: string, is: string][] = [
  ["a text alone", '"${x}"', "abc", "abc"],
  ["a number within a text", '"--size=${x}"', "12", "--size=12"],
  ["a switch within a text", '"--on=${ x }"', "true", "--on=true"],
  ["two of them", '"${x}-${y}"', "0.50", "0.5-7"],
  ["a text that is no parameter", '"$${x}"', "abc", "${x}"],
  ["both", '"${x} $${HOME} $x"', "abc", "abc ${HOME} $x"],
  ["a text with no end", '"${x"', "abc", "${x"],
  ["what looks like a pattern of replacement", '"a ${x}"', "\$&", "a $&"],
];

for (const [sentence, written, x, is] of texts) {
  Deno.test(`a parameter is put in for ${sentence}`, () => assert.equal(put(written, x), is));
}

Deno.test("--set takes values as YAML has them", () => {
  const text = `name: a
parameters: { n: 1 }
targets: { a: { app: api } }
scenarios: { s: { get: / } }
load: { connections: "\${n}" }`;
  const connections = (n: string): unknown =>
    planCells(read({ n }, text)).map(({ load }) => load.connections);
  assert.deepEqual(connections("3"), [3]);
  assert.deepEqual(connections("[1, 20]"), [1, 20]);
  assert.deepEqual(read({ n: "[1, 20]" }, text).parameters, { n: [1, 20] });
});

Deno.test("a choice may be named as YAML would read it otherwise", () => {
  const text = `name: a
parameters: { size: { 1.0: {}, "off": { repeat: 9 } } }
targets: { a: { app: api } }
scenarios: { s: { get: / } }`;
  assert.deepEqual(read({ size: "1.0" }, text).parameters, { size: "1.0" });
  assert.equal(read({ size: "'off'" }, text).repeat, 9);
});

Deno.test("several choices are laid over the file in its order, each by RFC 7396", () => {
  const text = `name: a
parameters:
  first: { a: { repeat: 7, targets: { api: null, work: { app: work } } } }
  second: { b: { repeat: 8, load: { duration: null, requests: 5 } } }
  third: { c: }
targets: { api: { app: api } }
scenarios: { s: { get: / } }
load: { duration: 1s }`;
  const { repeat, targets, load } = read({}, text);
  assert.equal(repeat, 8);
  assert.deepEqual(targets, { work: { app: "work", set: {} } });
  assert.ok("requests" in load && load.duration === undefined);
  assert.deepEqual(load.requests, [5]);
});

const wrong: [
  sentence: string,
  from: string,
  to: string,
  set: Record<string, string>,
  lines: (string | RegExp)[],
][] = [
  ["a parameter that there is not", "", "", { dealy: "1ms" }, [
    '--set dealy: Cannot find the parameter "dealy" (did you mean "delay"?)',
  ]],
  ["one like no other", "", "", { zzzz: "1" }, [
    '--set zzzz: Cannot find the parameter "zzzz" (the parameters are scale, delay)',
  ]],
  ["a choice that there is not", "", "", { scale: "big" }, [
    '--set scale: Cannot choose "big" (the choices are small, paper)',
  ]],
  ["a value that is no YAML", "", "", { delay: "[1" }, [
    /^--set delay:1:3: Cannot read this as YAML/,
  ]],
  ["a value that is a map", "", "", { delay: "{ a: 1 }" }, [
    '--set delay: Cannot use {"a":1}: it must be text',
  ]],
  ["no value", "", "", { delay: "" }, ["--set delay: Cannot use null: it must be text"]],
  ["a value that does not fit, with where it is from", "", "", { delay: "soon" }, [
    /^x\.yaml:5:45: targets\.slow\.set\.delay: Cannot read "soon" as a duration.* \(\$\{delay\} is "soon", by --set delay\)$/,
  ]],
  ["a value of the file that does not fit", "100ms", "later", {}, [
    /^x\.yaml:5:45: targets\.slow\.set\.delay: Cannot read "later".* \(\$\{delay\} is "later"\)$/,
  ]],
  ["a list within a text", "", "", { delay: "[1ms, 2ms]" }, [
    "x.yaml:6:27: scenarios.user.get: Cannot put the list ${delay} into a longer text: give it a single value, or write nothing around ${delay}",
  ]],
  ["a name that is misspelt in the file", "?${delay}", "?${dealy}", {}, [
    'x.yaml:6:27: scenarios.user.get: Cannot fill in ${dealy}: did you mean "delay"?; for the text ${dealy} itself, write $${dealy}',
  ]],
  ["a choice that does not fit, where it was written", "repeat: 10", "repeat: many", {
    scale: "paper",
  }, [/^x\.yaml:3:40: parameters\.scale\.paper\.repeat: Cannot /]],
  ["a choice with a strange key, where it was written", "repeat: 10", "repaet: 10", {
    scale: "paper",
  }, [
    'x.yaml:3:32: parameters.scale.paper.repaet: Cannot understand "repaet": did you mean "repeat"?',
  ]],
  ["a choice that is not chosen not at all", "repeat: 10", "repaet: 10", {}, []],
  [
    "a choice that takes away what must be there",
    "repeat: 10",
    "targets: null",
    { scale: "paper" },
    ["x.yaml:3:41: parameters.scale.paper.targets: Cannot leave it out"],
  ],
  ["a choice that is no map", "small: {}", "small: 5", {}, [
    "x.yaml:3:19: parameters.scale.small: Cannot use 5: it must be a map of names to values",
  ]],
  ["a choice that sets what is no parameter", "repeat: 10", "parameters: { dealy: 1ms }", {}, [
    'x.yaml:3:46: parameters.scale.paper.parameters.dealy: Cannot find the value "dealy" to set: did you mean "delay"?',
  ]],
  ["a choice that chooses", "repeat: 10", "parameters: { scale: small }", {}, [
    'x.yaml:3:46: parameters.scale.paper.parameters.scale: Cannot find the value "scale" to set: the values are delay',
  ]],
  ["a choice that sets no value", "repeat: 10", "parameters: { delay: {} }", {}, [
    "x.yaml:3:46: parameters.scale.paper.parameters.delay: Cannot use {}: it must be text",
  ]],
  ["a parameter within another", "100ms", '"${scale}"', {}, [
    'x.yaml:4:10: parameters.delay: Cannot use "${scale}": a parameter can\'t hold another',
  ]],
  ["a name that is none", "delay: 100ms", "delay: 100ms\n  2nd: 1", {}, [
    /^x\.yaml:5:3: parameters\.2nd: Cannot use "2nd" as a name of a parameter: start with a letter/,
  ]],
  ["everything at once", "repeat: 3", "repaet: 3", { dealy: "1", delay: "soon", scale: "big" }, [
    /^--set dealy: /,
    /^--set scale: /,
    /^x\.yaml:5:45: targets\.slow\.set\.delay: Cannot read "soon"/,
    /^x\.yaml:8:1: repaet: /,
  ]],
];

for (const [sentence, from, to, set, lines] of wrong) {
  Deno.test(`parameters: people are told of ${sentence}`, () => {
    const told = wrongLines(FILE.replace(from, to), undefined, set);
    assert.equal(told.length, lines.length, told.join("\n"));
    for (const [at, line] of lines.entries()) {
      if (typeof line === "string") assert.equal(told[at], line);
      else assert.match(told[at], line);
    }
  });
}

Deno.test("a file without parameters says so of ${name}, and of --set", () => {
  const text = `name: a
targets: { a: { command: [sh, -c, "echo \${HOME}"] } }
scenarios: { s: { get: / } }`;
  assert.deepEqual(wrongLines(text, undefined, { a: "1" }), [
    '--set a: Cannot find the parameter "a" (the file has no parameters)',
    "x.yaml:2:35: targets.a.command.2: Cannot fill in ${HOME}: the file has no parameters; for the text ${HOME} itself, write $${HOME}",
  ]);
});

Deno.test("a built-in experiment that has no parameter refuses --set", async () => {
  await assert.rejects(loadExperiment("quick", { delay: "1" }), /the file has no parameters/);
});

/** A file with a parameter `a`. */
function withParameter(a: string, scenarios: string, more = ""): string {
  return `name: a\nparameters: { a: ${a} }\ntargets: { a: { app: api } }\nscenarios: ${scenarios}\n${more}`;
}

Deno.test("what parameters and aliases multiply is counted before a text is made of it", () => {
  const tooLong = "Cannot fill in this text: " +
    "an experiment with its parameters filled in has more than 16,000,000 characters, the limit";
  const long = "é".repeat(400_000);
  const body = (count: number): string => `{ s: { post: /, body: "${"${a}".repeat(count)}" } }`;
  assert.deepEqual(wrongLines(withParameter(long, body(39))), []);
  for (const count of [40, 100_000]) {
    assert.deepEqual(wrongLines(withParameter(long, body(count))), [
      `x.yaml:4:34: scenarios.s.body: ${tooLong}`,
    ]);
  }
  const aliases = Array.from({ length: 41 }, (_, at) => `s${at}: { post: /, body: *b }`).join(", ");
  const first = `{ s: { post: /, body: &b ${long} }, ${aliases} }`;
  assert.deepEqual(
    wrongLines(withParameter("1", first)).map((line) => line.replace(/^x\.yaml:[\d:]+/, "")),
    [38, 39, 40].map((at) => ` scenarios.s${at}.body: ${tooLong}`),
  );
  const list = `[${Array(4_000).fill(`"${"é".repeat(97)}"`).join(", ")}]`;
  const lists = Array.from(
    { length: 50 },
    (_, at) => `s${at}: { get: "/{{ v }}", values: { v: { pick: "\${a}" } } }`,
  );
  const [line] = wrongLines(withParameter(list, `{ ${lists.join(", ")} }`));
  assert.match(line, /scenarios\.s39\.values\.v\.pick: Cannot fill in this text/);
});

Deno.test("a long value in a message is cut, and named once", () => {
  const text = withParameter("x".repeat(900), "{ s: { get: / } }", 'load: { timeout: "${a}${a}" }');
  const [line] = wrongLines(text);
  assert.match(line, / \(\$\{a\} is "x{199}…\)$/);
});
