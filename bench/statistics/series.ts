/** Simulates timelines with a known answer: the correct label of a run, and the start of its steady part. */
import {
  classifyRun,
  type RunSteadyState,
  type SteadyLabel,
} from "../../runner/stats/steady_state/steady_state.ts";
import { Random } from "./random.ts";

/** The disturbances of a series, in addition to independent noise of 1 to 5 % per interval. */
const DISTURBANCES = ["nothing more", "waves", "outliers", "drift"] as const;
type Disturbance = typeof DISTURBANCES[number];

interface Case {
  /** For each interval, the logarithm of the factor by which requests take longer than in the steady part. */
  readonly slowness: readonly number[];
  readonly label: SteadyLabel;
  readonly steadyFrom: number;
}

/** The share of `cases` runs for which `isRight` returns true. The kinds of disturbance alternate. */
export function shareOf(
  cases: number,
  seed: number,
  isRight: (random: Random, kind: Disturbance) => boolean,
): number {
  const random = new Random(seed);
  const right = Array.from(
    { length: cases },
    (_, i) => isRight(random, DISTURBANCES[i % DISTURBANCES.length]),
  );
  return right.filter(Boolean).length / cases;
}

/**
 * Whether the steady part is found after one or two steps, each by a factor of 1.2 to 3.3. Four of five cases are
 * warm-ups, the others slowdowns.
 */
export function findsStep(random: Random, kind: Disturbance): boolean {
  const { slowness, label, steadyFrom } = stepCase(random, kind);
  const found = classify(random, slowness);
  return found.label === label && found.steadyFrom !== null &&
    Math.abs(found.steadyFrom - steadyFrom) <= 1;
}

export function findsFlat(random: Random, kind: Disturbance): boolean {
  return classify(random, noise(random, kind)).label === "flat";
}

/** Whether no steady part is found if the latency keeps rising, by 20 to 60 % in all. */
export function findsNoSteadyState(random: Random): boolean {
  const rise = Math.log(random.uniform(1.2, 1.6));
  const slowness = noise(random, "nothing more", 0.02).map((value, i, { length }) =>
    value + rise * i / length
  );
  return classify(random, slowness).label === "no-steady-state";
}

/**
 * Classifies the run of a closed loop, whose rate falls as the latency rises. The rate has further noise of its own,
 * because it depends on all requests, slow ones included, while the median does not.
 */
function classify(random: Random, slowness: readonly number[]): RunSteadyState {
  return classifyRun(slowness.map((value) => ({
    seconds: 0.25,
    completed: Math.round(2_500 * Math.exp(-value + 0.01 * random.normal())),
    medianMs: 0.4 * Math.exp(value),
  })));
}

/** The logarithms of the latencies in a series that is steady for 10 to 60 s, in intervals of 250 ms. */
function noise(random: Random, kind: Disturbance, most = 0.05): number[] {
  const correlation = kind === "waves" ? random.uniform(0.2, 0.6) : 0;
  const values = random.waves(random.whole(40, 240), {
    stdev: random.uniform(0.01, most),
    correlation,
  });
  // The drift stays below 2 %, because a larger change counts as material.
  const drift = kind === "drift" ? random.uniform(-0.015, 0.015) : 0;
  const spike = (): number =>
    kind === "outliers" && random.uniform() < 0.02 ? Math.log(random.uniform(1.3, 3.3)) : 0;
  return values.map((value, i) => value + drift * i / values.length + spike());
}

function stepCase(random: Random, kind: Disturbance): Case {
  const flat = noise(random, kind);
  const steadyFrom = random.whole(3, Math.floor(0.6 * flat.length));
  const sign = random.uniform() < 0.2 ? -1 : 1;
  const step = (): number => sign * Math.log(random.uniform(1.2, 3.3));
  const [last, first] = [step(), random.uniform() < 0.5 ? step() : 0];
  const before = (i: number): number =>
    i >= steadyFrom ? 0 : i < steadyFrom / 2 ? last + first : last;
  return {
    slowness: flat.map((value, i) => value + before(i)),
    label: sign > 0 ? "warm-up" : "slowdown",
    steadyFrom,
  };
}
