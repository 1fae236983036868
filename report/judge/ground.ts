/** What rules find their cells in: every cell, measured or not, and what cannot be exceeded here. */
import {
  type CellChoice,
  choiceOf,
  chosenCells,
  differIn,
  isMeant,
  SCENARIO,
  TARGET,
} from "../../base/figures/cells.ts";
import {
  type ExperimentNames,
  namesInCells,
  type SelectableCell,
} from "../../base/figures/selector.ts";
import { stepNamesIn, stepPath, stepPathsIn } from "../../base/figures/steps.ts";
import type { FigureSide, Measurement, Results } from "../../runner/result/result.ts";
import { cellLabel } from "../cells/cell_label.ts";
import { type Grouped, groupRuns, type ScenarioRuns } from "../cells/cells.ts";
import {
  constantsOf,
  type DeclaredPair,
  declaredPairs,
  type DeclaredSettings,
  isLeftOut,
  pathsOf,
} from "../subjects/method/declared_values.ts";
import { stepScenarios } from "../subjects/steps/step_cells.ts";
import { ratiosOf } from "./contests.ts";
import { isUndisturbed } from "./disturbed.ts";
import type { RatioOf } from "./ratio_of.ts";
import { sum } from "../writing/spread.ts";
import type { Absence, Measurable, TrustedRuns } from "./rules.ts";

export type Claimed =
  & DeclaredSettings
  & Partial<Pick<Results, "missing" | "peakThroughput" | "machine">>;

export interface Member extends SelectableCell, Measurable {}

export interface Ground {
  readonly members: readonly Member[];
  readonly names: ExperimentNames;
  readonly declared: readonly DeclaredPair[];
  readonly ceilings: Results["peakThroughput"];
  readonly trusted: TrustedRuns;
  readonly ratioOf: RatioOf;
  /** Of the machine that measured; Infinity where nobody knows. */
  readonly cores: number;
}

/** @param scenarios Those of the results. */
export function groundOf(
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
): Ground {
  const declared = declaredPairs(results);
  const measured = withSteps(scenarios, results);
  const members = [...measured, ...missingOf(results, measured)]
    .map((member) => ({ ...member, constants: constantsOf(member, declared) }));
  const { targets, scenarios: names, factors } = namesInCells(members);
  const { experiment, peakThroughput, machine } = results;
  const known = (section: unknown, ...others: readonly string[]): string[] => [
    ...new Set([...Object.keys(Object(section)), ...others]),
  ];
  return {
    members,
    names: {
      targets: known(experiment?.targets, ...targets),
      scenarios: known(experiment?.scenarios, ...stepPathsIn(experiment?.scenarios), ...names),
      factors,
      others: pathsOf(declared),
    },
    declared,
    ceilings: peakThroughput,
    ratioOf: ratiosOf(scenarios, results),
    trusted: {
      undisturbed: sum(
        scenarios,
        ({ cells }) => sum(cells, ({ runs }) => runs.filter(isUndisturbed).length),
      ),
      of: sum(scenarios, ({ cells }) => sum(cells, ({ runs }) => runs.length)),
    },
    cores: machine?.allowedCores ?? machine?.cores ?? Infinity,
  };
}

/** Cells, and their steps. */
function withSteps(scenarios: readonly ScenarioRuns[], results: Claimed): Member[] {
  const steps = measuredOf(stepScenarios(scenarios, results));
  return [...measuredOf(scenarios), ...steps.map((step) => ({ ...step, isStep: true }))];
}

function measuredOf(scenarios: readonly ScenarioRuns[]): Member[] {
  return scenarios.flatMap(({ cells }) =>
    cells.map((cell) => ({
      target: cell.target,
      scenario: cell.scenario,
      parameters: cell.runs[0].parameters,
      label: `${cell.scenario}, ${cell.label}`,
      cell,
      missingReason: "",
    }))
  );
}

/** Each cell without any run, once. */
function missingOf({ missing = [], experiment }: Claimed, measured: readonly Member[]): Member[] {
  const written = Object(experiment?.scenarios);
  const members = missing.flatMap(({ target, scenario, parameters, reason }) => {
    const steps = stepNamesIn(written[scenario]).map((step) => stepPath(scenario, step));
    return [scenario, ...steps].map((name, at): Member => ({
      target,
      scenario: name,
      parameters,
      label: `${name}, ${cellLabel({ target, parameters })}`,
      cell: null,
      missingReason: reason,
      isStep: at > 0,
    }));
  });
  const known = new Set(measured.map(({ label }) => label));
  return [...new Map(members.map((member) => [member.label, member])).values()]
    .filter(({ label }) => !known.has(label));
}

/** Each target and scenario that `--only` left out and a choice means, as one cell: nobody planned its factors. */
function leftOutOf(choice: CellChoice, { declared }: Ground): Member[] {
  return declared
    .filter((pair) => pair.isLeftOut && isMeant(choice, (word) => isLeftOut(word, [pair])))
    .map(({ target, scenario }) => ({
      target,
      scenario,
      parameters: {},
      label: `${scenario}, ${target}`,
      cell: null,
      missingReason: "left out by --only",
    }));
}

export type RunFilter = (run: Pick<Measurement, "generator">) => boolean;

/** The same ground by some of its runs; null where that is all of them. A cell without any is as if it was not measured. */
export function groundBy(
  counts: RunFilter,
  ground: Ground,
  results: Claimed & Grouped,
): Ground | null {
  const runs = results.runs.filter(counts);
  if (runs.length === results.runs.length) return null;
  const counting = { ...results, runs };
  const scenarios = groupRuns(counting);
  const kept = new Map(withSteps(scenarios, results).map(({ label, cell }) => [label, cell]));
  const members = ground.members.map((member): Member => {
    if (member.cell === null) return member;
    const cell = kept.get(member.label) ?? null;
    return { ...member, cell, missingReason: cell ? "" : "no run of it is valid" };
  });
  return { ...ground, members, ratioOf: ratiosOf(scenarios, counting) };
}

/** A selector with the cells that it means; or why there is none. */
export type Chosen = ChosenCells | { readonly none: Absence };

interface ChosenCells {
  readonly choice: CellChoice;
  readonly members: readonly Member[];
}

export function chosenBy(selector: FigureSide["selector"], ground: Ground): Chosen {
  const choice = choiceOf(selector, ground.names);
  if ("problem" in choice) {
    return { none: { code: "wrong-selector", problem: choice.problem } };
  }
  const members = [
    ...chosenCells(choice.value, ground.members),
    ...leftOutOf(choice.value, ground),
  ];
  if (members.length > 0) return { choice: choice.value, members };
  return {
    none: selector.text === ""
      ? { code: "nothing-measured" }
      : { code: "none-selected", selector: selector.text },
  };
}

export interface MemberPair {
  readonly left: Member;
  readonly right: Member;
}

/** Every two that agree on what both selectors name alike, or neither; what one of them has not, both agree on. */
export function pairsOf(left: ChosenCells, right: ChosenCells): MemberPair[] {
  const differ = (dimension: string): boolean => differIn(dimension, left.choice, right.choice);
  const agree = (a: Member, b: Member): boolean =>
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

/** The pairs of two selectors, each figure of its side; whether a cell is faster than itself is no question. */
export function figurePairs(
  left: Pick<FigureSide, "figure" | "selector">,
  right: Pick<FigureSide, "figure" | "selector">,
  ground: Ground,
): readonly MemberPair[] | { readonly none: readonly Absence[] } {
  const [of, to] = [chosenBy(left.selector, ground), chosenBy(right.selector, ground)];
  if ("none" in of || "none" in to) {
    return { none: [of, to].flatMap((one) => "none" in one ? [one.none] : []) };
  }
  const pairs = pairsOf(of, to)
    .filter((pair) => pair.left !== pair.right || left.figure !== right.figure);
  if (pairs.length > 0) return pairs;
  return { none: [{ code: "no-pair", left: left.selector.text, right: right.selector.text }] };
}
