/** The cells to which rules refer, measured or not, and the peaks that can't be exceeded on this machine. */
import {
  type CellChoice,
  choiceOf,
  chosenCells,
  differIn,
  isMeant,
} from "../../base/figures/cells.ts";
import {
  type ExperimentNames,
  namesInCells,
  SCENARIO,
  type SelectableCell,
  TARGET,
} from "../../base/figures/selector.ts";
import { stepNamesIn, stepPath, stepPathsIn } from "../../base/figures/steps.ts";
import type { FigureSide, Results } from "../../runner/result/result.ts";
import { cellLabel } from "../cells/cell_label.ts";
import { type CellRuns, type Grouped, groupRuns, type ScenarioRuns } from "../cells/cells.ts";
import {
  constantsOf,
  type DeclaredPair,
  declaredPairs,
  type DeclaredSettings,
  isLeftOut,
  pathsOf,
} from "../subjects/method/declared_values.ts";
import { stepScenarios } from "../subjects/steps/step_cells.ts";
import { unique } from "../writing/words.ts";
import type { Measurable, RunFilter } from "./amounts.ts";
import { ratiosOf } from "./pairs.ts";
import type { RatioOf } from "./ratio_of.ts";
import type { Absence, Absent } from "./reasons.ts";

/** The results to which rules apply. */
export type Ruled =
  & DeclaredSettings
  & Grouped
  & Partial<Pick<Results, "missing" | "peakThroughput" | "machine">>;

export interface Member extends SelectableCell, Measurable {
  readonly cell: CellRuns | null;
  /** The cell without its scenario: `hono · connections 50`. */
  readonly name: string;
}

export interface Ground {
  readonly results: Ruled;
  readonly members: readonly Member[];
  readonly names: ExperimentNames;
  readonly declared: readonly DeclaredPair[];
  readonly ratioOf: RatioOf;
}

/** The cells that rules may refer to. @param scenarios The scenarios in the results. */
export function groundOf(scenarios: readonly ScenarioRuns[], results: Ruled): Ground {
  const declared = declaredPairs(results);
  const measured = withSteps(scenarios, results);
  const members = [...measured, ...missingOf(results, measured)]
    .map((member) => ({ ...member, constants: constantsOf(member, declared) }));
  const { targets, scenarios: names, factors } = namesInCells(members);
  const { experiment } = results;
  return {
    results,
    members,
    names: {
      targets: unique([...Object.keys(Object(experiment?.targets)), ...targets]),
      scenarios: unique([
        ...Object.keys(Object(experiment?.scenarios)),
        ...stepPathsIn(experiment?.scenarios),
        ...names,
      ]),
      factors,
      others: pathsOf(declared),
    },
    declared,
    ratioOf: ratiosOf(scenarios, results),
  };
}

/** The ground restricted to runs that count; null if all runs do. A cell without such runs counts as not measured. */
export function groundBy(counts: RunFilter, ground: Ground): Ground | null {
  const runs = ground.results.runs.filter(counts);
  if (runs.length === ground.results.runs.length) return null;
  const results = { ...ground.results, runs };
  const scenarios = groupRuns(results);
  const kept = new Map(withSteps(scenarios, results).map(({ label, cell }) => [label, cell]));
  const members = ground.members.map((member): Member => {
    if (member.cell === null) return member;
    const cell = kept.get(member.label) ?? null;
    return { ...member, cell, missingReason: cell ? "" : "no run of it is valid" };
  });
  return { ...ground, members, ratioOf: ratiosOf(scenarios, results) };
}

/** The measured cells, and the steps of their scenarios as further cells. */
function withSteps(scenarios: readonly ScenarioRuns[], results: Ruled): Member[] {
  return [scenarios, stepScenarios(scenarios, results)].flatMap((group, at) =>
    group.flatMap(({ cells }) =>
      cells.map((cell) => {
        const { target, scenario, label: name, runs: [{ parameters }] } = cell;
        const member = memberOf({ target, scenario, parameters }, name);
        return { ...member, cell, isStep: at > 0 };
      })
    )
  );
}

/** A member without a cell, as if it was not measured; for a measured cell, the caller adds the cell. */
function memberOf(cell: SelectableCell, name: string, missingReason = ""): Member {
  return { ...cell, name, label: `${cell.scenario}, ${name}`, cell: null, missingReason };
}

/** Every cell without a run, once. */
function missingOf({ missing = [], experiment }: Ruled, measured: readonly Member[]): Member[] {
  const written = Object(experiment?.scenarios);
  const members = missing.flatMap(({ target, scenario, parameters, reason }) => {
    const steps = stepNamesIn(written[scenario]).map((step) => stepPath(scenario, step));
    const name = cellLabel({ target, parameters });
    return [scenario, ...steps].map((scenario, at) =>
      memberOf({ target, scenario, parameters, isStep: at > 0 }, name, reason)
    );
  });
  const known = new Set(measured.map(({ label }) => label));
  return [...new Map(members.map((member) => [member.label, member])).values()]
    .filter(({ label }) => !known.has(label));
}

/**
 * Each target and scenario that `--only` left out and the choice selects, as one cell, because their factors were not
 * planned.
 */
function leftOutOf(choice: CellChoice, { declared }: Ground): Member[] {
  return declared
    .filter((pair) => pair.isLeftOut && isMeant(choice, (word) => isLeftOut(word, [pair])))
    .map(({ target, scenario }) =>
      memberOf({ target, scenario, parameters: {} }, target, "left out by --only")
    );
}

/** A selector with the cells that it selects. */
interface Chosen {
  readonly choice: CellChoice;
  readonly members: readonly Member[];
}

export function chosenBy({ text, parts }: FigureSide["selector"], ground: Ground): Chosen | Absent {
  const choice = choiceOf({ text, parts }, ground.names);
  if ("problem" in choice) return { none: [{ code: "wrong-selector", problem: choice.problem }] };
  const members = [
    ...chosenCells(choice.value, ground.members),
    ...leftOutOf(choice.value, ground),
  ];
  if (members.length > 0) return { choice: choice.value, members };
  return {
    none: [text === "" ? { code: "nothing-measured" } : { code: "none-selected", selector: text }],
  };
}

export type MemberPair = readonly [left: Member, right: Member];

/** Whether cells agree on all dimensions that may not differ; a dimension missing from a cell always agrees. */
export function agree(a: Member, b: Member, mayDiffer: (dimension: string) => boolean): boolean {
  return (mayDiffer(TARGET) || a.target === b.target) &&
    (mayDiffer(SCENARIO) || a.scenario === b.scenario) &&
    Object.entries(a.parameters).every(([path, value]) =>
      mayDiffer(path) || !Object.hasOwn(b.parameters, path) ||
      JSON.stringify(value) === JSON.stringify(b.parameters[path])
    );
}

/** All pairs that agree on every dimension on which the selectors are equal or silent. */
export function pairsOf(left: Chosen, right: Chosen): MemberPair[] {
  const differ = (dimension: string): boolean => differIn(dimension, left.choice, right.choice);
  return left.members.flatMap((a) =>
    right.members.filter((b) => agree(a, b, differ)).map((b) => [a, b] as const)
  );
}

/** The pairs of two selectors, with the figure of each side; a cell is never compared with itself. */
export function figurePairs(
  left: Pick<FigureSide, "figure" | "selector">,
  right: Pick<FigureSide, "figure" | "selector">,
  ground: Ground,
): readonly MemberPair[] | Absent {
  const [of, to] = [chosenBy(left.selector, ground), chosenBy(right.selector, ground)];
  if ("none" in of || "none" in to) return { none: absencesIn([of, to]) };
  const pairs = pairsOf(of, to)
    .filter(([one, other]) => one !== other || left.figure !== right.figure);
  if (pairs.length > 0) return pairs;
  return { none: [{ code: "no-pair", left: left.selector.text, right: right.selector.text }] };
}

export function absencesIn(all: readonly (object | Absent)[]): Absence[] {
  return all.flatMap((one) => "none" in one ? one.none : []);
}
