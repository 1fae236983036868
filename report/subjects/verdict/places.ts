/** Where an experiment compares: each scenario, at each setting of its other factors, with who is ahead there. */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import {
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
} from "../../judge/comparison.ts";
import { competing } from "../../judge/shortfall.ts";
import { NOTABLE_CHANGE, type Standing, standingOf } from "../../judge/standing.ts";
import { counted, listed, unique } from "../../writing/words.ts";
import { type Decided, isAlone, unjudgedAhead, withUnsettledFirst } from "../../judge/contests.ts";
import { type Estimate, estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { pBeyond, ratioInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import { UNCOUNTED } from "../../../runner/stats/comparison/significance_tests.ts";
import { comparisonVerdict } from "../../../runner/stats/comparison/verdict.ts";
import { exactTest, pairingOf } from "../../judge/between.ts";
import { isAtLimit } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { meanCoresOf } from "../../cells/resources.ts";

export interface Place {
  readonly scenario: ScenarioComparison;
  /** `static`, `connections 50` or `static, connections 50`: as much as is needed to know it from the others. */
  readonly name: string;
  readonly contest: Decided;
  /** Of the first against the nearest that it is not ahead of; "ahead" without one; "alone" without any other. */
  readonly standing: Standing | "alone" | "none-keeps-up";
  /** The first over the second, and for the leader at what price; null where it is alone. */
  readonly decision: FigureComparison | null;
  readonly tradeoffs: Tradeoffs;
  /** Of two that serve as much, whose p99 is longer for certain, and how many times as long; null for neither. */
  readonly longerTail: { readonly target: string; readonly ratio: number } | null;
  /** Those not judged, and of these those that ran ahead of all that are. */
  readonly unjudged: readonly CellRuns[];
  readonly unjudgedAhead: readonly CellRuns[];
  /** Whom the first is ahead of for certain. */
  readonly beaten: readonly string[];
  /** Who seems ahead of all others, of some without proof; null where a leader is certain, or nobody seems so. */
  readonly likely: string | null;
}

/** Of one that is not ahead, or at no price. */
export const NO_TRADEOFFS: Tradeoffs = { p99: null, cpu: null };

/** @param level Of the intervals. */
export function placesOf(scenarios: readonly ScenarioComparison[], level: number): Place[] {
  const decided = scenarios.flatMap((scenario) =>
    scenario.contests.map((contest) => ({
      scenario,
      contest,
      unjudged: contest.unjudged,
      unjudgedAhead: unjudgedAhead(contest),
    }))
  );
  const all = decided.length > 1 ? decided.map(withoutDoubtfulLead) : decided;
  const areScenarios = new Set(all.map(({ scenario }) => scenario)).size > 1;
  const leads = all.filter(({ contest }) => contest.leader !== null).length;
  return all.map((judged) => {
    const { scenario, contest } = judged;
    const { ranked: [first, second], label, leader } = contest;
    const isSeveral = scenario.contests.length > 1;
    const parts = [areScenarios ? scenario.name : "", isSeveral ? label : ""].filter(Boolean);
    const comparison = second === undefined ? null : scenario.lookup(second, first);
    return {
      ...judged,
      name: parts.join(", ") || scenario.name,
      standing: standingIn(judged),
      decision: contest.decision,
      beaten: beatenIn(contest, scenario),
      likely: likelyIn(judged),
      longerTail: comparison === null ? null : longerTailIn(contest, comparison),
      tradeoffs: leader === null || comparison === null
        ? NO_TRADEOFFS
        : tradeoffsOf({ first, next: second, comparison }, { level, leads }),
    };
  });
}

type JudgedPlace = Pick<Place, "scenario" | "contest" | "unjudged" | "unjudgedAhead">;

/** Of several places one word says who leads: not of one that somebody ran ahead of, though it never settled. */
function withoutDoubtfulLead(judged: JudgedPlace): JudgedPlace {
  const { scenario, contest } = judged;
  const doubtful = withUnsettledFirst(contest);
  if (doubtful === contest) return judged;
  const [first, second] = doubtful.ranked;
  const decision = comparisonOf(scenario.lookup(second, first), contest.isOpen ? 99 : "rate");
  return { ...judged, contest: { ...doubtful, decision, leader: null, isEquivalent: false } };
}

/** @param comparison The first over the second. */
function longerTailIn(
  { ranked: [first, second], isEquivalent, isOpen }: Decided,
  comparison: GroupComparison,
): Place["longerTail"] {
  if (isAtLimit(first)) return null;
  const { verdict, ratio } = comparisonOf(comparison, 99);
  if (!isEquivalent || isOpen || ratio === null) return null;
  const [target, times] = verdict === "worse" ? [first.target, ratio] : [second.target, 1 / ratio];
  const isDecided = verdict === "worse" || verdict === "better";
  return isDecided && notable(times) !== null ? { target, ratio: times } : null;
}

function beatenIn(contest: Decided, { lookup }: ScenarioComparison): string[] {
  const { ranked: [first, ...others], isOpen } = contest;
  return others.filter((other) =>
    comparisonOf(lookup(other, first), isOpen ? 99 : "rate").verdict === "better"
  ).map(({ target }) => target);
}

function standingIn({ contest, scenario, unjudgedAhead }: JudgedPlace): Place["standing"] {
  const { ranked: [, ...others], leader, decision } = contest;
  if (competing(contest.ranked).length === 0) return "none-keeps-up";
  if (isAlone(contest) || others.length === 0) return "alone";
  if (leader !== null) return decision?.interval === null ? "one-run" : "ahead";
  if (unjudgedAhead.length > 0) return "unsteady";
  return standingsOf(contest, scenario).find((one) => one !== "ahead") ?? "unknown";
}

function likelyIn({ contest, scenario, unjudgedAhead }: JudgedPlace): string | null {
  if (contest.leader !== null || unjudgedAhead.length > 0) return null;
  const standings = standingsOf(contest, scenario);
  const isLikely = standings.includes("likely-ahead") &&
    standings.every((one) => one === "ahead" || one === "likely-ahead");
  return isLikely ? contest.ranked[0].target : null;
}

/** Of the first against each of the others. */
function standingsOf({ ranked, isOpen }: Decided, { lookup }: ScenarioComparison): Standing[] {
  const [first, ...others] = ranked;
  return others.map((other) =>
    standingOf(comparisonOf(lookup(other, first), isOpen ? 99 : "rate"))
  );
}

/** What is the same for two judgements of a place that say the same, whatever their figures. */
export function keyOfPlace({ scenario, contest, standing, likely }: Place): string {
  return JSON.stringify([
    ...placeKey({ scenario, contest }),
    standing,
    contest.leader ?? likely ?? contest.ranked.map(({ target }) => target).toSorted(),
  ]);
}

/** Where it is. */
export function placeKey({ scenario, contest }: Pick<Place, "scenario" | "contest">): string[] {
  return [scenario.name, contest.label];
}

/** `static, fib and 3 more`: in their order. */
export function namesOfPlaces(places: readonly Place[], most = 4): string {
  const names = places.map(({ name }) => name);
  const [first] = places;
  const isOneFactor = first !== undefined &&
    places.every(({ name, contest }) =>
      name === contest.label && contest.factors.length === 1 &&
      contest.factors[0].name === first.contest.factors[0]?.name
    );
  const texts = isOneFactor
    ? names.map((name, i) => i === 0 ? name : places[i].contest.factors[0].value)
    : names;
  if (texts.length <= most) return listed(texts, "and");
  return `${texts.slice(0, most - 1).join(", ")} and ${texts.length - most + 1} more`;
}

/** `5 scenarios`, `4 connections`: what there are so many of. */
export function nounOfPlaces(places: readonly Place[]): "scenario" | "setting" {
  const scenarios = unique(places.map(({ scenario }) => scenario.name));
  return scenarios.length === places.length ? "scenario" : "setting";
}

/** `in static and fib`, `at connections 10 and 50`. */
export function inText(places: readonly Place[]): string {
  return `${
    nounOfPlaces(places) === "scenario" && places[0].name === places[0].scenario.name ? "in" : "at"
  } ${namesOfPlaces(places)}`;
}

/** `in 4 of 5 scenarios`, `in both scenarios` */
export function placesShareText(those: readonly Place[], places: readonly Place[]): string {
  return those.length === places.length
    ? allText(places)
    : `in ${those.length} of ${counted(places.length, nounOfPlaces(places))}`;
}

/** More names of places are no sentence. */
export const MOST_NAMED = 2;

/** ` in static and fib`, ` in 4 of 5 scenarios`; "" where there is only one. */
export function whereText(those: readonly Place[], places: readonly Place[]): string {
  if (places.length === 1) return "";
  return ` ${those.length <= MOST_NAMED ? inText(those) : placesShareText(those, places)}`;
}

/** `in both scenarios`, `in all 5 scenarios` */
export function allText(places: readonly Place[]): string {
  return places.length === 2
    ? `in both ${nounOfPlaces(places)}s`
    : `in all ${counted(places.length, nounOfPlaces(places))}`;
}

/** Says where; null: how many they are is said instead. */
export type Naming = ((places: readonly Place[]) => string) | null;

/** A target, and where it seems ahead. */
export interface Seeming {
  readonly target: string;
  readonly those: readonly Place[];
}

/** Who seems ahead in more than half of the places; null without one. */
export function mostLikely(places: readonly Place[]): Seeming | null {
  const [most] = likelyGroups(places);
  return most !== undefined && 2 * most.those.length > places.length ? most : null;
}

/** From the one that seems ahead most often. */
export function likelyGroups(places: readonly Place[]): Seeming[] {
  const seeming = places.filter(({ likely }) => likely !== null);
  return [...Map.groupBy(seeming, ({ likely }) => likely ?? "")]
    .map(([target, those]) => ({ target, those }))
    .sort((a, b) => b.those.length - a.those.length);
}

// What a lead costs: a target that is ahead may have the longer tail, or use more CPU. Only what is decided
// as the lead itself is, and large enough for a word, is said.

/** Ratios of the one ahead over the next, above 1; null where it costs nothing that is certain and notable. */
export interface Tradeoffs {
  /** Of latency; of a lead by p99 itself null. */
  readonly p99: number | null;
  /** Of the cores that are used on average. */
  readonly cpu: number | null;
}

interface Lead {
  readonly first: CellRuns;
  readonly next: CellRuns;
  /** The first over the next. */
  readonly comparison: GroupComparison;
}

export interface TradeoffOptions {
  /** Of the intervals. */
  readonly level: number;
  /** Leads whose CPU is compared: each makes a false alarm likelier (Bonferroni's correction). */
  readonly leads: number;
}

export function tradeoffsOf(lead: Lead, options: TradeoffOptions): Tradeoffs {
  const p99 = comparisonOf(lead.comparison, 99);
  return {
    p99: p99.verdict === "worse" && !isAtLimit(lead.first) ? notable(p99.ratio) : null,
    cpu: notable(moreCpuOf(lead, options)),
  };
}

function notable(ratio: number | null): number | null {
  return ratio !== null && ratio >= 1 + NOTABLE_CHANGE ? ratio : null;
}

/** Null where it is not more for certain, or nobody watched both. */
function moreCpuOf(
  { first, next, comparison: { marginRatio } }: Lead,
  { level, leads }: TradeoffOptions,
): number | null {
  const [of, to] = [first, next].map(coresEstimate);
  return of && to && surelyMore({ of, to }, { level, leads, marginRatio });
}

/**
 * How many times as many cores, where it is more for certain by more than the margin; else null.
 *
 * @param cores Used on average.
 */
export function surelyMore(
  { of, to }: { readonly of: Estimate; readonly to: Estimate },
  { level, leads, marginRatio }: TradeoffOptions & { readonly marginRatio: number },
): number | null {
  const ratio = ratioInterval(of, to, { confidence: level });
  if (!ratio) return null;
  const tested = { interval: ratio, pairing: pairingOf(of, to), sides: [to, of] } as const;
  const { verdict } = comparisonVerdict({
    ratio,
    adjustedP: Math.min(1, leads * pBeyond(ratio, marginRatio)),
    exact: exactTest(tested, marginRatio) ?? UNCOUNTED,
    marginRatio,
    better: "lower",
  });
  return verdict === "worse" ? ratio.value : null;
}

function coresEstimate({ runs, estimates }: CellRuns): Estimate | null {
  if (runs.some(({ resources }) => resources.length === 0)) return null;
  return estimateOfMean(runs.map(meanCoresOf), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: runs.map(({ repetition }) => repetition),
  });
}
