/**
 * What is known at each place where an experiment compares: each scenario, at each setting of its other factors. It is
 * judged twice, by all runs and by the valid ones alone, and holds only as far as both agree.
 */
import type { Survival, Why } from "../../findings/card_sentences.ts";
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import { competing, type Shortfall, shortfallOf } from "../../judge/shortfall.ts";
import { type Standing, standingOf } from "../../judge/standing.ts";
import { isOpenAbove, isSearched } from "../../figures/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { isNamedBase } from "../../cells/recast.ts";
import { type Decided, unjudgedAhead } from "../../judge/contests.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";

/**
 * `leads`, `likely`: one is ahead, for certain or without proof; `only`: one alone does what is required; `none`: nobody
 * does.
 */
export type PlaceCode = "leads" | "likely" | "equivalent" | "undecided" | "only" | "none";

export interface Side {
  readonly name: string;
  readonly color: number;
}

export interface Place {
  /** The same for the same place, and the same other beside a base, in both judgements. */
  readonly key: string;
  /** `static`, `connections 50`, `static, connections 50`: as much as tells it from the others. */
  readonly name: string;
  readonly scenario: string;
  /** The factors that make the setting. */
  readonly factors: readonly string[];
  readonly code: PlaceCode;
  /** The best there; of a comparison with a base the other one. */
  readonly first: Side;
  /** What the first is held against: the nearest that it is not ahead of, or else the next; null where it is alone. */
  readonly rival: Side | null;
  /** Of the first over the rival. */
  readonly decision: FigureComparison | null;
  readonly marginRatio: number;
  /** What the decision is about, and how it is called: `requests/s`, `p99`. */
  readonly of: ComparedFigure;
  readonly figure: string;
  readonly isAtLeast: boolean;
  /** Those that the first is as fast as, or not told apart from. */
  readonly peers: readonly string[];
  /** Those that the first is ahead of for certain. */
  readonly beaten: readonly string[];
  readonly short: readonly Shortfall[];
  /** Those that never settled, and whether they ran ahead of all that did. */
  readonly unsettled: readonly string[];
  readonly isUnsettledAhead: boolean;
  /** Why it is not decided; null where it is, or where the decision itself says so. */
  readonly why: Why | null;
  /** What the places are; null: scenarios, or settings of them. */
  readonly noun: "cell" | null;
}

/** Who is ahead, for certain or likely; of a comparison with a base either. */
export function winnerOf({ code, first, rival, decision }: Place): Side | null {
  if (code === "only") return first;
  if (code !== "leads" && code !== "likely") return null;
  return decision !== null && isBehind(decision) ? rival : first;
}

function isBehind(decision: FigureComparison): boolean {
  return isMoreBetter(decision) ? (decision.ratio ?? 1) < 1 : (decision.ratio ?? 1) > 1;
}

export function isMoreBetter({ figure }: Pick<FigureComparison, "figure">): boolean {
  return figure === "rate";
}

/** Where runs never settle there is no level for an interval to be around. */
export function withoutLevel(decision: FigureComparison): FigureComparison {
  return standingOf(decision) === "unsteady" ? { ...decision, interval: null } : decision;
}

/** `capacity`, `requests/s`, `p99`. @param unit Of the rate: what is counted. */
export function figureNameOf(
  figure: FigureComparison["figure"],
  { runs }: Pick<CellRuns, "runs">,
  unit = "requests/s",
): string {
  if (figure === "rate") return isSearched(runs) ? "capacity" : unit;
  return figure === "cpuPerRequest" ? "CPU per request" : figure === "mean" ? "mean" : `p${figure}`;
}

// Who is ahead.

/** @param base A target that the others are held against; null: who is ahead is the question. */
export function placesOf(
  scenarios: readonly ScenarioComparison[],
  base: string | null,
  unitOf: (scenario: string) => string,
): Place[] {
  const areSeveral = scenarios.filter(({ contests }) => contests.length > 0).length > 1;
  return scenarios.flatMap((scenario) =>
    scenario.contests.flatMap((contest): Place[] => {
      const parts = [
        areSeveral ? scenario.name : "",
        scenario.contests.length > 1 ? contest.label : "",
      ];
      const at = {
        name: parts.filter(Boolean).join(", ") || scenario.name,
        scenario: scenario.name,
        factors: contest.factors.map(({ name }) => name),
        unit: unitOf(scenario.name),
      };
      return base === null
        ? [rankedPlace(contest, scenario, at)]
        : besidePlaces(contest, scenario, { ...at, base });
    })
  );
}

interface At extends Pick<Place, "name" | "scenario" | "factors"> {
  readonly unit: string;
}

function rankedPlace(
  contest: Decided,
  { lookup }: ScenarioComparison,
  { unit, ...at }: At,
): Place {
  const { ranked: [first, ...others], unjudged, isOpen, leader } = contest;
  const figure = isOpen ? 99 : "rate";
  const rivals = others.map((cell) => {
    const comparison = lookup(cell, first);
    const decision = comparisonOf(comparison, figure);
    const standing = decision.interval === null && decision.reason !== "errors"
      ? openStanding(decision)
      : standingOf(decision);
    return { cell, decision, standing, marginRatio: comparison.marginRatio };
  });
  const open = rivals.filter(({ standing }) => standing !== "ahead");
  const isUnsettledAhead = unjudgedAhead(contest).length > 0;
  const [nearest] = [...open, ...rivals];
  const peers = open.filter(({ standing }) => standing === nearest?.standing);
  const code = competing(contest.ranked).length === 0
    ? "none"
    : nearest === undefined
    ? "only"
    : isUnsettledAhead
    ? "undecided"
    : open.length === 0 && leader !== null
    ? "leads"
    : open.every(({ standing }) => standing === "likely-ahead")
    ? "likely"
    : open.every(({ standing }) => standing === "equivalent")
    ? "equivalent"
    : "undecided";
  return {
    ...at,
    key: JSON.stringify([at.scenario, contest.label]),
    code,
    first: sideOf(first),
    rival: nearest === undefined ? null : sideOf(nearest.cell),
    decision: nearest === undefined ? null : withoutLevel(nearest.decision),
    marginRatio: nearest?.marginRatio ?? 0,
    of: figure,
    figure: figureNameOf(figure, first, unit),
    isAtLeast: isOpenAbove(first.runs),
    peers: peers.map(({ cell }) => cell.target),
    beaten: rivals.filter(({ standing }) => standing === "ahead").map(({ cell }) => cell.target),
    short: shortIn(contest.cells),
    unsettled: (isUnsettledAhead ? unjudgedAhead(contest) : unjudged).map(({ target }) => target),
    isUnsettledAhead,
    why: code !== "undecided"
      ? null
      : isUnsettledAhead
      ? "unsteady"
      : whyOf(nearest.standing, nearest.decision),
    noun: null,
  };
}

/** Of single runs, by the margin a leader: it says nothing of the next run. */
function openStanding(decision: FigureComparison): Standing {
  const standing = standingOf(decision);
  return standing === "ahead" || standing === "behind" ? "one-run" : standing;
}

function whyOf(standing: Standing, { reason }: FigureComparison): Why {
  if (reason === "sessions" || reason === "unconfirmed") return reason;
  return standing === "ahead" || standing === "behind" || standing === "equivalent"
    ? "few-runs"
    : standing;
}

function sideOf({ target, color }: CellRuns): Side {
  return { name: target, color };
}

/** Of targets that compete with none of their cells. */
function shortIn(cells: readonly CellRuns[]): Shortfall[] {
  const able = new Set(competing(cells).map(({ target }) => target));
  return cells.filter(({ target }) => !able.has(target)).flatMap((cell) => {
    const short = shortfallOf(cell);
    return short === null ? [] : [{ ...short, label: cell.target }];
  });
}

// What others do beside a base.

function besidePlaces(
  contest: Decided,
  { rows, lookup }: ScenarioComparison,
  { base: name, unit, ...at }: At & { readonly base: string },
): Place[] {
  const { cells, label, isOpen } = contest;
  const base = cells.find((cell) => isNamedBase(cell, name));
  if (base === undefined) return [];
  const figure = isOpen ? 99 : "rate";
  return cells.filter(({ target }) => target !== base.target).flatMap((other): Place[] => {
    const short = shortIn([base, other]);
    const isCompared = rows.some((row) => row.base === base.label && row.name === other.label);
    if (short.length === 0 && !isCompared) return [];
    const isShort = short.some(({ label }) => label === other.target);
    const [first, rival] = isShort ? [base, other] : [other, base];
    const comparison = short.length === 0 ? lookup(base, other) : null;
    const decision = comparison && comparisonOf(comparison, figure);
    const place: Omit<Place, "code" | "why"> = {
      ...at,
      key: JSON.stringify([at.scenario, label, other.label]),
      first: sideOf(first),
      rival: short.length > 0 ? null : sideOf(rival),
      decision,
      marginRatio: comparison?.marginRatio ?? 0,
      of: figure,
      figure: figureNameOf(figure, other, unit),
      isAtLeast: false,
      peers: [rival.target],
      beaten: [],
      short,
      unsettled: [],
      isUnsettledAhead: false,
      noun: null,
    };
    return [
      decision === null
        ? { ...place, code: short.length > 1 ? "none" : "only", why: null }
        : withStanding(place, decision),
    ];
  });
}

/** What a pair's own comparison says of it. */
export function withStanding(
  place: Omit<Place, "code" | "why">,
  decision: FigureComparison,
): Place {
  const standing = standingOf(decision);
  if (decision.interval !== null && (standing === "ahead" || standing === "behind")) {
    return { ...place, code: "leads", why: null };
  }
  if (standing === "equivalent") return { ...place, code: "equivalent", why: null };
  const isLikely = standing === "likely-ahead" || standing === "likely-behind";
  // Who seems ahead within two sessions seems so by no more than sessions may differ.
  if (isLikely && decision.between?.kind === "unknown") {
    return { ...place, code: "undecided", why: "sessions" };
  }
  return isLikely ? { ...place, code: "likely", why: null } : {
    ...place,
    decision: withoutLevel(decision),
    code: "undecided",
    why: whyOf(openStanding(decision), decision),
  };
}

// One judgement of both.

export interface Judged {
  readonly places: readonly Place[];
  /** What the places hold others against; null where the question is who is ahead. */
  readonly base: string | null;
  readonly survival: Survival;
  /** Places that lean on runs that are not valid. */
  readonly lost: readonly Place[];
}

/**
 * What the valid runs alone do not bear out is not decided.
 *
 * @param again By the valid runs; null where all are.
 */
export function judgedTwice(
  places: readonly Place[],
  again: readonly Place[] | null,
  base: string | null = null,
): Judged {
  if (again === null) return { places, base, survival: "all-valid", lost: [] };
  if (places.length === 0) return { places, base, survival: "uncompared", lost: [] };
  const valid = new Map(again.map((place) => [place.key, place]));
  const judged = places.map((place) => ({ place, kept: valid.get(place.key) }))
    .map(({ place, kept }) => keptAs(place, kept));
  const lost = judged.filter(({ is }) => is !== "same");
  const has = (is: Kept): boolean => lost.some((one) => one.is === is);
  return {
    places: judged.map(({ place }) => place),
    base,
    lost: lost.map(({ place }) => place),
    survival: lost.length === 0
      ? "same"
      : lost.length < places.length
      ? "partly"
      : has("contradicted")
      ? "changed"
      : has("open")
      ? "open"
      : "fewer",
  };
}

type Kept = "same" | "open" | "contradicted" | "lost";

function keptAs(place: Place, kept: Place | undefined): { place: Place; is: Kept } {
  if (kept === undefined) {
    return { place: { ...place, code: "undecided", why: "lost" }, is: "lost" };
  }
  if (saysOf(kept) === saysOf(place)) return { place, is: "same" };
  const isOpen = kept.code === "undecided" ||
    (kept.code === "likely" && winnerOf(kept)?.name === winnerOf(place)?.name);
  if (!isOpen) {
    return { place: { ...place, code: "undecided", why: "doubted" }, is: "contradicted" };
  }
  const isLead = place.code === "leads" && place.decision !== null;
  return { place: { ...place, code: isLead ? "likely" : "undecided", why: "doubted" }, is: "open" };
}

/** The same of two that say the same, whatever their figures. */
function saysOf(place: Place): string {
  return JSON.stringify([
    place.code,
    winnerOf(place)?.name ?? null,
    place.short.map(({ label }) => label),
  ]);
}
