/**
 * What the judge found, as sentences without full stops: shortfalls, pairs of cells, their figures, and comparisons of
 * sides that take turns (slices). Each sentence is made from a code and its evidence.
 */
import {
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
  type SilentRuns,
  standingOf,
  type UnsteadySide,
} from "../judge/comparison.ts";
import type { ConditionDifference } from "../judge/differences.ts";
import type { ComparedFigure } from "../judge/group.ts";
import { type Why, whyOpen } from "../judge/places.ts";
import { contrastIn } from "../judge/ratio_of.ts";
import type { Disturbance } from "../../runner/stats/slices/disturbance.ts";
import { PROCESS_LOOK_SIGNIFICANCE, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import type { Shortfall } from "../judge/shortfall.ts";
import { formatRatio, isSame, percentText, ratioText } from "../writing/ratios.ts";
import { formatCount, formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { capitalized, counted, listed } from "../writing/words.ts";

/** For example `plain times out on 19 % of requests`. */
export function shortfallText(short: Shortfall): string {
  const { label, kind, ratio } = short;
  return kind === "dropped"
    ? `${shortfallShare(ratio)} of the requests to ${label} were never sent`
    : `${label} ${shortfallClause(short)}`;
}

/** A shortfall without the target's name, such as `times out on 19 % of requests`. */
export function shortfallClause({ kind, ratio, ...pace }: Shortfall): string {
  const share = shortfallShare(ratio);
  switch (kind) {
    case "silent":
      return "sent no response";
    case "timeout":
      return `times out on ${share} of requests`;
    case "failed":
      return `fails on ${share} of requests`;
    case "wrong":
      return `responds wrongly to ${share} of requests`;
    case "dropped":
      return `${share} of requests never sent`;
    case "slow":
      return `completes ${formatNumber(pace.servedPerSec)} of ${
        formatNumber(pace.offeredPerSec)
      } requests/s`;
  }
}

/** A share with two digits, such as `19 %`. A share below 100 % is never rounded up to 100 %. */
export function shortfallShare(ratio: number): string {
  return ratio > 0.99 && ratio < 1 ? formatShare(ratio) : percentText(ratio);
}

/** For example `4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`, or `same throughput, p99 …`. */
export function ratiosText(comparison: GroupComparison): string {
  const rate = comparisonOf(comparison, "rate");
  const isEven = rate.interval !== null && isSame(rate.interval);
  const requests = isEven ? "same throughput" : `${ratioText(rate)} the requests`;
  return `${requests}, p99 ${ratioText(comparisonOf(comparison, 99))}`;
}

// The wording for one figure of a pair of cells.

/**
 * The verdict in a few words, for tables and charts. It includes the reason if the interval shown beside it does not
 * make the verdict plain: `inconclusive: too few runs`.
 */
export function verdictWord(comparison: FigureComparison, marginRatio: number): string {
  return saidOf(comparison, marginRatio)[0];
}

/** The verdict, followed by all details that are known. */
export function verdictText(comparison: FigureComparison, marginRatio: number): string {
  return comparison.verdict === "equivalent"
    ? `equivalent within ${percentText(marginRatio)}${doubtText(comparison)}`
    : saidOf(comparison, marginRatio).filter(Boolean).join("; ");
}

function saidOf(comparison: FigureComparison, marginRatio: number): readonly string[] {
  const { verdict, reason } = comparison;
  if (verdict !== "inconclusive" || reason === null) return [`${verdict}${doubtText(comparison)}`];
  const why = whyOpen(comparison);
  if (why === "likely-ahead" || why === "likely-behind") {
    return likelyTexts(comparison, marginRatio);
  }
  const [word, clause, ...details] = WHY_OPEN[why](comparison, marginRatio);
  const said = details.length === 0 ? [clause] : details;
  return [COMPLETE.includes(why) ? word : `inconclusive: ${word}`, ...said];
}

function doubtText({ isDoubted }: FigureComparison): string {
  return isDoubted ? ", only with doubtful runs" : "";
}

/** Reasons whose words make a complete verdict. The words of most other reasons follow `inconclusive: `. */
const COMPLETE: readonly Why[] = ["nothing", "errors", "no-difference-seen", "sessions"];

/**
 * A reason in a few words, the reason as a clause, and the texts that replace the clause in a line about one figure.
 */
export type WhyWords = readonly [word: string, clause: string, ...details: string[]];

const notProven = (one: FigureComparison): WhyWords => ["not proven", `not proven by ${each(one)}`];

/** The words for each reason why a verdict is open. */
export const WHY_OPEN: Readonly<
  Record<Why, (one: FigureComparison, marginRatio: number) => WhyWords>
> = {
  "likely-ahead": notProven,
  "likely-behind": notProven,
  nothing: () => ["nothing to compare", "the figures cannot be compared", ""],
  errors: () => ["too many wrong responses", "too many responses are wrong", ""],
  "one-run": () => ["one run", "one run says nothing about the next"],
  silent: ({ silent }) => [silentText(silent), "some runs served nothing", ""],
  "no-difference-seen": (one, marginRatio) => [
    "no difference seen",
    `no difference was seen in ${each(one)}`,
    seenText(one),
    neededText(one, marginRatio),
  ],
  "few-runs": (one, marginRatio) => [
    `too few ${sampleNoun(one, 2)}`,
    `${each(one)} do not tell them apart`,
    seenText(one),
    neededText(one, marginRatio),
  ],
  sessions: ({ interval }, marginRatio) => {
    const most = 1 + marginRatio;
    const isWithin = interval !== null && interval.low >= 1 / most && interval.high <= most;
    return [
      `${isWithin ? "alike" : "differs"} in these two sessions`,
      "how much results differ between sessions on this machine is unknown",
      "",
    ];
  },
  groups: (one) => [
    `two groups of ${sampleNoun(one, 2)}`,
    `their ${sampleNoun(one, 2)} fall into two groups`,
    groupsText(one),
  ],
  unsteady: ({ unsteady }) => [
    "no steady state",
    "most runs have no steady state",
    unsteadyText(unsteady),
    "run longer",
  ],
  "at-least": () => [
    "a lower bound",
    "a capacity search ended before it reached the limit of a target",
  ],
  generator: () => [
    "the generator may have been the limit",
    "the generator may have been the limit, so either side may be faster than measured",
    "either side may be faster than measured",
  ],
  "few-slices": () => ["too few slices", "there are too few slices to tell", "measure longer"],
  "dependent-slices": () => [
    "the ratio drifts",
    "the ratio drifts too slowly for so short a measurement",
  ],
  disturbed: ({ sliced }) => [
    "one side disturbs the other",
    "one side keeps using cores while it rests, which slows the other",
    disturbanceText(sliced?.disturbance ?? null),
  ],
  unconfirmed: ({ stages }) => [
    "not confirmed",
    "fresh runs did not confirm a difference",
    `worse over all blocks, but not in the fresh ones alone (${
      formatRatio(stages?.fresh ?? NaN, null)
    })`,
  ],
  doubted: () => ["only doubtful runs", "the undisturbed runs alone do not decide"],
  lost: () => ["too few undisturbed runs", "too few runs were undisturbed"],
};

/** `5 runs each`, `300 pairs of slices`: the data behind a comparison. */
function each(one: FigureComparison): string {
  return one.sliced?.isAlone ? samplesText(one) : `${samplesText(one)} each`;
}

/** `while it rests, the base uses 30 % of a core more than the other side does`. */
export function disturbanceText(disturbance: Disturbance | null): string {
  if (disturbance === null) return "";
  const { side, cores } = disturbance;
  return `while it rests, ${SIDES[side]} uses ${
    percentText(cores)
  } of a core more than the other side does`;
}

/** Says which runs have no steady state: `4 of 5 runs of the base and 3 of 5 runs of the new side have none`. */
function unsteadyText(sides: readonly UnsteadySide[]): string {
  const runs = sides.map(({ side, count, of }) =>
    `${of === 1 ? "the only run" : `${count} of ${of} runs`} of ${SIDES[side]}`
  );
  return `${runs.join(" and ")} ${sides.length === 1 && sides[0].of === 1 ? "has" : "have"} none`;
}

const SIDES = { base: "the base", next: "the new side" } as const;

/** For example `4 of 5 runs served nothing`. @param of Whose runs they are, such as ` of express`. */
export function silentText(silent: SilentRuns | null, of = ""): string {
  return silent === null
    ? "runs served nothing"
    : `${silent.count} of ${counted(silent.of, "run")}${of} served nothing`;
}

/** `likely better, not proven by 3 runs`, with further facts. */
function likelyTexts(one: FigureComparison, marginRatio: number): readonly string[] {
  const { reason, sliced, between, unsteady } = one;
  const side = standingOf(one) === "likely-ahead" ? "better" : "worse";
  const where = between?.kind === "unknown" ? " in these two sessions" : "";
  const why = reason === "margin"
    ? `perhaps by less than ${percentText(marginRatio)}`
    : `not proven${reason === "unsteady" ? ": no steady state" : ` by ${samplesText(one)}`}`;
  const checks = sliced === null ? "" : "checks and ";
  const test = reason === "exact" ? "the exact test" : `so many ${checks}comparisons`;
  const tooFew = reason === "exact" || reason === "many"
    ? `too few ${sampleNoun(one, 2)} for ${test}`
    : "";
  const runs = reason === "unsteady" ? unsteadyText(unsteady) : "";
  return [`likely ${side}${where}, ${why}`, runs, tooFew, neededText(one, marginRatio)];
}

type Sampled = Pick<FigureComparison, "runs" | "between" | "sliced">;

/** The data behind an interval, such as `5 runs` or `300 pairs of slices`. */
export function samplesText(comparison: Sampled): string {
  const count = comparison.runs ?? 0;
  return `${formatCount(count)} ${sampleNoun(comparison, count)}`;
}

function sampleNoun({ between, sliced }: Sampled, count: number): string {
  if (sliced?.isAlone) return count === 1 ? "pair of slices" : "pairs of slices";
  const one = sliced?.areTheseTwo ? "round" : contrastIn(between) === null ? "run" : "session";
  return `${one}${count === 1 ? "" : "s"}`;
}

/** A change by a factor of two. If only larger changes could be detected, their size says nothing. */
const MOST_CHANGE = 1;

/** The smallest change that this many runs would detect; "" if it is unknown or says nothing. */
function seenText({ smallestChange }: FigureComparison): string {
  return smallestChange === null || smallestChange > MOST_CHANGE
    ? ""
    : `only a change of ${percentText(smallestChange)} or more would be detected`;
}

/** For example `about 18 runs would show equivalence within 2 %`; "" if no number of runs or sessions would. */
export function neededText(
  { runsNeeded, sessionsNeeded, ratio }: FigureComparison,
  marginRatio: number,
): string {
  const needed = runsNeeded === null
    ? sessionsNeeded === null ? null : `${sessionsNeeded} sessions a side`
    : `${runsNeeded} runs`;
  if (needed === null || ratio === null) return "";
  const isWithin = Math.abs(Math.log(ratio)) < Math.log1p(marginRatio);
  return `about ${needed} would show ${
    isWithin ? `equivalence within ${percentText(marginRatio)}` : "this difference"
  }`;
}

/** The most runs that are ever recommended. */
const MOST_RUNS = 50;

/** Advice for a verdict that would take more runs than are ever recommended; null if it would not. */
export function tooManyRunsText(runsNeeded: number): string | null {
  return runsNeeded > MOST_RUNS
    ? `Make runs longer or the machine quieter: more than ${MOST_RUNS} runs would be needed.`
    : null;
}

/**
 * The sizes and mean values of two groups, such as `4 near 1.00×, 1 near 0.79×` for ratios of pairs. The values of runs
 * are in requests/s or ms.
 */
function groupsText({ figure, groups }: FigureComparison): string {
  if (groups === null) return "";
  const { of, clusters, unsettled } = groups;
  return clusters.map((cluster) => {
    const { count, value } = cluster;
    const rate = figure === "rate" ? `${formatNumber(value)}/s` : formatMs(value / 1_000);
    const never = cluster.value === unsettled?.value ? " without a steady state" : "";
    return `${count}${never} near ${of === "ratios" ? formatRatio(value, null) : rate}`;
  }).join(", ");
}

export function figureName(figure: ComparedFigure): string {
  return figure === "cpuPerRequest" ? "CPU/request" : figureKey(figure);
}

/** The figure's name in a sentence, or on a line of its own. */
export function figureInProse(figure: ComparedFigure): string {
  return figure === "rate" ? "requests/s" : figureName(figure);
}

/** The figure's name in JSON. */
export function figureKey(figure: ComparedFigure): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}

/** A condition that differs between two results, such as `processor: Xeon → EPYC`. */
export function conditionText({ what, base, next }: ConditionDifference): string {
  return `${what}: ${shown(base)} → ${shown(next)}`;
}

/** Longer values are cut to this many characters. */
const MOST_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined || value === null) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}

// Comparisons of sides that are loaded in turns, slice by slice: how they are judged, what their
// verdict is about, and which side disturbs the other.

/** Explains a table that splits the spread of ratios into a part due to slices and a part between rounds. */
export const LEVELS_NOTE =
  "A round is one pair of processes; if servers are never restarted, it is one stretch of time. Spread: the standard " +
  "deviation of the ratio of a round. By slices: the part of the spread that comes from the slices. Between rounds: the rest of the spread. " +
  "Percentiles are taken over all slices of a round together, so their spread is not split. Limited by slices: longer " +
  "rounds or more rounds narrow the interval. Limited by rounds: only more rounds do.";

/** Explains, below a table of ratios, what a verdict requires. */
export const LOOKS_NOTE =
  "The sides were loaded in turns, slice by slice, so whatever moves both at once cancels out. " +
  `The ratio is checked after ${listed(PROCESS_LOOKS.map(String), "and")} rounds. ` +
  `Each check requires p ≤ ${PROCESS_LOOK_SIGNIFICANCE}, so that all checks together are wrong in at most 5 % of ` +
  "comparisons. The exception is servers that are never restarted: if their ratio rises and falls in waves that last " +
  "longer than the first rounds, a verdict may be wrong more often.";

/** Accompanies a verdict about one pair of processes that are never restarted. */
export const THESE_TWO =
  "The verdict is about these two processes: after a restart, the ratio may differ.";

/**
 * Says how much one side disturbs the other, as a clause that begins a sentence.
 * @param cell Name of the cell, which is never capitalised; "" if there is only one cell.
 */
export function disturbanceSentence(cell: string, disturbance: Disturbance): string {
  const who = disturbanceText(disturbance);
  return `${cell === "" ? capitalized(who) : `${cell}: ${who}`}, ` +
    `which may change the requests/s of that other side by up to ${
      percentText(disturbance.mostRatio)
    }, ` +
    "and its latencies by more";
}
