/** What became of claims, in words: one sentence for each code, made from what was found alone; without a full stop. */
import type { Verdicts } from "../../runner/result/conclusion.ts";
import type { Relation } from "../../runner/result/result.ts";
import type { Range } from "../figures/range.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import {
  CLAIM_OUTCOMES,
  type ClaimDoubt,
  type ClaimFinding,
  type ClaimFound,
  type ClaimOutcome,
  type ClaimVerdict,
  type FoundSide,
  type JudgedClaim,
} from "../judge/claims.ts";
import { formatRatio } from "../writing/ratios.ts";
import type { Absence, Allowed } from "../judge/rules.ts";
import { GLUE } from "../writing/units.ts";
import { counted, unique } from "../writing/words.ts";
import {
  absenceText,
  type Catalogue,
  reasonText,
  sentenceIn,
  type WithCode,
  withoutText,
} from "./rule_sentences.ts";

const SENTENCES: Catalogue<ClaimFound> = {
  absent: ({ absences }) => unique(absences.map(absenceText)).join("; "),
  ratio: ({ of, to, ratio, allowed }) => {
    const pair = `${firstText(of)} against ${secondText(of, to)}`;
    return ratio === null
      ? pair
      : `${pair}: ${ratioText(ratio)}, claimed ${allowedText(allowed, factorText)}`;
  },
  limit: ({ of, interval, limit, allowed }) => {
    const text = (value: number): string =>
      value === limit.value ? limit.text : valueText(value, of.unit);
    return `${of.name} is ${limitText({ of, interval })} (${of.place}), ` +
      `claimed ${allowedText(allowed, text)}`;
  },
  ratios: ({ figures: [of, to, otherOf, otherTo], ratio, allowed }) =>
    `${quotientText(of, to)} against ${quotientText(otherOf, otherTo)}: ${ratioText(ratio)}, ` +
    `claimed ${allowedText(allowed, factorText)}`,
  correlation: ({ figures, relation, limit, rho, cells, without }) =>
    `Spearman's correlation of ${figures.join(" and ")} is ${rhoText(rho)} over ${
      counted(cells, "cell")
    }, claimed ${RELATIONS[relation]} ${limit}${withoutText(without)}`,
  warmup: ({ cell, label, count, of, share }) =>
    `${count} of ${counted(of, "run")} of ${cell} ${of === 1 ? "is" : "are"} ${label}: ` +
    `${figureRangeText(share, "share")}, claimed of more than half`,
};

/** The ratio or figure with its interval; "" where there is none. */
const FOUND: Catalogue<ClaimFound> = {
  absent: () => "",
  ratio: ({ ratio }) => ratio === null ? "" : ratioText(ratio),
  limit: limitText,
  ratios: ({ ratio }) => ratioText(ratio),
  correlation: ({ rho }) => rhoText(rho),
  warmup: ({ count, of, share }) =>
    `${count} of ${counted(of, "run")}: ${figureRangeText(share, "share")}`,
};

const DOUBTS: Catalogue<ClaimDoubt> = {
  "busy-machine": reasonText,
  "fewer-cores": ({ least, cores }) =>
    `published of a machine with ${least} cores, this one has ${cores}`,
  given: ({ text, met }) =>
    `published of ${text}, which is ${met.outcome} here (${verdictSentence(met)})`,
};

/** What was found in the worst cell, with figures and units, and what leaves it open. */
export function claimSentence({ verdict, doubt }: Pick<JudgedClaim, "verdict" | "doubt">): string {
  const sentence = verdictSentence(verdict);
  return doubt === null
    ? sentence
    : `${sentenceIn(DOUBTS, doubt)}; as it is, ${verdict.outcome}: ${sentence}`;
}

function verdictSentence({ worst, measured, holding, of, unmeasured }: ClaimVerdict): string {
  const missing = unmeasuredText(unmeasured);
  if (worst === null) return missing;
  const nearest = measured === "reproduced" ? "the nearest" : "the worst";
  const found = of === 1
    ? findingSentence(worst)
    : `holds in ${holding} of ${of} cells; ${nearest}: ${findingSentence(worst)}`;
  return missing === "" ? found : `${missing}; by the other cells it is ${measured}: ${found}`;
}

function findingSentence({ found, reason }: ClaimFinding): string {
  const sentence = sentenceIn(SENTENCES, found);
  return reason === null ? sentence : `${sentence}; ${reasonText(reason)}`;
}

/** What leaves the outcome open; "" where it is decided. Part of the sentence. */
function openText({ doubt, verdict: { worst, unmeasured } }: JudgedClaim): string {
  if (doubt !== null) return sentenceIn(DOUBTS, doubt);
  if (unmeasured.length > 0) return unmeasuredText(unmeasured);
  return worst === null || worst.reason === null ? "" : reasonText(worst.reason);
}

/** `2.14× [2.01, 2.28]` in the worst cell; "" where nothing was found. */
export function claimFound({ worst }: ClaimVerdict): string {
  return worst === null ? "" : sentenceIn(FOUND, worst.found);
}

/** `7 of 9 cells`; "" for one. */
export function claimHeld({ holding, of }: ClaimVerdict): string {
  return of < 2 ? "" : `${holding} of ${of} cells`;
}

/** Enough to find the others by; a claim may be of hundreds of cells. */
const MOST_NAMED = 6;

/** `static, gin; static, flask and 3 more were not measured: left out by --only`. */
function unmeasuredText(absences: readonly Absence[]): string {
  const cells = absences.filter((one) => one.code === "cell-not-measured");
  const others = absences.filter(({ code }) => code !== "cell-not-measured").map(absenceText);
  const byReason = [...Map.groupBy(cells, ({ why }) => why)].map(([why, group]) => {
    const names = unique(group.map(({ cell }) => cell));
    const more = names.length - MOST_NAMED;
    const named = names.slice(0, MOST_NAMED).join("; ") + (more > 0 ? ` and ${more} more` : "");
    return `${named} ${names.length === 1 ? "was" : "were"} not measured: ${why}`;
  });
  return unique([...byReason, ...others]).join("; ");
}

function valueText(value: number | null, unit: FoundSide["unit"]): string {
  return figureRangeText({ value: value ?? NaN, interval: null }, unit);
}

function limitText(
  { of, interval }: Pick<WithCode<ClaimFound, "limit">, "of" | "interval">,
): string {
  return figureRangeText({ value: of.value ?? NaN, interval }, of.unit);
}

/** `rate is 3,000/s (static, fast)`, `ceiling(redis) is 4,000/s`. */
function firstText({ name, place, value, unit }: FoundSide): string {
  if (name !== "") return `${name} is ${valueText(value, unit)} (${place})`;
  return value === null ? place : `${place} is ${valueText(value, unit)}`;
}

/** `1,000/s (static, slow)`; with its figure where that is another one. */
function secondText(of: FoundSide, { name, place, value, unit }: FoundSide): string {
  if (value === null) return place;
  const figure = name === "" || name === of.name ? "" : `${name} `;
  return `${figure}${valueText(value, unit)} (${place})`;
}

function quotientText(of: FoundSide, to: FoundSide): string {
  const second = of.name === to.name ? "" : `${to.name} `;
  const value = formatRatio((of.value ?? NaN) / (to.value ?? NaN), null);
  return `${of.name} is ${value} (${of.place} over ${second}${to.place})`;
}

function ratioText({ value, interval }: Range): string {
  return formatRatio(value, interval);
}

/** `2×`, as people write it. */
export function factorText(limit: number): string {
  return `${Number(limit.toPrecision(4))}×`;
}

/** `more than 2×`, `from 0.95× to 1.05×`. @param text Of a limit. */
function allowedText({ low, high, isClosed }: Allowed, text: (limit: number) => string): string {
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

function rhoText({ value, interval }: Range): string {
  const text = (one: number): string => one.toFixed(2).replace("-", "−");
  return interval === null
    ? text(value)
    : `${text(value)} [${text(interval.low)}, ${text(interval.high)}]`;
}

// Judged claims as lines of text, counted in a sentence, and for scripts.

export const CLAIM_MARKS: Readonly<Record<ClaimOutcome, string>> = {
  reproduced: "✓",
  "not reproduced": "✗",
  inconclusive: "?",
};

/** `✗ rate(a) > 2 × rate(b): not reproduced: rate is …`. */
export function claimLine(judged: JudgedClaim): string {
  const { claim: { text, source = "", note = "" }, outcome } = judged;
  return `${CLAIM_MARKS[outcome]} ${text}${source && ` (${source})`}: ${outcome}: ${
    claimSentence(judged)
  }${note && `; note: ${note}`}`;
}

/** `✓ 13 reproduced`, `? 5 inconclusive (2 not decidable here)`. @param claims Of one outcome, at least one. */
export function claimGroupText(claims: readonly JudgedClaim[]): string {
  const [{ outcome }] = claims;
  return `${CLAIM_MARKS[outcome]}${GLUE}${claims.length} ${outcome}${outOfReachText(claims)}`;
}

function outOfReachText(claims: readonly JudgedClaim[]): string {
  const count = claims.filter(({ isDecidable }) => !isDecidable).length;
  return count === 0 ? "" : ` (${count} not decidable here)`;
}

/** `5 of 9 claims reproduced, 1 not, 3 inconclusive (2 not decidable here)`; "" without claims. */
export function claimsSummary(claims: readonly JudgedClaim[]): string {
  if (claims.length === 0) return "";
  const [not, unsure, reproduced] = CLAIM_OUTCOMES.map((outcome) =>
    claims.filter((claim) => claim.outcome === outcome).length
  );
  return [
    `${reproduced} of ${counted(claims.length, "claim")} reproduced`,
    ...(not > 0 ? [`${not} not`] : []),
    ...(unsure > 0 ? [`${unsure} inconclusive${outOfReachText(claims)}`] : []),
  ].join(", ");
}

/** For results.json: with plain spaces. */
export function verdictsJson(claims: readonly JudgedClaim[]): Verdicts {
  const plain = (text: string): string => text.replaceAll(GLUE, " ");
  return claims.map((judged) => {
    const { claim: { text, source = "", note = "" }, outcome, verdict, isDecidable } = judged;
    return {
      claim: text,
      source,
      note,
      ...(isDecidable ? {} : { isDecidable }),
      outcome,
      found: plain(claimFound(verdict)),
      held: plain(claimHeld(verdict)),
      sentence: plain(claimSentence(judged)),
      doubt: plain(openText(judged)),
    };
  });
}
