import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ArrivalOptions,
  Arrivals,
  type Phase,
  Profile,
} from "../../scenarios/pace/arrivals.ts";
import { derivedSeed, drawBy } from "../../base/random.ts";
import { forAll } from "../for_all.ts";

const SECOND = 1_000_000;

function phase(seconds: number, fromPerSec: number, toPerSec = fromPerSec): Phase {
  return { durationUs: seconds * SECOND, fromPerSec, toPerSec };
}

const DUE: readonly [Phase[], number, number, string][] = [
  [[phase(10, 100)], 0, 0, "at a constant rate the first arrival is due at the start"],
  [[phase(10, 100)], 1, 10_000, "at 100/s the second is due after 10 ms"],
  [[phase(10, 100)], 999, 9_990_000, "at 100/s over 10 s the thousandth is the last"],
  [[phase(10, 100)], 1_000, Infinity, "at 100/s over 10 s there is no arrival 1001"],
  [
    [phase(2, 0, 100)],
    25,
    1_000_000,
    "a ramp from nothing to 100/s in 2 s has brought 25 after one second",
  ],
  [
    [phase(2, 100, 0)],
    75,
    1_000_000,
    "a ramp from 100/s to nothing in 2 s has brought 75 after one second",
  ],
  [
    [phase(60, 50, 200)],
    0,
    0,
    "a ramp that starts above nothing has its first arrival at the start",
  ],
  [
    [phase(1, 10), phase(5, 0), phase(1, 10)],
    10,
    6_000_000,
    "a pause is skipped: the eleventh comes after it",
  ],
  [[phase(5, 0), phase(1, 10)], 0, 5_000_000, "a pause at the start delays the first"],
  [[phase(1, 10), phase(5, 0)], 10, Infinity, "nothing comes in a pause at the end"],
  [
    [phase(600, 107 / 60)],
    1_070,
    Infinity,
    "at 107/m over 10 min there is no arrival 1071, whatever rounding adds to their sum",
  ],
  [
    [phase(600, 107 / 60, 0)],
    535,
    Infinity,
    "nor does rounding add one to the end of a ramp to nothing",
  ],
  [
    [phase(600, 107 / 60, 0), phase(5, 0), phase(1, 10)],
    535,
    605_000_000,
    "nor does it keep one at that end which belongs behind a pause",
  ],
];
for (const [phases, x, expected, sentence] of DUE) {
  Deno.test(sentence, () => {
    const dueUs = new Profile(phases).dueUs(x);
    assert.ok(dueUs === expected || Math.abs(dueUs - expected) < 1e-3, `${dueUs}, not ${expected}`);
  });
}

const anyPhase = fc.record({
  durationUs: fc.integer({ min: 1_000, max: 100 * SECOND }),
  fromPerSec: fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 50_000, noNaN: true })),
  toPerSec: fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 50_000, noNaN: true })),
});
const anyPhases = fc.array(anyPhase, { minLength: 1, maxLength: 5 });

/** ∫₀ᵗ r by Simpson's rule, which is exact for straight lines: a witness that shares no formula with A⁻¹. */
function arrivalsBy(phases: readonly Phase[], tUs: number): number {
  let arrivals = 0;
  for (const { durationUs, fromPerSec, toPerSec } of phases) {
    const spentUs = Math.min(Math.max(0, tUs), durationUs);
    const at = (us: number): number => fromPerSec + (toPerSec - fromPerSec) * us / durationUs;
    arrivals += spentUs / 6e6 * (at(0) + 4 * at(spentUs / 2) + at(spentUs));
    tUs -= durationUs;
  }
  return arrivals;
}

Deno.test("the moment of arrival x is where the integral of the rate reaches x, for any phases", () => {
  forAll([anyPhases, fc.nat(999_999).map((part) => part / 1e6)], (phases, share) => {
    const profile = new Profile(phases);
    const x = profile.arrivals * share;
    const dueUs = profile.dueUs(x);
    if (dueUs === Infinity) return assert.ok(profile.arrivals - x <= profile.arrivals * 1e-12);
    assert.ok(Math.abs(arrivalsBy(phases, dueUs) - x) <= 1e-6 * Math.max(1, profile.arrivals));
  }, { seed: 5 });
});

function all(arrivals: Arrivals): number[] {
  const due: number[] = [];
  for (let next = arrivals.next(); next < Infinity; next = arrivals.next()) due.push(next);
  return due;
}

function schedule(profile: Profile, options: Partial<ArrivalOptions> = {}): number[] {
  return all(new Arrivals(profile, { kind: "uniform", seed: 1, first: 0, stride: 1, ...options }));
}

Deno.test("any number of workers makes the same schedule between them, of either kind", () => {
  const profile = new Profile([phase(3, 20, 80), phase(1, 0), phase(2, 33)]);
  forAll([
    fc.integer({ min: 1, max: 16 }),
    fc.constantFrom("uniform" as const, "poisson" as const),
    fc.nat(),
  ], (workers, kind, seed) => {
    const parts = Array.from(
      { length: workers },
      (_, first) => schedule(profile, { kind, seed, first, stride: workers }),
    );
    assert.deepEqual(parts.flat().sort((a, b) => a - b), schedule(profile, { kind, seed }));
  }, { seed: 9, numRuns: 40 });
});

/** Of the seeds 0 to 199: those that people name are small and lie side by side. */
const SMALL_SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const [mx, my] = [meanOf(xs), meanOf(ys)];
  const covariance = meanOf(xs.map((x, i) => (x - mx) * (ys[i] - my)));
  const spread = (values: readonly number[], mean: number): number =>
    Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
  return covariance / (spread(xs, mx) * spread(ys, my));
}

Deno.test("small seeds bring as many Poisson arrivals as they should, none too even and none empty", () => {
  const profile = new Profile([phase(8, 2)]);
  const counts = SMALL_SEEDS.map((seed) => schedule(profile, { kind: "poisson", seed }).length);
  // 99.9 % of sums of 200 Poisson counts of mean 16 lie within 16 ± 3.3 · √(16 / 200).
  assert.ok(Math.abs(meanOf(counts) - 16) < 0.93, `mean ${meanOf(counts)}`);
  const dispersion = counts.reduce((sum, count) => sum + (count - 16) ** 2 / 16, 0);
  // χ² of 200 degrees of freedom: 0.05 % below 139 and above 272.
  assert.ok(dispersion > 139 && dispersion < 272, `χ² ${dispersion}`);
  assert.ok(Math.min(...counts) >= 3, `${Math.min(...counts)} arrivals`);
});

const firstGaps = SMALL_SEEDS.map((seed) =>
  schedule(new Profile([phase(100, 1)]), { kind: "poisson", seed })[0] / SECOND
);

Deno.test("the first gaps of neighbouring seeds have nothing to do with each other", () => {
  for (const apart of [1, 2, 4, 64]) {
    const r = correlation(firstGaps.slice(apart), firstGaps.slice(0, -apart));
    // 1.96 / √200 = 0.14; of fewer pairs more.
    assert.ok(Math.abs(r) < 2.1 / Math.sqrt(200 - apart), `${apart} apart: r = ${r}`);
  }
});

Deno.test("the first gaps of small seeds are exponential (Kolmogorov and Smirnov)", () => {
  const distances = firstGaps.toSorted((a, b) => a - b).map((gap, i) => {
    const expected = 1 - Math.exp(-gap);
    return Math.max(Math.abs(expected - i / 200), Math.abs(expected - (i + 1) / 200));
  });
  // 5 % of samples of 200 come farther than 1.36 / √200.
  assert.ok(Math.max(...distances) < 1.36 / Math.sqrt(200), `${Math.max(...distances)}`);
});

Deno.test("what a seed draws has nothing to do with the arrivals that it brings", () => {
  const draws = SMALL_SEEDS.map((seed) => drawBy(seed)(0, 0xffff_ffff));
  const r = correlation(draws, firstGaps);
  assert.ok(Math.abs(r) < 0.15, `r = ${r}`);
  const gaps = schedule(new Profile([phase(1_000, 1)]), { kind: "poisson", seed: 1 });
  const draw = drawBy(1);
  const within = correlation(
    gaps.slice(0, 500).map((at, i) => at - (gaps[i - 1] ?? 0)),
    Array.from({ length: 500 }, () => draw(0, 0xffff_ffff)),
  );
  assert.ok(Math.abs(within) < 0.1, `r = ${within}`);
});

Deno.test("the repetitions of two experiments whose seeds are neighbours share no arrivals", () => {
  const seeds = [1, 2, 3].flatMap((seed) => [1, 2, 3].map((n) => derivedSeed(seed, n)));
  assert.equal(new Set(seeds).size, 9);
});

Deno.test("equal seeds give equal Poisson schedules, others another", () => {
  const profile = new Profile([phase(1, 100)]);
  assert.deepEqual(
    schedule(profile, { kind: "poisson", seed: 4 }),
    schedule(profile, { kind: "poisson", seed: 4 }),
  );
  assert.notDeepEqual(
    schedule(profile, { kind: "poisson", seed: 4 }),
    schedule(profile, { kind: "poisson", seed: 5 }),
  );
});

Deno.test("a Poisson process has the rate asked for and gaps whose deviation equals their mean", () => {
  const due = schedule(new Profile([phase(1_000, 100)]), { kind: "poisson", seed: 12 });
  const gaps = due.slice(1).map((at, i) => at - due[i]);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  assert.ok(Math.abs(due.length / 100_000 - 1) < 0.01, `${due.length} arrivals`);
  assert.ok(Math.abs(deviation / mean - 1) < 0.02, `deviation ${deviation}, mean ${mean}`);
});
