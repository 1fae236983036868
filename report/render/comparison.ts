/** The comparison of two results in the formats that scripts and CI read: JSON and JUnit. */
import { comparisonOf, decisiveOf, type FigureComparison } from "../judge/comparison.ts";
import { type Dated, gateCase, type Testcase, type Testsuite } from "./junit.ts";
import { COMPARED, type ComparedFigure } from "../judge/group.ts";
import {
  type ComparedCell,
  comparedOutcome,
  isTrusted,
  type ResultsComparison,
} from "../subjects/comparison/comparison.ts";
import { comparedCard } from "../subjects/comparison/card.ts";
import { revisionTexts } from "../subjects/comparison/document.ts";
import { contrastIn } from "../judge/ratio_of.ts";
import { figureKey, figureName, verdictText, verdictWord } from "../findings/judgements.ts";
import { ratioText } from "../writing/ratios.ts";
import { GLUE } from "../writing/units.ts";

/**
 * The comparison as JSON. Times are in milliseconds, rates per second, shares from 0 to 1; ratios are new over base.
 */
export function comparisonJson(comparison: ResultsComparison): unknown {
  const { cells, gates, outcome, marginRatio } = comparison;
  const { code, sentence, notes, reliability } = comparedCard(comparison);
  const { differences, untrusted, onlyBase, onlyNext, decidedBy } = comparison;
  return {
    schema: "plateau.comparison/1",
    outcome,
    decidedBy,
    code,
    sentence: plain([sentence, ...notes].join(" ")),
    reliability: reliability && { ...reliability, sentence: plain(reliability.sentence) },
    marginRatio,
    ...(comparison.revisions && { revisions: comparison.revisions }),
    differences,
    untrusted,
    onlyBase,
    onlyNext,
    explanations: comparison.profiles.flatMap(({ name, profiles: { differences } }) =>
      differences.map((text) => `${name}: ${plain(text)}.`)
    ),
    cells: cells.map(({ scenario, base, next, comparison: { figures, runs }, errors }) => ({
      scenario,
      base,
      next,
      runs,
      fault: errors === "" ? null : errors,
      figures: Object.fromEntries(
        figures.map((figure) => [figureKey(figure.figure), figureJson(figure)]),
      ),
    })),
    thresholds: gates,
  };
}

function plain(text: string): string {
  return text.replaceAll(GLUE, " ");
}

/** Replaces a value of 0 that means "no figure" with null. Only a rate can really be 0. */
function measured(value: number, figure: ComparedFigure): number | null {
  return value === 0 && figure !== "rate" ? null : value;
}

function figureJson(figure: FigureComparison): unknown {
  const { base, next, ratio, interval, p, adjustedP, exact, pairs, verdict } = figure;
  const { pairingGain, between, stages, reason, smallestChange } = figure;
  const { runsNeeded, sessionsNeeded, sliced } = figure;
  const contrast = contrastIn(between);
  return {
    base: measured(base, figure.figure),
    next: measured(next, figure.figure),
    ratio,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p,
    adjustedP,
    mannWhitneyP: pairs === null ? exact?.p ?? null : null,
    signFlipP: pairs === null ? null : exact?.p ?? null,
    pairs,
    pairingGain,
    sessions: between?.kind ?? null,
    sessionStdev: contrast && Math.sqrt(contrast.variance),
    sessionCorrelation: contrast?.correlation ?? null,
    stages,
    slices: sliced && {
      processes: sliced.areTheseTwo ? "these" : "fresh",
      pairs: sliced.pairsOfSlices,
      blockPairs: sliced.blockPairs,
      withinStdev: sliced.levels?.withinStdev ?? null,
      betweenStdev: sliced.levels?.betweenStdev ?? null,
      limitedBy: sliced.levels?.limitedBy ?? null,
      disturbance: sliced.disturbance,
    },
    verdict,
    reason,
    smallestChange,
    runsNeeded,
    sessionsNeeded,
  };
}

/**
 * A testcase for each cell and figure, and for each threshold. Only a decisive figure can fail; for all other figures,
 * the message states if the new results are worse.
 */
export function comparisonSuite(
  comparison: ResultsComparison,
  dated: Dated,
): Testsuite {
  const name = "plateau compare";
  const cases = [
    ...comparison.cells.flatMap((cell) =>
      COMPARED
        // CPU time has no testcase if it is unknown.
        .filter((figure) =>
          figure !== "cpuPerRequest" || comparisonOf(cell.comparison, figure).ratio !== null
        )
        .map((figure) => figureCase(comparison, cell, figure))
    ),
    ...comparison.gates.map((gate) => gateCase(name, gate)),
  ];
  return { name, ...dated, cases, output: revisionTexts(comparison) };
}

function figureCase(
  comparison: ResultsComparison,
  cell: ComparedCell,
  figure: ComparedFigure,
): Testcase {
  const one = comparisonOf(cell.comparison, figure);
  const named = {
    classname: `plateau compare.${cell.scenario}`,
    name: `${cell.name}: ${figureName(figure)}`,
  };
  const outcome = isTrusted(comparison) ? comparedOutcome(cell, figure) : "inconclusive";
  if (outcome === "pass") return named;
  const { marginRatio } = cell.comparison;
  const isWorse = one.verdict === "worse";
  const why = !isTrusted(comparison)
    ? "a side has no valid run"
    : cell.errors || (isWorse ? "" : verdictText(one, marginRatio));
  const said = isWorse ? verdictWord(one, marginRatio) : one.verdict;
  const message = [`${said}: ${ratioText(one)}`, why].filter(Boolean).join(", ");
  const isDecisive = comparison.decidedBy !== "thresholds" &&
    decisiveOf(cell.comparison).includes(one);
  const kind = !isDecisive ? "skipped" : outcome === "fail" ? "failure" : "error";
  return { ...named, problem: { kind, type: one.verdict, message } };
}
