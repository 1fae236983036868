/**
 * Describes how each cell warms up, slows down, stays flat or never settles, and compares its figures before and after
 * the steady state begins. The label of each run comes from its results (`runner/stats/steady_state/steady_state.ts`).
 */
import type { Run } from "../../runner/result/result.ts";
import type { Warmup } from "../../runner/result/warmup.ts";
import type { RunBlock } from "../../runner/stats/confidence/pool.ts";
import { sumOfSparse, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import {
  LEAST_STEADY_INTERVALS,
  type SteadyLabel,
} from "../../runner/stats/steady_state/steady_state.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import type { RunParts } from "../cells/counted_part.ts";
import { percentileOf, poolLatency } from "../figures/pool.ts";
import { mean, type Spread, spreadOf } from "../writing/spread.ts";
import { formatCount, formatMs, formatNumber, formatTick } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import { freezesText, unsettledText, withinText } from "./over_time.ts";

/** Code for a cell whose runs are all flat, so there is nothing to report. */
export const FLAT = "steady.flat";

/**
 * Verbs for one run and for several. If two labels have equally many runs, the one listed first here is reported first.
 */
const VERBS: Readonly<Record<SteadyLabel, readonly [one: string, several: string]>> = {
  "warm-up": ["warms up", "warm up"],
  slowdown: ["slows down", "slow down"],
  "no-steady-state": ["reaches no steady state", "reach no steady state"],
  flat: ["is flat from the start", "are flat from the start"],
  "too-short": [
    "has too few intervals with responses to judge its warm-up",
    "have too few intervals with responses to judge their warm-up",
  ],
};

/**
 * One finding for each cell with an unchanging load, or a single finding for all cells if every run is too short.
 * Example: `hono warms up: steady from 1.75 s on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before.`
 */
export function steadyFindings(cells: readonly CellRuns[]): Finding[] {
  const all = cells.flatMap(warmupsOf);
  if (cells.length > 1 && all.length > 0 && all.every(({ label }) => label === "too-short")) {
    const details = tooShortText(cells[0].runs[0].timeline);
    const text = `No run has enough intervals with responses to judge its warm-up: ${details}.`;
    return [{ code: "steady.too-short", text }];
  }
  return cells.filter((cell) => warmupsOf(cell).length > 0).map(steadyFinding);
}

function warmupsOf({ runs }: CellRuns): Warmup[] {
  return runs.flatMap(({ warmup }) => warmup ?? []);
}

/**
 * Labels are listed by their number of runs, the most frequent first: `hono warms up in 2 of 3 runs: …`, then `1 run is
 * flat`.
 */
function steadyFinding(cell: CellRuns): Finding {
  const byLabel = Map.groupBy(warmupsOf(cell), ({ label }) => label);
  const order = Object.keys(VERBS);
  const groups = [...byLabel].toSorted(([one, a], [other, b]) =>
    b.length - a.length || order.indexOf(one) - order.indexOf(other)
  );
  const frozen = frozenText(cell);
  const texts = groups.map(([label, runs], i) => {
    const share = i === 0 && runs.length < cell.runs.length
      ? ` in ${runs.length} of ${counted(cell.runs.length, "run")}`
      : "";
    const subject = i === 0 ? cell.label : counted(runs.length, "run");
    const details = detailsText(cell, label, runs);
    const [one, several] = VERBS[label];
    const colon = label === "flat" ? "," : ":";
    return `${subject} ${i === 0 || runs.length === 1 ? one : several}${share}${
      details && `${colon} ${details}`
    }.`;
  });
  // The most frequent label other than "flat" decides, so a cell is flat only if all of its runs
  // are.
  const most = groups.find(([label]) => label !== "flat")?.[0];
  return {
    code: most === undefined && frozen === "" ? FLAT : `steady.${most ?? "frozen"}`,
    text: [...texts, frozen].filter(Boolean).join(" "),
  };
}

/**
 * The details that follow the colon after a label, such as when the runs settle.
 * @param warmups The warm-ups of the runs with this label.
 */
function detailsText(cell: CellRuns, label: SteadyLabel, warmups: readonly Warmup[]): string {
  switch (label) {
    case "flat":
      return withinText(warmups);
    case "too-short":
      return tooShortText(cell.runs[0].timeline);
    case "no-steady-state":
      return [mostUnsettledText(warmups), "longer runs may reach one"].filter(Boolean).join("; ");
    case "warm-up":
    case "slowdown":
      return settledText(cell, label, warmups);
  }
}

/**
 * What a run needs so that its warm-up can be judged. Responses are needed in more than half of the intervals, because
 * the median rate would be 0 otherwise.
 */
function tooShortText({ intervalS, points }: Run["timeline"]): string {
  const active = points.filter(({ completed }) => completed > 0).length;
  const isSparse = active >= LEAST_STEADY_INTERVALS && 2 * active <= points.length;
  return `that takes ${LEAST_STEADY_INTERVALS} intervals of ${formatTick(intervalS)} s${
    isSparse ? ", and responses in more than half of all" : ""
  }`;
}

/**
 * The most frequent reason why runs did not settle, with figures from the first such run; "" if that reason is freezes,
 * which `frozenText` describes.
 */
function mostUnsettledText(warmups: readonly Warmup[]): string {
  const [[most]] = [...Map.groupBy(warmups, ({ unsettled }) => unsettled ?? null).values()]
    .sort((a, b) => b.length - a.length);
  return most.unsettled === "freezes" ? "" : unsettledText(most);
}

/**
 * Example: `In 2 of 3 runs the server sent no response for 2.0 s, 3 times, every 10 s.` The figures are from the run
 * that was frozen for the largest share of its time.
 */
function frozenText(cell: CellRuns): string {
  const frozen = warmupsOf(cell).flatMap(({ freezes }) => freezes ?? []);
  const [worst] = frozen.toSorted((a, b) => b.shareRatio - a.shareRatio);
  if (worst === undefined) return "";
  const runs = cell.runs.length;
  const head = runs === 1 ? "The" : `In ${frozen.length} of ${counted(runs, "run")} the`;
  return `${head} server ${freezesText(worst)}.`;
}

/** Example: `steady from 1.75 s (1.5–2) on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before`. */
function settledText(cell: CellRuns, label: SteadyLabel, warmups: readonly Warmup[]): string {
  const { seconds, requests, startUp, steady } = cellSettling(
    cell.parts.filter(({ whole }) => whole.warmup?.label === label),
  );
  if (!seconds || !requests) return "";
  const { median, min, max } = seconds;
  const range = min === max ? "" : ` (${formatTick(min)}–${formatTick(max)})`;
  const within = withinText(warmups);
  const settled = `steady from ${formatTick(median)} s${range} on, after ${
    formatCount(requests.median)
  } requests${within && `, ${within}`}`;
  return startUp && steady ? `${settled}; ${changeText(startUp, steady, label)}` : settled;
}

/** Reports the rate or the p50: the one that improved more in a warm-up, or worsened more in a slowdown. */
function changeText(startUp: PartFigures, steady: PartFigures, label: SteadyLabel): string {
  const byRate = Math.log(steady.rate / startUp.rate);
  const byP50 = Math.log(startUp.p50 / steady.p50);
  // A part in which no request completed has no latencies to compare.
  const isSilent = startUp.count === 0 || steady.count === 0;
  return isSilent || (label === "slowdown" ? byRate < byP50 : byRate > byP50)
    ? `${formatNumber(steady.rate)} requests/s then, ${formatNumber(startUp.rate)} before`
    : `p50 ${formatMs(steady.p50)} then, ${formatMs(startUp.p50)} before`;
}

/** Figures for the same part of each run of a cell. The rate is the mean of the runs' rates; latencies are pooled. */
interface PartFigures {
  /** Completed requests per second. */
  readonly rate: number;
  /** `p50` and `p99` are in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of latencies from which the percentiles are computed. */
  readonly count: number;
}

/** When the runs of a cell reach their steady state, and their figures before and after. */
interface Settling {
  /** Seconds until the steady state; null if no run has one. */
  readonly seconds: Spread | null;
  /** Requests completed before the steady state; null if no run has one. */
  readonly requests: Spread | null;
  /** Figures before the steady state, over the runs that start with such a part; null if none does. */
  readonly startUp: PartFigures | null;
  /** Figures in the steady state; null if no run has one. */
  readonly steady: PartFigures | null;
}

export interface Steadiness extends Settling {
  /** The label of each run; null for a run whose load changes. */
  readonly labels: readonly (SteadyLabel | null)[];
  /** How far the steady parts stray from their level, in percent; null if the results do not record it. */
  readonly within: Spread | null;
  /** Figures of all runs in full length, including the parts that other figures discard. */
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

function cellSettling(parts: readonly RunParts[]): Settling {
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
