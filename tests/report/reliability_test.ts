import assert from "node:assert/strict";
import { concluded, doubted, many, TWO } from "./concluded.ts";
import { around, resultsAt } from "./rates.ts";

Deno.test("reliability: the verdict that is the same without them is said to be", () => {
  const { reliability, next } = concluded(
    doubted(resultsAt(TWO), ({ repetition }) => repetition === 2),
  );
  assert.equal(reliability?.survival, "same");
  assert.equal(reliability?.light, "amber");
  assert.equal(
    reliability?.sentence,
    "8 of 10 runs are valid; the verdict is the same without the other 2.",
  );
  assert.equal(next[0].text, "2 runs not valid: give the generator more cores.");
});

Deno.test("reliability: one that leans on them is not", () => {
  const { reliability, sentence } = concluded(
    doubted(resultsAt(TWO), ({ repetition }) => repetition > 1),
  );
  assert.equal(sentence, "b serves 2.0× a.");
  assert.equal(reliability?.light, "red");
  assert.equal(
    reliability?.sentence,
    "2 of 10 runs are valid; without the other 8 the verdict is inconclusive.",
  );
});

Deno.test("reliability: where only such runs say who is faster, the verdict is another", () => {
  const rates = {
    a: [1_000, 1_001, 1_002, 1_003, 3_000, 3_001, 3_002, 3_003],
    b: [2_000, 2_002, 2_001, 2_003, 2_000, 2_001, 2_003, 2_002],
  };
  const { reliability } = concluded(
    doubted(resultsAt(rates), ({ repetition }) => repetition > 4),
  );
  assert.equal(reliability?.survival, "changed");
  assert.match(reliability?.sentence ?? "", /^8 of 16 runs .* the verdict is another\.$/);
});

Deno.test("reliability: where another is likely the fastest without them, the verdict is not the same", () => {
  const ratios = [0.972, 0.975, 0.978, ...Array.from({ length: 12 }, (_, i) => 1 + 0.08 * i / 11)];
  const results = resultsAt({
    a: ratios.map((_, i) => 10_000 + 3 * (5 * i % 7)),
    b: ratios.map((ratio, i) => Math.round(ratio * (10_000 + 3 * (5 * i % 7)))),
  });
  const { sentence, reliability } = concluded(doubted(results, ({ repetition }) => repetition > 3));
  assert.match(sentence, /^b is likely faster than a/);
  assert.equal(
    reliability?.sentence,
    "6 of 30 runs are valid; the verdict is inconclusive without the other 24, too.",
  );
});

Deno.test("reliability: a side without a valid run leaves nothing to compare", () => {
  const { reliability } = concluded(doubted(resultsAt(TWO), ({ target }) => target === "b"));
  assert.match(
    reliability?.sentence ?? "",
    /without the other 5 there is too little left to compare/,
  );
  const none = concluded(doubted(resultsAt(TWO), () => true)).reliability;
  assert.equal(none?.sentence, "None of 10 runs is valid, so nothing here is certain.");
});

Deno.test("reliability: of many scenarios those that lean on them are named", () => {
  const results = many();
  const first = results.runs.slice(0, 3);
  const { reliability } = concluded(doubted(results, (run) => first.includes(run)));
  assert.equal(reliability?.survival, "partly");
  assert.equal(
    reliability?.sentence,
    "57 of 60 runs are valid; the verdict is the same without the other 3, but not in static.",
  );
});

Deno.test("reliability: of several numbers of runs one is printed, and it is enough for all", () => {
  const results = resultsAt({
    a: [1_000, 1_001, 1_002, 1_003, 3_000, 3_001, 3_002, 3_003],
    b: [2_000, 2_002, 2_001, 2_003, 2_000, 2_001, 2_003, 2_002],
  });
  const few = resultsAt({ a: [1_000, 1_060, 980, 1_030, 990], b: around(1_030) });
  const runs = few.runs.map((run) => ({ ...run, scenario: "other", order: run.order + 16 }));
  const { next } = concluded({ ...results, runs: [...results.runs, ...runs] });
  const repeats = next.filter(({ text }) => text.startsWith("Set repeat: "));
  assert.equal(repeats.length, 1, JSON.stringify(next));
  assert.ok(Number(/\d+/.exec(repeats[0].text)?.[0]) >= 14);
});

Deno.test("reliability: the only run that is not valid is one", () => {
  const { reliability } = concluded(
    doubted(resultsAt(TWO), ({ target, repetition }) => target === "a" && repetition === 2),
  );
  assert.match(reliability?.sentence ?? "", /^9 of 10 runs are valid; .* the other one\.$/);
});

Deno.test("reliability: beside a named base, what is decided of one survives the doubts about another", () => {
  const noisy = [400, 2_500, 900, 1_700, 1_200];
  const results = resultsAt({ plain: around(1_000), fast: around(2_000, 0.001), odd: noisy });
  const based = { ...results, experiment: { ...results.experiment, base: "plain" } };
  const again = structuredClone(based);
  const { sentence, reliability } = concluded(doubted(based, ({ target }) => target === "odd"));
  assert.equal(sentence, "fast serves 2.0× plain; odd is undecided.");
  assert.equal(
    reliability?.sentence,
    "10 of 15 runs are valid; the verdict is the same without the other 5.",
  );
  const lost = concluded(doubted(again, ({ target }) => target === "fast")).reliability;
  assert.equal(
    lost?.sentence,
    "10 of 15 runs are valid; the verdict is the same without the other 5, but not of fast.",
  );
});

Deno.test("reliability: of two runs, both or neither is valid", () => {
  const pair = resultsAt({ a: [1_000], b: [2_000] });
  assert.equal(concluded(pair).reliability?.sentence, "Both runs are valid.");
  assert.equal(
    concluded(doubted(pair, () => true)).reliability?.sentence,
    "Neither run is valid, so nothing here is certain.",
  );
});

Deno.test("reliability: suspect and invalid runs are counted apart where the verdict is of both", () => {
  const results = doubted(resultsAt(TWO), ({ repetition }) => repetition <= 2);
  results.runs[0].generator.trust = "invalid";
  const uncompared = {
    ...results,
    experiment: { ...results.experiment, compare: "none" as const },
  };
  assert.equal(
    concluded(uncompared).reliability?.sentence,
    "6 of 10 runs are valid; the figures include the other 4 (3 suspect, 1 invalid).",
  );
  const none = doubted(results, ({ generator }) => generator.trust === "valid");
  assert.equal(
    concluded(none).reliability?.sentence,
    "None of 10 runs is valid (9 suspect, 1 invalid), so nothing here is certain.",
  );
});
