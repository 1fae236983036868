/** What every card must be, whatever was measured: drawn experiments. */
import assert from "node:assert/strict";
import type { ConclusionModel } from "../../report/subjects/verdict/conclusion.ts";
import type { Results } from "../../runner/result/result.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { based, doubted, unsettled } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { randomFrom } from "./intervals.ts";
import { setRate } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";

/** Scenarios and a factor; some targets alike, some wrong, some never settled, some runs not valid. */
function drawn(seed: number): Results {
  const random = randomFrom(seed);
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const some = <T>(items: readonly T[]): T => items[upTo(items.length) - 1];
  const settings = some([
    [{}],
    [{ connections: 10 }, { connections: 200 }],
    [{ "cluster.policy": "round-robin" }, { "cluster.policy": "least-connections" }],
  ]);
  const targets = ["nestjs", "feathers", "gin"].slice(0, upTo(3));
  const scenarios = ["static", "redis"].slice(0, upTo(2));
  const [runs, noise] = [some([1, 2, 4]), some([0.002, 0.01, 0.2])];
  const cells = scenarios.flatMap((scenario) =>
    targets.flatMap((target) =>
      settings.map((parameters): CellSpec => ({
        ...{ target, scenario, parameters, runs, medianMs: 40, duration: 1 },
        wrongRatio: random() < 0.1 ? 0.3 : 0,
      }))
    )
  );
  const results = resultsFixture({ cells, seed });
  const cellOf = ({ target, scenario, parameters }: Results["runs"][number]): string =>
    JSON.stringify([target, scenario, parameters]);
  for (const own of Map.groupBy(results.runs, cellOf).values()) {
    const rate = 3_000 * some([1, 1, 1.03, 0.7, 1.9]);
    for (const run of own) setRate(run, rate * (1 + noise * random()));
  }
  const [invalid, never] = [some([0, 0, 0.1, 0.5, 0.95, 1]), some([0, 0, 0.2])];
  const doubtful = doubted(unsettled(results, () => random() < never), () => random() < invalid);
  return random() < 0.3 ? based(targets[0], doubtful) : doubtful;
}

const CERTAIN = ["leads", "depends", "separate", "equivalent", "costs", "gains"];
const NAMED = / leads| costs | gains /;

const LAWS: Readonly<Record<string, (card: ConclusionModel, model: ReportModel) => boolean>> = {
  "no table calls anything better or worse without a mark where no run is valid": (
    { code },
    { context: { scenarios } },
  ) =>
    code !== "nothing-valid" ||
    scenarios.every(({ compared: { rows } }) =>
      rows.every(({ comparison: { figures } }) =>
        figures.every(({ verdict, isDoubted }) => isDoubted === (verdict !== "inconclusive"))
      )
    ),
  "there is no verdict if, and only if, no run is valid": ({ code, reliability, figure }) =>
    (code === "nothing-valid") === (reliability?.valid === 0) &&
    (code !== "nothing-valid" || figure === null),
  "what is certain of a figure has an interval, which excludes 1 or all but the margin": (
    { figure },
  ) =>
    figure === null || figure.certainty === "open" || figure.value === null ||
    figure.unit !== "×" ||
    (figure.low !== null && figure.high !== null &&
      (figure.low > 1 || figure.high < 1 || (figure.low > 0.98 && figure.high < 1.02))),
  "a certain winner is ahead by more than the margin": ({ winners }) =>
    winners.every(({ winner, certainty, low, high }) =>
      winner === null || certainty !== "decided" ||
      (low !== null && high !== null && (low > 1.02 || high < 1 / 1.02))
    ),
  "who is named as ahead is so for certain, or probably": ({ code, sentence }) =>
    !NAMED.test(sentence) || CERTAIN.includes(code) || /probably .* not proven/.test(sentence),
  "a red light has no certain verdict, and nothing certain beside it": (
    { code, reliability, forest, winners, figure },
  ) =>
    reliability?.light !== "red" ||
    (!CERTAIN.includes(code) && figure?.certainty !== "decided" &&
      [...forest?.rows ?? [], ...winners].every(({ certainty }) => certainty !== "decided")),
  "a green light is of runs that are all valid": ({ reliability }) =>
    (reliability?.light === "green") === (reliability?.valid === reliability?.runs),
  "a forest stands beside winners of no other place": ({ forest, winners }) =>
    forest === null || winners.length === 0,
  "places that are counted add up to all": ({ code, sentence }) => {
    const [, all] = / in \d+ of (\d+) /.exec(sentence) ?? [];
    if (all === undefined || code === "separate") return true;
    const counts = [...sentence.matchAll(/ in (\d+)\b(?! runs?\b)/g)].map(([, count]) => +count);
    return counts.reduce((sum, count) => sum + count, 0) === Number(all);
  },
  "no two rows of a forest are called alike": ({ forest }) => {
    const labels = forest?.rows.map(({ label }) => label) ?? [];
    return new Set(labels).size === labels.length;
  },
  "who does not win has a reason beside it": ({ winners }) =>
    winners.every(({ word }) => word !== "undecided" && word !== ""),
  "trust does not say again that there is no verdict": ({ code, reliability }) =>
    code !== "nothing-valid" || !/none|no verdict|\bvalid/i.test(reliability?.sentence ?? ""),
  "a verdict that nothing supports does not count runs, which trust does": ({ code, sentence }) =>
    code !== "nothing-valid" || !/\d|none of|\bvalid/.test(sentence),
  "what is not decided has its reason in the verdict alone": ({ sentence, reliability }) =>
    !sentence.startsWith("Undecided") || !/ not decide|too few/.test(reliability?.sentence ?? ""),
  "who falls short is told once": ({ code, notes }) =>
    code !== "falls-short" || notes.every((note) => !/%.*not ranked| short, too/.test(note)),
  "advice does not count the runs again": ({ next }) =>
    next.every(({ code, text }) => code !== "mend-runs" || !/\d/.test(text)),
  "no runs are to be added where none is valid": ({ code, next }) =>
    code !== "nothing-valid" || next.every(({ code }) => code !== "add-runs"),
};

Deno.test("card: laws hold of drawn experiments, which meet most codes", () => {
  const codes = new Set<string>();
  for (let seed = 1; seed <= 120; seed++) {
    const model = reportModel(drawn(seed));
    const { card } = model;
    codes.add(card.code);
    for (const [law, holds] of Object.entries(LAWS)) {
      assert.ok(holds(card, model), `${seed}: ${law}\n${JSON.stringify(card, null, 1)}`);
    }
    const { sentence, notes, reliability, next } = card;
    for (
      const text of [
        sentence,
        ...notes,
        reliability?.sentence ?? "",
        ...next.map((n) => n.text),
      ]
    ) {
      assertReadable(plain(text).replaceAll("`", ""));
    }
  }
  assert.ok(codes.size >= 9, [...codes].join(", "));
});
