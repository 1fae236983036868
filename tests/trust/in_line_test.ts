/** Requests that stand in line are known by the start of a closed loop; what only waits, or varies, is no line. */
import assert from "node:assert/strict";
import { servedAtOnce } from "../../runner/trust/in_line.ts";
import { drawBy } from "../../base/random.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { measurementFixture } from "../report/fixture.ts";

const { load, requests, service } = measurementFixture({ target: "a", scenario: "b", medianMs: 1 });

const STAGE = { durationS: 1, from: 1, to: 8 };

interface Server {
  readonly connections: number;
  /** Requests that are served at a time. */
  readonly atOnce: number;
  readonly turnMs: () => number;
  readonly count?: number;
  /** Whether whoever comes may go before those who wait. */
  readonly isUnfair?: boolean;
  /** Every so many turns whoever came last goes before those who wait. */
  readonly overtakenEach?: number;
  /** Whether its connections come one after the other. */
  readonly isStaged?: boolean;
}

/** A closed loop whose connections all begin at the same moment. */
function seenOf(
  { connections, atOnce, turnMs, count = 2_000, isUnfair = false, overtakenEach, isStaged = false }:
    Server,
): number | null {
  const draw = drawBy(3);
  const times = new Histogram();
  const waiting = Array.from({ length: connections }, () => 0);
  const served: { doneMs: number; sentMs: number }[] = [];
  for (let nowMs = 0; times.count < count;) {
    while (served.length < atOnce && waiting.length > 0) {
      const isOvertaken = overtakenEach !== undefined && (times.count + 1) % overtakenEach === 0;
      const last = waiting.length - 1;
      const at = isUnfair ? draw(0, last) : isOvertaken ? last : 0;
      const [sentMs] = waiting.splice(at, 1);
      served.push({ sentMs, doneMs: nowMs + turnMs() });
    }
    served.sort((a, b) => a.doneMs - b.doneMs);
    const [{ doneMs, sentMs }] = served.splice(0, 1);
    nowMs = doneMs;
    times.record(1_000 * (doneMs - sentMs));
    waiting.push(nowMs);
  }
  const sparse = times.toSparse();
  const median = valueAtPercentile(sparse, 50) / 1_000;
  return servedAtOnce({
    load: { ...load, connections, ...isStaged && { stages: [STAGE] } } as typeof load,
    requests: { ...requests, completed: count },
    service: {
      ...service,
      min: sparse.minUs / 1_000,
      percentiles: { ...service.percentiles, "50": median },
    },
    histogram: encodeHistogram(sparse),
  });
}

function drawn(of: (random: number) => number): () => number {
  const draw = drawBy(7);
  return () => of(draw(0, 999_999) / 1e6);
}

function slowAtFirst(moreMs: number, turnMs: () => number): () => number {
  let isFirst = true;
  return () => {
    const ms = turnMs() + (isFirst ? moreMs : 0);
    isFirst = false;
    return ms;
  };
}

const LINES: [sentence: string, server: Server, atOnce: number][] = [
  ["a lock that is held for 5 ms", { connections: 8, atOnce: 1, turnMs: () => 5 }, 1],
  ["a lock held for 5 to 6 ms", { connections: 20, atOnce: 1, turnMs: drawn((u) => 5 + u) }, 1],
  ["a lock of four", { connections: 4, atOnce: 1, turnMs: drawn((u) => 5 + u / 2) }, 1],
  [
    "a lock of a program whose first request takes 5 ms more",
    { connections: 8, atOnce: 1, turnMs: slowAtFirst(5, drawn((u) => 5 + u)) },
    1,
  ],
  [
    "a lock of a program whose first request takes 12 ms more",
    { connections: 8, atOnce: 1, turnMs: slowAtFirst(12, drawn((u) => 5 + u)) },
    1,
  ],
  [
    "a lock before which one request in 50 overtakes all others",
    { connections: 8, atOnce: 1, turnMs: drawn((u) => 5 + u / 2), overtakenEach: 50 },
    1,
  ],
  ["a pool of two", { connections: 8, atOnce: 2, turnMs: drawn((u) => 20 + u) }, 2],
  ["a pool of three", { connections: 50, atOnce: 3, turnMs: drawn((u) => 20 + u) }, 3],
];

for (const [sentence, server, atOnce] of LINES) {
  Deno.test(`${sentence} is a line of which ${atOnce} are served at a time`, () => {
    const found = seenOf(server);
    assert.ok(found !== null && Math.abs(found - atOnce) < 0.25 * atOnce, `${found}`);
  });
}

const NO_LINES: [sentence: string, server: Server][] = [
  ["a timer of 20 ms", { connections: 8, atOnce: 8, turnMs: () => 20 }],
  ["times from 1 to 100 ms", { connections: 8, atOnce: 8, turnMs: drawn((u) => 1 + 99 * u) }],
  [
    "exponential times",
    { connections: 20, atOnce: 20, turnMs: drawn((u) => -20 * Math.log(1 - u)) },
  ],
  [
    "one quick response of a cache in 20",
    { connections: 20, atOnce: 20, turnMs: drawn((u) => u < 0.05 ? 1 : 20) },
  ],
  ["a lock whose holders vary by much", {
    connections: 8,
    atOnce: 1,
    turnMs: drawn((u) => -5 * Math.log(1 - u)),
  }],
  ["a lock that is not fair", { connections: 20, atOnce: 1, turnMs: () => 5, isUnfair: true }],
  ["a cache that has one response in 50, in the time of a turn", {
    connections: 8,
    atOnce: 8,
    turnMs: drawn((u) => u < 0.02 ? 5 : 40 + u),
  }],
  ["a lock whose first holder takes half of the line's time", {
    connections: 8,
    atOnce: 1,
    turnMs: slowAtFirst(20, () => 5),
  }],
  ["a lock of four whose first holder takes twice as long, so that two requests are quick", {
    connections: 4,
    atOnce: 1,
    turnMs: slowAtFirst(6, () => 5),
  }],
  ["a pool whose few quick responses come together", {
    connections: 8,
    atOnce: 8,
    turnMs: drawn((u) => u < 0.003 ? 15 : 40),
  }],
  ["a lock, of connections in stages", {
    connections: 8,
    atOnce: 1,
    turnMs: () => 5,
    isStaged: true,
  }],
  ["two connections", { connections: 2, atOnce: 1, turnMs: () => 5 }],
  ["too short a run", { connections: 20, atOnce: 1, turnMs: () => 5, count: 60 }],
];

for (const [sentence, server] of NO_LINES) {
  Deno.test(`${sentence}: no line is seen`, () => assert.equal(seenOf(server), null));
}
