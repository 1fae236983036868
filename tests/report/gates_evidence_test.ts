/** A gate opens by evidence: what one measurement shows, and what it can't. */
import assert from "node:assert/strict";
import type { Measurement } from "../../runner/result/result.ts";
import { answered, judge, timed } from "./gated.ts";
import { figureRangeText } from "../../report/writing/figure_text.ts";

type Case = readonly [
  text: string,
  outcome: string,
  sentence: string,
  measurement: Measurement,
  found: RegExp,
];

const PERCENTILES: readonly Case[] = [
  [
    "p99.99 < 500ms",
    "inconclusive",
    "40 requests have no p99.99",
    timed([[40, 5]]),
    /: p99\.99 needs 100,000 requests, 40 were measured$/,
  ],
  [
    "p99.9 < 50ms",
    "inconclusive",
    "1,000 requests have no p99.9",
    timed([[1_000, 5]]),
    /: p99\.9 needs 10,000 requests, 1,000 were measured$/,
  ],
  [
    "p99.99 < 500ms",
    "fail",
    "40 requests that all took longer are enough to see that it is longer",
    timed([[40, 700]]),
    /^p99\.99 is 700 ms$/,
  ],
  ["p99 < 50ms", "pass", "none of 1,000 requests took as long", timed([[1_000, 5]]), /^p99 is 5/],
  [
    "p99 < 50ms",
    "pass",
    "0.3 % of 4,000 requests took longer",
    timed([[3_988, 5], [12, 90]]),
    /^p99 is 5\.00 ms$/,
  ],
  [
    "p99 < 50ms",
    "inconclusive",
    "0.8 % of 1,000 requests took longer, which may be luck",
    timed([[992, 5], [8, 90]]),
    /^p99 is 5\.00 ms: about 9,510 requests would decide$/,
  ],
  [
    "p99 < 50ms",
    "pass",
    "0.8 % of 10,000 requests took longer",
    timed([[9_920, 5], [80, 90]]),
    /^p99 is 5\.00 ms$/,
  ],
  [
    "p99 < 50ms",
    "inconclusive",
    "exactly 1 % took longer",
    timed([[990, 5], [10, 90]]),
    /: it lies at the limit, where no number of requests decides$/,
  ],
  ["p99 < 50ms", "fail", "3 % took longer", timed([[970, 5], [30, 90]]), /^p99 is 90/],
  ["p99 < 90ms", "fail", "3 % took just as long", timed([[970, 5], [30, 90]]), /^p99 is 90/],
  ["p99 <= 90ms", "pass", "none took longer", timed([[970, 5], [30, 90]]), /^p99 is 90/],
  ["p99 > 50ms", "pass", "3 % took longer", timed([[970, 5], [30, 90]]), /^p99 is 90/],
  ["p50 >= 50ms", "fail", "few took as long", timed([[900, 5], [100, 90]]), /^p50 is 5/],
  [
    "firstByte.p99 < 50ms",
    "pass",
    "the p99.9 is below the limit, too",
    timed([[20_000, 5], [10, 900]]),
    /^firstByte\.p99 is 5\.00 ms$/,
  ],
  [
    "connect.p99 < 50ms",
    "inconclusive",
    "20 connections have no p99",
    timed([[20, 5]]),
    /: p99 needs 1,000 requests, 20 were measured$/,
  ],
];

const BOUNDS: readonly Case[] = [
  [
    "p50 < 500ms",
    "inconclusive",
    "half of the requests never ended",
    timed([[550, 140]], [[550, 200]]),
    /: 550 requests never ended, so it may be more$/,
  ],
  [
    "p99 < 500ms",
    "fail",
    "too many had taken longer already when they were given up",
    timed([[600, 140]], [[500, 900]]),
    /^p99 is/,
  ],
  [
    "p99 < 500ms",
    "pass",
    "so few never ended that they can't move it",
    timed([[20_000, 140]], [[12, 200]]),
    /^p99 is 140 ms/,
  ],
  [
    "p99 > 100ms",
    "pass",
    "what never ended took longer already",
    timed([[600, 140]], [[500, 200]]),
    /^p99 is/,
  ],
  [
    "p99 > 900ms",
    "inconclusive",
    "what never ended may have taken longer",
    timed([[600, 140]], [[500, 200]]),
    /never ended/,
  ],
];

const COUNTS: readonly Case[] = [
  [
    "success >= 99.99%",
    "inconclusive",
    "40 requests without a failure prove little",
    answered(40, 0),
    /^success is 100 % \[91\.2 %, 100 %\]: about 38,500 requests without a failure would decide$/,
  ],
  [
    "success >= 99.9%",
    "pass",
    "none of 10,000 failed",
    answered(10_000, 0),
    /\[99\.962 %, 100 %\]$/,
  ],
  [
    "success >= 99.9%",
    "inconclusive",
    "none of 500 failed",
    answered(500, 0),
    /: about 3,840 requests without a failure would decide$/,
  ],
  ["success >= 99.9%", "pass", "none of 3,838 failed", answered(3_838, 0), /^success is 100 %/],
  ["success >= 99.9%", "inconclusive", "none of 3,837 failed", answered(3_837, 0), /3,840/],
  ["success >= 99.9%", "fail", "10 of 1,000 failed", answered(990, 10), /^success is 99\.0 % \[/],
  [
    "errors < 1%",
    "inconclusive",
    "5 of 1,000 failed",
    answered(995, 5),
    /^errors is 0\.50 % \[0\.21 %, 1\.17 %\]: about 1,530 requests would decide$/,
  ],
  ["dropped < 10%", "pass", "50 of 1,050 were never sent", answered(1_000, 0, 50), /^dropped is/],
  [
    "success >= 99.9%",
    "fail",
    "what was never sent has no answer",
    answered(1_000, 0, 50),
    /^success is 95\.2 %/,
  ],
  ["2xx > 99%", "pass", "all of 1,000 answers are 2xx", answered(1_000, 0), /^2xx is 100 %/],
];

const DEMANDS: readonly Case[] = [
  ["success >= 100%", "pass", "none of 40 failed", answered(40, 0), /^success is 100 %$/],
  ["success >= 100%", "fail", "one of 10,000 failed", answered(9_999, 1), /^success is 99\.990 %$/],
  ["errors <= 0%", "pass", "none of 40 failed", answered(40, 0), /^errors is 0 %$/],
  ["5xx <= 0", "pass", "no answer is 5xx", answered(40, 0), /^5xx is 0 %$/],
];

const VALUES: readonly Case[] = [
  [
    "rate > 1000/s",
    "pass",
    "the rate of one run is what it is",
    timed([[40, 5]]),
    /^rate is 1,200/,
  ],
  ["rate >= 1201/s", "fail", "the rate of one run is what it is", timed([[40, 5]]), /^rate is/],
  ["max < 80ms", "fail", "the longest of one run is what it is", timed([[40, 90]]), /^max is 90/],
  ["mean < 8ms", "pass", "the mean of one run is what it is", timed([[40, 5]]), /^mean is 5/],
];

for (const cases of [PERCENTILES, BOUNDS, COUNTS, DEMANDS, VALUES]) {
  for (const [text, outcome, sentence, measurement, found] of cases) {
    Deno.test(`${text} is ${outcome} where ${sentence}`, () => {
      const gate = judge(text, measurement);
      assert.equal(gate.outcome, outcome, gate.found);
      assert.match(gate.found, found);
    });
  }
}

Deno.test("lower bounds of which results say only the number may all lie below the limit", () => {
  const { censoredHistogram: _, ...older } = timed([[600, 140]], [[500, 900]]);
  assert.equal(judge("p50 < 500ms", older).outcome, "inconclusive");
  assert.equal(judge("p50 < 500ms", timed([[6_000, 140]], [[5, 900]])).outcome, "pass");
});

Deno.test("a run without a steady state passes no gate on what lasts, and fails as before", () => {
  const restless: Measurement = {
    ...timed([[1_000, 5]]),
    warmup: { label: "no-steady-state", steadyFromS: null },
  };
  const ends = [
    ["p99 < 50ms", "inconclusive"],
    ["rate > 1000/s", "inconclusive"],
    ["p99 < 1ms", "fail"],
    ["max < 50ms", "pass"],
    ["success >= 99%", "pass"],
  ] as const;
  for (const [text, outcome] of ends) {
    const gate = judge(text, restless);
    assert.equal(gate.outcome, outcome, `${text}: ${gate.found}`);
    if (outcome === "inconclusive") assert.match(gate.found, /: no steady state/);
  }
});

Deno.test("an interval over a thousand times its lower end says nothing, and so no number stands for it", () => {
  const interval = { low: 1e-4, high: 2_045_431_714 };
  assert.match(figureRangeText({ value: 107, interval }, "ms"), /^107\sms\s\[too\sfew\sruns\]$/);
  const narrow = { value: 107, interval: { low: 90, high: 130 } };
  assert.match(figureRangeText(narrow, "ms"), /^107\sms \[90\.0\sms, 130\sms\]$/);
});
