/** A comparison of two results for scripts and CI: JSON and JUnit. */
import { comparisonOf, type FigureComparison } from "../model/comparison/comparison.ts";
import { gateCase, type Testcase, type Testsuite } from "./junit.ts";
import { COMPARED, type ComparedFigure, isDecisive } from "../model/comparison/group.ts";
import {
  cellName,
  type ComparedCell,
  outcomeOf,
  type ResultsComparison,
} from "../model/compared_results.ts";
import { sessionStdevOf } from "../model/comparison/between.ts";
import { figureName, ratioText, verdictText } from "../model/comparison/words.ts";

/** Times in milliseconds, rates per second, shares 0–1; ratios are new over base. */
export function comparisonJson(comparison: ResultsComparison): unknown {
  const { cells, gates, outcome, marginRatio } = comparison;
  const { differences, untrusted, onlyBase, onlyNext } = comparison;
  return {
    schema: "plateau.comparison/1",
    outcome,
    marginRatio,
    differences,
    untrusted,
    onlyBase,
    onlyNext,
    cells: cells.map(({ scenario, base, next, comparison: { figures, runs }, fault }) => ({
      scenario,
      base,
      next,
      runs,
      fault: fault === "" ? null : fault,
      figures: Object.fromEntries(
        figures.map((figure) => [figureName(figure.figure), figureJson(figure)]),
      ),
    })),
    thresholds: gates,
  };
}

function figureJson(figure: FigureComparison): unknown {
  const { base, next, ratio, interval, p, adjustedP, exact, pairs, verdict } = figure;
  const { pairingGain, between, reason, smallestChange, runsNeeded } = figure;
  return {
    base,
    next,
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
    sessionStdev: between === null ? null : sessionStdevOf(between),
    verdict,
    reason,
    smallestChange,
    runsNeeded,
  };
}

/**
 * A testcase for each cell and figure, and for each threshold. Only the figures that decide how the comparison
 * ends can fail; what the others say against the new results is in their message.
 */
export function comparisonSuite(
  comparison: ResultsComparison,
  { startedAt, hostname }: Pick<Testsuite, "startedAt" | "hostname">,
): Testsuite {
  const name = "plateau compare";
  const cases = [
    ...comparison.cells.flatMap((cell) => COMPARED.map((figure) => figureCase(cell, figure))),
    ...comparison.gates.map((gate) => gateCase(name, gate)),
  ];
  return { name, startedAt, hostname, cases };
}

function figureCase(cell: ComparedCell, figure: ComparedFigure): Testcase {
  const one = comparisonOf(cell.comparison, figure);
  const named = {
    classname: `plateau compare.${cell.scenario}`,
    name: `${cellName(cell)}: ${figureName(figure)}`,
  };
  const outcome = outcomeOf(cell, figure);
  if (outcome === "pass") return named;
  const why = cell.fault ||
    (one.verdict === "worse" ? "" : verdictText(one, cell.comparison.marginRatio));
  const message = [`${one.verdict}: ${ratioText(one)}`, why].filter(Boolean).join(", ");
  if (!isDecisive(figure)) {
    return { ...named, problem: { kind: "skipped", type: one.verdict, message } };
  }
  const kind = outcome === "fail" ? "failure" : "error";
  return { ...named, problem: { kind, type: one.verdict, message } };
}
