/** The sentences of verdicts, one for each code, made from its evidence alone. */
import { formatNumber } from "../writing/units.ts";
import { capitalized, listed } from "../writing/words.ts";
import { variableName } from "../cells/factors.ts";
import { shortfallText } from "./shortfall.ts";
import type { ScenarioVerdict, VerdictCode, VerdictEvidence, VerdictOf } from "./verdict.ts";
import type { ScenarioSummary } from "./summary.ts";

type VerdictTexts = {
  readonly [Code in VerdictCode]: (evidence: VerdictEvidence[Code]) => string;
};

const FEW_RUNS = "(inconclusive: too few runs)";

/** Each without its full stop. */
const VERDICT_TEXTS: VerdictTexts = {
  "no-right-response": () => "No target responded correctly",
  incomparable: () => "No two targets responded correctly at equal values of the factors",
  alone: aloneText,
  undecided: ({ text }) => text,
  "only-keeps-up": onlyText,
  "none-keeps-up": ({ target, offered, rate, isAhead }) =>
    `No target keeps up with ${formatNumber(offered)} requests/s: ${target} serves ${
      isAhead ? "the most, " : ""
    }${formatNumber(rate)}`,
  fastest: fastestText,
  "fastest-in-one-run": ({ target }) => `${target} was fastest in one run each`,
  "fastest-in-few-runs": ({ target }) => `${target} was fastest ${FEW_RUNS}`,
  "depends-on-factors": ({ factors, hasInterval }) => {
    const those = factors.map((name) => variableName(name, "the "));
    return `Which ${hasInterval ? "is" : "was"} fastest depends on ${those.join(" and ")}`;
  },
  "undecided-at-every-setting": ({ factors, targets, isEquivalent }) =>
    isEquivalent
      ? `${listed(targets, "and")} are about as fast ${everywhereText({ factors })}`
      : `No target is fastest for certain at any ${factorsText(factors)}`,
  "fastest-at-every-setting": (evidence) => `${fastestText(evidence)} ${everywhereText(evidence)}`,
  "fastest-in-few-runs-at-every-setting": (evidence) =>
    `${evidence.target} was fastest ${everywhereText(evidence)} ${FEW_RUNS}`,
  span: (evidence) => `${evidence.target} is ${endsText(evidence)}`,
  "inconclusive-span": (evidence) => `${evidence.target} was ${endsText(evidence)} (inconclusive)`,
  "span-in-few-runs": (evidence) => `${evidence.target} was ${endsText(evidence)} ${FEW_RUNS}`,
  "same-at-every-setting": (evidence) =>
    `${evidence.target} is about as fast ${everywhereText(evidence)}`,
};

/** Without its full stop. */
export function verdictSentence(verdict: ScenarioVerdict): string {
  return textOf(verdict.code, verdict);
}

/** Ties the sentence to its own evidence: a union of both could not be called. */
function textOf<Code extends VerdictCode>(code: Code, { evidence }: VerdictOf<Code>): string {
  return VERDICT_TEXTS[code](evidence);
}

/** `work takes 489 requests/s with p99 < 50ms` of a capacity. */
function aloneText({ target, rate, isAtLeast, within }: VerdictEvidence["alone"]): string {
  const perSec = `${formatNumber(rate)} requests/s`;
  if (within === null) return `${target} served ${perSec}`;
  return `${target} takes ${isAtLeast ? "at least " : ""}${perSec} with ${listed(within, "and")}`;
}

/** As many are named. */
const MOST_NAMES = 4;

/** `At 2,000/s only cached keeps up: plain times out on 19 %`. */
function onlyText({ target, at, isOffered, others }: VerdictEvidence["only-keeps-up"]): string {
  const named = others.slice(0, MOST_NAMES).map(shortfallText);
  const more = others.length - named.length;
  const texts = more > 0 ? [...named, `${more} more fall short`] : named;
  const only = at === "" ? "Only" : `At ${at} only`;
  const does = isOffered ? "keeps up" : "responds correctly";
  return `${only} ${target} ${does}: ${listed(texts, "and")}`;
}

function fastestText({ target, by }: VerdictEvidence["fastest"]): string {
  return by === "p99" ? `${target} responds fastest` : `${target} is fastest`;
}

/** `at every number of connections and delay` */
function everywhereText(
  { factors }: Pick<VerdictEvidence["depends-on-factors"], "factors">,
): string {
  return `at every ${factorsText(factors)}`;
}

function factorsText(factors: readonly string[]): string {
  return factors.map((name) => variableName(name)).join(" and ");
}

function endsText({ fastest, slowest }: VerdictEvidence["span"]): string {
  return `fastest at ${fastest} and slowest at ${slowest}`;
}

/** Verdict and detail as one text. */
export function summaryText(summary: Pick<ScenarioSummary, "verdict" | "detail">): string {
  return verdictSentence(summary.verdict) + detailAfter(summary);
}

/** What goes on after the sentence of the verdict: a sentence with a colon of its own ends there. */
export function detailAfter(
  { verdict, detail }: Pick<ScenarioSummary, "verdict" | "detail">,
): string {
  if (detail === "") return ".";
  const sentence = verdictSentence(verdict);
  return sentence.includes(": ") && !sentence.endsWith(")")
    ? `. ${capitalized(detail)}`
    : `: ${detail}`;
}
