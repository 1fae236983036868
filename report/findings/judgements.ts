/** What the judge says, in sentences without a full stop: verdicts of scenarios, of pairs of cells and of their figures, each from its code and evidence. */
import type { VerdictReason } from "../../runner/stats/comparison/verdict.ts";
import { noSteadyStateText, unsteadyText } from "../cells/cells.ts";
import { variableName } from "../cells/factors.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "../judge/comparison.ts";
import type { ConditionDifference } from "../judge/differences.ts";
import type { ComparedFigure } from "../judge/group.ts";
import { formatRatio, isSame, isTurned, percentText, ratioText } from "../writing/ratios.ts";
import type { Shortfall } from "../judge/shortfall.ts";
import { isAhead, type Standing, standingOf } from "../judge/standing.ts";
import {
  type Lead,
  leaderIn,
  type NamedPair,
  type Remark,
  type ScenarioSummary,
  type SettingVerdict,
  type Verdict,
  type VerdictCode,
  type VerdictEvidence,
  type VerdictOf,
} from "../judge/verdict.ts";
import { boundText, formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { counted, listed, listedSome } from "../writing/words.ts";

type Sentences<Evidence> = { readonly [Code in keyof Evidence]: (of: Evidence[Code]) => string };

const VERDICTS: Sentences<VerdictEvidence> = {
  leads: ({ target, lead, factors }) => {
    const faster = lead.decision.figure === "rate" ? "is fastest" : "responds fastest";
    return factors.length === 0
      ? `${target} ${faster}: ${leadText(lead)}`
      : `${target} ${faster} ${everywhere(factors)}: at the least ${leadText(lead)}`;
  },
  depends: ({ factors, settings }) =>
    `Which is fastest depends on ${
      listed(factors.map((name) => variableName(name, "the ")), "and")
    }: ${outcomesText(settings)}`,
  equivalent: ({ targets, marginRatio, factors }) =>
    factors.length > 0
      ? `${listed(targets, "and")} are about as fast ${everywhere(factors)}`
      : STANDINGS.equivalent({ targets, marginRatio, decision: null }),
  undecided: ({ factors, likely, lead, standing, targets }) => {
    if (standing === "apart") {
      return "No two targets responded correctly at equal values of the factors";
    }
    if (lead === null) {
      return likely === null
        ? `No target is fastest for certain at any ${factorsText(factors)}`
        : `${likely} was fastest ${everywhere(factors)} (inconclusive: too few runs)`;
    }
    if (likely !== null && lead.decision.interval === null) {
      const runs = standing === "one-run" ? "in one run each" : "(inconclusive: too few runs)";
      return `${likely} was fastest ${runs}`;
    }
    return STANDINGS[standing]({ ...lead, targets });
  },
  unsettled: ({ targets, lead }) => STANDINGS.unsteady({ ...lead, targets }),
  "falls-short": ({ able, at, isOffered, short, most }) => {
    if (able !== null) {
      const does = isOffered ? "keeps up" : "responds correctly";
      return `${at === "" ? "Only" : `At ${at} only`} ${able} ${does}: ${shortText(short)}`;
    }
    if (most === null) return `No target responded correctly: ${shortText(short)}`;
    const offered = formatNumber(Math.max(...short.map(({ offeredPerSec }) => offeredPerSec)));
    const least = most.isAhead ? "the most, " : "";
    return `No target keeps up with ${offered} requests/s: ${most.target} serves ${least}${
      formatNumber(most.rate)
    }`;
  },
  alone: ({ target, rate, isAtLeast, within, span }) => {
    if (span !== null) return spanText(target, span);
    const perSec = `${formatNumber(rate)} requests/s`;
    return within === null
      ? `${target} served ${perSec}`
      : `${target} takes ${isAtLeast ? "at least " : ""}${perSec} with ${listed(within, "and")}`;
  },
  "nothing-valid": ({ runs }) => `None of ${counted(runs, "run")} can be trusted`,
};

export function verdictSentence(verdict: Verdict): string {
  return sentenceOf(verdict.code, verdict);
}

/** Ties the sentence to its own evidence: a union of both could not be called. */
function sentenceOf<Code extends VerdictCode>(code: Code, { evidence }: VerdictOf<Code>): string {
  return VERDICTS[code](evidence);
}

/** Targets of which the first stands to all others alike. */
interface Alike extends Pick<Lead, "marginRatio"> {
  readonly targets: readonly string[];
  /** The first over the nearest; null where the standing says all. */
  readonly decision: FigureComparison | null;
}

const STANDINGS: Readonly<Record<Standing, (of: Alike) => string>> = {
  ahead: ({ targets: [first, ...others], decision }) =>
    `${first} is ${fasterText(decision)} than ${listedSome(others, "and")}`,
  behind: ({ targets: [first, ...others], decision }) =>
    `${listedSome(others, "and")} ${areOf(others)} ${fasterText(decision)} than ${first}`,
  equivalent: ({ targets: [first, ...others], marginRatio }) =>
    `${listedSome(others, "and")} ${areOf(others)} about as fast as ${first}: within ${
      percentText(marginRatio)
    }`,
  "likely-ahead": ({ targets: [first, ...others], decision, marginRatio }) =>
    `${first} is likely ${fasterText(decision)} than ${listedSome(others, "and")}, ${
      doubtText(decision, marginRatio)
    }`,
  "likely-behind": ({ targets: [first, ...others], decision, marginRatio }) =>
    `${listedSome(others, "and")} ${areOf(others)} likely ${fasterText(decision)} than ${first}, ${
      doubtText(decision, marginRatio)
    }`,
  "no-difference-seen": ({ targets: [first, ...others] }) =>
    `No difference seen between ${first} and ${listedSome(others, "or")}`,
  "few-runs": (alike) => openText(alike, `inconclusive in ${runsText(alike.decision)} each`),
  groups: (alike) => openText(alike, "inconclusive, as runs fall into two groups"),
  unsteady: (alike) => openText(alike, `inconclusive, with ${unsteadyOf(alike.decision)}`),
  "at-least": (alike) => openText(alike, `inconclusive, as ${AT_LEAST}`),
  "one-run": (alike) => openText(alike, "inconclusive, as one run says nothing about the next"),
  unknown: (alike) => openText(alike, "nothing to compare"),
};

/** Of a capacity that is a lower bound. */
const AT_LEAST = "a search ended below the limit of a target";

function openText({ targets: [first, ...others] }: Alike, why: string): string {
  return `${first} against ${listedSome(others, "and")}: ${why}`;
}

function areOf(names: readonly string[]): string {
  return names.length === 1 ? "is" : "are";
}

function fasterText(decision: FigureComparison | null): string {
  return decision?.figure === "rate" ? "faster" : "faster to respond";
}

function runsText(decision: FigureComparison | null): string {
  return counted(decision?.runs ?? 0, "run");
}

function unsteadyOf(decision: FigureComparison | null): string {
  const unsteady = decision?.unsteady ?? null;
  return unsteady === null ? "no steady state" : noSteadyStateText(unsteady);
}

/** Why a difference that the interval shows is none for certain. @param by What does not bear it out. */
function doubtText(decision: FigureComparison | null, marginRatio: number, by = ""): string {
  switch (decision?.reason) {
    case "margin":
      return `perhaps by less than ${percentText(marginRatio)}`;
    case "unsteady":
      return `not proven: ${unsteadyOf(decision)}`;
    default:
      return `not proven${by}: ${runsText(decision)}`;
  }
}

/** `1.80× [1.62, 2.01] the requests/s of express`. */
function leadText({ rival, decision }: Lead): string {
  return `${ratioText(decision)} the ${figureInProse(decision.figure)} of ${rival}`;
}

/** `at every number of connections and delay`. */
function everywhere(factors: readonly string[]): string {
  return `at every ${factorsText(factors)}`;
}

function factorsText(factors: readonly string[]): string {
  return factors.map((name) => variableName(name)).join(" and ");
}

/** As many settings are named. */
const MOST_SETTINGS = 6;

/** `single at cpuTime 0; cluster at cpuTime 100 and 250; undecided at cpuTime 50`. */
function outcomesText(settings: readonly SettingVerdict[]): string {
  const groups = [...Map.groupBy(settings, ({ verdict }) => outcomeOf(verdict)).values()];
  const isOpen = ([{ verdict }]: readonly SettingVerdict[]): number => leaderIn(verdict) ? 0 : 1;
  return groups.toSorted((a, b) => isOpen(a) - isOpen(b)).map((those) => {
    const where = those.length > MOST_SETTINGS
      ? `${those.length} of ${settings.length} settings`
      : labelsText(those);
    return `${outcomeOf(those[0].verdict)} at ${where}`;
  }).join("; ");
}

function outcomeOf(verdict: Verdict): string {
  const open = verdict.code === "equivalent" ? "about as fast" : "undecided";
  return leaderIn(verdict) ?? (verdict.code === "falls-short" ? "none keeps up" : open);
}

/** What all begin with is said once. */
function labelsText(settings: readonly SettingVerdict[]): string {
  const texts = settings.map(({ label, factors }, i) =>
    factors.length === 1 && i > 0 ? factors[0].value : label
  );
  return listed(texts, "and");
}

/** What is slowest and fastest was picked after the fact, so nothing is said of a difference without a verdict. */
function spanText(
  name: string,
  { target, rival, decision, factors }: NonNullable<VerdictEvidence["alone"]["span"]>,
): string {
  const { verdict, reason, figure } = decision;
  if (verdict === "equivalent") return `${name} is about as fast ${everywhere(factors)}`;
  const ends = `fastest at ${target} and slowest at ${rival}`;
  const ratio = `${ratioText(decision)} the ${figureInProse(figure)}`;
  if (verdict === "better") return `${name} is ${ends}: ${ratio}`;
  const isFew = reason === "one-run" || reason === "few-runs";
  return `${name} was ${ends} (inconclusive${isFew ? ": too few runs" : ""}): ${ratio}`;
}

/** As many are named. */
const MOST_SHORT = 4;

function shortText(short: readonly Shortfall[]): string {
  const more = short.length - MOST_SHORT;
  const named = short.slice(0, MOST_SHORT).map(shortfallText);
  return listed(more > 0 ? [...named, `${more} more fall short`] : named, "and");
}

/** `plain times out on 19 %`. */
export function shortfallText({ label, kind, ratio, ...pace }: Shortfall): string {
  switch (kind) {
    case "silent":
      return `${label} sent no response`;
    case "timeout":
      return `${label} times out on ${shortfallShare(ratio)}`;
    case "failed":
      return `${label} fails on ${shortfallShare(ratio)}`;
    case "wrong":
      return `${label} responds wrongly to ${shortfallShare(ratio)}`;
    case "dropped":
      return `${shortfallShare(ratio)} of the requests to ${label} were never sent`;
    case "slow":
      return `${label} completes ${formatNumber(pace.servedPerSec)} of ${
        formatNumber(pace.offeredPerSec)
      } requests/s`;
  }
}

/** Two digits will do: `19 %`; but none that is not all is rounded to all. */
export function shortfallShare(ratio: number): string {
  return ratio > 0.99 && ratio < 1 ? formatShare(ratio) : percentText(ratio);
}

/** The verdict and what is to be said beside it, with full stops. */
export function summaryText(summary: Pick<ScenarioSummary, "verdict" | "remarks">): string {
  return [`${verdictSentence(summary.verdict)}.`, remarksText(summary)].filter(Boolean).join(" ");
}

/** Sentences with full stops; "" where nothing is to be said. */
export function remarksText({ remarks }: Pick<ScenarioSummary, "remarks">): string {
  return remarks.map((remark) => `${remarkText(remark)}.`).join(" ");
}

function remarkText(remark: Remark): string {
  switch (remark.kind) {
    case "short":
      return shortfallText(remark.short) +
        (remark.short.kind === "slow" ? ", so it is not ranked" : "");
    case "errors": {
      const { label, ratio, isDropped, isRanked } = remark;
      const what = isDropped
        ? "failed, were never sent or had a wrong response"
        : "failed or had a wrong response";
      return `${formatShare(ratio)} of the requests to ${label} ${what}${
        isRanked ? "" : ", so it is not ranked"
      }`;
    }
    case "unsettled": {
      const { label, perSec: { value, isAtLeast }, unsteady } = remark;
      return `${label}, ${boundText(formatNumber(value), isAtLeast)} requests/s, is not ranked: ${
        noSteadyStateText(unsteady)
      }`;
    }
  }
}

// A pair of cells.

/**
 * As hyperfine has it: `fastify is 4.31× [4.20, 4.43] faster than express, p99 0.24× [0.22, 0.26]`. Where both
 * got as many requests, their p99 decides.
 */
export function pairSentence({ base, next, comparison }: NamedPair): string {
  const [rate, p99] = [comparisonOf(comparison, "rate"), comparisonOf(comparison, 99)];
  const verb = rate.interval === null ? "was" : "is";
  if (isAhead(rate, comparison)) {
    return `${next} ${verb} ${ratioText(rate)} faster than ${base}, p99 ${ratioText(p99)}`;
  }
  if (isAhead(p99, comparison)) {
    const that = isTurned(p99.ratio) ? "than that" : "that";
    const throughput = hasSame(rate) ? "same throughput" : `at ${ratioText(rate)} the requests`;
    return `the p99 of ${next} ${verb} ${ratioText(p99)} ${that} of ${base}, ${throughput}`;
  }
  const decision = standingOf(rate) === "equivalent" ? p99 : rate;
  const { marginRatio } = comparison;
  const text = STANDINGS[standingOf(decision)]({ targets: [next, base], decision, marginRatio });
  return `${text}: ${ratiosText(comparison)}`;
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

// One figure of a pair.

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
