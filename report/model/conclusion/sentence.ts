/** The whole experiment in one sentence: who is ahead, by how much, and at what price. Without a full stop. */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import type { FigureComparison } from "../comparison/comparison.ts";
import { shortfallOf, shortfallText } from "../comparison/shortfall.ts";
import { verdictSentence } from "../comparison/verdict_sentences.ts";
import { formatNumber, formatTick } from "../numbers/units.ts";
import { counted, listed, unique } from "../numbers/words.ts";
import { isOpenAbove, isSearched } from "../runs/capacity.ts";
import type { CellRuns } from "../runs/cells.ts";
import type { SweepModel } from "../sweeps/sweeps.ts";
import { type Beside, besideTexts } from "./beside_base.ts";
import { nobodyText } from "./nobody.ts";
import { shortTexts } from "./short.ts";
import {
  inText,
  likelyGroups,
  type Naming,
  NO_TRADEOFFS,
  nounOfPlaces,
  type Place,
  placesShareText,
} from "./places.ts";
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
  const texts = [
    ...(besides === null ? placesTexts(places, lone.length > 0) : [besidesText(besides)]),
    ...lone.map((scenario) => loneText(scenario, sweeps, scenarios.length > 1)),
  ];
  const withRest = (count: number): string => {
    const left = texts.length - count;
    const rest = left > 0 ? `. ${counted(left, "more scenario")} below` : "";
    return texts.slice(0, count).join("; ") + rest;
  };
  return texts.length > 1 && isShort(withRest(2)) ? withRest(2) : withRest(1);
}

/** Whether none of its sentences is too long. */
function isShort(text: string): boolean {
  return text.split(/\.\s/).every((sentence) => sentence.split(/\s+/).length <= MOST_WORDS);
}

function besidesText(besides: readonly (readonly Beside[])[]): string {
  const texts = besideTexts(besides);
  return texts.find(isShort) ?? texts[texts.length - 1];
}

/** With the names of the places, where that is short enough, otherwise with how many they are; none without any. */
function placesTexts(places: readonly Place[], isNamed: boolean): string[] {
  if (places.length === 0) return [];
  const [place] = places;
  const heads = places.length === 1
    ? unique(
      [place, { ...place, tradeoffs: NO_TRADEOFFS }].map((one) =>
        isNamed ? `${place.scenario.name}: ${placeText(one)}` : placeText(one)
      ),
    )
    : [manyText(places, inText), manyText(places, null)];
  const short = areShownByVerdict(places) ? [] : shortTexts(places);
  const texts = [short, unjudgedTexts(places)].reduce(withEach, heads);
  return [texts.find(isShort) ?? texts[texts.length - 1]];
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
  if (verdict.code !== "undecided" || beaten.length === 0) return [];
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

/** Two digits, but as many as a ratio near 1 needs to differ from it: `2.9×`, `1.04×`, `0.50×`, `12,000×`. */
export function timesText(ratio: number): string {
  if (ratio >= 10) return `${formatTick(Number(ratio.toPrecision(2)))}×`;
  if (ratio >= 1.095) return `${ratio.toFixed(1)}×`;
  return ratio >= 0.1 ? `${ratio.toFixed(2)}×` : `${formatNumber(Number(ratio.toPrecision(2)))}×`;
}

// Several places: who is ahead in how many of them.

interface Led {
  readonly leader: string;
  readonly led: readonly Place[];
}

function manyText(places: readonly Place[], naming: Naming): string {
  const leaders = [...Map.groupBy(places.filter(isLed), ({ contest }) => contest.leader ?? "")]
    .map(([leader, led]): Led => ({ leader, led }))
    .sort((a, b) => b.led.length - a.led.length);
  const [most, next] = leaders;
  if (most === undefined) return nobodyText(places, naming);
  if (areShownByVerdict(places)) {
    const verdict = verdictSentence(places[0].scenario.summary.verdict);
    return [verdict, ...restTexts([], places, naming)].join("; ");
  }
  if (leaders.length > 1 && next.led.length === most.led.length) {
    return dependsText(places, leaders, naming);
  }
  const others = leadersTexts(leaders.slice(1), naming);
  return [mostText(most, places, naming), ...restTexts(others, places, naming)].join("; ");
}

/** Whether the verdict of their scenario says who falls short, and where. */
function areShownByVerdict(places: readonly Place[]): boolean {
  const codes = places.map(({ scenario: { summary } }) => summary.verdict.code);
  return scenariosOf(places) === 1 && ["only-keeps-up", "none-keeps-up"].includes(codes[0]);
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

function scenariosOf(places: readonly Place[]): number {
  return new Set(places.map(({ scenario }) => scenario)).size;
}

/** Whether anybody is ahead there, at least in the runs that there are. */
function isLed({ contest, standing }: Place): boolean {
  return contest.leader !== null && standing !== "none-keeps-up";
}

/** `gin is fastest in 4 of 5 scenarios, 1.2–2.9× the next`. */
function mostText({ leader, led }: Led, places: readonly Place[], naming: Naming): string {
  const isSure = led.every(({ standing }) => standing !== "one-run");
  const verb = led.every(({ contest }) => contest.isOpen) ? "responds" : isSure ? "is" : "was";
  const where = placesShareText(led, places);
  const range = rangeText(led);
  const reason = naming === null ? "too few runs" : "inconclusive: too few runs";
  const doubt = isSure ? "" : ` (${reason})`;
  return `${leader} ${verb} fastest ${where}${range === "" ? "" : `, ${range}`}${doubt}`;
}

/** `1.2–2.9× the next`: the smallest and the largest lead; "" where they are of different figures. */
export function rangeText(led: readonly Place[]): string {
  const held = led.flatMap(({ decision, contest }) =>
    decision === null || decision.ratio === null ? [] : [{ ratio: decision.ratio, ...contest }]
  );
  if (held.length === 0 || new Set(held.map(({ isOpen }) => isOpen)).size > 1) return "";
  const leads = held.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
  const [least, largest] = [leads[0], leads[leads.length - 1]].map(timesText);
  const range = least === largest ? least : `${least.replace("×", "")}–${largest}`;
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
  return [lead, ...restTexts([], places, naming)].join("; ");
}

/** Others that lead somewhere, then the places without a leader. */
function restTexts(
  others: readonly string[],
  places: readonly Place[],
  naming: Naming,
): string[] {
  const without = places.filter((place) => !isLed(place));
  const equal = without.filter(({ contest }) => contest.isEquivalent);
  const open = without.filter(({ contest, likely }) => !contest.isEquivalent && likely === null);
  const led = others.length === 0 ? [] : [listed(others, "and")];
  const likely = likelyGroups(without).map(({ target, those }) =>
    `${target} likely ${naming?.(those) ?? `in ${those.length}`}`
  );
  if (naming === null) {
    const left = equal.length + open.length;
    return [...led, ...likely, ...(left === 0 ? [] : [`no leader in ${left}`])];
  }
  return [
    ...led,
    ...likely,
    ...(equal.length === 0 ? [] : [`about as fast ${naming(equal)}`]),
    ...(open.length === 0 ? [] : [`undecided ${naming(open)}`]),
  ];
}

/** The decisive figure in words. */
export function decisiveName(
  { figure }: Pick<FigureComparison, "figure">,
  [{ runs }]: readonly CellRuns[],
): string {
  if (figure !== "rate") return `p${figure}`;
  return isSearched(runs) ? "capacity" : "requests/s";
}
