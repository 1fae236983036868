/** The sentences of claims: one for each code, made from its evidence, doubt and advice alone. */
import type { FigureSide, Relation } from "../../../runner/result/result.ts";
import { formatRatio } from "../../writing/ratios.ts";
import { formatNumber, formatShare } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import type {
  AbsenceEvidence,
  Allowed,
  ClaimAbsence,
  ClaimAdvice,
  ClaimDoubt,
  ClaimEvidence,
  ClaimFinding,
  ClaimOutcome,
  CorrelatedCells,
  DoubtEvidence,
  FoundConstant,
  FoundFigure,
  HeldRatio,
} from "./finding.ts";
import { figureRangeText } from "../../writing/figure_text.ts";

/** By code, a text of its evidence. @param why Goes on after the figures; "" where they decide. */
type Texts<Evidence> = {
  readonly [Code in keyof Evidence]: (evidence: Evidence[Code], why: string) => string;
};

const SENTENCES: Texts<ClaimEvidence> = {
  absent: ({ absences }) => unique(absences.map(absenceText)).join("; "),
  ratio: (evidence, why) => `${pairText(evidence)}: ${heldText(evidence)}${why}`,
  "both-zero": (evidence, why) => `${pairText(evidence)}${why}`,
  "peak-ratio": (evidence, why) => `${peakText(evidence)}: ${heldText(evidence)}${why}`,
  "peak-zero": peakText,
  limit: (evidence, why) => {
    const { of, unit, limit, allowed } = evidence;
    const text = (value: number): string =>
      value === limit.value ? limit.text : valueText(value, unit);
    return `${of.name} is ${limitedText(evidence)} (${of.cell}), ` +
      `claimed ${allowedText(allowed, text)}${why}`;
  },
  constants: (evidence, why) =>
    `${evidence.sides.map(constantText).join(", ")}: ${heldText(evidence)}${why}`,
  ratios: (evidence, why) => {
    const [of, to, otherOf, otherTo] = evidence.figures;
    return `${quotientText(of, to)} against ${quotientText(otherOf, otherTo)}: ` +
      `${heldText(evidence)}${why}`;
  },
  correlation: (evidence, why) => {
    const { figures, relation, limit, cells } = evidence;
    return `Spearman's correlation of ${figures.join(" and ")} is ${coefficientText(evidence)} ` +
      `over ${counted(cells, "cell")}, claimed ${RELATIONS[relation]} ${limit}${why}` +
      withoutText(evidence);
  },
  warmup: (evidence, why) => {
    const { cell, label, of } = evidence;
    return `${runsText(evidence)} of ${cell} ${of === 1 ? "is" : "are"} ${label}: ` +
      `${shareText(evidence)}, claimed of more than half${why}`;
  },
};

/** The ratio or figure with its interval; "" where there is none. */
const FOUND: Texts<ClaimEvidence> = {
  absent: () => "",
  ratio: ratioText,
  "both-zero": () => "",
  "peak-ratio": ratioText,
  "peak-zero": () => "",
  limit: limitedText,
  constants: ratioText,
  ratios: ratioText,
  correlation: coefficientText,
  warmup: (evidence) => `${runsText(evidence)}: ${shareText(evidence)}`,
};

const ABSENCES: Texts<AbsenceEvidence> = {
  "cell-not-measured": ({ cell, reason }) => `${cell} was not measured: ${reason}`,
  "no-figure": ({ cell, figure, reason }) => `${cell} has no ${figure}: ${reason}`,
  "wrong-selector": ({ problem }) => problem,
  "nothing-measured": () => "nothing was measured",
  "none-selected": ({ selector }) => `no cell of ${selector} was measured`,
  "no-pair": ({ left, right }) => `no cell of ${left} has its like in ${right}`,
  "no-four": () => "no cells of the two ratios go together",
  "figure-zero": () => "one of the figures is 0",
  "constant-not-measured": ({ name }) => `${name} was not measured`,
  "load-changes": ({ cell }) => `${cell} has a load that itself changes`,
  "runs-too-short": ({ cell }) => `the runs of ${cell} were too short to detect a warm-up`,
  "no-order": (evidence) =>
    `${evidence.figures.join(" and ")} have no order over ${counted(evidence.cells, "cell")}` +
    withoutText(evidence),
};

const DOUBTS: Texts<DoubtEvidence> = {
  "one-run": () => "one run: no interval",
  "one-run-each": () => "one run each: no interval",
  "one-run-of": ({ cell }) => `one run of ${cell}: no interval`,
  "one-run-with-figure": () => "one run has the figure: no interval",
  "requests-open": ({ cell }) =>
    `requests of ${cell} that timed out, were unfinished or were never sent would decide it`,
  "settling-open": ({ cell }) => `a run of ${cell} ended before it had surely settled`,
  "wrong-responses": ({ cell, wrongRatio }) =>
    `${formatShare(wrongRatio)} of the requests of ${cell} were wrong or failed, ` +
    "and a fast error is no success",
  "measured-once": ({ name }) => `${name} was measured once: no interval`,
  "at-least": ({ name }) => `${name} is known to be at least that, and may be more`,
  "across-limit": () => "the interval lies across the limit",
  "across-limit-of-cells": () => "the interval over the cells lies across the limit",
  "few-cells": ({ least }) => `fewer than ${least} cells: no interval`,
  "few-runs": () => "inconclusive: too few runs",
};

const ADVICE_TEXTS: Readonly<Record<ClaimAdvice, string>> = {
  "more-runs": "more runs would decide",
  "more-cells": "more cells would decide",
};

/** What was found, with figures and units; without a full stop. */
export function claimSentence(finding: ClaimFinding): string {
  const why = openSentence(finding);
  return textOf(SENTENCES, finding, why === "" ? "" : `; ${why}`);
}

/** Why figures decide nothing; "" where they do, and where there are none. */
export function openSentence({ doubt }: ClaimFinding): string {
  return doubt === null ? "" : doubtText(doubt);
}

/** `2.14× [2.01, 2.28]`; "" where nothing was found. */
export function foundText(finding: ClaimFinding): string {
  return textOf(FOUND, finding);
}

export function absenceText(absence: ClaimAbsence): string {
  return textOf(ABSENCES, absence);
}

export function doubtText(doubt: ClaimDoubt): string {
  const advice = doubt.advice.map((code) => `, ${ADVICE_TEXTS[code]}`).join("");
  return `${textOf(DOUBTS, doubt)}${advice}`;
}

/** Ties the text to its own evidence: a union of both could not be called. */
function textOf<Evidence, Code extends keyof Evidence>(
  texts: Texts<Evidence>,
  { code, evidence }: { readonly code: Code; readonly evidence: Evidence[Code] },
  why = "",
): string {
  return texts[code](evidence, why);
}

/** Enough to find the others by; a claim may be of hundreds of cells. */
const MOST_NAMED = 6;

/** `static, gin; static, flask and 3 more were not measured: left out by --only`. */
export function unmeasuredSentence(absences: readonly ClaimAbsence[]): string {
  const cells = absences.flatMap((one) => one.code === "cell-not-measured" ? [one.evidence] : []);
  const others = absences.filter(({ code }) => code !== "cell-not-measured").map(absenceText);
  const byReason = [...Map.groupBy(cells, ({ reason }) => reason)].map(([reason, group]) => {
    const names = unique(group.map(({ cell }) => cell));
    const more = names.length - MOST_NAMED;
    const named = names.slice(0, MOST_NAMED).join("; ") + (more > 0 ? ` and ${more} more` : "");
    return `${named} ${names.length === 1 ? "was" : "were"} not measured: ${reason}`;
  });
  return unique([...byReason, ...others]).join("; ");
}

export function givenCoresSentence(least: number, cores: number): string {
  return `published of a machine with ${least} cores, this one has ${cores}`;
}

/** @param met What became of the condition. */
export function givenSentence(
  text: string,
  { outcome, sentence }: { readonly outcome: ClaimOutcome; readonly sentence: string },
): string {
  return `published of ${text}, which is ${outcome} here (${sentence})`;
}

/** What invalid runs do to an outcome. @param invalid Of the runs that the claim rests on. */
export function invalidRunsSentence(
  { invalid, runs, without }: { invalid: number; runs: number; without: ClaimOutcome },
): string {
  const verb = invalid === 1 ? "is" : "are";
  return `${invalid} of ${counted(runs, "run")} behind it ${verb} not valid, and without ` +
    `${invalid === 1 ? "it" : "them"} it is ${without}`;
}

function pairText({ of, to, unit }: ClaimEvidence["both-zero"]): string {
  const second = of.name === to.name ? "" : `${to.name} `;
  return `${of.name} is ${valueText(of.value, unit)} (${of.cell}) against ` +
    `${second}${valueText(to.value, unit)} (${to.cell})`;
}

function peakText({ of, peak }: ClaimEvidence["peak-zero"]): string {
  return `${of.name} is ${valueText(of.value, "perSec")} (${of.cell}) against ` +
    `${valueText(peak.value, "perSec")} (${peak.name})`;
}

function valueText(value: number, unit: FigureSide["unit"]): string {
  return figureRangeText({ value, interval: null }, unit);
}

function limitedText({ of, interval, unit }: ClaimEvidence["limit"]): string {
  return figureRangeText({ value: of.value, interval }, unit);
}

function constantText({ name, value }: FoundConstant): string {
  return value === null ? name : `${name} is ${formatNumber(value)}/s`;
}

function quotientText(of: FoundFigure, to: FoundFigure): string {
  const second = of.name === to.name ? "" : `${to.name} `;
  const value = formatRatio(of.value / to.value, null);
  return `${of.name} is ${value} (${of.cell} over ${second}${to.cell})`;
}

function ratioText({ ratio }: Pick<HeldRatio, "ratio">): string {
  return formatRatio(ratio.value, ratio.interval);
}

function heldText({ ratio, allowed }: HeldRatio): string {
  return `${ratioText({ ratio })}, claimed ${allowedText(allowed, factorText)}`;
}

/** `2×`, as people write it. */
export function factorText(limit: number): string {
  return `${Number(limit.toPrecision(4))}×`;
}

/** `more than 2×`, `from 0.95× to 1.05×`. @param text Of a limit. */
function allowedText(
  { low, high, isClosed }: Allowed,
  text: (limit: number) => string,
): string {
  if (high === Infinity) return `${isClosed ? "at least" : "more than"} ${text(low)}`;
  if (low <= 0) return `${isClosed ? "at most" : "less than"} ${text(high)}`;
  return `from ${text(low)} to ${text(high)}`;
}

const RELATIONS: Readonly<Record<Relation, string>> = {
  ">": "above",
  ">=": "at least",
  "<": "below",
  "<=": "at most",
};

function coefficientText({ rho, interval }: ClaimEvidence["correlation"]): string {
  const text = (value: number): string => value.toFixed(2).replace("-", "−");
  return interval === null
    ? text(rho)
    : `${text(rho)} [${text(interval.low)}, ${text(interval.high)}]`;
}

function withoutText({ without }: CorrelatedCells): string {
  return without === 0 ? "" : `; ${counted(without, "cell")} without both figures`;
}

function runsText({ count, of }: ClaimEvidence["warmup"]): string {
  return `${count} of ${counted(of, "run")}`;
}

function shareText({ share }: ClaimEvidence["warmup"]): string {
  return figureRangeText(share, "share");
}
