/** Tests how well changes of level over successive results are found, in simulations whose truth is known. */
import { levelChangesOf, type SeriesLevels } from "../../runner/stats/trend/level_changes.ts";
import type { Bar } from "../bar.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { atMost, row } from "./percent.ts";
import { Random } from "./random.ts";

/** The standard deviation between results, of the logarithm of the figure. */
const STDEV = 0.02;
const OPTIONS = { marginRatio: 0.02 };
const STEP = 0.95;

/** Draws the logarithms of successive results. */
type Noise = (random: Random, results: number) => number[];

interface Kind {
  readonly name: string;
  readonly noise: Noise;
  /** The most series without a change, in percent, in which a change may be found; null: no bar. */
  readonly most: number | null;
}

const waves = (correlation: number, most: number | null): Kind => ({
  name: correlation === 0 ? "independent" : `AR(${correlation})`,
  noise: (random, results) => random.waves(results, { stdev: STDEV, correlation }),
  most,
});

const KINDS: readonly Kind[] = [
  waves(0, 5),
  waves(0.3, 5),
  waves(0.5, 10),
  waves(0.8, null),
  {
    name: "one in ten ×1.1",
    noise: (random, results) =>
      Array.from(
        { length: results },
        () => STDEV * random.normal() + (random.uniform() < 0.1 ? Math.log(1.1) : 0),
      ),
    most: 5,
  },
];

function handedIn(noise: NoiseOf): readonly Kind[] {
  return [{
    name: "the noise handed in",
    noise: (random, results) => {
      const next = noise(random.whole(0, 2 ** 31));
      return Array.from({ length: results }, () => STDEV * next());
    },
    most: null,
  }];
}

const LENGTHS = [10, 20, 40, 80] as const;
const ALARMS: readonly (readonly [series: number, results: number])[] = [
  [1, 10],
  [1, 20],
  [1, 40],
  [1, 80],
  [3, 10],
  [3, 20],
  [3, 40],
  [3, 80],
  [10, 20],
];

/** For each case, the changes that are found in the first series, and whether a change is found in any series. */
function found(
  { noise }: Kind,
  { results, series, cases, change }: {
    readonly results: number;
    readonly series: number;
    readonly cases: number;
    /** The factor for each result of the first series. */
    readonly change: (at: number) => number;
  },
): { readonly first: SeriesLevels; readonly isAny: boolean }[] {
  const random = new Random(results + series);
  return Array.from({ length: cases }, () => {
    const all = Array.from(
      { length: series },
      (_, i) => noise(random, results).map((log, at) => Math.exp(log) * (i === 0 ? change(at) : 1)),
    );
    const levels = levelChangesOf(all, OPTIONS);
    return { first: levels[0], isAny: levels.some(({ changes }) => changes.length > 0) };
  });
}

const share = <T>(all: readonly T[], is: (one: T) => boolean): number =>
  all.filter(is).length / all.length;

function alarms(kinds: readonly Kind[], cases: number): Row[] {
  return kinds.flatMap((kind) =>
    ALARMS.map(([series, results]) => {
      const all = found(kind, { results, series, cases, change: () => 1 });
      const bar: Bar | undefined = kind.most === null ? undefined : atMost(kind.most);
      return row(
        `${kind.name}: ${series} × ${results} results`,
        share(all, (one) => one.isAny),
        bar,
      );
    })
  );
}

/** The number of series, one of which has a step, and the share of the results before the step. */
const STEPS: readonly (readonly [series: number, place: number])[] = [[1, 0.5], [1, 0.8], [3, 0.5]];

/** Measures the power to find a step and, for steps that are found, how well their place and size are known. */
function power(kinds: readonly Kind[], cases: number): Row[] {
  return kinds.flatMap((kind) =>
    STEPS.flatMap(([series, place]) =>
      LENGTHS.flatMap((results): Row[] => {
        const change = (at: number): number => at >= place * results ? STEP : 1;
        const steps = found(kind, { results, series, cases, change })
          .flatMap(({ first: { changes } }) => changes.length > 0 ? [changes] : []);
        const name = `${kind.name}: 1 of ${series} × ${results} results, after ${100 * place} %`;
        const own = steps.map(([first]) => first);
        return [
          row(name, steps.length / cases),
          ...series > 1 || place !== 0.5 || own.length < 30 ? [] : [
            row(
              `${name}: found within two results`,
              share(own, ({ index }) => Math.abs(index - place * results) <= 2),
            ),
            row(
              `${name}: its interval holds ${STEP}×`,
              share(own, ({ ratio: { low, high } }) => low <= STEP && STEP <= high),
            ),
          ],
        ];
      })
    )
  );
}

/** @param cases The number of cases per row. */
export function trendGuards(cases: number, noise?: NoiseOf): Section[] {
  const kinds = noise === undefined ? KINDS : handedIn(noise);
  const notes = [`${100 * STDEV} % between results; the margin is 2 %.`];
  const section = (caption: string, rows: Row[]): Section => ({
    caption: `${caption}, ${cases} cases a line`,
    unit: "%",
    rows,
    notes,
  });
  return [
    section("No change, and one is found in any series", alarms(kinds, cases)),
    section("A step by −5 % is found", power(kinds, cases)),
  ];
}
