/** What the judge says, in sentences without a full stop: of what falls short, of pairs of cells and of their figures, each from its code and evidence. */
import type { VerdictReason } from "../../runner/stats/comparison/verdict.ts";
import { noSteadyStateText, unsteadyText } from "../cells/cells.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "../judge/comparison.ts";
import type { ConditionDifference } from "../judge/differences.ts";
import type { ComparedFigure } from "../judge/group.ts";
import type { Shortfall } from "../judge/shortfall.ts";
import { type Standing, standingOf } from "../judge/standing.ts";
import { formatRatio, isSame, percentText, ratioText } from "../writing/ratios.ts";
import { formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { counted } from "../writing/words.ts";

/** `plain times out on 19 %`. */
export function shortfallText(short: Shortfall): string {
  const { label, kind, ratio } = short;
  return kind === "dropped"
    ? `${shortfallShare(ratio)} of the requests to ${label} were never sent`
    : `${label} ${shortfallClause(short)}`;
}

/** Where it stands beside its name: `times out on 19 %`. */
export function shortfallClause({ kind, ratio, ...pace }: Shortfall): string {
  const share = shortfallShare(ratio);
  switch (kind) {
    case "silent":
      return "sent no response";
    case "timeout":
      return `times out on ${share}`;
    case "failed":
      return `fails on ${share}`;
    case "wrong":
      return `responds wrongly to ${share}`;
    case "dropped":
      return `${share} never sent`;
    case "slow":
      return `completes ${formatNumber(pace.servedPerSec)} of ${
        formatNumber(pace.offeredPerSec)
      } requests/s`;
  }
}

/** Two digits will do: `19 %`; but none that is not all is rounded to all. */
export function shortfallShare(ratio: number): string {
  return ratio > 0.99 && ratio < 1 ? formatShare(ratio) : percentText(ratio);
}

/** `4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`; `same throughput, p99 …`. */
export function ratiosText(comparison: GroupComparison): string {
  const rate = comparisonOf(comparison, "rate");
  const requests = hasSame(rate) ? "same throughput" : `${ratioText(rate)} the requests`;
  return `${requests}, p99 ${ratioText(comparisonOf(comparison, 99))}`;
}

function hasSame({ interval }: FigureComparison): boolean {
  return interval !== null && isSame(interval);
}

/** Of a capacity that is a lower bound. */
const AT_LEAST = "a search ended below the limit of a target";

/** Why a difference that the interval shows is none for certain. @param by What does not bear it out. */
function doubtText(
  { reason, unsteady, runs }: FigureComparison,
  marginRatio: number,
  by = "",
): string {
  if (reason === "margin") return `perhaps by less than ${percentText(marginRatio)}`;
  return reason === "unsteady"
    ? `not proven: ${unsteady === null ? "no steady state" : noSteadyStateText(unsteady)}`
    : `not proven${by}: ${counted(runs ?? 0, "run")}`;
}

/** What a verdict means for the reader, and why it says no more. */
export function verdictText(comparison: FigureComparison, marginRatio: number): string {
  const { verdict, reason } = comparison;
  if (verdict === "equivalent") {
    const where = reason === "sessions" ? " in these two sessions" : "";
    return `the same within ${percentText(marginRatio)}${where}`;
  }
  return verdict !== "inconclusive" || reason === null
    ? verdict
    : REASONS[reason](comparison, marginRatio);
}

type Why = (comparison: FigureComparison, marginRatio: number) => string;

const REASONS: Readonly<Record<VerdictReason, Why>> = {
  nothing: () => "nothing to compare",
  "one-run": () => "one run says nothing about the next",
  "few-runs": (comparison, marginRatio) =>
    [
      standingOf(comparison) === "few-runs"
        ? "inconclusive: too few runs"
        : "inconclusive: no difference seen",
      seenText(comparison),
      neededText(comparison, marginRatio),
    ].filter(Boolean).join(", "),
  margin: likelyText(""),
  many: likelyText(" among so many comparisons"),
  exact: likelyText(" by the exact test"),
  sessions: () => "differs in these two sessions",
  groups: (comparison) => groupsText(comparison),
  unsteady: (comparison, marginRatio) => {
    if (standingOf(comparison) !== "unsteady") return likelyText("")(comparison, marginRatio);
    return comparison.unsteady === null ? "no steady state" : unsteadyText(comparison.unsteady);
  },
  "at-least": () => `inconclusive: ${AT_LEAST}`,
  errors: () => "too many wrong responses",
  unconfirmed: () => "inconclusive: worse at first, but fresh runs did not confirm it",
};

/** `inconclusive: likely better, not proven by the exact test: 3 runs`. */
function likelyText(by: string): Why {
  return (comparison, marginRatio) =>
    [
      `inconclusive: ${likelyWord(comparison)}, ${doubtText(comparison, marginRatio, by)}`,
      neededText(comparison, marginRatio),
    ].filter(Boolean).join(", ");
}

function likelyWord(comparison: FigureComparison): string {
  const word = standingOf(comparison) === "likely-ahead" ? "likely better" : "likely worse";
  return comparison.between?.kind === "unknown" ? `${word} in these sessions` : word;
}

/** A ratio of ten, less one: who could only see more knows nothing, and needs no number for it. */
export const MOST_CHANGE = 9;

/** What change so many runs would have shown; "" where that is unknown. */
function seenText({ smallestChange }: FigureComparison): string {
  if (smallestChange === null) return "";
  return smallestChange > MOST_CHANGE
    ? "add runs"
    : `a change of ${percentText(smallestChange)} would have been seen`;
}

/** `about 18 runs would show equivalence within 2 %`; "" where no number of runs would do. */
export function neededText({ runsNeeded, ratio }: FigureComparison, marginRatio: number): string {
  if (runsNeeded === null || ratio === null) return "";
  const isWithin = Math.abs(Math.log(ratio)) < Math.log1p(marginRatio);
  return `about ${runsNeeded} runs would show ${
    isWithin ? `equivalence within ${percentText(marginRatio)}` : "a difference as large"
  }`;
}

/** Nobody adds more runs than this to decide. */
const MOST_RUNS = 50;

/** What to do where more runs would decide, if more than anybody adds; null where fewer do. A sentence. */
export function tooManyRunsText(runsNeeded: number): string | null {
  return runsNeeded > MOST_RUNS
    ? `Longer runs or a quieter machine: over ${MOST_RUNS} runs are needed.`
    : null;
}

/** `the ratios of pairs fall into two groups: 4 near 1.00×, 1 near 0.79×`. */
function groupsText({ figure, pairs, groups }: FigureComparison): string {
  const valueText = (value: number): string => {
    if (pairs !== null) return formatRatio(value, null);
    return figure === "rate" ? `${formatNumber(value)}/s` : formatMs(value / 1_000);
  };
  const near = (groups ?? []).map(({ count, value }) => `${count} near ${valueText(value)}`);
  return `${pairs === null ? "runs" : "the ratios of pairs"} fall into two groups: ${
    near.join(", ")
  }`;
}

const WORDS: Readonly<Partial<Record<Standing, string>>> = {
  "no-difference-seen": "no difference seen",
  groups: "inconclusive: two groups of runs",
  unsteady: "inconclusive: no steady state",
  "at-least": "inconclusive: a lower bound",
  "one-run": "inconclusive: one run",
};

/** The verdict in a word or two, for a table and a figure: why the interval beside it does not decide, where so. */
export function verdictWord(comparison: FigureComparison, marginRatio: number): string {
  const { verdict, reason } = comparison;
  if (reason === "sessions") {
    return verdict === "equivalent" ? "equivalent in these sessions" : "differs in these sessions";
  }
  const standing = standingOf(comparison);
  if (standing !== "likely-ahead" && standing !== "likely-behind") {
    return WORDS[standing] ?? verdict;
  }
  const doubt = reason === "unsteady"
    ? "not proven: no steady state"
    : doubtText(comparison, marginRatio);
  return `${likelyWord(comparison)}, ${doubt}`;
}

/** Why two results of two sessions have no verdict, and what to do; a sentence. */
export const SESSIONS_TEXT =
  "Each side was measured in one session, and nobody knows by how much sessions of this machine differ: measure " +
  "both in one experiment, or give several sessions a side.";

export function figureName(figure: ComparedFigure): string {
  return figure === "cpuPerRequest" ? "CPU/request" : figureKey(figure);
}

/** In sentences and lines that stand alone. */
export function figureInProse(figure: ComparedFigure): string {
  return figure === "rate" ? "requests/s" : figureName(figure);
}

/** What JSON calls it. */
export function figureKey(figure: ComparedFigure): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}

/** `processor: Xeon → EPYC`: conditions of two results that differ. */
export function conditionText({ what, base, next }: ConditionDifference): string {
  return `${what}: ${shown(base)} → ${shown(next)}`;
}

/** As much as a line can hold. */
const MOST_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined || value === null) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}
