/**
 * Simulates runs whose correct label is known, because we choose by what factor requests are slower than normal at each
 * moment, and when the server stands still. The load is a closed loop, so the rate falls as the latency rises.
 */
import type { RunInterval, SteadyLabel } from "../../runner/stats/steady_state/steady_state.ts";
import type { Random } from "./random.ts";

export const INTERVAL_S = 0.25;
/**
 * The number of moments per interval at which the slowness is computed. If it changes within an interval, only the
 * moments after the change are affected.
 */
const MOMENTS = 10;
/** The number of requests that complete in an interval at slowness 1, and the median time that they then take. */
const PER_INTERVAL = 2_500;
const MEDIAN_MS = 5;

interface Truth {
  readonly label: SteadyLabel;
  /** The start of the steady part in seconds; null if there is none or if it is not defined to within an interval. */
  readonly steadyFromS: number | null;
  /** The factor by which requests take longer at a moment in seconds; 0 while nothing is answered. */
  readonly slowness: (atS: number) => number;
}

/** The noise of a run: the standard deviation between intervals, and the correlation of consecutive intervals. */
export interface SeriesNoise {
  readonly stdev: number;
  readonly correlation: number;
}

/** @param lengthS The length of the run in seconds. */
export type TruthOf = (random: Random, lengthS: number) => Truth;

const settled = (slowness: Truth["slowness"], label: SteadyLabel, steadyFromS: number): Truth => ({
  slowness,
  label,
  steadyFromS,
});
const unsettled = (slowness: Truth["slowness"]): Truth => ({
  slowness,
  label: "no-steady-state",
  steadyFromS: null,
});

export const flat: TruthOf = () => ({ slowness: () => 1, label: "flat", steadyFromS: 0 });

/**
 * Draws a moment at which one interval ends and the next begins. It lies between the shares `from` and `to` of the run.
 */
const stepAt = (random: Random, lengthS: number, { from, to }: { from: number; to: number }) =>
  INTERVAL_S * random.whole(from * lengthS / INTERVAL_S, to * lengthS / INTERVAL_S);

export const step: TruthOf = (random, lengthS) => {
  const atS = stepAt(random, lengthS, { from: 0.05, to: 0.6 });
  const height = random.uniform(1.2, 3);
  return settled((s) => s < atS ? height : 1, "warm-up", atS);
};

export const slowdown: TruthOf = (random, lengthS) => {
  const atS = stepAt(random, lengthS, { from: 0.05, to: 0.6 });
  const height = random.uniform(1.2, 3);
  return settled((s) => s < atS ? 1 : height, "slowdown", atS);
};

export const lateStep: TruthOf = (random, lengthS) => {
  const atS = 0.8 * lengthS;
  const height = random.uniform(1.2, 3) ** (random.uniform() < 0.5 ? 1 : -1);
  return unsettled((s) => s < atS ? height : 1);
};

/** An exponential warm-up. At first requests take 1.2 to 3 times as long; the time constant is a sixth of the run. */
export const exponential: TruthOf = (random, lengthS) => {
  const more = random.uniform(0.2, 2);
  return {
    label: "warm-up",
    steadyFromS: null,
    slowness: (s) => 1 + more * Math.exp(-6 * s / lengthS),
  };
};

/**
 * Spikes: requests take 1.3 to 3 times as long in one interval out of every 10 to 30. In half of the runs spikes are
 * evenly spaced, in the others they come at random.
 */
export const spikes: TruthOf = (random, lengthS) => {
  const every = random.whole(10, 30);
  const height = random.uniform(1.3, 3);
  const first = random.whole(0, every - 1);
  const isRegular = random.uniform() < 0.5;
  const slow = new Set(
    Array.from({ length: Math.ceil(lengthS / INTERVAL_S) }, (_, i) => i)
      .filter((i) => isRegular ? i % every === first : random.uniform() < 1 / every),
  );
  return {
    label: "flat",
    steadyFromS: 0,
    slowness: (s) => slow.has(Math.floor(s / INTERVAL_S)) ? height : 1,
  };
};

/** A sine with a period between a second and half the run. */
export const sine = (height: number): TruthOf => (random, lengthS) => {
  const periodS = Math.exp(random.uniform(0, Math.log(lengthS / 2)));
  const phase = random.uniform(0, 2 * Math.PI);
  return unsettled((s) => 1 + height * Math.sin(2 * Math.PI * s / periodS + phase));
};

/** Two levels that alternate. Each lasts for one to two times the share `dwell` of the run. */
export const twoLevels = (low: number, high: number, dwell = 0.1): TruthOf => (random, lengthS) => {
  const apart = 1 + random.uniform(low, high);
  return switching(random, apart, () => lengthS * dwell * random.uniform(1, 2));
};

/** A random telegraph signal: it switches between two levels after exponential times with mean `meanS`. */
export const telegraph = (low: number, high: number, meanS: number): TruthOf => (random) => {
  const apart = 1 + random.uniform(low, high);
  return switching(random, apart, () => -meanS * Math.log(1 - random.uniform()));
};

/** Switches between two levels. The returned `slowness` must be called in ascending order of time. */
function switching(random: Random, apart: number, dwellS: () => number): Truth {
  let isHigh = random.uniform() < 0.5;
  let untilS = dwellS() * random.uniform();
  return unsettled((s) => {
    for (; s >= untilS; untilS += dwellS()) isHigh = !isHigh;
    return isHigh ? apart : 1;
  });
}

/** A linear drift over the whole run, up or down. */
export const drift = (low: number, high: number): TruthOf => (random, lengthS) => {
  const more = random.uniform(low, high);
  const isRise = random.uniform() < 0.5;
  return unsettled((s) => 1 + more * (isRise ? s : lengthS - s) / lengthS);
};

/** Freezes: for 2 s of every 10 s, or for 1 s of every 5 s. */
export const freezes: TruthOf = (random) => {
  const everyS = random.uniform() < 0.5 ? 10 : 5;
  const phaseS = random.uniform(0, everyS);
  return unsettled((s) => (s + phaseS) % everyS < everyS / 5 ? 0 : 1);
};

/** Simulates the intervals of a run with this truth. */
export function intervalsOf(
  random: Random,
  { slowness }: Truth,
  { lengthS, noise }: { lengthS: number; noise: SeriesNoise },
): RunInterval[] {
  return random.waves(Math.round(lengthS / INTERVAL_S), noise).map((value, i) => {
    const moments = Array.from(
      { length: MOMENTS },
      (_, m) => slowness((i + (m + 0.5) / MOMENTS) * INTERVAL_S),
    ).filter((slow) => slow > 0).sort((a, b) => a - b);
    const speed = moments.reduce((sum, slow) => sum + 1 / slow, 0) / MOMENTS;
    const own = 0.01 * random.normal();
    return {
      seconds: INTERVAL_S,
      completed: Math.round(PER_INTERVAL * speed * Math.exp(-value + own)),
      medianMs: moments.length === 0
        ? null
        : MEDIAN_MS * moments[Math.floor(moments.length / 2)] * Math.exp(value),
    };
  });
}
