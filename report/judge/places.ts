/**
 * What is known at each place of a comparison. In an experiment, a place is a setting of a scenario, where one target
 * may be ahead; if targets are compared with a base, it is one of these targets in a setting; in two results, it is a
 * cell. Places are judged twice, by all runs and by the undisturbed runs alone, and a verdict holds only as far as both
 * agree.
 */
import { isSearched } from "../figures/capacity.ts";
import type { CellRuns } from "../cells/cells.ts";
import { isNamedBase } from "../cells/recast.ts";
import {
  certaintyOf,
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
  NOTABLE_CHANGE,
  type Standing,
  standingOf,
} from "./comparison.ts";
import type { ComparedFigure } from "./group.ts";
import { type Contest, decisiveFigure, type Lookup, type Plan, unjudgedAhead } from "./pairs.ts";
import { unique } from "../writing/words.ts";
import { competing, type Shortfall, shortfallOf } from "./shortfall.ts";

/**
 * `leads`, `likely`: one side is ahead, certainly or without proof; `only`: a single side meets the requirements;
 * `none`: no side does.
 */
export type PlaceCode = "leads" | "likely" | "equivalent" | "undecided" | "only" | "none";

/** Reasons of comparisons for which there is no standing; the last three are specific to sides loaded in turns. */
const OTHER_REASONS = [
  ...["nothing", "errors", "sessions", "unconfirmed"] as const,
  ...["few-slices", "dependent-slices", "disturbed"] as const,
];

/** Why no side is ahead. `doubted`: the undisturbed runs alone do not show it; `lost`: there are too few of them. */
export type Why =
  | Exclude<Standing, "ahead" | "behind" | "equivalent" | "unknown">
  | typeof OTHER_REASONS[number]
  | "doubted"
  | "lost";

interface Side {
  readonly name: string;
  /** The name with the values of factors that distinguish it from others of the same name. */
  readonly label: string;
  readonly color: number;
}

export interface Place {
  /** Identifies the place in both judgements; in a comparison with a base, together with the other side. */
  readonly key: string;
  /** `static`, `connections 50`, `static, connections 50`: as much as distinguishes the place. */
  readonly name: string;
  readonly scenario: string;
  /** The factors that define the setting. */
  readonly factors: readonly string[];
  /** The noun for counting such places. */
  readonly noun: "scenario" | "setting" | "cell";
  readonly code: PlaceCode;
  /** The best side in this place; in a comparison with a base, the other side. */
  readonly first: Side;
  /**
   * The rival with which the first is compared: the closest side that it is not proven to beat, or else the next one;
   * null if it is alone.
   */
  readonly rival: Side | null;
  /** Comparison of the first with its rival. */
  readonly decision: FigureComparison | null;
  /** Comparison of the same two by median latency, if p99 decides and the medians disagree; else null. */
  readonly median: FigureComparison | null;
  readonly marginRatio: number;
  /**
   * Whether the first precedes the rival in the experiment, so that tables show the ratio of the rival to the first.
   */
  readonly isFirstBase: boolean;
  /** The deciding figure, and its name: `requests/s`, `p99`. */
  readonly of: ComparedFigure;
  readonly figure: string;
  /** Targets as fast as the leader, or not distinguished from it. */
  readonly peers: readonly string[];
  /** Targets that are certainly slower than the leader. */
  readonly beaten: readonly string[];
  readonly short: readonly Shortfall[];
  /** Targets that never settled, and whether they ran ahead of all that did. */
  readonly unsettled: readonly string[];
  readonly isUnsettledAhead: boolean;
  /** Targets without an undisturbed run, which the verdict leaves out. */
  readonly invalid: readonly string[];
  /** Why the place is undecided; null if it is decided. */
  readonly why: Why | null;
}

/** All targets that the place names. */
export function targetsOf(
  { first, rival, peers, beaten, short, unsettled }: Omit<Place, "invalid">,
): string[] {
  const shorts = short.map(({ label }) => label);
  return [first.name, rival?.name ?? [], peers, beaten, shorts, unsettled].flat();
}

/** The side that is ahead, certainly or likely; in a comparison with a base it may be either. */
export function winnerOf({ code, first, rival, decision }: Place): Side | null {
  if (code === "only") return first;
  if (code !== "leads" && code !== "likely") return null;
  const ratio = decision?.ratio ?? 1;
  const isBehind = decision !== null && (isMoreBetter(decision) ? ratio < 1 : ratio > 1);
  return isBehind ? rival : first;
}

export function isMoreBetter({ figure }: Pick<FigureComparison, "figure">): boolean {
  return figure === "rate";
}

/** `capacity`, `requests/s`, `p99`. @param unit Unit of the rate: what is counted. */
export function figureNameOf(
  figure: ComparedFigure,
  { runs }: Pick<CellRuns, "runs">,
  unit = "requests/s",
): string {
  if (figure === "rate") return isSearched(runs) ? "capacity" : unit;
  return figure === "cpuPerRequest" ? "CPU per request" : figure === "mean" ? "mean" : `p${figure}`;
}

/** A scenario whose contests are ranked by their outcome. */
export interface DecidedPlan extends Plan {
  /** The unit of the rate: `requests/s`, `purchases/s`. */
  readonly unit: string;
  readonly lookup: Lookup;
}

type Where = Pick<Place, "name" | "scenario" | "factors" | "noun">;

/** The places of all scenarios. @param base A target with which the others are compared; null: find the leader. */
export function placesOf(plans: readonly DecidedPlan[], base: string | null): Place[] {
  const contested = plans.filter(({ contests }) => contests.length > 0);
  const noun = contested.some(({ contests }) => contests.length > 1) ? "setting" : "scenario";
  return contested.flatMap((plan) =>
    plan.contests.flatMap((contest): Place[] => {
      const parts = [
        contested.length > 1 ? plan.name : "",
        plan.contests.length > 1 ? contest.label : "",
      ];
      const where: Where = {
        name: parts.filter(Boolean).join(", ") || plan.name,
        scenario: plan.name,
        factors: contest.factors.map(({ name }) => name),
        noun,
      };
      return base === null
        ? [rankedPlace(contest, plan, where)]
        : besidePlaces(contest, plan, { ...where, base });
    })
  );
}

function rankedPlace(contest: Contest, { lookup, unit }: DecidedPlan, where: Where): Place {
  const { ranked: [first, ...others], unjudged } = contest;
  const figure = decisiveFigure(contest.ranked);
  const rivals = others.map((cell) => {
    const comparison = lookup(cell, first);
    const decision = comparisonOf(comparison, figure);
    const { marginRatio } = comparison;
    const median = oppositeMedian(decision, comparison);
    return { cell, decision, median, standing: standingOf(decision), marginRatio };
  });
  const ahead = unjudgedAhead(contest);
  const isUnsettledAhead = ahead.length > 0;
  const open = rivals.filter(({ standing }) => standing !== "ahead");
  const [nearest] = [...open, ...rivals];
  const areAll = (standing: Standing): boolean => open.every((one) => one.standing === standing);
  const code = competing(contest.ranked).length === 0
    ? "none"
    : nearest === undefined
    ? "only"
    : isUnsettledAhead
    ? "undecided"
    : open.length === 0
    ? "leads"
    : areAll("likely-ahead")
    ? "likely"
    : areAll("equivalent")
    ? "equivalent"
    : "undecided";
  return {
    ...where,
    key: JSON.stringify([where.scenario, contest.label]),
    code,
    first: sideOf(first),
    rival: nearest === undefined ? null : sideOf(nearest.cell),
    decision: nearest === undefined ? null : withoutLevel(nearest.decision),
    median: nearest?.median ?? null,
    marginRatio: nearest?.marginRatio ?? 0,
    isFirstBase: nearest !== undefined &&
      contest.cells.indexOf(first) < contest.cells.indexOf(nearest.cell),
    of: figure,
    figure: figureNameOf(figure, first, unit),
    peers: open.filter(({ standing }) => standing === nearest.standing)
      .map(({ cell }) => cell.target),
    beaten: rivals.filter(({ standing }) => standing === "ahead").map(({ cell }) => cell.target),
    short: shortIn(contest.cells),
    unsettled: (isUnsettledAhead ? ahead : unjudged).map(({ target }) => target),
    isUnsettledAhead,
    invalid: [],
    why: code !== "undecided" ? null : isUnsettledAhead ? "unsteady" : whyOpen(nearest.decision),
  };
}

/** The comparison of medians, if it contradicts that of tails: a much shorter tail may come with a longer median. */
export function oppositeMedian(
  { figure, ratio }: FigureComparison,
  comparison: GroupComparison,
): FigureComparison | null {
  const median = comparisonOf(comparison, 50);
  if (figure !== 99 || ratio === null || median.ratio === null) return null;
  const isOpposite = Math.sign(Math.log(median.ratio)) === -Math.sign(Math.log(ratio));
  const isNotable = Math.abs(Math.log(median.ratio)) > Math.log1p(NOTABLE_CHANGE);
  return isOpposite && isNotable && certaintyOf(standingOf(median)) !== "open" ? median : null;
}

/** Why a comparison has no verdict, or does not decide a place. */
export function whyOpen(comparison: FigureComparison): Why {
  const other = OTHER_REASONS.find((one) => one === comparison.reason);
  const standing = standingOf(comparison);
  if (other !== undefined || standing === "unknown") return other ?? "nothing";
  return standing === "ahead" || standing === "behind" || standing === "equivalent"
    ? "few-runs"
    : standing;
}

/** The decision without its interval, because a run that never settles has no level for an interval to surround. */
export function withoutLevel(decision: FigureComparison): FigureComparison {
  return standingOf(decision) === "unsteady" ? { ...decision, interval: null } : decision;
}

function sideOf({ target, label, color }: CellRuns): Side {
  return { name: target, label, color };
}

/** Shortfalls of the targets that have no competing cell. */
function shortIn(cells: readonly CellRuns[]): Shortfall[] {
  const able = new Set(competing(cells).map(({ target }) => target));
  return cells.filter(({ target }) => !able.has(target)).flatMap((cell) => {
    const short = shortfallOf(cell);
    return short === null ? [] : [{ ...short, label: cell.target }];
  });
}

function besidePlaces(
  { cells, label, ranked }: Contest,
  { againstBase, lookup, unit }: DecidedPlan,
  { base: name, ...where }: Where & { readonly base: string },
): Place[] {
  const base = cells.find((cell) => isNamedBase(cell, name));
  if (base === undefined) return [];
  return cells.filter(({ target }) => target !== base.target).flatMap((other) => {
    const short = shortIn([base, other]);
    const isCompared = againstBase.some((pair) => pair.base === base && pair.next === other);
    if (short.length === 0 && !isCompared) return [];
    const of = decisiveFigure(ranked);
    const comparison = short.length === 0 ? lookup(base, other) : null;
    return [besidePlace({
      ...where,
      key: JSON.stringify([where.scenario, label, other.label]),
      sides: [sideOf(base), sideOf(other)],
      short,
      of,
      figure: figureNameOf(of, other, unit),
      decision: comparison && comparisonOf(comparison, of),
      median: comparison && oppositeMedian(comparisonOf(comparison, of), comparison),
      marginRatio: comparison?.marginRatio ?? 0,
    })];
  });
}

type Beside =
  & Where
  & Pick<Place, "key" | "short" | "of" | "figure" | "decision" | "median" | "marginRatio">
  & {
    readonly sides: readonly [base: Side, other: Side];
  };

/** The place of a side compared with the base. If both sides meet the requirements, their comparison decides it. */
export function besidePlace({ sides: [base, other], ...pair }: Beside): Place {
  const isShort = ({ name }: Side): boolean => pair.short.some(({ label }) => label === name);
  const place = {
    ...pair,
    first: isShort(other) && !isShort(base) ? base : other,
    rival: base,
    isFirstBase: false,
    peers: [base.name],
    beaten: [],
    unsettled: [],
    isUnsettledAhead: false,
    invalid: [],
    why: null,
  };
  const { decision } = pair;
  if (pair.short.length > 0 || decision === null) {
    return { ...place, rival: null, decision: null, code: pair.short.length > 1 ? "none" : "only" };
  }
  const standing = standingOf(decision);
  if (standing === "ahead" || standing === "behind") return { ...place, code: "leads" };
  if (standing === "equivalent") return { ...place, code: "equivalent" };
  const isLikely = standing === "likely-ahead" || standing === "likely-behind";
  // Two sessions alone may differ by as much as a likely lead.
  if (isLikely && decision.between?.kind === "unknown") {
    return { ...place, code: "undecided", why: "sessions" };
  }
  return isLikely ? { ...place, code: "likely" } : {
    ...place,
    decision: withoutLevel(decision),
    code: "undecided",
    why: whyOpen(decision),
  };
}

/**
 * What becomes of the verdict without the disturbed runs:
 * - `all-valid`: no run is disturbed; `none-valid`: no run is valid; `uncompared`: nothing is compared;
 * - `in-turns`: no run is left out, because the sides took turns, so whatever disturbs one disturbs the other;
 * - `same`: it stays the same in all places; `partly`: in some;
 * - in no place: `fewer`, because too few runs are left to compare; `open`, because they do not decide; `changed`,
 *   because they contradict it;
 * - `held-back`: it needs runs whose disturbance can only have reduced the winner's lead.
 */
export type Survival =
  | "all-valid"
  | "none-valid"
  | "in-turns"
  | "uncompared"
  | "same"
  | "held-back"
  | "partly"
  | "open"
  | "fewer"
  | "changed";

export interface Judged {
  readonly places: readonly Place[];
  readonly survival: Survival;
  /** Places whose verdict depends on disturbed runs. */
  readonly lost: readonly Place[];
}

/**
 * Judges places by all runs and by the undisturbed ones. A decision that the undisturbed runs alone do not support
 * becomes likely or undecided, unless they support it together with runs whose disturbance only held the winner back.
 * @param again The places by the undisturbed runs alone; null if no run was disturbed.
 * @param withHeldBack The places by the undisturbed runs and those whose disturbance only held the winner back.
 */
export function judgedTwice(
  places: readonly Place[],
  again: readonly Place[] | null,
  withHeldBack: readonly Place[] = [],
): Judged {
  if (again === null) return { places, survival: "all-valid", lost: [] };
  if (places.length === 0) return { places, survival: "uncompared", lost: [] };
  const [undisturbed, heldBack] = [again, withHeldBack].map((those) =>
    new Map(those.map((place) => [place.key, place]))
  );
  const judged = places.map((place) => {
    const kept = keptAs(place, undisturbed.get(place.key));
    return kept.kept === "same" ? kept : keptByHeldBack(place, heldBack.get(place.key)) ?? kept;
  });
  const lost = judged.filter(({ kept }) => kept !== "same" && kept !== "held-back");
  const [kept = "same"] = (["changed", "open", "fewer", "held-back"] as const)
    .filter((one) => judged.some(({ kept }) => kept === one));
  return {
    places: judged.map(({ place }) => place),
    lost: lost.map(({ place }) => place),
    survival: lost.length > 0 && lost.length < places.length ? "partly" : kept,
  };
}

interface Kept {
  readonly place: Place;
  readonly kept: "same" | "held-back" | "open" | "changed" | "fewer";
}

/** The lead as a lower bound, if it shows when the winner's held-back runs count, too; else null. */
function keptByHeldBack(place: Place, held: Place | undefined): Kept | null {
  const isLead = place.code === "leads" && place.of === "rate" && winnerOf(place) === place.first;
  return isLead && held !== undefined && saysOf(held) === saysOf(place)
    ? {
      place: { ...held, decision: held.decision && { ...held.decision, bound: "least" } },
      kept: "held-back",
    }
    : null;
}

function keptAs(place: Place, without: Place | undefined): Kept {
  if (without === undefined) {
    return { place: { ...place, code: "undecided", why: "lost" }, kept: "fewer" };
  }
  if (saysOf(without) === saysOf(place)) {
    const known = targetsOf(without);
    const invalid = unique(targetsOf(place)).filter((target) => !known.includes(target));
    // A target without an undisturbed run is not ranked among those that have one.
    return { place: invalid.length === 0 ? place : { ...without, invalid }, kept: "same" };
  }
  const isOpen = without.code === "undecided" ||
    (without.code === "likely" && winnerOf(without)?.name === winnerOf(place)?.name);
  const isLead = isOpen && place.code === "leads" && place.decision !== null;
  return {
    place: { ...place, code: isLead ? "likely" : "undecided", why: "doubted" },
    kept: isOpen ? "open" : "changed",
  };
}

/**
 * The comparison, with a mark on each verdict that the undisturbed runs alone do not give. A verdict that needs runs of
 * a side that was held back has the ratio of these runs.
 * @param again The comparison of the undisturbed runs; undefined if too few of them are left.
 * @param withHeldBack The same with runs whose disturbance can only have held the faster side back: a verdict on
 * requests/s that it shows holds, too.
 */
export function withDoubt(
  comparison: GroupComparison,
  again: GroupComparison | undefined,
  withHeldBack?: GroupComparison,
): GroupComparison {
  const figures = comparison.figures.map((one, i): FigureComparison => {
    const { figure, verdict } = one;
    const held = withHeldBack?.figures[i];
    if (verdict === "inconclusive" || again?.figures[i].verdict === verdict) {
      return { ...one, isDoubted: false };
    }
    // The faster side may be faster still, so the ratio of these runs is a bound.
    return figure === "rate" && verdict !== "equivalent" && held?.verdict === verdict
      ? { ...held, bound: verdict === "better" ? "least" : "most" }
      : { ...one, isDoubted: true };
  });
  return { ...comparison, figures };
}

/** A key that is equal for places with the same statement, whatever their figures. */
function saysOf(place: Place): string {
  const short = place.short.map(({ label }) => label);
  return JSON.stringify([place.code, winnerOf(place)?.name ?? null, short]);
}
