/** The one large figure of an experiment. */
import type { FigureComparison } from "../../judge/comparison.ts";
import { isOpenLoop, rightCells } from "../../judge/pairs.ts";
import { isSame, isTurned, ratioText } from "../../writing/ratios.ts";
import { competing, type Shortfall } from "../../judge/shortfall.ts";
import { shortfallShare } from "../../findings/judgements.ts";
import { type Certainty, certaintyOf } from "../../judge/standing.ts";
import {
  boundText,
  formatInterval,
  formatNumber,
  formatQuantity,
  GLUE,
  isTooWide,
  timeUnit,
} from "../../writing/units.ts";
import { isOpenAbove, isSearched, takenPerSec } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Beside } from "./beside_base.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { allText, mostLikely, type Place, placesShareText } from "./places.ts";
import { mostOfQuestion } from "./served.ts";
import { decisiveName, overText, rangeText } from "./several.ts";

export interface HeadlineFigure {
  /** `2.87×`, `1.2–2.9×`, `15,127`. */
  readonly text: string;
  /** `[2.70, 3.05]`; "" without one. */
  readonly interval: string;
  /** What it is: `requests/s of gin over fastify`. */
  readonly label: string;
  /** Null for a range of several. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly unit: "×" | "requests/s" | "ms" | "%";
  readonly certainty: Certainty;
}

/** `2.87× [2.70, 3.05] requests/s of gin over fastify`. */
export function figureText({ text, interval, label }: HeadlineFigure): string {
  return [text, interval, label].filter(Boolean).join(" ");
}

/** Of the first of the others: in one place its ratio to the base, or what the base falls short by where it does not. */
export function besideFigure(
  besides: readonly (readonly Beside[])[] | null,
): HeadlineFigure | null {
  if (besides === null) return null;
  const [first] = besides;
  const [{ place, other, base, standing, decision }] = first;
  if (decision === null || besides.some(({ length }) => length > 1)) {
    return keptUpFigure(first) ?? besideRange(first);
  }
  const contest = { ...place.contest, ranked: [other, base] };
  return ratioFigure({ ...place, contest, standing }, decision);
}

/** `86 %`, where it keeps up with what the base does not at half of the places or more; null elsewhere. */
function keptUpFigure(besides: readonly Beside[]): HeadlineFigure | null {
  const kept = besides.flatMap(({ kind, shortfall, ...beside }) =>
    kind === "keeps up" && shortfall !== null ? [{ ...beside, shortfall }] : []
  );
  if (kept.length === 0 || 2 * kept.length < besides.length) return null;
  const worst = kept.reduce((a, b) => b.shortfall.ratio > a.shortfall.ratio ? b : a);
  const { shortfall: { kind, ratio }, base, other, place } = worst;
  const where = besides.length > 1 ? ` in ${place.name}` : "";
  return {
    ...NO_INTERVAL,
    text: shortfallShare(ratio),
    label: `of requests to ${base.target} ${
      SHORT_VERBS[kind]
    }${where}, where ${other.target} keeps up`,
    value: ratio * 100,
    unit: "%",
    certainty: "decided",
  };
}

/** `4.9–6.0×`, where it is ahead of the base, or behind it, in more than half of the places; null elsewhere. */
function besideRange(besides: readonly Beside[]): HeadlineFigure | null {
  const [most] = (["ahead", "behind"] as const)
    .map((one) => besides.filter(({ kind }) => kind === one))
    .toSorted((a, b) => b.length - a.length);
  if (2 * most.length <= besides.length) return null;
  const text = rangeIn(most.map(({ place, decision }) => ({ ...place, decision })));
  if (text === null) return null;
  const [{ place, other, base }] = most;
  const figure = place.contest.isOpen ? 99 : "rate";
  return {
    ...NO_INTERVAL,
    text,
    label: `${decisiveName({ figure }, place.contest.ranked)} of ${other.target} ${
      overText(text)
    } ${base.target}, in ${most.length} comparisons`,
    unit: "×",
    certainty: "decided",
  };
}

const SHORT_VERBS: Readonly<Record<Shortfall["kind"], string>> = {
  silent: "got no response",
  timeout: "time out",
  failed: "fail",
  wrong: "get a wrong response",
  dropped: "were never sent",
  slow: "are not completed in time",
};

export function headlineOf(
  places: readonly Place[],
  scenarios: readonly ScenarioComparison[],
): HeadlineFigure | null {
  const [place] = places;
  if (places.length === 1 && place.decision !== null && place.standing !== "none-keeps-up") {
    return ratioFigure(place, place.decision);
  }
  const led = places.filter(({ contest, standing }) =>
    contest.leader !== null && standing !== "alone"
  );
  const [leader] = [...Map.groupBy(led, ({ contest }) => contest.leader)]
    .toSorted(([, a], [, b]) => b.length - a.length);
  if (leader !== undefined && leader[1].length > 1) return rangeFigure(leader[1]);
  const those = leader === undefined ? mostLikely(places)?.those ?? [] : withLikely(leader, places);
  return rangeFigure(those) ?? openFigure(places) ?? peakFigure(scenarios);
}

/** Where it is ahead, and where it is likely so: more than half of the places; else none. */
function withLikely([leader, led]: LedPlaces, places: readonly Place[]): readonly Place[] {
  const all = [...led, ...places.filter(({ likely }) => likely === leader)];
  return 2 * all.length > places.length ? all : [];
}

type LedPlaces = readonly [leader: string | null, led: readonly Place[]];

/** `0.66–0.73×`: of two that compete everywhere, of which the same one seems ahead; null of others. */
function openFigure(places: readonly Place[]): HeadlineFigure | null {
  const pairs = places.map(({ contest: { ranked } }) => ranked.map(({ target }) => target));
  const [pair, ...others] = pairs;
  const isOnePair = pair?.length === 2 && places.every(({ unjudged }) => unjudged.length === 0) &&
    others.every((other) => other.join("\0") === pair.join("\0"));
  const text = isOnePair ? rangeIn(places) : null;
  if (text === null) return null;
  const [{ contest: { isOpen, ranked } }] = places;
  const open = places.filter(({ contest }) => contest.leader === null && !contest.isEquivalent);
  return {
    ...{ ...NO_INTERVAL, text },
    label: `${decisiveName({ figure: isOpen ? 99 : "rate" }, ranked)} of ${pair.join(" over ")}, ${
      open.length === 0 ? allText(places) : `open ${placesShareText(open, places)}`
    }`,
    unit: "×",
    certainty: "open",
  };
}

function ratioFigure(place: Place, decision: FigureComparison): HeadlineFigure {
  const { contest, standing } = place;
  const { ranked: [first, second] } = contest;
  if (decision.interval !== null && isSame(decision.interval)) {
    return sameFigure(place, decision);
  }
  const [text, interval = ""] = ratioText(decision).split(`${GLUE}[`);
  const isWhole = decision.interval !== null && interval !== "";
  const over = isTurned(decision.ratio) ? "than of" : "over"; // `4,900× fewer requests/s of a than of b`
  return {
    text: boundText(text, isOpenAbove(first.runs)),
    interval: isWhole ? `[${interval}` : "",
    label: `${decisiveName(decision, contest.ranked)} of ${first.target} ${over} ${second.target}`,
    value: decision.ratio,
    low: decision.interval?.low ?? null,
    high: decision.interval?.high ?? null,
    unit: "×",
    certainty: standing === "alone" || standing === "none-keeps-up"
      ? "open"
      : certaintyOf(standing),
  };
}

/** A ratio of 1 to three digits says less than the word. */
function sameFigure(
  { contest: { ranked: [first, second] } }: Place,
  { figure, ratio, interval }: FigureComparison,
): HeadlineFigure {
  return {
    text: figure !== "rate"
      ? `Same p${figure}`
      : isSearched(first.runs)
      ? "Same capacity"
      : "Same throughput",
    interval: "",
    label: `of ${first.target} and ${second.target}`,
    value: ratio,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit: "×",
    certainty: "decided",
  };
}

function rangeFigure(led: readonly Place[]): HeadlineFigure | null {
  const text = led.length === 0 ? null : rangeIn(led);
  if (text === null) return null;
  const [{ contest: { leader, isOpen }, likely }] = led;
  return {
    ...NO_INTERVAL,
    text,
    label: `${decisiveName({ figure: isOpen ? 99 : "rate" }, led[0].contest.ranked)} of ${
      leader ?? likely
    } ${overText(text)} the next, in ${led.length} comparisons`,
    unit: "×",
    certainty: led.every(({ standing }) => standing === "ahead")
      ? "decided"
      : led.every(({ standing, likely }) => standing === "ahead" || likely !== null)
      ? "likely"
      : "open",
  };
}

const NO_INTERVAL = { interval: "", value: null, low: null, high: null } as const;

/** `1.2–2.9×` */
function rangeIn(places: readonly Place[]): string | null {
  return /[\d.,–]+×(?:\u00a0shorter)?/.exec(rangeText(places))?.[0] ?? null;
}

/**
 * The most that a cell serves, of those that do what was required where any does; where several serve one offered
 * rate, the lowest p99. Null where none responds correctly.
 */
export function peakFigure(scenarios: readonly ScenarioComparison[]): HeadlineFigure | null {
  const all = scenarios.flatMap(({ cells }) => cells).filter(({ rate }) => rate.mean > 0);
  const able = competing(all);
  const cells = able.length > 0 ? able : rightCells(all);
  const isPaced = able.length > 1 && isOpenLoop(able);
  if (isPaced && areOfferedAlike(able)) return lowestP99(able, scenarios);
  const best = cells.toSorted((a, b) => b.rate.mean - a.rate.mean)[0];
  if (best === undefined) return null;
  const what = isSearched(best.runs) ? "capacity" : "requests/s";
  const kept = isPaced ? ", the most that was kept up with" : "";
  return servedFigure(best, `${what} of ${best.label}${placeText(best, scenarios)}${kept}`);
}

/** The first question of several, where that is how much a target serves; null where it is another. */
export function questionFigure([first]: readonly ScenarioComparison[]): HeadlineFigure | null {
  const most = first === undefined ? null : mostOfQuestion(first);
  return most && servedFigure(most, `requests/s of ${most.target} in ${first.name}, at most`);
}

function servedFigure(cell: CellRuns, label: string): HeadlineFigure {
  const { value, interval, isAtLeast } = takenPerSec(cell);
  // What is served of what is offered, and kept up with, is as good as constant: its interval says nothing.
  const isKept = isOpenLoop([cell]) && competing([cell]).length > 0;
  const says = interval !== null && !isTooWide(interval) && !isKept;
  return {
    text: boundText(formatNumber(value), isAtLeast),
    interval: says ? formatInterval(interval) : "",
    label,
    value,
    low: says ? interval.low : null,
    high: says ? interval.high : null,
    unit: "requests/s",
    certainty: says || isKept ? "decided" : "open",
  };
}

/** ` in static`, where there are others. */
function placeText(cell: CellRuns, scenarios: readonly ScenarioComparison[]): string {
  const own = scenarios.find(({ cells }) => cells.includes(cell));
  return scenarios.length > 1 && own !== undefined ? ` in ${own.name}` : "";
}

/** Whether they serve one rate: a lower p99 at a lower rate is no merit. */
function areOfferedAlike(cells: readonly CellRuns[]): boolean {
  const rates = cells.map(({ rate }) => rate.mean);
  return Math.max(...rates) <= ALIKE * Math.min(...rates);
}

/** Chance and what is in flight move a served rate by less; steps of a sweep are wider. */
const ALIKE = 1.05;

/** Nobody is ahead for certain where this is shown: the smallest seen may not be the smallest. */
function lowestP99(
  cells: readonly CellRuns[],
  scenarios: readonly ScenarioComparison[],
): HeadlineFigure {
  const p99Of = ({ latency }: CellRuns): number => latency.percentile(99).value;
  const best = cells.toSorted((a, b) => p99Of(a) - p99Of(b))[0];
  const { value, isAtLeast } = best.latency.percentile(99);
  const interval = best.interval(99);
  const unit = timeUnit([value]);
  return {
    text: boundText(formatQuantity(value, unit), isAtLeast),
    interval: interval === null ? "" : formatInterval(interval, unit),
    label: `p99 of ${best.label}${placeText(best, scenarios)}, the lowest seen`,
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit: "ms",
    certainty: "open",
  };
}
