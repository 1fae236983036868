/**
 * Block after block of an experiment, each run saved as it ends, until `Repetition` says that it is enough or
 * the user that it is. A run that can't be measured is noted, and the rest goes on.
 */
import { TargetError } from "../scenarios/errors.ts";
import type { Experiment } from "../scenarios/experiment.ts";
import type { Cell, Plan, PlannedRun } from "../scenarios/plan.ts";
import type { OnProgress } from "./progress.ts";
import { repeatSentence, Repetition } from "./repetition.ts";
import type { Missing } from "./result.ts";
import type { ResultFile } from "./result_file.ts";
import { carryOut, type RunContext } from "./run.ts";
import { Schedule } from "./schedule.ts";

export interface BlocksRequest {
  readonly experiment: Pick<Experiment, "repeat" | "discard">;
  readonly plan: Plan;
  /** Cells that lack something and are left out. */
  readonly lacking: ReadonlySet<Cell>;
}

export async function carryOutBlocks(
  request: BlocksRequest,
  file: ResultFile,
  context: RunContext,
): Promise<void> {
  const course = new Course(request, file, context);
  course.begin();
  for (const block of request.plan.blocks()) {
    await course.carryOutBlock(block);
    if (context.signal.aborted || course.isEnough(block[0].repetition)) return;
  }
}

class Course {
  readonly #repetition: Repetition;
  readonly #schedule = new Schedule();
  readonly #possible: readonly Cell[];
  readonly #beganMs = performance.now();
  /** Runs that were begun, and that will be until the next decision. */
  #begun = 0;
  #runs = 0;

  constructor(
    private readonly request: BlocksRequest,
    private readonly file: ResultFile,
    private readonly context: RunContext,
  ) {
    const { experiment: { repeat, discard }, plan, lacking } = request;
    this.#repetition = new Repetition(repeat, discard);
    this.#possible = plan.cells.filter((cell) => !lacking.has(cell));
  }

  begin(): void {
    const { onProgress } = this.context;
    this.#planUpTo(this.#repetition.plannedAfter(0));
    const sentence = repeatSentence(this.request.experiment.repeat);
    if (sentence !== null) onProgress({ kind: "note", text: `Repeats ${sentence}` });
    onProgress({
      kind: "planned",
      runs: this.#runs,
      cells: this.#possible.length,
      expectedMs: this.#remainingMs(),
    });
  }

  async carryOutBlock(block: readonly PlannedRun[]): Promise<void> {
    for (const planned of block) {
      if (this.context.signal.aborted) return;
      if (this.#possible.includes(planned.cell)) await this.#carryOut(planned);
    }
  }

  /** Decides after block `done`; at the end the results say what was reached. */
  isEnough(done: number): boolean {
    const decision = this.#repetition.decide(done, {
      elapsedMs: performance.now() - this.#beganMs,
      blockMs: this.#schedule.expectedMs(this.#possible),
    });
    this.#planUpTo(decision.goesOn ? this.#repetition.plannedAfter(done) : done);
    if (!decision.goesOn) this.file.results.reached = decision.reached;
    else if (decision.note !== null) {
      this.context.onProgress({ kind: "note", text: decision.note });
    }
    return !decision.goesOn;
  }

  #planUpTo(repetitions: number): void {
    this.#runs = repetitions * this.#possible.length;
    this.file.results.planned = repetitions * this.request.plan.cells.length;
  }

  #remainingMs(): number {
    const blocks = (this.#runs - this.#begun) / this.#possible.length;
    return this.#possible.length === 0 ? 0 : blocks * this.#schedule.expectedMs(this.#possible);
  }

  async #carryOut(planned: PlannedRun): Promise<void> {
    const { context: { onProgress, signal }, file } = this;
    const { cell: { target, scenario, parameters }, repetition } = planned;
    const cell = { target, scenario, parameters, repetition };
    const remainingMs = this.#remainingMs();
    const order = ++this.#begun;
    onProgress({ kind: "starting", order, runs: this.#runs, ...cell, remainingMs });
    const beganMs = performance.now();
    try {
      const run = await carryOut(planned, this.context);
      if (signal.aborted) return;
      this.#schedule.took(planned.cell, performance.now() - beganMs);
      this.#repetition.add(run);
      await file.addRun(run);
      onProgress({ kind: "measured", order, measurement: run });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TargetError)) throw error;
      const { message: reason, evidence } = error;
      await leaveOut(
        { ...cell, kind: "failed", reason, evidence: [...evidence] },
        file,
        onProgress,
      );
    }
  }
}

/** Notes a part of the plan that has no measurement. */
export async function leaveOut(
  missing: Missing,
  file: ResultFile,
  onProgress: OnProgress,
): Promise<void> {
  onProgress({ kind: "missing", missing });
  await file.addMissing(missing);
}
