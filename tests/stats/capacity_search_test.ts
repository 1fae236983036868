import assert from "node:assert/strict";
import { SERVERS } from "../../bench/capacity/servers.ts";
import { simulateSearch, trueCapacity } from "../../bench/capacity/simulation.ts";
import { crossingOf, rateAt } from "../../runner/stats/capacity/crossing.ts";
import {
  capacityOf,
  nextStep,
  type PriorInterval,
  type SearchedTrial,
  type SearchGoal,
} from "../../runner/stats/capacity/search.ts";
import {
  dispersionOf,
  shareOfTrial,
  tailOf,
  type TrialShare,
  type TrialSlice,
} from "../../runner/stats/capacity/slices.ts";

const GOAL = {
  ...{ allowed: [0.01], widthRatio: 0.02 },
  ...{ shortS: 5, longS: 30, longestS: 75 },
  peakPerSec: 1_000,
};

/** Of an exponential tail: the root of the share beyond half the limit, and the square beyond twice it. */
function exponentialTail(
  requests: number,
  beyond: number,
): Omit<TrialSlice, "requests" | "beyond"> {
  const share = beyond / requests;
  return {
    beyondQuarter: requests * share ** 0.25,
    beyondHalf: requests * share ** 0.5,
    beyondDouble: requests * share ** 2,
  };
}

/** A trial whose share is a step at 1,000/s. */
function stepAt(ratePerSec: number, plannedS: number, capacity = 1_000): SearchedTrial {
  const requests = ratePerSec * plannedS;
  const beyond = ratePerSec > capacity ? requests / 2 : 0;
  const counts = { requests, beyond, ...exponentialTail(requests, beyond) };
  const share: TrialShare = { ratePerSec, ...counts, dispersion: null, seconds: plannedS };
  return { ratePerSec, plannedS, shares: [share], servedPerSec: Math.min(ratePerSec, capacity) };
}

/** To its end, on a server whose capacity is a step. */
function searchedFor(
  goal: SearchGoal,
  { capacity = 1_000, prior = null }: { capacity?: number; prior?: PriorInterval | null } = {},
): SearchedTrial[] {
  const trials: SearchedTrial[] = [];
  for (;;) {
    const step = nextStep(goal, trials, prior);
    if (step.kind === "found") return trials;
    assert.ok(trials.length < 60, "the search does not end");
    trials.push(stepAt(step.ratePerSec, step.plannedS, capacity));
  }
}

const searched = (capacity: number, peakPerSec: number): SearchedTrial[] =>
  searchedFor({ ...GOAL, peakPerSec }, { capacity });

Deno.test("the search finds a step from any start, above and below, in an interval of 2 % to either side", () => {
  for (const start of [1_000, 1_010, 3_000, 20_000, 400, 50]) {
    const found = capacityOf(GOAL, searched(1_000, start));
    assert.ok(found !== null);
    // The grid of rates has steps of 0.1 %.
    const isInside = found.low <= 1_001 && 999 <= found.high;
    assert.ok(isInside, `from ${start}: ${found.low}, ${found.high}`);
    assert.ok(found.high / found.low <= 1.02 ** 2 + 1e-9, `${found.high / found.low}`);
  }
});

Deno.test("the search begins with short trials and ends with long ones on both sides", () => {
  const trials = searched(1_000, 2_000);
  assert.equal(trials[0].plannedS, 5);
  assert.equal(trials[0].ratePerSec, 2_000);
  const long = trials.filter(({ plannedS }) => plannedS === 30);
  assert.ok(long.some(({ ratePerSec }) => ratePerSec < 1_000));
  assert.ok(long.some(({ ratePerSec }) => ratePerSec > 1_000));
});

Deno.test("where short trials are as long as long ones, the search still looks on the side that has seen less", () => {
  const goal = { ...GOAL, shortS: 30, peakPerSec: 2_000 };
  const found = capacityOf(goal, searchedFor(goal));
  assert.ok(found !== null && found.low <= 1_000 && 1_000 <= found.high);
});

Deno.test("the capacity is unknown until one rate held and another broke", () => {
  assert.equal(capacityOf(GOAL, []), null);
  assert.equal(capacityOf(GOAL, [stepAt(900, 5)]), null);
  assert.equal(capacityOf(GOAL, [stepAt(1_100, 5)]), null);
  assert.ok(capacityOf(GOAL, [stepAt(900, 5), stepAt(1_100, 5)]) !== null);
});

Deno.test("of several rules the one that breaks first is the capacity", () => {
  const goal = { ...GOAL, allowed: [0.01, 0.01] };
  const trials = [800, 900, 950, 1_000, 1_050, 1_100, 1_200].map((rate) => ({
    ...stepAt(rate, 30),
    shares: [stepAt(rate, 30, 1_150).shares[0], stepAt(rate, 30, 980).shares[0]],
  }));
  const found = capacityOf(goal, trials);
  assert.ok(found !== null);
  assert.equal(found.binding, 1);
  assert.ok(found.value > 950 && found.value < 1_000, `${found.value}`);
});

const AT_1000 = {
  ...{ allowed: 0.01, range: { low: 900, high: 1_100 } },
  ...{ peakPerSec: 1_000, longS: 30 },
};

Deno.test("close to the peak shares rise as steeply as in a queue, and the crossing is known better", () => {
  const shares = [[960, 0.4], [990, 1.1], [1_020, 3]].map(([ratePerSec, times]): TrialShare => {
    const requests = ratePerSec * 30;
    const beyond = 0.01 * times * requests;
    const counts = { requests, beyond, ...exponentialTail(requests, beyond) };
    return { ratePerSec, ...counts, dispersion: 150, seconds: 30 };
  });
  const lowAt = (peakPerSec: number): number =>
    rateAt(crossingOf(shares, { ...AT_1000, peakPerSec }), 0.01);
  assert.ok(lowAt(1_040) > lowAt(3_000) + 1, `${lowAt(1_040)}, ${lowAt(3_000)}`);
});

/** Trials around a crossing at 1,000/s whose shares fall by so much of what they do in an exponential tail. */
function tailedTrials(below: number, above: number, dispersion = 50): TrialShare[] {
  return [[960, 0.6], [990, 0.9], [1_020, 1.3]].map(([ratePerSec, times]): TrialShare => {
    const requests = ratePerSec * 30;
    const share = 0.01 * times;
    const half = 0.6 * share ** 0.5;
    const counts = {
      requests,
      beyondQuarter: requests * half ** (1 - below / 2),
      beyondHalf: requests * half,
      beyond: requests * share,
      beyondDouble: requests * share ** (1 + above),
    };
    return { ratePerSec, ...counts, dispersion, seconds: 30 };
  });
}

Deno.test("a tail is heavy where shares fall too gently below half the limit and beyond it", () => {
  const isHeavy = (...falls: Parameters<typeof tailedTrials>): boolean =>
    tailOf(tailedTrials(...falls), 0.01) < 1;
  assert.equal(isHeavy(1, 1), false);
  assert.equal(isHeavy(0.6, 0.4), true);
  assert.equal(isHeavy(0.85, 0.3), true, "beyond the limit it goes on as before it");
  assert.equal(isHeavy(0.85, 1), false, "a queue of two speeds falls sharply beyond the limit");
  assert.equal(isHeavy(0.85, 1, 200), true, "four clusters are too few to tell");
});

Deno.test("where a tail is heavy, the interval is wider", () => {
  const widthAt = (fall: number): number => {
    const crossing = crossingOf(tailedTrials(fall, fall), { ...AT_1000, peakPerSec: 1_040 });
    return rateAt(crossing, 0.975) / rateAt(crossing, 0.025) - 1;
  };
  assert.ok(widthAt(0.4) > 1.3 * widthAt(1), `${widthAt(0.4)}, ${widthAt(1)}`);
});

Deno.test("before any trial rates are alike probable, at the peak and far below it", () => {
  for (const peakPerSec of [1_000, 3_000]) {
    const { cumulative } = crossingOf([], { ...AT_1000, peakPerSec });
    for (const [i, below] of cumulative.entries()) {
      assert.ok(Math.abs(below - (i + 1) / cumulative.length) < 1e-9, `${i}: ${below}`);
    }
  }
});

Deno.test("more trials narrow the crossing", () => {
  const trials = [950, 980, 1_020, 1_050].map((rate) => stepAt(rate, 30).shares[0]);
  const widthOf = (shares: readonly TrialShare[]): number => {
    const crossing = crossingOf(shares, AT_1000);
    return rateAt(crossing, 0.975) / rateAt(crossing, 0.025);
  };
  assert.ok(widthOf(trials) < widthOf([trials[0], trials[3]]));
});

function slice(requests: number, beyond: number): TrialSlice {
  return { requests, beyond, beyondQuarter: beyond, beyondHalf: beyond, beyondDouble: 0 };
}

Deno.test("requests that come in clusters have a dispersion as large as the clusters", () => {
  const one = slice(1_000, 0);
  const cluster = slice(1_000, 500);
  const clustered = Array.from({ length: 100 }, (_, i) => i % 25 === 0 ? cluster : one);
  const even = Array.from({ length: 100 }, () => slice(1_000, 20));
  const [most, least] = [clustered, even].map(dispersionOf);
  assert.ok(most !== null && most > 300, `${most}`);
  assert.equal(least, 0);
  assert.equal(dispersionOf(Array.from({ length: 100 }, () => one)), null);
});

Deno.test("the first tenth of a whole trial is no sample, as its server began idle", () => {
  const slices = Array.from({ length: 20 }, (_, i) => slice(10, i < 2 ? 10 : 1));
  const timed = { ratePerSec: 40, sliceS: 0.25 };
  const whole = shareOfTrial(slices, { ...timed, isCutShort: false });
  assert.deepEqual([whole.requests, whole.beyond, whole.seconds], [180, 18, 4.5]);
  const cut = shareOfTrial(slices, { ...timed, isCutShort: true });
  assert.deepEqual([cut.requests, cut.beyond, cut.seconds], [200, 38, 5]);
});

for (const server of SERVERS.filter(({ knownPerSec }) => knownPerSec !== null)) {
  Deno.test(`the interval holds the known capacity of a simulated server: ${server.name}`, () => {
    const capacity = trueCapacity(server);
    const searches = Array.from({ length: 8 }, (_, seed) => simulateSearch(server, seed));
    const covered = searches.filter(({ estimate, seconds }) =>
      estimate !== null && estimate.low <= capacity(seconds) && capacity(seconds) <= estimate.high
    );
    assert.ok(covered.length >= 7, `${covered.length} of 8`);
    if (!server.isHeavyTailed) assert.ok(searches.filter(({ isFound }) => isFound).length >= 7);
  });
}

Deno.test("a prior interval is looked at from just outside, and a search that trusts a right one ends sooner", () => {
  const prior = { low: 985, high: 1_015 };
  const trials = searchedFor({ ...GOAL, peakPerSec: 3_000 }, { prior });
  const [low, high] = trials.map(({ ratePerSec }) => ratePerSec);
  assert.ok(970 < low && low < 985 && 1_015 < high && high < 1_030, `${low}, ${high}`);
  assert.ok(trials.length < searched(1_000, 3_000).length);
});

Deno.test("a prior interval that is wide says less than the peak, where the search then begins", () => {
  const step = nextStep({ ...GOAL, peakPerSec: 1_040 }, [], { low: 9, high: 1_700 });
  assert.deepEqual(step, { kind: "trial", ratePerSec: 1_040, plannedS: GOAL.shortS });
});

Deno.test("a prior interval that is wrong by 10 % or by far costs trials, not the capacity", () => {
  for (const off of [0.3, 0.9, 1.1, 3]) {
    const prior = { low: 980 * off, high: 1_020 * off };
    const found = capacityOf(GOAL, searchedFor(GOAL, { prior }));
    assert.ok(found !== null && found.low <= 1_001 && 999 <= found.high, `${off}`);
  }
});

Deno.test("what a server completes under overload shows where to go on", () => {
  const [, next] = searched(1_000, 2_000);
  assert.ok(next.ratePerSec < 1_000 && next.ratePerSec > 900, `${next.ratePerSec}`);
});

Deno.test("of an overloaded server the rate that it completed is tried next, however often", () => {
  const overloaded = [2_000, 1_400, 1_150]
    .map((rate) => ({ ...stepAt(rate, 5), servedPerSec: 1_020 }));
  const step = nextStep({ ...GOAL, peakPerSec: 2_000 }, overloaded);
  assert.ok(step.kind === "trial" && step.ratePerSec > 970 && step.ratePerSec < 1_020);
});

/** A trial with so many times the allowed share, all of it in a few clusters. */
function clusteredAt(ratePerSec: number, times: number, clusters: number): SearchedTrial {
  const requests = ratePerSec * 30;
  const beyond = 0.01 * times * requests;
  const counts = { requests, beyond, ...exponentialTail(requests, beyond) };
  const share: TrialShare = {
    ...{ ratePerSec, ...counts },
    ...{ dispersion: beyond / clusters, seconds: 27 },
  };
  return { ratePerSec, plannedS: 30, shares: [share], servedPerSec: ratePerSec };
}

function secondsOfNext(clusters: number): number {
  const times = [[960, 0.4], [970, 0.9], [1_000, 1.2], [1_010, 1.9]];
  const trials = times.map(([rate, share]) => clusteredAt(rate, share, clusters));
  const step = nextStep({ ...GOAL, widthRatio: 0.01 }, trials);
  assert.ok(step.kind === "trial");
  return step.plannedS;
}

Deno.test("where requests are late in rare clusters, trials of a wide interval are longer, up to the longest", () => {
  assert.equal(secondsOfNext(30), 30);
  const few = secondsOfNext(1.2);
  assert.ok(few > 40 && few <= GOAL.longestS, `${few}`);
  assert.equal(secondsOfNext(0.9), 30, "fewer than four clusters show no size");
});

Deno.test("below a rate that broke by little the next one is near, and further steps double", () => {
  const next = (...trials: SearchedTrial[]): number => {
    const step = nextStep({ ...GOAL, peakPerSec: 1_100 }, trials);
    assert.ok(step.kind === "trial");
    return step.ratePerSec;
  };
  const overload = { ...stepAt(1_100, 5), servedPerSec: 1_090 };
  const little = clusteredAt(1_040, 2, 3);
  assert.ok(Math.abs(next(overload, little) / 1_000 - 1) < 0.005, `${next(overload, little)}`);
  const lower = clusteredAt(1_000, 2, 3);
  const twice = next(overload, little, lower);
  assert.ok(twice < 930 && twice > 915, `${twice}`);
});

Deno.test("a server that fails a share of all requests, at any rate, is left in few trials", () => {
  const trials: SearchedTrial[] = [];
  for (let ratePerSec = 20_000; ratePerSec > 20;) {
    const [share] = stepAt(ratePerSec, 5, 0).shares;
    trials.push({ ratePerSec, plannedS: 5, shares: [share], servedPerSec: 0.95 * ratePerSec });
    const step = nextStep({ ...GOAL, peakPerSec: 20_000 }, trials);
    assert.ok(step.kind === "trial");
    ratePerSec = step.ratePerSec;
  }
  assert.ok(trials.length < 16, `${trials.length}`);
});
