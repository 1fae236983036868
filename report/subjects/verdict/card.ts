/**
 * The verdict over places, as shown on a card: a code with its sentence, one large figure, and a small forest or, with
 * several settings, the winner at each.
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
  whyWord,
  winnerName,
  worstFirst,
} from "../../findings/card_sentences.ts";
import { shortfallShare } from "../../findings/judgements.ts";
import { isMoreBetter, type Place, targetsOf, winnerOf } from "../../judge/places.ts";
import type { Shortfall } from "../../judge/shortfall.ts";
import { isTurned, percentText, ratioParts, ratioText } from "../../writing/ratios.ts";
import { boundText, GLUE, intervalText } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import * as column from "../tables/column.ts";
import { NONE, type Table, tableOf } from "../tables/table.ts";

export type HeadlineFigure = NonNullable<Conclusion["figure"]>;
export type Winner = NonNullable<Conclusion["winners"]>[number];

/** `2.87× [2.70, 3.05] requests/s of gin over fastify`. */
export function figureText({ text, interval, label }: HeadlineFigure): string {
  return [text, interval, label].filter(Boolean).join(" ");
}

/** A verdict as a code, with its sentence and the headline figure. */
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
  // A likely lead is not a decision.
  const known = said === "likely" ? "undecided" : said;
  return { code: known, sentence: cardSentence(code, evidence), figure };
}

/** Which target is ahead. @param places At least one. */
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

/** Whether, of several scenarios, no two have a target in common. */
function areSeparate(places: readonly Place[]): boolean {
  const byScenario = [...Map.groupBy(places, ({ scenario }) => scenario).values()];
  const targets = byScenario.flatMap((those) => unique(those.flatMap(targetsOf)));
  return byScenario.length > 1 && new Set(targets).size === targets.length;
}

/** Places by their winner; the winner of most places comes first. */
function byWinner(places: readonly Place[]): Place[][] {
  return [...Map.groupBy(places, winnerName).values()].sort((a, b) => b.length - a.length);
}

/** The verdict if no target certainly leads anywhere. */
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

/** The verdict if only a single side, or none, meets the requirements. */
export function shortVerdict(some: readonly Place[], places = some): Verdict {
  const kept = having(some, "only");
  const those = kept.length > 0 ? kept : having(some, "none");
  return fallsShort({
    ...{ those, places },
    keepers: unique(kept.map(winnerName)),
    short: those.flatMap(({ short }) => short),
  });
}

/** The verdict that targets fall short; undecided if no shortfall is known. */
export function fallsShort(evidence: CardEvidence["falls-short"]): Verdict {
  const [worst] = worstFirst(evidence.short);
  if (worst === undefined) {
    const { places } = evidence;
    return verdictOf("undecided", { those: places, places });
  }
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
 * How others compare with a base: a verdict on the one with the most certain differences, or else the largest.
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
  // If the base itself falls short, the verdict is about the targets that do not.
  return 2 * having(places, "only").length >= places.length
    ? shortVerdict(places)
    : sideVerdict(having(places, "likely").length > 0 ? own : places, { other, base });
}

interface Sides {
  readonly other: string;
  readonly base: string;
  /** Whether a cost in any place takes precedence. */
  readonly isCostFirst?: boolean;
}

/** The verdict on one other target beside the base: on its gains or its costs, whichever occur in more places. */
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
    text: sharesText(ratios),
    interval: ends === null ? "" : intervalText(ends),
    label: `${figure === "capacity" ? "less" : "fewer"} ${figure} for ${other} than for ${base}`,
    value: those.length === 1 ? 100 * (1 - ratios.least) : null,
    unit: "%",
    certainty: "decided",
  };
}

const NO_INTERVAL = { interval: "", value: null, low: null, high: null } as const;

/** The ratio of one place with its interval, or the range over several places. */
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
      text: timesRange(margin),
      label: `${place.figure} of ${
        winnerName(place)
      } over ${rival}, in ${places.length} comparisons`,
      unit: "×",
      certainty,
    };
  }
  const { decision, figure, isAtLeast } = place;
  if (decision === null || decision.ratio === null || place.rival === null) return null;
  // If no target leads, the ratio is shown in the direction that tables use.
  const isBehind = certainty === "open"
    ? place.isFirstBase
    : certainty === "likely" && winnerOf(place) === place.rival;
  const [first, rival] = isBehind ? [place.rival, place.first] : [place.first, place.rival];
  const ratio = isBehind ? 1 / decision.ratio : decision.ratio;
  const interval = isBehind ? inverse(decision.interval) : decision.interval;
  const shown = ratioParts({ figure: decision.figure, ratio, interval });
  return {
    text: boundText(shown.value, isAtLeast),
    interval: isAtLeast && interval !== null
      ? `(at least ${ratioText({ figure: decision.figure, ratio: interval.low, interval: null })})`
      : shown.interval,
    label: `${figure} of ${first.name} ${isTurned(ratio) ? "than of" : "over"} ${rival.name}`,
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

function inverse(interval: Ends | null): Ends | null {
  return interval && { low: 1 / interval.high, high: 1 / interval.low };
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
      certainty: code === "leads" || code === "equivalent"
        ? "decided"
        : code === "likely"
        ? "likely"
        : "open",
      word: wordOf(place),
    };
  });
}

/** The most winners that fit on a first screen. */
const MOST_WINNERS = 10;

/** The winner at each setting with its margin; the matrix has the ratios of undecided settings. Null without winners. */
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
      return whyWord(place);
    case "only":
      return short.length === 0 ? "no other was measured" : "no other keeps up";
    case "none":
      return "none keeps up";
  }
}
