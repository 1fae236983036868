import type { JudgedClaim } from "../../report/judge/claims/claims.ts";
import { assertJudged, judge, RATES } from "./claimed.ts";
import { resultsAt } from "./rates.ts";

Deno.test("a ceiling is held against the rate as a ratio", () => {
  const ceilings = { redis: { perSec: 4_000, by: "redis-benchmark" }, generator: null };
  const results = { ...resultsAt(RATES), peakThroughput: ceilings };
  assertJudged(
    judge(results, "rate(fast) < 0.9 × ceiling(redis)"),
    "inconclusive",
    /^rate is 3,00\d\/s \(static, fast\) against 4,000\/s \(ceiling\(redis\)\): 0\.75×, claimed less than 0\.9×; ceiling\(redis\) was measured once: no interval$/,
  );
  assertJudged(
    judge(results, "ceiling(generator) > rate(fast)"),
    "inconclusive",
    /was not measured$/,
  );
  assertJudged(
    judge(results, "ceiling(redis) > 1000/s"),
    "inconclusive",
    /^ceiling\(redis\) is 4,000\/s, 1000\/s: 4\.00×, claimed more than 1×; ceiling\(redis\) was measured once: no interval$/,
  );
  const redis = { ...ceilings.redis, rounds: [3_900, 4_000, 4_100] };
  const inRounds = { ...results, peakThroughput: { redis } };
  assertJudged(
    judge(inRounds, "ceiling(redis) > 1000/s"),
    "reproduced",
    /: 4\.00× \[3\.75, 4\.25\], claimed more than 1×$/, // 4,000 ± 4.303 · 100 / √3
  );
  assertJudged(judge(inRounds, "4100/s < ceiling(redis)"), "inconclusive");
  assertJudged(
    judge(inRounds, "rate(fast) < 0.9 × ceiling(redis)"),
    "reproduced",
    /: 0\.75\d*× \[0\.7\d+, 0\.8\d+\], claimed less than 0\.9×$/, // the rounds alone reach 6 % far
  );
  assertJudged(judge(inRounds, "ceiling(redis) < rate(fast)"), "not reproduced");
  assertJudged(judge(inRounds, "rate(fast) < 0.78 × ceiling(redis)"), "inconclusive");
});

Deno.test("the generator's ceiling is the best of several tries: at least that, on either side", () => {
  const generator = { perSec: 4_000, by: "one worker" };
  const redis = { perSec: 4_000, rounds: [3_990, 4_000, 4_010], by: "redis-benchmark" };
  const results = { ...resultsAt(RATES), peakThroughput: { generator, redis } };
  const outcomes: [text: string, outcome: JudgedClaim["outcome"], sentence?: RegExp][] = [
    [
      "ceiling(generator) > 1000/s",
      "reproduced",
      /^ceiling\(generator\) is 4,000\/s, 1000\/s: 4\.00× \[4\.00, ∞\), claimed/,
    ],
    ["ceiling(generator) < 3000/s", "not reproduced"],
    [
      "ceiling(generator) < 9000/s",
      "inconclusive",
      /; ceiling\(generator\) is known to be at least/,
    ],
    [
      "rate(fast) < ceiling(generator)",
      "reproduced",
      /: 0\.75× \[0, 0\.76\], claimed less than 1×$/,
    ],
    ["rate(fast) > 0.5 × ceiling(generator)", "inconclusive", /is known to be at least that/],
    ["ceiling(redis) < 1.5 × ceiling(generator)", "reproduced", /: 1\.00× \[0, 1\.01\]/],
    ["ceiling(redis) > 0.5 × ceiling(generator)", "inconclusive"],
  ];
  for (const [text, outcome, sentence] of outcomes) {
    assertJudged(judge(results, text), outcome, sentence);
  }
});
