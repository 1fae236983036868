/**
 * Makes the runs of an experiment block by block, where a block has one run of every cell, and saves each run as it
 * ends, until `Repetition` or the user ends the experiment. If a run cannot be measured, that is recorded and the other
 * runs are still made.
 */
import { StartError, TargetError } from "../../base/errors.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import type { Cell, Plan, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { OnProgress } from "../result/progress.ts";
import { Repetition } from "./repetition.ts";
import type { Missing, Results, Run } from "../result/result.ts";
import type { ResultFile } from "../result/result_file.ts";
import { type EarlierRuns, withoutInterrupted } from "./earlier_runs.ts";
import type { RunCapacity } from "../result/capacity.ts";
import { carryOutPair, keyOf, type PairContext } from "./pair_run.ts";
import { NoSlicesError } from "../slices/lengths.ts";
import { carryOut, type RunContext } from "./run.ts";
import { ExpectedTime } from "./expected_time.ts";
import { boundsOf, repeatSentence } from "./repetition_bounds.ts";

interface BlocksRequest {
  readonly experiment: Pick<Experiment, "order" | "repeat" | "discard" | "figures" | "optional">;
  readonly plan: Plan;
  /** Cells with a missing prerequisite, which are left out. */
  readonly missing: ReadonlyMap<Cell, unknown>;
  /** Runs made before the experiment was resumed. */
  readonly kept: EarlierRuns;
  /** Called after each repetition to judge whether the runs are enough; absent: `repeat` alone decides. */
  readonly look?: LookAfter;
}

/** What the caller concludes from the runs after a repetition. */
export interface ExperimentLook {
  readonly isEnough: boolean;
  /** A line for the user that says what is still undecided, or why it will stay undecided. */
  readonly note: string | null;
}

export type LookAfter = (results: Results, repetition: number) => ExperimentLook;

/** What is needed to make runs in pairs, in addition to the context of a single run. */
export type Pairing = Pick<PairContext, "loaders" | "lengths">;

/** @param pairing Null if runs are made one after the other. */
export async function carryOutBlocks(
  request: BlocksRequest,
  file: ResultFile,
  context: RunContext,
  pairing: Pairing | null = null,
): Promise<void> {
  const sequence = new BlockSequence(request, file, context, pairing);
  sequence.begin();
  for (const block of request.plan.blocks()) {
    await sequence.carryOutBlock(block);
    if (context.signal.aborted || sequence.isEnough(block[0].repetition)) return;
  }
}

class BlockSequence {
  readonly #repetition: Repetition;
  readonly #expected: ExpectedTime;
  readonly #beganMs = performance.now();
  /** For each cell that can be measured, the number of its runs begun so far, including those made before a resume. */
  readonly #begun: Map<Cell, number>;
  /** Cells that have at least one run. */
  readonly #measured = new Set<Cell>();
  /** The number of repetitions, including completed ones, after which it is next decided whether to go on. */
  #repetitions = 0;

  constructor(
    private readonly request: BlocksRequest,
    private readonly file: ResultFile,
    private readonly context: RunContext,
    private readonly pairing: Pairing | null,
  ) {
    const { experiment, plan, missing, kept } = request;
    const { repeat, discard, figures } = experiment;
    this.#repetition = new Repetition(repeat, {
      discardS: discard / 1_000,
      figures: figures ?? "whole",
    });
    this.#expected = new ExpectedTime(experiment.order);
    const possible = plan.cells.filter((cell) => !missing.has(cell));
    this.#begun = new Map(possible.map((cell) => [cell, kept.countOf(cell)]));
    for (const cell of possible) {
      for (const run of kept.runsOf(cell)) {
        this.#expected.took(cell, kept.tookMs(run));
        this.#measured.add(cell);
      }
    }
  }

  get #possible(): Cell[] {
    return [...this.#begun.keys()];
  }

  begin(): void {
    const { request: { experiment: { repeat }, kept }, context: { onProgress } } = this;
    this.#planUpTo(this.#repetition.plannedAfter(Math.max(0, kept.repetitions - 1)));
    const sentence = repeatSentence(repeat);
    if (sentence !== null) onProgress({ kind: "note", text: `Repeats ${sentence}` });
    const bounds = boundsOf(repeat, this.#expected.expectedMs(this.#possible));
    const [least, most] = [bounds.least, bounds.most]
      .map((repetitions) => this.#left(Math.max(repetitions, this.#repetitions)));
    onProgress({
      kind: "planned",
      cells: new Set(most).size,
      runs: least.length,
      expectedMs: this.#expected.expectedMs(least),
      mostRuns: most.length,
      mostMs: this.#expected.expectedMs(most),
      mayEndEarly: this.#mayEndEarly,
      until: typeof repeat === "number" ? null : repeat.until,
    });
  }

  async carryOutBlock(block: readonly PlannedRun[]): Promise<void> {
    const { request: { kept }, context: { signal } } = this;
    for (const turn of turnsOf(block, this.pairing)) {
      if (signal.aborted) return;
      const possible = turn.filter(({ cell }) => this.#begun.has(cell));
      for (const planned of possible) {
        const before = kept.runOf(planned);
        if (before !== null) this.#count(before, kept.runsOf(planned.cell).at(-1) === before);
      }
      const left = possible.filter((planned) => !kept.has(planned));
      // A pair is made only if neither of its runs exists yet and both are possible, because one
      // run is worth nothing without the other.
      if (left.length === turn.length) await this.#carryOut(turn);
    }
  }

  /** @param isShown Whether the progress of the run's cell is shown. */
  #count(run: Run, isShown: boolean): void {
    const cell = this.#repetition.add(run);
    if (isShown) this.context.onProgress({ kind: "cell", cell: cell() });
  }

  /**
   * Whether the experiment ends after block `done`; false for blocks that were made before a resume. If it ends, the
   * reason is recorded in the results.
   */
  isEnough(done: number): boolean {
    if (done < this.request.kept.repetitions) return false;
    const look = this.request.look?.(this.file.results, done);
    const timing = {
      elapsedMs: this.#spentMs(),
      blockMs: this.#expected.expectedMs(this.#possible),
    };
    const decision = this.#repetition.decide(done, timing, look?.isEnough);
    this.#planUpTo(decision.goesOn ? this.#repetition.plannedAfter(done) : done);
    if (!decision.goesOn) this.file.results.stopping = decision.stopping;
    for (const text of [look?.note, decision.goesOn ? decision.note : null]) {
      if (text) this.context.onProgress({ kind: "note", text });
    }
    return !decision.goesOn;
  }

  #planUpTo(repetitions: number): void {
    this.#repetitions = repetitions;
    this.file.results.planned = repetitions * this.request.plan.cells.length;
  }

  /** The cells of the runs that are still to begin, one entry for each run, until every cell has `repetitions` runs. */
  #left(repetitions = this.#repetitions): Cell[] {
    return [...this.#begun].flatMap(([cell, begun]) =>
      Array<Cell>(Math.max(0, repetitions - begun)).fill(cell)
    );
  }

  get #mayEndEarly(): boolean {
    return this.request.look !== undefined;
  }

  /**
   * Expected time for the trial that finds the slice lengths of a pair of cells, ms; 0 if these lengths are known
   * already, or if runs are not made in pairs.
   */
  #trialMs(turn: readonly PlannedRun[]): number {
    const isFirst = this.pairing !== null && !this.pairing.lengths.has(keyOf(turn));
    return isFirst ? this.#expected.trialMs(turn.map(({ cell }) => cell)) : 0;
  }

  #spentMs(): number {
    return this.request.kept.spentMs + performance.now() - this.#beganMs;
  }

  #remainingMs(): number {
    return this.#expected.expectedMs(this.#left());
  }

  async #carryOut(turn: readonly PlannedRun[]): Promise<void> {
    const { context: { onProgress } } = this;
    const remainingMs = this.#remainingMs();
    const [order] = turn.map(({ cell }) => this.#countOne(cell));
    const runs = this.#repetitions * this.#possible.length;
    const [{ repetition, cell }, partner] = turn;
    onProgress({
      kind: "starting",
      ...{ order, runs, mayEndEarly: this.#mayEndEarly, repetitions: this.#repetitions },
      target: cell.target,
      ...partner && { partner: partner.cell.target },
      ...{ scenario: cell.scenario, repetition, parameters: cell.parameters, remainingMs },
    });
    const trialMs = this.#trialMs(turn);
    const beganMs = performance.now();
    const { made, searched } = await runsOrWhyNot(turn, this.context, this.pairing);
    if (made === null) return await this.#keepInterrupted(placeOf(turn[0]), searched);
    if (made instanceof TargetError) {
      for (const planned of turn) await this.#leaveOut(planned, made, searched);
      return;
    }
    const tookMs = (performance.now() - beganMs - trialMs) / turn.length;
    for (const [at, run] of made.entries()) {
      const { cell } = turn[at];
      this.#measured.add(cell);
      this.#expected.took(cell, tookMs);
      this.#count(run, true);
      this.file.results.missing = withoutInterrupted(this.file.results.missing, turn[at]);
    }
    await this.#save((file) => made.length === 1 ? file.addRun(made[0]) : file.addPair(made));
    const [measurement, other] = made;
    onProgress({
      ...{ kind: "measured", order, measurement, remainingMs: this.#remainingMs() },
      ...other && { partner: other },
    });
  }

  async #leaveOut(
    planned: PlannedRun,
    error: TargetError,
    searched: RunCapacity | null,
  ): Promise<void> {
    this.file.results.missing = withoutInterrupted(this.file.results.missing, planned);
    const { message: reason, evidence } = error;
    const kept = searched === null ? {} : { capacity: searched };
    const isHopeless = error instanceof StartError || this.pairing !== null;
    const isFinal = isHopeless && !this.#measured.has(planned.cell);
    if (isFinal) this.#begun.delete(planned.cell);
    const place = placeOf(planned);
    const missing: Missing = {
      ...isFinal ? { ...place, repetition: null } : place,
      kind: this.#isOptional(error) ? "skipped" : "failed",
      ...{ reason, evidence: [...evidence], ...kept },
    };
    await this.#save((file) => leaveOut(missing, file, this.context.onProgress));
  }

  /** Whether the error is that an optional prerequisite did not start. */
  #isOptional(error: TargetError): boolean {
    const { optional } = this.request.experiment;
    return error instanceof StartError && error.need !== null && optional.includes(error.need);
  }

  /**
   * Saves the search for a capacity that an interrupted run had made. A resumed experiment repeats the run, but
   * continues the search from there.
   */
  async #keepInterrupted(cell: RunPlace, capacity: RunCapacity | null): Promise<void> {
    if (capacity === null) return;
    const reason = "the run was interrupted; its search for a capacity was kept";
    const missing: Missing = { ...cell, kind: "interrupted", reason, evidence: [], capacity };
    await this.#save((file) => file.addMissing(missing));
  }

  /** Counts a run of the cell as begun. Returns the number of runs begun so far, of all cells together. */
  #countOne(cell: Cell): number {
    this.#begun.set(cell, (this.#begun.get(cell) ?? 0) + 1);
    return this.#begun.values().reduce((sum, begun) => sum + begun, 0);
  }

  #save(write: (file: ResultFile) => Promise<void>): Promise<void> {
    this.file.results.spent = Math.round(this.#spentMs());
    return write(this.file);
  }
}

function placeOf({ repetition, cell: { target, scenario, parameters } }: PlannedRun): RunPlace {
  return { target, scenario, parameters: { ...parameters }, repetition };
}

/** The turns of a block: single runs, or pairs of neighbouring runs that are measured in slices. */
function turnsOf(block: readonly PlannedRun[], pairing: Pairing | null): (readonly PlannedRun[])[] {
  if (pairing === null) return block.map((planned) => [planned]);
  return block.flatMap((_, at) => at % 2 === 0 ? [block.slice(at, at + 2)] : []);
}

/**
 * Makes the runs of a turn. In the outcome, `made` is the runs, the error because of which they can't be measured, or
 * null if the user interrupted them.
 */
async function runsOrWhyNot(
  turn: readonly PlannedRun[],
  context: RunContext,
  pairing: Pairing | null,
): Promise<Outcome> {
  let searched: RunCapacity | null = null;
  const onSearched = (found: RunCapacity): unknown => searched = found;
  try {
    const [first, second] = turn;
    const made = pairing === null
      ? [await carryOut(first, { ...context, onSearched })]
      : await carryOutPair([first, second], { ...context, ...pairing });
    return { made: context.signal.aborted ? null : made, searched };
  } catch (error) {
    if (context.signal.aborted) return { made: null, searched };
    if (error instanceof NoSlicesError && context.needsSlices) throw error;
    if (error instanceof TargetError) return { made: error, searched };
    throw error;
  }
}

type RunPlace = Pick<Missing, "target" | "scenario" | "parameters" | "repetition">;

interface Outcome {
  readonly made: readonly Run[] | TargetError | null;
  /**
   * The run's search for a capacity, even if the run failed afterwards; null if there was no search, or if it made no
   * trial.
   */
  readonly searched: RunCapacity | null;
}

/** Records a part of the plan that has no measurement. */
export async function leaveOut(
  missing: Missing,
  file: ResultFile,
  onProgress: OnProgress,
): Promise<void> {
  onProgress({ kind: "missing", missing });
  await file.addMissing(missing);
}
