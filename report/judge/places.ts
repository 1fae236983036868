/**
 * What is known at each place of a comparison. What a place is depends on the comparison: a setting of a scenario in an
 * experiment, where one target may be ahead; one target at one setting if targets are compared with a base; or a cell
 * when two results are compared. Places are judged twice, from all runs and from only the undisturbed ones. A verdict
 * holds only as far as both agree.
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
 * The result at a place. `leads` and `likely`: one side is ahead, with or without proof. `only` and `none`: one side
 * meets the requirements, or no side does.
 */
export type PlaceCode = "leads" | "likely" | "equivalent" | "undecided" | "only" | "none";

/**
 * Reasons for an inconclusive comparison that no standing expresses; the last three occur only with sides loaded in
 * turns.
 */
const OTHER_REASONS = [
  ...["nothing", "errors", "sessions", "unconfirmed"] as const,
  ...["few-slices", "dependent-slices", "disturbed"] as const,
];

/**
 * Why no side is ahead. `doubted`: the undisturbed runs alone do not show a lead. `lost`: there are too few undisturbed
 * runs.
 */
export type Why =
  | Exclude<Standing, "ahead" | "behind" | "equivalent" | "unknown">
  | typeof OTHER_REASONS[number]
  | "doubted"
  | "lost";

interface Side {
  readonly name: string;
  /** The name, with the values of factors if other sides have the same name. */
  readonly label: string;
  readonly color: number;
}

export interface Place {
  /**
   * Identifies the place, so that its judgements from all runs and from the undisturbed ones can be matched. In a
   * comparison with a base, the key includes the other side.
   */
  readonly key: string;
  /** As much as is needed to tell places apart: `static`, `connections 50` or `static, connections 50`. */
  readonly name: string;
  readonly scenario: string;
  /** Names of the factors that define the setting. */
  readonly factors: readonly string[];
  /** The noun to use when places are counted. */
  readonly noun: "scenario" | "setting" | "cell";
  readonly code: PlaceCode;
  /**
   * The best side at this place. In a comparison with a base, it is the side that is compared, even if it is behind,
   * unless only the base meets the requirements.
   */
  readonly first: Side;
  /**
   * The side with which `first` is compared: the fastest one that `first` is not proven to beat or, if it beats all,
   * the next in rank. Null if there is no other side. In a comparison with a base, it is the base.
   */
  readonly rival: Side | null;
  /** Comparison of `first` with `rival`; null if there is none. */
  readonly decision: FigureComparison | null;
  /**
   * Comparison of the same two sides by median latency if p99 decides and the medians point the other way; otherwise
   * null.
   */
  readonly median: FigureComparison | null;
  readonly marginRatio: number;
  /** Whether `first` is listed before `rival` in the experiment, so that tables show the ratio rival ÷ first. */
  readonly isFirstBase: boolean;
  /** The decisive figure, and its name, such as `requests/s` or `p99`. */
  readonly of: ComparedFigure;
  readonly figure: string;
  /**
   * Of the targets that `first` is not proven to beat, those whose comparison with `first` has the same result as that
   * of `rival`. In a comparison with a base, only the base.
   */
  readonly peers: readonly string[];
  /** Targets that are proven slower than `first`. */
  readonly beaten: readonly string[];
  readonly short: readonly Shortfall[];
  /**
   * Targets that never settled. If any of these ran faster than the best settled target, only those are listed, and
   * `isUnsettledAhead` is true.
   */
  readonly unsettled: readonly string[];
  readonly isUnsettledAhead: boolean;
  /** Targets that the verdict leaves out, because they have no undisturbed run. */
  readonly invalid: readonly string[];
  /** Why the place is undecided; null if it is decided. */
  readonly why: Why | null;
}

export function targetsOf(
  { first, rival, peers, beaten, short, unsettled }: Omit<Place, "invalid">,
): string[] {
  const shorts = short.map(({ label }) => label);
  return [first.name, rival?.name ?? [], peers, beaten, shorts, unsettled].flat();
}

/**
 * The side that is ahead, with or without proof, or the only one that meets the requirements; null if there is none. In
 * a comparison with a base, either side may be ahead.
 */
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

/**
 * Examples: `capacity`, `requests/s`, `p99`.
 * @param unit Unit of the rate, which depends on what is counted.
 */
export function figureNameOf(
  figure: ComparedFigure,
  { runs }: Pick<CellRuns, "runs">,
  unit = "requests/s",
): string {
  if (figure === "rate") return isSearched(runs) ? "capacity" : unit;
  return figure === "cpuPerRequest" ? "CPU per request" : figure === "mean" ? "mean" : `p${figure}`;
}

/**
 * A scenario whose comparisons have been made. In its contests, cells that never settled are ranked if the best of them
 * is likely the fastest.
 */
export interface DecidedPlan extends Plan {
  /** Unit of the rate, such as `requests/s` or `purchases/s`. */
  readonly unit: string;
  readonly lookup: Lookup;
}

type Where = Pick<Place, "name" | "scenario" | "factors" | "noun">;

/**
 * The places of all scenarios.
 * @param base A target with which all others are compared; null to find the leader.
 */
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

/**
 * The comparison of the medians, if they differ notably and in the opposite direction to p99; otherwise null. A target
 * with a much shorter tail may have a longer median.
 */
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

/** Removes the interval if a side never settled, because an interval would suggest a constant level. */
export function withoutLevel(decision: FigureComparison): FigureComparison {
  return standingOf(decision) === "unsteady" ? { ...decision, interval: null } : decision;
}

function sideOf({ target, label, color }: CellRuns): Side {
  return { name: target, label, color };
}

/** The shortfalls of targets of which no cell meets the requirements. */
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

/** The place of a side that is compared with the base. If both sides meet the requirements, the comparison decides. */
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
  // Two sessions may differ by as much as a likely lead without any difference between the targets.
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
 * What remains of the verdict if the disturbed runs are left out:
 * - `all-valid`: no run is disturbed. `none-valid`: no run is valid. `uncompared`: nothing is compared.
 * - `in-turns`: no run is left out, because the sides took turns, so a disturbance affects both alike.
 * - `same`: the verdict stays the same in all places. `partly`: it stays the same in some.
 * - `held-back`: it stays the same only if those runs are kept whose disturbance can only have reduced the winner's
 * lead.
 * - `fewer`, `open`, `changed`: it does not hold in any place, because too few runs are left, because these runs do not
 * decide, or because they contradict it.
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
  /** Places whose verdict rests on disturbed runs. */
  readonly lost: readonly Place[];
}

/**
 * Judges places from all runs, and again from the undisturbed runs. If a verdict does not hold for the undisturbed runs
 * alone, it becomes likely or undecided, unless it holds when runs are added whose disturbance can only have held the
 * winner back.
 * @param again The places judged from the undisturbed runs; null if no run was disturbed.
 * @param withHeldBack The places judged from the undisturbed runs and those whose disturbance can only have held the
 * winner back.
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

/**
 * The lead as a lower bound, if it holds when runs are added whose disturbance can only have held the winner back;
 * otherwise null.
 */
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
    // A target without undisturbed runs is not ranked with targets that have some.
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
 * The comparison, in which each verdict that the undisturbed runs alone do not confirm is marked as doubted. If runs
 * that were held back are needed to confirm a verdict, the figure has the ratio of these runs.
 * @param again The comparison of the undisturbed runs; undefined if too few of them are left.
 * @param withHeldBack The comparison of the undisturbed runs and those whose disturbance can only have held the faster
 * side back. It, too, can confirm a verdict on requests/s.
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
    // In some of these runs, the faster side was held back and may really be faster still, so their
    // ratio is only a bound.
    return figure === "rate" && verdict !== "equivalent" && held?.verdict === verdict
      ? { ...held, bound: verdict === "better" ? "least" : "most" }
      : { ...one, isDoubted: true };
  });
  return { ...comparison, figures };
}

/** A key that is equal for places with the same outcome, winner and shortfalls, whatever their figures. */
function saysOf(place: Place): string {
  const short = place.short.map(({ label }) => label);
  return JSON.stringify([place.code, winnerOf(place)?.name ?? null, short]);
}
