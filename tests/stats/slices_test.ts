/** Slices of two processes, pairs of processes, the looks of `ab`, and a side that disturbs the other. */
import assert from "node:assert/strict";
import { disturbanceOf } from "../../runner/stats/slices/disturbance.ts";
import { stdevOf } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import {
  decide,
  type LookedAt,
  type LookOptions,
  nextProcessLook,
  PROCESS_LOOK_SIGNIFICANCE,
  PROCESS_LOOKS,
} from "../../runner/stats/slices/looks.ts";
import { processLevelsOf, stdevWithin } from "../../runner/stats/slices/process_levels.ts";
import {
  errorOverRounds,
  pairedSeries,
  type SideSlices,
  type SliceRatio,
  sliceRatioOf,
} from "../../runner/stats/slices/slice_ratio.ts";
import { Random } from "../../bench/statistics/random.ts";
import { randomFrom } from "../report/intervals.ts";

/** @param completed One a slice, of a tenth of a second. */
function side(completed: readonly number[], change: Partial<SideSlices> = {}): SideSlices {
  const all = (value: number): number[] => completed.map(() => value);
  return {
    pair: [...completed.keys()],
    measuredS: all(0.1),
    completed,
    serviceSumMs: all(100),
    served: completed,
    cpuMs: all(90),
    restCpuMs: all(0),
    ...change,
  };
}

function ratioOf(base: SideSlices, next: SideSlices): SliceRatio | null {
  const series = pairedSeries(base, next, "rate");
  return series && sliceRatioOf(series);
}

Deno.test("slices: the ratio is that of the figures of both sides", () => {
  const found = ratioOf(side([100, 200, 0]), side([50, 100, 100]));
  assert.ok(found);
  assert.ok(Math.abs(Math.exp(found.logRatio) - 250 / 300) < 1e-12);
});

Deno.test("slices: a side that served nothing has no ratio", () => {
  assert.equal(ratioOf(side([0, 0]), side([5, 5])), null);
  assert.equal(ratioOf(side([5, 5]), side([0, 0])), null);
});

Deno.test("slices: what moves both of a pair cancels", () => {
  const random = randomFrom(5);
  const speeds = Array.from({ length: 100 }, () => 1_000 + 9_000 * random());
  const found = ratioOf(side(speeds), side(speeds.map((speed) => 0.9 * speed)));
  assert.ok(found);
  assert.ok(Math.abs(Math.exp(found.logRatio) - 0.9) < 1e-12);
  assert.ok(found.standardError < 1e-12);
});

Deno.test("slices: pairs belong together by their number, and one that lacks a slice is left out", () => {
  const base = side([100, 100, 500], { pair: [0, 1, 2] });
  const next = side([50, 50], { pair: [1, 0] });
  const found = ratioOf(base, next);
  assert.equal(found?.pairs, 2);
  assert.ok(Math.abs(Math.exp(found?.logRatio ?? NaN) - 0.5) < 1e-12);
});

Deno.test("slices: what a side does at rest is no CPU time of its requests, and unseen is not 0", () => {
  const base = side([100, 100], { restCpuMs: [40, 40] });
  const series = pairedSeries(base, side([100, 100]), "cpuPerRequest");
  assert.deepEqual([...series?.base.amounts ?? []], [50, 50]);
  assert.equal(pairedSeries(side([1], { cpuMs: [null] }), side([1]), "cpuPerRequest"), null);
  const once = pairedSeries(side([1, 2], { cpuMs: [null, 7] }), side([3, 4]), "cpuPerRequest");
  assert.deepEqual([[...once?.base.of ?? []], [...once?.next.of ?? []]], [[2], [4]]);
});

Deno.test("slices: pairs that depend on each other make the error larger, and their block is seen", () => {
  const random = randomFrom(8);
  const independent = Array.from({ length: 400 }, () => 1_000 * (1 + 0.1 * (random() - 0.5)));
  let level = 0;
  const wandering = independent.map(() => {
    level = 0.8 * level + 0.1 * (random() - 0.5);
    return 1_000 * (1 + level);
  });
  const even = side(independent.map(() => 1_000));
  const [free, bound] = [independent, wandering].map((next) => ratioOf(even, side(next)));
  assert.equal(free?.blockPairs, 1);
  assert.ok((bound?.blockPairs ?? 0) > 3, `${bound?.blockPairs}`);
  assert.ok((bound?.standardError ?? 0) > 3 * (free?.standardError ?? 1));
});

Deno.test("slices: too few pairs, and a level that wanders off, are refused by name", () => {
  const even = (count: number): number[] => Array.from({ length: count }, () => 1_000);
  const few = ratioOf(side(even(12)), side(even(12)));
  assert.equal(few?.unclear, "too-short");
  const random = randomFrom(3);
  const trend = even(200).map((one, i) => one * (1 + i / 400) + 5 * random());
  assert.equal(ratioOf(side(even(200)), side(trend))?.unclear, "not-stationary");
});

/** So many pairs whose speeds vary by about a tenth each. @param ratio Of the new side over the base. */
function noisyRatio(pairs: number, ratio: number, seed: number): SliceRatio {
  const random = randomFrom(seed);
  const drawn = (mean: number): SideSlices =>
    side(Array.from({ length: pairs }, () => Math.round(mean * (0.83 + 0.34 * random()))));
  const found = ratioOf(drawn(1_000), drawn(1_000 * ratio));
  assert.ok(found);
  return found;
}

Deno.test("slices: eight pairs are enough for a threefold ratio, and for none within their spread", () => {
  const [clear, small] = [noisyRatio(8, 2.9, 1), noisyRatio(8, 1.05, 2)];
  for (const { standardError, degreesOfFreedom } of [clear, small]) {
    assert.equal(degreesOfFreedom, 7);
    assert.ok(standardError > 0.08, "as large as that of one pair");
  }
  const reach = tQuantile(1 - PROCESS_LOOK_SIGNIFICANCE, 7);
  assert.ok(clear.logRatio > reach * clear.standardError);
  assert.ok(Math.abs(small.logRatio) < reach * small.standardError);
});

Deno.test("slices: an error becomes no larger with more pairs, and much smaller where they are independent", () => {
  const errors = [8, 30, 50, 100, 300].map((pairs) => noisyRatio(pairs, 1, 4).standardError);
  for (const [at, error] of errors.entries()) assert.ok(error < 1.3 * (errors[at - 1] ?? error));
  assert.ok(errors[4] < errors[0] / 8, errors.join(", "));
});

Deno.test("slices: five pairs, which may be alike by chance, have no error, and four rounds have", () => {
  assert.ok(Number.isNaN(noisyRatio(5, 1, 5).standardError));
  assert.ok(errorOverRounds([0.1, 0.12, 0.09, 0.11]).standardError > 0.01);
  assert.ok(Number.isNaN(errorOverRounds([0.1, 0.1, 0.1]).standardError));
});

Deno.test("slices: of pairs that wander the error is that of a further stretch, however many there are", () => {
  const random = randomFrom(3);
  const trend = Array.from({ length: 400 }, (_, i) => 1_000 * (1 + i / 800) + 5 * random());
  const found = ratioOf(side(trend.map(() => 1_000)), side(trend));
  assert.ok(found);
  assert.equal(found.unclear, "not-stationary");
  const stretches = Array.from(
    { length: 25 },
    (_, at) => meanOf([...found.shares.subarray(16 * at, 16 * (at + 1))]),
  );
  const spread = stdevOf(Float64Array.from(stretches)) * Math.sqrt(25 / 24);
  const expected = spread * Math.sqrt(1 + 1 / 25);
  assert.ok(Math.abs(found.standardError / expected - 1) < 0.001, `${found.standardError}`);
  assert.ok(found.standardError > stdevOf(found.shares), "a trend is as large in stretches");
});

/** As many pairs as a `versus` of two minutes has, each noisy, whose level drifts. @param ratio Of the new side over the base. */
function drifting(ratio: number): SliceRatio {
  const random = new Random(23);
  const pairs = 640;
  const noisy = (): number => Math.exp(0.35 * random.normal());
  const base = Array.from({ length: pairs }, () => 1_000 * noisy());
  const next = Array.from(
    { length: pairs },
    (_, i) => 1_000 * ratio * noisy() * (0.8 + 0.4 * i / pairs),
  );
  const found = ratioOf(side(base), side(next));
  assert.ok(found);
  return found;
}

const REACH = tQuantile(1 - PROCESS_LOOK_SIGNIFICANCE, 8);

Deno.test("slices: noisy pairs that wander a little show a large ratio, and none within what they wander by", () => {
  const [large, small] = [drifting(1 / 5.8), drifting(0.85)];
  for (const { unclear, standardError, shares } of [large, small]) {
    assert.equal(unclear, "not-stationary");
    assert.ok(
      standardError < stdevOf(shares) / 2,
      "the noise of single pairs is none of the level's",
    );
    assert.ok(standardError > 0.115, "what the level drifts by, 0.4 / √12, is");
  }
  assert.ok(large.logRatio < -REACH * large.standardError - 0.02);
  assert.ok(large.logRatio > -REACH * stdevOf(large.shares), "single pairs would not show it");
  assert.ok(small.logRatio > -REACH * small.standardError);
});

Deno.test("slices: a ratio that wanders about 1 is rarely called another, below noise as well", () => {
  const random = new Random(29);
  const [cases, pairs] = [50, 500];
  for (const correlation of [0.95, 0.99]) {
    for (const noise of [0, 0.1]) {
      let [called, wandering] = [0, 0];
      for (let at = 0; at < cases; at++) {
        const next = random.waves(pairs, { stdev: 0.1, correlation })
          .map((wave) => 1_000 * Math.exp(wave + noise * random.normal()));
        const found = ratioOf(side(next.map(() => 1_000)), side(next));
        assert.ok(found);
        if (found.unclear !== null) wandering++;
        if (Math.abs(found.logRatio) > REACH * found.standardError) called++;
      }
      const what = `AR(${correlation}), noise ${noise}: ${wandering} wander, ${called} called`;
      assert.ok(wandering > cases / 4 && called <= 0.05 * cases, what);
    }
  }
});

Deno.test("process levels: what the slices do not explain is between processes", () => {
  const pairs = [0.02, -0.02, 0.02, -0.02];
  const wide = processLevelsOf(pairs, 0.005);
  assert.equal(wide?.limitedBy, "processes");
  assert.ok(Math.abs((wide?.stdev ?? 0) - 0.02 * Math.sqrt(4 / 3)) < 1e-12);
  const own = Math.hypot(wide?.withinStdev ?? 0, wide?.betweenStdev ?? 0);
  assert.ok(Math.abs(own - (wide?.stdev ?? 0)) < 1e-12);
  const even = processLevelsOf(pairs, 0.05);
  assert.deepEqual([even?.limitedBy, even?.betweenStdev], ["slices", 0]);
});

Deno.test("process levels: one pair of processes says nothing of the next, and unknown errors no level", () => {
  assert.equal(processLevelsOf([0], 0.1), null);
  const unknown = processLevelsOf([1, 2], null);
  assert.deepEqual([unknown?.withinStdev, unknown?.limitedBy], [null, null]);
});

Deno.test("process levels: what slices explain is known from pairs of processes with few of them each", () => {
  const random = randomFrom(12);
  const ofOne = (pairs: number) =>
    Float64Array.from({ length: pairs }, () => 0.1 * Math.sqrt(12) * (random() - 0.5));
  const centred = (values: Float64Array): Float64Array => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const found = stdevWithin(Array.from({ length: 60 }, () => centred(ofOne(15)))) ?? 0;
  assert.ok(Math.abs(found / (0.1 / Math.sqrt(15)) - 1) < 0.1, `${found}`);
  assert.equal(stdevWithin([new Float64Array(5)]), null);
});

const UNKNOWN = { interval: null, sliced: null };
const OPEN = { ...UNKNOWN, verdict: "inconclusive", reason: "few-runs" } as const;
const EVEN = { ...UNKNOWN, verdict: "equivalent", reason: null } as const;
const WORSE = { ...UNKNOWN, verdict: "worse", reason: null } as const;

function at(processes: number): LookOptions {
  return { processes, marginRatio: 0.02 };
}

Deno.test("looks: an ab ends at a slowdown, or when everything is decided, and else at the last look", () => {
  assert.deepEqual(decide([OPEN, WORSE], at(4)), { goesOn: false, reason: "worse" });
  assert.deepEqual(decide([EVEN, EVEN], at(4)), { goesOn: false, reason: "decided" });
  assert.deepEqual(decide([EVEN, OPEN], at(4)), { goesOn: true, reason: "open" });
  const last = PROCESS_LOOKS[PROCESS_LOOKS.length - 1];
  assert.deepEqual(decide([OPEN], at(last)), { goesOn: false, reason: "open" });
});

Deno.test("looks: what no number of processes decides holds nobody", () => {
  const never = { ...UNKNOWN, verdict: "inconclusive", reason: "disturbed" } as const;
  assert.deepEqual(decide([never, EVEN], at(4)), { goesOn: false, reason: "undecidable" });
  assert.equal(decide([never, OPEN], at(4)).goesOn, true);
});

/** So many pairs of processes with a mean log ratio, which differ by a standard deviation. */
function openAfter(
  processes: number,
  mean: number,
  stdev: number,
): LookedAt & { interval: ConfidenceInterval } {
  const variance = { variance: stdev ** 2 / processes, degreesOfFreedom: processes - 1 };
  const confidence = 1 - PROCESS_LOOK_SIGNIFICANCE;
  return { ...OPEN, interval: studentInterval(Math.exp(mean), variance, confidence) };
}

Deno.test("looks: what the pairs that are left would hardly decide is given up, and not too early", () => {
  const goesOn = (one: LookedAt, processes: number) => decide([one], at(processes)).goesOn;
  assert.ok(goesOn(openAfter(4, 0, 0.3), 4), "four pairs say little");
  assert.ok(!goesOn(openAfter(28, 0, 0.3), 28));
  assert.ok(
    goesOn(openAfter(28, 0.12, 0.3), 28),
    "the interval may yet come to lie beyond the margin",
  );
  assert.ok(goesOn(openAfter(28, 0, 0.04), 28), "or within it");
  assert.ok(!goesOn(openAfter(28, Math.log1p(0.02), 0.04), 28), "but not on its edge");
  assert.ok(goesOn(openAfter(28, 0.12, 0.3), 28) && !goesOn(openAfter(64, 0.12, 0.3), 64));
  const running = { ...openAfter(28, 0, 0.3), sliced: { areTheseTwo: true } };
  assert.ok(goesOn(running, 28), "two running processes are not known by their number");
  assert.ok(decide([openAfter(28, 0, 0.3), OPEN], at(28)).goesOn, "another figure is awaited");
});

Deno.test("looks: without a difference they end earlier, and few differences are missed for it", () => {
  const random = randomFrom(31);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const ended = (mean: number, givesUp: boolean) => {
    const cases = Array.from({ length: 300 }, () => {
      const logs: number[] = [];
      for (const processes of PROCESS_LOOKS) {
        while (logs.length < processes) logs.push(mean + 0.1 * normal());
        const one = openAfter(processes, meanOf(logs), stdevOf(Float64Array.from(logs)));
        const { low, high } = one.interval;
        if (low > 1.02 || high < 1 / 1.02) return { isCalled: true, processes };
        if (givesUp && !decide([one], at(processes)).goesOn) return { isCalled: false, processes };
      }
      return { isCalled: false, processes: logs.length };
    });
    return {
      called: cases.filter(({ isCalled }) => isCalled).length / cases.length,
      processes: meanOf(cases.map(({ processes }) => processes)),
    };
  };
  const nothing = ended(0, true);
  assert.ok(nothing.processes < 30, `${nothing.processes} pairs where nothing differs`);
  assert.ok(nothing.called < 0.05, `${nothing.called}`);
  const [all, some] = [ended(0.06, false), ended(0.06, true)];
  assert.ok(all.called > 0.5 && some.called > all.called - 0.1, `${all.called} ${some.called}`);
});

Deno.test("looks: none before four pairs of processes, and each further than the one before", () => {
  assert.equal(nextProcessLook(0), 4);
  assert.equal(nextProcessLook(4), 6);
  assert.equal(nextProcessLook(100), null);
});

Deno.test("disturbance: the side that uses more at rest is named, and nobody for as much as the other", () => {
  const busy = { cpuMs: 300, seconds: 1 };
  const calm = { cpuMs: 20, seconds: 1 };
  assert.equal(disturbanceOf(busy, calm)?.side, "base");
  const found = disturbanceOf(calm, busy);
  assert.equal(found?.side, "next");
  assert.ok(Math.abs((found?.cores ?? 0) - 0.28) < 1e-12);
  assert.equal(disturbanceOf(busy, busy), null);
  assert.equal(disturbanceOf(null, busy), null);
});

Deno.test("disturbance: where both sides work at rest, the ratio may be off by more than the difference", () => {
  const rest = (cores: number) => ({ cpuMs: 1_000 * cores, seconds: 1 });
  const mostRatio = (base: number, next: number): number | undefined =>
    disturbanceOf(rest(base), rest(next))?.mostRatio;
  // If each takes all of that from the other, the speeds are 0.4 and 0.5 of what they would be.
  assert.ok(Math.abs((mostRatio(0.5, 0.6) ?? 0) - (1 - 0.4 / 0.5)) < 1e-12);
  assert.equal(mostRatio(0.5, 0.6), mostRatio(0.6, 0.5));
  assert.equal(mostRatio(0, 0.3), 0.3);
  assert.deepEqual([mostRatio(0.2, 1.4), mostRatio(1, 1.1), mostRatio(2, 3)], [1, 1, 1]);
});
