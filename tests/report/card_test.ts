/** The card of an experiment by its code: what is decided, what is shown, and whether it can be relied on. */
import assert from "node:assert/strict";
import type { CardCode } from "../../report/findings/card_sentences.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { decisiveFigure } from "../../report/judge/pairs.ts";
import { reportModel } from "../../report/model.ts";
import type { ConclusionModel } from "../../report/subjects/verdict/conclusion.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import {
  ALIKE,
  along,
  based,
  COMPUTING,
  concluded,
  doubted,
  inScenarios,
  LEADS,
  many,
  NOISY,
  OFFERED,
  offered,
  POLICIES,
  SEEMS,
  together,
  TWO,
  unsettled,
  WAITING,
} from "./concluded.ts";
import { claimOf } from "./claimed.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { capacities } from "./searched.ts";
import { silence } from "./silenced.ts";
import { slicedTargets } from "./sliced.ts";
import { sweepResults } from "./sweep_results.ts";

/** What a card must be; what is left out is not looked at. */
interface Expected {
  readonly code: CardCode;
  readonly light?: "green" | "amber" | "red";
  /** The winner of each setting, `?` before one that is likely. */
  readonly winners?: readonly string[];
  /** Its value within 2 %, its unit and its certainty. */
  readonly figure?: readonly [value: number, unit: string, certainty: string] | null;
  /** The figure, and the row of the forest, that show a single limit and no interval beside it. */
  readonly bound?: string;
  readonly next?: readonly string[];
  /** What its rows are called. */
  readonly forest?: readonly string[];
  /** Words of notes that must be there. */
  readonly notes?: readonly RegExp[];
  /** Words of the sentence, and of the line of trust. */
  readonly says?: RegExp;
  readonly trust?: RegExp;
}

function assertCard(results: Results, expected: Expected): ConclusionModel {
  const card = concluded(results);
  const shown = JSON.stringify(card, null, 1);
  assert.equal(card.code, expected.code, shown);
  if (expected.light) assert.equal(card.reliability?.light, expected.light, shown);
  if (expected.winners) {
    const names = card.winners.map(({ winner, certainty }) =>
      `${certainty === "likely" ? "?" : ""}${winner ?? "–"}`
    );
    assert.deepEqual(names, expected.winners, shown);
  }
  if (expected.figure === null) assert.equal(card.figure, null, shown);
  else if (expected.figure) {
    const [value, unit, certainty] = expected.figure;
    assert.ok(Math.abs((card.figure?.value ?? 0) / value - 1) < 0.02, shown);
    assert.deepEqual([card.figure?.unit, card.figure?.certainty], [unit, certainty], shown);
  }
  if (expected.bound) {
    assert.deepEqual([card.figure?.text, card.figure?.interval], [expected.bound, ""], shown);
    assert.ok(card.forest?.rows.every(({ text }) => text === expected.bound), shown);
  }
  if (expected.next) assert.deepEqual(card.next.map(({ code }) => code), expected.next, shown);
  for (const note of expected.notes ?? []) assert.match(card.notes.join(" "), note);
  if (expected.forest) {
    assert.deepEqual(card.forest?.rows.map(({ label }) => label), expected.forest, shown);
  }
  if (expected.says) assert.match(card.sentence, expected.says);
  if (expected.trust) assert.match(card.reliability?.sentence ?? "", expected.trust);
  return card;
}

function cases(kind: string, all: Readonly<Record<string, [() => Results, Expected]>>): void {
  for (const [name, [results, expected]] of Object.entries(all)) {
    Deno.test(`card: ${kind}: ${name}`, () => void assertCard(results(), expected));
  }
}

/** Nothing was due, and nothing came. */
function idle(run: Run): Run {
  const silent = silence(run, "unfinished");
  const points = run.timeline.points.map((point) => ({ ...point, completed: 0, histogram: "" }));
  return {
    ...silent,
    requests: { ...silent.requests, due: 0, unfinished: 0 },
    timeline: { ...run.timeline, points },
  };
}

const noisy = [900, 2_600, 1_400, 700, 2_300];

cases("one setting", {
  "a lead is a ratio with its interval, and asks for nothing more": [
    () => resultsAt(TWO),
    { code: "leads", light: "green", figure: [2, "×", "decided"], next: [] },
  ],
  "the first that is as fast as the next leads nobody": [
    () => resultsAt({ a: around(1_000), b: around(2_000), c: around(2_003), d: around(500) }),
    { code: "equivalent", figure: [1, "×", "decided"] },
  ],
  "nobody leads whom a third, noisy one may beat": [
    () => resultsAt({ a: around(2_000), b: around(1_500), c: noisy }),
    { code: "undecided", figure: [0.79, "×", "open"], next: ["add-runs"] },
  ],
  "the first is not equal to all where one of them may be faster": [
    () => resultsAt({ a: around(2_000), b: around(2_003), c: noisy }),
    { code: "undecided", figure: [1, "×", "open"] },
  ],
  "the first is not likely ahead of all where one of them is equal to it": [
    () => resultsAt({ ...SEEMS, c: [1_031, 1_035, 1_040] }),
    { code: "undecided", figure: [1, "×", "open"] },
  ],
  "one run each says nothing of the next": [
    () => resultsAt({ a: [900], b: [1_800] }),
    { code: "undecided", figure: [2, "×", "open"], next: ["add-runs"] },
  ],
  "runs that served nothing are no single run": [
    () => {
      const results = resultsAt({ a: around(1_000), b: around(1_100) });
      const isIdle = ({ target, repetition }: Run): boolean => target === "b" && repetition > 1;
      return { ...results, runs: results.runs.map((run) => isIdle(run) ? idle(run) : run) };
    },
    { code: "undecided", says: /: 4 of 5 runs of b served nothing\.$/ },
  ],
  "who leads by p99 may take longer as a rule": [
    () =>
      offered(
        500,
        resultsFixture({
          cells: [["a", 10, 0.15], ["b", 20, 0]].map(([target, medianMs, slowRatio]) => ({
            ...{ target: String(target), scenario: "static", runs: 5, duration: 4 },
            ...{ medianMs: Number(medianMs), slowRatio: Number(slowRatio) },
          })),
        }),
      ),
    {
      code: "leads",
      says: /^b leads: 0\.\d+× the p99 of a, although the p50 of b is 2\.0× as long\.$/,
    },
  ],
  "the middle decides where too few requests lie in the tail": [
    () =>
      offered(
        5,
        resultsFixture({
          cells: [["a", 100, 0], ["b", 60, 0.15]].map(([target, medianMs, slowRatio]) => ({
            ...{ target: String(target), scenario: "static", runs: 5, connections: 1 },
            ...{ medianMs: Number(medianMs), slowRatio: Number(slowRatio) },
          })),
        }),
      ),
    { code: "leads", says: /^b leads: 0\.\d+× the p50 of a\.$/ },
  ],
  "who has no undisturbed run is not ranked among those that have": [
    () =>
      doubted(
        resultsAt({ a: around(1_100), b: around(1_000), c: around(800) }),
        ({ target }) => target === "b",
      ),
    {
      code: "leads",
      light: "amber",
      figure: [1.375, "×", "decided"],
      says: /^a leads: 1\.4× the requests\/s of c\.$/,
      notes: [/^Every run of b was disturbed, so it is not ranked\.$/],
    },
  ],
  "a lead that may be within the margin is likely": [
    () => resultsAt(SEEMS),
    { code: "undecided", figure: [1.03, "×", "likely"], next: ["add-runs"] },
  ],
  "one that responds wrongly is beside the others": [
    () =>
      resultsAt({ ...TWO, c: around(1_500, 0.002) }, (target) => ({
        wrongRatio: target === "b" ? 0.3 : 0,
      })),
    {
      code: "leads",
      figure: [1.5, "×", "decided"],
      notes: [/b responds wrongly/],
      next: ["check-targets"],
    },
  ],
  "one alone responds correctly": [
    () => resultsAt(TWO, (target) => ({ wrongRatio: target === "b" ? 0.1 : 0 })),
    { code: "falls-short", next: ["check-targets"] },
  ],
  "nobody responds correctly": [
    () => resultsAt(TWO, () => ({ wrongRatio: 0.1 })),
    {
      code: "falls-short",
      next: ["check-targets"],
      says:
        /^Both targets fall short: a responds wrongly to 10\s% of requests, b responds wrongly to 10\s% of requests\.$/,
    },
  ],
  "one alone keeps up with what is offered": [
    () => offered(4_000, resultsAt({ a: around(2_000), b: around(4_000) })),
    { code: "falls-short" },
  ],
  "a few faults do not exclude": [
    () =>
      resultsAt({ a: around(1_000), b: around(9_000) }, (target) => ({
        wrongRatio: target === "b" ? 0.005 : 0,
      })),
    { code: "leads", figure: [9, "×", "decided"], next: [] },
  ],
  "a rival that sent no response is no rival": [
    () => resultsAt({ a: [1_000, 1_010], b: [0, 0] }),
    { code: "falls-short", figure: [100, "%", "open"] },
  ],
  "who responded only in what is discarded did not fail on all": [
    () => {
      const results = resultsAt({ a: [1_000], b: [1_000] });
      results.experiment.discard = 1_000;
      const { timeline: { points }, requests } = results.runs[1];
      for (const point of points.slice(4)) point.completed = 0;
      Object.assign(requests, { completed: 500, failed: 500 });
      return results;
    },
    { code: "falls-short", figure: [50, "%", "open"] },
  ],
  "at a rate of their own requests are the same for all, and p99 decides": [
    () =>
      offered(
        1_000,
        resultsAt({ a: around(1_000), b: around(1_000, 0.0005) }, (target) => ({
          medianMs: target === "a" ? 30 : 10,
        })),
      ),
    { code: "leads", figure: [0.353, "×", "decided"] },
  ],
  "targets without a setting in common": [
    () =>
      sweepResults([
        { target: "a", parameters: { size: 1 }, rate: 1_000 },
        { target: "b", parameters: { size: 2 }, rate: 2_000 },
      ]),
    { code: "incomparable", figure: null, next: ["equal-settings"] },
  ],
  "one target is what it serves at most": [
    () =>
      sweepResults([1, 8, 64].map((connections) => ({
        parameters: { connections },
        rate: 1_000 * Math.min(connections, 5),
      }))),
    {
      code: "alone",
      figure: [5_000, "requests/s", "decided"],
      says: /: 5\.0× as much as at 1 connection\.$/,
    },
  ],
  "what compares nothing is the most that is served": [
    () => {
      const results = sweepResults([
        { target: "hono", parameters: { connections: 10 }, rate: 111_000 },
        { target: "nginx", parameters: { connections: 10 }, rate: 98_000 },
      ]);
      const peakThroughput = { generator: { perSec: 156_000, by: "a worker" }, redis: null };
      return { ...results, peakThroughput, experiment: { ...results.experiment, compare: "none" } };
    },
    { code: "alone", figure: [111_000, "requests/s", "decided"], notes: [/156,000/], next: [] },
  ],
});

cases("several settings", {
  "one leads in all": [
    () => together(resultsAt(LEADS), resultsAt(LEADS)),
    { code: "leads", winners: ["b", "b"] },
  ],
  "one leads in some, and nobody else in any": [
    () => together(...[LEADS, LEADS, ALIKE, NOISY, SEEMS].map((rates) => resultsAt(rates))),
    { code: "leads", winners: ["b", "b", "–", "–", "?b"] },
  ],
  "who leads depends on the scenario": [
    many,
    { code: "depends", winners: ["gin", "gin", "gin", "gin", "fastify"] },
  ],
  "one seems ahead": [
    () => together(resultsAt(SEEMS), resultsAt(SEEMS)),
    { code: "undecided", winners: ["?b", "?b"] },
  ],
  "all are alike": [
    () => together(resultsAt(ALIKE), resultsAt(ALIKE)),
    { code: "equivalent", winners: ["–", "–"], next: [] },
  ],
  "nothing is known of any": [
    () => together(resultsAt(NOISY), resultsAt(NOISY)),
    { code: "undecided", winners: ["–", "–"], figure: null, next: ["add-runs"] },
  ],
  "values of a compared factor are rows": [
    () => sweepResults(POLICIES),
    { code: "leads", winners: ["nginx", "nginx"] },
  ],
  "scenarios without a target in common have a row for each setting": [
    () => inScenarios(OFFERED, COMPUTING, WAITING),
    {
      code: "separate",
      winners: [
        ...["–", "–", "lone"],
        ...["?busy pool", "busy pool", "busy pool"],
        ...["idle", "idle", "?idle pool", "slow pool"],
      ],
    },
  ],
  "the places are named in which a target has no undisturbed run": [
    () => {
      const three = { a: around(1_100), b: around(1_000), c: around(800) };
      return together(
        resultsAt(three),
        doubted(resultsAt(three), ({ target }) => target === "b"),
      );
    },
    { code: "leads", notes: [/^In \w+, every run of b was disturbed, so it is not ranked\.$/] },
  ],
  "where one was alone it falls short, its target is told of": [
    () =>
      resultsFixture({
        cells: [["a", "x", 0], ["b", "x", 0], ["a", "y", 1]].map((
          [target, scenario, wrongRatio],
        ): CellSpec => ({
          ...{ target: String(target), scenario: String(scenario), wrongRatio: Number(wrongRatio) },
          ...{ medianMs: target === "a" ? 10 : 20, runs: 3 },
        })),
      }),
    { code: "leads", notes: [/a responds wrongly to 100\s% of requests in 1 scenario, so/] },
  ],
});

/** Requests come at a rate that all keep up with, each interval like the others; the latency of one never settles. */
function wildAt(medianMs: number): Results {
  const rates = { a: around(1_000), b: around(1_000, 0.0005), wild: around(1_000, 0.001) };
  const medians = new Map([["a", 30], ["b", 10], ["wild", medianMs]]);
  const results = unsettled(
    offered(1_000, resultsAt(rates, (target) => ({ medianMs: medians.get(target) }))),
    ({ target }) => target === "wild",
  );
  for (const { target, timeline: { points } } of results.runs) {
    for (const point of points) point.completed = target === "wild" ? 251 : 250;
  }
  return results;
}

cases("never settled", {
  "a third that never settled is beside the others, which are judged": [
    () => unsettled(resultsAt({ ...LEADS, c: around(500) }), ({ target }) => target === "c"),
    { code: "leads", notes: [/^c has no steady state/], next: ["longer-runs"] },
  ],
  "nobody leads where one that never settled ran ahead": [
    () =>
      unsettled(resultsAt({ ...LEADS, wild: around(3_000) }), ({ target }) => target === "wild"),
    { code: "unsettled", notes: [/wild ran ahead of the others/], next: ["longer-runs"] },
  ],
  "at a rate of their own one that never settled ran ahead by its p99": [
    () => wildAt(4),
    { code: "unsettled", notes: [/wild ran ahead of the others/] },
  ],
  "at a rate of their own one that never settled fell behind by its p99": [
    () => wildAt(60),
    { code: "leads", says: /^b leads: .* the p99 of a\.$/, notes: [/^wild has no steady state/] },
  ],
  "of two of which one never settled": [
    () => unsettled(resultsAt(LEADS), ({ target }) => target === "b"),
    { code: "unsettled", figure: [2, "×", "open"] },
  ],
  "one that strays by less than it leads is judged": [
    () => unsettled(resultsAt(LEADS), ({ target }) => target === "b", 0.2),
    { code: "leads", figure: [2, "×", "decided"] },
  ],
  "one that is ahead in both halves is likely ahead": [
    () =>
      unsettled(
        resultsAt({ fastify: around(1_000), gin: around(1_900), slow: around(500) }),
        ({ target }) => target === "gin",
        0.4,
      ),
    { code: "undecided", figure: [1.9, "×", "likely"] },
  ],
});

cases("capacity", {
  "who takes more leads": [
    () => capacities({ slow: { perSec: 1_000 }, fast: { perSec: 2_000 } }),
    { code: "leads", figure: [2, "×", "decided"] },
  ],
  "what is above a lower bound leads nobody": [
    () => capacities({ slow: { perSec: 1_000, bound: "generator" }, fast: { perSec: 2_000 } }),
    { code: "undecided", figure: [2, "×", "open"] },
  ],
  "a lead of a lower bound is the least that its interval allows": [
    () => capacities({ slow: { perSec: 1_000 }, fast: { perSec: 2_000, bound: "generator" } }),
    {
      code: "leads",
      says: /^fast leads: at least 1\.98× the capacity of slow\.$/,
      bound: "≥ 1.98×",
    },
  ],
  "one target takes what its search found, not what it served at a share of it": [
    () => capacities({ work: { perSec: 1_000 } }, 0.8),
    { code: "alone", figure: [1_000, "requests/s", "decided"] },
  ],
});

const cost = based("quiet", resultsAt({ quiet: around(1_000), logging: around(480) }));

cases("beside a base", {
  "a cost is a share of what the base serves": [
    () => cost,
    { code: "costs", figure: [52, "%", "decided"] },
  ],
  "a gain is a ratio to the base": [
    () => based("a", resultsAt(TWO)),
    { code: "gains", figure: [2, "×", "decided"] },
  ],
  "of several the one that is known and farthest is told of": [
    () => based("a", resultsAt({ a: around(5_000), b: around(2_500), c: around(25) })),
    { code: "costs", figure: [99.5, "%", "decided"] },
  ],
  "what is undecided of one hides nothing of another": [
    () =>
      based(
        "a",
        resultsAt({
          a: around(1_000),
          b: [9_000],
          d: around(2_000, 0.001),
        }),
      ),
    { code: "gains", figure: [2, "×", "decided"] },
  ],
  "of several of which none is known all are named": [
    () => based("a", resultsAt({ ...NOISY, c: NOISY.a.toReversed() })),
    { code: "undecided", says: /^Undecided between b, a and c: / },
  ],
  "runs that are not valid may lose one comparison of several": [
    () =>
      doubted(
        based("a", resultsAt({ a: around(2_000), b: around(1_000), c: around(500) })),
        ({ target }) => target === "c",
      ),
    { code: "costs", light: "amber", trust: /1 of 2 comparisons is .* the verdict on the rest/ },
  ],
  "a base that falls short in one scenario has counts of comparisons": [
    () => {
      const short = resultsAt({ ...TWO, c: around(3_000) }, (target) => ({
        wrongRatio: target === "a" ? 0.1 : 0,
      }));
      return based("a", together(short, resultsAt({ ...NOISY, c: NOISY.a })));
    },
    {
      code: "falls-short",
      says: / in 2 of 4 comparisons: .*; equivalent in 1 and undecided in 1\.$/,
    },
  ],
  "values of a factor of one target's own are rows that differ": [
    () =>
      based(
        "a",
        sweepResults([
          { target: "a", parameters: {}, rate: 1_000 },
          ...["1s", "10ms"].map((ttl) => ({
            ...{ target: "b", parameters: { "set.ttl": ttl }, rate: 2_000 },
          })),
        ]),
      ),
    { code: "gains", forest: ["b · ttl 1s", "b · ttl 10ms"] },
  ],
  "a base that was not measured is none": [
    () => based("z", resultsAt(TWO)),
    { code: "leads" },
  ],
});

const lean = {
  a: [1_000, 1_001, 1_002, 1_003, 3_000, 3_001, 3_002, 3_003],
  b: [2_000, 2_002, 2_001, 2_003, 2_000, 2_001, 2_003, 2_002],
};
const fiftyOne = (): Results => {
  const rates = Array.from({ length: 17 }, (_, i) => 1_000 + 7 * (i % 5));
  const cells = { a: rates, b: rates.map((rate) => 9 * rate), c: rates.map((rate) => rate / 2) };
  return doubted(resultsAt(cells), ({ order }) => order > 2);
};

cases("trust", {
  "a verdict that is the same without them stands": [
    () => doubted(resultsAt(TWO), ({ repetition }) => repetition === 2),
    { code: "leads", light: "amber", next: ["mend-runs"] },
  ],
  "one that leans on them is likely at most": [
    () => doubted(resultsAt(TWO), ({ repetition }) => repetition > 1),
    { code: "undecided", light: "red", figure: [2, "×", "likely"] },
  ],
  "one that the undisturbed runs contradict is undecided": [
    () => doubted(resultsAt(lean), ({ repetition }) => repetition > 4),
    { code: "undecided", light: "red" },
  ],
  "a target without a steady state is ranked if it is far from all others": [
    () =>
      unsettled(
        resultsAt({ ...TWO, c: around(9_000) }),
        ({ target }) => target === "c",
        0.1,
      ),
    { code: "leads", says: /^c leads: 4\.5× the requests\/s of b\.$/ },
  ],
  "runs that only never settled are not left out, as the verdict allows for them": [
    () => {
      const results = unsettled(
        resultsAt(TWO),
        ({ target, repetition }) => target === "b" && repetition > 2,
        0.1,
      );
      for (const { warmup, generator } of results.runs) {
        if (warmup?.label !== "no-steady-state") continue;
        generator.trust = "suspect";
        generator.findings = [{
          code: "unsteady",
          severity: "suspect",
          evidence: { unsettled: null },
          advice: ["longer-run"],
        }];
      }
      return results;
    },
    {
      code: "leads",
      light: "amber",
      figure: [2, "×", "decided"],
      trust: /^7 of 10 runs are valid, and 3 more only lack a steady state\.$/,
      next: ["mend-runs"],
    },
  ],
  "a slower side without an undisturbed run leaves nothing to compare": [
    () => doubted(resultsAt(TWO), ({ target }) => target === "a"),
    { code: "undecided", light: "red", figure: [2, "×", "open"] },
  ],
  "a faster side that was held back leads where most runs of its rival are undisturbed": [
    () => doubted(resultsAt(TWO), ({ target, repetition }) => target === "b" || repetition > 3),
    { code: "leads", light: "amber", figure: [2, "×", "decided"] },
  ],
  "and not where most of them are disturbed, so that their rival may be as fast": [
    () => doubted(resultsAt(TWO), ({ target, repetition }) => target === "b" || repetition > 2),
    { code: "undecided", light: "red" },
  ],
  "equal targets that lean on them are not likely ahead": [
    () => {
      const results = doubted(resultsAt(ALIKE), ({ repetition }) => repetition > 1);
      for (const { generator } of results.runs) {
        if (generator.trust === "valid") continue;
        generator.findings = [{
          ...{ code: "steal", severity: "suspect", evidence: { steal: 0.05 } },
          advice: ["repeat-run"],
        }];
      }
      return results;
    },
    { code: "undecided", light: "red", figure: [1, "×", "open"] },
  ],
  "a busy generator can only have held back the faster side, which leads by at least as much": [
    () => doubted(resultsAt(TWO), ({ target }) => target === "b"),
    {
      code: "leads",
      light: "amber",
      says: /^b leads: at least 1\.98× the requests\/s of a\.$/,
      figure: [2, "×", "decided"],
      bound: "≥ 1.98×",
      trust:
        /^5 of 10 runs are valid\. Other runs of b count, too, because .* can only have slowed it down\.$/,
    },
  ],
  "requests that were sent late may have made the faster side faster": [
    () => {
      const results = doubted(resultsAt(TWO), ({ target }) => target === "b");
      for (const { generator } of results.runs) {
        if (generator.trust === "valid") continue;
        generator.findings = [{
          code: "sent-late",
          severity: "suspect",
          evidence: { lag: 5 },
          advice: ["longer-run"],
        }];
      }
      return results;
    },
    { code: "undecided", light: "red" },
  ],
  "2 valid runs of 51 leave no verdict to be the same": [
    fiftyOne,
    { code: "undecided", light: "red" },
  ],
  "places that were undecided are lost with their runs": [
    () =>
      doubted(together(resultsAt(NOISY), resultsAt(NOISY)), ({ scenario }) => scenario === "s1"),
    {
      code: "undecided",
      light: "amber",
      trust: /^8 of 16 runs are valid\.$/,
    },
  ],
  "without a valid run there is no verdict, figure or forest, and no number of runs to add": [
    () => doubted(resultsAt(SEEMS), () => true),
    {
      code: "nothing-valid",
      light: "red",
      figure: null,
      next: ["mend-runs"],
      trust: /^All 6 runs are suspect\.$/,
    },
  ],
  "of several scenarios one that leans on them is likely": [
    () =>
      doubted(
        many(),
        ({ target, scenario, repetition }) =>
          target === "fastify" && scenario === "static" && repetition > 1,
      ),
    { code: "depends", light: "amber", winners: ["?gin", "gin", "gin", "gin", "fastify"] },
  ],
  "what compares nothing has them in its figures": [
    () => {
      const results = doubted(resultsAt(TWO), ({ repetition }) => repetition === 1);
      return { ...results, experiment: { ...results.experiment, compare: "none" } };
    },
    { code: "alone", light: "amber" },
  ],
});

Deno.test("card: where most places are undecided, the claims that are decided stand in their stead", () => {
  const claims = [
    claimOf("rate(a) > 100/s", { source: "It serves something" }),
    claimOf("rate(a) > 1.02 × rate(b)", { source: "a is faster" }),
  ];
  const notesOf = (results: Results): string =>
    concluded({ ...results, experiment: { ...results.experiment, claims } }).notes.join("\n");
  assert.match(notesOf(resultsAt(NOISY)), /^It serves something: reproduced, [^\n]+\.$/);
  assert.doesNotMatch(notesOf(resultsAt(TWO)), /reproduced/);
});

Deno.test("card: requests that were never sent are no wrong responses", () => {
  const results = offered(2_000, resultsAt({ a: around(800) }));
  for (const { requests } of results.runs) {
    Object.assign(requests, { dropped: requests.unfinished, unfinished: 0 });
  }
  const { sentence } = assertCard(results, { code: "falls-short" });
  assert.match(sentence, /^No target keeps up: 60\s% of the requests to a were never sent\.$/);
});

for (const figure of ["rate", "perCpu"]) {
  Deno.test(`a row of the forest that the undisturbed runs alone do not decide is open, whoever leads for certain: ${figure}`, () => {
    const near = [1_400, 1_375, 1_420, 1_390, 1_415];
    const results = resultsAt({ a: around(1_500), b: around(9_000), c: near });
    for (const point of results.runs.flatMap(({ resources }) => resources)) point.cpu = 1;
    doubted(results, ({ target, repetition }) => target === "c" && repetition > 2);
    const experiment = { ...results.experiment, compare: { figure } };
    const { code, forest } = concluded({ ...results, experiment });
    assert.equal(code, "leads");
    assert.deepEqual(forest?.rows.map(({ label, certainty, word }) => [label, certainty, word]), [
      ["b", "decided", "better"],
      ["c", "open", "worse, only with doubtful runs"],
    ]);
  });
}

Deno.test("card: nothing certain stands beside a verdict that leans on runs that are not valid", () => {
  const { forest, matrix } = concluded(
    doubted(resultsAt({ ...TWO, c: around(500) }), ({ repetition }) => repetition > 1),
  );
  assert.deepEqual(new Set(forest?.rows.map(({ certainty }) => certainty)), new Set(["open"]));
  const none = concluded(doubted(resultsAt(TWO), () => true));
  assert.deepEqual([none.forest, none.winners], [null, []]);
  assert.match(
    none.notes.join("\n"),
    /^Measured by runs that are not valid: [^\n]+ of b over a\.$/,
  );
  const certainties = none.matrix?.rows.flatMap(({ cells }) =>
    cells.map((cell) => cell?.certainty)
  );
  assert.deepEqual(certainties, ["best", "open"]);
  assert.ok(matrix);
});

Deno.test("card: beside a base that falls short all that keep up are named", () => {
  const rates = { ...TWO, c: around(3_000) };
  const results = resultsAt(rates, (target) => ({ wrongRatio: target === "a" ? 0.1 : 0 }));
  const { sentence } = assertCard(based("a", results), { code: "falls-short" });
  assert.match(sentence, /^Only b and c respond correctly: a responds wrongly to /);
});

Deno.test("card: advice is for the machine at hand, and for a plan that is done", () => {
  const onCores = (allowedCores: number, state: Results["state"] = "done"): string[] => {
    const results = doubted(resultsAt(NOISY), ({ repetition }) => repetition === 1);
    const machine = { ...results.machine, allowedCores };
    return concluded({ ...results, machine, state }).next.map(({ text }) => text);
  };
  assert.equal(onCores(4)[0], "Give the generator more cores.");
  assert.equal(
    onCores(2)[0],
    "Run the generator on its own machine (plateau agent there, --agents here).",
  );
  assert.equal(onCores(4).length, 2);
  assert.equal(onCores(4, "running").length, 1);
});

Deno.test("card: where the cores were shared, two targets can take turns, and a lone one has less to do", () => {
  const stepsOf = (results: Results): string[] => {
    for (const { generator } of results.runs) {
      generator.trust = "suspect";
      generator.findings = [{
        ...{ code: "shared-cores", severity: "suspect" },
        evidence: { cores: 2, busy: 0.99, waiting: 0.1 },
        advice: ["separate-cores", "fewer-connections", "own-machine"],
      }];
    }
    const machine = { ...results.machine, allowedCores: 2 };
    return concluded({ ...results, machine }).next.map(({ code, text }) => `${code}: ${text}`);
  };
  const mend = "mend-runs: Give target and generator separate cores (`pin` of an experiment).";
  const [turns, ...others] = stepsOf(resultsAt(TWO));
  assert.match(turns, /^take-turns: Load both sides in turns \(`order: slices`/);
  assert.deepEqual(others, [mend]);
  assert.deepEqual(stepsOf(resultsAt({ ...TWO, c: around(500) })), [mend]);
  assert.deepEqual(stepsOf(resultsAt({ a: TWO.a })), [mend]);
  assert.deepEqual(stepsOf(slicedTargets({ processes: 5, pairs: 30, ratio: 2 })), [mend]);
});

Deno.test("card: one number of runs is printed, and it is enough for all", () => {
  const groups = resultsAt(lean);
  const few = resultsAt({ a: [1_000, 1_060, 980, 1_030, 990], b: around(1_030) });
  const { next } = concluded(together(groups, few));
  const numbers = next.flatMap(({ text }) => /repeat: (\d+)/.exec(text)?.[1] ?? []).map(Number);
  assert.equal(numbers.length, 1, JSON.stringify(next));
  assert.ok(numbers[0] >= 14);
});

/** The fixture's requests/s follow from the median latency; its tail and CPU are set here. */
function priced(slowRatio: number, cpu: number): readonly string[] {
  const cell = { scenario: "static", runs: 6 };
  const results = resultsFixture({
    cells: [
      { ...cell, target: "fastify", medianMs: 6, slowRatio: 0 },
      { ...cell, target: "gin", medianMs: 2, slowRatio },
    ],
  });
  for (const run of results.runs.filter(({ target }) => target === "gin")) {
    for (const point of run.resources) point.cpu *= cpu;
  }
  return concluded(results).notes;
}

Deno.test("card: what a lead costs in CPU is said, and what it saves is not", () => {
  assert.match(priced(0, 8).join(), /^gin uses \d\.\d× as much CPU per request as fastify\.$/);
  assert.deepEqual(priced(0, 0.5), []);
});

Deno.test("card: whose figures are those of refusals is said, but in a scenario of refusals", () => {
  const noted = (expect?: unknown): string => {
    const results = resultsAt(TWO);
    for (const run of results.runs.filter(({ target }) => target === "a")) {
      run.status = { 200: 5, 429: run.requests.completed - 5 };
    }
    const scenarios = { static: { get: "/", expect } };
    return concluded({ ...results, experiment: { ...results.experiment, scenarios } }).notes.join();
  };
  assert.equal(noted(), "Nearly all responses of a have status 429.");
  assert.equal(noted({ status: [200, 429] }), noted());
  assert.equal(noted({ status: [429] }), "");
});

Deno.test("card: of a flow the figure is how often all of it is done, by its name", () => {
  const results = resultsAt(TWO);
  for (const run of results.runs) {
    const completed = run.requests.completed / (run.target === "b" ? 10 : 5);
    run.sessions = { created: completed, completed, failed: 0, unfinished: 0, length: run.service };
    run.scenario = "purchase";
  }
  const scenarios = { purchase: { flow: [{ get: "/" }] } };
  const flow = { ...results, experiment: { ...results.experiment, scenarios } };
  const both = concluded(flow);
  assert.match(both.sentence, / have equal purchases\/s within /);
  assert.deepEqual(both.matrix?.columns.map(({ unit }) => unit), ["purchases/s"]);
  assert.ok(Math.abs((both.figure?.value ?? 0) - 1) < 0.02); // twice the requests, of twice the steps
  const alone = concluded({ ...flow, runs: flow.runs.filter(({ target }) => target === "a") });
  assert.deepEqual([alone.code, alone.figure?.unit], ["alone", "purchases/s"]);
  assert.ok(Math.abs((alone.figure?.value ?? 0) - 200) < 4);
  const named = { ...flow.experiment, compare: { figure: "rate" } };
  assert.match(concluded({ ...flow, experiment: named }).sentence, / the requests\/s of /);
});

Deno.test("card: the experiment names the figure that decides", () => {
  const results = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  for (const run of results.runs.filter(({ target }) => target === "b")) {
    for (const point of run.resources) point.cpu *= 8;
  }
  const experiment = { ...results.experiment, compare: { figure: "perCpu" } };
  const { code, sentence } = concluded({ ...results, experiment });
  assert.equal(code, "leads");
  assert.match(sentence, /^a leads: .* the requests per CPU second of b\.$/);
});

Deno.test("card: who sends less than the others is named beside its lead", () => {
  const notesOf = (extraBytes: number): readonly string[] => {
    const results = resultsAt(TWO);
    for (const { bytes, requests } of results.runs.filter(({ target }) => target === "a")) {
      bytes.in += extraBytes * requests.completed;
    }
    return concluded(results).notes.filter((note) => note.startsWith("The responses differ"));
  };
  assert.deepEqual(notesOf(300), []);
  const [note, ...others] = notesOf(20_000);
  assert.match(
    note,
    /^The responses differ: static, [ab]: size of a response: \S+\s\S+ → \S+\s\S+\.$/,
  );
  assert.deepEqual(others, []);
});

Deno.test("card: a named figure that some runs lack decides nothing, and requests/s do not take its place", () => {
  const results = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  const concludedBy = (figure: string): ReturnType<typeof concluded> =>
    concluded({ ...results, experiment: { ...results.experiment, compare: { figure } } });
  const { code, sentence, figure, forest, winners } = concludedBy("eventsPerCpu");
  assert.deepEqual([code, figure, forest, winners], ["no-figure", null, null, []]);
  assert.equal(
    sentence,
    "Nothing is compared: the experiment asks for messages per CPU second, and some runs of static have no such figure.",
  );
  results.runs[0].resources = [];
  assert.equal(concludedBy("perCpu").code, "no-figure");
  assert.equal(concludedBy("rate").code, "leads");
});

Deno.test("card: where the scenarios are compared, the one that leads is named, and its base is one of them", () => {
  const results = resultsAt({ a: around(1_000), b: around(2_000, 0.001) });
  for (const run of results.runs) Object.assign(run, { scenario: run.target, target: "app" });
  const experiment = {
    ...results.experiment,
    ...{ targets: { app: {} }, scenarios: { a: {}, b: {} } },
  };
  const concludedBy = (
    compare: { factor?: string; figure?: string },
    base?: string,
  ): ReturnType<typeof concluded> =>
    concluded({ ...results, experiment: { ...experiment, compare, ...base && { base } } });
  const across = concludedBy({ factor: "scenario" });
  assert.match(across.sentence, /^b leads: .* the requests\/s of a\.$/);
  assert.deepEqual(across.matrix?.rows.map(({ label }) => label), ["b", "a"]);
  assert.match(concludedBy({ factor: "scenario" }, "b").sentence, /^a costs .* of b\.$/);
  assert.equal(concludedBy({ figure: "rate" }).code, "alone");
});

Deno.test("matrix: rows from the best, with the ratio to the best of each column; what falls short has none", () => {
  const { matrix } = concluded(many());
  assert.deepEqual(matrix?.rows.map(({ label }) => label), ["gin", "fastify", "express"]);
  const [gin, fastify] = matrix?.rows.map(({ cells }) => cells) ?? [];
  assert.deepEqual([gin[0]?.certainty, gin[0]?.ratio, gin[4]?.certainty], ["best", 1, "decided"]);
  assert.equal(fastify[4]?.certainty, "best");
  const short = concluded(resultsAt(TWO, (target) => ({ wrongRatio: target === "b" ? 0.1 : 0 })));
  const cells = short.matrix?.rows.map(({ cells: [cell] }) => [cell?.ratio, cell?.certainty]);
  assert.deepEqual(cells, [[1, "best"], [null, "none"]]);
  const titleOf = (results: Results): string | undefined =>
    reportModel(results).groups.find(({ id }) => id === "matrix")?.title;
  const one = [1, 8].map((connections) => ({ parameters: { connections }, rate: 1_000 }));
  assert.equal(titleOf(many()), "Every result against the best");
  assert.equal(titleOf(sweepResults(one)), "Every result");
  assert.deepEqual(
    concluded(sweepResults(WAITING)).matrix?.columns.map(({ label }) => label),
    ["sleepTime 0ms", "sleepTime 1ms", "sleepTime 100ms", "sleepTime unset"],
  );
});

Deno.test("matrix: at a rate of their own rows come from the lowest p99", () => {
  const medians = new Map([["a", 30], ["b", 10], ["c", 20]]);
  const rates = Object.fromEntries([...medians.keys()].map((target) => [target, around(1_000)]));
  const results = resultsAt(rates, (target) => ({ medianMs: medians.get(target) }));
  const { matrix } = concluded(offered(1_000, results));
  assert.deepEqual(matrix?.columns.map(({ figure }) => figure), ["p99"]);
  assert.deepEqual(matrix?.rows.map(({ label }) => label), ["b", "c", "a"]);
});

const PHASES: [
  sentence: string,
  phases: [durationS: number, from: number, to: number][],
  of: 50 | 99,
][] = [
  ["999 requests have no p99", [[3, 333, 333]], 50],
  ["1,000 have one", [[4, 250, 250]], 99],
  ["a ramp sends half of what its end would", [[4, 0, 400]], 50],
  ["phases add up", [[2, 0, 500], [2, 500, 0]], 99],
];

for (const [sentence, phases, of] of PHASES) {
  Deno.test(`card: of phases of a rate the p${of} decides: ${sentence}`, () => {
    const results = offered(500, resultsAt({ a: around(500), b: around(500, 0.001) }));
    for (const run of results.runs) {
      const { connections, keepAlive, timeout } = run.load;
      run.load = {
        ...{ kind: "phases", arrivals: "uniform", pool: "own", seed: 1 },
        ...{ connections, keepAlive, timeout },
        phases: phases.map(([durationS, from, to]) => ({ durationS, from, to })),
      };
    }
    assert.equal(decisiveFigure(groupRuns(results)[0].cells), of);
  });
}

Deno.test("card: of a load's own factor, such as connections, who is ahead is the question", () => {
  const rates = { a: [1_000, 1_100, 1_200], b: [2_000, 2_200, 2_400] };
  const card = concluded(sweepResults(along("connections", ["10", "50", "200"], rates)));
  assert.deepEqual(card.winners.map(({ setting, winner }) => `${setting}: ${winner}`), [
    "connections 10: b",
    "connections 50: b",
    "connections 200: b",
  ]);
});

Deno.test("card: nothing is certain of a target without a valid run, in the forest and in the matrix", () => {
  const rates = { a: around(1_100), b: around(1_000), c: around(800) };
  const { forest, matrix } = concluded(doubted(resultsAt(rates), ({ target }) => target === "b"));
  assert.deepEqual(forest?.rows.map(({ label, certainty }) => [label, certainty]), [
    ["b", "open"],
    ["c", "decided"],
  ]);
  assert.deepEqual(matrix?.rows.map(({ label, cells: [cell] }) => [label, cell?.certainty]), [
    ["a", "best"],
    ["b", "open"],
    ["c", "decided"],
  ]);
});

Deno.test("card: of those that fall short beside others the worst has its reason, the rest a word", () => {
  const notesOf = (...ratios: readonly number[]): string =>
    concluded(resultsFixture({
      cells: [0, 0, ...ratios].map((wrongRatio, i) => ({
        ...{ target: `t${i + 1}`, scenario: "static", medianMs: i + 1, runs: 5, wrongRatio },
      })),
    })).notes.join(" ");
  assert.match(notesOf(0.5), /^t3 responds wrongly to 50\s% of requests, so it is not ranked\.$/);
  assert.match(notesOf(0.5, 0.2), / not ranked\. t4 falls short, too\.$/);
  assert.match(notesOf(0.2, 0.5, 0.3), /^t4 .* not ranked\. t3 and t5 fall short, too\.$/);
});
