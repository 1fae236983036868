/**
 * What Plateau's statistics promise, measured where the truth is known because it is simulated, with fixed
 * seeds: always the same figures.
 */
import type { Section } from "../bench.ts";
import { COMPARED } from "./comparisons.ts";
import { gates } from "./gates.ts";
import { coverage, FIGURES, type Noise } from "./groups.ts";
import { labels } from "./labels.ts";
import { atLeast, between, row } from "./percent.ts";
import { Random } from "./random.ts";
import { findsFlat, findsNoSteadyState, findsStep, shareOf } from "./series.ts";

/** 2 % between runs, 3 % between the seconds of a run, and request times that are log-normal: p99 at 3.2 times p50. */
const NOISE: Noise = { run: 0.02, block: 0.03, request: 0.5 };

/** Each section takes some 20 s. */
export const PROMISES: readonly (() => Section)[] = [
  steadyStates,
  labels,
  coverages,
  ...COMPARED,
  gates,
];

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

function nameOf(figure: typeof FIGURES[number]): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}
