/**
 * Tests how often runs of one group are taken for two, how often two groups are found, what is concluded if slow runs
 * never become steady, and what share of the variance is credited to factors.
 */
import { twoGroupsOf } from "../../runner/stats/comparison/bimodality.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type FactorialCell,
  sharesShown,
  varianceExplained,
} from "../../runner/stats/regression/variance_explained.ts";
import type { Row } from "../bench.ts";
import { atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { groupOf, verdictsOf } from "./verdicts.ts";

/**
 * The distributions from which the logarithms of runs are drawn. The square of a normal number is gamma with shape one
 * half.
 */
const FAMILIES: Readonly<Record<string, (random: Random) => number>> = {
  normal: (random) => random.normal(),
  "log-normal, σ 0.5": (random) => Math.exp(0.5 * random.normal()),
  "log-normal, σ 1": (random) => Math.exp(random.normal()),
  "gamma, shape 2": (random) => random.exponential() + random.exponential(),
  exponential: (random) => random.exponential(),
  "gamma, shape 0.5": (random) => random.normal() ** 2,
};

function shareOf(cases: number, is: () => boolean): number {
  let count = 0;
  for (let i = 0; i < cases; i++) if (is()) count++;
  return count / cases;
}

export function skewRows(cases: number): Row[] {
  return Object.entries(FAMILIES).flatMap(([name, draw]) =>
    [5, 10, 20, 40].map((runs) => {
      const random = new Random(runs);
      const isFound = (): boolean =>
        twoGroupsOf(Array.from({ length: runs }, () => Math.exp(draw(random)))) !== null;
      return row(`${name}, ${runs} runs`, shareOf(cases, isFound), atMost(5));
    })
  );
}

const GROUPS: readonly [runs: number, slow: number][] = [[5, 1], [5, 2], [10, 1], [10, 3], [20, 4]];

export function groupRows(cases: number): Row[] {
  return [0.01, 0.02].flatMap((within) =>
    [0.1, 0.2, 0.3].flatMap((apart) =>
      GROUPS.map(([runs, slow]) => {
        const random = new Random(runs);
        const valueOf = (i: number): number =>
          (i < slow ? 1 + apart : 1) * Math.exp(within * random.normal());
        const isFound = (): boolean =>
          twoGroupsOf(Array.from({ length: runs }, (_, i) => valueOf(i))) !== null;
        const name = `${100 * apart} % apart, ${100 * within} % within, ${slow} of ${runs}`;
        return row(name, shareOf(cases, isFound));
      })
    )
  );
}

const LOST = 0.4;
const SLOWER = 0.73;
const AHEAD = 1.04;

/**
 * Rows for how often a target whose slower runs never become steady is called ahead of another, behind it, or neither.
 * The baseline of each row is how often that would be so if those runs were left out.
 */
export function lostRuns(cases: number): Row[] {
  const random = new Random(12);
  const counts = { ahead: 0, behind: 0, open: 0 };
  const survivors = { ahead: 0, behind: 0, open: 0 };
  for (let i = 0; i < cases; i++) {
    const lost = Array.from({ length: 12 }, (_, run) => run + 1)
      .filter(() => random.uniform() < LOST);
    const noise = (): number => 1_000 * Math.exp(0.01 * random.normal());
    const repetitions = Array.from({ length: 12 }, (_, run) => run + 1);
    const a = repetitions.map((run) => noise() * (lost.includes(run) ? SLOWER : 1));
    const b = repetitions.map(() => noise() / AHEAD);
    const said = (
      [base, next]: readonly [Estimate | null, Estimate | null],
      whole: readonly number[],
    ): keyof typeof counts => {
      const [{ verdict }] = verdictsOf({ base: groupOf([base]), next: groupOf([next], whole) });
      return verdict === "better" ? "ahead" : verdict === "worse" ? "behind" : "open";
    };
    const sampling = { session: "one", repetitions };
    const [of, to] = [a, b].map((values) => estimateOfMean(values, sampling));
    counts[said([to, of], lost)]++;
    survivors[
      said([to, of?.of(repetitions.filter((run) => !lost.includes(run))) ?? null], [])
    ]++;
  }
  return (["ahead", "behind", "open"] as const).map((what) => ({
    ...row(
      `a is ${what === "open" ? "called neither" : `called ${what}`}`,
      counts[what] / cases,
      what === "ahead" ? atMost(1) : undefined,
    ),
    baseline: 100 * survivors[what] / cases,
  }));
}

const STEPS = [0, 0.03, 0.1];

export function noiseShares(cases: number): Row[] {
  return [3, 5].flatMap((runs) =>
    STEPS.flatMap((step): Row[] => {
      const random = new Random(runs);
      const cellAt = (a: number, b: number): FactorialCell => ({
        levels: [`${a}`, `${b}`],
        values: Array.from({ length: runs }, () => step * a + 0.02 * random.normal()),
      });
      const variance = 2 / 3 * step ** 2;
      const truth = variance / (variance + 0.02 ** 2);
      let [credited, false_, shown, held] = [0, 0, 0, 0];
      for (let i = 0; i < cases; i++) {
        const cells = [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => cellAt(a, b)));
        const all = varianceExplained(cells);
        const known = sharesShown(cells);
        credited += (all?.factors[1] ?? 0) + (all?.together ?? 0);
        if (known?.factors[1] || known?.together) false_++;
        const interval = known?.factors[0]?.interval;
        if (interval === undefined) continue;
        shown++;
        if (interval.low <= truth && truth <= interval.high) held++;
      }
      const what = `a factor of ${100 * step} % a step, ${runs} repetitions, ${
        (100 * truth).toFixed(0)
      } % of the variance`;
      return [
        row(`${what}: η² of what does nothing`, credited / cases),
        row(`${what}: a share of what does nothing is shown`, false_ / cases, atMost(5)),
        ...step === 0 ? [] : [
          row(`${what}: its share is shown`, shown / cases),
          row(`${what}: its interval holds the truth`, held / Math.max(1, shown)),
        ],
      ];
    })
  );
}
