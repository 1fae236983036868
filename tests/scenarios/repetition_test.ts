import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { type Repeat, repeatText } from "../../scenarios/plan/repetition.ts";
import { thrown } from "../thrown.ts";

const REST = `name: small
targets: { api: { app: api } }
scenarios: { static: { get: /static } }
`;

const written: [text: string, repeat: Repeat][] = [
  ["5", 5],
  ["until 2%", { until: 0.02, atMost: null, budget: null }],
  ["'  until   0.5 % '", { until: 0.005, atMost: null, budget: null }],
  ["{ until: 2%, atMost: 28, budget: 10m }", { until: 0.02, atMost: 28, budget: 600_000 }],
  ["{ budget: 90s }", { until: null, atMost: null, budget: 90_000 }],
];

for (const [text, repeat] of written) {
  Deno.test(`repeat: ${text} is read as ${JSON.stringify(repeat)}`, () => {
    assert.deepEqual(parseExperiment(`${REST}repeat: ${text}\n`, "a.yaml").repeat, repeat);
  });
}

Deno.test("without repeat there are five repetitions, and nothing is discarded", () => {
  const { repeat, discard } = parseExperiment(REST, "a.yaml");
  assert.deepEqual({ repeat, discard }, { repeat: 5, discard: 0 });
});

const wrong: [text: string, says: RegExp][] = [
  ["repeat: 0", /Cannot use 0: the minimum is 1/],
  ["repeat: often", /Cannot read "often" as repetitions: write a whole number, or until 2%/],
  ["repeat: until 2", /Cannot read "2" as a width: write 2%/],
  ["repeat: until 0%", /Cannot read "0%" as a width: write a percentage above 0%, such as 2%/],
  ["repeat: { until: wide }", /Cannot read "wide" as a width: write a percentage above 0%/],
  [
    "repeat: { atMost: 10 }",
    /Cannot repeat without a rule that ends it: write until: 2%, or budget: 10m/,
  ],
  ["repeat: { until: 2%, atMost: 3 }", /Cannot use 3: the minimum is 5/],
  ["repeat: { until: 2%, atmost: 10 }", /Cannot understand "atmost": did you mean "atMost"\?/],
  ["repeat: { budget: 10 }", /Cannot read 10 as a duration: write 10s/],
  ["discard: 10s", /Cannot discard 10s of runs of 10s: nothing would be left/],
  ["discard: 2s\nload: { duration: [5s, 1s] }", /Cannot discard 2s of runs of 1s/],
  ["discard: 2s\nload: { requests: 100 }", /runs that end after a number of requests/],
  [
    "discard: 3s\nload: { phases: [{ duration: 1s, arrivals: 5/s }, { duration: 1s, arrivals: 9/s }] }",
    /Cannot discard 3s of runs of 2s/,
  ],
  // A load that is wrong is told of once, and has no length to hold against what is discarded.
  ["discard: 1s\nload: { phases: [{ duration: 5s }] }", /Cannot leave it out/],
  ["discard: 1s\nload: { duration: [long] }", /Cannot read "long" as a duration/],
  ["discard: 1s\nload: { duration: 5 }", /Cannot read 5 as a duration: write 5s/],
  ["figures: all", /Cannot use "all": the choices are whole, steady/],
  [
    "figures: steady\nload: { phases: [{ duration: 30s, arrivals: 5/s }] }",
    /Cannot take figures from the steady part of phases: their load itself changes/,
  ],
  [
    "figures: steady\nload: { stages: [{ duration: 30s, connections: 5 }] }",
    /Cannot take figures from the steady part of stages: their load itself changes/,
  ],
  [
    "discard: 3s\nload: { stages: [{ duration: 1s, connections: 5 }, { duration: 1s, connections: 9 }] }",
    /Cannot discard 3s of runs of 2s/,
  ],
  [
    "figures: steady\nload: { duration: 3s }",
    /Cannot find the steady part of runs of 3s: runs must have at least 20 intervals, which last 5s/,
  ],
  [
    "figures: steady\ninterval: 1s",
    /runs of 10s: runs must have at least 20 intervals, which last 20s/,
  ],
];

for (const [text, says] of wrong) {
  Deno.test(`${text} is refused with what to write`, () => {
    const error = thrown(UserError, () => parseExperiment(`${REST}${text}\n`, "a.yaml"));
    assert.equal(error.problems.length, 1, JSON.stringify(error.problems));
    const [{ message, fix }] = error.problems;
    assert.match(`${message} ${fix ?? ""}`, says);
  });
}

Deno.test("--repeat takes a number and until, as texts", () => {
  assert.equal(repeatText.parse("7"), 7);
  assert.deepEqual(repeatText.parse("until 3%"), { until: 0.03, atMost: null, budget: null });
  for (const text of ["0", "-1", "1.5", "until", "2%", ""]) {
    assert.equal(repeatText.safeParse(text).success, false, text);
  }
});
