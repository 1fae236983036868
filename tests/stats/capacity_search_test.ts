import assert from "node:assert/strict";
import { QUEUES, type ServerKind, type Terms } from "../../bench/capacity/servers.ts";
import {
  capacityIn,
  type SimulatedSearch,
  simulateSearch,
} from "../../bench/capacity/simulation.ts";
import { crossingOf, ENOUGH_CLUSTERS, rateAt } from "../../runner/stats/capacity/crossing.ts";
import {
  clusterEveryS,
  LEVELS,
  relaxationS,
  type Rule,
} from "../../runner/stats/capacity/queue.ts";
import {
  capacityOf,
  lowerBoundOf,
  nextStep,
  type PriorInterval,
  type SearchedTrial,
  type SearchGoal,
} from "../../runner/stats/capacity/search.ts";
import {
  certainlyBroken,
  dispersionOf,
  shareOfTrial,
  type TrialShare,
  type TrialSlice,
} from "../../runner/stats/capacity/slices.ts";

const RULE: Rule = { allowed: 0.01, limitS: 0.05 };
const GOAL: SearchGoal = {
  ...{ rules: [RULE], widthRatio: 0.02 },
  ...{ shortS: 5, longS: 30, longestS: 75 },
  peakPerSec: 1_000,
};

/** A share beyond each part of the limit as an exponential tail has it, in so many clusters. */
function exponentialShare(
  { ratePerSec, seconds }: { ratePerSec: number; seconds: number },
  share: number,
  clusters: number | null = null,
): TrialShare {
  const requests = ratePerSec * seconds;
  const levels = LEVELS.map((part) => {
    const beyond = requests * share ** part;
    const ofPart = clusters === null ? null : clusters * share ** (part - 1);
    return { beyond, dispersion: ofPart === null ? null : beyond / ofPart };
  });
  return { ratePerSec, seconds, startS: 3, requests, levels };
}

/** A trial whose share is a step at 1,000/s. */
function stepAt(
  ratePerSec: number,
  plannedS: number,
  { capacity = 1_000, isSustained = false } = {},
): SearchedTrial {
  const share = exponentialShare(
    { ratePerSec, seconds: plannedS },
    ratePerSec > capacity ? 0.5 : 0,
  );
  const servedPerSec = Math.min(ratePerSec, capacity);
  return { ratePerSec, plannedS, isSustained, shares: [share], servedPerSec };
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
    assert.ok(step.kind === "trial" && trials.length < 60, "the search does not end");
    const isSustained = step.burst !== null;
    trials.push(stepAt(step.ratePerSec, step.plannedS, { capacity, isSustained }));
  }
}

const searched = (capacity: number, peakPerSec: number): SearchedTrial[] =>
  searchedFor({ ...GOAL, peakPerSec }, { capacity });

Deno.test("the search finds a step from any start, above and below, in an interval of 2 % to either side", () => {
  for (const start of [1_010, 3_000, 20_000, 400, 50]) {
    const found = capacityOf(GOAL, searched(1_000, start));
    assert.ok(found !== null);
    // The grid of rates has steps of some 0.1 %.
    const isInside = found.low <= 1_002 && 998 <= found.high;
    assert.ok(isInside, `from ${start}: ${found.low}, ${found.high}`);
    assert.ok(found.high / found.low <= 1.02 ** 2 + 1e-9, `${found.high / found.low}`);
    assert.ok(found.clusters >= ENOUGH_CLUSTERS);
  }
});

Deno.test("the search begins with short trials and ends with one that must be sustained, at the lower end after an overload", () => {
  const trials = searched(1_000, 2_000);
  assert.deepEqual([trials[0].plannedS, trials[0].ratePerSec], [5, 2_000]);
  const last = trials[trials.length - 1];
  assert.deepEqual([last.isSustained, last.plannedS], [true, GOAL.longestS]);
  assert.ok(last.ratePerSec < 1_000 && last.ratePerSec > 950, `${last.ratePerSec}`);
  const step = nextStep({ ...GOAL, peakPerSec: 2_000 }, trials.slice(0, -1));
  assert.ok(step.kind === "trial" && step.burst !== null);
  assert.ok(step.burst.ratePerSec > step.ratePerSec && step.burst.seconds < step.startS);
});

Deno.test("where the sustained trial breaks nothing is found, however narrow the interval was", () => {
  const trials = searched(1_000, 2_000);
  const last = trials[trials.length - 1];
  const share = exponentialShare({ ...last, seconds: last.plannedS }, 0.03, 30);
  const broken = [...trials.slice(0, -1), { ...last, shares: [share] }];
  assert.deepEqual(nextStep(GOAL, broken), { kind: "unsustained" });
});

Deno.test("the interval of a result begins an eighth of its width below the rate of the sustained trial, which may have held by chance", () => {
  for (const start of [1_010, 2_000, 3_000, 400]) {
    const trials = searched(1_000, start);
    const { ratePerSec } = trials[trials.length - 1];
    const found = capacityOf(GOAL, trials);
    const most = ratePerSec / 1.02 ** (1 / 4);
    assert.ok(found !== null && found.low <= most * (1 + 1e-9), `${found?.low} of ${ratePerSec}`);
  }
});

Deno.test("the capacity is unknown until one rate held and another broke", () => {
  assert.equal(capacityOf(GOAL, []), null);
  assert.equal(capacityOf(GOAL, [stepAt(900, 5)]), null);
  assert.equal(capacityOf(GOAL, [stepAt(1_100, 5)]), null);
  assert.ok(capacityOf(GOAL, [stepAt(900, 5), stepAt(1_100, 5)]) !== null);
});

Deno.test("of several rules the one that breaks first is the capacity", () => {
  const goal = { ...GOAL, rules: [RULE, RULE] };
  const trials = [800, 900, 950, 1_000, 1_050, 1_100, 1_200].map((rate) => ({
    ...stepAt(rate, 30),
    shares: [1_150, 980].map((capacity) => stepAt(rate, 30, { capacity }).shares[0]),
  }));
  const found = capacityOf(goal, trials);
  assert.ok(found !== null);
  assert.equal(found.binding, 1);
  assert.ok(found.value > 950 && found.value < 1_000, `${found.value}`);
});

Deno.test("what only held is a lower bound: below the highest rate, nearer to it the more trials held", () => {
  const boundAfter = (count: number): number => {
    const bound = lowerBoundOf(GOAL, Array.from({ length: count }, () => stepAt(1_000, 30)));
    assert.ok(bound !== null);
    return bound;
  };
  assert.equal(lowerBoundOf(GOAL, [stepAt(1_100, 30)]), null);
  const [one, many] = [boundAfter(1), boundAfter(8)];
  assert.ok(one < 975 && many > one && many < 1_000, `${one}, ${many}`);
});

const AT_1000 = { rule: RULE, range: { low: 900, high: 1_100 } };

Deno.test("before any trial rates are alike probable", () => {
  const { cumulative } = crossingOf([], AT_1000);
  for (const [i, below] of cumulative.entries()) {
    assert.ok(Math.abs(below - (i + 1) / cumulative.length) < 1e-3, `${i}: ${below}`);
  }
});

function widthOf(shares: readonly TrialShare[]): number {
  const crossing = crossingOf(shares, AT_1000);
  return rateAt(crossing, 0.975) / rateAt(crossing, 0.025) - 1;
}

/** Around a crossing at 1,000/s, as in M/M/1. */
function trialsAround(seconds: number, clustersAtOnce: number): TrialShare[] {
  return [960, 985, 1_000, 1_015].map((ratePerSec) => {
    const share = 0.01 * Math.exp((ratePerSec - 1_000) * RULE.limitS);
    return exponentialShare({ ratePerSec, seconds }, share, clustersAtOnce * share / 0.01);
  });
}

Deno.test("the interval is narrower the longer trials are, and wider the fewer clusters they have", () => {
  assert.ok(widthOf(trialsAround(300, 40)) < widthOf(trialsAround(60, 8)));
  assert.ok(widthOf(trialsAround(300, 4)) > widthOf(trialsAround(300, 40)));
});

Deno.test("speeds that differ from trial to trial make the interval wider", () => {
  const differing = trialsAround(300, 40).map(({ ratePerSec, seconds }, i) =>
    exponentialShare({ ratePerSec, seconds }, i % 2 === 0 ? 0.03 : 0.003, 20)
  );
  assert.ok(widthOf(differing) > 1.5 * widthOf(trialsAround(300, 40)));
});

function middleOf(shares: readonly TrialShare[]): number {
  return rateAt(crossingOf(shares, AT_1000), 0.5);
}

Deno.test("where trials differ, a part of the limit shows at which rate the mean share beyond the limit is allowed", () => {
  // At each rate one share is above and one as far below, and beyond the limit their mean is as in M/M/1.
  const differing = [970, 985, 1_000, 1_015, 1_030].flatMap((ratePerSec) =>
    [1.5, -1.5].map((nats) => {
      const times = Math.exp(nats + (ratePerSec - 1_000) * RULE.limitS);
      const share = 0.01 * times / Math.cosh(1.5);
      return exponentialShare({ ratePerSec, seconds: 120 }, share, 0.3 * times);
    })
  );
  const found = middleOf(differing);
  assert.ok(Math.abs(found - 1_000) < 5, `${found}`);
});

Deno.test("a tail is that of all trials together, also of those without a request beyond the limit", () => {
  // Of ten trials with equal shares beyond the parts of the limit, two have all that is beyond it.
  const trials = Array.from({ length: 10 }, (_, i) => {
    const trial = exponentialShare({ ratePerSec: 1_000, seconds: 60 }, 0.01, 1);
    const [{ beyond: ofMean }, ...parts] = trial.levels;
    const beyond = i % 5 === 0 ? 5 * ofMean : 0;
    const limit = { beyond, dispersion: beyond === 0 ? null : beyond / 2 };
    return { ...trial, levels: [limit, ...parts] };
  });
  assert.ok(Math.abs(middleOf(trials) - 1_000) < 5, `${middleOf(trials)}`);
});

Deno.test("parts of the limit decide where clusters beyond it are too few", () => {
  const { clusters } = crossingOf(trialsAround(60, 0.5), AT_1000);
  assert.ok(clusters > 20, `${clusters}`);
});

Deno.test("a tail that goes on beyond twice the limit makes the interval wider, and its clusters fewer", () => {
  const light = trialsAround(300, 10);
  const heavy = light.map((trial) => ({
    ...trial,
    levels: trial.levels.map((level, i) =>
      LEVELS[i] > 1 ? { beyond: 0.4 * trial.levels[0].beyond, dispersion: 300 } : level
    ),
  }));
  assert.ok(widthOf(heavy) > 2 * widthOf(light), `${widthOf(heavy)}, ${widthOf(light)}`);
});

Deno.test("a queue remembers for 4µL²/ln²(1/allowed), and its late requests make a cluster each τ/allowed", () => {
  // 1,000/s, p99 < 200 ms: the queue of M/M/1 whose capacity is 977/s.
  const rule = { allowed: 0.01, limitS: 0.2 };
  assert.ok(Math.abs(relaxationS(977, rule) - 7.54) < 0.01);
  const ofLimit = clusterEveryS(977, rule, 0.01);
  assert.ok(Math.abs(ofLimit - 719) < 1, `${ofLimit}`);
  assert.ok(clusterEveryS(977, rule, 0.1) < ofLimit / 10);
  assert.equal(relaxationS(977, { allowed: 0.01, limitS: 0 }), 0);
});

Deno.test("a trial ends early once it is late for some relaxation times, or for a sixth of it", () => {
  const certainS = (rule: Rule, plannedS: number): number =>
    certainlyBroken(rule, { ratePerSec: 1_000, plannedS }) / 1_000;
  assert.equal(certainS({ allowed: 0.01, limitS: 0.002 }, 30), 6 * 0.01 * 30);
  assert.equal(certainS({ allowed: 0.01, limitS: 0.2 }, 30), 5);
  assert.ok(Math.abs(certainS({ allowed: 0.01, limitS: 0.2 }, 300) - 4 * 7.71) < 0.1);
});

function slice(requests: number, beyond: number): TrialSlice {
  return { requests, beyond: LEVELS.map(() => beyond) };
}

Deno.test("requests that come in clusters have a dispersion as large as the clusters", () => {
  const [one, cluster] = [{ requests: 1_000, beyond: 0 }, { requests: 1_000, beyond: 500 }];
  const clustered = Array.from({ length: 100 }, (_, i) => i % 25 === 0 ? cluster : one);
  const even = Array.from({ length: 100 }, () => ({ requests: 1_000, beyond: 20 }));
  const [most, least] = [clustered, even].map(dispersionOf);
  assert.ok(most !== null && most > 300, `${most}`);
  assert.equal(least, 0);
  assert.equal(dispersionOf(Array.from({ length: 100 }, () => one)), null);
});

Deno.test("the start of a trial is no sample", () => {
  const slices = Array.from({ length: 20 }, (_, i) => slice(10, i < 2 ? 10 : 1));
  const timed = { ratePerSec: 40, sliceS: 0.25 };
  const { requests, seconds, startS, levels } = shareOfTrial(slices, { ...timed, startS: 0.4 });
  assert.deepEqual([requests, levels[0].beyond, seconds, startS], [180, 18, 4.5, 0.5]);
});

/** Share of the searches that end with an interval, and of those whose interval holds the capacity. */
function held(name: string, terms: Terms, seeds: number): { found: number; held: number } {
  const kind = QUEUES.find((one) => one.name === name);
  assert.ok(kind !== undefined, name);
  const capacity = capacityIn(kind, terms)(0);
  const searches = searchesOf(kind, terms, { capacity, seeds });
  const found = searches.filter(({ end }) => end === "found");
  const right = found.filter(({ estimate }) =>
    estimate !== null && estimate.low <= capacity && capacity <= estimate.high
  );
  return { found: found.length / seeds, held: right.length / Math.max(1, found.length) };
}

function searchesOf(
  kind: ServerKind,
  terms: Terms,
  { capacity, seeds }: { capacity: number; seeds: number },
): SimulatedSearch[] {
  return Array.from(
    { length: seeds },
    (_, seed) => simulateSearch({ kind, terms, capacity }, seed),
  );
}

Deno.test("a slow queue whose trials used to begin idle, and to have no cluster, is not found too high", () => {
  const slow = held("M/M/1", { perSec: 1_000, limitS: 0.2, allowed: 0.01 }, 10);
  assert.ok(slow.held >= 0.9, JSON.stringify(slow));
  const quick = held("M/M/1", { perSec: 3_000, limitS: 0.05, allowed: 0.01 }, 4);
  assert.ok(quick.found === 1 && quick.held >= 0.75, JSON.stringify(quick));
});

Deno.test("what a server holds only until it once is overloaded is never found", () => {
  const metastable = QUEUES.find(({ name }) => name === "metastable");
  assert.ok(metastable !== undefined);
  const terms = { perSec: 1_000, limitS: 0.1, allowed: 0.01 };
  for (const { end } of searchesOf(metastable, terms, { capacity: 0, seeds: 3 })) {
    assert.notEqual(end, "found");
  }
});

Deno.test("where the generator ends, the capacity is at least the bound", () => {
  const kind = QUEUES.find(({ name }) => name === "generator near");
  assert.ok(kind !== undefined);
  const terms = { perSec: 3_000, limitS: 0.05, allowed: 0.01 };
  const capacity = capacityIn(kind, terms)(0);
  const ended = searchesOf(kind, terms, { capacity, seeds: 6 })
    .filter(({ end }) => end === "generator");
  assert.ok(ended.length > 0);
  for (const { atLeast } of ended) {
    assert.ok(atLeast !== null && atLeast <= capacity, `${atLeast}, ${capacity}`);
  }
});

Deno.test("a prior interval is looked at from just outside, and a search that trusts a right one ends sooner", () => {
  const prior = { low: 985, high: 1_015 };
  const trials = searchedFor({ ...GOAL, peakPerSec: 3_000 }, { prior });
  const [low, high] = trials.map(({ ratePerSec }) => ratePerSec);
  assert.ok(970 < low && low < 985 && 1_015 < high && high < 1_030, `${low}, ${high}`);
  assert.ok(trials.length < searched(1_000, 3_000).length);
});

Deno.test("a prior interval that is wide says less than the peak, where the search then begins", () => {
  const step = nextStep({ ...GOAL, peakPerSec: 1_040 }, [], { low: 9, high: 1_700 });
  assert.ok(step.kind === "trial");
  assert.deepEqual([step.ratePerSec, step.plannedS], [1_040, GOAL.shortS]);
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

/** A trial with so many times the allowed share. */
function beyondAt(ratePerSec: number, times: number): SearchedTrial {
  const shares = [exponentialShare({ ratePerSec, seconds: 27 }, 0.01 * times, 3)];
  return { ratePerSec, plannedS: 30, isSustained: false, shares, servedPerSec: ratePerSec };
}

Deno.test("below a rate that broke by little the next one is near, and further steps double", () => {
  const next = (...trials: SearchedTrial[]): number => {
    const step = nextStep({ ...GOAL, peakPerSec: 1_100 }, trials);
    assert.ok(step.kind === "trial");
    return step.ratePerSec;
  };
  const overload = { ...stepAt(1_100, 5), servedPerSec: 1_090 };
  const little = beyondAt(1_040, 2);
  assert.ok(Math.abs(next(overload, little) / 1_000 - 1) < 0.005, `${next(overload, little)}`);
  const lower = beyondAt(1_000, 2);
  const twice = next(overload, little, lower);
  assert.ok(twice < 930 && twice > 915, `${twice}`);
});

Deno.test("a server that fails a share of all requests, at any rate, is left in few trials", () => {
  const trials: SearchedTrial[] = [];
  for (let ratePerSec = 20_000; ratePerSec > 20;) {
    trials.push({ ...stepAt(ratePerSec, 5, { capacity: 0 }), servedPerSec: 0.95 * ratePerSec });
    const step = nextStep({ ...GOAL, peakPerSec: 20_000 }, trials);
    assert.ok(step.kind === "trial");
    ratePerSec = step.ratePerSec;
  }
  assert.ok(trials.length < 16, `${trials.length}`);
});
