/**
 * Measures the power of comparisons, and how many of their verdicts are wrong, if runs are skewed, depend on each
 * other, fall into two groups, or get lost.
 */
import type { Bench, Effort, Row, Section } from "./bench.ts";
import {
  coverages,
  type Kind,
  KINDS,
  SKEWED,
  untilCoverages,
  verdictRows,
} from "./statistics/power.ts";
import { groupRows, lostRuns, noiseShares, skewRows } from "./statistics/skewed.ts";

export const power: Bench = {
  about: "what comparisons find and miss, in simulations of skewed, dependent and lost runs",
  rounds: 1, // the seeds are fixed, so another round would give the same figures
  run: (effort): Promise<Section[]> => Promise.resolve(sectionsOf(effort)),
};

function sectionsOf({ noise, short }: Effort): Section[] {
  const cases = short ? 100 : 600;
  const kinds: readonly Kind[] = noise === undefined ? KINDS : [{ name: "handed in", noise }];
  const single = noise === undefined ? SKEWED : kinds;
  const verdicts = kinds.flatMap((kind) =>
    [5, 6, 7, 10].map((runs) => ({ kind, runs, rows: verdictRows(kind, runs, cases) }))
  );
  const rowsOf = (of: keyof typeof verdicts[number]["rows"]): Row[] =>
    verdicts.map(({ rows }) => rows[of]);
  const own: Section[] = noise !== undefined ? [] : [
    {
      caption: `One skewed group taken for two, ${10 * cases} a line`,
      unit: "%",
      rows: skewRows(10 * cases),
      notes: ["Of logarithms, however wide; as a figure they are skewed to either side alike."],
    },
    {
      caption: `Two groups of runs found, ${cases} groups a line`,
      unit: "%",
      rows: groupRows(cases),
    },
    {
      caption: `Runs without a steady part, 12 a side, ${cases} comparisons a line`,
      unit: "%",
      baseline: "by survivors",
      rows: lostRuns(cases),
      notes: [
        "Each run of a has none in 40 of 100, and then serves 27 % less; those that have one serve 4 % more than b.",
      ],
    },
    {
      caption: `What explains the variance, 3 × 3 cells, ${cases} experiments a line`,
      unit: "%",
      rows: noiseShares(cases),
    },
  ];
  return [
    ...own,
    {
      caption: `A against A called better or worse, by rate or p99, ${cases} comparisons a line`,
      unit: "%",
      rows: rowsOf("alike"),
    },
    {
      caption:
        `A rate that is 2 % less, at the edge of the margin, called worse, ${cases} comparisons a line`,
      unit: "%",
      rows: rowsOf("edge"),
    },
    {
      caption: `5 % less called worse, by rate, ${cases} comparisons a line`,
      unit: "%",
      baseline: "paired t",
      rows: rowsOf("less"),
      notes: [
        "Holm's method is over rate and p99. The paired t-test is of the rate alone, at 5 %, against the margin of 2 %.",
      ],
    },
    {
      caption: `95 % intervals of a cell that hold the truth, ${2 * cases} cells a line`,
      unit: "%",
      rows: coverages(single, 2 * cases),
      notes: ["Skewed: 5 % times an exponential, to the slower side."],
    },
    {
      caption: `The same after \`repeat: until 2%\`, ${cases} experiments a line`,
      unit: "%",
      rows: untilCoverages(single, cases),
    },
  ];
}
