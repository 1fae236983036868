/**
 * Decides whether another block of runs follows. An experiment ends after a fixed number of repetitions, when every
 * interval is as narrow as requested (checked only after numbers of repetitions that are fixed beforehand, see
 * `stats/confidence/sequential.ts`), or when time is up. Reads no clock: times are arguments.
 */
import type { Repeat } from "../../scenarios/plan/repetition.ts";
import type { CellProgress } from "../result/progress.ts";
import type { Stopping } from "../result/invocation.ts";
import type { Run } from "../result/result.ts";
import { LEAST_IN_BUDGET, mostRepetitions, percent } from "./repetition_bounds.ts";
import {
  countedFrom,
  type CountedPart,
  intervalBlocks,
  mergeBlocks,
  type PooledFigure,
  type RunBlock,
} from "../stats/confidence/pool.ts";
import { type Estimate, estimateCell } from "../stats/confidence/bootstrap.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { type ConfidenceInterval, intervalOf } from "../stats/confidence/confidence_interval.ts";
import {
  halfWidthOf,
  isNarrow,
  LEAST_OF_GROUPS,
  LOOK_CONFIDENCE,
  LOOKS,
  nextLook,
} from "../stats/confidence/sequential.ts";
import { twoGroupsOf } from "../stats/comparison/bimodality.ts";

/** The figures whose intervals decide about more repetitions: a cell's throughput and its median latency. */
const WATCHED = ["rate", 50] as const;

interface Timing {
  /** Milliseconds spent on the experiment so far, including the time before a resume. */
  readonly elapsedMs: number;
  /** Expected milliseconds of another block; 0 if it would have no run. */
  readonly blockMs: number;
}

type Decision =
  /** `note` is a line for the user after a check of the intervals; null after other repetitions. */
  | { readonly goesOn: true; readonly note: string | null }
  | { readonly goesOn: false; readonly stopping: Stopping };

interface CountedRun {
  readonly run: Run;
  readonly blocks: readonly RunBlock[];
}

export class Repetition {
  /** Runs by `cellKey`. */
  readonly #runs = new Map<string, CountedRun[]>();

  /** @param counted The part of each run that figures are computed from. */
  constructor(private readonly repeat: Repeat, private readonly counted: CountedPart) {}

  /** @returns A function that computes the progress of the run's cell, called only if somebody needs it. */
  add(run: Run): () => CellProgress {
    const from = countedFrom(run, this.counted);
    const { timeline: { points }, latency: { clock } } = run;
    const blocks = points.length === 0
      ? []
      : [mergeBlocks(intervalBlocks(points, clock).slice(from))];
    const name = cellKey(run);
    const runs = [...this.#runs.get(name) ?? [], { run, blocks }];
    this.#runs.set(name, runs);
    return () => this.#progressOf(runs);
  }

  #progressOf(runs: readonly CountedRun[]): CellProgress {
    const figure = runs.every(({ run: { load } }) => load.kind === "closed") ? "rate" : "p99";
    const size = figure === "rate" ? 1 : 1_000; // requests/s stay as they are, µs become ms
    const [ranked] = estimatesOf(runs, [figure === "rate" ? "rate" : 99]);
    const interval = ranked && intervalOf(ranked, this.#level);
    const isWatched = this.#level !== undefined && runs.length > 1;
    return {
      runs: runs.map(({ run }) => run),
      figure,
      value: ranked && ranked.value / size,
      interval: interval && { low: interval.low / size, high: interval.high / size },
      halfWidth: isWatched ? widestOf(this.#intervalsOf(estimatesOf(runs, WATCHED))) : null,
    };
  }

  /** The number of repetitions, including the `done` ones, after which it is next decided whether to go on. */
  plannedAfter(done: number): number {
    if (typeof this.repeat === "number") return this.repeat;
    const { until, budget } = this.repeat;
    const most = mostRepetitions(this.repeat);
    if (until === null && budget === null) return most;
    const next = until === null ? Math.max(LEAST_IN_BUDGET, done + 1) : nextLook(done) ?? done;
    return Math.min(next, most);
  }

  /**
   * Decides whether to go on after `done` repetitions.
   * @param done Number of completed repetitions, even if some cells could not be measured.
   * @param isDecided Whether the runs so far already answer the experiment's question.
   */
  decide(done: number, timing: Timing, isDecided = false): Decision {
    const why = isDecided
      ? "decided"
      : typeof this.repeat === "number"
      ? done < this.repeat ? null : "fixed"
      : this.#sequenceEnd(this.repeat, done, timing);
    if (why !== null) return { goesOn: false, stopping: this.#stopping(done, why) };
    return { goesOn: true, note: this.#lookNote(done) };
  }

  #isLook(done: number): boolean {
    const until = typeof this.repeat === "number" ? null : this.repeat.until;
    return until !== null && LOOKS.some((look) => look === done);
  }

  #sequenceEnd(
    repeat: Exclude<Repeat, number>,
    done: number,
    { elapsedMs, blockMs }: Timing,
  ): Stopping["reason"] | null {
    const { until, budget } = repeat;
    if (until !== null && this.#isLook(done) && this.#isEnough(done, until)) return "precision";
    if (done >= mostRepetitions(repeat)) return "limit";
    if (budget === null || done < LEAST_IN_BUDGET) return null;
    return blockMs === 0 || elapsedMs + blockMs > budget ? "budget" : null;
  }

  /**
   * Whether all intervals are narrow enough. While there are few runs and they fall into two groups, a narrow interval
   * is only luck.
   */
  #isEnough(done: number, until: number): boolean {
    return isNarrow(this.#intervals(), until) &&
      (done >= LEAST_OF_GROUPS || !this.#isGrouped(until));
  }

  /**
   * Whether the runs of any cell fall into two groups far enough apart to matter. Groups that are closer together than
   * the requested width can't move the mean by more than that width.
   */
  #isGrouped(until: number): boolean {
    return this.#estimates().some((estimate) => {
      const groups = estimate && twoGroupsOf(estimate.byRun);
      if (!groups) return false;
      const [larger, smaller] = groups;
      return Math.abs(Math.log(larger.value / smaller.value)) > Math.log1p(until);
    });
  }

  #stopping(repetitions: number, why: Stopping["reason"]): Stopping {
    const target = typeof this.repeat === "number" ? null : this.repeat.until;
    return { repetitions, halfWidth: this.#widest(), target, reason: why };
  }

  /** The note after a check of the intervals; null if there was no check. */
  #lookNote(done: number): string | null {
    const until = typeof this.repeat === "number" ? null : this.repeat.until;
    if (until === null || !this.#isLook(done)) return null;
    const widest = this.#widest();
    const found = widest === null ? "is not known" : `is ± ${percent(widest)}`;
    const groups = this.#isGrouped(until) ? ", and the runs of a cell fall into two groups" : "";
    return `After ${done} repetitions the widest confidence interval ${found}${groups}: continuing to ${
      this.plannedAfter(done)
    } repetitions`;
  }

  #widest(): number | null {
    return widestOf(this.#intervals());
  }

  #intervals(): (ConfidenceInterval | null)[] {
    return this.#intervalsOf(this.#estimates());
  }

  #intervalsOf(estimates: readonly (Estimate | null)[]): (ConfidenceInterval | null)[] {
    return estimates.map((estimate) => estimate && intervalOf(estimate, this.#level));
  }

  /** Confidence level of the intervals; undefined: the default level. */
  get #level(): number | undefined {
    return typeof this.repeat !== "number" && this.repeat.until !== null
      ? LOOK_CONFIDENCE
      : undefined;
  }

  /** The estimate of each watched figure, for every cell with at least two runs and at least one response. */
  #estimates(): (Estimate | null)[] {
    return [...this.#runs.values()].flatMap((runs) => {
      const blocks = runs.map((run) => run.blocks);
      const responded = blocks.flat().some(({ completed }) => completed > 0);
      return runs.length < 2 || !responded ? [] : estimatesOf(runs, WATCHED);
    });
  }
}

function estimatesOf(
  runs: readonly CountedRun[],
  figures: readonly PooledFigure[],
): (Estimate | null)[] {
  const repetitions = runs.map(({ run: { repetition } }) => repetition);
  return estimateCell(runs.map(({ blocks }) => blocks), figures, { session: null, repetitions });
}

/**
 * Half the width of the widest interval, as a share of its value; null if any interval is unknown, or if there is none.
 */
function widestOf(intervals: readonly (ConfidenceInterval | null)[]): number | null {
  const known = intervals.filter((interval) => interval !== null);
  if (known.length === 0 || known.length < intervals.length) return null;
  return Math.max(...known.map(halfWidthOf));
}
