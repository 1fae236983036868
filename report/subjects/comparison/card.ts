/** The card of a comparison of two results: what the new side costs or gains. */
import {
  areInTurns,
  type ComparedCell,
  type ComparedSide,
  isTrusted,
  type ResultsComparison,
} from "./comparison.ts";
import { TRUSTS } from "../../../runner/result/generator.ts";
import { SESSIONS_ADVICE } from "../../judge/reasons.ts";
import { comparisonOf, decisiveOf, type FigureComparison } from "../../judge/comparison.ts";
import { responseDifferences } from "../../judge/differences.ts";
import { type ComparedFigure, DECISIVE } from "../../judge/group.ts";
import { hasTooManyErrors, shortfallOf } from "../../judge/shortfall.ts";
import { unlikeNotes } from "../../findings/card_notes.ts";
import { neededText, THESE_TWO, tooManyRunsText } from "../../findings/judgements.ts";
import { gatesSentence } from "../../findings/threshold_sentences.ts";
import { meaningOfRuns, nounOfRuns } from "../../findings/trust.ts";
import {
  placesForest,
  shortVerdict,
  sideVerdict,
  type Verdict,
  verdictOf,
} from "../verdict/card.ts";
import { type CardModel, relianceOf } from "../verdict/conclusion.ts";
import { mendStep, type NextStep, step, turnsStep } from "../verdict/next_steps.ts";
import {
  besidePlace,
  figureNameOf,
  type Judged,
  judgedTwice,
  oppositeMedian,
  type Place,
  winnerOf,
} from "../../judge/places.ts";
import { capitalized, counted, listed, unique } from "../../writing/words.ts";

export function comparedCard(comparison: ResultsComparison): CardModel {
  const { sides } = comparison;
  const judged = judgedBoth(comparison);
  const { places } = judged;
  const hasVerdict = isTrusted(comparison);
  const shown = hasVerdict ? headlined(comparison, places) : [];
  const own = judgedBoth(comparison, shown[0]?.of);
  const invalid = sides.filter(({ valid }) => valid === 0);
  const verdict = hasVerdict ? verdictIn(comparison, shown) : verdictOf("nothing-valid", {
    side: listed(invalid.map(({ name }) => name), "and"),
    meaning: meaningOfRuns(invalid.flatMap(({ runs }) => runs)),
  });
  const others = unique(places.map(({ figure }) => figure))
    .filter((figure) => shown.length > 0 && figure !== shown[0].figure);
  return {
    ...verdict,
    // If thresholds decide, they do so alone, so notes on figures are left out.
    notes: verdict.code === "thresholds" ? [] : [
      ...others.flatMap((figure) => figureNote(figure, places, sides[1].name)),
      ...places.some(({ decision }) => decision?.sliced?.areTheseTwo) ? [THESE_TWO] : [],
      ...unlikeNotes(comparison.cells.flatMap(({ match }) => responseDifferences(match))),
    ],
    forest: placesForest(shown),
    winners: [],
    claims: null,
    reliability: reliabilityOf(comparison, own),
    next: [
      ...turnsStep({ places, isTrusted: hasVerdict }, sides.map(({ runs }) => runs)),
      ...mendStep({
        runs: sides.flatMap(({ runs }) => runs),
        places,
        cores: Math.min(...sides.map(({ last: { machine } }) => machine?.allowedCores ?? Infinity)),
      }),
      ...checkStep(comparison),
      ...(hasVerdict ? nextSteps(comparison) : []),
    ],
  };
}

function verdictIn(comparison: ResultsComparison, shown: readonly Place[]): Verdict {
  const { gates, decidedBy, sides: [{ name: base }, { name: other }] } = comparison;
  if (decidedBy === "thresholds") {
    return verdictOf("thresholds", { sentence: gatesSentence(gates) });
  }
  if (shown.length === 0) return verdictOf("incomparable", {});
  // Wrong responses take precedence over speed.
  const broken = shown.filter(({ short }) => short.some(({ label }) => label === other));
  return broken.length > 0
    ? shortVerdict(broken, shown)
    : sideVerdict(shown, { other, base, isCostFirst: true });
}

/**
 * The places (cells, each with one figure by which it is judged) of the headline figure. That figure is the first with
 * a loss, or else the first with a gain, or else simply the first.
 */
function headlined(
  { sides: [{ name: base }, { name: other }] }: ResultsComparison,
  places: readonly Place[],
): readonly Place[] {
  const byFigure = DECISIVE.map((figure) => places.filter((place) => place.of === figure))
    .filter(({ length }) => length > 0);
  const withWinner = (winner: string): readonly Place[] | undefined =>
    byFigure.find((those) =>
      those.some((place) => place.code === "leads" && winnerOf(place)?.name === winner)
    );
  return withWinner(base) ?? withWinner(other) ?? byFigure[0] ?? [];
}

/**
 * A note on a figure other than the headline's. Empty if no cell could be compared by it, because one side's responses
 * are wrong.
 */
function figureNote(figure: string, places: readonly Place[], other: string): string[] {
  const own = places.filter((place) => place.figure === figure && place.rival !== null);
  if (own.length === 0) return [];
  const words = Map.groupBy(
    own,
    (place) =>
      place.code === "leads"
        ? winnerOf(place)?.name === other ? "better" : "worse"
        : place.code === "likely"
        ? "undecided"
        : place.code,
  );
  if (words.size > 1) {
    const texts = [...words].map(([word, those]) => `${word} in ${those.length}`);
    return [`By ${figure}: ${listed(texts, "and")}.`];
  }
  const [[word]] = words;
  const all = own.length === 2 ? "both cells" : `all ${counted(own.length, "cell")}`;
  return [`By ${figure}: ${word}${own.length === 1 ? "" : ` in ${all}`}.`];
}

/**
 * Judges the cells by all runs, and again by the undisturbed runs alone. @param only The figure to judge by. Default:
 * all deciding figures.
 */
function judgedBoth({ cells, again, sides }: ResultsComparison, only?: ComparedFigure): Judged {
  const placesIn = (cells: readonly ComparedCell[]): Place[] =>
    cells.flatMap((cell) =>
      decisiveOf(cell.comparison).filter(({ figure }) => only === undefined || figure === only)
        .map(({ figure }) => placeOf(cell, figure, sides))
    );
  return judgedTwice(placesIn(cells), again && placesIn(again));
}

function placeOf(
  cell: ComparedCell,
  figure: ComparedFigure,
  [{ name: base }, { name: next }]: ResultsComparison["sides"],
): Place {
  const { name, scenario, match, comparison, errors } = cell;
  const short = errors === "" ? [] : [match.base, match.next].flatMap((cell, i) => {
    const own = shortfallOf(cell);
    return own === null ? [] : [{ ...own, label: [base, next][i] }];
  });
  const { color } = match.next;
  return besidePlace({
    key: JSON.stringify([name, figure]),
    ...{ name, scenario, short, factors: [], noun: "cell" },
    sides: [{ name: base, label: base, color }, { name: next, label: next, color }],
    of: figure,
    figure: figureNameOf(figure, match.next),
    decision: comparisonOf(comparison, figure),
    median: oppositeMedian(comparisonOf(comparison, figure), comparison),
    marginRatio: comparison.marginRatio,
  });
}

function reliabilityOf(
  { sides, revisions, areServers }: ResultsComparison,
  judged: Judged,
): CardModel["reliability"] {
  const isAll = sides.every(({ runs, valid }) => runs.length === valid);
  const survival = isAll
    ? "all-valid"
    : areInTurns({ sides, revisions, areServers })
    ? "in-turns"
    : sides.some(({ valid }) => valid === 0)
    ? "none-valid"
    : judged.survival;
  const levels = sides.map(({ trust }) => trust?.level ?? "valid");
  return relianceOf({ ...judged, survival }, {
    runs: sides.flatMap((side) => side.runs),
    level: TRUSTS.findLast((one) => levels.includes(one)) ?? "valid",
    valid: validText(sides),
    levels: "",
  });
}

/** `All 18 runs of BASE and 9 of 18 of NEW are valid`. */
function validText(sides: readonly ComparedSide[]): string {
  const texts = sides.map(({ name, runs: { length: runs }, valid }, i) => {
    const one = nounOfRuns(sides.flatMap((side) => side.runs));
    const noun = i === 0 ? ` ${one}${runs === 1 ? "" : "s"}` : "";
    if (valid === 1 && runs === 1) return `${i === 0 ? `the ${one}` : "that"} of ${name}`;
    return valid === runs
      ? `all ${runs}${noun} of ${name}`
      : `${valid === 0 && runs > 1 ? "none of the" : `${valid} of`} ${runs}${noun} of ${name}`;
  });
  return `${capitalized(listed(texts, "and"))} are valid`;
}

/** A next step for cells in which neither side responds well enough to be compared. */
function checkStep({ cells, sides, decidedBy }: ResultsComparison): NextStep[] {
  const areWrong = cells.some(({ match: { base, next } }) => [base, next].every(hasTooManyErrors));
  if (!areWrong || decidedBy === "thresholds") return [];
  const names = listed(sides.map(({ name }) => name), "and");
  const text = `Check the responses of ${names}: speed is compared only where at most 1 % of the ` +
    "requests fail, get a wrong response or are never sent. If these responses are right, say so " +
    "with `expect` or `--expect-status`.";
  return [{ code: "check-targets", text }];
}

function nextSteps({ cells, differences, outcome }: ResultsComparison): NextStep[] {
  const all = cells.flatMap(({ comparison }) => decisiveOf(comparison));
  const neededOf = ({ runsNeeded, sessionsNeeded }: FigureComparison): number =>
    runsNeeded ?? sessionsNeeded ?? 0;
  const [needed] = all.filter((one) => neededOf(one) > 0)
    .toSorted((a, b) => neededOf(b) - neededOf(a));
  const decide = all.some(({ sliced }) => sliced?.areTheseTwo)
    ? "Measure for longer: more slices may decide." // runs can't be added to two running processes
    : needed === undefined
    ? null
    : tooManyRunsText(needed.runsNeeded ?? 0) ??
      `${needed.sessionsNeeded === null ? "Add runs" : "Add sessions"}: ${
        neededText(needed, cells[0].comparison.marginRatio)
      }.`;
  const [first, ...others] = differences;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const alike = `Measure both sides under the same conditions. They differ in ${first}${more}.`;
  return [
    ...first === undefined ? [] : [step("equal-settings", alike)],
    ...all.some(({ reason }) => reason === "sessions")
      ? [step("add-runs", `${capitalized(SESSIONS_ADVICE)}.`)]
      : [],
    ...decide === null || outcome !== "inconclusive" ? [] : [step("add-runs", decide)],
  ];
}
