/**
 * Checks that results to be resumed are what their own experiment would have made. Somebody may have edited them, and
 * new runs may be compared only with runs of the same experiment. Names every part of the results that contradicts the
 * experiment. Pure.
 */
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import type { Cell, Plan, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Problem } from "../../base/errors.ts";
import { derivedSeed } from "../../base/random.ts";
import { describeLoad } from "../measure/described_load.ts";
import { hashSettings } from "./provenance.ts";
import { boundsOf } from "./repetition_bounds.ts";
import type { Missing, Results, Run } from "../result/result.ts";
import { changesBetween, changeText } from "./setting_changes.ts";
import { cellKey } from "../../base/figures/cells.ts";

/**
 * The plan and the settings that results must agree with: those of the experiment file with the flags of the original
 * command.
 */
export interface Origin {
  readonly experiment: Pick<Experiment, "repeat" | "interval">;
  readonly plan: Plan;
}

/** A member of `runs` or `missing`, with its path in the results. */
type PlacedRun = (Run | Missing) & { readonly place: string };

/** Contradictions in the results; empty if they are complete and belong to the experiment. */
export function contradictions(kept: Results, origin: Origin): Problem[] {
  const placed: PlacedRun[] = [
    ...kept.runs.map((run, at) => ({ ...run, place: `runs[${at}]` })),
    ...kept.missing.map((missing, at) => ({ ...missing, place: `missing[${at}]` })),
  ];
  const most = boundsOf(origin.experiment.repeat, 0).most;
  const cells = new Set(origin.plan.cells.map(cellKey));
  const strange = new Set(placed.filter((one) => !cells.has(cellKey(one))));
  const own = placed.filter((one) => !strange.has(one));
  const beyond = own.filter(({ repetition }) => (repetition ?? 0) > most);
  const ofCells = Map.groupBy(own.filter((one) => !beyond.includes(one)), cellKey);
  return [
    ...settingsProblems(kept),
    ...[...strange].map((one) => problem(one.place, `the experiment has no cell ${cellText(one)}`)),
    ...beyond.map(({ place, repetition }) =>
      problem(
        place,
        `its repetition is ${repetition}, but the last repetition of the experiment is ${most}`,
      )
    ),
    ...[...ofCells.values()].flatMap(repetitionProblems),
    ...runProblems(kept, own, origin),
    ...stateProblems(kept, origin.plan.cells, ofCells),
  ];
}

/** Checks that the experiment in the results matches the hash stored beside it. */
function settingsProblems({ experiment, settings }: Results): Problem[] {
  if (hashSettings(experiment) === settings) return [];
  return [problem("experiment", "it was changed: its SHA-256 is not the one in the key settings")];
}

/** Each repetition of a cell must exist once, without gaps. @param ofCell The cell's runs and missing runs. */
function repetitionProblems(ofCell: readonly PlacedRun[]): Problem[] {
  const first = new Map<number | null, PlacedRun>();
  const again = ofCell.filter((one) => {
    const isFirst = !first.has(one.repetition);
    if (isFirst) first.set(one.repetition, one);
    return !isFirst;
  });
  const numbers = [...first.keys()].filter((number) => number !== null).sort((a, b) => a - b);
  const gap = numbers.findIndex((number, at) => number !== at + 1);
  return [
    ...again.map(({ place, repetition }) =>
      problem(
        place,
        `${first.get(repetition)?.place} is the same repetition of the same cell`,
      )
    ),
    ...gap < 0 ? [] : [problem(
      first.get(numbers[gap])?.place ?? "runs",
      `its repetition is ${numbers[gap]}, but there is no repetition ${gap + 1} of ${
        cellText(ofCell[0])
      }`,
    )],
  ];
}

/** Runs that deviate from the plan in position, load or interval, or whose counts do not add up. */
function runProblems(
  { seed }: Results,
  placed: readonly PlacedRun[],
  { experiment, plan }: Origin,
): Problem[] {
  // Every block has at least one outcome, so there are no more blocks than outcomes.
  const last = placed.reduce((last, { repetition }) => Math.max(last, repetition ?? 0), 0);
  const planned = plannedRuns(plan, Math.min(last, placed.length));
  return placed.filter(isRun).flatMap((run) => {
    const its = planned.get(runName(run));
    const sums = sumsOf(run).filter(([, left, right]) => left !== right)
      .map(([law, left, right]) => problem(run.place, `${law}, but ${left} is not ${right}`));
    if (its === undefined) return sums;
    const { order, load, timeline: { intervalS } } = run;
    const described = describeLoad(its.cell.load, derivedSeed(seed, its.repetition));
    const asPlanned = {
      order: its.order,
      // A search finds its own rate, so the plan does not contain it.
      load: described.kind === "capacity" && load.kind === "capacity"
        ? { ...described, rate: load.rate }
        // Nor does the plan contain the duration of a load in slices: it is a whole number of pairs of
        // slices, and a trial before the load determines how long a slice is.
        : run.slices !== undefined && "durationS" in described && "durationS" in load
        ? { ...described, durationS: load.durationS }
        : described,
      interval: experiment.interval / 1_000,
    };
    const interval = isWidened(intervalS, asPlanned.interval) ? asPlanned.interval : intervalS;
    const changes = changesBetween(asPlanned, { order, load, interval });
    return [
      ...changes.map((change) =>
        problem(`${run.place}.${change.path}`, `it differs from the plan: ${changeText(change)}`)
      ),
      ...sums,
    ];
  });
}

/** Whether the intervals of a long run were joined in pairs, once or repeatedly. */
function isWidened(intervalS: number, plannedS: number): boolean {
  const doublings = Math.log2(intervalS / plannedS);
  return doublings > 0 && Math.abs(doublings - Math.round(doublings)) < 1e-9;
}

/** The planned runs of the first `repetitions` blocks, by `runName`. */
function plannedRuns(plan: Plan, repetitions: number): Map<string, PlannedRun> {
  const runs = Iterator.from(plan.blocks()).take(repetitions).toArray().flat();
  return new Map(
    runs.map((run) => [
      runName({ ...run.cell, repetition: run.repetition }),
      run,
    ]),
  );
}

function runName(run: Parameters<typeof cellKey>[0] & { readonly repetition: number }): string {
  return `${cellKey(run)} ${run.repetition}`;
}

function isRun(one: PlacedRun): one is Run & { readonly place: string } {
  return "timeline" in one;
}

/** Pairs of counts of a run that must be equal. */
function sumsOf({ requests, status, errors }: Run): [law: string, left: number, right: number][] {
  const { due, completed, failed, unfinished, dropped } = requests;
  return [
    [
      "due = completed + failed + unfinished + dropped",
      due,
      completed + failed + unfinished + dropped,
    ],
    ["the counts in status must sum to completed", sum(Object.values(status)), completed],
    ["the counts in errors must sum to failed", sum(Object.values(errors)), failed],
  ];
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce((sum: number, count) => sum + (count ?? 0), 0);
}

/** Checks that a finished experiment has every run that it planned. */
function stateProblems(
  { state, planned }: Results,
  cells: readonly Cell[],
  ofCells: ReadonlyMap<string, readonly PlacedRun[]>,
): Problem[] {
  if (state !== "done") return [];
  const repetitions = planned / cells.length;
  const short = cells.filter((cell) => {
    const there = ofCells.get(cellKey(cell)) ?? [];
    return !there.some(({ repetition }) => repetition === null) && there.length < repetitions;
  });
  return short.map((cell) =>
    problem("state", `it is "done", but repetitions of ${cellText(cell)} are missing`)
  );
}

/** A cell as text, such as `api static {"connections":2}`. */
function cellText({ target, scenario, parameters }: Parameters<typeof cellKey>[0]): string {
  const varied = Object.keys(parameters).length > 0 ? ` ${JSON.stringify(parameters)}` : "";
  return `${target} ${scenario}${varied}`;
}

function problem(place: string, why: string): Problem {
  return {
    place: `results.json: ${place}`,
    message: `Cannot resume results that contradict their experiment: ${why}`,
    fix: "restore the original, or run the experiment again",
  };
}
