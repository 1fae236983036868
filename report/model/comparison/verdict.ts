/**
 * The verdict of one scenario as data: who is fastest, by what ratio, and how sure that is; `verdict_sentences.ts`
 * words it. It claims no more than the runs show: one run is "in one run", and a difference without a verdict has
 * no winner.
 */
import { type CellRuns, unsteadyOf, unsteadyText } from "../runs/cells.ts";
import { comparisonOf } from "./comparison.ts";
import { isOpenLoop, type Lookup, TOLERATED_WRONG_RATIO } from "./pairs.ts";
import { isAhead, isTie, pairSentence, ratioText, verdictText } from "./words.ts";
import { boundText, formatMs, formatNumber, formatShare } from "../numbers/units.ts";

/** note: who is fastest, or that nobody is; warning: the runs do not decide it. */
type VerdictSeverity = "note" | "warning";

interface Leader {
  readonly target: string;
}

/** What decides: of requests at a pace of their own all targets get as many, so their p99 does. */
interface DecidedLeader extends Leader {
  readonly by: "rate" | "p99";
}

/** At every value of these factors. */
interface AtEverySetting {
  readonly factors: readonly string[];
}

/** One target at the settings where it is fastest and slowest: `connections 50`. */
interface Span extends Leader {
  readonly fastest: string;
  readonly slowest: string;
}

/** By code, what was seen; targets by their labels. */
export interface VerdictEvidence {
  readonly "no-right-response": Readonly<Record<never, never>>;
  /** No two targets responded right at equal settings. */
  readonly incomparable: Readonly<Record<never, never>>;
  /** `rate`: requests/s, the mean of its runs. */
  readonly alone: Leader & { readonly rate: number };
  readonly tie: { readonly targets: readonly string[] };
  readonly fastest: DecidedLeader;
  readonly "fastest-in-one-run": Leader;
  readonly "fastest-in-few-runs": Leader;
  /** Targets lead at some settings only; without an interval anywhere nothing is said of other runs. */
  readonly "depends-on-factors": AtEverySetting & { readonly hasInterval: boolean };
  readonly "tie-at-every-setting": AtEverySetting & { readonly targets: readonly string[] };
  readonly "fastest-at-every-setting": AtEverySetting & DecidedLeader;
  readonly "fastest-in-few-runs-at-every-setting": AtEverySetting & Leader;
  readonly span: Span;
  readonly "inconclusive-span": Span;
  readonly "span-in-few-runs": Span;
  /** One target, equivalent where it is fastest and slowest. */
  readonly "same-at-every-setting": AtEverySetting & Leader;
}

export type VerdictCode = keyof VerdictEvidence;

export interface VerdictOf<Code extends VerdictCode> {
  readonly code: Code;
  readonly severity: VerdictSeverity;
  readonly evidence: VerdictEvidence[Code];
}

export type ScenarioVerdict = { [Code in VerdictCode]: VerdictOf<Code> }[VerdictCode];

const SEVERITIES: Readonly<Record<VerdictCode, VerdictSeverity>> = {
  "no-right-response": "warning",
  incomparable: "warning",
  alone: "note",
  tie: "note",
  fastest: "note",
  "fastest-in-one-run": "warning",
  "fastest-in-few-runs": "warning",
  "depends-on-factors": "note",
  "tie-at-every-setting": "note",
  "fastest-at-every-setting": "note",
  "fastest-in-few-runs-at-every-setting": "warning",
  span: "note",
  "inconclusive-span": "warning",
  "span-in-few-runs": "warning",
  "same-at-every-setting": "note",
};

export function verdictOf<Code extends VerdictCode>(
  code: Code,
  evidence: VerdictEvidence[Code],
): VerdictOf<Code> {
  return { code, severity: SEVERITIES[code], evidence };
}

export interface ScenarioSummary {
  /** Who is fastest, or that nobody is. */
  readonly verdict: ScenarioVerdict;
  /** By how much, in sentences; "" when there is nothing to add. */
  readonly detail: string;
  /** The same without the ratios, for where `pairs` are shown beside it. */
  readonly brief: string;
  /** `express → fastify: 4.31× [4.20, 4.43] the requests, …`: each other target against the fastest. */
  readonly pairs: readonly string[];
  /** Whether the first of `pairs` says the verdict, that there is no difference, with its ratios. */
  readonly isTie: boolean;
}

/**
 * @param ranked Those that compete, from the fastest.
 * @param cells All of the scenario.
 * @param comparisonOf Of two of `ranked`.
 */
export function summaryOf(
  { ranked, cells }: { ranked: readonly CellRuns[]; cells: readonly CellRuns[] },
  comparisonOf: Lookup,
): ScenarioSummary {
  const errors = errorSentences(cells);
  const verdict = rankedVerdict(ranked, comparisonOf);
  const figures = figuresOf(verdict, ranked, comparisonOf);
  const ratios = verdict.code === "tie" ? "" : ratiosOf(ranked, comparisonOf);
  const [first, ...others] = ranked;
  return {
    verdict,
    detail: joined([[figures, ratios].filter(Boolean).join("; "), ...errors]),
    brief: joined([figures, ...errors]),
    pairs: others.map((cell) => pairSentence(cell.label, first.label, comparisonOf(cell, first))),
    isTie: others.length > 0 && isTie(comparisonOf(others[0], first)),
  };
}

/** Of targets without equal settings. */
export function incomparableSummary(cells: readonly CellRuns[]): ScenarioSummary {
  const errors = joined(errorSentences(cells));
  const verdict = verdictOf("incomparable", {});
  return { verdict, detail: errors, brief: errors, pairs: [], isTie: false };
}

/** Sentences without their full stops as one text. */
export function joined(sentences: readonly string[]): string {
  return sentences.filter(Boolean).map((text) => `${text}.`).join(" ");
}

/** @param ranked From the fastest. */
function rankedVerdict(ranked: readonly CellRuns[], lookup: Lookup): ScenarioVerdict {
  const [first, second] = ranked;
  if (!first) return verdictOf("no-right-response", {});
  const target = first.label;
  if (!second) return verdictOf("alone", { target, rate: first.rate.mean });
  const by = isOpenLoop(ranked) ? "p99" : "rate";
  const comparison = lookup(second, first);
  const decision = comparisonOf(comparison, by === "p99" ? 99 : by);
  if (!isAhead(decision, comparison)) return verdictOf("tie", { targets: [target, second.label] });
  if (decision.interval !== null) return verdictOf("fastest", { target, by });
  const isOneEach = first.runs.length === 1 && second.runs.length === 1;
  return verdictOf(isOneEach ? "fastest-in-one-run" : "fastest-in-few-runs", { target });
}

/** Of those that the verdict names, without a full stop. */
function figuresOf(
  { code }: ScenarioVerdict,
  ranked: readonly CellRuns[],
  lookup: Lookup,
): string {
  const [first, second] = ranked;
  if (!first) return "";
  if (!second) return `${runsText(first)}, ${p99Text(first)}`;
  return code === "tie" ? tieFigures(ranked, lookup) : figuresText(first);
}

function tieFigures(ranked: readonly CellRuns[], lookup: Lookup): string {
  const [first, second] = ranked;
  const comparison = lookup(second, first);
  const isOpen = isOpenLoop(ranked);
  const decision = comparisonOf(comparison, isOpen ? 99 : "rate");
  const text = isOpen ? p99Text : cellRateText;
  return `${text(first)} and ${text(second)}, ${
    verdictText(decision, comparison.marginRatio)
  } (ratio ${ratioText(decision)})`;
}

/** How they compare, of many only the next and the last; "" when there is nothing to compare. */
function ratiosOf([first, ...others]: readonly CellRuns[], lookup: Lookup): string {
  const texts = others.map((cell) => ratiosText(first, cell, lookup));
  return texts.length <= 2
    ? texts.join("; ")
    : `${texts[0]}, the next; ${texts[texts.length - 1]}, the last`;
}

/** `1.80× [1.62, 2.01] the requests of express, p99 0.56× [0.50, 0.62]`. */
function ratiosText(first: CellRuns, other: CellRuns, lookup: Lookup): string {
  const comparison = lookup(other, first);
  const rate = ratioText(comparisonOf(comparison, "rate"));
  const p99 = ratioText(comparisonOf(comparison, 99));
  return `${rate} the requests of ${other.label}, p99 ${p99}`;
}

function figuresText(cell: CellRuns): string {
  const isBare = cell.runs.length === 1 && unsteadyOf(cell.runs) === null;
  const runs = isBare ? "" : ` (${runsText(cell)})`;
  return `${cellRateText(cell)}${runs}, ${p99Text(cell)}`;
}

export function cellRateText({ rate }: CellRuns): string {
  return `${formatNumber(rate.mean)} requests/s`;
}

function runsText({ rate, runs }: CellRuns): string {
  const unsteady = unsteadyOf(runs);
  if (unsteady !== null) return unsteadyText(unsteady);
  const { length } = rate.values;
  if (length === 1) return "in one run";
  return `${formatNumber(rate.min)}–${formatNumber(rate.max)} over ${length} runs`;
}

export function p99Text({ latency }: CellRuns): string {
  const { value, isAtLeast } = latency.percentile(99);
  return `p99 ${boundText(formatMs(value), isAtLeast)}`;
}

export function errorSentences(cells: readonly CellRuns[]): string[] {
  return cells.filter(({ errorRatio }) => errorRatio > 0).map(
    ({ label, errorRatio, runs }) => {
      const isSilent = runs.every(({ requests }) => requests.completed === 0);
      if (isSilent) return `${label} sent no response`;
      const isDropped = runs.some(({ requests }) => requests.dropped > 0);
      const what = isDropped
        ? "failed, were never sent or had a wrong response"
        : "failed or had a wrong response";
      const share = `${formatShare(errorRatio)} of the requests to ${label} ${what}`;
      return errorRatio > TOLERATED_WRONG_RATIO ? `${share}, so it is not ranked` : share;
    },
  );
}
