/** The verdict of a scenario in which factors vary: who is fastest at which of their values. */
import {
  cellRateText,
  errorSentences,
  joined,
  p99Text,
  type ScenarioSummary,
  type ScenarioVerdict,
  type VerdictEvidence,
  verdictOf,
} from "../comparison/verdict.ts";
import { type CellRuns, settingLabel } from "../runs/cells.ts";
import { comparisonOf, type FigureComparison } from "../comparison/comparison.ts";
import { isOpenLoop, type Lookup, type Setting } from "../comparison/pairs.ts";
import { isAhead, pairSentence, ratioText } from "../comparison/words.ts";
import { factorName, factorPaths } from "../runs/factors.ts";
import { listed, unique } from "../numbers/words.ts";

/** What competes at equal values of the factors, from the fastest; at least two. */
export interface Contest extends Pick<Setting, "label" | "factors"> {
  readonly ranked: readonly CellRuns[];
}

interface Decided extends Contest {
  /** The fastest; null where it is undecided. */
  readonly leader: string | null;
  readonly isOpen: boolean;
  /** Of the first over the second. */
  readonly decision: FigureComparison;
}

const NO_DIFFERENCE = "no significant difference";
/** As many places are named. */
const MOST_PLACES = 6;
const MOST_PAIRS = 8;

export function contestSummary(
  contests: readonly Contest[],
  cells: readonly CellRuns[],
  lookup: Lookup,
): ScenarioSummary {
  const decided = contests.map((contest) => decide(contest, lookup));
  const errors = errorSentences(cells);
  const leaders = unique(decided.map(({ leader }) => leader ?? ""));
  const isUnanimous = leaders.length === 1;
  const places = isUnanimous ? "" : placesText(decided, leaders);
  return {
    verdict: contestVerdict(decided, leaders),
    detail: joined([
      [places, ratiosText(decided, isUnanimous)].filter(Boolean).join("; "),
      ...errors,
    ]),
    brief: joined([places, ...errors]),
    pairs: pairsOf(decided, lookup),
    isTie: false,
  };
}

function decide(contest: Contest, lookup: Lookup): Decided {
  const { ranked } = contest;
  const [first, second] = ranked;
  const open = isOpenLoop(ranked);
  const comparison = lookup(second, first);
  const decision = comparisonOf(comparison, open ? 99 : "rate");
  const leader = isAhead(decision, comparison) ? first.target : null;
  return { ...contest, isOpen: open, decision, leader };
}

function contestVerdict(decided: readonly Decided[], leaders: readonly string[]): ScenarioVerdict {
  const factors = namesOf(decided);
  const hasInterval = decided.some(({ decision }) => decision.interval !== null);
  if (leaders.length > 1) return verdictOf("depends-on-factors", { factors, hasInterval });
  const [target] = leaders;
  if (target === "") {
    const targets = unique(decided.flatMap(({ ranked }) => ranked.map((cell) => cell.target)));
    return verdictOf("tie-at-every-setting", { factors, targets });
  }
  if (!hasInterval) return verdictOf("fastest-in-few-runs-at-every-setting", { factors, target });
  const by = decided.every(({ isOpen }) => isOpen) ? "p99" : "rate";
  return verdictOf("fastest-at-every-setting", { factors, target, by });
}

/** Of the factors that the labels name. */
function namesOf(decided: readonly Decided[]): string[] {
  return unique(decided.flatMap(({ factors }) => factors.map(({ name }) => name)));
}

/** `single at cpuTime 0; cluster at cpuTime 100, 250 and 500; no significant difference at cpuTime 50`. */
function placesText(decided: readonly Decided[], leaders: readonly string[]): string {
  const named = [...leaders.filter(Boolean), ...leaders.filter((leader) => leader === "")];
  return named.map((leader) => {
    const places = decided.filter((one) => (one.leader ?? "") === leader);
    const where = places.length > MOST_PLACES
      ? `at ${places.length} of ${decided.length} values`
      : `at ${labelsText(places)}`;
    return `${leader || NO_DIFFERENCE} ${where}`;
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
  const sure = decided.filter(({ leader, decision }) => leader !== null && decision.ratio !== null);
  if (sure.length === 0) return "";
  const leadOf = ({ decision: { ratio } }: Decided): number => Math.abs(Math.log(ratio ?? 1));
  const sorted = sure.toSorted((a, b) => leadOf(a) - leadOf(b));
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
  const shown = decided.length <= MOST_PAIRS ? decided : [decided[0], decided[decided.length - 1]];
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
  const figure = isOpenLoop(ranked) ? 99 : "rate";
  const text = figure === 99 ? p99Text : cellRateText;
  const what = figure === 99 ? "the p99" : "the requests";
  const decision = comparisonOf(comparison, figure);
  const span = { target: first.target, fastest: settingOf(first), slowest: settingOf(last) };
  const figures = `${text(last)} at ${span.slowest}, ${text(first)} at ${span.fastest}`;
  const ratio = `${ratioText(decision)} ${what}`;
  const errors = errorSentences(cells);
  return {
    verdict: spanVerdict(decision, span, cells),
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
