/**
 * How the runs of a cell reach their steady state, and how they respond before and after it. The label of each
 * run is the one in its results (`runner/stats/steady_state/steady_state.ts`).
 */
import type { RunBlock } from "../../runner/stats/confidence/pool.ts";
import { sumOfSparse, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import type { SteadyLabel } from "../../runner/stats/steady_state/steady_state.ts";
import { mean, type Spread, spreadOf } from "../writing/spread.ts";
import type { CellRuns } from "./cells.ts";
import type { RunParts } from "./counted_part.ts";
import { percentileOf, poolLatency } from "../figures/pool.ts";

/** Figures for a part of a cell's runs: the rate is the mean of their rates, latencies are pooled. */
export interface PartFigures {
  /** Completed requests per second. */
  readonly rate: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of values behind the percentiles. */
  readonly count: number;
}

/** How the runs with a steady state reach it. */
export interface Settling {
  /** Seconds until the steady state; null if no run has one. */
  readonly seconds: Spread | null;
  /** Requests completed by then. */
  readonly requests: Spread | null;
  /** The part before the steady part, for runs with one; null if there are none. */
  readonly startUp: PartFigures | null;
  /** The steady part; null if no run has one. */
  readonly steady: PartFigures | null;
}

export interface Steadiness extends Settling {
  /** The label of each run; null if its load itself changes. */
  readonly labels: readonly (SteadyLabel | null)[];
  /** How far steady parts stray from their level, percent; null if the results do not say. */
  readonly within: Spread | null;
  /** Figures of all runs in their full length, including discarded parts. */
  readonly whole: PartFigures;
}

export function steadinessOf(cell: CellRuns): Steadiness {
  const runs = cell.parts.map(({ whole }) => whole);
  return {
    ...cellSettling(cell.parts),
    labels: runs.map(({ warmup }) => warmup?.label ?? null),
    within: spreadOrNull(
      runs.flatMap(({ warmup }) => {
        const ratio = warmup?.withinRatio ?? null;
        return ratio === null ? [] : [Number((100 * ratio).toPrecision(2))];
      }),
    ),
    whole: wholeFigures(cell),
  };
}

export function cellSettling(parts: readonly RunParts[]): Settling {
  const settled = parts.filter(({ isSettled }) => isSettled);
  return {
    seconds: spreadOrNull(settled.map(({ whole }) => whole.warmup?.steadyFromS ?? 0)),
    requests: spreadOrNull(settled.map(({ startUp }) => startUp?.completed ?? 0)),
    startUp: figuresOf(parts.flatMap(({ startUp }) => startUp ?? [])),
    steady: figuresOf(parts.flatMap(({ steady }) => steady ?? [])),
  };
}

function figuresOf(blocks: readonly RunBlock[]): PartFigures | null {
  if (blocks.length === 0) return null;
  const latency = sumOfSparse(blocks.map(({ latency }) => latency));
  return {
    rate: mean(blocks.map(({ completed, seconds }) => completed / seconds)),
    p50: valueAtPercentile(latency, 50) / 1_000,
    p99: valueAtPercentile(latency, 99) / 1_000,
    count: latency.count,
  };
}

function wholeFigures({ parts, runs, latency: shown }: CellRuns): PartFigures {
  const wholes = parts.map(({ whole }) => whole);
  const latency = wholes.every((whole, i) => whole === runs[i]) ? shown : poolLatency(wholes);
  return {
    rate: mean(wholes.map(({ rate }) => rate)),
    p50: percentileOf(latency, 50),
    p99: percentileOf(latency, 99),
    count: latency.count,
  };
}

function spreadOrNull(values: readonly number[]): Spread | null {
  return values.length === 0 ? null : spreadOf(values);
}
