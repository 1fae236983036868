/**
 * The verdict over places (mostly the settings at which targets are compared), as a card shows it: a code with its
 * sentence, one large figure, and a small forest chart or, with several settings, the winner at each.
 */
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import {
  type CardCode,
  type CardEvidence,
  cardSentence,
  marginOf,
  ratiosOf,
  rivalName,
  sharesText,
  timesRange,
  whyWords,
  winnerName,
  worstFirst,
} from "../../findings/card_sentences.ts";
import { shortfallShare, verdictWord } from "../../findings/judgements.ts";
import {
  figureNameOf,
  isMoreBetter,
  type Place,
  targetsOf,
  winnerOf,
  withoutLevel,
} from "../../judge/places.ts";
import { competing, type Shortfall } from "../../judge/shortfall.ts";
import { inverseOf, isTurned, percentText, ratioParts, ratioText } from "../../writing/ratios.ts";
import { GLUE, intervalText } from "../../writing/units.ts";
import { capitalized, counted, unique } from "../../writing/words.ts";
import * as column from "../tables/column.ts";
import { NONE, type Table, tableOf } from "../tables/table.ts";
import { certaintyOf, comparisonOf, standingOf } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";

import type { ScenarioComparison } from "./compared_scenarios.ts";

export type HeadlineFigure = NonNullable<Conclusion["figure"]>;
export type Winner = NonNullable<Conclusion["winners"]>[number];

/** For example `2.87× [2.70, 3.05] requests/s of gin over fastify`. */
export function figureText({ text, interval, label }: HeadlineFigure): string {
  return [text, interval, label].filter(Boolean).join(" ");
}

export interface Verdict {
  readonly code: CardCode;
  readonly sentence: string;
  readonly figure: HeadlineFigure | null;
}

export function verdictOf<Code extends keyof CardEvidence>(
  code: Code,
  evidence: CardEvidence[Code],
  figure: HeadlineFigure | null = null,
): Verdict {
  const said: keyof CardEvidence = code;
  // A lead that is only likely is no decision, so its code is `undecided`.
  const known = said === "likely" ? "undecided" : said;
  return { code: known, sentence: cardSentence(code, evidence), figure };
}

/** The verdict on which target is ahead. @param places At least one. */
export function rankedVerdict(places: readonly Place[]): Verdict {
  const decided = having(places, "leads", "equivalent");
  if (decided.length > 0 && areSeparate(places)) {
    return verdictOf("separate", { those: decided, places });
  }
  const led = having(places, "leads", "only");
  const leaders = byWinner(led);
  const [most, next] = leaders;
  if (next !== undefined) {
    const figure = most.length > 1 ? ratioFigure(most, "decided") : null;
    return verdictOf("depends", { leaders, places }, figure);
  }
  const held = having(led, "leads");
  if (held.length > 0) {
    return verdictOf("leads", { those: led, places }, ratioFigure(held, "decided"));
  }
  const isShort = led.length > 0 || having(places, "none").length === places.length;
  return isShort ? shortVerdict(places) : openVerdict(places);
}

function having(places: readonly Place[], ...codes: readonly Place["code"][]): Place[] {
  return places.filter(({ code }) => codes.includes(code));
}

/** Whether there are several scenarios, no two of which have a target in common. */
function areSeparate(places: readonly Place[]): boolean {
  const byScenario = [...Map.groupBy(places, ({ scenario }) => scenario).values()];
  const targets = byScenario.flatMap((those) => unique(those.flatMap(targetsOf)));
  return byScenario.length > 1 && new Set(targets).size === targets.length;
}

/** Places grouped by their winner. The winner of the most places comes first. */
function byWinner(places: readonly Place[]): Place[][] {
  return [...Map.groupBy(places, winnerName).values()].sort((a, b) => b.length - a.length);
}

/** The verdict if no target certainly leads in any place. */
function openVerdict(places: readonly Place[]): Verdict {
  const [likely] = byWinner(having(places, "likely"));
  if (likely !== undefined) {
    return verdictOf("likely", { those: likely, places }, ratioFigure(likely, "likely"));
  }
  const open = having(places, "undecided");
  const equal = having(places, "equivalent");
  if (open.length === 0) {
    const figure = equal.length === 1 ? ratioFigure(equal, "decided") : null;
    return verdictOf("equivalent", { those: equal, places }, figure);
  }
  const isUnsettled = open.every(({ why }) => why === "unsteady") &&
    open.length + equal.length === places.length;
  const figure = places.length === 1 ? ratioFigure(open, "open") : null;
  return verdictOf(isUnsettled ? "unsettled" : "undecided", { those: open, places }, figure);
}

/** The verdict if only one side of a place, or neither, meets the requirements. */
export function shortVerdict(some: readonly Place[], places = some): Verdict {
  const kept = having(some, "only");
  const those = kept.length > 0 ? kept : having(some, "none");
  return fallsShort({
    ...{ those, places },
    keepers: unique(kept.map(winnerName)),
    short: those.flatMap(({ short }) => short),
  });
}

/** The verdict that targets fall short; `undecided` if no shortfall is known. */
export function fallsShort(evidence: CardEvidence["falls-short"]): Verdict {
  const { short, places } = evidence;
  const [worst] = worstFirst(short);
  if (worst === undefined) return verdictOf("undecided", { those: places, places });
  return verdictOf("falls-short", evidence, {
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

/**
 * How other targets compare with a base. The verdict is on the target that certainly differs from the base in the most
 * places or, among several such targets, differs most.
 * @param places At least one.
 */
export function besideVerdict(places: readonly Place[], base: string): Verdict {
  const otherOf = ({ first, rival, short }: Place): string =>
    [first.name, rival?.name, ...short.map(({ label }) => label)]
      .find((name) => name !== undefined && name !== base) ?? first.name;
  const certainOf = (those: readonly Place[]): number => having(those, "leads").length;
  const distanceOf = (those: readonly Place[]): number =>
    Math.max(...those.map(({ decision }) => Math.abs(Math.log(decision?.ratio ?? 1))));
  const [[other, own]] = [...Map.groupBy(places, otherOf)]
    .toSorted(([, a], [, b]) => certainOf(b) - certainOf(a) || distanceOf(b) - distanceOf(a));
  if (certainOf(own) > 0) return sideVerdict(own, { other, base });
  // If only one side meets the requirements in at least half of the places, the verdict is about
  // the sides that fall short.
  return 2 * having(places, "only").length >= places.length
    ? shortVerdict(places)
    : sideVerdict(having(places, "likely").length > 0 ? own : places, { other, base });
}

interface Sides {
  readonly other: string;
  readonly base: string;
  /** Whether a cost in any place outweighs all gains. */
  readonly isCostFirst?: boolean;
}

/**
 * The verdict on one other target compared with the base. If neither of the two certainly leads in any place, it says
 * which targets fall short or what is undecided. Otherwise it is about gains if there are gains in more places than
 * costs, or else about costs.
 */
export function sideVerdict(
  places: readonly Place[],
  { other, base, isCostFirst = false }: Sides,
): Verdict {
  const led = having(places, "leads");
  if (led.length === 0) {
    return 2 * having(places, "only", "none").length >= places.length
      ? shortVerdict(places)
      : openVerdict(places);
  }
  const [gains, costs] = [other, base].map((name) =>
    led.filter((place) => winnerName(place) === name)
  );
  const isGain = gains.length > costs.length && !(isCostFirst && costs.length > 0);
  const those = isGain ? gains : costs;
  const evidence = { those, places, other, base };
  const isShare = those.every(({ decision }) => decision !== null && isMoreBetter(decision));
  return isGain || !isShare
    ? verdictOf(isGain ? "gains" : "costs", evidence, ratioFigure(those, "decided"))
    : verdictOf("costs", evidence, costFigure(evidence));
}

function costFigure({ those, other, base }: CardEvidence["costs"]): HeadlineFigure {
  const [{ decision, figure }] = those;
  const ratios = ratiosOf(those);
  const interval = those.length === 1 ? decision?.interval ?? null : null;
  const ends = interval && { low: 100 * (1 - interval.high), high: 100 * (1 - interval.low) };
  return {
    ...NO_INTERVAL,
    ...ends,
    text: sharesText(ratios, "≥ "),
    interval: ends === null || ratios.isBound ? "" : intervalText(ends),
    label: `${figure === "capacity" ? "less" : "fewer"} ${figure} for ${other} than for ${base}`,
    value: those.length === 1 ? 100 * (1 - (decision?.ratio ?? 1)) : null,
    unit: "%",
    certainty: "decided",
  };
}

const NO_INTERVAL = { interval: "", value: null, low: null, high: null } as const;

/** The ratio of a single place with its interval, or the range of ratios over several places. */
function ratioFigure(
  places: readonly Place[],
  certainty: HeadlineFigure["certainty"],
): HeadlineFigure | null {
  const [place] = places;
  if (places.length > 1) {
    const margin = marginOf(places);
    const rival = rivalName(places) ?? "the runner-up";
    return margin === null || certainty === "open" ? null : {
      ...NO_INTERVAL,
      text: timesRange(margin, "≥ "),
      label: `${place.figure} of ${
        winnerName(place)
      } over ${rival}, in ${places.length} comparisons`,
      unit: "×",
      certainty,
    };
  }
  const { decision, figure } = place;
  if (decision === null || decision.ratio === null || place.rival === null) return null;
  // If no target leads, the ratio has the same direction as in tables.
  const isBehind = certainty === "open"
    ? place.isFirstBase
    : certainty === "likely" && winnerOf(place) === place.rival;
  const [first, rival] = isBehind ? [place.rival, place.first] : [place.first, place.rival];
  const { ratio, interval, bound } = isBehind
    ? inverseOf({ ...decision, ratio: decision.ratio })
    : decision;
  const shown = ratioParts({ figure: decision.figure, ratio, interval, bound });
  return {
    text: shown.value,
    interval: shown.interval,
    label: `${figure} of ${first.name} ${isTurned(ratio) ? "than of" : "over"} ${rival.name}`,
    value: ratio,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit: "×",
    certainty,
  };
}

export function winnersOf(places: readonly Place[]): Winner[] {
  return places.map((place) => {
    const { code, name: setting, decision, figure, first, rival } = place;
    return {
      setting,
      winner: winnerOf(place)?.name ?? null,
      first: first.name,
      rival: rival?.name ?? null,
      figure,
      ratio: decision?.ratio ?? null,
      low: decision?.interval?.low ?? null,
      high: decision?.interval?.high ?? null,
      margin: decision === null ? "" : ratioText(decision),
      certainty: CERTAINTIES[code] ?? "open",
      word: wordOf(place),
    };
  });
}

const CERTAINTIES: Readonly<Partial<Record<Place["code"], Winner["certainty"]>>> = {
  leads: "decided",
  equivalent: "decided",
  likely: "likely",
};

/** The most winners that fit on a first screen. */
const MOST_WINNERS = 10;

/**
 * The winner at each setting with its margin. Ratios of undecided settings are only in the matrix. Null if there are no
 * winners.
 */
export function winnersTable(winners: readonly Winner[]): Table | null {
  if (winners.length === 0) return null;
  const figures = unique(winners.map(({ figure }) => figure));
  const omitted = winners.length - MOST_WINNERS;
  const notes = omitted > 0 ? [`${counted(omitted, "more setting")} below.`] : [];
  return tableOf({ caption: "Who wins where", notes }, winners.slice(0, MOST_WINNERS), [
    column.name("Setting", ({ setting }) => setting),
    column.text("Winner", ({ winner }) => winner ?? NONE.text),
    column.text("Figure", ({ figure }) => figures.length === 1 ? "" : figure),
    column.text(
      figures.length === 1 ? `Margin in ${figures[0]}` : "Margin",
      ({ winner, margin }) =>
        winner === null || margin === "" ? NONE.text : margin.replace(`${GLUE}[`, " ["),
    ),
    column.text("Certainty", ({ word }) => word),
  ]);
}

function wordOf(place: Place): string {
  const { code, marginRatio, why, short } = place;
  switch (code) {
    case "leads":
      return "certain";
    case "likely":
      return why === "doubted" ? "likely, only with doubtful runs" : "likely, not proven";
    case "equivalent":
      return `equal within ${percentText(marginRatio)}`;
    case "undecided":
      return whyWords(place)[0];
    case "only":
      return short.length === 0 ? "no other was measured" : "no other keeps up";
    case "none":
      return "none keeps up";
  }
}

// The small forest chart: each ratio to the base with its interval, all on one axis.

export type ConclusionForest = NonNullable<Conclusion["forest"]>;
export type ConclusionRow = ConclusionForest["rows"][number];

/** The parts of a place that a row is made from. */
type Compared = Pick<Place, "decision" | "figure" | "marginRatio"> & {
  readonly label: string;
  readonly color: number;
  readonly base: string;
  /** Whether the undisturbed runs alone give another verdict. */
  readonly isDoubted: boolean;
};

/** The most rows that fit on a first screen. */
const MOST_ROWS = 10;

/** A forest of the first row's figure only, because there is a single axis; null if there is no ratio. */
function forestOf(compared: readonly Compared[]): ConclusionForest | null {
  const all = compared.flatMap(({ decision, ...row }) => {
    const ratio = decision?.ratio ?? null;
    return decision === null || ratio === null ? [] : [{ ...row, decision, ratio }];
  });
  const [first] = all;
  if (first === undefined) return null;
  const rows = all.filter(({ decision }) => decision.figure === first.decision.figure);
  const isOneBase = rows.every(({ base }) => base === first.base);
  const isMore = isMoreBetter(first.decision);
  return {
    title: `${capitalized(first.figure)} ${isOneBase ? `against ${first.base}` : "compared"}, ${
      isMore ? "more" : "less"
    } is better`,
    better: isMore ? "higher" : "lower",
    margin: 1 + first.marginRatio,
    rows: rows.slice(0, MOST_ROWS).map(
      ({ label, color, ratio, decision, marginRatio, isDoubted }) => {
        const shown = withoutLevel(decision);
        return {
          ...{ label, color, ratio },
          low: shown.interval?.low ?? null,
          high: shown.interval?.high ?? null,
          certainty: isDoubted || shown.isDoubted ? "open" : certaintyOf(standingOf(shown)),
          text: ratioText(shown),
          word: isDoubted ? "only with doubtful runs" : verdictWord(shown, marginRatio),
        };
      },
    ),
    omitted: Math.max(0, rows.length - MOST_ROWS),
  };
}

/**
 * The forest of a scenario that has one setting (rows are targets) or one target (rows are settings), with the best
 * first. Rows in which a cell falls short of the requirements are left out, unless all cells fall short.
 */
export function baseForest(
  { rows, cells, unit }: ScenarioComparison,
  isDoubted: (target: string) => boolean,
): ConclusionForest | null {
  const of = decisiveFigure(cells);
  const figure = figureNameOf(of, cells[0], unit);
  const able = competing(cells).map(({ label }) => label);
  const shown = rows.filter(({ name, base }) =>
    able.length === 0 || able.includes(name) && able.includes(base)
  ).map(({ name, color, base, comparison }) => ({
    ...{ label: name, color, base, figure },
    isDoubted: cells.some(({ label, target }) =>
      (label === name || label === base) && isDoubted(target)
    ),
    decision: comparisonOf(comparison, of),
    marginRatio: comparison.marginRatio,
  }));
  return forestOf(bestFirst(shown));
}

/** The forest of a comparison with a base, or of new runs compared with earlier ones, with a row for each place. */
export function placesForest(places: readonly Place[]): ConclusionForest | null {
  const isOne = places.every(({ first }) => first.name === places[0].first.name);
  const areSeveral = places.some(({ name }) => name !== places[0].name);
  const labelOf = ({ name, first }: Place): string => {
    const alike = places.filter((place) => place.name === name && place.first.name === first.name);
    const side = alike.length > 1 ? first.label : first.name;
    return !areSeveral ? side : isOne && alike.length === 1 ? name : `${name}: ${side}`;
  };
  const compared = places.flatMap((place): Compared[] => {
    const { first, rival, why } = place;
    return rival === null ? [] : [{
      ...place,
      label: labelOf(place),
      color: first.color,
      base: rival.name,
      isDoubted: why === "doubted" || why === "lost",
    }];
  });
  // Targets are sorted by their ratio, but settings and the values of a factor keep their order.
  const areTargets = new Set(places.map(({ first }) => first.name)).size === places.length;
  return forestOf(areTargets && !areSeveral ? bestFirst(compared) : compared);
}

function bestFirst(compared: readonly Compared[]): Compared[] {
  return compared.toSorted(({ decision: a }, { decision: b }) => {
    const [one, other] = [a?.ratio ?? 1, b?.ratio ?? 1];
    return a !== null && isMoreBetter(a) ? other - one : one - other;
  });
}
