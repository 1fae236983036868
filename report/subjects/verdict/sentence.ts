/** The whole experiment in one sentence: who is ahead, by how much, and at what price. Without a full stop. */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { timesText } from "../../writing/ratios.ts";
import { shortfallOf } from "../../judge/shortfall.ts";
import { shortfallText, verdictSentence } from "../../findings/judgements.ts";
import { counted, listed, uncapitalized, unique } from "../../writing/words.ts";
import { isOpenAbove, isSearched } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { SweepModel } from "../sweeps/sweeps.ts";
import { type Beside, besideTexts } from "./beside_base.ts";
import { inText, NO_TRADEOFFS, type Place } from "./places.ts";
import { servedTexts } from "./served.ts";
import { areShownByVerdict, manyText } from "./several.ts";
import { shortTexts } from "./short.ts";
import { unjudgedTexts } from "./unjudged.ts";

/** More would be read twice. */
const MOST_WORDS = 25;

interface ConcludedFrom {
  readonly places: readonly Place[];
  /** What others do beside the base; null: who is fastest is the question. */
  readonly besides: readonly (readonly Beside[])[] | null;
  /** Of the same scenarios: of one target, what its factor does is the whole result. */
  readonly sweeps: readonly SweepModel[];
}

export function conclusionSentence(
  scenarios: readonly ScenarioComparison[],
  { places, besides, sweeps }: ConcludedFrom,
): string {
  const lone = scenarios.filter(({ contests }) => contests.length === 0);
  const apart = besides === null ? apartOf(places) : [];
  const texts = [
    ...(besides !== null
      ? [besidesText(besides)]
      : apart.length > 1
      ? apartTexts(apart)
      : placesTexts(places, lone.length > 0)),
    ...lone.map((scenario) => loneText(scenario, sweeps, scenarios.length > 1)),
  ];
  const withRest = (count: number): string => {
    const left = texts.length - count;
    const rest = left > 0 ? `. ${counted(left, "more scenario")} below` : "";
    return texts.slice(0, count).join(apart.length > 1 ? ". " : "; ") + rest;
  };
  const most = Math.min(texts.length, Math.max(2, apart.length));
  return texts.length > 1 && isShort(withRest(most)) ? withRest(most) : withRest(1);
}

/**
 * Of each scenario in which a number is varied, how much is served; before the others, what is known of which comes first. Where all
 * of it is too long, the first part of each.
 */
function apartTexts(apart: readonly (readonly Place[])[]): string[] {
  const along = apart.map((those) => ({ those, texts: servedTexts(those[0].scenario) }));
  const others = along.filter(({ texts }) => texts.length === 0).map(({ those }) => those);
  const isOpen = ([place, ...others]: readonly Place[]): boolean =>
    others.length === 0 && place.contest.leader === null && place.likely === null &&
    !place.contest.isEquivalent && place.standing !== "none-keeps-up";
  const known = others.filter((those) => !isOpen(those)).flatMap((those) =>
    placesTexts(those, true)
  );
  const isLong = known.join(" ").split(/\s+/).length > MOST_WORDS;
  return [
    ...along.filter(({ texts }) => texts.length > 0).map(({ those: [place], texts }) =>
      shortest(texts.map((text) => `${place.scenario.name}: ${text}`))
    ),
    ...(isLong ? known.map((text) => text.split("; ")[0]) : known),
    ...others.filter(isOpen).map(([{ scenario }]) => `${scenario.name} is undecided`),
  ];
}

/** Of an experiment with several questions, those in which a number is varied; none of others. */
export function questionsOf(places: readonly Place[]): ScenarioComparison[] {
  const apart = apartOf(places);
  return apart.length < 2 ? [] : apart.map(([{ scenario }]) => scenario)
    .filter((scenario) => servedTexts(scenario).length > 0);
}

/** The first that is short enough, from the most that can be said to the least. */
function shortest(texts: readonly string[]): string {
  return texts.find(isShort) ?? texts[texts.length - 1];
}

/** Scenarios that have no target in common are different questions: of each its own places; else all together. */
function apartOf(places: readonly Place[]): readonly (readonly Place[])[] {
  const byScenario = [...Map.groupBy(places, ({ scenario }) => scenario)];
  const targets = byScenario.flatMap(([, those]) =>
    unique(those.flatMap(({ contest: { cells } }) => cells.map(({ target }) => target)))
  );
  if (byScenario.length < 2 || unique(targets).length < targets.length) return [places];
  return byScenario.map(([{ name }, those]) =>
    those.map((place) => ({ ...place, name: place.name.replace(`${name}, `, "") }))
  );
}

/** Whether none of its sentences is too long. */
function isShort(text: string): boolean {
  return text.split(/\.\s/).every((sentence) => sentence.split(/\s+/).length <= MOST_WORDS);
}

function besidesText(besides: readonly (readonly Beside[])[]): string {
  return shortest(besideTexts(besides));
}

/** With the names of the places, where that is short enough, otherwise with how many they are; none without any. */
function placesTexts(places: readonly Place[], isNamed: boolean): string[] {
  if (places.length === 0) return [];
  const [place] = places;
  const short = areShownByVerdict(places) ? [] : shortTexts(places);
  const unjudged = unjudgedTexts(places);
  const isOneScenario = places.every(({ scenario }) => scenario === place.scenario);
  const named = (text: string): string =>
    isNamed && isOneScenario ? `${place.scenario.name}: ${goingOn(text)}` : text;
  const heads = places.length === 1
    ? unique(
      [place, { ...place, tradeoffs: NO_TRADEOFFS }].map((one) => named(placeText(one))),
    ).map((head) => [head, unjudged] as const)
    : [
      [named(manyText(places, inText)), unjudged.slice(0, -1)] as const,
      // Where there is no room to say who never settled, it is said where nothing is known for that.
      [named(manyText(places, inText, { isEachOpen: true })), unjudged.slice(-1)] as const,
      [named(manyText(places, null)), unjudged] as const,
    ];
  const texts = heads.flatMap(([head, rest]) => [short, rest].reduce(withEach, [head]));
  return [shortest(texts)];
}

/** After a colon: names of targets stay as they are. */
function goingOn(text: string): string {
  return /^(?:At|No|None|Only|Whether|Which) /.test(text) ? uncapitalized(text) : text;
}

/** Each with each of what may stand beside it; as they are where there is nothing. */
function withEach(heads: readonly string[], besides: readonly string[]): readonly string[] {
  if (besides.length === 0) return heads;
  return heads.flatMap((head) => besides.map((text) => `${head}; ${text}`));
}

function loneText(
  { name, summary, cells }: ScenarioComparison,
  sweeps: readonly SweepModel[],
  isNamed: boolean,
): string {
  const figures = sweeps.filter(({ scenario }) => scenario === name).flatMap((one) => one.figures);
  const findings = figures.flatMap(({ findings }) => findings);
  // A finding of a line says more than which of its ends is the faster.
  const [only] = findings.length === 1 ? findings : [];
  const text = only?.replace(/\.$/, "") ?? noneText(cells) ?? verdictSentence(summary.verdict);
  // Of several scenarios the first sentence of each; its sweep has the others.
  return isNamed ? `${name}: ${text.split(". ")[0]}` : text;
}

/** `a responds wrongly to 90 %`, of one alone that does not do what was required; null of others. */
function noneText(cells: readonly CellRuns[]): string | null {
  const short = cells.length === 1 ? shortfallOf(cells[0]) : null;
  return short === null || short.kind === "slow" ? null : shortfallText(short);
}

function placeText(place: Place): string {
  const { scenario: { summary }, standing, contest: { ranked: [first, second] } } = place;
  const { decision, tradeoffs, contest: { isOpen } } = place;
  if (standing !== "ahead" || decision === null || decision.ratio === null) {
    return [verdictSentence(summary.verdict), ...tailText(place), ...beatenText(place)].join("; ");
  }
  const lead = isOpen
    ? `${first.target} responds fastest: its p99 is ${
      timesText(decision.ratio)
    } that of ${second.target}`
    : `${first.target} ${servesText(first)} ${timesText(decision.ratio)} ${second.target}`;
  const price = priceText(tradeoffs);
  return price === "" ? lead : `${lead}; ${price}`;
}

function servesText(cell: CellRuns): string {
  if (!isSearched(cell.runs)) return "serves";
  return isOpenAbove(cell.runs) ? "takes at least" : "takes";
}

/** `the p99 of b is 3.1× as long`: as many requests/s are not all that matters. */
function tailText({ longerTail }: Place): string[] {
  if (longerTail === null) return [];
  return [`the p99 of ${longerTail.target} is ${asLongText(longerTail.ratio)} as long`];
}

/** `a is faster than c`: whom the first is ahead of, where it is not ahead of all. */
function beatenText({ scenario: { summary: { verdict } }, contest, beaten }: Place): string[] {
  const isOpen = ["undecided", "equivalent", "unsettled"].includes(verdict.code);
  if (!isOpen || beaten.length === 0) return [];
  const faster = contest.isOpen ? "faster to respond" : "faster";
  const whom = beaten.length > MOST_BEATEN ? `${beaten.length} others` : listed(beaten, "and");
  return [`${contest.ranked[0].target} is ${faster} than ${whom}`];
}

const MOST_BEATEN = 3;

/** `its p99 is twice as long and it uses 1.6× the CPU`; "" where the lead has no price. */
function priceText({ p99, cpu }: Place["tradeoffs"]): string {
  return listed([
    ...(p99 === null ? [] : [`its p99 is ${asLongText(p99)} as long`]),
    ...(cpu === null ? [] : [`it uses ${timesText(cpu)} the CPU`]),
  ], "and");
}

function asLongText(ratio: number): string {
  return timesText(ratio) === "2.0×" ? "twice" : timesText(ratio);
}
