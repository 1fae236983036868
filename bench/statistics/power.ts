/** Tests comparisons and confidence intervals if the noise of a run is skewed, or depends on the runs before it. */
import { DEFAULT_MARGIN_RATIO } from "../../report/judge/comparison.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../runner/stats/confidence/confidence_interval.ts";
import {
  isNarrow,
  LOOK_CONFIDENCE,
  LOOKS,
  SKEWED_COVERAGE,
} from "../../runner/stats/confidence/sequential.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import type { Bar } from "../bar.ts";
import type { NoiseOf, Row } from "../bench.ts";
import { atLeast, atMost, between, row } from "./percent.ts";
import { Random } from "./random.ts";
import { groupOf, type Verdicts, verdictsOf } from "./verdicts.ts";

export interface Kind {
  readonly name: string;
  /** The noise: one value per run in the order of time, with mean 0 and standard deviation 1. */
  readonly noise: NoiseOf;
}

const normal: NoiseOf = (seed) => {
  const random = new Random(seed);
  return () => random.normal();
};

/** Skewed noise: slow runs deviate far from the middle, quick ones little. */
const skewed: NoiseOf = (seed) => {
  const random = new Random(seed);
  return () => 1 - random.exponential();
};

const waves: NoiseOf = (seed) => {
  const random = new Random(seed);
  let value = random.normal();
  return () => {
    value = 0.8 * value + 0.6 * random.normal();
    return value;
  };
};

export const KINDS: readonly Kind[] = [
  { name: "independent", noise: normal },
  { name: "skewed", noise: skewed },
  { name: "waves, AR(0.8)", noise: waves },
];

export const SKEWED: readonly Kind[] = KINDS.slice(0, 2);

/** The standard deviation between runs, as a share of the rate. */
const RUN = 0.02;
/** The additional standard deviation of a p99, which varies more than the rate because it depends on few requests. */
const OF_TAIL = 0.04;
const RATE = 1_000;

interface Sides {
  readonly base: readonly (readonly number[])[];
  readonly next: readonly (readonly number[])[];
}

/**
 * Simulates the rate and p99 of each run of two cells that take turns.
 * @param less The rate of the new side, as a ratio to that of the base.
 */
function simulated(
  noise: () => number,
  random: Random,
  { runs, less }: { runs: number; less: number },
): Sides {
  const sides: [number[], number[]][] = [[[], []], [[], []]];
  for (let block = 0; block < runs; block++) {
    const first = random.whole(0, 1);
    for (const side of [first, 1 - first]) {
      const speed = (side === 1 ? less : 1) * (1 + RUN * noise());
      sides[side][0].push(RATE * speed);
      sides[side][1].push(1e6 / speed * Math.exp(OF_TAIL * random.normal()));
    }
  }
  return { base: sides[0], next: sides[1] };
}

function estimated(values: readonly number[], session: string | null = "one"): Estimate | null {
  const repetitions = values.map((_, i) => i + 1);
  return estimateOfMean(values, { session, repetitions });
}

const groupAt = (figures: readonly (readonly number[])[]): ReturnType<typeof groupOf> =>
  groupOf(figures.map((values) => estimated(values)));

const isAlarm = (verdicts: Verdicts): boolean =>
  verdicts.some(({ verdict }) => verdict === "better" || verdict === "worse");
const isWorse = ([rate]: Verdicts): boolean => rate.verdict === "worse";

/** Whether a paired t-test of the logarithms finds, at the 5 % level, a loss beyond the margin. */
function isLessByT({ base: [base], next: [next] }: Sides): boolean {
  const logs = base.map((value, i) => Math.log(value / next[i]));
  const mean = meanOf(logs);
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const error = Math.sqrt(squares / (logs.length - 1) / logs.length);
  return mean - Math.log1p(DEFAULT_MARGIN_RATIO) > tQuantile(0.95, logs.length - 1) * error;
}

/** The bar in percent: 5 %, plus two standard errors of that share over `cases`. */
const mostOf = (cases: number): number =>
  Number((5 + 200 * Math.sqrt(0.05 * 0.95 / cases)).toFixed(1));

export function verdictRows(
  { name, noise }: Kind,
  runs: number,
  cases: number,
): Readonly<Record<"alike" | "edge" | "less", Row>> {
  const what = `${name}, ${runs} repetitions`;
  const found = (
    less: number,
    is: (verdicts: Verdicts) => boolean,
  ): { share: number; byT: number } => {
    const random = new Random(runs);
    const next = noise(100 + runs);
    let [count, byT] = [0, 0];
    for (let i = 0; i < cases; i++) {
      const sides = simulated(next, random, { runs, less });
      if (is(verdictsOf({ base: groupAt(sides.base), next: groupAt(sides.next) }))) count++;
      if (isLessByT(sides)) byT++;
    }
    return { share: count / cases, byT: byT / cases };
  };
  const less = found(0.95, isWorse);
  return {
    alike: row(what, found(1, isAlarm).share, atMost(5)),
    edge: row(what, found(1 / (1 + DEFAULT_MARGIN_RATIO), isWorse).share, atMost(mostOf(cases))),
    less: { ...row(what, less.share), baseline: 100 * less.byT },
  };
}

/** The standard deviation between the runs of a single cell, as a share of the rate. */
const WIDE = 0.05;
const drawnBy = (next: () => number) => (): number => RATE * (1 + WIDE * next());
const holds = ({ low, high }: { low: number; high: number }): boolean =>
  low <= RATE && RATE <= high;

/** The bar for a coverage that reports state: 3 percentage points less, about two standard errors over 600 cases. */
const saidOf = (coverage: number): Bar => atLeast(coverage - 3);

export function coverages(kinds: readonly Kind[], cases: number): Row[] {
  return kinds.flatMap(({ name, noise }) =>
    [5, 10, 20].map((runs) => {
      const draw = drawnBy(noise(runs));
      let held = 0;
      for (let i = 0; i < cases; i++) {
        const estimate = estimated(Array.from({ length: runs }, draw), null);
        const interval = estimate && intervalOf(estimate);
        if (interval !== null && holds(interval)) held++;
      }
      const bar = name === "independent"
        ? between(93, 97)
        : name === "skewed" && runs === 5
        ? saidOf(SKEWED_COVERAGE.fiveRuns)
        : undefined;
      return row(`${name}, ${runs} repetitions`, held / cases, bar);
    })
  );
}

export function untilCoverages(kinds: readonly Kind[], cases: number): Row[] {
  return kinds.map(({ name, noise }) => {
    const draw = drawnBy(noise(1));
    let [held, repetitions] = [0, 0];
    for (let i = 0; i < cases; i++) {
      const values: number[] = [];
      for (const look of LOOKS) {
        while (values.length < look) values.push(draw());
        const estimate = estimated(values, null);
        const interval = estimate && intervalOf(estimate, LOOK_CONFIDENCE);
        if (!isNarrow([interval], 0.02) && look !== LOOKS[LOOKS.length - 1]) continue;
        if (interval !== null && holds(interval)) held++;
        repetitions += look;
        break;
      }
    }
    const bar = name === "independent"
      ? between(93, 99)
      : name === "skewed"
      ? saidOf(SKEWED_COVERAGE.sequence)
      : undefined;
    return row(`${name}, ${(repetitions / cases).toFixed(0)} on average`, held / cases, bar);
  });
}
