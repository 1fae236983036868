import assert from "node:assert/strict";
import { cutMsOf, lengthsOf, TRIAL } from "../../runner/slices/lengths.ts";
import { Random } from "../../bench/statistics/random.ts";

const BINS = TRIAL.sliceMs / TRIAL.binMs;

/** A side that is slower for its first bins by so much, in ten slices. */
function trial(slowBins: number, share: number, perBin = 100): number[] {
  const random = new Random(1);
  return Array.from({ length: TRIAL.pairs * BINS }, (_, at) => {
    const mean = at % BINS < slowBins ? perBin * share : perBin;
    return Math.round(mean + Math.sqrt(mean) * random.normal());
  });
}

const FAST = { requests: 1_000, p50Ms: 1, p99Ms: 3 };

Deno.test("no more is cut than what a rest has slowed down", () => {
  assert.equal(cutMsOf(trial(0, 1)), TRIAL.binMs, "a step is the least that a trial can see");
  assert.equal(cutMsOf(trial(2, 0.5)), 2 * TRIAL.binMs);
  assert.equal(cutMsOf(trial(4, 0.8)), 4 * TRIAL.binMs);
});

Deno.test("a neighbour that slows whole slices adds nothing to the cut", () => {
  const completed = trial(1, 0.5).map((count, at) =>
    Math.floor(at / BINS) % 3 === 0 ? count / 2 : count
  );
  assert.equal(cutMsOf(completed), TRIAL.binMs);
});

Deno.test("both sides have the cut and the pause of the one that needs more", () => {
  const sides = [
    { completed: trial(1, 0.5), ...FAST },
    { completed: trial(3, 0.5), requests: 1_000, p50Ms: 2, p99Ms: 12.5 },
  ];
  assert.deepEqual(lengthsOf(sides), {
    ...{ sliceUs: 75_000, cutUs: 15_000, shiftUs: 2_000, pauseUs: 14_000 },
  });
});

Deno.test("slices are longer where requests are slow, and none are had where they are too slow", () => {
  const slow = (
    p50Ms: number,
  ) => [{ completed: trial(0, 1), requests: 1_000, p50Ms, p99Ms: 2 * p50Ms }];
  assert.deepEqual(lengthsOf(slow(20)), {
    ...{ sliceUs: 65_000, cutUs: 5_000, shiftUs: 20_000, pauseUs: 32_500 },
  });
  assert.match(String(lengthsOf(slow(350))), /^requests take 350 ms/);
  assert.match(String(lengthsOf(slow(333.5))), /^requests take 334 ms.* at most 333 ms$/);
  assert.match(String(lengthsOf([{ ...FAST, completed: [0, 0], requests: 0 }])), /no request/);
});

Deno.test("requests that outlast every slice of the trial are as long as they are", () => {
  const sides = [{ completed: trial(0, 0), requests: 40, p50Ms: 150, p99Ms: 160 }];
  const found = lengthsOf(sides);
  assert.ok(typeof found !== "string" && found.sliceUs === 455_000, JSON.stringify(found));
});
