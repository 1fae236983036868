/** Compares every cell that two results have in common, and gives reasons to doubt the comparison. */
import { isUnanswered } from "../../../runner/result/outcome.ts";
import type { Run, Threshold } from "../../../runner/result/result.ts";
import type { Verdict, VerdictReason } from "../../../runner/stats/comparison/verdict.ts";
import {
  comparisonOf,
  decisiveOf,
  decisivePs,
  DEFAULT_MARGIN_RATIO,
  type GroupComparison,
  judgePairs,
  testPairs,
  UNTESTED,
} from "../../judge/comparison.ts";
import { isUndisturbed } from "../../judge/disturbed_runs.ts";
import { resultDifferences, type ResultSide } from "../../judge/differences.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import { withDoubt } from "../../judge/places.ts";
import { errorVerdict } from "../../judge/error_change.ts";
import { hasTooManyErrors, judgedErrorRatio } from "../../judge/shortfall.ts";
import { areOneSession, sessionPairs } from "../../judge/sessions.ts";
import { areMovedAlike } from "../../judge/slices.ts";
import { conditionText, ratiosText } from "../../findings/judgements.ts";
import { endsText, noResponseOf } from "../../findings/no_response.ts";
import { pairedProfiles, type ProfilesModel, type WorkChange } from "../profiles/profiles.ts";
import { doubtSentences, isValid, type TrustModel, trustOfRuns } from "../../findings/trust.ts";
import { type GateOutcome, gateOutcome } from "../../findings/threshold_sentences.ts";
import {
  gatePs,
  gatesOf,
  judgeTogether,
  type ThresholdOutcome,
  worstOf,
} from "../../judge/thresholds.ts";
import { formatShare } from "../../writing/units.ts";
import { type CellRuns, groupRuns, repeatedOf } from "../../cells/cells.ts";
import { type CellPair, cellsOf, matchCells, nameOf } from "../../cells/match.ts";

export interface ComparedCell {
  /** For example `static, express`, or `static, express → fastify` if the targets differ. */
  readonly name: string;
  readonly scenario: string;
  /** The cell on each side: its target, and the parameters that vary. */
  readonly base: string;
  readonly next: string;
  /** The cells of both sides; those of the last session if there are several sessions. */
  readonly match: CellPair;
  readonly comparison: GroupComparison;
  /**
   * Describes the wrong or missing responses that make the figures meaningless, so that verdicts are about the
   * responses; "" if there are none.
   */
  readonly errors: string;
}

/** A side of the comparison, from one session or several. */
export interface ComparedSide {
  /** By default `BASE` or `NEW`; for two commits, `base` or `head`. */
  readonly name: string;
  readonly last: ResultSide;
  readonly sessions: number;
  /** Runs of all sessions. */
  readonly runs: readonly Run[];
  readonly valid: number;
  /** Null if the side has no runs. */
  readonly trust: TrustModel | null;
}

/** Where each side comes from: a commit, such as `main (a1b2c3d): Add a cache`, or the URL of a server. */
export interface Revisions {
  readonly base: string;
  readonly next: string;
}

export interface ResultsComparison {
  readonly cells: readonly ComparedCell[];
  readonly sides: readonly [base: ComparedSide, next: ComparedSide];
  /** Null if the sides are two separate results. */
  readonly revisions: Revisions | null;
  /** Whether the sides are two servers, and no versions of one program. */
  readonly areServers: boolean;
  /**
   * The cells compared by their undisturbed runs; null if no run was disturbed or if the sides took turns, empty if a
   * side has no undisturbed run.
   */
  readonly again: readonly ComparedCell[] | null;
  /** Differences between the sides apart from their figures, one line each. */
  readonly differences: readonly string[];
  /** Sides whose figures may be due to something other than the target, with the reason, one line each. */
  readonly untrusted: readonly string[];
  /** Cells that only one side has. */
  readonly onlyBase: readonly string[];
  readonly onlyNext: readonly string[];
  /** Profiles of the cells that were profiled on both sides, each with the name of its cell. */
  readonly profiles: readonly { readonly name: string; readonly profiles: ProfilesModel }[];
  /** Thresholds judged on the new results, with the base as the baseline. */
  readonly gates: readonly GateOutcome[];
  readonly marginRatio: number;
  readonly decidedBy: NonNullable<CompareOptions["decidedBy"]>;
  /** The outcome that decides the exit code. */
  readonly outcome: ThresholdOutcome;
}

export interface CompareOptions {
  /**
   * What decides the outcome. `figures`: requests/s, p99 and CPU per request of every cell, and thresholds as well.
   * `thresholds`: thresholds alone. Default: figures.
   */
  readonly decidedBy?: "figures" | "thresholds";
  readonly marginRatio?: number;
  readonly thresholds?: readonly Threshold[];
  readonly revisions?: Revisions;
  /** As in `ResultsComparison`. Default: false. */
  readonly areServers?: boolean;
  /** Names of the sides. Default: BASE and NEW. */
  readonly names?: readonly [base: string, next: string];
  /**
   * Earlier sessions of the same programs. They show how much figures differ between sessions even though the programs
   * are the same.
   */
  readonly earlier?: readonly ResultSide[];
  /** Number of the first stage's last repetition, if a second stage measured again the cells that may be worse. */
  readonly firstStage?: number;
}

/** Compares two results, each from one session. */
export function compareResults(
  base: ResultSide,
  next: ResultSide,
  options: CompareOptions = {},
): ResultsComparison {
  return compareSessions([base], [next], options);
}

/**
 * Compares two sides, each from one session or several.
 *
 * @param bases,nexts The sessions of each side, at least one. Thresholds use the last of `bases` as their baseline.
 */
export function compareSessions(
  bases: readonly ResultSide[],
  nexts: readonly ResultSide[],
  options: CompareOptions = {},
): ResultsComparison {
  const { marginRatio = DEFAULT_MARGIN_RATIO, thresholds = [], earlier = [], firstStage } = options;
  const { decidedBy = "figures", revisions = null, areServers = false } = options;
  const byFigures = decidedBy === "figures";
  const [base, next] = [bases[bases.length - 1], nexts[nexts.length - 1]];
  const scenarios = groupRuns(next);
  const matches = matchCells(cellsOf(groupRuns(base)), cellsOf(scenarios));
  const level = Math.max(...[...bases, ...nexts].map((side) => repeatedOf(side).level));
  const pairs = sessionPairs(matches.pairs, { bases, nexts, earlier });
  const tests = testPairs(pairs, { marginRatio, level, firstStage });
  const measured = { ...next, machine: next.machine ?? undefined };
  const before = { bases: bases.slice(0, -1), nexts: nexts.slice(0, -1), earlier };
  const tested = gatesOf(thresholds, scenarios, measured, { baseline: base, before });
  // If figures and thresholds decide the exit code together, Holm's correction has to cover both.
  const gates = judgeTogether(tested, byFigures ? decisivePs(tests) : []).map(gateOutcome);
  const comparisons = judgePairs(tests, byFigures ? gatePs(tested) : []);
  const cells = matches.pairs.map((match, i) => comparedCell(match, comparisons[i]));
  const { names: [baseName, nextName] = ["BASE", "NEW"] } = options;
  const sides = [sideOf(baseName, bases), sideOf(nextName, nexts)] as const;
  const again = areInTurns({ sides, revisions, areServers })
    ? null
    : againUndisturbed([bases, nexts], { marginRatio, earlier, firstStage });
  return {
    cells: again === null ? cells : cells.map((cell) => {
      const same = again.find(({ name }) => name === cell.name);
      return { ...cell, comparison: withDoubt(cell.comparison, same?.comparison) };
    }),
    again,
    sides,
    ...{ revisions, areServers },
    differences: resultDifferences(base, next, matches.pairs).map(conditionText),
    untrusted: sides.flatMap(({ name, trust }) => doubtSentences(name, trust)),
    onlyBase: matches.onlyBase.map(nameOf),
    onlyNext: matches.onlyNext.map(nameOf),
    profiles: cells.flatMap(({ name, match, comparison, errors }) => {
      // If responses are wrong, the figures mean nothing.
      const change = errors === "" ? workChange(comparison) : null;
      const both = [{ name: baseName, sessions: bases }, {
        name: nextName,
        sessions: nexts,
      }] as const;
      const profiles = pairedProfiles(match, both, change);
      return profiles === null ? [] : [{ name, profiles }];
    }),
    gates,
    marginRatio,
    decidedBy,
    outcome: worstOf([
      ...byFigures ? figureOutcomes({ cells, sides, revisions, areServers }) : [],
      ...gates,
    ]),
  };
}

type Sides = Pick<ResultsComparison, "sides" | "revisions" | "areServers">;

/**
 * Whether there can be a verdict: if each side has a valid run, or if the sides took turns, so that disturbances
 * affected both alike.
 */
export function isTrusted(comparison: Sides): boolean {
  return areInTurns(comparison) || comparison.sides.every(({ valid }) => valid > 0);
}

/**
 * Whether the sides took turns, so that disturbances affected both alike. Two versions of one program did so, run by run
 * or slice by slice, and whatever limits the generator affects them alike, too. Other sides took turns only if they are
 * of one session in slices; those from different sessions took turns with other targets, if any.
 */
export function areInTurns({ sides, revisions, areServers }: Sides): boolean {
  const [base, next] = sides;
  return revisions !== null && !areServers ||
    base.sessions === 1 && next.sessions === 1 && areOneSession(base.last, next.last) &&
      areMovedAlike(sides.map(({ runs }) => runs));
}

interface FigureOutcome {
  readonly cell: ComparedCell;
  readonly figure: ComparedFigure;
  readonly outcome: ThresholdOutcome;
}

/** The outcome of each deciding figure in each cell. All are inconclusive if the comparison is not trusted. */
export function figureOutcomes(
  comparison: Sides & Pick<ResultsComparison, "cells">,
): FigureOutcome[] {
  return comparison.cells.flatMap((cell) =>
    decisiveOf(cell.comparison).map(({ figure }) => ({
      ...{ cell, figure },
      outcome: isTrusted(comparison) ? comparedOutcome(cell, figure) : "inconclusive",
    }))
  );
}

/**
 * The cells compared by their undisturbed runs; null if no run was disturbed, empty if a side has no undisturbed run.
 */
function againUndisturbed(
  sides: readonly (readonly ResultSide[])[],
  options: CompareOptions,
): readonly ComparedCell[] | null {
  if (sides.flat().every(({ runs }) => runs.every(isUndisturbed))) return null;
  const [bases, nexts] = sides.map((sessions) =>
    sessions.map((side) => ({ ...side, runs: side.runs.filter(isUndisturbed) }))
      .filter(({ runs }) => runs.length > 0)
  );
  return bases.length === 0 || nexts.length === 0
    ? []
    : compareSessions(bases, nexts, options).cells;
}

function sideOf(name: string, sessions: readonly ResultSide[]): ComparedSide {
  const runs = sessions.flatMap((session) => session.runs);
  return {
    name,
    last: sessions[sessions.length - 1],
    sessions: sessions.length,
    runs,
    valid: runs.filter(isValid).length,
    trust: trustOfRuns(runs),
  };
}

function comparedCell(match: CellPair, comparison: GroupComparison): ComparedCell {
  const { base: { label: base }, next: { scenario, label: next } } = match;
  return {
    name: `${scenario}, ${base === next ? next : `${base} → ${next}`}`,
    ...{ scenario, base, next, match },
    ...judgedByResponses(comparison, match.base, match.next),
  };
}

/** If responses are wrong, they decide instead of speed, because a fast error is no success. */
function judgedByResponses(
  comparison: GroupComparison,
  base: CellRuns,
  next: CellRuns,
): Pick<ComparedCell, "comparison" | "errors"> {
  const silence = silenceOf(base, next);
  if (silence !== "") {
    return { comparison: judgedAlike(comparison, "inconclusive", "nothing"), errors: silence };
  }
  const verdict = errorVerdict(base, next);
  if (verdict === null) return { comparison, errors: "" };
  const [before, now] = [base, next].map(({ runs }) => formatShare(judgedErrorRatio(runs)));
  const open = verdict !== "inconclusive"
    ? ""
    : [base, next].every(hasTooManyErrors)
    ? "; no speed is compared where both sides have more than 1 %"
    : "; too few runs or requests to tell the sides apart";
  const errors = `wrong or failed requests: ${before} before, ${now} now${open}`;
  return { comparison: judgedAlike(comparison, verdict, "errors"), errors };
}

/** Gives all figures the same verdict, whatever their values, and therefore removes their intervals. */
function judgedAlike(
  comparison: GroupComparison,
  verdict: Verdict,
  reason: VerdictReason,
): GroupComparison {
  const unjudged = { ...UNTESTED, verdict, reason };
  return {
    ...comparison,
    figures: comparison.figures.map((figure) => ({ ...figure, ...unjudged })),
  };
}

/**
 * For example `now, no request got a response: 50 timed out after 5 s`; "" if each run of both sides got a response.
 */
function silenceOf(base: CellRuns, next: CellRuns): string {
  return [base, next].flatMap(({ runs }, i) => {
    const silent = runs.filter(isUnanswered);
    const when = i === 0 ? "before" : "now";
    return silent.length === 0
      ? []
      : [`${when}, no request got a response: ${endsText(noResponseOf(silent))}`];
  }).join("; ");
}

/** `fail` for a worse figure, `inconclusive` for an undecided one, otherwise `pass`. */
export function comparedOutcome(cell: ComparedCell, figure: ComparedFigure): ThresholdOutcome {
  const { verdict } = comparisonOf(cell.comparison, figure);
  return verdict === "worse" ? "fail" : verdict === "inconclusive" ? "inconclusive" : "pass";
}

/** For example `static, express → fastify: 4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`. */
export function sentenceOf(cell: ComparedCell): string {
  const rate = comparisonOf(cell.comparison, "rate");
  const nobody = rate.base === 0 ? cell.base : rate.next === 0 ? cell.next : null;
  const text = nobody === null ? ratiosText(cell.comparison) : `${nobody} sent no response`;
  return `${cell.name}: ${text}`;
}

/**
 * The change that profiles may explain; null if there is none. Profiles explain only CPU time, because waiting belongs
 * to no function. Without an interval of the CPU time per request, the direction of the change is unknown.
 */
function workChange(comparison: GroupComparison): WorkChange | null {
  const { interval, verdict } = comparisonOf(comparison, "cpuPerRequest");
  if (interval === null) {
    const isChanged = decisiveOf(comparison).some(({ verdict, reason }) =>
      verdict === "worse" || verdict === "better" || reason === "sessions"
    );
    return isChanged ? "either" : null;
  }
  if (verdict === "equivalent") return null;
  if (interval.low > 1) return "more";
  return interval.high < 1 ? "less" : null;
}
