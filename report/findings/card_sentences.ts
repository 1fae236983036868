/**
 * The sentences of a verdict's card: one for each kind of verdict, each note beside the verdict, and each state of
 * trust. They are made only from typed evidence.
 */
import { variableName } from "../cells/factors.ts";
import { UNCOMPARED } from "../judge/comparison.ts";
import { isMoreBetter, type Place, type Survival, winnerOf } from "../judge/places.ts";
import type { RunCluster } from "../../runner/stats/comparison/bimodality.ts";
import type { RunGroups } from "../judge/reasons.ts";
import type { Shortfall } from "../judge/shortfall.ts";
import { boundOf, formatRatio, percentText, timesText } from "../writing/ratios.ts";
import {
  allOf,
  counted,
  type EvidenceOf,
  listed,
  listedSome,
  unique,
  wordsOf,
} from "../writing/words.ts";
import { formatMs, formatNumber } from "../writing/units.ts";
import {
  figureInProse,
  shortfallShare,
  shortfallText,
  silentText,
  WHY_OPEN,
  type WhyWords,
} from "./judgements.ts";

/** The places (such as the settings of a scenario) that a sentence is about, at least one, among all places. */
export interface Of {
  readonly those: readonly Place[];
  readonly places: readonly Place[];
}

/** A comparison of a target with the base. */
interface Beside extends Of {
  readonly other: string;
  readonly base: string;
}

const SENTENCES = {
  /**
   * One target leads in at least some places, and no other target leads in any place. To lead is to be certainly ahead,
   * or to be the only target that meets the requirements.
   */
  leads: (of: Of) => {
    const name = winnerName(of.those[0]);
    const held = of.those.filter(({ code }) => code === "leads");
    const how = held.length === 0 ? ", because no other keeps up" : marginText(held);
    return `${name} leads${inShare(of)}${how}${medianText(held)}${besides(of, name)}.`;
  },
  /**
   * Different targets lead in different places.
   * @param leaders The places of each leader, beginning with the one that leads in most places.
   */
  depends: ({ leaders: [most, ...rest], places }: {
    readonly leaders: readonly (readonly Place[])[];
    readonly places: readonly Place[];
  }) =>
    `Which one leads depends on ${listed(variedIn(places), "and")}: ${winnerName(most[0])} leads${
      inShare({ those: most, places })
    }, ${listed(rest.map((those) => `${winnerName(those[0])} in ${those.length}`), "and")}${
      besides({ those: [most, ...rest].flat(), places })
    }.`,
  /** The scenarios have no target in common. */
  separate: (of: Of) =>
    `The ${
      unique(of.places.map(({ scenario }) => scenario)).length
    } scenarios share no target, so each is judged by itself, with certainty${inShare(of)}.`,
  equivalent: (of: Of) => {
    const [{ figure, marginRatio, beaten }] = of.those;
    const behind = of.those.length > 1 || beaten.length === 0
      ? ""
      : `, ahead of ${listedSome(beaten, "and")}`;
    return `${listedSome(alikeIn(of.those), "and")} have equal ${figure} within ${
      percentText(marginRatio)
    }${inShare(of)}${behind}${besides(of)}.`;
  },
  /** One target leads as measured, but that is not proven. */
  likely: (of: Of) => {
    const winner = winnerName(of.those[0]);
    return `${winner} probably leads${inShare(of)}${marginText(of.those)}${
      medianText(of.those)
    }, not proven${besides(of, winner)}.`;
  },
  undecided: (of: Of) => {
    const [most, ...others] = [...Map.groupBy(of.those, ({ why }) => why).values()]
      .toSorted((a, b) => b.length - a.length);
    const targets = unique(of.those.flatMap(({ first, peers, rival }) => [
      first.name,
      ...peers.length > 0 ? peers : rival === null ? [] : [rival.name],
    ]));
    const why = others.length === 0 ? ":" : `, in ${most.length} because`;
    return `Undecided between ${listedSome(targets, "and")}${inShare(of)}${why} ${
      whyWords(most[0])[1]
    }${besides(of)}.`;
  },
  unsettled: (of: Of) => {
    const targets = neverSettled(of.those);
    return `No target leads for certain${inShare(of)}: ${listedSome(targets, "and")} ${
      targets.length === 1 ? "has" : "have"
    } no steady state.`;
  },
  /** Some targets fall short of the requirements. @param keepers Targets that meet the requirements. */
  "falls-short": ({ keepers, short, ...of }: Of & {
    readonly keepers: readonly string[];
    readonly short: readonly Shortfall[];
  }) => {
    const worst = [...Map.groupBy(worstFirst(short), ({ label }) => label).values()]
      .map(([own]) => own);
    const more = worst.length - MOST_SHORT;
    const isOne = keepers.length < 2;
    const does = doesText(worst[0], isOne);
    const head = keepers.length > 0
      ? `Only ${listedSome(keepers, "and")} ${does}`
      : worst.length === 1
      ? `No target ${does}`
      : `${allOf(worst.length, "target")} fall short`;
    const named = worst.slice(0, MOST_SHORT).map(shortfallText).join(", ");
    return `${head}${inShare(of)}: ${named}${
      more > 0 ? `, and ${more} more ${more === 1 ? "falls" : "fall"} short` : ""
    }${besides(of)}.`;
  },
  /**
   * @param where For example `at 80 connections` or `in static`.
   * @param within The rules of a capacity search; empty if there was none.
   * @param over For example `5.0× as much as at 1 connection`.
   * @param of The number of targets; these are not compared with each other.
   */
  alone: ({ target, value, figure, where, within, over, of }: {
    readonly target: string;
    readonly value: string;
    readonly figure: string;
    readonly where: string;
    readonly within: readonly string[];
    readonly over: string;
    readonly of: number;
  }) =>
    `${of > 1 ? `Nothing is compared. Of ${of} targets, ${target}` : target} ${
      within.length > 0 ? "takes" : "serves"
    } ${of > 1 ? "the most: " : ""}${value} ${figure}${
      within.length === 0 ? "" : ` with ${listed(within, "and")}`
    }${where === "" ? "" : `${of > 1 ? "," : " at most,"} ${where}`}${over && `: ${over}`}.`,
  /**
   * @param meaning What the lack of valid runs means for the figures.
   * @param side The side of a comparison of results; "" for an experiment.
   */
  "nothing-valid": ({ meaning, side }: { readonly meaning: string; readonly side: string }) =>
    `Not to be trusted: ${side && `in the runs of ${side} `}${meaning}.`,
  incomparable: (_: Readonly<Record<never, never>>) =>
    "Nothing can be compared: no two targets responded correctly at the same setting.",
  /** Some runs lack the figure by which the experiment compares. @param scenarios The scenarios of these runs. */
  "no-figure": ({ figure, scenarios }: {
    readonly figure: string;
    readonly scenarios: readonly string[];
  }) =>
    `Nothing is compared: the experiment asks for ${figure}, and some runs of ${
      listedSome(scenarios, "and")
    } have no such figure.`,
  costs: ({ other, base, ...of }: Beside) => {
    const [{ figure, decision }] = of.those;
    const cost = decision !== null && isMoreBetter(decision)
      // In this sentence, "throughput" reads better than `requests/s`.
      ? `${sharesText(ratiosOf(of.those))} of the ${
        figure === "requests/s" ? "throughput" : figure
      } of ${base}`
      : `${timesRange(ratiosOf(of.those))} the ${figure} of ${base}`;
    return `${other} costs ${cost}${inShare(of)}${medianText(of.those)}${besides(of, base)}.`;
  },
  gains: ({ other, base, ...of }: Beside) =>
    `${other} has ${timesRange(ratiosOf(of.those))} the ${of.those[0].figure} of ${base}${
      inShare(of)
    }${medianText(of.those)}${besides(of, other)}.`,
  /** Thresholds decide the comparison. Their sentence is already complete, so it is used unchanged. */
  thresholds: ({ sentence }: { sentence: string }) => sentence,
};

type SentenceCode = keyof typeof SENTENCES;
/** The verdicts of a whole card. A likely lead is not among them, because it is not a decision. */
export type CardCode = Exclude<SentenceCode, "likely">;
export type CardEvidence = EvidenceOf<typeof SENTENCES>;

export function cardSentence<Code extends SentenceCode>(
  code: Code,
  evidence: CardEvidence[Code],
): string {
  return wordsOf(SENTENCES, code, evidence);
}

/** The most targets that fall short and are named, each with its reason. */
const MOST_SHORT = 2;

/**
 * Kinds of shortfall in which a target doesn't keep up with the load. In all other kinds, the target doesn't respond
 * correctly.
 */
const KEEPS_UP: readonly Shortfall["kind"][] = ["dropped", "slow", "timeout"];

/** What the targets without this shortfall do, such as `keeps up` or `respond correctly`. */
function doesText({ kind }: Shortfall, isOne: boolean): string {
  const s = isOne ? "s" : "";
  return KEEPS_UP.includes(kind) ? `keep${s} up` : `respond${s} correctly`;
}

type Known = Pick<Place, "why" | "decision" | "first" | "rival" | "marginRatio">;

/** Why a place is undecided: in a few words, for a narrow table, and as a clause. */
export function whyWords(known: Known): WhyWords {
  const { why, decision, marginRatio } = known;
  const [word, clause] = WHY_OPEN[why ?? "few-runs"](decision ?? UNCOMPARED, marginRatio);
  const lost = unsettledRuns(known);
  const silent = why === "silent" ? decision?.silent ?? null : null;
  if (silent !== null) return [word, silentText(silent, ` of ${sideName(silent.side, known)}`)];
  return [word, lost === null ? clause : unsettledText(lost, known)];
}

/**
 * The runs of a target that have no steady state, so that they count whole, while its other runs count by their steady
 * part.
 */
export interface UnsettledRuns {
  readonly target: string;
  readonly groups: RunGroups & { readonly unsettled: RunCluster };
}

/** The unsettled runs of an undecided place, if they are the reason why it is undecided; otherwise null. */
export function unsettledRuns(
  { why, decision, first, rival }: Known,
): UnsettledRuns | null {
  const groups = decision?.groups ?? null;
  if (why !== "groups" || groups === null || groups.unsettled === null) return null;
  const target = sideName(groups.of === "base" ? "base" : "next", { first, rival });
  return { target, groups: { ...groups, unsettled: groups.unsettled } };
}

/** Name of a side of a decision. The rival is the base of every decision. */
function sideName(side: "base" | "next", { first, rival }: Pick<Place, "first" | "rival">): string {
  return side === "base" && rival !== null ? rival.name : first.name;
}

/** For example `5 of 12 runs of express have no steady state`. */
export function unsettledShare({ target, groups: { clusters, unsettled } }: UnsettledRuns): string {
  const of = clusters.reduce((sum, { count }) => sum + count, 0);
  return `${unsettled.count} of ${counted(of, "run")} of ${target} ${
    unsettled.count === 1 ? "has" : "have"
  } no steady state`;
}

/**
 * For example `5 of 12 runs of express have no steady state; they are near 7,300 requests/s, the others near 10,000
 * requests/s`.
 */
function unsettledText(lost: UnsettledRuns, { decision }: Known): string {
  const { clusters, unsettled } = lost.groups;
  const others = clusters.find(({ value }) => value !== unsettled.value) ?? unsettled;
  const [own, rest] = [unsettled, others].map(({ value }) =>
    decision?.figure === "rate"
      ? `${formatNumber(value)} requests/s`
      : `${figureInProse(decision?.figure ?? "rate")} ${formatMs(value / 1_000)}`
  );
  const they = unsettled.count === 1 ? "it is" : "they are";
  return `${unsettledShare(lost)}; ${they} near ${own}, the others near ${rest}`;
}

export function winnerName(place: Place): string {
  return winnerOf(place)?.name ?? place.first.name;
}

/** The target that the winner is ahead of; null if that is not the same one in all places. */
export function rivalName(places: readonly Place[]): string | null {
  const names = unique(places.flatMap((place) => {
    const { first, rival } = place;
    return (winnerOf(place) === rival ? first : rival)?.name ?? [];
  }));
  return names.length === 1 ? names[0] : null;
}

/** A range of ratios. */
interface Range {
  readonly least: number;
  readonly most: number;
  /** Whether the lead may be larger than this, because a ratio is only a bound. */
  readonly isBound: boolean;
}

/**
 * How far the winner is ahead: the range of its ratios over the places. Null if there are none, or if places are
 * decided by different figures.
 */
export function marginOf(places: readonly Place[]): Range | null {
  const isOneFigure = new Set(places.map(({ figure }) => figure)).size === 1;
  const isKnown = places.some(({ decision }) => (decision?.ratio ?? null) !== null);
  return isKnown && isOneFigure
    ? ratiosOf(places, (ratio, place) => winnerOf(place) === place.rival ? 1 / ratio : ratio)
    : null;
}

/** The range, over the places, of the ratio of the first side to its rival. @param shown Converts each ratio. */
export function ratiosOf<Decided extends Pick<Place, "decision">>(
  places: readonly Decided[],
  shown: (ratio: number, place: Decided) => number = (ratio) => ratio,
): Range {
  const ratios = places.flatMap((place) => {
    const { ratio = null, interval = null, bound = null } = place.decision ?? {};
    return ratio === null ? [] : shown(boundOf({ ratio, interval, bound }), place);
  });
  return { least: Math.min(...ratios), most: Math.max(...ratios), isBound: places.some(isBound) };
}

/** Whether the true lead may be larger than measured. */
function isBound({ decision }: Pick<Place, "decision">): boolean {
  return decision !== null && decision.bound !== null;
}

/** For example `: 1.2–1.5× the requests/s of express`; "" if places are decided by different figures. */
function marginText(places: readonly Place[]): string {
  const margin = marginOf(places);
  if (margin === null) return "";
  return `: ${timesRange(margin)} the ${places[0].figure} of ${
    rivalName(places) ?? "the runner-up"
  }`;
}

/**
 * For example `, although the p50 of express is 4.5× as long`, if the winner by p99 has the longer p50; otherwise "".
 */
function medianText([place, ...others]: readonly Place[]): string {
  const ratio = place?.median?.ratio ?? null;
  if (others.length > 0 || ratio === null) return "";
  return `, although the p50 of ${winnerName(place)} is ${
    timesText(Math.max(ratio, 1 / ratio))
  } as long`;
}

function alikeIn(places: readonly Place[]): string[] {
  return unique(places.flatMap(({ first, peers }) => [first.name, ...peers]));
}

/** Targets whose runs never settle, and which are therefore not ranked. */
export function neverSettled(places: readonly Place[]): string[] {
  return unique(
    places.flatMap((place) =>
      place.why === "unsteady" && !place.isUnsettledAhead
        ? [place.first.name, ...place.peers]
        : place.unsettled
    ),
  );
}

export function worstFirst(short: readonly Shortfall[]): Shortfall[] {
  return short.toSorted((a, b) => b.ratio - a.ratio);
}

/** What varies between places, such as `the scenario` or `the number of connections`. */
function variedIn(places: readonly Place[]): string[] {
  const factors = unique(places.flatMap(({ factors }) => factors))
    .map((name) => variableName(name, "the "));
  const areSeveral = new Set(places.map(({ scenario }) => scenario)).size > 1;
  return [...factors, ...areSeveral || factors.length === 0 ? ["the scenario"] : []];
}

/** The noun for counting places. It is "comparison" if several targets are compared with a base in the same setting. */
function nounOf(places: readonly Place[]): string {
  const names = unique(places.map(({ name }) => name));
  return names.length < places.length ? "comparison" : places[0].noun;
}

/**
 * For example ` in 4 of 5 scenarios` or ` in both scenarios`; "" if the sentence is about all places and they have the
 * same name.
 */
function inShare({ those, places }: Of): string {
  const [some, all] = [those.length, places.length];
  if (some === all && places.every(({ name }) => name === places[0].name)) return "";
  const noun = nounOf(places);
  if (some < all) return ` in ${some} of ${counted(all, noun)}`;
  return all === 2 ? ` in both ${noun}s` : ` in all ${counted(all, noun)}`;
}

/**
 * The verdicts in the places that are not in `those`, such as `; equivalent in 1 and undecided in 2`; "" if there are
 * no such places.
 *
 * @param winner The leader in `those`; null if nobody leads there.
 */
function besides({ those, places }: Of, winner: string | null = null): string {
  const whatIs = (place: Place): string => {
    const isSame = winnerName(place) === winner;
    if (place.code === "likely" && winner === null) return "not proven";
    if (place.code === "likely" && isSame) return "probably so";
    if (place.code === "leads" && winner !== null && !isSame) return "the opposite";
    const [short] = place.short;
    if (place.code === "only" && short) return `only ${winnerName(place)} ${doesText(short, true)}`;
    if (place.code === "none" && short) return `none ${doesText(short, true)}`;
    return place.code === "equivalent" ? "equivalent" : "undecided";
  };
  const rest = Map.groupBy(places.filter((place) => !those.includes(place)), whatIs);
  const known = [...rest].toSorted(([a], [b]) => IN_ORDER.indexOf(a) - IN_ORDER.indexOf(b))
    .map(([what, { length }]) => `${what} in ${length}`);
  return known.length === 0 ? "" : `; ${listed(known, "and")}`;
}

/** The order in which verdicts of other places are listed. Verdicts about targets that fall short come first. */
const IN_ORDER = ["the opposite", "probably so", "not proven", "equivalent", "undecided"];

/** For example `1.2–2.9×`, or `at least 1.20×` for a bound, which has the same digits as a single ratio elsewhere. */
export function timesRange({ least, most, isBound }: Range, mark = "at least "): string {
  if (isBound) return `${mark}${formatRatio(least, null)}`;
  const [low, high] = [least, most].map(timesText);
  return low === high ? low : `${low.replace("×", "")}–${high}`;
}

/** The share that is lost at ratios below 1, such as `34–59 %`, or `at least 34 %` for a bound. */
export function sharesText({ least, most, isBound }: Range, mark = "at least "): string {
  const [low, high] = [1 - most, 1 - least];
  if (isBound) return `${mark}${shortfallShare(low)}`;
  const text = shortfallShare(high);
  return shortfallShare(low) === text ? text : `${Number((100 * low).toPrecision(2))}–${text}`;
}

export interface TrustEvidence {
  /**
   * For example `8 of 10 runs are valid, and 1 more only lacks a steady state` or `5 runs are suspect and 19 invalid`.
   */
  readonly valid: string;
  /** Whether any runs were disturbed. */
  readonly hasOthers: boolean;
  /** The places whose verdict depends on disturbed runs, among all places. */
  readonly lost: Of;
  /** Levels of the disturbed runs, such as `2 suspect and 1 invalid`; "" if these are not counted. */
  readonly levels: string;
}

/**
 * How far the verdict depends on disturbed runs. These sentences qualify the verdict but never contradict it: if
 * nothing is decided, the verdict itself says so, and why.
 */
const TRUST: Readonly<Record<Survival, (evidence: TrustEvidence) => string>> = {
  "all-valid": ({ valid }) => `${valid}.`,
  "none-valid": ({ valid }) => `${valid}.`,
  "in-turns": ({ valid }) =>
    `${valid}, but the ratio holds: the sides took turns, so whatever disturbed one disturbed the other, too.`,
  uncompared: ({ valid, levels }) =>
    `${valid}; the figures include the other runs, too (${levels}).`,
  same: ({ valid, hasOthers, lost: { places } }) =>
    !hasOthers
      ? `${valid}.`
      : `${valid}; ${
        places.length > 0 && areUndecided(places)
          ? "the verdict is undecided without the others, too"
          : "the verdict is the same without the others"
      }.`,
  "held-back": ({ valid, lost: { places } }) => {
    const winners = unique(places.filter(isBound).map(winnerName));
    const them = winners.length === 1 ? "it" : "them";
    return `${valid}. Other runs of ${
      listed(winners, "and")
    } count, too, because what disturbed them can only have slowed ${them} down.`;
  },
  partly: ({ valid, lost: { those, places } }) => {
    if (areUndecided(places)) return `${valid}.`;
    const rest = places.filter((place) => !those.includes(place));
    const isDecided = rest.some(({ code }) => code !== "undecided");
    return `${valid}; without the others ${those.length} of ${
      counted(places.length, nounOf(places))
    } ${those.length === 1 ? "is" : "are"} not decided, and the ${
      isDecided
        ? "verdict on the rest is the same"
        : `other ${rest.length} ${rest.length === 1 ? "is" : "are"} undecided either way`
    }.`;
  },
  open: ({ valid, lost: { places } }) =>
    areUndecided(places) ? `${valid}.` : `${valid}, too few to decide alone.`,
  fewer: ({ valid }) => `${valid}.`,
  changed: ({ valid }) => `${valid}; alone, they would give another verdict.`,
};

function areUndecided(places: readonly Place[]): boolean {
  return places.every(({ code }) => code === "undecided");
}

export function trustLine(survival: Survival, evidence: TrustEvidence): string {
  return TRUST[survival](evidence);
}
