/** Trust is about what could be wrong: what contention can move is not decided on a busy machine, and all else is. */
import assert from "node:assert/strict";
import type { GroupComparison } from "../../report/judge/comparison.ts";
import { COMPARED } from "../../report/judge/group.ts";
import { withDoubt } from "../../report/judge/places.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import type { Results } from "../../runner/result/result.ts";
import { assertOutcomes, judge, RATES } from "./claimed.ts";
import { compared } from "./figure_comparison.ts";
import type { CellSpec } from "./fixture.ts";
import { answered, endOf, gatesIn, judge as judgeGate, timed } from "./gated.ts";
import { around, resultsAt } from "./rates.ts";

const BUSY: TrustFinding = {
  code: "neighbour",
  severity: "invalid",
  evidence: { others: 1, busiest: [], waiting: 0.4, waiter: "target" },
  advice: ["stop-other-programs"],
};
const LOST: TrustFinding = {
  code: "worker-ended",
  severity: "invalid",
  evidence: { ended: 1, workers: 2, knownUntil: 500 },
  advice: ["repeat-run"],
};
const UNSTEADY: TrustFinding = {
  code: "unsteady",
  severity: "suspect",
  evidence: { unsettled: "wander" },
  advice: ["longer-run"],
};

type Run = Results["runs"][number];

function doubted(
  results: Results,
  finding: TrustFinding,
  is: (run: Run) => boolean = () => true,
): Results {
  for (const { generator } of results.runs.filter(is)) {
    generator.findings = [finding];
    generator.trust = finding.severity;
  }
  return results;
}

const crowded = (change?: (target: string) => Partial<CellSpec>): Results =>
  doubted(resultsAt(RATES, change), BUSY);

const SPEED = "rate(fast) > 2 × rate(slow)";
const wrong = (target: string): Partial<CellSpec> => target === "slow" ? { wrongRatio: 0.4 } : {};
const timingOut = (): Partial<CellSpec> => ({ timeoutRatio: 0.2 });
const unsteady = doubted(resultsAt(RATES), UNSTEADY);
for (const run of unsteady.runs) run.warmup = { label: "flat", steadyFromS: 0 };
const slow = doubted(resultsAt(RATES), BUSY, ({ target }) => target === "slow");
const second = (): Results => doubted(resultsAt(RATES), BUSY, (run) => run.repetition === 2);
const peaking = (results: Results, ...rounds: number[]): Results => ({
  ...results,
  peakThroughput: { redis: { perSec: 34_000, rounds, by: "redis-benchmark" } },
});
const STEADY = [33_000, 34_000, 35_000];

const claims: [sentence: string, results: Results, rows: [text: string, outcome: string][]][] = [
  [
    "speed is not decided by disturbed runs, whichever way it would be",
    crowded(),
    [
      ...[SPEED, "rate(fast) < rate(slow)", "rate(fast) > 2000/s", "rate(fast) > 9000/s"],
      ...["p99(fast) < 9s", "p50(fast) > 9s", "cpu(fast) < 100", "memory(fast) < 1GB"],
      ...["requests(fast) > 1", "rate(fast) / rate(slow) > p50(fast) / p50(slow)"],
    ].map((text) => [text, "busy-machine"]),
  ],
  ["what contention cannot favour is decided, either way", crowded(wrong), [
    ["success(fast) >= 100%", "reproduced"],
    ["success(slow) >= 99%", "not reproduced"],
    ["errors(fast) <= 0%", "reproduced"],
    ["2xx(fast) >= 30%", "reproduced"],
    ["5xx(fast) > 1%", "not reproduced"],
    ["size(fast) < 1MB", "reproduced"],
    ["size(fast) > 1MB", "not reproduced"],
    ["size(slow) > 2 × size(fast)", "reproduced"],
  ]],
  ["failures that contention may have caused prove nothing", crowded(timingOut), [
    ["success(fast) >= 99%", "busy-failures"],
    ["success(fast) >= 1%", "reproduced"],
  ]],
  ["those of a quiet machine do", resultsAt(RATES, timingOut), [
    ["success(fast) >= 99%", "not reproduced"],
  ]],
  ["runs that are not valid for another reason count for none", doubted(resultsAt(RATES), LOST), [
    ["size(fast) < 1MB", "busy-machine"],
  ]],
  ["runs that never settle count, as a claim is of whole runs, but not for their label", unsteady, [
    [SPEED, "reproduced"],
    ["warmup(fast) is flat", "busy-machine"],
  ]],
  ["what is the same without the disturbed runs stands", second(), [[SPEED, "reproduced"]]],
  ["and so do claims of other cells", slow, [
    ["rate(fast) > 2000/s", "reproduced"],
    ["rate(slow) > 500/s", "busy-machine"],
  ]],
  ["a suspect run is disturbed, too", doubted(resultsAt(RATES), { ...BUSY, severity: "suspect" }), [
    [SPEED, "busy-machine"],
  ]],
  ["rounds that a busy machine spread are no peak", peaking(resultsAt(RATES), 19e3, 35e3, 48e3), [
    ["ceiling(redis) within 5% of 130000/s", "rounds-differ"],
    ["ceiling(redis) > 130000/s", "rounds-differ"],
  ]],
  ["a peak of a busy machine refutes nothing", peaking(crowded(), ...STEADY), [
    ["ceiling(redis) > 130000/s", "busy-peak"],
  ]],
  ["one of a quiet machine does", peaking(resultsAt(RATES), ...STEADY), [
    ["ceiling(redis) > 130000/s", "not reproduced"],
  ]],
];

for (const [sentence, results, rows] of claims) {
  Deno.test(`claims on a busy machine: ${sentence}`, () => assertOutcomes(results, rows));
}

Deno.test("a doubt counts the runs of the cells that a claim is of, and says what is left without them", () => {
  assert.deepEqual(judge(slow, "rate(fast) > rate(slow)").doubt, {
    ...{ code: "busy-machine", invalid: 5, runs: 10, without: "inconclusive" },
  });
});

// Gates: a busy machine makes a target slower than it is, so what passes in spite of that passes.

const gates: [text: string, end: string][] = [
  ["rate(fast) > 2000/s", "pass"],
  ["rate(fast) > 4000/s", "busy-machine"],
  ["rate(fast) < 4000/s", "busy-machine"],
  ["rate(fast) < 2000/s", "fail"],
  ["p50(fast) < 100ms", "pass"],
  ["p50(fast) < 10ms", "busy-machine"],
  ["p50(fast) > 10ms", "busy-machine"],
  ["cpu(fast) < 0.001", "fail"], // a hundred times beyond it
  ["cpu(fast) < 0.5", "busy-machine"],
  ["cpu(fast) < 5", "busy-machine"],
  ["rate(fast) > 60000/s", "busy-machine"], // twenty times
  ["rate(fast) > 400000/s", "fail"],
  ["size(fast) > 1MB", "fail"],
  ["success(fast) >= 99%", "pass"],
  ["success(fast) < 99%", "fail"],
  ["rate(fast) > 2 × rate(slow)", "busy-machine"],
  ["rate(fast) < 2 × rate(slow)", "busy-machine"],
  ["rate(fast) > 60 × rate(slow)", "busy-machine"], // a ratio of 3, 20 times short of it
  ["rate(fast) > 400 × rate(slow)", "fail"],
  ["rate(fast) < 0.15 × rate(slow)", "busy-machine"],
  ["rate(fast) < 0.02 × rate(slow)", "fail"],
  ["rate(fast) > 3000/s", "not-valid"],
  ["success(fast) >= 99.99%", "more-requests"], // what did not fail on a busy machine does not on a quiet one
  ["lag.p99(fast) < 1ms", "nothing-to-judge"],
];

for (const [text, end] of gates) {
  Deno.test(`on a busy machine the threshold ${text} ends with ${end}`, () => {
    assert.equal(endOf(gatesIn(crowded(), text)[0]), end);
  });
}

Deno.test("a pair is open on the side that was disturbed", () => {
  const ends = (disturbed: string) => {
    const results = doubted(resultsAt(RATES), BUSY, ({ target }) => target === disturbed);
    return ["rate(fast) > 2 × rate(slow)", "rate(fast) > 4 × rate(slow)"]
      .map((text) => endOf(gatesIn(results, text)[0]));
  };
  assert.deepEqual(ends("fast"), ["pass", "busy-machine"]);
  assert.deepEqual(ends("slow"), ["busy-machine", "fail"]);
});

Deno.test("a threshold that fails without the disturbed runs, too, fails", () => {
  assert.equal(endOf(gatesIn(second(), "rate(fast) > 4000/s")[0]), "fail");
});

Deno.test("more runs are asked for where some are undisturbed", () => {
  assert.equal(endOf(gatesIn(second(), "rate(fast) > 3000/s")[0]), "more-runs");
});

Deno.test("a doubted threshold counts the runs of its cells, and says what is left without the disturbed ones", () => {
  const ratio = gatesIn(slow, "rate(fast) > 2 × rate(slow)")[0].reason;
  assert.deepEqual(ratio, {
    ...{ code: "busy-machine", invalid: 5, runs: 10, without: "inconclusive" },
  });
  const held = doubted(
    resultsAt({ a: [995, 1_000, 1_005, 998, 1_002, 300, 400, 500, 600, 700, 800, 900] }),
    BUSY,
    ({ rate }) => rate < 990,
  );
  assert.deepEqual(gatesIn(held, "rate(a) > 990/s")[0].reason, {
    ...{ code: "busy-machine", invalid: 7, runs: 12, without: "held" },
  });
});

Deno.test("runs that were held back confirm a verdict on requests/s, and no other", () => {
  const figures = COMPARED.map((figure) => compared(1.2, 1.4, { figure, verdict: "better" }));
  const better = { figures, decisive: COMPARED, runs: { base: 5, next: 5 }, marginRatio: 0.02 };
  const doubtedIn = (...again: [GroupComparison | undefined, GroupComparison?]) =>
    withDoubt(better, ...again).figures.flatMap(({ figure, isDoubted }) => isDoubted ? figure : []);
  const worse = {
    ...better,
    figures: figures.map((one) => ({ ...one, verdict: "worse" as const })),
  };
  assert.deepEqual(doubtedIn(better), []);
  assert.deepEqual(doubtedIn(undefined, better), COMPARED.filter((figure) => figure !== "rate"));
  assert.deepEqual(doubtedIn(worse, better), COMPARED.filter((figure) => figure !== "rate"));
  assert.deepEqual(doubtedIn(worse), COMPARED);
});

Deno.test("a comparison of both sides of a busy session stands, as its own verdicts do", () => {
  const baseline = doubted(resultsAt({ a: around(1_000) }), BUSY);
  const next = doubted(resultsAt({ a: around(800, 0.001) }), BUSY);
  const [gate] = gatesIn(next, "rate not worse than baseline by 5%", baseline);
  assert.equal(endOf(gate), "fail");
});

Deno.test("a single disturbed run passes by its speed, and fails by what contention cannot move", () => {
  const busy = { generator: { ...timed([[40, 5]]).generator, trust: "invalid" as const } };
  const ends = ["p99 < 50ms", "p99 < 1ms", "p99 < 1us", "rate > 1/s", "rate > 2000/s"]
    .map((text) => endOf(judgeGate(text, { ...timed([[20_000, 5]]), ...busy })));
  assert.deepEqual(ends, ["pass", "busy-machine", "fail", "pass", "busy-machine"]);
  assert.equal(endOf(judgeGate("success >= 99%", { ...answered(500, 500), ...busy })), "fail");
});
