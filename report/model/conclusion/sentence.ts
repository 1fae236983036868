/** The whole experiment in one sentence: who is ahead, by how much, and at what price. Without a full stop. */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { percentText } from "../comparison/ratios.ts";
import type { FigureComparison } from "../comparison/comparison.ts";
import { shortfallOf, shortfallText } from "../comparison/shortfall.ts";
import { verdictSentence } from "../comparison/verdict_sentences.ts";
import { formatNumber, formatTick } from "../numbers/units.ts";
import { counted, listed, unique } from "../numbers/words.ts";
import type { SweepModel } from "../sweeps/sweeps.ts";
import { namesOfPlaces, nounOfPlaces, type Place } from "./places.ts";

/** @param sweeps Of the same scenarios: of one target, what its factor does is the whole result. */
export function conclusionSentence(
  scenarios: readonly ScenarioComparison[],
  places: readonly Place[],
  sweeps: readonly SweepModel[],
): string {
  const lone = scenarios.filter(({ contests }) => contests.length === 0);
  const texts = [
    ...(places.length === 0 ? [] : [places.length === 1 ? placeText(places[0]) : manyText(places)]),
    ...lone.map((scenario) => loneText(scenario, sweeps, scenarios.length > 1)),
  ];
  const shown = texts.slice(0, MOST_TEXTS);
  const left = texts.length - shown.length;
  return [...shown, ...(left > 0 ? [`${counted(left, "more scenario")} below`] : [])].join("; ");
}

/** More would be no sentence. */
const MOST_TEXTS = 2;

function loneText(
  { name, summary }: ScenarioComparison,
  sweeps: readonly SweepModel[],
  isNamed: boolean,
): string {
  const figures = sweeps.filter(({ scenario }) => scenario === name).flatMap((one) => one.figures);
  const findings = figures.flatMap(({ findings }) => findings);
  // A finding of a line says more than which of its ends is the faster.
  const [only] = findings.length === 1 ? findings : [];
  const text = only?.replace(/\.$/, "") ?? verdictSentence(summary.verdict);
  return isNamed ? `${name}: ${text}` : text;
}

function placeText(place: Place): string {
  const { scenario: { summary }, standing, contest: { ranked: [first, second] } } = place;
  const { decision, tradeoffs, contest: { isOpen } } = place;
  if (standing !== "ahead" || decision === null || decision.ratio === null) {
    return [verdictSentence(summary.verdict), ...beatenText(place)].join("; ");
  }
  const lead = isOpen
    ? `${first.target} responds fastest: its p99 is ${
      timesText(decision.ratio)
    } that of ${second.target}`
    : `${first.target} serves ${timesText(decision.ratio)} ${second.target}`;
  const price = priceText(tradeoffs);
  return price === "" ? lead : `${lead}; ${price}`;
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

function manyText(places: readonly Place[]): string {
  const leaders = [...Map.groupBy(places.filter(isLed), ({ contest }) => contest.leader ?? "")]
    .map(([leader, led]) => ({ leader, led }))
    .sort((a, b) => b.led.length - a.led.length);
  const [most, next] = leaders;
  if (most === undefined) return nobodyText(places);
  const alone = places.find(({ standing }) => standing === "alone");
  const isOneScenario = nounOfPlaces(places) === "setting" && scenariosOf(places) === 1;
  if (leaders.length === 1 && alone !== undefined && isOneScenario) {
    return [verdictSentence(alone.scenario.summary.verdict), ...restTexts([], places)].join("; ");
  }
  if (leaders.length > 1 && next.led.length === most.led.length) {
    return dependsText(places, leaders.map(({ leader, led }) => `${leader} ${inText(led)}`));
  }
  const others = leaders.slice(1).map(({ leader, led }) => `${leader} ${inText(led)}`);
  const rest = [...restTexts(others, places), ...shortTexts(places)];
  return [mostText(most.leader, most.led, places), ...rest].join("; ");
}

function scenariosOf(places: readonly Place[]): number {
  return new Set(places.map(({ scenario }) => scenario)).size;
}

/** Whether anybody is ahead there, at least in the runs that there are. */
function isLed({ contest, standing }: Place): boolean {
  return contest.leader !== null && standing !== "none-keeps-up";
}

/** `gin is fastest in 4 of 5 scenarios, 1.2–2.9× the next`. */
function mostText(leader: string, led: readonly Place[], places: readonly Place[]): string {
  const isSure = led.every(({ standing }) => standing !== "one-run");
  const verb = led.every(({ contest }) => contest.isOpen) ? "responds" : isSure ? "is" : "was";
  const where = led.length === places.length
    ? allText(places)
    : `in ${led.length} of ${counted(places.length, nounOfPlaces(places))}`;
  const range = rangeText(led);
  const doubt = isSure ? "" : " (inconclusive: too few runs)";
  return `${leader} ${verb} fastest ${where}${range === "" ? "" : `, ${range}`}${doubt}`;
}

/** `in both scenarios`, `in all 5 scenarios` */
function allText(places: readonly Place[]): string {
  return places.length === 2
    ? `in both ${nounOfPlaces(places)}s`
    : `in all ${counted(places.length, nounOfPlaces(places))}`;
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
function dependsText(places: readonly Place[], leaders: readonly string[]): string {
  const names = unique(places.flatMap(({ contest }) => contest.factors.map(({ name }) => name)));
  const noun = nounOfPlaces(places);
  const what = noun === "scenario" ? "the scenario" : listed(names, "and") || "the setting";
  return [
    `Which is fastest depends on ${what}: ${listed(leaders, "and")}`,
    ...restTexts([], places),
  ]
    .join("; ");
}

/** Others that lead somewhere, then the places without a leader. */
function restTexts(others: readonly string[], places: readonly Place[]): string[] {
  const without = places.filter((place) => !isLed(place));
  const equal = without.filter(({ contest }) => contest.isEquivalent);
  const open = without.filter(({ contest }) => !contest.isEquivalent);
  return [
    ...(others.length === 0 ? [] : [listed(others, "and")]),
    ...(equal.length === 0 ? [] : [`about as fast ${inText(equal)}`]),
    ...(open.length === 0 ? [] : [`undecided ${inText(open)}`]),
  ];
}

/** `b responds wrongly to 30 % in upload`: why the leader had nobody beside it there; the first stands for all. */
function shortTexts(places: readonly Place[]): string[] {
  const [place] = places.filter(({ standing }) => standing === "alone");
  const short = place?.contest.cells.flatMap((cell) => {
    const found = shortfallOf(cell);
    return found === null ? [] : [{ ...found, label: cell.target }];
  })[0];
  return place === undefined || short === undefined
    ? []
    : [`${shortfallText(short)} ${inText([place])}`];
}

function nobodyText(places: readonly Place[]): string {
  const count = counted(places.length, nounOfPlaces(places));
  const targets = unique(places.flatMap(({ contest }) => contest.ranked.map((one) => one.target)));
  if (places.every(({ contest }) => contest.isEquivalent)) {
    const margin = marginOf(places[0]);
    return `${listed(targets, "and")} are about as fast ${allText(places)}${margin}`;
  }
  const equal = places.filter(({ contest }) => contest.isEquivalent);
  const about = equal.length === 0 ? "" : `; about as fast ${inText(equal)}`;
  return targets.length === 2
    ? `Whether ${listed(targets, "or")} is faster is open in each of ${count}${about}`
    : `None of ${targets.length} is fastest for certain in any of ${count}${about}`;
}

function marginOf({ scenario: { rows: [row] } }: Place): string {
  return row === undefined ? "" : `: within ${percentText(row.comparison.marginRatio)}`;
}

function inText(places: readonly Place[]): string {
  return `${
    nounOfPlaces(places) === "scenario" && places[0].name === places[0].scenario.name ? "in" : "at"
  } ${namesOfPlaces(places)}`;
}

/** The decisive figure in words. */
export function decisiveName({ figure }: Pick<FigureComparison, "figure">): string {
  return figure === "rate" ? "requests/s" : `p${figure}`;
}
