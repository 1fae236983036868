/**
 * The cells to which rules may refer, whether measured or not, and the peak throughputs that can't be exceeded on this
 * machine.
 */
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
import type { Measurable } from "./amounts.ts";
import type { RunFilter } from "./disturbed_runs.ts";
import { ratiosOf } from "./pairs.ts";
import type { RatioOf } from "./ratio_of.ts";
import type { Absence, Absent } from "./reasons.ts";

/** The parts of results that rules need. */
export type Ruled =
  & DeclaredSettings
  & Grouped
  & Partial<Pick<Results, "missing" | "peakThroughput" | "machine">>;

export interface Member extends SelectableCell, Measurable {
  readonly cell: CellRuns | null;
  /** The cell's label without its scenario: `hono · connections 50`. */
  readonly name: string;
}

export interface Ground {
  readonly results: Ruled;
  readonly members: readonly Member[];
  readonly names: ExperimentNames;
  readonly declared: readonly DeclaredPair[];
  readonly ratioOf: RatioOf;
}

/**
 * Collects the cells to which rules may refer.
 * @param scenarios The scenarios in the results.
 */
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

/**
 * The same cells with only those runs that `counts` selects; null if it selects all runs. A cell left without runs is
 * treated as not measured.
 */
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

/** The measured cells, and the steps of flows as additional cells. */
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

/** A member whose cell was not measured; for a measured one, the caller sets `cell`. */
function memberOf(cell: SelectableCell, name: string, missingReason = ""): Member {
  return { ...cell, name, label: `${cell.scenario}, ${name}`, cell: null, missingReason };
}

/** The cells that have no run, each listed once and followed by the steps of its flow. */
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
 * The pairs of target and scenario that the choice selects but `--only` left out. Each pair is a single cell, because
 * the values of its factors were not planned.
 */
function leftOutOf(choice: CellChoice, { declared }: Ground): Member[] {
  return declared
    .filter((pair) => pair.isLeftOut && isMeant(choice, (word) => isLeftOut(word, [pair])))
    .map(({ target, scenario }) =>
      memberOf({ target, scenario, parameters: {} }, target, "left out by --only")
    );
}

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

/**
 * Whether two cells have equal values in all dimensions that may not differ. A dimension that one of the cells lacks is
 * ignored.
 */
export function agree(a: Member, b: Member, mayDiffer: (dimension: string) => boolean): boolean {
  return (mayDiffer(TARGET) || a.target === b.target) &&
    (mayDiffer(SCENARIO) || a.scenario === b.scenario) &&
    Object.entries(a.parameters).every(([path, value]) =>
      mayDiffer(path) || !Object.hasOwn(b.parameters, path) ||
      JSON.stringify(value) === JSON.stringify(b.parameters[path])
    );
}

/** All pairs of cells that agree in every dimension, except those in which the two selectors name different values. */
export function pairsOf(left: Chosen, right: Chosen): MemberPair[] {
  const differ = (dimension: string): boolean => differIn(dimension, left.choice, right.choice);
  return left.members.flatMap((a) =>
    right.members.filter((b) => agree(a, b, differ)).map((b) => [a, b] as const)
  );
}

/** The pairs of cells for two figures of a rule. No cell is paired with itself. */
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
