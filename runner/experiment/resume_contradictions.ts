/**
 * Whether results that are to be gone on with are what their own experiment makes. Somebody may have edited
 * them: what is left of an experiment is measured only beside runs that its plan has. Every place
 * that contradicts the plan is named; that each run adds up was checked when the results were read. Pure.
 */
import type { Experiment } from "../../scenarios/file/experiment.ts";
import type { Plan, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Problem } from "../../base/errors.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { seedOfRepetition } from "../../base/random.ts";
import { describeLoad } from "../measure/described_load.ts";
import type { Missing, Results, Run } from "../result/result.ts";
import { hashSettings } from "./provenance.ts";
import { changesBetween, changeText } from "./resume.ts";
import { boundsOf } from "./schedule.ts";

/** What the results are held against: made from the experiment file and the flags of then. */
export interface Origin {
  readonly experiment: Pick<Experiment, "repeat" | "interval">;
  readonly plan: Plan;
}

/** None where the results are the experiment's own. */
export function contradictions(kept: Results, { experiment, plan }: Origin): Problem[] {
  const most = boundsOf(experiment.repeat, 0).most;
  const known = [...kept.runs, ...kept.missing].map(({ repetition }) => repetition ?? 0);
  const last = Math.min(most, known.reduce((last, repetition) => Math.max(last, repetition), 0));
  const blocks = Iterator.from(plan.blocks()).take(last).toArray().flat();
  const planned = new Map(blocks.map((run) => [nameOf({ ...run.cell, ...run }), run]));
  const cells = new Set(plan.cells.map(cellKey));
  const unplanned = (one: Run | Missing, place: string): Problem[] =>
    one.repetition === null && cells.has(cellKey(one)) || planned.has(nameOf(one))
      ? []
      : [problem(place, `the experiment does not plan ${textOf(one)}`)];
  return [
    ...hashSettings(kept.experiment) === kept.settings
      ? []
      : [problem("experiment", "settings is not its SHA-256")],
    ...kept.missing.flatMap((missing, at) => unplanned(missing, `missing[${at}]`)),
    ...kept.runs.flatMap((run, at) => {
      const its = planned.get(nameOf(run));
      if (its === undefined) return unplanned(run, `runs[${at}]`);
      const changes = changesFromPlan(run, its, { seed: kept.seed, interval: experiment.interval });
      return changes.map((change) =>
        problem(`runs[${at}].${change.path}`, `the plan has another: ${changeText(change)}`)
      );
    }),
  ];
}

/** What of a run is not as the plan has it. */
function changesFromPlan(
  { order, load, timeline: { intervalS } }: Run,
  planned: PlannedRun,
  { seed, interval: intervalMs }: { readonly seed: number; readonly interval: number },
): ReturnType<typeof changesBetween> {
  const described = describeLoad(planned.cell.load, seedOfRepetition(seed, planned.repetition));
  const asPlanned = {
    order: planned.order,
    // The rate of a search is what it found, which no plan has.
    load: described.kind === "capacity" && load.kind === "capacity"
      ? { ...described, rate: load.rate }
      : described,
    interval: intervalMs / 1_000,
  };
  const interval = isWidened(intervalS, asPlanned.interval) ? asPlanned.interval : intervalS;
  return changesBetween(asPlanned, { order, load, interval });
}

/** Whether a run was so long that its intervals were joined, in pairs and again in pairs. */
function isWidened(intervalS: number, plannedS: number): boolean {
  const doublings = Math.log2(intervalS / plannedS);
  return doublings > 0 && Math.abs(doublings - Math.round(doublings)) < 1e-9;
}

type RunName = Parameters<typeof cellKey>[0] & Pick<Missing, "repetition">;

function nameOf(run: RunName): string {
  return `${cellKey(run)} ${run.repetition}`;
}

/** `api static {"connections":2}, repetition 3`. */
function textOf({ target, scenario, parameters, repetition }: RunName): string {
  const varied = Object.keys(parameters).length > 0 ? ` ${JSON.stringify(parameters)}` : "";
  return `${target} ${scenario}${varied}${repetition === null ? "" : `, repetition ${repetition}`}`;
}

function problem(place: string, why: string): Problem {
  return {
    place: `results.json: ${place}`,
    message: `Cannot resume with results that are not their experiment's: ${why}`,
    fix: "put back what was there, or run the experiment anew",
  };
}
