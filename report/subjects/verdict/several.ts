/** Several places: who is ahead in how many of them, and what is known of the others. */
import type { FigureComparison } from "../../judge/comparison.ts";
import { isTurned, percentText, timesText } from "../../writing/ratios.ts";
import { verdictSentence } from "../../findings/judgements.ts";
import { GLUE } from "../../writing/units.ts";
import { counted, listed, unique } from "../../writing/words.ts";
import { isSearched } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  allText,
  likelyGroups,
  mostLikely,
  namesOfPlaces,
  type Naming,
  nounOfPlaces,
  type Place,
  placesShareText,
  type Seeming,
} from "./places.ts";

interface Led {
  readonly leader: string;
  readonly led: readonly Place[];
}

export function manyText(
  places: readonly Place[],
  naming: Naming,
  { isEachOpen = false }: Pick<RestOptions, "isEachOpen"> = {},
): string {
  const leaders = [...Map.groupBy(places.filter(isLed), ({ contest }) => contest.leader ?? "")]
    .map(([leader, led]): Led => ({ leader, led }))
    .sort((a, b) => b.led.length - a.led.length);
  const [most, next] = leaders;
  if (most === undefined) return nobodyText(places, naming);
  if (areShownByVerdict(places)) {
    const verdict = verdictSentence(places[0].scenario.summary.verdict);
    return [verdict, ...restTexts(places, { naming, isEachOpen })].join("; ");
  }
  if (leaders.length > 1 && next.led.length === most.led.length) {
    return dependsText(places, leaders, naming);
  }
  const own = likelyGroups(places).find(({ target }) => target === most.leader);
  const likely = own === undefined ? "" : `, and ${likelyText(own, naming)}`;
  return [
    mostText(most, places, naming) + likely,
    ...othersTexts(leaders.slice(1), naming),
    ...restTexts(places, { naming, besides: most.leader, isEachOpen }),
  ].join("; ");
}

/** Whether the verdict of their scenario says who falls short, and where. */
export function areShownByVerdict(places: readonly Place[]): boolean {
  const codes = places.map(({ scenario: { summary } }) => summary.verdict.code);
  return scenariosOf(places) === 1 && codes[0] === "falls-short";
}

/** `gin in static`, `gin in 4`: of many the first, and how many others there are. */
function leadersTexts(leaders: readonly Led[], naming: Naming): string[] {
  if (naming !== null) return leaders.map(({ leader, led }) => `${leader} ${naming(led)}`);
  const shown = leaders.length <= MOST_LEADERS ? leaders : leaders.slice(0, MOST_LEADERS - 1);
  const left = leaders.slice(shown.length);
  const count = left.reduce((sum, { led }) => sum + led.length, 0);
  return [
    ...shown.map(({ leader, led }) => `${leader} in ${led.length}`),
    ...(left.length === 0 ? [] : [`${left.length} others in ${count}`]),
  ];
}

const MOST_LEADERS = 2;

/** `fastify leads in error and express in fib`; none without others. */
function othersTexts(leaders: readonly Led[], naming: Naming): string[] {
  if (leaders.length === 0) return [];
  const [first, ...more] = leadersTexts(leaders, naming);
  const [{ leader, led }] = leaders;
  const leads = isSureOf(led) ? "leads" : "led";
  return [listed([`${leader} ${leads}${first.slice(leader.length)}`, ...more], "and")];
}

function scenariosOf(places: readonly Place[]): number {
  return new Set(places.map(({ scenario }) => scenario)).size;
}

/** Whether anybody is ahead there, at least in the runs that there are. */
function isLed({ contest, standing }: Place): boolean {
  return contest.leader !== null && standing !== "none-keeps-up";
}

/** `gin is fastest in 4 of 5 scenarios, 1.2–2.9× the next`. */
function mostText({ leader, led }: Led, places: readonly Place[], naming: Naming): string {
  const isSure = isSureOf(led);
  const verb = led.every(({ contest }) => contest.isOpen) ? "responds" : isSure ? "is" : "was";
  const where = led.length === 1 && naming !== null ? naming(led) : placesShareText(led, places);
  const range = rangeText(led);
  const reason = naming === null ? "too few runs" : "inconclusive: too few runs";
  const doubt = isSure ? "" : ` (${reason})`;
  return `${leader} ${verb} fastest ${where}${range === "" ? "" : `, ${range}`}${doubt}`;
}

function isSureOf(led: readonly Place[]): boolean {
  return led.every(({ standing }) => standing !== "one-run");
}

/** `requests/s of a over b`, but `1.2× shorter: p99 of a than of b`. */
export function overText(range: string): "over" | "than of" {
  return range.endsWith("×") ? "over" : "than of";
}

/** `1.2–2.9× the next`: the smallest and the largest lead; "" where they are of different figures. */
export function rangeText(led: readonly Place[]): string {
  const held = led.flatMap(({ decision, contest }) =>
    decision === null || decision.ratio === null ? [] : [{ ratio: decision.ratio, ...contest }]
  );
  if (held.length === 0 || new Set(held.map(({ isOpen }) => isOpen)).size > 1) return "";
  const isOfParts = held[0].isOpen && held.every(({ ratio }) => ratio > 0 && ratio < 1) &&
    held.some(({ ratio }) => isTurned(ratio));
  const leads = held.map(({ ratio }) => isOfParts ? 1 / ratio : ratio).toSorted((a, b) => a - b);
  const [least, largest] = [leads[0], leads[leads.length - 1]].map(timesText);
  const range = least === largest ? least : `${least.replace("×", "")}–${largest}`;
  if (isOfParts) return `p99 ${range}${GLUE}shorter than that of the next`;
  return held[0].isOpen ? `p99 ${range} that of the next` : `${range} the next`;
}

/** `Which is fastest depends on the scenario: a in x, b in y`. */
function dependsText(places: readonly Place[], leaders: readonly Led[], naming: Naming): string {
  const noun = nounOfPlaces(places);
  const names = unique(places.flatMap(({ contest }) => contest.factors.map(({ name }) => name)));
  const isOfScenarios = noun === "scenario" || scenariosOf(places) > 1;
  const what = listed([
    ...(noun === "scenario" ? [] : names),
    ...(isOfScenarios ? ["the scenario"] : []),
  ], "and");
  const who = listed(leadersTexts(leaders, naming), "and");
  const of = naming === null ? ` of ${counted(places.length, noun)}` : "";
  const lead = `Which is fastest depends on ${what || "the setting"}: ${who}${of}`;
  return [lead, ...restTexts(places, { naming })].join("; ");
}

interface RestOptions {
  readonly naming: Naming;
  /** Of whom it is said already where it is likely ahead. */
  readonly besides?: string;
  /** Whether it is said of each place where nothing is known, whatever stands beside. */
  readonly isEachOpen?: boolean;
}

/** The places without a leader, each sentence with its own subject: it may be read alone. */
function restTexts(
  places: readonly Place[],
  { naming, besides, isEachOpen }: RestOptions,
): string[] {
  const without = places.filter((place) => !isLed(place));
  const equal = without.filter(({ contest }) => contest.isEquivalent);
  const open = isEachOpen ? openIn(without) : openOf(without);
  const likely = likelyGroups(without).filter(({ target }) => target !== besides)
    .map((one) => `${one.target} ${likelyText(one, naming)}`);
  if (naming === null) {
    const left = equal.length + open.length;
    return [...likely, ...(left === 0 ? [] : [`${left} ${left === 1 ? "has" : "have"} no leader`])];
  }
  return [...likely, ...equalTexts(equal, naming), ...openTexts(open, places)];
}

/** Where nothing is known; few that somebody ran ahead of who never settled are named with that. */
function openOf(without: readonly Place[]): readonly Place[] {
  const open = openIn(without);
  const settled = open.filter(({ standing }) => standing !== "unsteady");
  return open.length - settled.length <= MOST_UNSETTLED ? settled : open;
}

function openIn(without: readonly Place[]): readonly Place[] {
  return without.filter(({ contest, likely }) => !contest.isEquivalent && likely === null);
}

const MOST_UNSETTLED = 2;

/** `static and fib are undecided`; of many that are all but one: `the other 4 are undecided`. */
function openTexts(open: readonly Place[], places: readonly Place[]): string[] {
  if (open.length === 0) return [];
  const areOthers = open.length > 2 && open.length === places.length - 1;
  const which = areOthers ? `the other ${open.length}` : namesOfPlaces(open);
  return [`${which} ${open.length === 1 ? "is" : "are"} undecided`];
}

/** `is likely fastest in fib and redis` */
function likelyText({ those }: Seeming, naming: Naming): string {
  return `${likelyVerb(those)} fastest ${naming?.(those) ?? `in ${those.length}`}`;
}

/** The decisive figure in words. */
export function decisiveName(
  { figure }: Pick<FigureComparison, "figure">,
  [{ runs }]: readonly CellRuns[],
): string {
  if (figure !== "rate") return `p${figure}`;
  return isSearched(runs) ? "capacity" : "requests/s";
}

// Nobody is fastest for certain in any of them: who is likely, who are as fast, or that it is open.

function nobodyText(places: readonly Place[], naming: Naming): string {
  const count = counted(places.length, nounOfPlaces(places));
  const targets = unique(places.flatMap(({ contest }) => contest.ranked.map((one) => one.target)));
  if (places.every(({ contest }) => contest.isEquivalent)) {
    const margin = marginOf(places[0]);
    return `${listed(targets, "and")} are about as fast ${allText(places)}${margin}`;
  }
  const [equal, open] = [true, false].map((isEqual) =>
    places.filter(({ contest }) => contest.isEquivalent === isEqual)
  );
  const about = equalTexts(equal, naming).map((text) => `; ${text}`).join("");
  const likely = mostLikelyText(places);
  if (likely !== "") return likely + about;
  return targets.length === 2
    ? `Whether ${listed(targets, "or")} ${fasterVerb(open)} faster is open ${
      placesShareText(open, places)
    }${about}`
    : `None of ${targets.length} is fastest for certain ${
      places.length === 2 ? `in either ${nounOfPlaces(places)}` : `in any of ${count}`
    }${about}`;
}

/** `both are about as fast in x`; none without places. */
function equalTexts(equal: readonly Place[], naming: Naming): string[] {
  if (equal.length === 0) return [];
  const isOfTwo = equal.every(({ contest }) => contest.ranked.length === 2);
  const who = isOfTwo ? "both" : "several";
  return [`${who} are about as fast ${naming?.(equal) ?? `in ${equal.length}`}`];
}

/** `gin is likely fastest in 4 of 5 scenarios, not proven`; "" of half of the places or fewer. */
function mostLikelyText(places: readonly Place[]): string {
  const most = mostLikely(places);
  if (most === null) return "";
  const where = placesShareText(most.those, places);
  return `${most.target} ${likelyVerb(most.those)} fastest ${where}, not proven`;
}

function likelyVerb(those: readonly Place[]): "likely responds" | "is likely" {
  return those.every(({ contest }) => contest.isOpen) ? "likely responds" : "is likely";
}

function fasterVerb(those: readonly Place[]): "responds" | "is" {
  return those.every(({ contest }) => contest.isOpen) ? "responds" : "is";
}

function marginOf({ scenario: { rows: [row] } }: Place): string {
  return row === undefined ? "" : `: within ${percentText(row.comparison.marginRatio)}`;
}
