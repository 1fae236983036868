/** Where an experiment compares: each scenario, at each setting of its other factors, with who is ahead there. */
import type { ScenarioComparison } from "../compared_scenarios.ts";
import { comparisonOf, type FigureComparison } from "../comparison/comparison.ts";
import { competing } from "../comparison/shortfall.ts";
import { type Standing, standingOf } from "../comparison/standing.ts";
import { listed, unique } from "../numbers/words.ts";
import { type Decided, isAlone } from "../sweeps/verdict.ts";
import { type Tradeoffs, tradeoffsOf } from "./tradeoffs.ts";

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
  /** Whom the first is ahead of for certain. */
  readonly beaten: readonly string[];
}

const NO_TRADEOFFS: Tradeoffs = { p99: null, cpu: null };

/** @param level Of the intervals. */
export function placesOf(scenarios: readonly ScenarioComparison[], level: number): Place[] {
  const all = scenarios.flatMap((scenario) =>
    scenario.contests.map((contest) => ({ scenario, contest }))
  );
  const areScenarios = new Set(all.map(({ scenario }) => scenario)).size > 1;
  const leads = all.filter(({ contest }) => contest.leader !== null).length;
  return all.map(({ scenario, contest }) => {
    const { ranked: [first, second], label, leader } = contest;
    const isSeveral = scenario.contests.length > 1;
    const parts = [areScenarios ? scenario.name : "", isSeveral ? label : ""].filter(Boolean);
    const comparison = second === undefined ? null : scenario.lookup(second, first);
    return {
      scenario,
      contest,
      name: parts.join(", ") || scenario.name,
      standing: standingIn(contest, scenario),
      decision: contest.decision,
      beaten: beatenIn(contest, scenario),
      tradeoffs: leader === null || comparison === null
        ? NO_TRADEOFFS
        : tradeoffsOf({ first, next: second, comparison }, { level, leads }),
    };
  });
}

function beatenIn(contest: Decided, { lookup }: ScenarioComparison): string[] {
  const { ranked: [first, ...others], isOpen } = contest;
  return others.filter((other) =>
    comparisonOf(lookup(other, first), isOpen ? 99 : "rate").verdict === "better"
  ).map(({ target }) => target);
}

function standingIn(contest: Decided, { lookup }: ScenarioComparison): Place["standing"] {
  const { ranked: [first, ...others], isOpen, leader, decision } = contest;
  if (competing(contest.ranked).length === 0) return "none-keeps-up";
  if (isAlone(contest) || others.length === 0) return "alone";
  if (leader !== null) return decision?.interval === null ? "one-run" : "ahead";
  const standings = others.map((other) =>
    standingOf(comparisonOf(lookup(other, first), isOpen ? 99 : "rate"))
  );
  return standings.find((one) => one !== "ahead") ?? "unknown";
}

/** What is the same for two judgements of a place that say the same, whatever their figures. */
export function keyOfPlace({ scenario, contest, standing }: Place): string {
  return JSON.stringify([
    ...placeKey({ scenario, contest }),
    standing,
    contest.leader ?? contest.ranked.map(({ target }) => target).toSorted(),
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
