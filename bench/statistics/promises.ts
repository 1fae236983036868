/**
 * The promises of Plateau's statistics, tested in simulations whose truth is known. Seeds are fixed, so the figures are
 * always the same.
 */
import type { Section } from "../bench.ts";
import { COMPARED } from "./comparisons.ts";
import { gates } from "./gates.ts";
import { coverage, FIGURES, type Noise } from "./groups.ts";
import { labels, steadyStates } from "./labels.ts";
import { LEADS } from "./leads.ts";
import { between, row } from "./percent.ts";
import { Random } from "./random.ts";

/**
 * The noise: 2 % between runs, 3 % between the seconds of a run, and log-normal request times, whose p99 is 3.2 times
 * their p50.
 */
const NOISE: Noise = { run: 0.02, block: 0.03, request: 0.5 };

/** Functions that make the sections; each takes some 20 s. */
export const PROMISES: readonly (() => Section)[] = [
  steadyStates,
  labels,
  coverages,
  ...COMPARED,
  gates,
  ...LEADS,
];

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
