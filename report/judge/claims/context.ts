/** What claims are held against: every cell, measured or not, and what cannot be exceeded here. */
import {
  type CellChoice,
  choiceOf,
  chosenCells,
  differIn,
  isMeant,
  SCENARIO,
  TARGET,
} from "../../../base/figures/cells.ts";
import {
  type ExperimentNames,
  namesInCells,
  type SelectableCell,
} from "../../../base/figures/selector.ts";
import type { Claim, FigureSide, Results, Run } from "../../../runner/result/result.ts";
import {
  constantsOf,
  type DeclaredPair,
  declaredPairs,
  type DeclaredSettings,
  isLeftOut,
  pathsOf,
} from "../../subjects/method/declared_values.ts";
import { isUndisturbed, isValid } from "../../findings/trust.ts";
import { cellLabel } from "../../cells/cell_label.ts";
import { sum } from "../../writing/spread.ts";
import { type Grouped, groupRuns, type ScenarioRuns } from "../../cells/cells.ts";
import { wrongResponsesOf } from "../../../runner/result/outcome.ts";
import type { ClaimAbsence } from "./finding.ts";
import { stepNamesIn, stepPath, stepPathsIn } from "../../../base/figures/steps.ts";
import { stepScenarios } from "../../subjects/steps/step_cells.ts";
import type { JudgedCell } from "../../figures/range.ts";

export type Claimed =
  & DeclaredSettings
  & Partial<Pick<Results, "missing" | "peakThroughput" | "machine">>;

export interface ClaimMember extends SelectableCell {
  /** `static, fastify · connections 50`. */
  readonly label: string;
  /** Null: it was not measured. */
  readonly cell: JudgedCell | null;
  /** Why it was not; "" when it was. */
  readonly missingReason: string;
  readonly wrong: WrongRatios;
}

/** Requests without a right response as a share of those that ended. */
interface WrongRatios {
  readonly all: number;
  /** Those that did not time out: what is given up after its time was no fast error, and is in no rate. */
  readonly early: number;
}

const NOTHING_WRONG: WrongRatios = { all: 0, early: 0 };

export interface ClaimContext {
  readonly members: readonly ClaimMember[];
  readonly names: ExperimentNames;
  readonly declared: readonly DeclaredPair[];
  readonly ceilings: Results["peakThroughput"];
  /** Of the machine that measured; Infinity where nobody knows. */
  readonly cores: number;
}

/** @param scenarios Those of the results. */
export function contextOf(scenarios: readonly ScenarioRuns[], results: Claimed): ClaimContext {
  const declared = declaredPairs(results);
  const measured = withSteps(scenarios, results);
  const members = [...measured, ...missingOf(results, measured)]
    .map((member) => ({ ...member, constants: constantsOf(member, declared) }));
  const { targets, scenarios: names, factors } = namesInCells(members);
  const { experiment, peakThroughput, machine } = results;
  return {
    members,
    names: {
      targets: [...new Set([...keysOf(experiment?.targets), ...targets])],
      scenarios: [
        ...new Set([
          ...keysOf(experiment?.scenarios),
          ...stepPathsIn(experiment?.scenarios),
          ...names,
        ]),
      ],
      factors,
      others: pathsOf(declared),
    },
    declared,
    ceilings: peakThroughput,
    cores: machine?.allowedCores ?? machine?.cores ?? Infinity,
  };
}

/** Cells, and their steps. */
function withSteps(scenarios: readonly ScenarioRuns[], results: Claimed): ClaimMember[] {
  const steps = measuredOf(stepScenarios(scenarios, results));
  return [...measuredOf(scenarios), ...steps.map((step) => ({ ...step, isStep: true }))];
}

function keysOf(section: unknown): string[] {
  return Object.keys(Object(section));
}

function measuredOf(scenarios: readonly ScenarioRuns[]): ClaimMember[] {
  return scenarios.flatMap(({ cells }) =>
    cells.map((cell) => ({
      target: cell.target,
      scenario: cell.scenario,
      parameters: cell.runs[0].parameters,
      label: `${cell.scenario}, ${cell.label}`,
      cell,
      missingReason: "",
      wrong: wrongRatiosOf(cell.runs),
    }))
  );
}

/** What was never sent makes no target look fast: it is in no rate, and a lower bound of latency. */
function wrongRatiosOf(runs: readonly Run[]): WrongRatios {
  const ended = sum(runs, ({ requests: { completed, failed } }) => completed + failed);
  const wrong = sum(runs, (run) => run.requests.failed + wrongResponsesOf(run));
  const timedOut = sum(runs, ({ errors }) => errors.timeout ?? 0);
  return ended === 0
    ? { all: 1, early: 1 }
    : { all: wrong / ended, early: (wrong - timedOut) / ended };
}

/** Each cell without any run, once. */
function missingOf(
  { missing = [], experiment }: Claimed,
  measured: readonly ClaimMember[],
): ClaimMember[] {
  const written = Object(experiment?.scenarios);
  const members = missing.flatMap(({ target, scenario, parameters, reason }) => {
    const steps = stepNamesIn(written[scenario]).map((step) => stepPath(scenario, step));
    return [scenario, ...steps].map((name, at): ClaimMember => ({
      target,
      scenario: name,
      parameters,
      label: `${name}, ${cellLabel({ target, parameters })}`,
      cell: null,
      missingReason: reason,
      wrong: NOTHING_WRONG,
      isStep: at > 0,
    }));
  });
  const known = new Set(measured.map(({ label }) => label));
  return [...new Map(members.map((member) => [member.label, member])).values()]
    .filter(({ label }) => !known.has(label));
}

/** Each target and scenario that `--only` left out and a choice means, as one cell: nobody planned its factors. */
function leftOutOf(choice: CellChoice, { declared }: ClaimContext): ClaimMember[] {
  return declared
    .filter((pair) => pair.isLeftOut && isMeant(choice, (word) => isLeftOut(word, [pair])))
    .map(({ target, scenario }) => ({
      target,
      scenario,
      parameters: {},
      label: `${scenario}, ${target}`,
      cell: null,
      missingReason: "left out by --only",
      wrong: NOTHING_WRONG,
    }));
}

type RunFilter = (run: Pick<Run, "generator">) => boolean;

/**
 * Whether a run counts for a claim. One that is suspect for its lack of a steady state alone does: a claim is of whole
 * runs, and the interval over them says how far they differ. It has no label, though, that a claim of labels could
 * rest on: it may have ended too soon for one.
 */
export function countsFor({ says }: Claim): RunFilter {
  return says.kind === "warmup" ? isValid : isUndisturbed;
}

/** The cells of a claim by the runs that count for it alone; null where all runs do. */
export function countingContexts(
  ground: ClaimContext,
  results: Claimed & Grouped,
): (claim: Claim) => ClaimContext | null {
  const known = new Map<RunFilter, ClaimContext | null>();
  return (claim) => {
    const counts = countsFor(claim);
    const found = known.get(counts) ??
      (results.runs.every(counts) ? null : byCounting(counts, ground, results));
    known.set(counts, found);
    return found;
  };
}

/** One without any such run is as if it was not measured. */
function byCounting(
  counts: RunFilter,
  ground: ClaimContext,
  results: Claimed & Grouped,
): ClaimContext {
  const runs = results.runs.filter(counts);
  const valid = withSteps(groupRuns({ ...results, runs }), results);
  const byLabel = new Map(valid.map((member) => [member.label, member]));
  const members = ground.members.map((member): ClaimMember => {
    if (member.cell === null) return member;
    const { cell = null, wrong = NOTHING_WRONG } = byLabel.get(member.label) ?? {};
    return { ...member, cell, wrong, missingReason: cell ? "" : "no run of it is valid" };
  });
  return { ...ground, members };
}

/** A selector with the cells that it means; or why there is none. */
export type Chosen =
  | { readonly choice: CellChoice; readonly members: readonly ClaimMember[] }
  | { readonly none: ClaimAbsence };

export function chosenBy(selector: FigureSide["selector"], ground: ClaimContext): Chosen {
  const choice = choiceOf(selector, ground.names);
  if ("problem" in choice) {
    return { none: { code: "wrong-selector", evidence: { problem: choice.problem } } };
  }
  const members = [
    ...chosenCells(choice.value, ground.members),
    ...leftOutOf(choice.value, ground),
  ];
  if (members.length > 0) return { choice: choice.value, members };
  return {
    none: selector.text === ""
      ? { code: "nothing-measured", evidence: {} }
      : { code: "none-selected", evidence: { selector: selector.text } },
  };
}

export interface MemberPair {
  readonly left: ClaimMember;
  readonly right: ClaimMember;
}

/** Every two that agree on what both selectors name alike, or neither; what one of them has not, both agree on. */
export function pairsOf(
  left: Exclude<Chosen, { none: ClaimAbsence }>,
  right: Exclude<Chosen, { none: ClaimAbsence }>,
): MemberPair[] {
  const differ = (dimension: string): boolean => differIn(dimension, left.choice, right.choice);
  const agree = (a: ClaimMember, b: ClaimMember): boolean =>
    (differ(TARGET) || a.target === b.target) &&
    (differ(SCENARIO) || a.scenario === b.scenario) &&
    Object.entries(a.parameters).every(([path, value]) =>
      differ(path) || !Object.hasOwn(b.parameters, path) ||
      JSON.stringify(value) === JSON.stringify(b.parameters[path])
    );
  return left.members.flatMap((a) =>
    right.members.filter((b) => agree(a, b)).map((b) => ({ left: a, right: b }))
  );
}
