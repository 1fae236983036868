/** The card of two results held against each other, by its code. */
import assert from "node:assert/strict";
import type { CardCode } from "../../report/findings/card_sentences.ts";
import { comparisonJson } from "../../report/render/comparison.ts";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import type { Run } from "../../runner/result/result.ts";
import type { ThresholdOutcome } from "../../report/judge/thresholds.ts";
import { doubted } from "./concluded.ts";
import type { CellSpec } from "./fixture.ts";
import { thresholdsOf } from "./gated.ts";
import { around, type Rates, resultsAt } from "./rates.ts";
import { plain } from "./readable.ts";
import { capacities } from "./searched.ts";
import { silence } from "./silenced.ts";
import { comparedMarkdown, comparedPage, comparedText } from "./compared.ts";

const BASE = { a: around(1_000), b: around(2_000) };

/** Those of the new runs that are picked are not valid. */
function against(rates: Rates, isDoubted: (run: Run) => boolean = () => false): ResultsComparison {
  return compareResults(resultsAt(BASE), doubted(resultsAt(rates), isDoubted));
}

/** Two commits that took turns, while the generator was never idle. */
function limited(rates: Rates, cell: Partial<CellSpec> = {}): ResultsComparison {
  const [base, next] = [BASE, rates].map((of) => doubted(resultsAt(of, () => cell), () => true));
  return compareResults(base, next, {
    revisions: { base: "main", next: "a branch" },
  });
}

/** Within the valid runs the new rates are the old ones; the doubted ones are far below. */
const slow = (rate: number): number[] => [
  ...around(rate).slice(0, 2),
  ...[0.5, 0.5, 0.5].map((share) => share * rate),
];
const isSlow = ({ repetition }: Run): boolean => repetition > 2;

/** What is compared, the code of its card, its light, what becomes of it by undisturbed runs alone, and how it ends. */
const CASES: Readonly<
  Record<string, [ResultsComparison, CardCode, string, string, ThresholdOutcome]>
> = {
  "equal in all": [
    against(BASE),
    ...["equivalent", "green", "all-valid", "pass"] as const,
  ],
  "a cost in one cell": [
    against({ ...BASE, a: around(800) }),
    ...["costs", "green", "all-valid", "fail"] as const,
  ],
  "a cost comes before two gains": [
    compareResults(
      resultsAt({ ...BASE, c: around(500) }),
      resultsAt({ a: around(800), b: around(3_000), c: around(900) }),
    ),
    ...["costs", "green", "all-valid", "fail"] as const,
  ],
  "a gain in all": [
    against({ a: around(1_500), b: around(3_000) }),
    ...["gains", "green", "all-valid", "pass"] as const,
  ],
  "single runs": [
    compareResults(resultsAt({ a: [1_000] }), resultsAt({ a: [1_500] })),
    ...["undecided", "green", "all-valid", "inconclusive"] as const,
  ],
  "runs that spread": [
    compareResults(
      resultsAt({ a: around(1_000) }),
      resultsAt({ a: [600, 1_500, 900, 1_100, 1_000] }),
    ),
    ...["undecided", "green", "all-valid", "inconclusive"] as const,
  ],
  "wrong responses come before how fast they came": [
    compareResults(resultsAt(BASE), resultsAt(BASE, () => ({ wrongRatio: 0.1 }))),
    ...["falls-short", "green", "all-valid", "fail"] as const,
  ],
  "the same without runs that are not valid": [
    against({ ...BASE, a: around(800) }, ({ repetition }) => repetition === 1),
    ...["costs", "amber", "same", "fail"] as const,
  ],
  "one cell leans on runs that are not valid": [
    against({ ...BASE, a: slow(1_000) }, (run) => run.target === "a" && isSlow(run)),
    ...["undecided", "amber", "partly", "inconclusive"] as const,
  ],
  "each cell does": [
    against({ a: slow(1_000), b: slow(2_000) }, isSlow),
    ...["undecided", "red", "changed", "inconclusive"] as const,
  ],
  "a side has no valid run": [
    against({ a: around(800), b: around(1_000) }, () => true),
    ...["nothing-valid", "red", "none-valid", "inconclusive"] as const,
  ],
  "a side has no valid run, and is equal": [
    against(BASE, () => true),
    ...["nothing-valid", "red", "none-valid", "inconclusive"] as const,
  ],
  "no run of two commits that took turns is valid": [
    compareResults(
      resultsAt(BASE),
      doubted(resultsAt({ a: around(800), b: around(2_000) }), () => true),
      { revisions: { base: "main", next: "a branch" } },
    ),
    ...["costs", "amber", "in-turns", "fail"] as const,
  ],
  "as fast as the generator in all runs of two commits, whose CPU time nobody saw": [
    limited(BASE, { watched: false }),
    ...["undecided", "amber", "in-turns", "inconclusive"] as const,
  ],
  "as fast as the generator, and equal in CPU time": [
    limited(BASE),
    ...["equivalent", "amber", "in-turns", "pass"] as const,
  ],
  "slower than the generator": [
    limited({ ...BASE, a: around(800) }, { watched: false }),
    ...["costs", "amber", "in-turns", "fail"] as const,
  ],
  "a side has no valid run, and a threshold is missed by more than contention explains": [
    compareResults(resultsAt(BASE), doubted(resultsAt(BASE), () => true), {
      thresholds: thresholdsOf("p99 < 0.001ms"),
      decidedBy: "thresholds",
    }),
    ...["nothing-valid", "red", "none-valid", "fail"] as const,
  ],
  "a side has no valid run, and a threshold is missed by what contention may explain": [
    compareResults(resultsAt(BASE), doubted(resultsAt(BASE), () => true), {
      thresholds: thresholdsOf("p99 < 30ms"),
      decidedBy: "thresholds",
    }),
    ...["nothing-valid", "red", "none-valid", "inconclusive"] as const,
  ],
};

for (const [name, [comparison, code, light, survival, outcome]] of Object.entries(CASES)) {
  Deno.test(`compared: ${name}`, () => {
    const card = comparedCard(comparison);
    const shown = JSON.stringify(card, null, 1);
    const { reliability } = card;
    assert.deepEqual(
      [card.code, reliability?.light, reliability?.survival, comparison.outcome],
      [code, light, survival, outcome],
      shown,
    );
    const isNone = code === "nothing-valid";
    assert.equal(
      card.figure === null && card.forest === null && card.notes.length === 0,
      isNone,
      shown,
    );
    const decided = comparison.cells.flatMap((cell) => cell.comparison.figures)
      .filter(({ verdict }) => verdict !== "inconclusive");
    const doubted = decided.filter(({ isDoubted }) => isDoubted);
    if (survival === "none-valid") assert.equal(doubted.length, decided.length);
    if (survival === "all-valid" || survival === "in-turns") assert.equal(doubted.length, 0);
    if (light === "red") {
      assert.notEqual(card.figure?.certainty, "decided");
      assert.ok(card.forest?.rows.every(({ certainty }) => certainty !== "decided") ?? true, shown);
    }
  });
}

Deno.test("compared: a verdict that the undisturbed runs alone do not give is marked wherever it stands", () => {
  const comparison = against({ a: around(800), b: around(1_000) }, () => true);
  const [rate] = comparison.cells[0].comparison.figures;
  assert.deepEqual([rate.verdict, rate.isDoubted], ["worse", true]);
  for (const form of [comparedText(comparison), comparedMarkdown(comparison)]) {
    const said = plain(form).replaceAll(/\s+/g, " ");
    assert.match(said, /worse, only with doubtful runs/);
    assert.doesNotMatch(said, /: worse(?!, only)/);
  }
});

Deno.test("compared: a target that falls silent is told as that", () => {
  const next = resultsAt(BASE);
  const runs = next.runs.map((run) => run.target === "a" ? silence(run) : run);
  assert.equal(
    comparedCard(compareResults(resultsAt(BASE), { ...next, runs })).code,
    "falls-short",
  );
});

Deno.test("compared: names of the sides are kept throughout, and requests/s come first", () => {
  const comparison = compareResults(resultsAt(BASE), resultsAt({ ...BASE, a: around(800) }), {
    names: ["base", "head"],
  });
  const card = comparedCard(comparison);
  assert.match(card.sentence, /^head costs 20\s% of the throughput of base in 1 of 2 cells/);
  assert.match(card.forest?.title ?? "", /^Requests\/s against base/);
  for (
    const form of [comparedText(comparison), comparedMarkdown(comparison), comparedPage(comparison)]
  ) assert.doesNotMatch(form.replaceAll(/<script.*?<\/script>/gs, ""), /\b(?:BASE|NEW)\b/);
});

Deno.test("compared: a ratio that is a bound is one limit, the same in sentence, figure and tables", () => {
  const [exact, open] = [
    capacities({ work: { perSec: 1_000 } }),
    capacities({ work: { perSec: 2_000, bound: "generator" } }),
  ];
  const cases: [ResultsComparison, sentence: RegExp, figure: string, ratio: string][] = [
    [
      compareResults(exact, open),
      /^NEW has at least 1\.98× the capacity of BASE\./,
      "≥ 1.98×",
      "≥ 1.98×",
    ],
    [
      compareResults(open, exact),
      /^NEW costs at least 49\s% of the capacity of BASE\./,
      "≥ 49 %",
      "≤ 0.51×",
    ],
  ];
  for (const [comparison, sentence, figure, ratio] of cases) {
    const card = comparedCard(comparison);
    assert.match(card.sentence, sentence);
    assert.deepEqual([plain(card.figure?.text ?? ""), card.figure?.interval], [figure, ""]);
    assert.deepEqual(card.forest?.rows.map(({ text }) => text), [ratio]);
    for (const form of [comparedText(comparison), comparedMarkdown(comparison)]) {
      assert.ok(plain(form).includes(ratio), form);
      assert.doesNotMatch(plain(form), /[≥≤] [\d.]+× \\?[[(]/);
    }
  }
});

/** What to do next, of one target at these rates of both sides. */
function nextOf(base: readonly number[], next: readonly number[]): string[] {
  const compared = compareResults(resultsAt({ a: base }), resultsAt({ a: next }));
  return comparedCard(compared).next.map(({ text }) => text);
}

Deno.test("compared: some more runs are asked for, and hundreds are not", () => {
  const [text, ...others] = nextOf(around(1_000), [930, 1_010, 920, 985, 940]);
  assert.match(text, /^Add runs: about \d\d? runs would show this difference\.$/);
  assert.deepEqual(others, []);
  assert.deepEqual(nextOf([900, 1_100, 1_000, 1_050, 950], [1_050, 890, 970, 860, 1_030]), [
    "Make runs longer or the machine quieter: more than 50 runs would be needed.",
  ]);
});

Deno.test("compared: equal rates of a generator that was the limit say so, and what to do", () => {
  const comparison = limited(BASE, { watched: false });
  const { sentence, next } = comparedCard(comparison);
  assert.match(sentence, /the generator may have been the limit/);
  assert.deepEqual(next.map(({ code }) => code), ["mend-runs"]);
  assert.match(next[0].text, /generator/);
  for (const { comparison: { figures } } of comparison.cells) {
    assert.ok(figures.every(({ verdict }) => verdict === "inconclusive"));
    assert.equal(figures[0].reason, "generator");
    assert.equal(figures[0].runsNeeded, null);
  }
});

Deno.test("compared: page, terminal, markdown and JSON have the same sentences", () => {
  for (const [comparison] of Object.values(CASES)) {
    const { sentence, reliability } = comparedCard(comparison);
    const forms = [
      comparedText(comparison),
      comparedMarkdown(comparison),
      JSON.stringify(comparisonJson(comparison)),
      comparedPage(comparison),
    ];
    for (const form of forms) {
      for (const text of [sentence, reliability?.sentence ?? ""]) {
        assert.ok(plain(form).replaceAll("\\", "").includes(plain(text)), form.slice(0, 300));
      }
    }
  }
});
