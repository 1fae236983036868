/** The verdict of a scenario in which factors vary: who is fastest at which of their values. */
import { type ScenarioVerdict, type VerdictEvidence, verdictOf } from "../../judge/verdict.ts";
import {
  cellRateText,
  errorSentences,
  joined,
  p99Text,
  type ScenarioSummary,
  unjudgedSentences,
} from "../../judge/summary.ts";
import { settingLabel } from "../../cells/cell_label.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { type Contest, type Decided, isAlone } from "../../judge/contests.ts";
import { decisiveFigure, isOpenLoop, type Lookup } from "../../judge/pairs.ts";
import { shortfallOf } from "../../judge/shortfall.ts";
import { pairSentence } from "../../judge/words.ts";
import { ratioText } from "../../judge/ratios.ts";
import { factorName, factorPaths } from "../../cells/factors.ts";
import { listed, unique } from "../../writing/words.ts";

/** What stands for a leader where there is none. */
const EQUIVALENT = "about as fast";
const UNDECIDED = "undecided";
/** As many places are named. */
const MOST_PLACES = 6;
const MOST_PAIRS = 8;

export function contestSummary(
  decided: readonly Decided[],
  cells: readonly CellRuns[],
  lookup: Lookup,
): ScenarioSummary {
  const outcomes = unique(decided.map(outcomeOf));
  const isUnanimous = outcomes.length === 1;
  const verdict = contestVerdict(decided);
  const places = isUnanimous ? "" : placesText(decided, outcomes);
  const errors = [
    ...errorSentences(cells, verdict),
    ...unjudgedSentences(decided.flatMap(({ unjudged }) => unjudged)),
  ];
  return {
    verdict,
    detail: joined([
      [places, ratiosText(decided, isUnanimous)].filter(Boolean).join("; "),
      ...errors,
    ]),
    brief: joined([places, ...errors]),
    pairs: pairsOf(decided, lookup),
    isTie: false,
  };
}

function outcomeOf({ leader, isEquivalent }: Decided): string {
  return leader ?? (isEquivalent ? EQUIVALENT : UNDECIDED);
}

function contestVerdict(decided: readonly Decided[]): ScenarioVerdict {
  const factors = namesOf(decided);
  const leaders = unique(decided.flatMap(({ leader }) => leader ?? []));
  const hasInterval = decided.some(({ decision }) =>
    decision === null || decision.interval !== null
  );
  const alone = decided.find(isAlone);
  if (leaders.length === 1 && alone !== undefined) return onlyVerdict(alone);
  if (leaders.length === 0) {
    const targets = unique(decided.flatMap(({ ranked }) => ranked.map((cell) => cell.target)));
    const isEquivalent = decided.every((one) => one.isEquivalent);
    return verdictOf("undecided-at-every-setting", { factors, targets, isEquivalent });
  }
  if (leaders.length > 1 || decided.some(({ leader }) => leader === null)) {
    return verdictOf("depends-on-factors", { factors, hasInterval });
  }
  const [target] = leaders;
  if (!hasInterval) return verdictOf("fastest-in-few-runs-at-every-setting", { factors, target });
  const by = decided.every(({ isOpen }) => isOpen) ? "p99" : "rate";
  return verdictOf("fastest-at-every-setting", { factors, target, by });
}

function onlyVerdict({ ranked: [first], cells, factors, label }: Decided): ScenarioVerdict {
  const [{ name, value }] = factors;
  return verdictOf("only-keeps-up", {
    target: first.target,
    at: factors.length === 1 && name === "rate" ? value : label,
    isOffered: isOpenLoop(cells),
    others: cells.flatMap((cell) => {
      const short = shortfallOf(cell);
      return short === null ? [] : [{ ...short, label: cell.target }];
    }),
  });
}

/** Of the factors that the labels name. */
function namesOf(decided: readonly Decided[]): string[] {
  return unique(decided.flatMap(({ factors }) => factors.map(({ name }) => name)));
}

/** `single at cpuTime 0; cluster at cpuTime 100, 250 and 500; undecided at cpuTime 50`. */
function placesText(decided: readonly Decided[], outcomes: readonly string[]): string {
  const without: readonly string[] = outcomes.filter((one) =>
    one === EQUIVALENT || one === UNDECIDED
  );
  return [...outcomes.filter((one) => !without.includes(one)), ...without].map((outcome) => {
    const places = decided.filter((one) => outcomeOf(one) === outcome);
    const where = places.length > MOST_PLACES
      ? `at ${places.length} of ${decided.length} values`
      : `at ${labelsText(places)}`;
    return `${outcome} ${where}`;
  }).join("; ");
}

/** A name that all begin with is said once. */
function labelsText(places: readonly Contest[]): string {
  const texts = places.map(({ label, factors }, i) =>
    factors.length === 1 && i > 0 ? factors[0].value : label
  );
  return listed(texts, "and");
}

/** The smallest and the largest lead; whose they are is said already where one leads everywhere. */
function ratiosText(decided: readonly Decided[], isUnanimous: boolean): string {
  const sure = decided.flatMap(({ leader, decision, ...contest }) =>
    leader === null || decision === null || decision.ratio === null
      ? []
      : [{ ...contest, decision, lead: Math.abs(Math.log(decision.ratio)) }]
  );
  if (sure.length === 0) return "";
  const sorted = sure.toSorted((a, b) => a.lead - b.lead);
  const ends = sorted.length === 1 ? sorted : [sorted[0], sorted[sorted.length - 1]];
  return ends.map((one) => {
    const { ranked: [first, second], label } = one;
    const what = one.isOpen ? "the p99" : "the requests";
    const whose = isUnanimous ? "" : `${first.target} has `;
    return `${whose}${ratioText(one.decision)} ${what} of ${second.target} at ${label}`;
  }).join(", ");
}

/** The fastest against the next, at each value, or where there are many at those with the ends of the leads. */
function pairsOf(decided: readonly Decided[], lookup: Lookup): string[] {
  const held = decided.filter(({ decision }) => decision !== null);
  const shown = held.length <= MOST_PAIRS ? held : [held[0], held[held.length - 1]];
  return shown.map(({ ranked: [first, second] }) =>
    pairSentence(second.label, first.label, lookup(second, first))
  );
}

/**
 * Of one target: its figures from the value with the least to that with the most.
 * @param ranked From the fastest; at least two.
 */
export function spanSummary(
  ranked: readonly CellRuns[],
  cells: readonly CellRuns[],
  lookup: Lookup,
): ScenarioSummary {
  const [first, last] = [ranked[0], ranked[ranked.length - 1]];
  const settingOf = ({ runs: [{ parameters }] }: CellRuns): string => settingLabel(parameters);
  const comparison = lookup(last, first);
  const figure = decisiveFigure(ranked);
  const text = figure === 99 ? p99Text : cellRateText;
  const what = figure === 99 ? "the p99" : "the requests";
  const decision = comparisonOf(comparison, figure);
  const span = { target: first.target, fastest: settingOf(first), slowest: settingOf(last) };
  const verdict = spanVerdict(decision, span, cells);
  const errors = errorSentences(cells, verdict);
  const figures = `${text(last)} at ${span.slowest}, ${text(first)} at ${span.fastest}`;
  const ratio = `${ratioText(decision)} ${what}`;
  return {
    verdict,
    detail: joined([`${figures}; ${ratio}`, ...errors]),
    brief: joined([figures, ...errors]),
    pairs: [pairSentence(last.label, first.label, comparison)],
    isTie: false,
  };
}

/** What is slowest and fastest was picked after the fact, so nothing is said of a difference without a verdict. */
function spanVerdict(
  { interval, verdict, reason }: FigureComparison,
  span: VerdictEvidence["span"],
  cells: readonly CellRuns[],
): ScenarioVerdict {
  if (verdict === "better") return verdictOf("span", span);
  if (interval === null || verdict === "inconclusive") {
    const isFew = reason === "one-run" || reason === "few-runs";
    return verdictOf(isFew ? "span-in-few-runs" : "inconclusive-span", span);
  }
  const factors = factorPaths(cells).map((path) => factorName(cells, path));
  return verdictOf("same-at-every-setting", { factors, target: span.target });
}
