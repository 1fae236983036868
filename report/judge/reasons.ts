/**
 * The results of rules (claims and thresholds), and the reasons why they may be inconclusive. Each has a code for
 * programs, its evidence, and one sentence without a full stop.
 */
import type { FigureUnit } from "../../base/figures/figure.ts";
import type { WarmupClaim } from "../../runner/result/result.ts";
import { LEAST_A_SIDE, LEAST_FREEDOM } from "../../runner/stats/comparison/sessions.ts";
import type { RunCluster, TwoGroups } from "../../runner/stats/comparison/bimodality.ts";
import { noSteadyStateText, type Unsteady } from "../cells/cells.ts";
import type { Range } from "../figures/range.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import { formatRatio } from "../writing/ratios.ts";
import {
  boundText,
  formatCount,
  formatDuration,
  formatNumber,
  formatShare,
  GLUE,
} from "../writing/units.ts";
import { counted, type EvidenceOf, unique, wordsOf } from "../writing/words.ts";

export type Outcome = "held" | "broken" | "inconclusive";

/** The range of values that a rule allows. */
export interface Allowed {
  /** -Infinity if there is no lower limit. */
  readonly low: number;
  /** Infinity if there is no upper limit. */
  readonly high: number;
  /** Whether the limits themselves are allowed. */
  readonly isClosed: boolean;
}

/** One of the codes in a table of sentences, with the evidence that its sentence needs. */
type Coded<Sentences> = {
  readonly [Code in keyof Sentences]: { readonly code: Code } & EvidenceOf<Sentences>[Code];
}[keyof Sentences];

// Why a rule is inconclusive.

/** Runs, or ratios, that fall into two groups. */
export interface RunGroups {
  /** What falls into the two groups: the runs of a side, or the ratios of pairs. */
  readonly of: "base" | "next" | "ratios";
  /** The two groups, the larger first. */
  readonly clusters: TwoGroups;
  /**
   * The runs that count from beginning to end because they have no steady part; null if the groups differ only in the
   * figure.
   */
  readonly unsettled: RunCluster | null;
}

/** How to make results of different sessions comparable. */
export const SESSIONS_ADVICE =
  `measure both sides in one experiment, or ${LEAST_A_SIDE} sessions of each, preferably in alternation, or add ${
    LEAST_FREEDOM + 1
  } earlier sessions with --sessions`;

/** `cell` is "" if the cell is named elsewhere. */
interface OfCell {
  cell: string;
}

/** Reasons that more or longer runs would remove. */
const WITH_MORE = {
  "one-run": () => "one run: no interval",
  "one-run-each": () => "one run each: no interval",
  "one-run-of": ({ cell }: OfCell) => `one run of ${cell}: no interval`,
  "one-run-with-figure": () => "only one run has the figure, so there is no interval",
  "one-run-a-side": () => "one run says nothing about the next: measure 5 or more runs a side",
  "across-limit": ({ more }: { more: "runs" | "cells" | null }) =>
    `the interval${more === "cells" ? " over the cells" : ""} spans the limit${
      more === null ? "" : `, more ${more} would decide`
    }`,
  "few-runs": () => "inconclusive: too few runs",
  unsteady: ({ unsteady }: { unsteady: Unsteady }) => `${noSteadyStateText(unsteady)}: run longer`,
  /** `seconds`: how long a single run must last to show its level. */
  wanders: ({ seconds }: { seconds: number }) =>
    `the run is too short to show the level around which it varies: a run of about ${
      formatDuration(seconds)
    } would suffice`,
  "few-rounds": () =>
    "there are too few rounds to show how successive rounds depend on each other: measure for longer",
  /** `seconds`: how long each of two running servers would have to be measured; null if that is impractically long. */
  "longer": ({ seconds }: { seconds: number | null }) =>
    seconds === null
      ? "the figure lies so close to the limit that measuring for longer would not decide"
      : `measuring each server for about ${formatDuration(seconds)} would decide`,
  /** `runs`: number of runs that would decide; null if it is impractically large. */
  "more-runs": ({ runs, isEachSide }: { runs: number | null; isEachSide: boolean }) =>
    runs === null
      ? "the figure lies so close to the limit that 1,000 runs would not decide"
      : `about ${formatCount(runs)} runs ${isEachSide ? "a side " : ""}would decide`,
  /**
   * `seconds`: length of a single run with that many requests; null if there are several runs. `like`: the assumption
   * about these requests; null if none is stated.
   */
  "more-requests": ({ requests, seconds, like }: {
    requests: number;
    seconds: number | null;
    like: "without a failure" | "like these" | null;
  }) =>
    requests > MOST_REQUESTS
      ? "the figure lies on the limit, where no number of requests would decide"
      : `about ${formatCount(roundedUp(requests))} requests ${like === null ? "" : `${like} `}${
        seconds === null ? "" : `(${formatDuration(seconds)}) `
      }would decide`,
  /** `sessions`: number of sessions of each side that would decide; null if it is impractically large. */
  "more-sessions": ({ sessions }: { sessions: number | null }) =>
    sessions === null
      ? "the figure lies so close to the limit that 100 sessions a side would not decide"
      : `about ${formatCount(sessions)} sessions a side would decide`,
  /** `clusters`: number of clusters that the single run would have at the limit. */
  "few-clusters": (
    { clusters, needed, seconds }: { clusters: number; needed: number; seconds: number },
  ) =>
    `the run is long enough for only about ${
      Number(clusters.toPrecision(1))
    } of the ${needed} clusters of ` +
    `slow or failed requests that a decision needs: a run of about ${
      formatDuration(seconds)
    } would suffice`,
  "short-run": ({ seconds }: { seconds: number }) =>
    "the run is too short to show how its requests depend on each other: run for at least " +
    formatDuration(seconds),
};

/** Reasons that more or longer runs would not remove, or whose own sentence says what is needed. */
const OTHERWISE = {
  "few-requests": (
    { percentile, needed, count }: { percentile: number; needed: number; count: number },
  ) =>
    `p${percentile} needs ${formatCount(needed)} requests, but only ${
      formatCount(count)
    } were measured`,
  "no-interval": () => "the figure has no interval over the runs: compare another figure",
  "no-ratio": () => "both figures are 0, so they have no ratio",
  "few-cells": ({ least }: { least: number }) => `fewer than ${least} cells: no interval`,
  "measured-once": ({ name }: { name: string }) => `${name} was measured once: no interval`,
  "at-least": ({ name }: { name: string }) =>
    `${name} is a lower bound, so its true value may be higher`,
  "settling-open": ({ cell }: OfCell) =>
    `it is not certain that a run${ofCell(cell)} had settled before it ended`,
  /** `count`: number of requests that timed out, did not finish or were never sent. */
  "requests-open": ({ cell, count }: OfCell & { count: number }) =>
    `${counted(count, "request")}${
      ofCell(cell)
    } had no response in time, so the true figure may be higher`,
  "wrong-responses": ({ cell, wrongRatio }: OfCell & { wrongRatio: number }) =>
    `${formatShare(wrongRatio)} of the requests of ${cell} were wrong or failed, ` +
    "and a fast error is not a success",
  /** `invalid`: how many of the `runs` behind the rule are not valid. `without`: the outcome without these runs. */
  "busy-machine": (
    { invalid, runs, without }: { invalid: number; runs: number; without: Outcome },
  ) =>
    invalid === runs
      ? runs === 1
        ? "the run behind the figure is not valid"
        : `none of the ${runs} runs behind the figure is valid`
      : invalid === 1
      ? `1 of ${runs} runs behind the figure is not valid, and without that run ${WITHOUT[without]}`
      : `${invalid} of ${runs} runs behind the figure are not valid, and without these runs ${
        WITHOUT[without]
      }`,
  "busy-failures": ({ cell }: OfCell) =>
    `the generator or the machine may have caused the failures of ${cell}`,
  /** `invalid`: how many of the `runs` made after a peak throughput are not valid. */
  "busy-peak": ({ name, invalid, runs }: { name: string; invalid: number; runs: number }) =>
    `${invalid} of ${
      counted(runs, "run")
    } after ${name} are not valid, so it was measured on a busy machine`,
  "rounds-differ": ({ name, low, high }: { name: string; low: number; high: number }) =>
    `${name} was ${formatNumber(low)}/s in one round and ${
      formatNumber(high)
    }/s in another, so other programs disturbed it`,
  groups: (
    { groups: { of, clusters, unsettled }, unit }: { groups: RunGroups; unit: FigureUnit },
  ) => {
    const near = clusters.map(({ count, value }) => {
      const never = value === unsettled?.value ? " without a steady state" : "";
      return `${count}${never} near ${
        of === "ratios" ? formatRatio(value, null) : valueText(value, unit)
      }`;
    });
    return `${of === "ratios" ? "ratios of runs" : "runs"} fall into two groups: ${
      near.join(", ")
    }`;
  },
  disturbed: ({ side, cores }: { side: "base" | "next"; cores: number }) =>
    `${side === "base" ? "the base" : "the new side"} uses ${
      formatShare(cores)
    } of a core more than the other while it rests, which may slow the other`,
  "session-groups": ({ groups }: { groups: TwoGroups }) => {
    const near = groups.map(({ count, value }) => `${count} near ${formatRatio(value, null)}`);
    return `sessions fall into two groups, ${
      near.join(" and ")
    } their mean: measure both sides in one experiment`;
  },
  /** `within`: the outcome if only these two sessions are considered. */
  "other-session": ({ within }: { within: Outcome }) =>
    `${
      WITHIN_SESSIONS[within]
    } in these two sessions, but how much results differ between sessions on this machine ` +
    `is unknown: ${SESSIONS_ADVICE}`,
};

const REASONS = { ...WITH_MORE, ...OTHERWISE };

/**
 * The rule fails when tested alone, but not with certainty among so many tests. `remedy`: what would decide it; null if
 * unknown.
 */
interface Family {
  readonly code: "family";
  readonly tests: number;
  readonly remedy: Reason | null;
}

/**
 * None of the runs behind the rule is valid, so more or longer runs decide only once the disturbance is over. `remedy`:
 * what would then decide.
 */
interface NotValid {
  readonly code: "not-valid";
  readonly runs: number;
  readonly remedy: Reason;
}

export type Reason = Coded<typeof REASONS> | Family | NotValid;

/** Whether more or longer runs would remove the reason. */
export function asksForMore(reason: Reason): boolean {
  return reason.code === "family"
    ? reason.remedy !== null && asksForMore(reason.remedy)
    : Object.hasOwn(WITH_MORE, reason.code);
}

export function reasonText(reason: Reason): string {
  if (reason.code === "not-valid") {
    const what = reason.runs === 1
      ? "the run, because it is not valid"
      : "the runs, none of which is valid";
    return `${reasonText(reason.remedy)}, but first remove what disturbs ${what}`;
  }
  if (reason.code !== "family") return wordsOf(REASONS, reason.code, reason);
  const { tests, remedy } = reason;
  const among = `the condition fails when judged alone, but not after correction for ${
    counted(tests, "test")
  }`;
  return remedy === null ? among : `${among}; ${reasonText(remedy)}`;
}

const WITHIN_SESSIONS: Readonly<Record<Outcome, string>> = {
  held: "no worse",
  broken: "worse",
  inconclusive: "undecided",
};

const WITHOUT: Readonly<Record<Outcome, string>> = {
  held: "the condition holds",
  broken: "the condition does not hold",
  inconclusive: "the condition is undecided",
};

/** With more requests than this, the advice is that no number of requests would decide. */
const MOST_REQUESTS = 1e9;

/** Rounds up to three significant digits, because the estimate is no more exact. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 2);
  return Math.ceil(count / step) * step;
}

function ofCell(cell: string): string {
  return cell === "" ? "" : ` of ${cell}`;
}

// Why there is no value to compare with a rule.

const ABSENCES = {
  "cell-not-measured": ({ cell, why }: OfCell & { why: string }) =>
    `${cell} was not measured: ${why}`,
  "no-figure": ({ cell, figure, why }: OfCell & { figure: string; why: string }) =>
    `${cell} has no ${figure}: ${why}`,
  "nothing-to-judge": ({ why }: { why: string }) => `nothing to judge: ${why}`,
  "no-baseline": ({ why }: { why: string }) => `nothing to compare with: ${why}`,
  /** `problem`: why the selector is invalid, such as an unknown name, as worded by the parser of selectors. */
  "wrong-selector": ({ problem }: { problem: string }) => problem,
  "nothing-measured": () => "nothing was measured",
  "none-selected": ({ selector }: { selector: string }) => `no cell of ${selector} was measured`,
  "no-pair": ({ left, right }: { left: string; right: string }) =>
    `no cell of ${left} has a counterpart in ${right}`,
  "no-four": () => "the two ratios have no cells in common",
  "figure-zero": () => "one of the figures is 0",
  "peak-not-measured": ({ name }: { name: string }) => `${name} was not measured`,
  "load-changes": ({ cell }: OfCell) => `the load of ${cell} itself changes during a run`,
  "runs-too-short": ({ cell }: OfCell) => `the runs of ${cell} were too short to detect a warm-up`,
  "no-order": (
    { figures, cells, without }: { figures: readonly string[]; cells: number; without: number },
  ) =>
    `Spearman's correlation of ${figures.join(" and ")} has no value: over ` +
    `${counted(cells, "cell")}, at least one of the two figures does not vary${
      withoutText(without)
    }`,
};

export type Absence = Coded<typeof ABSENCES>;

/** States that there is no value to compare with the rule, and the reasons. */
export interface Absent {
  readonly none: readonly Absence[];
}

export function absenceText(absence: Absence): string {
  return wordsOf(ABSENCES, absence.code, absence);
}

/** A note on how many cells lack one or both of the figures; "" if none does. */
function withoutText(without: number): string {
  return without === 0 ? "" : `; left out: ${counted(without, "cell")} with a figure missing`;
}

// What was found in one cell, or in all cells that a rule combines.

/** One side of a finding: a figure of a cell, a peak throughput, or a quantity. */
export interface FoundSide {
  /** Name of the figure, or `max of a run` and the like; "" for a peak or a quantity. */
  readonly name: string;
  /**
   * Examples: `static, hono`; `ceiling(redis)`; a quantity as written in the rule. "" if the place is named elsewhere.
   */
  readonly place: string;
  /** Null for a quantity. */
  readonly value: number | null;
  readonly unit: FigureUnit;
  readonly isAtLeast: boolean;
}

interface Ruled {
  allowed: Allowed;
  /** The word before the limits in the sentence: "allowed at most 1.05×" for thresholds, otherwise "claimed more than 2×". */
  verb?: "allowed";
}

/** The words for each kind of finding: a sentence, and a brief form with only the ratio or figure and its interval. */
const FOUND = {
  /** `absences`: why nothing was found. Two sides may have the same reason, so duplicates are removed. */
  absent: ({ absences }: { absences: readonly Absence[] }) => ({
    brief: "",
    text: unique(absences.map(absenceText)).join("; "),
  }),
  /**
   * `limit`: its text as written and its value in the figure's unit; null if the rule is displayed next to the finding.
   */
  value: ({ of, interval, limit }: {
    of: FoundSide;
    interval: Range["interval"];
    limit: Ruled & { value: number; text: string } | null;
  }) => {
    const { name, place, value, unit, isAtLeast } = of;
    const brief = figureRangeText({ value: value ?? NaN, interval }, unit);
    const claimed = limit === null
      ? ""
      : `, ${
        allowedText(limit, (value) => value === limit.value ? limit.text : valueText(value, unit))
      }`;
    return { brief, text: `${name} is ${boundText(brief, isAtLeast)}${inPlace(place)}${claimed}` };
  },
  /** `share`: from 0 to 1. */
  share: ({ name, share: { value, interval } }: { name: string; share: Range }) => {
    const end = value === 0 ? interval?.high : value === 1 ? interval?.low : value;
    const decimals = decimalsOf(end ?? value);
    const ends = interval === null
      ? ""
      : ` [${[interval.low, interval.high].map((one) => shareText(one, decimals)).join(", ")}]`;
    const brief = `${shareText(value, decimals)}${ends}`;
    return { brief, text: `${name} is ${brief}` };
  },
  /**
   * `ratio`: null if it does not exist, as for two figures of 0, or if a threshold can't be judged because the ratio
   * has no interval.
   */
  ratio: ({ of, to, ratio, ...rule }: Ruled & {
    of: FoundSide;
    to: FoundSide;
    ratio: Range | null;
  }) => {
    const pair = `${firstText(of)} against ${secondText(of, to)}`;
    if (ratio === null) return { brief: "", text: pair };
    const brief = formatRatio(ratio.value, ratio.interval);
    return { brief, text: `${pair}: ${brief}, ${allowedText(rule, factorText)}` };
  },
  /** `figures`: the ratio of the first two is compared with the ratio of the last two. */
  ratios: ({ figures: [of, to, otherOf, otherTo], ratio, ...rule }: Ruled & {
    figures: readonly FoundSide[];
    ratio: Range;
  }) => {
    const brief = formatRatio(ratio.value, ratio.interval);
    const pair = `${quotientText(of, to)} against ${quotientText(otherOf, otherTo)}`;
    return { brief, text: `${pair}: ${brief}, ${allowedText(rule, factorText)}` };
  },
  /**
   * `rho`: Spearman's correlation, from −1 to 1, over the cells that have both figures. `without`: number of cells that
   * lack one.
   */
  correlation: ({ figures, rho, cells, without, ...rule }:
    & Ruled
    & { figures: readonly string[]; rho: Range; cells: number; without: number }) => ({
      brief: rhoText(rho),
      text: `Spearman's correlation of ${figures.join(" and ")} is ${rhoText(rho)} over ${
        counted(cells, "cell")
      }, ${allowedText(rule, String)}${withoutText(without)}`,
    }),
  /** `share`: `count` ÷ `of`, the share of runs with the label, from 0 to 1. */
  warmup: ({ cell, label, count, of, share }: OfCell & {
    label: WarmupClaim["label"];
    count: number;
    of: number;
    share: Range;
  }) => {
    const [runs, part] = [counted(of, "run"), figureRangeText(share, "share")];
    const are = `${of === 1 ? "is" : "are"} ${label}`;
    return {
      brief: `${count} of ${runs}: ${part}`,
      text: `${count} of ${runs} of ${cell} ${are} (${part}); the claim requires more than half`,
    };
  },
};

export type Found = Coded<typeof FOUND>;

export function foundWords(found: Found): { readonly brief: string; readonly text: string } {
  return wordsOf(FOUND, found.code, found);
}

function valueText(value: number | null, unit: FigureUnit): string {
  return figureRangeText({ value: value ?? NaN, interval: null }, unit);
}

function inPlace(place: string): string {
  return place === "" ? "" : ` (${place})`;
}

/** Examples: `rate is 3,000/s (static, fast)`, `ceiling(redis) is 4,000/s`. */
function firstText({ name, place, value, unit, isAtLeast }: FoundSide): string {
  if (value === null) return place;
  const text = boundText(valueText(value, unit), isAtLeast);
  return name === "" ? `${place} is ${text}` : `${name} is ${text}${inPlace(place)}`;
}

/** Example: `1,000/s (static, slow)`. The figure is named only if it differs from that of the first side. */
function secondText(of: FoundSide, { name, place, value, unit, isAtLeast }: FoundSide): string {
  if (value === null) return place;
  const figure = name === "" || name === of.name ? "" : `${name} `;
  return `${figure}${boundText(valueText(value, unit), isAtLeast)}${inPlace(place)}`;
}

function quotientText(of: FoundSide, to: FoundSide): string {
  const second = of.name === to.name ? "" : `${to.name} `;
  const value = formatRatio((of.value ?? NaN) / (to.value ?? NaN), null);
  return `${of.name} is ${value} (${of.place} over ${second}${to.place})`;
}

/** Example: `2×`. */
function factorText(limit: number): string {
  return `${Number(limit.toPrecision(4))}×`;
}

/**
 * Examples: `claimed more than 2×`, `allowed from 0.95× to 1.05×`.
 * @param text Formats a limit.
 */
function allowedText(
  { allowed: { low, high, isClosed }, verb: own }: Ruled,
  text: (limit: number) => string,
): string {
  const verb = own ?? "claimed";
  if (high === Infinity) return `${verb} ${isClosed ? "at least" : "more than"} ${text(low)}`;
  if (low <= 0) return `${verb} ${isClosed ? "at most" : "less than"} ${text(high)}`;
  return `${verb} from ${text(low)} to ${text(high)}`;
}

function rhoText({ value, interval }: Range): string {
  const text = (one: number): string => one.toFixed(2).replace("-", "−");
  const ends = interval === null ? "" : ` [${text(interval.low)}, ${text(interval.high)}]`;
  return `${text(value)}${ends}`;
}

/**
 * Number of decimals that show two digits of the rarer outcome, because 99.96 % and 99.92 % are far apart at a limit of
 * 99.95 %.
 */
function decimalsOf(share: number): number {
  const rarer = Number((100 * Math.min(share, 1 - share)).toPrecision(6));
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(rarer))));
}

function shareText(share: number, decimals: number): string {
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : decimals)}${GLUE}%`;
}
