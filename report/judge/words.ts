/** Comparisons in words: ratios with their intervals, and the sentence of a pair. */
import type { VerdictReason } from "../../runner/stats/comparison/verdict.ts";
import { formatMs, formatNumber } from "../writing/units.ts";
import { noSteadyStateText, unsteadyText } from "../cells/cells.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "./comparison.ts";
import type { ConditionDifference } from "./differences.ts";
import type { ComparedFigure } from "./group.ts";
import { counted, listedSome } from "../writing/words.ts";
import { formatRatio, isSame, isTurned, percentText, ratioText } from "./ratios.ts";
import { isAhead, standingOf } from "./standing.ts";

/**
 * As hyperfine has it: `fastify is 4.31× [4.20, 4.43] faster than express, p99 0.24× [0.22, 0.26]`. Where both
 * got as many requests, their p99 decides.
 */
export function pairSentence(base: string, next: string, comparison: GroupComparison): string {
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
  const decisive = standingOf(rate) === "equivalent" ? p99 : rate;
  return `${undecidedText([next, base], decisive, comparison)}: ${ratiosText(comparison)}`;
}

/** Whether the next is ahead neither in requests nor in p99, so that `pairSentence` says of no difference. */
export function isTie(comparison: GroupComparison): boolean {
  return (["rate", 99] as const).every((figure) =>
    !isAhead(comparisonOf(comparison, figure), comparison)
  );
}

/** `4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`; `same throughput, p99 …`. */
export function ratiosText(comparison: GroupComparison): string {
  const rate = comparisonOf(comparison, "rate");
  const p99 = ratioText(comparisonOf(comparison, 99));
  return hasSame(rate)
    ? `same throughput, p99 ${p99}`
    : `${ratioText(rate)} the requests, p99 ${p99}`;
}

function hasSame({ interval }: FigureComparison): boolean {
  return interval !== null && isSame(interval);
}

// Why nobody is ahead, in sentences without a full stop, the same wherever a pair is named.

type OnePair = Pick<GroupComparison, "marginRatio" | "runs">;

/**
 * `a is likely faster than b, not proven: 3 runs`; `a and b are about as fast: within 2 %`.
 *
 * @param names The first is the one that seems ahead; the others stand to it alike.
 * @param decisive The first over the second.
 */
export function undecidedText(
  names: readonly string[],
  decisive: FigureComparison,
  pair: OnePair,
): string {
  const [first, ...others] = names;
  const rest = listedSome(others, "and");
  const are = others.length === 1 ? "is" : "are";
  const faster = decisive.figure === "rate" ? "faster" : "faster to respond";
  const standing = standingOf(decisive);
  switch (standing) {
    case "ahead":
      return `${first} is ${faster} than ${rest}`;
    case "behind":
      return `${rest} ${are} ${faster} than ${first}`;
    case "equivalent":
      return `${rest} ${are} about as fast as ${first}: within ${percentText(pair.marginRatio)}`;
    case "likely-ahead":
      return `${first} is likely ${faster} than ${rest}, ${
        likelyDoubt(decisive, pair.marginRatio)
      }`;
    case "likely-behind":
      return `${rest} ${are} likely ${faster} than ${first}, ${
        likelyDoubt(decisive, pair.marginRatio)
      }`;
    case "no-difference-seen":
      return `No difference seen between ${first} and ${listedSome(others, "or")}`;
    case "one-run":
      return pair.runs.base === 1 && pair.runs.next === 1
        ? `${first} and ${rest} differ too little for one run each`
        : `${first} against ${rest}: inconclusive, as one run says nothing about the next`;
    default:
      return `${first} against ${rest}: ${OPEN[standing](decisive)}`;
  }
}

const OPEN: Readonly<
  Record<
    "few-runs" | "groups" | "unsteady" | "at-least" | "unknown",
    (decisive: FigureComparison) => string
  >
> = {
  "few-runs": ({ runs }) => `inconclusive in ${counted(runs ?? 0, "run")} each`,
  groups: () => "inconclusive, as runs fall into two groups",
  unsteady: ({ unsteady }) =>
    `inconclusive, with ${unsteady === null ? "no steady state" : noSteadyStateText(unsteady)}`,
  "at-least": () => `inconclusive, as ${AT_LEAST}`,
  unknown: () => "nothing to compare",
};

/** Of a capacity that is a lower bound. */
const AT_LEAST = "a search ended below the limit of a target";

/** Why a difference that the interval shows is none for certain. */
function likelyDoubt({ reason, runs, unsteady }: FigureComparison, marginRatio: number): string {
  if (reason === "unsteady" && unsteady !== null) {
    return `not proven: ${noSteadyStateText(unsteady)}`;
  }
  return reason === "margin"
    ? `perhaps by less than ${percentText(marginRatio)}`
    : `not proven: ${counted(runs ?? 0, "run")}`;
}

/** What a verdict means for the reader, and why it says no more; without a full stop. */
export function verdictText(comparison: FigureComparison, marginRatio: number): string {
  const { verdict, reason } = comparison;
  if (verdict === "equivalent") {
    const where = reason === "sessions" ? " in these two sessions" : "";
    return `the same within ${percentText(marginRatio)}${where}`;
  }
  if (verdict !== "inconclusive" || reason === null) return verdict;
  return WHY[reason](comparison, marginRatio);
}

/** A ratio of ten, less one: who could only see more knows nothing, and needs no number for it. */
export const MOST_CHANGE = 9;

const WHY: Readonly<
  Record<VerdictReason, (comparison: FigureComparison, marginRatio: number) => string>
> = {
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
  margin: likelyText,
  many: likelyText,
  exact: likelyText,
  sessions: () => "differs in these two sessions",
  groups: (comparison) => groupsText(comparison),
  unsteady: (comparison, marginRatio) => {
    if (standingOf(comparison) !== "unsteady") return likelyText(comparison, marginRatio);
    return comparison.unsteady === null ? "no steady state" : unsteadyText(comparison.unsteady);
  },
  "at-least": () => `inconclusive: ${AT_LEAST}`,
  errors: () => "too many wrong responses",
  unconfirmed: () => "inconclusive: worse at first, but fresh runs did not confirm it",
};

const LIKELY_WHY: Readonly<Record<"margin" | "many" | "exact", string>> = {
  margin: "",
  many: " among so many comparisons",
  exact: " by the exact test",
};

/** `inconclusive: likely better, not proven by the exact test: 3 runs`. */
function likelyText(comparison: FigureComparison, marginRatio: number): string {
  const { reason } = comparison;
  const why = reason === "margin" || reason === "many" || reason === "exact"
    ? LIKELY_WHY[reason]
    : "";
  const doubt = likelyDoubt(comparison, marginRatio).replace("not proven", `not proven${why}`);
  return [`inconclusive: ${likelyWord(comparison)}, ${doubt}`, neededText(comparison, marginRatio)]
    .filter(Boolean).join(", ");
}

function likelyWord(comparison: FigureComparison): string {
  return standingOf(comparison) === "likely-ahead" ? "likely better" : "likely worse";
}

/** What change so many runs would have shown; "" where that is unknown. */
export function seenText({ smallestChange }: FigureComparison): string {
  if (smallestChange === null) return "";
  return smallestChange > MOST_CHANGE
    ? "add runs"
    : `a change of ${percentText(smallestChange)} would have been seen`;
}

/** `about 18 runs would show equivalence within 2 %`; "" where no number of runs would do. */
export function neededText({ runsNeeded, ratio }: FigureComparison, marginRatio: number): string {
  if (runsNeeded === null || ratio === null) return "";
  const isWithin = Math.abs(Math.log(ratio)) < Math.log1p(marginRatio);
  const what = isWithin
    ? `equivalence within ${percentText(marginRatio)}`
    : "a difference as large";
  return `about ${runsNeeded} runs would show ${what}`;
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
  const unit = (value: number): string =>
    pairs !== null
      ? formatRatio(value, null)
      : figure === "rate"
      ? `${formatNumber(value)}/s`
      : formatMs(value / 1_000);
  const near = (groups ?? []).map(({ count, value }) => `${count} near ${unit(value)}`);
  const what = pairs === null ? "runs" : "the ratios of pairs";
  return `${what} fall into two groups: ${near.join(", ")}`;
}

/** The verdict in a word or two, for a table and a figure: why the interval beside it does not decide, where so. */
export function verdictWord(comparison: FigureComparison, marginRatio: number): string {
  const { verdict, reason } = comparison;
  if (reason === "sessions") {
    return verdict === "equivalent" ? "equivalent in these sessions" : "differs in these sessions";
  }
  switch (standingOf(comparison)) {
    case "likely-ahead":
    case "likely-behind":
      return `${likelyWord(comparison)}, ${likelyDoubt(comparison, marginRatio)}`
        .replace(/(no steady state) in .*/, "$1");
    case "no-difference-seen":
      return "no difference seen";
    case "groups":
      return "inconclusive: two groups of runs";
    case "unsteady":
      return "inconclusive: no steady state";
    case "at-least":
      return "inconclusive: a lower bound";
    case "one-run":
      return "inconclusive: one run";
    default:
      return verdict;
  }
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

/** `processor: Xeon → EPYC`: conditions of two results that differ, without a full stop. */
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
