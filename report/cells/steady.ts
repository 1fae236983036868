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
import { flattenedOf, POINT_PERCENTILES } from "../figures/intervals.ts";

/** A part of the runs of a cell: its rate is the mean of theirs, its latencies are pooled. */
export interface PartFigures {
  /** Completed requests per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Values in the percentiles. */
  readonly count: number;
}

/** How the runs that have a steady state reach it. */
export interface Settling {
  /** Seconds to the steady state; null when no run has one. */
  readonly seconds: Spread | null;
  /** Requests that were completed by then. */
  readonly requests: Spread | null;
  /** Before the steady part, in the runs that have such a part; null when none has. */
  readonly startUp: PartFigures | null;
  /** Null when no run has one. */
  readonly steady: PartFigures | null;
}

export interface Steadiness extends Settling {
  /** The label of each run; null for a load that itself changes. */
  readonly labels: readonly (SteadyLabel | null)[];
  /** How far steady parts stray from their level, percent; null where the results do not say. */
  readonly within: Spread | null;
  /** Figures of all whole runs, with what the experiment discards. */
  readonly whole: PartFigures;
  /** Seconds until each of POINT_PERCENTILES is near where it ends (Kuffel and Walter); null without requests. */
  readonly flattening: readonly (Spread | null)[];
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
    flattening: POINT_PERCENTILES.map((percentile) =>
      spreadOrNull(runs.flatMap((run) => flattenedOf(run, percentile)?.fromS ?? []))
    ),
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
