/**
 * What Plateau's statistics promise, measured where the truth is known because it is simulated, with fixed
 * seeds: always the same figures.
 */
import type { Bar } from "../bar.ts";
import type { Row, Section } from "../bench.ts";
import {
  compare,
  coverage,
  FIGURES,
  type Noise,
  repeatUntil,
  type SimulatedFigure,
} from "./groups.ts";
import { gates } from "./gates.ts";
import { labels } from "./labels.ts";
import { Random } from "./random.ts";
import { findsFlat, findsNoSteadyState, findsStep, shareOf } from "./series.ts";

/** 2 % between runs, 3 % between the seconds of a run, and request times that are log-normal: p99 at 3.2 times p50. */
const NOISE: Noise = { run: 0.02, block: 0.03, request: 0.5 };

const atLeast = (percent: number): Bar => ({
  text: `≥ ${percent}`,
  holds: (found) => found >= percent,
});
const atMost = (percent: number): Bar => ({
  text: `≤ ${percent}`,
  holds: (found) => found <= percent,
});
const between = (low: number, high: number): Bar => ({
  text: `${low} to ${high}`,
  holds: (found) => found >= low && found <= high,
});

/** Each section takes some 20 s. */
export const PROMISES: readonly (() => Section)[] = [
  steadyStates,
  labels,
  coverages,
  comparisons,
  sequences,
  gates,
];

function row(what: string, share: number, bar: Bar): Row {
  return { what, samples: [100 * share], bar };
}

function steadyStates(): Section {
  const rows = [
    row(
      "the start of the steady part is found within one interval",
      shareOf(1_000, 1, findsStep),
      atLeast(95),
    ),
    row("a flat run is called flat", shareOf(1_000, 2, findsFlat), atLeast(95)),
    row(
      "a rise that never ends is called no steady state",
      shareOf(1_000, 3, findsNoSteadyState),
      atLeast(95),
    ),
  ];
  const notes = ["Noise, waves, outliers and slow drift, a quarter of the runs each."];
  return { caption: "Steady state, 1,000 runs a line", unit: "%", rows, notes };
}

function coverages(): Section {
  const rows = [5, 10].flatMap((runs) =>
    coverage(new Random(runs), 1_000, { runs, noise: NOISE })
      .map((share, f) => row(`${nameOf(FIGURES[f])}, ${runs} repetitions`, share, between(93, 97)))
  );
  return { caption: "95 % intervals that cover the truth, 1,000 groups a line", unit: "%", rows };
}

function comparisons(): Section {
  const alarms = [5, 10].flatMap((runs) =>
    (["rate", 99] as const).map((figure) => {
      const share = shareCalled(["better", "worse"], figure, { runs, slower: 1 });
      return row(
        `A against A is called better or worse, by ${nameOf(figure)}, ${runs} repetitions`,
        share,
        atMost(5),
      );
    })
  );
  const seen = shareCalled(["worse"], "rate", { runs: 10, slower: 1.05 });
  const rows = [
    ...alarms,
    row("5 % slower is called worse, by rate, 10 repetitions", seen, atLeast(90)),
  ];
  return { caption: "Verdicts, 200 comparisons a line", unit: "%", rows };
}

function shareCalled(
  verdicts: readonly string[],
  figure: SimulatedFigure,
  { runs, slower }: { runs: number; slower: number },
): number {
  const random = new Random(runs + 100 * slower);
  const called = Array.from(
    { length: 200 },
    () => compare(random, figure, { runs, noise: NOISE, slower }),
  );
  return called.filter((verdict) => verdicts.includes(verdict)).length / called.length;
}

function sequences(): Section {
  const rows = [0.02, 0.05].map((run) => {
    const random = new Random(11);
    const ends = Array.from({ length: 500 }, () => repeatUntil(random, 0.02, { ...NOISE, run }));
    const mean = ends.reduce((sum, { repetitions }) => sum + repetitions, 0) / ends.length;
    const share = ends.filter(({ covers }) => covers).length / ends.length;
    return row(
      `${run * 100} % between runs: ${mean.toFixed(0)} repetitions on average`,
      share,
      atLeast(93),
    );
  });
  return {
    caption: "Intervals that cover after `repeat: until 2%`, 500 experiments a line",
    unit: "%",
    rows,
  };
}

function nameOf(figure: SimulatedFigure): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}
