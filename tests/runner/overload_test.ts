import assert from "node:assert/strict";
import { isOverload, type OverloadRun } from "../../runner/capacity/overload.ts";
import { measurementFixture } from "../report/fixture.ts";

const { load, generator, requests, checks, timeline } = measurementFixture({
  target: "api",
  scenario: "one",
  medianMs: 20,
});
const QUIET = { busy: 1, cores: 4, steal: 0, throttled: 0, others: 1 };
const TARGET = { processes: 1, cores: 4, cpu: 0.7, waiting: 0.2, nice: 0, throttled: 0 };
const RULE = { allowed: 0.01, limitMs: 50 };
const SUCCESS = { allowed: 0.001, limitMs: 0 };
const PAUSED = { codes: ["worker-paused"] as const, servedPerSec: 0 };
const NEIGHBOUR = { codes: ["neighbour"] as const, servedPerSec: 0 };

/** For 4 s at 13,424/s, of which 4,500/s are served, beside a neighbour, unless changed. */
function run(
  { target = {}, host = {}, duePerSec = 13_424, servedPerSec = 4_500, pauseMs = 5, elapsedS = 4 }: {
    target?: Partial<typeof TARGET>;
    host?: Partial<typeof QUIET>;
    duePerSec?: number;
    servedPerSec?: number;
    pauseMs?: number;
    elapsedS?: number;
  } = {},
): OverloadRun {
  return {
    elapsedS,
    timeline,
    load: { ...load, connections: 64 },
    checks: { ...checks, failed: 0 },
    requests: { ...requests, due: duePerSec * elapsedS, completed: servedPerSec * elapsedS },
    generator: {
      ...generator,
      waiting: 0.05,
      delay: { p50: 0, p99: 1, max: pauseMs },
      hostActivity: { ...QUIET, ...host },
      target: { ...TARGET, ...target },
    },
  };
}

Deno.test("three times what is served is an overload, whatever a neighbour took", () => {
  assert.ok(isOverload(run(), [RULE], NEIGHBOUR));
  assert.ok(isOverload(run(), [SUCCESS], NEIGHBOUR));
});

Deno.test("a rate that the target might have served alone is none", () => {
  // It waited a fifth of the time, and caches are shared: up to twice as much is possible.
  assert.ok(!isOverload(run({ duePerSec: 8_000 }), [RULE], NEIGHBOUR));
  assert.ok(!isOverload(run({ target: { waiting: 0.5 } }), [RULE], NEIGHBOUR));
  assert.ok(!isOverload(run({ target: { waiting: 3 } }), [RULE], NEIGHBOUR));
  assert.ok(!isOverload(run({ host: { steal: 0.4 } }), [RULE], NEIGHBOUR));
  assert.ok(!isOverload(run({ pauseMs: 2_000 }), [RULE], NEIGHBOUR), "all of it stood still");
});

Deno.test("a target that served more before may have been broken by the disturbance", () => {
  assert.ok(!isOverload(run(), [RULE], { ...NEIGHBOUR, servedPerSec: 12_000 }));
});

Deno.test("an overload shows only after a time, where the limit is long", () => {
  assert.ok(!isOverload(run({ elapsedS: 1 }), [{ ...RULE, limitMs: 2_000 }], NEIGHBOUR));
  assert.ok(isOverload(run({ elapsedS: 60 }), [{ ...RULE, limitMs: 2_000 }], NEIGHBOUR));
});

Deno.test("failed checks are not served, and what is not seen decides nothing", () => {
  const refuses = { ...run({ servedPerSec: 13_424 }), checks: { ...checks, failed: 4 * 9_000 } };
  assert.ok(isOverload(refuses, [RULE], NEIGHBOUR));
  const { target: _, ...elsewhere } = run().generator;
  assert.ok(!isOverload({ ...run(), generator: elsewhere }, [RULE], NEIGHBOUR));
  assert.ok(!isOverload(run(), [RULE], { ...NEIGHBOUR, codes: ["neighbour", "agent-lost"] }));
});

Deno.test("a target that refuses too many in nearly all intervals is overloaded beside momentary disturbances alone", () => {
  const [point] = timeline.points;
  /** 1,250 responses in each of 40 intervals, of which the first `kept` are all right. */
  const limited = (kept: number, wrong: (i: number) => number, waiting = 0.01): OverloadRun => ({
    ...run({ duePerSec: 5_044, servedPerSec: 5_044, elapsedS: 10, target: { waiting } }),
    timeline: {
      ...timeline,
      points: Array.from({ length: 40 }, (_, i) => ({
        ...point,
        completed: 1_250,
        wrong: i < kept ? 0 : wrong(i),
      })),
    },
  });
  assert.ok(isOverload(limited(8, () => 11), [SUCCESS], PAUSED));
  const lasting = [
    ...["neighbour", "low-priority", "steal", "throttled", "worker-late", "sent-late"],
  ] as const;
  for (const code of lasting) {
    const codes = ["worker-paused", code] as const;
    assert.ok(!isOverload(limited(8, () => 11), [SUCCESS], { ...PAUSED, codes }), code);
  }
  assert.ok(isOverload(limited(8, () => 15), [RULE], PAUSED), "a refusal is no response in time");
  assert.ok(!isOverload(limited(0, (i) => i % 4 === 0 ? 44 : 0), [SUCCESS], PAUSED));
  assert.ok(!isOverload(limited(25, () => 11), [SUCCESS], PAUSED), "only at the end");
  assert.ok(!isOverload(limited(8, () => 11, 0.2), [SUCCESS], PAUSED), "much was taken");
  assert.ok(!isOverload(limited(40, () => 11), [SUCCESS], PAUSED), "never");
});

Deno.test("a limit of requests beside a neighbour is overloaded where no neighbour explains its refusals", () => {
  const limitedTo = (served: number, duePerSec: number): OverloadRun => ({
    ...run({ duePerSec, servedPerSec: duePerSec, elapsedS: 10, target: { waiting: 0.01 } }),
    checks: { ...checks, failed: 10 * (duePerSec - served) },
  });
  assert.ok(!isOverload(limitedTo(5_000, 5_044), [SUCCESS], NEIGHBOUR));
  assert.ok(!isOverload(limitedTo(5_000, 7_500), [SUCCESS], NEIGHBOUR));
  assert.ok(isOverload(limitedTo(5_000, 8_200), [SUCCESS], NEIGHBOUR));
});
