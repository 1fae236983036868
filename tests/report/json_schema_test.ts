/** The JSON that we write against the JSON Schemas that we publish, as a validator of others judges. */
import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { plateau } from "../e2e/plateau.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { fleetMeasurement } from "./fleet.ts";
import { hostileResults } from "./hostile.ts";

async function validatorOf(shape: "results" | "bench"): Promise<Validator> {
  const { code, stdout } = await plateau(["schema", shape]);
  assert.equal(code, 0);
  const schema = JSON.parse(stdout);
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  return new Validator(schema, "2020-12");
}

/** What is wrong, each at its place. */
function faultsOf(validator: Validator, data: unknown): string[] {
  const { valid, errors } = validator.validate(JSON.parse(JSON.stringify(data)));
  assert.equal(valid, errors.length === 0);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

const [results, bench] = await Promise.all([validatorOf("results"), validatorOf("bench")]);

Deno.test("results keep to the JSON Schema of results", () => {
  const whole = resultsFixture({
    title: "What is faster?",
    cells: [
      { target: "a", scenario: "s", medianMs: 5, runs: 2, warmUp: 4, timeoutRatio: 0.01 },
      { target: "b", scenario: "s", medianMs: 5, watched: false, parameters: { n: [1, "x"] } },
      {
        target: "c",
        scenario: "s",
        medianMs: 5,
        parts: [{ role: "redis", name: "redis", cores: 0.1 }],
      },
    ],
    missing: [{
      target: "d",
      scenario: "s",
      parameters: {},
      repetition: 1,
      kind: "failed",
      reason: "it did not start",
      evidence: ["its last words"],
    }],
  });
  assert.deepEqual(faultsOf(results, whole), []);
  assert.deepEqual(faultsOf(results, hostileResults()), []);
});

Deno.test("a measurement keeps to the JSON Schema of bench", () => {
  const measurement = measurementFixture({ target: "", scenario: "s", medianMs: 5 });
  assert.deepEqual(faultsOf(bench, measurement), []);
});

const WRONG: [sentence: string, change: object][] = [
  ["a field that nobody knows", { more: 1 }],
  ["a rate below 0", { rate: -1 }],
  ["a text for a number", { elapsedS: "1" }],
  ["another driver", { driver: "uring" }],
  ["a count that is not whole", { reconnects: 0.5 }],
  ["another version of the form", { schema: "plateau.bench/1" }],
];

for (const [sentence, change] of WRONG) {
  Deno.test(`the JSON Schema of bench refuses ${sentence}`, () => {
    const measurement = measurementFixture({ target: "", scenario: "s", medianMs: 5 });
    assert.notDeepEqual(faultsOf(bench, { ...measurement, ...change }), []);
  });
}

Deno.test("a measurement of a fleet keeps to the JSON Schema of bench, and an agent that does not is told", () => {
  const whole = fleetMeasurement({ agents: [{ name: "a" }, { name: "b", lostAt: 1, late: null }] });
  assert.deepEqual(faultsOf(bench, whole), []);
  const agents = whole.agents?.map((agent) => ({ ...agent, trust: "perhaps" }));
  assert.match(faultsOf(bench, { ...whole, agents }).join("\n"), /agents\/0\/trust/);
});
