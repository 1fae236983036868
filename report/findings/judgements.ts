/**
 * What the judge found, as sentences without full stops: shortfalls, pairs of cells, their figures, and comparisons in
 * slices. Each sentence is made from a code and its evidence.
 */
import type { VerdictReason } from "../../runner/stats/comparison/verdict.ts";
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
 * The verdict in one or two words, for tables and charts. If the interval shown beside it does not explain it, the
 * reason follows.
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
  return verdict === "inconclusive" && reason !== null
    ? REASONS[reason](comparison, marginRatio)
    : [`${verdict}${doubtText(comparison)}`];
}

function doubtText({ isDoubted }: FigureComparison): string {
  return isDoubted ? ", only with doubtful runs" : "";
}

type Said = (comparison: FigureComparison, marginRatio: number) => readonly string[];

/** For each reason, the verdict in a few words and then details. A detail that is unknown is "". */
const REASONS: Readonly<Record<VerdictReason, Said>> = {
  nothing: () => ["nothing to compare"],
  "one-run": () => ["inconclusive: one run", "one run says nothing about the next"],
  silent: ({ silent }) => [`inconclusive: ${silentText(silent)}`],
  "few-runs": (comparison, marginRatio) => [
    ...standingOf(comparison) === "few-runs"
      ? [`inconclusive: too few ${sampleNoun(comparison, 2)}`]
      : ["no difference seen"],
    seenText(comparison),
    neededText(comparison, marginRatio),
  ],
  margin: likely((_, marginRatio) => [`perhaps by less than ${percentText(marginRatio)}`, ""]),
  many: likely((one) => [
    unproven(one),
    one.sliced === null
      ? `too few ${sampleNoun(one, 2)} for so many comparisons`
      : `too few ${sampleNoun(one, 2)} for so many checks and comparisons`,
  ]),
  exact: likely((one) => [unproven(one), `too few ${sampleNoun(one, 2)} for the exact test`]),
  sessions: ({ interval }, marginRatio) => {
    const most = 1 + marginRatio;
    const isWithin = interval !== null && interval.low >= 1 / most && interval.high <= most;
    return [isWithin ? "alike in these two sessions" : "differs in these two sessions"];
  },
  groups: (comparison) => [
    `inconclusive: two groups of ${sampleNoun(comparison, 2)}`,
    groupsText(comparison),
  ],
  unsteady: (comparison, marginRatio) => {
    const runs = unsteadyText(comparison.unsteady);
    return standingOf(comparison) === "unsteady"
      ? ["inconclusive: no steady state", runs, "run longer"]
      : likely(() => ["not proven: no steady state", runs])(comparison, marginRatio);
  },
  "at-least": () => [
    "inconclusive: a lower bound",
    "a capacity search ended before it reached the limit of a target",
  ],
  errors: () => ["too many wrong responses"],
  generator: () => [
    "inconclusive: the generator may have been the limit",
    "either side may be faster than measured",
  ],
  "few-slices": () => ["inconclusive: too few slices", "measure longer"],
  "dependent-slices": () => [
    "inconclusive: the ratio drifts",
    "the ratio drifts too slowly for so short a measurement",
    "measure longer",
  ],
  disturbed: ({ sliced }) => [
    "inconclusive: one side disturbs the other",
    disturbanceText(sliced?.disturbance ?? null),
  ],
  unconfirmed: ({ stages }) => [
    "inconclusive: not confirmed",
    `worse over all blocks, but not in the fresh ones alone (${
      formatRatio(stages?.fresh ?? NaN, null)
    })`,
  ],
};

/** For example `while it rests, the base uses 30 % of a core more than the other side does`. */
export function disturbanceText(disturbance: Disturbance | null): string {
  if (disturbance === null) return "";
  const { side, cores } = disturbance;
  return `while it rests, ${SIDES[side]} uses ${
    percentText(cores)
  } of a core more than the other side does`;
}

/** `4 of 5 runs of the base and 3 of 5 runs of the new side have none`. */
function unsteadyText(sides: readonly UnsteadySide[]): string {
  const runs = sides.map(({ side, count, of }) =>
    `${of === 1 ? "the only run" : `${count} of ${of} runs`} of ${SIDES[side]}`
  );
  return `${runs.join(" and ")} ${sides.length === 1 && sides[0].of === 1 ? "has" : "have"} none`;
}

const SIDES = { base: "the base", next: "the new side" } as const;

/** `4 of 5 runs served nothing`. @param of Whose runs: ` of b`. */
export function silentText(silent: SilentRuns | null, of = ""): string {
  return silent === null
    ? "runs served nothing"
    : `${silent.count} of ${counted(silent.of, "run")}${of} served nothing`;
}

/**
 * Makes verdicts such as `likely better, not proven by 3 runs`. @param doubt Why the verdict is not certain, and
 * further details.
 */
function likely(doubt: Said): Said {
  return (comparison, marginRatio) => {
    const side = standingOf(comparison) === "likely-ahead" ? "better" : "worse";
    const where = comparison.between?.kind === "unknown" ? " in these two sessions" : "";
    const [why, ...more] = doubt(comparison, marginRatio);
    return [`likely ${side}${where}, ${why}`, ...more, neededText(comparison, marginRatio)];
  };
}

function unproven(comparison: FigureComparison): string {
  return `not proven by ${samplesText(comparison)}`;
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

/** A change by a factor of ten. If only larger changes could be detected, their size is not stated. */
export const MOST_CHANGE = 9;

/** The smallest change that this many runs would have detected; "" if unknown. */
function seenText({ smallestChange }: FigureComparison): string {
  if (smallestChange === null) return "";
  return smallestChange > MOST_CHANGE
    ? "add runs"
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

// Comparisons in slices: how they are judged, what their verdict is about, and which side disturbs
// the other.

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
 * A clause that begins a sentence. @param cell Name of the cell, which is never capitalised; "" if there is only one
 * cell.
 */
export function disturbanceSentence(cell: string, disturbance: Disturbance): string {
  const who = disturbanceText(disturbance);
  return `${cell === "" ? capitalized(who) : `${cell}: ${who}`}, ` +
    `which may change the requests/s of that other side by up to ${
      percentText(disturbance.mostRatio)
    }, ` +
    "and its latencies by more";
}
