/**
 * The runs of one experiment, grouped as in its file: by scenario, then by cell (a target with its parameters).
 * Statistics are over runs, never over requests.
 */
import type { Results, Run } from "../../runner/result/result.ts";
import {
  drawsOfCell,
  type Estimate,
  estimateOfMean,
  type Sampling,
} from "../../runner/stats/confidence/bootstrap.ts";
import type { CountedPart, PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { LOOK_CONFIDENCE } from "../../runner/stats/confidence/sequential.ts";
import { cellLabel } from "./cell_label.ts";
import { valueText, writtenValues } from "./factors.ts";
import { colorAt, COLORS } from "./colors.ts";
import { type Spread, spreadOf } from "../writing/spread.ts";
import { type RunParts, splitRun } from "./counted_part.ts";
import { endedLatency, type PooledLatency, poolLatency } from "../figures/pool.ts";
import { errorRatioOf } from "../figures/errors.ts";
import {
  type DrawnFigure,
  type Ends,
  estimatedRange,
  type Estimates,
  type JudgedCell,
} from "../figures/range.ts";
import { cpuPerRequestUs } from "../figures/resources.ts";

/** A cell: a target with its parameters in a scenario. `rangeOf(figure, cell)` gives any of its figures. */
export interface CellRuns extends JudgedCell {
  readonly target: string;
  /** Number of the cell's colour, which is the same in every scenario; see `COLORS`. */
  readonly color: number;
  /**
   * At least one run, in the order of repetitions. Their figures cover only the part of each run that counts: see
   * `RunParts`.
   */
  readonly runs: readonly Run[];
  readonly parts: readonly RunParts[];
  /**
   * Numbers of the repetitions whose runs have no steady part, if figures are to count only the steady part. These runs
   * are counted whole, because leaving them out would bias the figures towards runs that settled. Empty if no run has a
   * steady part.
   */
  readonly wholeRuns: readonly number[];
  /** The session and the repetitions in which the cell's runs were measured. */
  readonly sampling: Sampling;
  /**
   * False if most runs have no steady state, or if figures are to count only the steady part and no run has one. There
   * is then no level that an interval could describe.
   */
  readonly hasLevel: boolean;
  /** Completed requests per second. */
  readonly rate: Spread;
  readonly latency: PooledLatency;
  /**
   * Confidence interval of the requests per second, or of a latency in ms; null if there is only one run, or no level
   * (`hasLevel`).
   */
  readonly interval: (figure: PooledFigure) => Ends | null;
  /**
   * Share of requests without a correct response among all that ended or were never sent, 0–1; see `figures/errors.ts`.
   */
  readonly errorRatio: number;
}

export interface ScenarioRuns {
  readonly name: string;
  readonly cells: readonly CellRuns[];
}

/**
 * The parts of results that tell which runs belong together, and when these runs were measured. A single measurement
 * has no experiment.
 */
export type Grouped =
  & Pick<Results, "runs">
  & Partial<Pick<Results, "experiment" | "startedAt">>;

/** The scenarios that have runs, with their cells. */
export function groupRuns(results: Grouped): ScenarioRuns[] {
  const colorOf = colorsOf(results);
  const scenarios = namesInOrder("scenario", results);
  const targets = namesInOrder("target", results);
  const repeated = repeatedOf(results);
  return scenarios
    .map((name) => {
      const runs = results.runs.filter(({ scenario }) => scenario === name);
      const cells = [...Map.groupBy(runs, cellLabel)].map(([label, group]) =>
        cellOf(group, { label, color: colorOf(group[0]) }, {
          ...repeated,
          session: results.startedAt ?? null,
        })
      );
      return { name, cells: inOrder(cells, targets) };
    })
    .filter(({ cells }) => cells.length > 0);
}

function inOrder(cells: readonly CellRuns[], targets: readonly string[]): CellRuns[] {
  return [...cells].sort((a, b) =>
    targets.indexOf(a.target) - targets.indexOf(b.target) || compareNatural(a.label, b.label)
  );
}

type CellLook = Pick<CellRuns, "label" | "color">;
type OfSession = Repeated & { readonly session: string | null };

/**
 * Cells by the first of their runs. They are cached because a report groups its runs twice, the second time without the
 * disturbed runs.
 */
const cellsOfRun = new WeakMap<Run, { readonly from: string; readonly cell: CellRuns }[]>();

/** Returns the cached cell if there is one with the same runs. */
function cellOf(group: readonly Run[], look: CellLook, repeated: OfSession): CellRuns {
  const from = JSON.stringify([look, repeated]);
  const known = cellsOfRun.get(group[0]) ?? [];
  const found = known.find(({ from: as, cell }) =>
    as === from && cell.parts.length === group.length &&
    group.every((run) => cell.parts.some(({ whole }) => whole === run))
  );
  if (found !== undefined) return found.cell;
  const cell = newCell(group, look, repeated);
  cellsOfRun.set(group[0], [...known, { from, cell }]);
  return cell;
}

function newCell(group: readonly Run[], look: CellLook, repeated: OfSession): CellRuns {
  const parts = [...group].sort((a, b) => a.repetition - b.repetition)
    .map((run) => splitRun(run, repeated));
  const runs = parts.map(({ run }) => run);
  const { session, level } = repeated;
  const sampling = { session, repetitions: runs.map(({ repetition }) => repetition) };
  const estimates = estimatesOf(parts, sampling);
  const whole = repeated.figures === "steady" ? parts.filter(({ isSettled }) => !isSettled) : [];
  const hasLevel = unsteadyOf(runs) === null && whole.length < parts.length;
  return {
    ...look,
    scenario: runs[0].scenario,
    target: runs[0].target,
    runs,
    parts,
    wholeRuns: whole.length === parts.length ? [] : whole.map(({ run }) => run.repetition),
    ...{ sampling, hasLevel },
    rate: spreadOf(runs.map(({ rate }) => rate)),
    latency: poolLatency(runs),
    estimates,
    level,
    interval: (figure) =>
      hasLevel ? estimatedRange(figure, { estimates, level })?.interval ?? null : null,
    errorRatio: errorRatioOf(runs) ?? 1,
  };
}

/**
 * Estimates of a cell's figures. Each is computed on demand, because a comparison needs only a few. All are based on
 * the same bootstrap draws.
 */
function estimatesOf(parts: readonly RunParts[], sampling: Sampling): Estimates {
  const runs = parts.map(({ run }) => run);
  const drawn = new Map<DrawnFigure, Estimate | null>();
  const draws = once(() => drawsOfCell(parts.map(({ blocks }) => blocks), sampling));
  const drawsOfEnded = once(() => drawsOfCell(parts.map(endedBlocks), sampling));
  const get = (figure: DrawnFigure): Estimate | null =>
    drawn.getOrInsertComputed(
      figure,
      () =>
        figure === "cpuPerRequest"
          ? cpuEstimate(runs, get("rate"))
          : (typeof figure === "number" && figure < 50 ? drawsOfEnded : draws)()(figure),
    );
  return { get };
}

/**
 * CPU time per request, for the same bootstrap draws as the rate. Null if the CPU time or the rate of a run is unknown.
 */
function cpuEstimate(runs: readonly Run[], rate: Estimate | null): Estimate | null {
  const values = runs.flatMap((run) => cpuPerRequestUs(run) ?? []);
  const isSeen = values.length === runs.length && rate?.repetitions.length === runs.length;
  return isSeen ? estimateOfMean(values, rate) : null;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * The blocks of a run. Results of earlier versions don't tell which latencies are only lower bounds; their blocks are
 * reduced to the completed requests.
 */
function endedBlocks({ run, blocks }: RunParts): readonly RunBlock[] {
  const { latency: { censored, fastest }, censoredHistogram } = run;
  if (censored === 0 || censoredHistogram !== undefined) return blocks;
  return blocks.map((block) => ({ ...block, latency: endedLatency(block.latency, fastest) }));
}

/** Names in the order of the experiment file, followed by those that occur only in the runs. */
export function namesInOrder(kind: "target" | "scenario", results: Grouped): string[] {
  const written = results.experiment?.[`${kind}s`];
  const inFile = typeof written === "object" && written !== null ? Object.keys(written) : [];
  return [...new Set([...inFile, ...results.runs.map((run) => run[kind])])];
}

/**
 * Assigns one colour to each target, and a shade of it to each combination of values of the target's factors, from the
 * lightest to the darkest. All planned values count, so that no colour changes as more runs arrive.
 */
function colorsOf(results: Grouped): (run: Run) => number {
  const targets = namesInOrder("target", results);
  const settings = new Map(
    targets.map((target) => {
      const runs = results.runs.filter((run) => run.target === target);
      const paths = [...new Set(runs.flatMap(({ parameters }) => Object.keys(parameters)))].sort();
      return [target, paths.map((path) => ({ path, values: valuesOf(path, runs, results) }))];
    }),
  );
  return ({ target, parameters }) => {
    const factors = settings.get(target) ?? [];
    const steps = factors.reduce((product, { values }) => product * values.length, 1);
    const step = factors.reduce(
      (at, { path, values }) =>
        at * values.length + Math.max(0, values.indexOf(valueText(parameters[path]))),
      0,
    );
    const index = targets.indexOf(target);
    return steps > 1
      ? colorAt(index, 1 - step / (steps - 1))
      : colorAt(index, AGAIN[Math.floor(index / COLORS) % AGAIN.length]);
  };
}

/**
 * Lightness of the shades in which colours are reused if there are more targets than colours. The first, 0.5, is the
 * plain colour.
 */
const AGAIN = [0.5, 0, 1, 0.25, 0.75];

/**
 * The planned values of a factor, in the order of the experiment file. If a run's value is not listed there, returns
 * the values of the runs instead, in natural order.
 */
function valuesOf(path: string, runs: readonly Run[], { experiment }: Grouped): string[] {
  const held = runs.filter(({ parameters }) => Object.hasOwn(parameters, path))
    .map(({ parameters }) => valueText(parameters[path]));
  const planned = writtenValues(experiment, path);
  return held.every((text) => planned.includes(text))
    ? planned
    : [...new Set(held)].sort(compareNatural);
}

/** Orders texts such that numbers in them count as numbers: "connections 50" before "connections 200". */
function compareNatural(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

// Which part of an experiment's runs counts, and the level of its intervals.

interface Repeated extends CountedPart {
  /**
   * Nominal level of intervals, 0–1. Above 0.95 if the experiment checked its results repeatedly to decide when to
   * stop, so that intervals can still be called 95 %: see `sequential.ts`.
   */
  readonly level: number;
}

export function repeatedOf({ experiment }: Partial<Pick<Results, "experiment">>): Repeated {
  const { discard, figures, repeat, order }: Partial<Results["experiment"]> = experiment ?? {};
  // With `until`, the results of the runs decided how many runs there were.
  const isUntil = typeof repeat === "object" && repeat !== null && "until" in repeat &&
    repeat.until !== null;
  const areLooked = order === "slices" && typeof repeat !== "number";
  return {
    discardS: typeof discard === "number" ? discard / 1_000 : 0,
    figures: figures === "steady" ? figures : "whole",
    level: isUntil || areLooked ? LOOK_CONFIDENCE : 0.95,
  };
}

// A cell of which most runs never settled. No mean describes such a cell, so it gets no interval.

/** The number of runs without a steady state, and the number of all runs. */
export type Unsteady = Readonly<Record<"count" | "of", number>>;

/** How many runs are labelled no-steady-state; null if these are at most half of the runs. */
export function unsteadyOf(runs: readonly Pick<Run, "warmup">[]): Unsteady | null {
  const count = runs.filter(({ warmup }) => warmup?.label === "no-steady-state").length;
  return 2 * count > runs.length ? { count, of: runs.length } : null;
}

/** For example `no steady state in 4 of 5 runs`. */
export function noSteadyStateText({ count, of }: Unsteady): string {
  return of === 1 ? "no steady state" : `no steady state in ${count} of ${of} runs`;
}
