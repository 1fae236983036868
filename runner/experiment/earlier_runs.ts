/**
 * The runs that an interrupted experiment already has, and the reasons for which it can't be resumed. The experiment's
 * seed gives the same plan again, so the runs still to be made are those without an outcome. Pure.
 */
import type { Problem } from "../../base/errors.ts";
import type { Machine } from "../../base/system/facts.ts";
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Commit, Missing, Results, Run } from "../result/result.ts";
import { changesBetween, changeText } from "./setting_changes.ts";
import { cellKey } from "../../base/figures/cells.ts";

type RunOutcome = Run | (Missing & { readonly repetition: number });

/** Planned runs that were made or have failed; neither kind is repeated. */
export class EarlierRuns {
  readonly #outcomes: ReadonlyMap<string, RunOutcome>;
  readonly #byCell: ReadonlyMap<string, readonly RunOutcome[]>;
  /** The last repetition that has an outcome; 0 if there is none. */
  readonly repetitions: number;
  /** Milliseconds spent on the experiment before it was resumed. */
  readonly spentMs: number;
  /** Mean milliseconds that a run takes in addition to its start, its load and its search for a capacity. */
  readonly #restMs: number;

  constructor({ runs, missing, spent = 0 }: Pick<Results, "runs" | "missing" | "spent">) {
    const tried = missing.filter(({ kind }) => kind !== "interrupted").filter(isOfOneRun);
    const outcomes = [...runs, ...tried];
    this.#outcomes = new Map(outcomes.map((outcome) => [runName(outcome), outcome]));
    this.#byCell = Map.groupBy(outcomes, cellKey);
    this.repetitions = outcomes.reduce((last, { repetition }) => Math.max(last, repetition), 0);
    this.spentMs = spent;
    const known = runs.reduce((sum, run) => sum + knownMs(run), 0);
    this.#restMs = runs.length === 0 ? 0 : Math.max(0, (spent - known) / runs.length);
  }

  has({ cell, repetition }: PlannedRun): boolean {
    return this.#outcomes.has(runName({ ...cell, repetition }));
  }

  /** The run that was made for a planned one; null if none was made, or if it has failed. */
  runOf({ cell, repetition }: PlannedRun): Run | null {
    const outcome = this.#outcomes.get(runName({ ...cell, repetition }));
    return outcome !== undefined && isRun(outcome) ? outcome : null;
  }

  /** Approximate duration of a run, milliseconds. */
  tookMs(run: Run): number {
    return knownMs(run) + this.#restMs;
  }

  /** The number of the cell's runs that were made or have failed. */
  countOf(cell: Cell): number {
    return this.#byCell.get(cellKey(cell))?.length ?? 0;
  }

  runsOf(cell: Cell): Run[] {
    return this.#byCell.get(cellKey(cell))?.filter(isRun) ?? [];
  }
}

function knownMs({ startUp, elapsedS, capacity }: Run): number {
  const trialsS = (capacity?.trials ?? [])
    .reduce((sum, trial) => sum + trial.elapsedS + (trial.recoveryS ?? 0), 0);
  return (startUp ?? 0) + 1_000 * (elapsedS + trialsS);
}

function runName(
  { repetition, ...cell }: Parameters<typeof cellKey>[0] & { readonly repetition: number },
): string {
  return `${cellKey(cell)} ${repetition}`;
}

function isRun(outcome: RunOutcome): outcome is Run {
  return "timeline" in outcome;
}

function isOfOneRun(missing: Missing): missing is Missing & { repetition: number } {
  return missing.repetition !== null;
}

/** Drops the search that was kept for an interrupted run, because that run has now been made or has failed. */
export function withoutInterrupted(
  missing: readonly Missing[],
  { cell, repetition }: PlannedRun,
): Missing[] {
  const name = runName({ ...cell, repetition });
  return missing.filter((one) =>
    one.kind !== "interrupted" || !isOfOneRun(one) || runName(one) !== name
  );
}

/**
 * The earlier results, ready for more runs. Cells that lacked a prerequisite are no longer listed as missing, because
 * the prerequisite is checked again.
 * @param at ISO time at which the experiment is resumed.
 */
export function continued(before: Results, at: string): Results {
  const { stopping: _, conclusion: _conclusion, verdicts: _verdicts, ...kept } = before;
  return {
    ...kept,
    missing: kept.missing.filter(isOfOneRun),
    state: "running",
    finishedAt: null,
    resumed: [...kept.resumed ?? [], at],
  };
}

interface ResumeHost {
  /** Version of Plateau. */
  readonly version: string;
  readonly machine: Machine;
}

/** Why runs made here would differ from the kept ones; empty if they would not. */
export function refusals(kept: Results, here: ResumeHost): Problem[] {
  const place = "--resume";
  const versions: Problem[] = kept.version === here.version ? [] : [{
    place,
    message:
      `Cannot resume an experiment that Plateau ${kept.version} began: this is Plateau ${here.version}`,
    fix: `use Plateau ${kept.version}, or run the experiment again`,
  }];
  const machines = changesBetween(steadyFacts(kept.machine), steadyFacts(here.machine));
  if (machines.length === 0) return versions;
  const facts = machines.map((change) => `${change.path}: ${changeText(change)}`).join(", ");
  return [...versions, {
    place,
    message:
      `Cannot resume on a different machine, because its runs could not be compared with the earlier ones (${facts})`,
    fix: `resume on ${kept.machine.hostname} as it was then, or run the experiment again`,
  }];
}

/**
 * Facts about a machine that affect figures and survive a reboot. The host name of a container is left out, because it
 * is new each time.
 */
function steadyFacts(
  { memory: _, openFiles: __, ports: ___, hostname, ...facts }: Machine,
): object {
  return facts.container === null ? { hostname, ...facts } : facts;
}

/** The note that the experiment's folder is at another commit than before; null if it is not. */
export function commitNote(before: Commit | null, now: Commit | null): string | null {
  if (JSON.stringify(before) === JSON.stringify(now)) return null;
  return `The experiment's folder has changed: ${commitText(before)} → ${commitText(now)}`;
}

function commitText(commit: Commit | null): string {
  if (commit === null) return "no commit";
  return `commit ${commit.hash.slice(0, 10)}${commit.dirty ? " with changes" : ""}`;
}
