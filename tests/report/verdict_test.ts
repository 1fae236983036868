import assert from "node:assert/strict";
import {
  type ScenarioVerdict,
  type VerdictCode,
  type VerdictOf,
  verdictOf,
} from "../../report/judge/verdict.ts";
import type { Shortfall } from "../../report/judge/shortfall.ts";
import { summaryText, verdictSentence } from "../../report/judge/verdict_sentences.ts";

function fastest(target: string): ScenarioVerdict {
  return verdictOf("fastest", { target, by: "rate" });
}

function short(label: string, change: Partial<Shortfall>): Shortfall {
  return { label, kind: "failed", ratio: 0.5, offeredPerSec: 0, servedPerSec: 0, ...change };
}

const ENDS = { target: "a", fastest: "connections 50", slowest: "connections 1" };
const BOTH = { factors: ["connections", "delay"] };

/** A code without a sample does not compile. */
type Samples = { readonly [Code in VerdictCode]: readonly [VerdictOf<Code>, string] };

const SAMPLES: Samples = {
  "no-right-response": [verdictOf("no-right-response", {}), "No target responded correctly"],
  incomparable: [
    verdictOf("incomparable", {}),
    "No two targets responded correctly at equal values of the factors",
  ],
  alone: [
    verdictOf("alone", { target: "a", rate: 1_234.4, isAtLeast: false, within: null }),
    "a served 1,234 requests/s",
  ],
  undecided: [
    verdictOf("undecided", {
      targets: ["a", "b"],
      standing: "likely-ahead",
      text: "a is likely faster than b, not proven: 3 runs",
    }),
    "a is likely faster than b, not proven: 3 runs",
  ],
  "only-keeps-up": [
    verdictOf("only-keeps-up", {
      target: "cached",
      at: "2,000/s",
      isOffered: true,
      others: [short("plain", { kind: "timeout", ratio: 0.1904 })],
    }),
    "At 2,000/s only cached keeps up: plain times out on 19\u00a0%",
  ],
  "none-keeps-up": [
    verdictOf("none-keeps-up", { target: "a", offered: 5_000, rate: 3_210, isAhead: true }),
    "No target keeps up with 5,000 requests/s: a serves the most, 3,210",
  ],
  fastest: [verdictOf("fastest", { target: "a", by: "rate" }), "a is fastest"],
  "fastest-in-one-run": [
    verdictOf("fastest-in-one-run", { target: "a" }),
    "a was fastest in one run each",
  ],
  "fastest-in-few-runs": [
    verdictOf("fastest-in-few-runs", { target: "a" }),
    "a was fastest (inconclusive: too few runs)",
  ],
  "depends-on-factors": [
    verdictOf("depends-on-factors", { ...BOTH, hasInterval: true }),
    "Which is fastest depends on the number of connections and delay",
  ],
  "undecided-at-every-setting": [
    verdictOf("undecided-at-every-setting", {
      factors: ["delay"],
      targets: ["a", "b", "c"],
      isEquivalent: true,
    }),
    "a, b and c are about as fast at every delay",
  ],
  "fastest-at-every-setting": [
    verdictOf("fastest-at-every-setting", { ...BOTH, target: "a", by: "p99" }),
    "a responds fastest at every number of connections and delay",
  ],
  "fastest-in-few-runs-at-every-setting": [
    verdictOf("fastest-in-few-runs-at-every-setting", { factors: ["delay"], target: "a" }),
    "a was fastest at every delay (inconclusive: too few runs)",
  ],
  span: [verdictOf("span", ENDS), "a is fastest at connections 50 and slowest at connections 1"],
  "inconclusive-span": [
    verdictOf("inconclusive-span", ENDS),
    "a was fastest at connections 50 and slowest at connections 1 (inconclusive)",
  ],
  "span-in-few-runs": [
    verdictOf("span-in-few-runs", ENDS),
    "a was fastest at connections 50 and slowest at connections 1 (inconclusive: too few runs)",
  ],
  "same-at-every-setting": [
    verdictOf("same-at-every-setting", { factors: ["connections"], target: "a" }),
    "a is about as fast at every number of connections",
  ],
};

Deno.test("every verdict has its sentence", () => {
  for (const [verdict, text] of Object.values(SAMPLES)) {
    assert.equal(verdictSentence(verdict), text);
  }
  const depended = verdictOf("depends-on-factors", { factors: ["delay"], hasInterval: false });
  assert.equal(verdictSentence(depended), "Which was fastest depends on delay");
});

Deno.test("who falls short is named with what most of its requests end in", () => {
  const only = (isOffered: boolean, at: string, ...others: Shortfall[]): string =>
    verdictSentence(verdictOf("only-keeps-up", { target: "a", at, isOffered, others }))
      .replaceAll("\u00a0", " ");
  assert.equal(
    only(false, "", short("b", { kind: "failed", ratio: 0.999 })),
    "Only a responds correctly: b fails on 99.9 %",
  );
  assert.equal(
    only(
      true,
      "2,000/s",
      short("b", { kind: "slow", offeredPerSec: 2_000, servedPerSec: 1_604 }),
      short("c", { kind: "dropped", ratio: 0.12 }),
      short("d", { kind: "silent", ratio: 1 }),
      short("e", { kind: "wrong", ratio: 0.031 }),
    ),
    "At 2,000/s only a keeps up: b completes 1,604 of 2,000 requests/s, " +
      "12 % of the requests to c were never sent, d sent no response and e responds wrongly to 3.1 %",
  );
  const many = ["b", "c", "d", "e", "f", "g"].map((label) => short(label, { ratio: 1 }));
  assert.match(only(false, "", ...many), /e fails on 100 % and 2 more fall short$/);
});

Deno.test("a summary is the verdict with its detail, if any", () => {
  assert.equal(summaryText({ verdict: fastest("a"), detail: "by far." }), "a is fastest: by far.");
  assert.equal(summaryText({ verdict: fastest("a"), detail: "" }), "a is fastest.");
});
