/**
 * The runs of one experiment, in the order of its file: its scenarios, the cells of each scenario (a target with its
 * parameters), and the runs of each cell. Statistics are over runs, never over requests.
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

/** A target with its parameters in a scenario; `rangeOf(figure, cell)` gives any of its figures. */
export interface CellRuns extends JudgedCell {
  readonly target: string;
  /** Colour of the cell, the same in every scenario: see `COLORS`. */
  readonly color: number;
  /** Runs by repetition; at least one. Figures exclude the part that the experiment discards. */
  readonly runs: readonly Run[];
  /** The parts of each run. */
  readonly parts: readonly RunParts[];
  /**
   * Repetitions of the runs without a steady part, if figures count only the steady part. These runs count as a whole,
   * because leaving them out would bias the figures towards runs that settled. Empty if no run has a steady part.
   */
  readonly wholeRuns: readonly number[];
  /** When the cell's runs were measured. */
  readonly sampling: Sampling;
  /** Whether most runs have a steady state, so that there is a level for an interval to describe. */
  readonly hasLevel: boolean;
  /** Completed requests per second. */
  readonly rate: Spread;
  readonly latency: PooledLatency;
  /**
   * Interval of requests per second, or of latency in ms; null for one run, and without a level.
   */
  readonly interval: (figure: PooledFigure) => Ends | null;
  /** Requests without a correct response, as a share of those that ended or were never sent: `figures/errors.ts`. */
  readonly errorRatio: number;
}

export interface ScenarioRuns {
  readonly name: string;
  readonly cells: readonly CellRuns[];
}

/**
 * The parts of results that decide which runs belong together, and when they were measured; a measurement alone has no
 * experiment.
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

/** Cells by their first run, kept because a report groups its runs a second time, without the disturbed ones. */
const cellsOfRun = new WeakMap<Run, { readonly from: string; readonly cell: CellRuns }[]>();

/** A cell, made once for the same runs. */
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
 * Estimates of figures, each computed on demand because a comparison needs only a few. All use the same bootstrap draws
 * of the cell.
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

/** CPU time per request, for the same draws as the rate; null if a run's CPU time is unknown, or a run has no rate. */
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
 * Blocks with only the completed requests, for results of earlier versions, which don't say which values are lower
 * bounds; else unchanged.
 */
function endedBlocks({ run, blocks }: RunParts): readonly RunBlock[] {
  const { latency: { censored, fastest }, censoredHistogram } = run;
  if (censored === 0 || censoredHistogram !== undefined) return blocks;
  return blocks.map((block) => ({ ...block, latency: endedLatency(block.latency, fastest) }));
}

/** Names in the order of the experiment file, then any that only occur in the runs. */
export function namesInOrder(kind: "target" | "scenario", results: Grouped): string[] {
  const written = results.experiment?.[`${kind}s`];
  const inFile = typeof written === "object" && written !== null ? Object.keys(written) : [];
  return [...new Set([...inFile, ...results.runs.map((run) => run[kind])])];
}

/**
 * One colour for each target, and shades of it for the values of its factors, from the lightest to the darkest. The
 * colours follow the plan, so that none changes as more runs arrive.
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

/** Shades in which colours are used again if there are more targets than colours; the first is the plain colour. */
const AGAIN = [0.5, 0, 1, 0.25, 0.75];

/**
 * Planned values, in the order of the file; if the file writes them differently, the values of the runs in natural
 * order.
 */
function valuesOf(path: string, runs: readonly Run[], { experiment }: Grouped): string[] {
  const held = runs.filter(({ parameters }) => Object.hasOwn(parameters, path))
    .map(({ parameters }) => valueText(parameters[path]));
  const planned = writtenValues(experiment, path);
  return held.every((text) => planned.includes(text))
    ? planned
    : [...new Set(held)].sort(compareNatural);
}

/** Compares texts with the numbers in them compared as numbers: "connections 50" before "connections 200". */
function compareNatural(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

// How often an experiment was repeated, why not more often, and which part of its runs counts.

interface Repeated extends CountedPart {
  /** Level at which intervals are computed, so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
}

export function repeatedOf({ experiment }: Partial<Pick<Results, "experiment">>): Repeated {
  const { discard, figures, repeat, order }: Partial<Results["experiment"]> = experiment ?? {};
  // With `until`, the runs themselves determined their number.
  const isUntil = typeof repeat === "object" && repeat !== null && "until" in repeat &&
    repeat.until !== null;
  const areLooked = order === "slices" && typeof repeat !== "number";
  return {
    discardS: typeof discard === "number" ? discard / 1_000 : 0,
    figures: figures === "steady" ? figures : "whole",
    level: isUntil || areLooked ? LOOK_CONFIDENCE : 0.95,
  };
}

// Whether so many runs of a cell never settled that no mean describes them; such a cell gets no interval.

/** The number of runs without a steady state, and the number of all runs. */
export type Unsteady = Readonly<Record<"count" | "of", number>>;

/** How many runs never settled; null if at most half of them are labelled no-steady-state. */
export function unsteadyOf(runs: readonly Pick<Run, "warmup">[]): Unsteady | null {
  const count = runs.filter(({ warmup }) => warmup?.label === "no-steady-state").length;
  return 2 * count > runs.length ? { count, of: runs.length } : null;
}

/** `no steady state in 4 of 5 runs` */
export function noSteadyStateText({ count, of }: Unsteady): string {
  return of === 1 ? "no steady state" : `no steady state in ${count} of ${of} runs`;
}
