import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import { concluded, doubted } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { randomFrom } from "./intervals.ts";
import { setRate } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";

/** Experiments with several scenarios and a factor, drawn: some targets alike, some wrong, some runs doubted. */
function drawn(seed: number): Results {
  const random = randomFrom(seed);
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const some = <T>(items: readonly T[]): T => items[upTo(items.length) - 1];
  const settings = some([
    [{}],
    [{ connections: 10 }, { connections: 50 }, { connections: 200 }],
    [{ "cluster.policy": "round-robin" }, { "cluster.policy": "least-connections" }],
  ]);
  const targets = ["nestjs-express", "nestjs-fastify", "feathers", "gin"].slice(0, upTo(4));
  const scenarios = ["static", "validation", "redis-read"].slice(0, upTo(3));
  const [runs, noise] = [some([1, 2, 4]), some([0.002, 0.2])];
  const cells = scenarios.flatMap((scenario) =>
    targets.flatMap((target) =>
      settings.map((parameters): CellSpec => ({
        target,
        scenario,
        parameters,
        medianMs: 40,
        duration: 1,
        runs,
        wrongRatio: random() < 0.1 ? 0.3 : 0,
      }))
    )
  );
  const results = resultsFixture({ cells, seed });
  const cellOf = ({ target, scenario, parameters }: Results["runs"][number]): string =>
    JSON.stringify([target, scenario, parameters]);
  for (const runs of Map.groupBy(results.runs, cellOf).values()) {
    const rate = 3_000 * some([1, 1, 0.7, 1.9]);
    for (const run of runs) setRate(run, rate * (1 + noise * random()));
  }
  return doubted(results, () => random() < 0.05);
}

Deno.test("conclusion: no sentence of drawn experiments has more than 25 words", () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 24; seed++) {
    const { sentence, next, reliability } = concluded(drawn(seed));
    kinds.add(sentence.replaceAll(/[\d.,]+/g, "N"));
    for (const text of [sentence, reliability?.sentence ?? "", ...next.map(({ text }) => text)]) {
      assertReadable(plain(text));
    }
  }
  assert.ok(kinds.size > 12, `${kinds.size} kinds of sentences`);
});
