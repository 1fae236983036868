/**
 * Caveats, which a reader must know before believing a number. Each has a code, and one sentence that is made from its
 * evidence.
 */
import type { Stopping } from "../../runner/result/invocation.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Run } from "../../runner/result/result.ts";
import { type RunCluster, twoGroupsOf } from "../../runner/stats/comparison/bimodality.ts";
import { smallestChangeOf } from "../../runner/stats/comparison/verdict.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { LEAST_OF_GROUPS, SKEWED_COVERAGE } from "../../runner/stats/confidence/sequential.ts";
import type { Finding } from "../blocks.ts";
import { cellLabel } from "../cells/cell_label.ts";
import {
  noSteadyStateText,
  repeatedOf,
  type ScenarioRuns,
  type Unsteady,
  unsteadyOf,
} from "../cells/cells.ts";
import { cellsOf, nameOf } from "../cells/match.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { DEFAULT_MARGIN_RATIO } from "../judge/comparison.ts";
import { percentText } from "../writing/ratios.ts";
import { formatMs, formatNumber, GLUE } from "../writing/units.ts";
import { counted, type EvidenceOf, listed, unique, wordsOf } from "../writing/words.ts";
import { endsText, type NoResponse, noResponseOf, noResponseText } from "./no_response.ts";

/** An unsteady cell that stands for several similar ones, which share one line. */
interface Alike extends Unsteady {
  readonly cells: number;
  /** Name of the first of these cells, such as `static, hono`. */
  readonly cell: string;
}

interface GroupedCell {
  readonly cell: string;
  /**
   * The figure by which the runs fall into groups. The groups' values are in requests/s for the rate, and in µs for
   * p99.
   */
  readonly figure: "rate" | "p99";
  readonly groups: readonly RunCluster[];
}

interface PlannedRuns {
  /** Number of runs measured so far. */
  readonly runs: number;
  readonly planned: number;
}

/** The sentences of caveats, without full stops. */
const SENTENCES = {
  /** @param silent Number of runs in which no request got a response. @param cells The cells of these runs. */
  "no-response": ({ silent, runs, cells, ...found }: NoResponse & {
    readonly silent: number;
    readonly runs: number;
    readonly cells: readonly string[];
  }) => {
    if (runs === 1) return noResponseText(found);
    const where = silent === runs
      ? `any of ${counted(runs, "run")}`
      : `${silent} of ${counted(runs, "run")} (${namedText(cells, MOST_SILENT)})`;
    return `No request got a response in ${where}: ${endsText(found) || "none was due"}`;
  },
  "still-running": (planned: PlannedRuns) => `Still running: ${progressText(planned)}`,
  interrupted: (planned: PlannedRuns) => `Interrupted: ${progressText(planned)}`,
  "parts-missing": ({ parts }: { readonly parts: number }) =>
    `${counted(parts, "part")} of the plan ${parts === 1 ? "was" : "were"} not measured`,
  "two-groups": ({ cells }: { readonly cells: readonly GroupedCell[] }) =>
    `Runs fall into two groups in ${groupedText(cells)}, ` +
    "so the 95 % intervals there are too narrow",
  "no-steady-state": (alike: Alike) =>
    `${placeText(alike, "have no steady state in most of their runs")}: ${
      noSteadyStateText(alike)
    }: run longer. Figures of such a cell have no intervals, but its ratios do`,
  "no-steady-part": (alike: Alike) => {
    const { count, of } = alike;
    return `${placeText(alike, "have runs without a steady part")}: ${
      count === of
        ? "no run has a steady part, so its figures are of whole runs, without intervals"
        : `${count} of ${counted(of, "run")} ${
          count === 1 ? "has no steady part and counts" : "have no steady part and count"
        } as a whole`
    }`;
  },
  /**
   * @param smallestChange The smallest change that a comparison would detect, as a share; null if there is no interval.
   */
  stopped: (stopping: Stopping & { readonly smallestChange: number | null }) => {
    const { repetitions, reason, smallestChange } = stopping;
    const head = `Stopped after ${repetitions} repetitions${ENDED_BY[reason] ?? ""}: ${
      widthText(stopping)
    }`;
    if (smallestChange === null) return head;
    return smallestChange > MOST_CHANGE
      ? `${head}; a comparison with as many runs would miss any change of less than 10×, so add runs`
      : `${head}; a comparison with as many runs would show only changes of ${
        percentText(smallestChange)
      } or more`;
  },
  "stopped-early": ({ repetitions }: Pick<Stopping, "repetitions">) =>
    `If a few runs are far slower than the rest, ${repetitions} repetitions may include none of the slow runs. The 95 % ` +
    `intervals of an experiment that stops early (\`repeat: until\`) then contain the true value in as few as ${SKEWED_COVERAGE.sequence} ` +
    `of 100 cases, and most of those that miss it come from fewer than ${LEAST_OF_GROUPS} repetitions, as here`,
};

export function caveat<Code extends keyof typeof SENTENCES>(
  code: Code,
  evidence: EvidenceOf<typeof SENTENCES>[Code],
): Finding {
  return { code, text: `${wordsOf(SENTENCES, code, evidence)}.` };
}

function progressText({ runs, planned }: PlannedRuns): string {
  return `${runs} of ${counted(planned, "planned run")} ${planned === 1 ? "is" : "are"} done`;
}

/** A change by a factor of ten. Larger changes and intervals are not stated. */
const MOST_CHANGE = 9;

/** The most cells without responses that are named. */
const MOST_SILENT = 3;

function namedText(cells: readonly string[], most: number): string {
  const left = cells.length - most;
  return cells.slice(0, most).join("; ") + (left > 0 ? ` and ${left} more` : "");
}

/** The most cells with two groups of runs that are named. */
const MOST_GROUPED = 4;

/** For example `static, hono (4 near 15,000 requests/s, 1 near 11,900 requests/s) and 2 more cells`. */
function groupedText(cells: readonly GroupedCell[]): string {
  const named = cells.slice(0, MOST_GROUPED).map(({ cell, figure, groups }) => {
    const near = groups.map(({ count, value }) =>
      `${count} near ${
        figure === "rate" ? `${formatNumber(value)} requests/s` : `p99 ${formatMs(value / 1_000)}`
      }`
    );
    return `${cell} (${near.join(", ")})`;
  });
  const rest = cells.length - named.length;
  return listed(rest === 0 ? named : [...named, counted(rest, "more cell")], "and");
}

/**
 * The name of a single cell, such as `static, hono`, or for several `5 cells have …, such as static, hono`.
 * @param what What these cells have in common.
 */
function placeText({ cells, cell }: Alike, what: string): string {
  return cells === 1 ? cell : `${cells} cells ${what}, such as ${cell}`;
}

const ENDED_BY: Readonly<Partial<Record<Stopping["reason"], string>>> = {
  budget: ", because another would have exceeded the time budget",
  limit: ", the maximum",
};

function widthText({ halfWidth, target, reason }: Stopping): string {
  if (halfWidth === null) return "not every cell has an interval";
  if (halfWidth > MOST_CHANGE) {
    return "the intervals of requests/s and p50 are too wide to say anything";
  }
  const widest = `±${GLUE}${percentText(halfWidth)}`;
  const required = target === null ? "" : `±${GLUE}${percentText(target)}`;
  return reason === "precision" && target !== null
    ? `every interval of requests/s and p50 is within ${required} (widest ${widest})`
    : `the widest interval of requests/s and p50 is ${widest}${
      required && `, where ${required} was required`
    }`;
}

/** What is missing from the results so far. */
export function incompleteCaveats(results: MeasuredRuns): Finding[] {
  const { state, runs: { length: runs }, planned = runs, missing = [] } = results;
  const parts = missing.filter(({ kind }) => kind !== "interrupted").length;
  return [
    ...(state === "running" ? [caveat("still-running", { runs, planned })] : []),
    ...(state === "interrupted" ? [caveat("interrupted", { runs, planned })] : []),
    ...(parts === 0 ? [] : [caveat("parts-missing", { parts })]),
  ];
}

/** The warnings above the figures, in the order in which they are shown. */
export function warningsOf(results: MeasuredRuns, scenarios: readonly ScenarioRuns[]): Finding[] {
  return [
    ...groupCaveats(scenarios),
    ...unsteadyCaveats(scenarios, repeatedOf(results).figures),
  ];
}

/**
 * The most important caveat: in how many runs nothing was measured, because no request got a response. Empty if there
 * is no such run.
 */
export function noResponseCaveats(runs: readonly Run[]): Finding[] {
  const silent = runs.filter(isUnanswered);
  return silent.length === 0 ? [] : [caveat("no-response", {
    ...noResponseOf(silent),
    silent: silent.length,
    runs: runs.length,
    cells: unique(silent.map((run) => `${run.scenario}, ${cellLabel(run)}`)),
  })];
}

/**
 * A caveat about cells whose runs fall into two groups. The figures of such a cell average over both groups, and its
 * intervals are unreliable.
 */
function groupCaveats(scenarios: readonly ScenarioRuns[]): Finding[] {
  // The figures by which comparisons are decided.
  const figures = [["rate", "rate"], ["p99", 99]] as const;
  const cells = cellsOf(scenarios).flatMap((cell): GroupedCell[] => {
    const [grouped] = figures.flatMap(([figure, of]) => {
      const groups = twoGroupsOf(cell.estimates.get(of)?.byRun ?? []);
      return groups === null ? [] : [{ cell: nameOf(cell), figure, groups }];
    });
    return grouped === undefined ? [] : [grouped];
  });
  return cells.length === 0 ? [] : [caveat("two-groups", { cells })];
}

/**
 * Caveats about cells that never settle. @param figures The part of a run from which the experiment wants its figures.
 */
function unsteadyCaveats(
  scenarios: readonly ScenarioRuns[],
  figures: "whole" | "steady",
): Finding[] {
  const cells = cellsOf(scenarios).map((cell) => ({ name: nameOf(cell), ...cell }));
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
    ...summed(unsteady).map((alike) => caveat("no-steady-state", alike)),
    ...summed(without).map((alike) => caveat("no-steady-part", alike)),
  ];
}

/** The most cells that get a line each. If there are more, one line counts all of them. */
const MOST_LINES = 2;

function summed(cells: readonly Alike[]): readonly Alike[] {
  return cells.length <= MOST_LINES ? cells : [{ ...cells[0], cells: cells.length }];
}

/**
 * Why the experiment stopped repeating, and what its repetitions can show. Empty if the number of repetitions was
 * fixed.
 */
export function stoppedCaveats(
  { stopping }: Pick<MeasuredRuns, "stopping">,
  scenarios: readonly ScenarioRuns[],
): Finding[] {
  if (stopping === undefined || stopping.reason === "fixed") return [];
  const { reason, repetitions } = stopping;
  return [
    caveat("stopped", { ...stopping, smallestChange: smallestChangeIn(scenarios) }),
    ...reason === "precision" && repetitions < LEAST_OF_GROUPS
      ? [caveat("stopped-early", { repetitions })]
      : [],
  ];
}

/**
 * The smallest change that a comparison with as many runs and the same spread would detect. Of all cells and figures,
 * the one with the least precision counts; null if none has an interval.
 */
function smallestChangeIn(scenarios: readonly ScenarioRuns[]): number | null {
  const changes = scenarios.flatMap(({ cells }) =>
    cells.flatMap(({ estimates }) =>
      (["rate", 50] as const).flatMap((figure) => {
        const estimate = estimates.get(figure);
        // The runs to compare with would be measured at another time, so they can't be paired with
        // these runs.
        const other = estimate && { ...estimate, session: null };
        const ratio = other && ratioInterval(other, other);
        return ratio ? [smallestChangeOf(ratio, { marginRatio: DEFAULT_MARGIN_RATIO })] : [];
      })
    )
  );
  return changes.length === 0 ? null : Math.max(...changes);
}
