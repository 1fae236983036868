/**
 * The verdict of places, as a card shows it: a code with its sentence, one large figure, and beside it a small forest or,
 * where there are several settings, who wins at each.
 */
import {
  type CardCode,
  type CardEvidence,
  cardSentence,
  type Others,
  type Range,
  type Share,
  sharesText,
  throughputOr,
  timesRange,
} from "../../findings/card_sentences.ts";
import type { FigureComparison } from "../../judge/comparison.ts";
import { isSame, isTurned, percentText, ratioText } from "../../writing/ratios.ts";
import type { Shortfall } from "../../judge/shortfall.ts";
import { shortfallShare } from "../../findings/judgements.ts";
import type { Certainty } from "../../judge/standing.ts";
import { variableName } from "../../cells/factors.ts";
import { boundText, formatInterval } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import { type Table, type TableCell, tableOf } from "../tables/table.ts";
import { isMoreBetter, type Place, winnerOf } from "./places.ts";

export interface HeadlineFigure {
  /** `2.87×`, `1.2–2.9×`, `34–59 %`, `15,127`. */
  readonly text: string;
  /** `[2.70, 3.05]`; "" without one. */
  readonly interval: string;
  /** What it is: `requests/s of gin over fastify`. */
  readonly label: string;
  /** Null for a range of several. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** `×`, `%`, or what is counted: `requests/s`. */
  readonly unit: string;
  readonly certainty: Certainty;
}

/** `2.87× [2.70, 3.05] requests/s of gin over fastify`. */
export function figureText({ text, interval, label }: HeadlineFigure): string {
  return [text, interval, label].filter(Boolean).join(" ");
}

/** Who wins at one setting. */
export interface Winner {
  readonly setting: string;
  /** Null where nobody does. */
  readonly winner: string | null;
  /** What the winner is held against; null where nobody else keeps up. */
  readonly rival: string | null;
  readonly figure: string;
  /** Of the winner, or of the first, over the rival; null without a comparison. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** `1.33× [1.20, 1.47]`; "" without a ratio. */
  readonly margin: string;
  readonly certainty: Certainty;
  /** `certain`, `likely, not proven`, `equal within 2 %`. */
  readonly word: string;
}

/** A verdict by its code, with what the sentence is made of. */
export interface Verdict {
  readonly code: CardCode;
  readonly sentence: string;
  readonly figure: HeadlineFigure | null;
}

export function verdictOf<Code extends CardCode>(
  code: Code,
  evidence: CardEvidence[Code],
  figure: HeadlineFigure | null = null,
): Verdict {
  return { code, sentence: cardSentence(code, evidence), figure };
}

// Who is ahead.

/** @param places At least one. */
export function rankedVerdict(places: readonly Place[]): Verdict {
  const scenarios = new Set(places.map(({ scenario }) => scenario)).size;
  const decided = places.filter(({ code }) => code === "leads" || code === "equivalent");
  if (scenarios > 1 && decided.length > 0 && areSeparate(places)) {
    return verdictOf("separate", { scenarios, decided: shareOf(decided, places) });
  }
  const competed = places.filter(({ code }) => code !== "only" && code !== "none");
  const led = places.filter(({ code }) => code === "leads" || code === "only");
  const leaders = groups(led);
  if (competed.length === 0 && leaders.length < 2) return shortVerdict(places);
  if (led.every(({ code }) => code === "only") && leaders.length < 2) {
    return led.length > 0 ? shortVerdict(led, places) : openVerdict(places);
  }
  const [most, next] = leaders;
  if (next === undefined) return leadVerdict(most, places);
  return verdictOf("depends", {
    on: variedIn(places),
    leaders: leaders.map((those) => ({ name: winnerName(those[0]), places: those.length })),
    share: shareOf(most, places),
    others: othersOf(places.filter((place) => !led.includes(place)), null),
  }, most.length > 1 ? ratioFigure(most, "decided") : null);
}

/** Whether no two scenarios have a target in common. */
function areSeparate(places: readonly Place[]): boolean {
  const targets = [...Map.groupBy(places, ({ scenario }) => scenario).values()].map((those) =>
    unique(those.flatMap(targetsOf))
  );
  const all = targets.flat();
  return new Set(all).size === all.length;
}

function targetsOf({ first, rival, peers, beaten, short, unsettled }: Place): string[] {
  const rivals = rival === null ? [] : [rival.name];
  return [
    first.name,
    ...rivals,
    ...peers,
    ...beaten,
    ...short.map(({ label }) => label),
    ...unsettled,
  ];
}

function leadVerdict(led: readonly Place[], places: readonly Place[]): Verdict {
  const held = led.filter(({ code }) => code === "leads");
  const winner = winnerName(led[0]);
  const rest = places.filter((place) => !led.includes(place));
  return verdictOf("leads", {
    winner,
    rival: rivalName(held),
    margin: marginOf(held),
    isAtLeast: held.some(({ isAtLeast }) => isAtLeast),
    figure: held[0].figure,
    share: shareOf(led, places),
    others: othersOf(rest, winner),
  }, ratioFigure(held, "decided"));
}

/** Nobody is ahead for certain anywhere. */
function openVerdict(places: readonly Place[]): Verdict {
  const [likely = []] = groups(places.filter(({ code }) => code === "likely"));
  const equal = places.filter(({ code }) => code === "equivalent");
  const open = places.filter(({ code }) => code === "undecided");
  if (likely.length > 0) {
    const winner = winnerName(likely[0]);
    return undecided(likely, places, {
      winner,
      rival: rivalName(likely),
      margin: marginOf(likely),
    });
  }
  if (open.length === 0) return equalVerdict(equal, places);
  const unsettled = open.filter(({ why }) => why === "unsteady");
  if (unsettled.length === open.length && open.length + equal.length === places.length) {
    return verdictOf("unsettled", {
      targets: unique(
        unsettled.flatMap((place) =>
          place.isUnsettledAhead ? place.unsettled : [place.first.name, ...place.peers]
        ),
      ),
      share: shareOf(unsettled, places),
    }, places.length === 1 ? ratioFigure(open, "open") : null);
  }
  return undecided(open, places, null);
}

function undecided(
  those: readonly Place[],
  places: readonly Place[],
  likely: CardEvidence["undecided"]["likely"],
): Verdict {
  const rest = places.filter((place) => !those.includes(place));
  const whys = [...Map.groupBy(those, ({ why }) => why ?? "few-runs")]
    .toSorted(([, a], [, b]) => b.length - a.length);
  const [[why, alike]] = whys;
  return verdictOf("undecided", {
    likely,
    targets: unique(those.flatMap(({ first, peers, rival }) => [
      first.name,
      ...peers.length > 0 ? peers : rival === null ? [] : [rival.name],
    ])),
    why,
    runs: alike[0].decision?.runs ?? 1,
    figure: those[0].figure,
    share: shareOf(those, places),
    others: othersOf(rest, likely?.winner ?? null),
  }, ratioFigure(those, likely === null ? "open" : "likely"));
}

function equalVerdict(equal: readonly Place[], places: readonly Place[]): Verdict {
  const [place] = equal;
  return verdictOf("equivalent", {
    targets: unique(equal.flatMap(({ first, peers }) => [first.name, ...peers])),
    beaten: equal.length === 1 ? place.beaten : [],
    marginRatio: place.marginRatio,
    figure: place.figure,
    share: shareOf(equal, places),
    others: othersOf(places.filter((one) => !equal.includes(one)), null),
  }, equal.length === 1 ? ratioFigure(equal, "decided") : null);
}

/** One alone, or nobody, does what is required, wherever they were measured. */
export function shortVerdict(places: readonly Place[], all = places): Verdict {
  const kept = places.filter(({ code }) => code === "only");
  const those = kept.length > 0 ? kept : places.filter(({ code }) => code === "none");
  const short = those.flatMap((place) => place.short);
  const worst = short.toSorted((a, b) => b.ratio - a.ratio)[0];
  if (worst === undefined) return undecided(places, all, null);
  return verdictOf("falls-short", {
    keepers: unique(kept.map(winnerName)),
    worst,
    more: new Set(short.map(({ label }) => label)).size - 1,
    share: shareOf(those, all),
    others: othersOf(all.filter((place) => !those.includes(place)), null),
  }, {
    ...NO_INTERVAL,
    text: shortfallShare(worst.ratio),
    label: `of the requests to ${worst.label} ${SHORT_ENDS[worst.kind]}`,
    value: worst.ratio * 100,
    unit: "%",
    certainty: "open",
  });
}

const SHORT_ENDS: Readonly<Record<Shortfall["kind"], string>> = {
  silent: "got no response",
  timeout: "time out",
  failed: "fail",
  wrong: "get a wrong response",
  dropped: "were never sent",
  slow: "are not completed in time",
};

// What others do beside a base.

/** @param places Of others beside one base, at least one. */
export function besideVerdict(places: readonly Place[], base: string): Verdict {
  const [[other, own]] = [...Map.groupBy(places, (place) => otherOf(place, base))]
    .toSorted(([, a], [, b]) => certainOf(b) - certainOf(a) || distanceOf(b) - distanceOf(a));
  const kept = places.filter(({ code }) => code === "only");
  // Where the base itself falls short, whoever keeps up does so beside it.
  return certainOf(own) === 0 && kept.length > 0 && 2 * kept.length >= places.length
    ? shortVerdict(kept, places)
    : sideVerdict(own, { other, base });
}

function otherOf({ first, rival, short }: Place, base: string): string {
  return [first.name, rival?.name, ...short.map(({ label }) => label)]
    .find((name) => name !== undefined && name !== base) ?? first.name;
}

interface Sides {
  readonly other: string;
  readonly base: string;
  /** Whether a cost in any place comes first. */
  readonly isCostFirst?: boolean;
}

/** One other beside the base, in all places: of a cost and a gain, the one in more of them. */
export function sideVerdict(
  places: readonly Place[],
  { other, base, isCostFirst = false }: Sides,
): Verdict {
  const led = places.filter(({ code }) => code === "leads");
  const [gains, costs] = [true, false].map((isGain) =>
    led.filter((place) => (winnerOf(place)?.name === other) === isGain)
  );
  if (led.length === 0) {
    const only = places.filter(({ code }) => code === "only" || code === "none");
    return only.length > 0 && 2 * only.length >= places.length
      ? shortVerdict(only, places)
      : openVerdict(places);
  }
  const isGain = gains.length > costs.length && !(isCostFirst && costs.length > 0);
  const those = isGain ? gains : costs;
  const [{ figure, decision }] = those;
  const rest = places.filter((place) => !those.includes(place));
  const evidence = {
    other,
    base,
    figure,
    ratios: rangeOf(those.flatMap(({ decision }) => decision?.ratio ?? [])),
    isMoreBetter: decision !== null && isMoreBetter(decision),
    share: shareOf(those, places),
    others: othersOf(rest, winnerName(those[0])),
  };
  return isGain
    ? verdictOf("gains", evidence, ratioFigure(those, "decided"))
    : verdictOf("costs", evidence, costFigure(those, evidence));
}

function costFigure(
  those: readonly Place[],
  { other, base, figure, ratios, isMoreBetter }: CardEvidence["costs"],
): HeadlineFigure | null {
  if (!isMoreBetter) return ratioFigure(those, "decided");
  const [{ decision }] = those;
  const interval = those.length === 1 ? decision?.interval ?? null : null;
  return {
    ...NO_INTERVAL,
    text: sharesText(ratios),
    interval: interval === null
      ? ""
      : formatInterval({ low: 100 * (1 - interval.high), high: 100 * (1 - interval.low) }),
    label: `of the ${throughputOr(figure)} of ${base}, the cost of ${other}`,
    value: those.length === 1 ? 100 * (1 - ratios.least) : null,
    low: interval === null ? null : 100 * (1 - interval.high),
    high: interval === null ? null : 100 * (1 - interval.low),
    unit: "%",
    certainty: "decided",
  };
}

function certainOf(places: readonly Place[]): number {
  return places.filter(({ code }) => code === "leads").length;
}

/** How far from the base, by the logarithm. */
function distanceOf(places: readonly Place[]): number {
  return Math.max(...places.map(({ decision }) => Math.abs(Math.log(decision?.ratio ?? 1))));
}

// The parts of evidence.

/** By their winner, from the one of most places. */
function groups(places: readonly Place[]): Place[][] {
  return [...Map.groupBy(places, winnerName).values()].sort((a, b) => b.length - a.length);
}

function winnerName(place: Place): string {
  return winnerOf(place)?.name ?? place.first.name;
}

/** Null where it is another one in each place. */
function rivalName(places: readonly Place[]): string | null {
  const names = unique(places.flatMap((place) => {
    const winner = winnerOf(place);
    const other = winner === place.rival ? place.first : place.rival;
    return other?.name ?? [];
  }));
  return names.length === 1 ? names[0] : null;
}

/** Of the winner over the other, in places of one figure; null where these are several. */
function marginOf(places: readonly Place[]): Range | null {
  const ratios = places.flatMap((place) => winningRatio(place) ?? []);
  const isOneFigure = new Set(places.map(({ figure }) => figure)).size === 1;
  return ratios.length === 0 || !isOneFigure ? null : rangeOf(ratios);
}

function winningRatio(place: Place): number | null {
  const { decision, rival } = place;
  if (decision === null || decision.ratio === null) return null;
  return winnerOf(place) === rival ? 1 / decision.ratio : decision.ratio;
}

function rangeOf(ratios: readonly number[]): Range {
  return { least: Math.min(...ratios), most: Math.max(...ratios) };
}

export function shareOf(those: readonly Place[], places: readonly Place[]): Share {
  // Beside a base several are at one place.
  return { those: namesIn(those), of: namesIn(places), noun: nounOf(places) };
}

function namesIn(places: readonly Place[]): number {
  return new Set(places.map(({ name }) => name)).size;
}

export function nounOf(places: readonly Place[]): Share["noun"] {
  if (places[0]?.noun) return places[0].noun;
  return new Set(places.map(({ scenario }) => scenario)).size === namesIn(places)
    ? "scenario"
    : "setting";
}

/** @param winner Who leads in the places that the sentence is about; null: nobody. */
function othersOf(rest: readonly Place[], winner: string | null): Others {
  const count = (is: (place: Place) => boolean): number => rest.filter(is).length;
  const likely = count((place) => place.code === "likely" && winnerName(place) === winner);
  const opposite = count((place) =>
    winner !== null && place.code === "leads" && winnerName(place) !== winner
  );
  const equivalent = count(({ code }) => code === "equivalent");
  return { likely, opposite, equivalent, undecided: rest.length - likely - opposite - equivalent };
}

/** `the scenario`, `the number of connections`. */
function variedIn(places: readonly Place[]): string[] {
  const factors = unique(places.flatMap(({ factors }) => factors))
    .map((name) => variableName(name, "the "));
  const areSeveral = new Set(places.map(({ scenario }) => scenario)).size > 1;
  return [...factors, ...areSeveral || factors.length === 0 ? ["the scenario"] : []];
}

const NO_INTERVAL = { interval: "", value: null, low: null, high: null } as const;

/** The ratio of one place with its interval, or the range of several. */
function ratioFigure(places: readonly Place[], certainty: Certainty): HeadlineFigure | null {
  const [place] = places;
  const { decision, figure, isAtLeast } = place;
  if (places.length > 1) {
    const margin = marginOf(places);
    const rival = rivalName(places) ?? "the runner-up";
    return margin === null || certainty === "open" ? null : {
      ...NO_INTERVAL,
      text: timesRange(margin),
      label: `${figure} of ${winnerName(places[0])} over ${rival}, in ${places.length} comparisons`,
      unit: "×",
      certainty,
    };
  }
  if (decision === null || decision.ratio === null || place.rival === null) return null;
  const { first, rival, ratio, interval } =
    certainty === "likely" && winnerOf(place) === place.rival
      ? { first: place.rival, rival: place.first, ...inverse(decision) }
      : { first: place.first, rival: place.rival, ...decision };
  const isEqual = interval !== null && isSame(interval);
  return {
    text: isEqual
      ? `Same ${figure}`
      : boundText(ratioText({ figure: decision.figure, ratio, interval: null }), isAtLeast),
    interval: interval === null || isEqual ? "" : formatInterval(readable(interval, ratio)),
    label: isEqual
      ? `of ${first.name} and ${rival.name}`
      : `${figure} of ${first.name} ${isTurned(ratio) ? "than of" : "over"} ${rival.name}`,
    value: ratio,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit: "×",
    certainty,
  };
}

interface Ends {
  readonly low: number;
  readonly high: number;
}

/** A ratio of next to nothing is written as its inverse. */
function readable({ low, high }: Ends, ratio: number | null): Ends {
  return isTurned(ratio) ? { low: 1 / high, high: 1 / low } : { low, high };
}

function inverse({ ratio, interval }: FigureComparison): { ratio: number; interval: Ends | null } {
  return {
    ratio: 1 / (ratio ?? 1),
    interval: interval && { low: 1 / interval.high, high: 1 / interval.low },
  };
}

// Who wins at each setting.

export function winnersOf(places: readonly Place[]): Winner[] {
  return places.map((place) => {
    const { code, name: setting, decision, figure, rival } = place;
    const winner = winnerOf(place);
    return {
      setting,
      winner: winner?.name ?? null,
      rival: winner !== null && winner === rival ? place.first.name : rival?.name ?? null,
      figure,
      ratio: decision?.ratio ?? null,
      low: decision?.interval?.low ?? null,
      high: decision?.interval?.high ?? null,
      margin: decision === null ? "" : ratioText(decision),
      certainty: code === "leads" || code === "equivalent"
        ? "decided"
        : code === "likely"
        ? "likely"
        : "open",
      word: wordOf(place),
    };
  });
}

/** More have no place on a first screen. */
const MOST_WINNERS = 10;

/** Null without winners. */
export function winnersTable(winners: readonly Winner[]): Table | null {
  if (winners.length === 0) return null;
  const figures = unique(winners.map(({ figure }) => figure));
  const omitted = winners.length - MOST_WINNERS;
  const notes = omitted > 0 ? [`${counted(omitted, "more setting")} below.`] : [];
  return tableOf({ caption: "Who wins where", notes }, winners.slice(0, MOST_WINNERS), [
    { label: "Setting", kind: "name", cell: ({ setting }) => ({ text: setting }) },
    { label: "Winner", kind: "text", cell: ({ winner }) => ({ text: winner ?? "–" }) },
    ...(figures.length === 1 ? [] : [{
      label: "Figure",
      kind: "text" as const,
      cell: ({ figure }: Winner): TableCell => ({ text: figure }),
    }]),
    {
      label: figures.length === 1 ? `Margin in ${figures[0]}` : "Margin",
      kind: "text",
      cell: ({ margin }) => ({ text: margin === "" ? "–" : margin }),
    },
    { label: "Certainty", kind: "text", cell: ({ word }) => ({ text: word }) },
  ]);
}

function wordOf({ code, marginRatio, why, short }: Place): string {
  switch (code) {
    case "leads":
      return "certain";
    case "likely":
      return why === "doubted" ? "likely, not by valid runs alone" : "likely, not proven";
    case "equivalent":
      return `equal within ${percentText(marginRatio)}`;
    case "undecided":
      return why === "lost"
        ? "too few valid runs"
        : why === "unsteady"
        ? "never settled"
        : "undecided";
    case "only":
      return short.length === 0 ? "no other was measured" : "no other keeps up";
    case "none":
      return "none keeps up";
  }
}
