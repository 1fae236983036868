/** Tests how often thresholds are judged right if the truth is exactly at the limit or at a known distance from it. */
import { type Gate, judgeTogether } from "../../report/judge/thresholds.ts";
import type { Outcome } from "../../report/judge/reasons.ts";
import { allowedBy, distanceTo, exactly, sideOf, tested } from "../../report/judge/rules.ts";
import {
  pooledShare,
  type Proportion,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import type { Section } from "../bench.ts";
import { atLeast, atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { meanRange } from "../../report/figures/range.ts";

const EXPERIMENTS = 1_000;
const CELLS = 20;
const LEVEL = 0.95;
/** The standard deviation of the logarithm of the rate between runs. */
const NOISE = 0.02;

export function gates(): Section {
  const rows = [
    row("fails, a rate over 5 runs", anyOf("broken", rateGate(5, 0)), atMost(5)),
    row("fails, a percentile of one run", anyOf("broken", shareGate([2_000], 0.01)), atMost(5)),
    row("fails, failures in bursts of 4", anyOf("broken", shareGate(FIVE, 0.01, 4)), atMost(5)),
    row("one cell passes, a rate over 5 runs", eachOf("held", rateGate(5, 0)), atMost(5)),
    row(
      "one cell passes, a percentile of one run",
      eachOf("held", shareGate([2_000], 0.01)),
      atMost(5),
    ),
    row(
      "one cell passes, bursts of 4 over 5 runs",
      eachOf("held", shareGate(FIVE, 0.01, 4)),
      atMost(5),
    ),
    row("a rate 8 % too low fails in its cell", eachOf("broken", rateGate(5, -0.08)), atLeast(80)),
    row("a rate 5 % better passes", eachOf("held", rateGate(5, 0.05)), atLeast(80)),
    row(
      "2 % beyond the p99 fails in its cell",
      eachOf("broken", shareGate([4_000], 0.02)),
      atLeast(80),
    ),
    row("0.4 % beyond the p99 passes", eachOf("held", shareGate([4_000], 0.004)), atLeast(80)),
    ...[1, 4].flatMap((burst) =>
      [3, 5, 10].map((runs) =>
        row(
          `interval of a share covers, bursts of ${burst}, ${runs} runs`,
          coverage(burst, runs),
          atLeast(94),
        )
      )
    ),
  ];
  const notes = [
    `At the limit, unless said otherwise; ${CELLS} cells judged together, ${
      100 * NOISE
    } % between runs.`,
    "The first three: any cell of an experiment.",
  ];
  return {
    caption: `Thresholds, ${EXPERIMENTS} experiments or ${2 * EXPERIMENTS} cells a line`,
    unit: "%",
    rows,
    notes,
  };
}

/** The number of requests in each of five runs. */
const FIVE = [3_000, 3_000, 3_000, 3_000, 3_000];
/** The share of requests that may be beyond the limit. */
const ALLOWED = 0.01;

type GateOf = (random: Random) => Gate;

/** A gate `rate > 1000/s` on a target whose true rate is above that limit by the share `better`. */
function rateGate(runs: number, better: number): GateOf {
  const limit = 1_000;
  return (random) => {
    const values = Array.from(
      { length: runs },
      () => limit * (1 + better) * Math.exp(NOISE * random.normal() - NOISE ** 2 / 2),
    );
    const { value, interval } = meanRange(values, { level: LEVEL });
    const ends = interval ?? exactly(value);
    const { p } = distanceTo(limit, { value, interval: ends, runs, level: LEVEL });
    return gateOf(sideOf(ends, allowedBy(">", limit)), p);
  };
}

/**
 * A gate on a p99, or on `errors < 1%`, if the share `share` of the requests is beyond the limit.
 * @param runs The number of requests in each run.
 */
function shareGate(runs: readonly number[], share: number, burst = 1): GateOf {
  return (random) => {
    const counts = runs.map((of) => countedIn(random, of, { share, burst }));
    const outcome = sideOf(pooledShare(counts, LEVEL), allowedBy("<", ALLOWED));
    return gateOf(outcome, shareP(counts, ALLOWED));
  };
}

function gateOf(outcome: Outcome, p: number): Gate {
  const found = { code: "absent", absences: [{ code: "nothing-measured" }] } as const;
  const evidence = tested(found, { outcome, p, remedy: { code: "few-runs" } });
  return { threshold: "", scenario: "", label: "", evidence };
}

/**
 * The number of requests beyond the limit if they come in bursts of a given size. Its variance is the Poisson variance
 * times the size of the bursts.
 */
function countedIn(
  random: Random,
  of: number,
  { share, burst }: { share: number; burst: number },
): Proportion {
  return { count: Math.min(of, burst * poisson(random, share * of / burst)), of };
}

/**
 * Draws a Poisson number (D. E. Knuth, "The Art of Computer Programming", vol. 2, §3.4.1). The mean must be below a few
 * hundred, because exp(−mean) would otherwise underflow.
 */
function poisson(random: Random, mean: number): number {
  const least = Math.exp(-mean);
  let count = -1;
  for (let product = 1; product > least; count++) product *= 1 - random.uniform();
  return count;
}

function experiments(gate: GateOf, count: number): Outcome[][] {
  const random = new Random(14);
  return Array.from(
    { length: count },
    () =>
      judgeTogether(Array.from({ length: CELLS }, () => gate(random))).map(({ evidence }) =>
        evidence.outcome
      ),
  );
}

/** The share of experiments in which at least one cell has the wanted outcome. */
function anyOf(wanted: Outcome, gate: GateOf): number {
  const all = experiments(gate, EXPERIMENTS);
  return all.filter((outcomes) => outcomes.includes(wanted)).length / all.length;
}

/** The share of all cells that have the wanted outcome. */
function eachOf(wanted: Outcome, gate: GateOf): number {
  const all = experiments(gate, EXPERIMENTS / 10).flat();
  return all.filter((outcome) => outcome === wanted).length / all.length;
}

function coverage(burst: number, runs: number): number {
  const random = new Random(15);
  const share = 0.01;
  const covered = Array.from({ length: 2 * EXPERIMENTS }, () => {
    const counts = Array.from(
      { length: runs },
      () => countedIn(random, 3_000, { share, burst }),
    );
    const { low, high } = pooledShare(counts, LEVEL);
    return low <= share && share <= high;
  });
  return covered.filter(Boolean).length / covered.length;
}
