/**
 * Caveats: what a reader must know before believing a number, as data. Each has a code, a severity, the figures and
 * names that were seen, and codes of advice; `caveat_sentences.ts` words them.
 */
import type { Advice } from "../../runner/result/findings.ts";
import type { Stopping } from "../../runner/result/invocation.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Run } from "../../runner/result/result.ts";
import { type RunCluster, twoGroupsOf } from "../../runner/stats/comparison/two_groups.ts";
import { smallestChangeOf } from "../../runner/stats/comparison/verdict.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { DEFAULT_MARGIN_RATIO } from "../judge/comparison.ts";
import { MOST_CHANGE } from "./judgements.ts";
import { unique } from "../writing/words.ts";
import { cellLabel } from "../cells/cell_label.ts";
import {
  type CellRuns,
  repeatedOf,
  type ScenarioRuns,
  type Unsteady,
  unsteadyOf,
} from "../cells/cells.ts";
import { namedCells, nameOf } from "../cells/match.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { type NoResponse, noResponseOf } from "./no_response.ts";

/** note: explains the results; warning: what is missing from them, or may be wrong. */
type CaveatSeverity = "note" | "warning";

/** Of the results as a whole, runs are added rather than repeated. */
export type CaveatAdvice = Extract<Advice, "longer-run"> | "more-runs";

/** A cell that stands for so many alike: where they are many, each would be a line. */
interface Alike {
  readonly cells: number;
  /** The first of them: `static, hono`. */
  readonly cell: string;
}

/** The figure of a cell whose runs fall into two groups. */
export interface GroupedCell {
  readonly cell: string;
  /** rate: requests/s; p99: microseconds. */
  readonly figure: "rate" | "p99";
  readonly groups: readonly RunCluster[];
}

interface PlannedRuns {
  /** Those that are in. */
  readonly runs: number;
  readonly planned: number;
}

/** By code, what was seen. */
export interface CaveatEvidence {
  /** Over all runs in which no request got a response; `cells` are theirs, `runs` is the number of all runs. */
  readonly "no-response": NoResponse & {
    readonly silent: number;
    readonly runs: number;
    readonly cells: readonly string[];
  };
  readonly "still-running": PlannedRuns;
  readonly interrupted: PlannedRuns;
  /** Parts of the plan without a measurement. */
  readonly "parts-missing": { readonly parts: number };
  readonly "two-groups": { readonly cells: readonly GroupedCell[] };
  readonly "no-steady-state": Alike & Unsteady;
  /** Runs without a steady part, of all runs of the cell. */
  readonly "no-steady-part": Alike & Unsteady;
  /** `smallestChange`: a share that would have been seen; null without an interval. */
  readonly stopped: Stopping & { readonly smallestChange: number | null };
}

export type CaveatCode = keyof CaveatEvidence;

export interface CaveatOf<Code extends CaveatCode> {
  readonly code: Code;
  readonly severity: CaveatSeverity;
  readonly evidence: CaveatEvidence[Code];
  readonly advice: readonly CaveatAdvice[];
}

export type Caveat = { [Code in CaveatCode]: CaveatOf<Code> }[CaveatCode];

function warning<Code extends CaveatCode>(
  code: Code,
  evidence: CaveatEvidence[Code],
  advice: readonly CaveatAdvice[] = [],
): CaveatOf<Code> {
  return { code, severity: "warning", evidence, advice };
}

/** Those that stand above the figures, in the order in which they are said. */
export function warningsOf(
  results: MeasuredRuns,
  scenarios: readonly ScenarioRuns[],
): Caveat[] {
  return [
    ...progressCaveats(results),
    ...groupCaveats(scenarios),
    ...unsteadyCaveats(scenarios, repeatedOf(results).figures),
  ];
}

/** What of the plan is not there. */
function progressCaveats(
  { state = "done", runs: { length: runs }, planned = runs, missing = [] }: MeasuredRuns,
): Caveat[] {
  const parts = missing.filter(({ kind }) => kind !== "interrupted").length;
  return [
    ...(state === "running" ? [warning("still-running", { runs, planned })] : []),
    ...(state === "interrupted" ? [warning("interrupted", { runs, planned })] : []),
    ...(parts === 0 ? [] : [warning("parts-missing", { parts })]),
  ];
}

/** The first thing to say of results: in which runs nothing was measured; null where every run had a response. */
export function noResponseCaveat(runs: readonly Run[]): CaveatOf<"no-response"> | null {
  const silent = runs.filter(isUnanswered);
  if (silent.length === 0) return null;
  return warning("no-response", {
    ...noResponseOf(silent),
    silent: silent.length,
    runs: runs.length,
    cells: unique(silent.map((run) => `${run.scenario}, ${cellLabel(run)}`)),
  });
}

/** The figures that a comparison is decided by. */
const LOOKED_AT = [{ figure: "rate", estimate: "rate" }, { figure: "p99", estimate: 99 }] as const;

/** Cells whose runs are of two kinds: their figures are a mean of both, and their intervals promise nothing. */
function groupCaveats(scenarios: readonly ScenarioRuns[]): Caveat[] {
  const cells = namedCells(scenarios).flatMap((named) => {
    const grouped = groupedFigure(named.cell);
    return grouped === null ? [] : [{ cell: nameOf(named), ...grouped }];
  });
  return cells.length === 0 ? [] : [warning("two-groups", { cells })];
}

/** Null where the runs are of one kind, or too few to see two. */
function groupedFigure({ estimates }: CellRuns): Omit<GroupedCell, "cell"> | null {
  for (const { figure, estimate } of LOOKED_AT) {
    const groups = twoGroupsOf(estimates.get(estimate)?.byRun ?? []);
    if (groups !== null) return { figure, groups };
  }
  return null;
}

/** @param figures What the experiment wants the figures to be of. */
function unsteadyCaveats(
  scenarios: readonly ScenarioRuns[],
  figures: "whole" | "steady",
): Caveat[] {
  const cells = namedCells(scenarios).map((named) => ({ name: nameOf(named), ...named.cell }));
  const unsteady = cells.flatMap(({ name, runs }) => {
    const found = unsteadyOf(runs);
    return found === null ? [] : [{ cells: 1, cell: name, ...found }];
  });
  const without = figures === "whole" ? [] : cells.map(({ name, parts }) => ({
    cells: 1,
    cell: name,
    count: parts.filter(({ isSettled }) => !isSettled).length,
    of: parts.length,
  })).filter(({ count }) => count > 0);
  return [
    ...summed(unsteady).map((evidence) => warning("no-steady-state", evidence, ["longer-run"])),
    ...summed(without).map((evidence) => warning("no-steady-part", evidence)),
  ];
}

/** More cells are counted. */
const MOST_LINES = 2;

function summed<Evidence extends Alike>(cells: readonly Evidence[]): readonly Evidence[] {
  return cells.length <= MOST_LINES ? cells : [{ ...cells[0], cells: cells.length }];
}

/** Why there are no more repetitions, and what they can show; null for a fixed number, and for no end. */
export function stoppedCaveat(
  { stopping }: Pick<MeasuredRuns, "stopping">,
  scenarios: readonly ScenarioRuns[],
): CaveatOf<"stopped"> | null {
  if (stopping === undefined || stopping.reason === "fixed") return null;
  const smallestChange = smallestChangeIn(scenarios);
  return {
    code: "stopped",
    severity: "note",
    evidence: { ...stopping, smallestChange },
    advice: smallestChange !== null && smallestChange > MOST_CHANGE ? ["more-runs"] : [],
  };
}

/** Of the widest figure, against as many runs that differ as much; null without an interval. */
function smallestChangeIn(scenarios: readonly ScenarioRuns[]): number | null {
  const changes = scenarios.flatMap(({ cells }) =>
    cells.flatMap(({ estimates }) =>
      (["rate", 50] as const).flatMap((figure) => {
        const estimate = estimates.get(figure);
        // Against runs of another time, which do not pair with these.
        const other = estimate && { ...estimate, session: null };
        const ratio = other && ratioInterval(other, other);
        return ratio ? [smallestChangeOf(ratio, { marginRatio: DEFAULT_MARGIN_RATIO })] : [];
      })
    )
  );
  return changes.length === 0 ? null : Math.max(...changes);
}
