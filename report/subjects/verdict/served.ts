/**
 * How much targets serve. Of an experiment that compares nothing: the most of each, beside what the machine could. Of one
 * with several questions, in each: the most of each target, or what a factor costs, and what other targets add.
 */
import type { PeakThroughput } from "../../../runner/result/generator.ts";
import { wrongResponsesOf } from "../../../runner/result/outcome.ts";
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { isOpenLoop } from "../../judge/pairs.ts";
import { rangeOfTimes } from "../../writing/ratios.ts";
import { competing, TOLERATED_WRONG_RATIO } from "../../judge/shortfall.ts";
import { settingLabel } from "../../cells/cell_label.ts";
import { boundText, formatMs, formatNumber } from "../../writing/units.ts";
import { sum } from "../../writing/spread.ts";
import { listed, unique } from "../../writing/words.ts";
import { takenPerSec } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  type NumericFactor,
  numericFactors,
  phraseOf,
  positionOf,
  textAt,
  valueOf,
} from "../../cells/factors.ts";
import { stepScenarios } from "../steps/step_cells.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import type { ForestComparison } from "./matrix.ts";

/**
 * `The most requests/s: hono 111,283 and nginx 98,200 in static; hono 57,537 in redis; a load worker 156,050`, without
 * a full stop; "" where no target does what was required.
 */
export function mostSentence(
  scenarios: readonly ScenarioComparison[],
  peaks: PeakThroughput | undefined,
): string {
  const served = scenarios.map(({ name, cells }) => ({ name, best: bestOfTargets(cells) }))
    .filter(({ best }) => best.length > 0);
  if (served.length === 0) return "";
  const ofScenarios = served.map(({ name, best }) =>
    listed(best.map((cell) => `${cell.target} ${perSecText(cell)}`), "and") +
    (served.length > 1 ? ` in ${name}` : "")
  );
  const ofMachine = [
    ...peaks?.generator ? [`a load worker ${formatNumber(peaks.generator.perSec)}`] : [],
    ...peaks?.redis ? [`Redis ${formatNumber(peaks.redis.perSec)}`] : [],
  ];
  const texts = [...ofScenarios, ...ofMachine.length > 0 ? [listed(ofMachine, "and")] : []];
  return `The most requests/s: ${texts.join("; ")}`;
}

/** The best cell of each target, from the one that serves most. */
function bestOfTargets(cells: readonly CellRuns[]): CellRuns[] {
  return bestOfEach(competing(cells)).toSorted(byServed);
}

function bestOfEach(cells: readonly CellRuns[]): CellRuns[] {
  return [...Map.groupBy(cells, ({ target }) => target).values()]
    .map((group) => group.toSorted(byServed)[0]);
}

/** From the most. */
function byServed(a: CellRuns, b: CellRuns): number {
  return takenPerSec(b).value - takenPerSec(a).value;
}

function perSecText(cell: CellRuns): string {
  const { value, isAtLeast } = takenPerSec(cell);
  return boundText(formatNumber(value), isAtLeast);
}

// Where a number is varied, the question of a scenario: how much each target serves along it, and what others add.

/** The cells of a target along the factor, ascending. */
type Along = readonly CellRuns[];

/**
 * `one serves 51,200/s at most, cluster 30,500`, or `computing serves 9,700/s at cpuTime 0ms and 9 at
 * 100ms, computing-cluster 10,000 and 37`, from the most that can be said to the least. None where no number is varied.
 */
export function servedTexts(scenario: ScenarioComparison): string[] {
  const factor = questionFactor(scenario);
  if (factor === null) return [];
  const [own, ...others] = alongOf(scenario, factor);
  const ends = endsOf(own, factor);
  const beside = others.flatMap((cells) => besideText(cells, ends, factor));
  const added = addedTexts(scenario, [own, ...others].flat());
  const head = headText(ends, factor);
  const textOf = (count: number): string =>
    [
      [head, ...beside.slice(0, count)].join(", "),
      ...added.slice(0, Math.max(0, count - beside.length)),
    ]
      .join("; ");
  const all = beside.length + added.length;
  return Array.from({ length: all + 1 }, (_, i) => textOf(all - i));
}

/** The cell that serves the most of the first target of a scenario whose question that is; null of others. */
export function mostOfQuestion(scenario: ScenarioComparison): CellRuns | null {
  const factor = questionFactor(scenario);
  return factor?.isOffered ? bestOf(alongOf(scenario, factor)[0]) : null;
}

/**
 * The offered rate, or a setting that the first target is measured along; null without one. Of a load such as its
 * connections, who is ahead at each is the question.
 */
function questionFactor({ cells }: ScenarioComparison): NumericFactor | null {
  const own = servedCells(cells).filter(({ target }) => target === cells[0].target);
  return numericFactors(own).find(({ isOffered, path }) => isOffered || path.startsWith(SETTING)) ??
    null;
}

/** Where parameters of a run have what its target was set to. */
const SETTING = "set.";

/** Of each target that has the factor. */
function alongOf({ cells }: ScenarioComparison, factor: NumericFactor): Along[] {
  const holders = servedCells(cells)
    .filter((cell) => valueOf(cell, factor.path) !== undefined)
    .toSorted((a, b) => positionOf(a, factor) - positionOf(b, factor));
  const byTarget = Map.groupBy(holders, ({ target }) => target);
  return unique(cells.map(({ target }) => target)).flatMap((target) => {
    const own = byTarget.get(target);
    return own === undefined ? [] : [own];
  });
}

/** Those that got right responses: what comes beside these is more than is served. */
function servedCells(cells: readonly CellRuns[]): CellRuns[] {
  return cells.filter(({ runs }) => {
    const completed = sum(runs, ({ requests }) => requests.completed);
    return completed > 0 && sum(runs, wrongResponsesOf) <= TOLERATED_WRONG_RATIO * completed;
  });
}

/** The best alone of offered rates, and where more is served between the ends; else both ends, from the best. */
function endsOf(own: Along, factor: NumericFactor): readonly CellRuns[] {
  const best = bestOf(own);
  const [first, last] = [own[0], own[own.length - 1]];
  if (factor.isOffered || (best !== first && best !== last)) return [best];
  return best === first ? [first, last] : [last, first];
}

function bestOf(cells: readonly CellRuns[]): CellRuns {
  return cells.toSorted(byServed)[0];
}

function headText([best, end]: readonly CellRuns[], factor: NumericFactor): string {
  const at = (cell: CellRuns): string => textAt(factor, positionOf(cell, factor));
  const head = `${best.target} serves ${roundText(best)}/s`;
  if (factor.isOffered) return `${head} at most`;
  const where = phraseOf(factor, at(best));
  return end === undefined
    ? `${head} at most, at ${where}`
    : `${head} at ${where} and ${roundText(end)} at ${at(end)}`;
}

/** The same of another target: its most, or what it serves at the same values; none where these were not measured. */
function besideText(cells: Along, ends: readonly CellRuns[], factor: NumericFactor): string[] {
  const isMost = ends.length === 1;
  const same = isMost
    ? [bestOf(cells)]
    : ends.flatMap((end) =>
      cells.find((cell) => positionOf(cell, factor) === positionOf(end, factor)) ?? []
    );
  if (same.length < ends.length) return [];
  return [`${cells[0].target} ${same.map(roundText).join(" and ")}`];
}

/** More digits than runs agree in are not read. */
function roundText(cell: CellRuns): string {
  const { value, isAtLeast } = takenPerSec(cell);
  return boundText(formatNumber(Number(value.toPrecision(SERVED_DIGITS))), isAtLeast);
}

const SERVED_DIGITS = 3;

/** A target against the one that it is held against, at one setting. */
interface Added extends ForestComparison {
  readonly target: string;
}

/** `slow-waiting-cluster serves 1.7× slow-waiting`: of those that were not measured along the factor, what is known. */
function addedTexts(scenario: ScenarioComparison, covered: readonly CellRuns[]): string[] {
  const names = new Set(covered.map(({ target }) => target));
  const rows = addedRows(scenario).filter(({ target }) => !names.has(target));
  return [...Map.groupBy(rows, ({ target }) => target).values()].flatMap((own) => {
    const [{ target, base }] = own;
    const known = own.flatMap(({ comparison }) =>
      isKnown(comparison) ? comparison.ratio ?? [] : []
    );
    return known.length < own.length ? [] : [`${target} serves ${rangeOfTimes(known)} ${base}`];
  });
}

function isKnown(comparison: FigureComparison): boolean {
  return comparison.verdict !== "inconclusive";
}

/** For all questions together: of several bases, each row names its own. */
export function questionRows(scenarios: readonly ScenarioComparison[]): ForestComparison[] {
  const rows = scenarios.flatMap(addedRows);
  const isOne = new Set(rows.map(({ base }) => base)).size === 1;
  return rows.map((row) => isOne ? row : { ...row, label: `${row.label} / ${row.base}` });
}

/** Requests/s of each of the others against the first at its setting, where any of the two can't serve all that comes. */
function addedRows({ rows, cells }: ScenarioComparison): Added[] {
  const able = new Set(competing(cells).map(({ label }) => label));
  const isOpen = isOpenLoop(cells);
  const targetOf = new Map(cells.map(({ label, target }) => [label, target]));
  return rows.flatMap(({ name, base, color, comparison }): Added[] => {
    const decision = comparisonOf(comparison, "rate");
    if (decision.ratio === null || isOpen && able.has(name) && able.has(base)) return [];
    return [{
      label: name,
      target: targetOf.get(name) ?? name,
      base: targetOf.get(base) ?? base,
      color,
      comparison: decision,
      marginRatio: comparison.marginRatio,
    }];
  });
}

// Of a flow: how often all of it is done, and which step takes long.

/**
 * ` At 80 connections, 268 sessions/s complete; the slowest step is «photo» (p50 62.1 ms), the fastest «add» (31.0 ms).`, where
 * one target is alone with one flow; "" of others.
 */
export function sessionsText(scenarios: readonly ScenarioComparison[]): string {
  const able = scenarios.length === 1 ? competing(scenarios[0].cells) : [];
  if (able.length === 0 || unique(able.map(({ target }) => target)).length > 1) return "";
  const best = bestOf(able);
  const completed = sum(best.runs, ({ sessions }) => sessions?.completed ?? 0);
  if (completed === 0) return "";
  const perSec = completed / sum(best.runs, ({ elapsedS }) => elapsedS);
  const setting = whereText(best, able);
  const count = `${formatNumber(Number(perSec.toPrecision(SERVED_DIGITS)))} sessions/s complete`;
  return ` ${setting === "" ? count : `At ${setting}, ${count}`}${slowestText(best)}.`;
}

/** `80 connections`; of several factors `connections 80 · delay 10ms`; "" where none varies. */
function whereText(cell: CellRuns, cells: readonly CellRuns[]): string {
  const { parameters } = cell.runs[0];
  const [factor] = numericFactors(cells);
  return factor !== undefined && Object.keys(parameters).length === 1
    ? phraseOf(factor, textAt(factor, positionOf(cell, factor)))
    : settingLabel(parameters);
}

function slowestText(cell: CellRuns): string {
  const steps = stepScenarios([{ name: "", cells: [cell] }], {})
    .flatMap(({ name, cells: [{ latency }] }) =>
      latency.count === 0
        ? []
        : [{ name: name.slice(cell.runs[0].scenario.length + 1), ...latency.percentile(50) }]
    )
    .toSorted((a, b) => b.value - a.value);
  const [slowest, fastest] = [steps[0], steps[steps.length - 1]];
  if (steps.length < 2) return "";
  const textOf = ({ value, isAtLeast }: typeof slowest): string =>
    boundText(formatMs(value), isAtLeast);
  return `; the slowest step is «${slowest.name}» (p50 ${
    textOf(slowest)
  }), the fastest «${fastest.name}» (${textOf(fastest)})`;
}
