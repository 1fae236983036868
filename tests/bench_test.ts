/** The arithmetic of the benches. */
import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import {
  aboveBaseline,
  atLeast,
  atLeastTimes,
  atMost,
  atMostMoreThan,
  atMostTimes,
  within,
} from "../bench/bar.ts";
import type { Row } from "../bench/bench.ts";
import {
  expectedLatenciesMs,
  type Freeze,
  percentileOf,
  workMsOf,
} from "../bench/frozen/arithmetic.ts";
import { p99sBetween } from "../bench/lag.ts";
import type { Noted } from "../bench/stage/witness.ts";
import { plannedGapsMs, plannedLatenciesMs, sentLateMs } from "../bench/streams/arithmetic.ts";
import type { Noted as NotedMessages, Plan } from "../bench/streams/planting.ts";
import { isKept, sectionLines } from "../bench/table.ts";
import { keepTrial, readTrials } from "../bench/trials.ts";
import { Histogram } from "../runner/stats/histogram/histogram.ts";
import { emptyFolder } from "./e2e/plateau.ts";

const FREEZE: Freeze = {
  ratePerSec: 1_000,
  durationMs: 10_000,
  answerMs: 10,
  fromMs: 5_000,
  frozenMs: 1_000,
  workMs: 0,
  connections: 2_000,
};

const FROZEN = [
  { says: "a second of ten, as the derivation has it", change: {}, p: [10, 20, 520, 920] },
  { says: "early in the run", change: { fromMs: 1_000 }, p: [10, 20, 520, 920] },
  { says: "from the start", change: { fromMs: 0 }, p: [10, 10, 510, 910] },
  { says: "past the end of the run", change: { fromMs: 9_500 }, p: [10, 10, 1_020 - 500, 920] },
  {
    says: "past its end, with 100 connections: the 410 that are never sent have waited until then",
    change: { fromMs: 9_500, connections: 100 },
    p: [10, 10, 10, 410],
  },
  { says: "not at all", change: { frozenMs: 0 }, p: [10, 10, 10, 10] },
  {
    says: "half as long: p90 and p95 see 5 % less of it",
    change: { frozenMs: 500 },
    p: [10, 10, 20, 420],
  },
  {
    says: "all gathered answers 10 µs apart: the last are 10 ms late",
    change: { workMs: 0.01 },
    p: [10, 30, 525, 921],
  },
];

for (const { says, change, p } of FROZEN) {
  Deno.test(`latencies of a server that is frozen ${says}`, () => {
    const latenciesMs = expectedLatenciesMs({ ...FREEZE, ...change });
    assert.equal(latenciesMs.length, 10_000);
    [50, 90, 95, 99].forEach((percentile, i) => {
      const ms = percentileOf(latenciesMs, percentile);
      assert.ok(Math.abs(ms - p[i]) <= 1, `p${percentile} is ${ms}, not ${p[i]}`);
    });
  });
}

Deno.test("the work of a frozen server is how far apart its answers are after the longest pause", () => {
  const at = (readMs: number, answeredMs: number): Noted => ({ readMs, answeredMs });
  const notes = [at(0, 10), at(1, 11), at(500, 510), at(500, 512), at(500, 514), at(501, 600)];
  assert.equal(workMsOf(notes, 3), 2);
});

/** From 200 to 300 ms after the first request, which comes at 1,000, the server sends nothing. */
const PLAN: Plan = {
  messages: 4,
  firstMs: 100,
  gapsMs: [150],
  delayMs: 20,
  diesAfter: null,
  freeze: { fromMs: 200, lengthMs: 100 },
};

/** Fractions are those of a clock that counts from long ago. */
const inTenths = (times: readonly number[]): number[] =>
  times.map((ms) => Math.round(10 * ms) / 10);

const notedBy = (askedMs: number, cameMs: readonly number[] = []): NotedMessages => ({
  ...{ askedMs, cameMs, sentMs: [], died: false },
});

Deno.test("planned gaps of streams: what is due in a freeze comes at its end, whenever its stream began", () => {
  const gaps = plannedGapsMs(PLAN, [notedBy(1_000), notedBy(1_010)]);
  assert.deepEqual(inTenths(gaps), [200, 100, 150, 190, 110, 150]);
});

Deno.test("planned latencies on a WebSocket count from when messages were due, not from when late ones came", () => {
  const cameMs = [1_004, 1_050.5, 1_103, 1_150.5, 1_200.5, 1_250.5, 1_300.5];
  const latencies = plannedLatenciesMs(PLAN, [notedBy(1_000, cameMs)], 50);
  assert.deepEqual(inTenths(latencies), [20, 20, 20, 20, 99.5, 49.5, 20]);
});

Deno.test("a message on a WebSocket is late by the moment when it was due after the promptest", () => {
  const late = sentLateMs([notedBy(1_000, [1_004, 1_050.5, 1_103])], 50);
  assert.deepEqual(inTenths(late), [3.5, 0, 2.5]);
});

const BARS: readonly { says: string; row: Omit<Row, "what">; kept: boolean | null }[] = [
  { says: "a limit is kept at the limit", row: { samples: [5], bar: atMost(5) }, kept: true },
  { says: "a limit is not kept above it", row: { samples: [6], bar: atMost(5) }, kept: false },
  { says: "a least is kept at it", row: { samples: [90], bar: atLeast(90) }, kept: true },
  { says: "a least is not kept below it", row: { samples: [89], bar: atLeast(90) }, kept: false },
  { says: "the median decides", row: { samples: [9, 1, 5], bar: atMost(5) }, kept: true },
  {
    says: "1.1 times the baseline may be 11 to 10",
    row: { samples: [11], baseline: 10, bar: atMostTimes(1.1) },
    kept: true,
  },
  {
    says: "0.85 times the baseline may not be 8 to 10",
    row: { samples: [8], baseline: 10, bar: atLeastTimes(0.85) },
    kept: false,
  },
  {
    says: "as much as the baseline is not above it",
    row: { samples: [10], baseline: 10, bar: aboveBaseline },
    kept: false,
  },
  {
    says: "within 2 % is kept where that is more than 2",
    row: { samples: [903], baseline: 920, bar: within(2, 0.02) },
    kept: true,
  },
  {
    says: "within 2 is kept where that is more than 2 %",
    row: { samples: [12], baseline: 10, bar: within(2, 0.02) },
    kept: true,
  },
  {
    says: "off by more than either is not kept",
    row: { samples: [23], baseline: 20, bar: within(2, 0.02) },
    kept: false,
  },
  {
    says: "an error within the limit is kept, whatever the witness shows",
    row: { samples: [0.4], baseline: 0.1, bar: atMostMoreThan(0.4) },
    kept: true,
  },
  {
    says: "an error beyond the limit is not kept beside a witness within it",
    row: { samples: [0.5], baseline: 0.2, bar: atMostMoreThan(0.4) },
    kept: false,
  },
  {
    says: "a witness beyond the limit may be exceeded by the limit",
    row: { samples: [1.25], baseline: 0.875, bar: atMostMoreThan(0.375) },
    kept: true,
  },
  {
    says: "a witness beyond the limit may not be exceeded by more",
    row: { samples: [1.3], baseline: 0.875, bar: atMostMoreThan(0.375) },
    kept: false,
  },
  {
    says: "a bar beside a baseline that is missing is not kept",
    row: { samples: [10], bar: aboveBaseline },
    kept: false,
  },
  {
    says: "nothing measured keeps and breaks nothing",
    row: { samples: [], bar: atMost(5) },
    kept: null,
  },
  { says: "without a bar there is nothing to keep", row: { samples: [5] }, kept: null },
];

for (const { says, row, kept } of BARS) {
  Deno.test(`a bench's bar: ${says}`, () => assert.equal(isKept({ what: "x", ...row }), kept));
}

Deno.test("a bench's table holds median, spread, ratio and difference, and no column without a word", () => {
  const lines = sectionLines({
    caption: "CPU",
    unit: "µs",
    baseline: "floor",
    rows: [{ what: "floor", samples: [5, 4] }, { what: "plateau", samples: [5], baseline: 4.5 }],
  });
  assert.deepEqual(lines, [
    "### CPU",
    "",
    "|         | median, µs |   from – to | floor |     × | difference |",
    "| ------- | ---------: | ----------: | ----: | ----: | ---------: |",
    "| floor   |       4.50 | 4.00 – 5.00 |       |       |            |",
    "| plateau |       5.00 |             |  4.50 | 1.111 |      0.500 |",
    "",
  ]);
});

Deno.test("the lag of each interval is what came to that of the whole run since the one before", () => {
  const soFar = new Histogram();
  const whole = [[100, 200], [40], [900, 30, 30]].map((interval) => {
    interval.forEach((us) => soFar.record(us));
    return soFar.toSparse();
  });
  assert.deepEqual(p99sBetween(whole), [0.2, 0.04, 0.9]);
});

Deno.test("trials of several sittings add up in one file, and a line that is none is refused", () => {
  using folder = emptyFolder();
  const file = join(folder.path, "a");
  const shape = z.strictObject({ seconds: z.number() });
  assert.deepEqual(readTrials(file, shape), []);
  for (const seconds of [1, 2]) keepTrial(file, { seconds });
  assert.deepEqual(readTrials(file, shape), [{ seconds: 1 }, { seconds: 2 }]);
  keepTrial(file, { minutes: 3 });
  assert.throws(() => readTrials(file, shape), /minutes/);
});
