/** The verdict of one scenario with its figures: what stands beside the sentence of `verdict_sentences.ts`. */
import { boundText, formatMs, formatNumber, formatShare } from "../writing/units.ts";
import { takenPerSec } from "../cells/capacity.ts";
import { type CellRuns, noSteadyStateText, unsteadyOf, unsteadyText } from "../cells/cells.ts";
import { comparisonOf } from "./comparison.ts";
import { decisiveFigure, type Judged, type Lookup } from "./pairs.ts";
import { ratioText } from "./ratios.ts";
import { shortfallOf, shortfallText } from "./shortfall.ts";
import { rankedVerdict, rivalsOf, type ScenarioVerdict, verdictOf } from "./verdict.ts";
import { isTie, neededText, pairSentence, seenText, verdictText } from "./words.ts";

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
 * @param judged Those that compete.
 * @param cells All of the scenario.
 * @param lookup Of the first with each other that competes.
 */
export function summaryOf(
  { ranked, unjudged, cells }: Judged & { cells: readonly CellRuns[] },
  lookup: Lookup,
): ScenarioSummary {
  const verdict = rankedVerdict({ ranked, cells }, lookup);
  const errors = [...errorSentences(cells, verdict), ...unjudgedSentences(unjudged)];
  const figures = figuresOf(verdict, ranked, lookup);
  const ratios = verdict.code === "undecided" ? "" : ratiosOf(ranked, lookup);
  const [first, ...others] = ranked;
  return {
    verdict,
    detail: joined([[figures, ratios].filter(Boolean).join("; "), ...errors]),
    brief: joined([figures, ...errors]),
    pairs: [...others, ...unjudged].map((cell) =>
      pairSentence(cell.label, first.label, lookup(cell, first))
    ),
    isTie: verdict.code === "undecided" && isTie(lookup(others[0], first)),
  };
}

/** Of targets without equal settings. */
export function incomparableSummary(cells: readonly CellRuns[]): ScenarioSummary {
  const verdict = verdictOf("incomparable", {});
  const errors = joined(errorSentences(cells, verdict));
  return { verdict, detail: errors, brief: errors, pairs: [], isTie: false };
}

/** Sentences without their full stops as one text. */
export function joined(sentences: readonly string[]): string {
  return sentences.filter(Boolean).map((text) => `${text}.`).join(" ");
}

/** Of those that the verdict names, without a full stop. */
function figuresOf(
  { code }: ScenarioVerdict,
  ranked: readonly CellRuns[],
  lookup: Lookup,
): string {
  const [first, second] = ranked;
  if (!first) return "";
  if (code === "alone") return aloneFigures(first);
  return code === "undecided" && second ? undecidedFigures(ranked, lookup) : figuresText(first);
}

/** Where the runs searched for a capacity, its spread is in the interval of that; their latency is at a share of it. */
function aloneFigures(cell: CellRuns): string {
  const [load] = cell.runs.map(({ load }) => load).filter(({ kind }) => kind === "capacity");
  if (load?.kind !== "capacity") return `${runsText(cell)}, ${p99Text(cell)}`;
  const runs = cell.runs.length === 1 ? "in one run" : `in ${cell.runs.length} runs`;
  return `${runs}, ${p99Text(cell)} at ${formatShare(load.share ?? 1)} of it`;
}

function undecidedFigures(ranked: readonly CellRuns[], lookup: Lookup): string {
  const [first] = ranked;
  const [{ cell, comparison, decision }] = rivalsOf(ranked, lookup).rivals;
  const text = decisiveFigure(ranked) === 99 ? p99Text : cellRateText;
  const { marginRatio } = comparison;
  return [
    `${text(first)} and ${text(cell)}, ratio ${ratioText(decision)}`,
    decision.reason === "few-runs" ? seenText(decision) : "",
    decision.reason === "groups" ? verdictText(decision, marginRatio) : "",
    neededText(decision, marginRatio),
  ].filter(Boolean).join(", ");
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

export function cellRateText(cell: CellRuns): string {
  const { value, isAtLeast } = takenPerSec(cell);
  return `${boundText(formatNumber(value), isAtLeast)} requests/s`;
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

/** `c, 5,020 requests/s, is not ranked: no steady state in 4 of 5 runs`. */
export function unjudgedSentences(unjudged: readonly CellRuns[]): string[] {
  return unjudged.flatMap((cell) => {
    const unsteady = unsteadyOf(cell.runs);
    if (unsteady === null) return [];
    return [`${cell.label}, ${cellRateText(cell)}, is not ranked: ${noSteadyStateText(unsteady)}`];
  });
}

/** Of cells with errors or a backlog; without those that the verdict names. */
export function errorSentences(
  cells: readonly CellRuns[],
  { code, evidence }: ScenarioVerdict,
): string[] {
  const named = code === "only-keeps-up" ? evidence.others.map(({ label }) => label) : [];
  const isNamed = ({ label, target }: CellRuns): boolean =>
    named.includes(label) || named.includes(target);
  return cells.filter((cell) => !isNamed(cell)).flatMap((cell) => {
    const short = shortfallOf(cell);
    if (short?.kind === "silent" || short?.kind === "slow") {
      const unranked = short.kind === "slow" ? ", so it is not ranked" : "";
      return [shortfallText(short) + (code === "none-keeps-up" ? "" : unranked)];
    }
    if (cell.errorRatio === 0) return [];
    const isDropped = cell.runs.some(({ requests }) => requests.dropped > 0);
    const what = isDropped
      ? "failed, were never sent or had a wrong response"
      : "failed or had a wrong response";
    const share = `${formatShare(cell.errorRatio)} of the requests to ${cell.label} ${what}`;
    return [short === null ? share : `${share}, so it is not ranked`];
  });
}
