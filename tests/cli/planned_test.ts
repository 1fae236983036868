import assert from "node:assert/strict";
import { planFromFile } from "../../cli/planned.ts";
import { UserError } from "../../scenarios/errors.ts";
import { durationMsOf } from "../../scenarios/plan.ts";

const CHANGES = { only: undefined, repeat: 1, duration: 2_000, seed: 1 };

/** How long the runs last that are planned with `--duration 2s`. */
async function planned(load: string, more = ""): Promise<(number | null)[]> {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  const text =
    `name: a\ntargets: { a: { app: api } }\nscenarios: { s: { get: / } }\nload: ${load}\n${more}`;
  try {
    await Deno.writeTextFile(file, text);
    const { plan } = await planFromFile(file, CHANGES);
    return plan.cells.map(({ load }) => durationMsOf(load));
  } finally {
    await Deno.remove(file);
  }
}

const loads: [sentence: string, load: string][] = [
  ["a closed loop", "{ duration: 1m }"],
  ["a closed loop that would end by count", "{ requests: 5 }"],
  ["several durations, once", "{ duration: [1m, 2m] }"],
  ["a rate", "{ rate: 1/s }"],
];

for (const [sentence, load] of loads) {
  Deno.test(`--duration stands in for that of ${sentence}`, async () => {
    assert.deepEqual(await planned(load), [2_000]);
  });
}

Deno.test("--duration is refused for phases, as each has its own", async () => {
  await assert.rejects(planned("{ phases: [{ duration: 1s, arrivals: 1/s }] }"), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /^--duration: Cannot set one duration .*phases/);
    return true;
  });
});

Deno.test("--duration is refused when the start that is discarded would be all", async () => {
  assert.deepEqual(await planned("{ duration: 9s }", "discard: 1s\n"), [2_000]);
  await assert.rejects(planned("{ duration: 9s }", "discard: 2s\n"), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /^--duration: Cannot leave out 2s of runs of 2s/);
    return true;
  });
});
