/** The verdict of a whole experiment in one sentence, from the verdicts of its scenarios. */
import { counted, listed } from "../numbers/words.ts";
import { type CellRuns, unsteadyOf, unsteadyText } from "../runs/cells.ts";
import { comparisonOf, type GroupComparison } from "./comparison.ts";
import type { ComparedFigure } from "./group.ts";
import { isOpenLoop, type Lookup, TOLERATED_WRONG_RATIO } from "./pairs.ts";
import { isAhead, isTie, pairSentence, ratioText, verdictText } from "./words.ts";
import { boundText, formatMs, formatNumber, formatShare } from "../numbers/units.ts";

interface NamedSummary {
  readonly name: string;
  readonly summary: Pick<ScenarioSummary, "verdict" | "pairs" | "isTie">;
}

/** So many different verdicts are printed. */
const MOST_VERDICTS = 4;

/** `In static and fib: hono is fastest; in redis: hono and express show no significant difference.`; "" without scenarios. */
export function experimentVerdict(scenarios: readonly NamedSummary[]): string {
  if (scenarios.length === 0) return "";
  if (scenarios.length === 1) return alone(scenarios[0]);
  const groups = [...Map.groupBy(scenarios, ({ summary }) => summary.verdict)];
  const printed = groups.slice(0, MOST_VERDICTS)
    .map(([verdict, those], i) => `${i === 0 ? "In" : "in"} ${namesOf(those)}: ${verdict}`);
  const rest = groups.slice(MOST_VERDICTS).reduce((sum, [, those]) => sum + those.length, 0);
  if (rest > 0) printed.push(`${counted(rest, "more scenario")} below`);
  return `${printed.join("; ")}.`;
}

/** With the ratio of the next to the first; of a tie its sentence says the verdict. */
function alone({ summary: { verdict, pairs, isTie } }: NamedSummary): string {
  if (isTie) return `${pairs[0]}.`;
  return pairs.length === 0 ? `${verdict}.` : `${verdict} (${pairs[0]}).`;
}

/** As many scenarios are named. */
const MOST_NAMES = 4;

function namesOf(scenarios: readonly NamedSummary[]): string {
  if (scenarios.length > MOST_NAMES) return counted(scenarios.length, "scenario");
  return listed(scenarios.map(({ name }) => name), "and");
}

/**
 * The verdict of one scenario in one sentence: who is fastest, by what ratio, and how sure that is. It claims
 * no more than the runs show: one run is "in one run", and a difference without a verdict has no winner.
 */

export interface ScenarioSummary {
  /** Who is fastest, or that nobody is. */
  readonly verdict: string;
  /** By how much; "" when there is nothing to add. Ends with a full stop, the verdict does not. */
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
  const { verdict, figures, ratios } = ranking(ranked, comparisonOf);
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
  const verdict = "No two targets responded correctly at equal values of the factors";
  const errors = joined(errorSentences(cells));
  return { verdict, detail: errors, brief: errors, pairs: [], isTie: false };
}

/** Verdict and detail as one text. */
export function summaryText(
  { verdict, detail }: Pick<ScenarioSummary, "verdict" | "detail">,
): string {
  return detail ? `${verdict}: ${detail}` : `${verdict}.`;
}

/** Sentences without their full stops as one text. */
export function joined(sentences: readonly string[]): string {
  return sentences.filter(Boolean).map((text) => `${text}.`).join(" ");
}

/** Sentences without their full stops. */
interface Ranking {
  readonly verdict: string;
  /** Of those that the verdict names. */
  readonly figures: string;
  /** How they compare; "" when there is nothing to compare. */
  readonly ratios: string;
}

function ranking(ranked: readonly CellRuns[], lookup: Lookup): Ranking {
  const [first, second, ...others] = ranked;
  if (!first) return { verdict: "No target responded correctly", figures: "", ratios: "" };
  if (!second) {
    const verdict = `${first.label} served ${cellRateText(first)}`;
    return { verdict, figures: `${runsText(first)}, ${p99Text(first)}`, ratios: "" };
  }
  const open = isOpenLoop(ranked);
  const deciding: ComparedFigure = open ? 99 : "rate";
  const comparison = lookup(second, first);
  const decision = comparisonOf(comparison, deciding);
  const ratios = ratiosOf(first, [second, ...others], lookup);
  if (!isAhead(decision, comparison)) return tooClose(first, second, { comparison, deciding });
  if (decision.interval === null) {
    return { verdict: fewRunsText(first, second), figures: figuresText(first), ratios };
  }
  const verdict = open ? `${first.label} responds fastest` : `${first.label} is fastest`;
  return { verdict, figures: figuresText(first), ratios };
}

function fewRunsText(first: CellRuns, second: CellRuns): string {
  return first.runs.length === 1 && second.runs.length === 1
    ? `${first.label} was fastest in one run each`
    : `${first.label} was fastest (inconclusive: too few runs)`;
}

function tooClose(
  first: CellRuns,
  second: CellRuns,
  { comparison, deciding }: { comparison: GroupComparison; deciding: ComparedFigure },
): Ranking {
  const decision = comparisonOf(comparison, deciding);
  const text = deciding === "rate" ? cellRateText : p99Text;
  return {
    verdict: `${first.label} and ${second.label} show no significant difference`,
    figures: `${text(first)} and ${text(second)}, ${
      verdictText(decision, comparison.marginRatio)
    } (ratio ${ratioText(decision)})`,
    ratios: "",
  };
}

/** Of many only the next and the last. */
function ratiosOf(first: CellRuns, others: readonly CellRuns[], lookup: Lookup): string {
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
