/** Tests how often a run is given the right label, such as "warm-up" or "flat", for series of known shape. */
import { classifyRun } from "../../runner/stats/steady_state/steady_state.ts";
import type { Bar } from "../bar.ts";
import type { Row, Section } from "../bench.ts";
import { Random } from "./random.ts";
import { findsFlat, findsNoSteadyState, findsStep, shareOf } from "./series.ts";
import {
  drift,
  exponential,
  flat,
  freezes,
  INTERVAL_S,
  intervalsOf,
  lateStep,
  type SeriesNoise,
  sine,
  slowdown,
  spikes,
  step,
  telegraph,
  type TruthOf,
  twoLevels,
} from "./truths.ts";

const RUNS = 300;
const LENGTH_S = 30;
const QUIET: SeriesNoise = { stdev: 0.015, correlation: 0 };
const atLeast = (percent: number): Bar => ({
  text: `≥ ${percent}`,
  holds: (found) => found >= percent,
});

type Shape = readonly [what: string, truth: TruthOf, noise?: SeriesNoise];

/** The shapes that must be recognised. */
export const SEEN: readonly Shape[] = [
  ["flat", flat],
  ["flat, 3 % noise", flat, { stdev: 0.03, correlation: 0 }],
  ["flat, noise in waves (0.5)", flat, { stdev: 0.015, correlation: 0.5 }],
  ["flat, 3 % noise in waves (0.5)", flat, { stdev: 0.03, correlation: 0.5 }],
  ["a step down to the steady level", step],
  ["a step at 80 % of the run", lateStep],
  ["a step up, a slowdown", slowdown],
  ["an exponential warm-up, 1.2 to 3 times, τ a sixth of the run", exponential],
  ["spikes, one interval in 10 to 30, 1.3 to 3 times", spikes],
  ["a sine of ± 10 %, of 1 s to half the run", sine(0.1)],
  ["two levels 10 to 30 % apart, for a tenth of the run or more", twoLevels(0.1, 0.3)],
  ["a drift of 10 to 30 %", drift(0.1, 0.3)],
  ["frozen 2 s of every 10, or 1 s of every 5", freezes],
];

/** Shapes of several sizes, which show how large each must be to be recognised. */
const PARTLY: readonly Shape[] = [
  ["a sine of ± 3 %", sine(0.03)],
  ["a sine of ± 5 %", sine(0.05)],
  ["a sine of ± 7 %", sine(0.07)],
  ["two levels 3 % apart", twoLevels(0.03, 0.03)],
  ["two levels 5 % apart", twoLevels(0.05, 0.05)],
  ["two levels 7 % apart", twoLevels(0.07, 0.07)],
  ["two levels 10 to 30 % apart, for 0.5 s each on average", telegraph(0.1, 0.3, 0.5)],
  ["two levels 10 to 30 % apart, for 1 s each on average", telegraph(0.1, 0.3, 1)],
  ["a drift of 3 %", drift(0.03, 0.03)],
  ["a drift of 5 %", drift(0.05, 0.05)],
  ["a drift of 7 %", drift(0.07, 0.07)],
];

/** Tests how often the steady part of a run is found, in series of 10 to 60 s with noise of 1 to 5 %. */
export function steadyStates(): Section {
  const row = (what: string, share: number): Row => ({
    what,
    samples: [100 * share],
    bar: atLeast(95),
  });
  const rows = [
    row(
      "the start of the steady part is found within one interval",
      shareOf(1_000, 1, findsStep),
    ),
    row("a flat run is called flat", shareOf(1_000, 2, findsFlat)),
    row("a rise that never ends is called no steady state", shareOf(1_000, 3, findsNoSteadyState)),
  ];
  const notes = ["Noise, waves, outliers and slow drift, a quarter of the runs each."];
  return { caption: "Steady state, 1,000 runs a line", unit: "%", rows, notes };
}

export function labels(): Section {
  const rowsOf = (shapes: readonly Shape[], seed: number, bar?: Bar): Row[] =>
    shapes.map(([what, truth, noise = QUIET], i) => ({
      what,
      samples: [100 * shareRight(truth, noise, { seed: seed + i, runs: RUNS })],
      bar,
    }));
  return {
    caption: `Labels of runs of ${LENGTH_S} s with 1.5 % noise, ${RUNS} runs a line`,
    unit: "%",
    rows: [...rowsOf(SEEN, 1_000, atLeast(90)), ...rowsOf(PARTLY, 2_000)],
    notes: [
      "Right: the label, and of a step its moment within one interval. Lines without a bar show from which size on " +
      "a shape that is not flat is seen: what is smaller is called flat, with how far it strays.",
    ],
  };
}

/** The share of runs whose label is right. */
export function shareRight(
  truthOf: TruthOf,
  noise: SeriesNoise = QUIET,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): number {
  const random = new Random(seed);
  const right = Array.from({ length: runs }, () => {
    const truth = truthOf(random, LENGTH_S);
    const found = classifyRun(intervalsOf(random, truth, { lengthS: LENGTH_S, noise }));
    if (found.label !== truth.label || truth.steadyFromS === null) {
      return found.label === truth.label;
    }
    return found.steadyFrom !== null &&
      Math.abs(found.steadyFrom - truth.steadyFromS / INTERVAL_S) <= 1;
  });
  return right.filter(Boolean).length / runs;
}
