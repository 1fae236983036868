/** Failures and doubts as annotations of a step of GitHub Actions. Pure. */
import {
  type ComparedCell,
  figureOutcomes,
  type ResultsComparison,
  sentenceOf,
} from "../../report/subjects/comparison/comparison.ts";
import { type GateOutcome, gateText } from "../../report/findings/threshold_sentences.ts";
import { type ThresholdOutcome, worstOf } from "../../report/judge/thresholds.ts";
import { cellLabel } from "../../report/cells/cell_label.ts";
import { type Annotation, command } from "../../report/writing/annotation.ts";
import type { Written } from "../../report/writing/written.ts";
import type { Measurement, Missing, Results, Run } from "../../runner/result/result.ts";
import { endsText, noResponseOf } from "../../report/findings/no_response.ts";
import { type TrustModel, trustOf, trustOfRuns } from "../../report/findings/trust.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";

/** GitHub shows at most this many annotations of each level for a step. */
const MOST = 10;

/** Workflow commands, one for each annotation. If a level has too many, its last command only counts the others. */
export function annotationLines(annotations: readonly Annotation[]): Written<"annotation">[] {
  const byLevel = Map.groupBy(annotations, ({ level }) => level);
  return [...byLevel.values()].flatMap((alike) => {
    if (alike.length <= MOST) return alike.map(command);
    const [{ level }] = alike;
    const message = `${
      alike.length - MOST + 1
    } more of these ${level}s are in the log and the report`;
    return [...alike.slice(0, MOST - 1), { level, title: "And more", message }].map(command);
  });
}

export function resultsAnnotations(
  { runs, missing }: Results,
  gates: readonly GateOutcome[],
): Annotation[] {
  return [
    ...missing.filter(({ kind }) => kind === "failed").map(missingAnnotation),
    ...runs.flatMap(responseAnnotations),
    ...gatesAnnotations(gates),
    ...trustAnnotation(trustOfRuns(runs), "Measurements"),
  ];
}

export function measurementAnnotations(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Annotation[] {
  return [
    ...responseAnnotations(measurement),
    ...gatesAnnotations(gates),
    ...trustAnnotation(trustOf(measurement), "Measurement"),
  ];
}

export function comparisonAnnotations(comparison: ResultsComparison): Annotation[] {
  const { gates, differences, untrusted, decidedBy } = comparison;
  const cells = decidedBy === "thresholds" ? [] : comparison.cells;
  const outcomeIn = (cell: ComparedCell): ThresholdOutcome =>
    worstOf(figureOutcomes({ ...comparison, cells: [cell] }));
  const [worse, unsure] = (["fail", "inconclusive"] as const).map((outcome) =>
    cells.filter((cell) => outcomeIn(cell) === outcome)
  );
  return [
    ...worse.map((cell): Annotation => ({
      level: "error",
      title: "Worse than before",
      message: messageOf(cell),
    })),
    ...gatesAnnotations(gates),
    ...unsure.map((cell): Annotation => ({
      level: "warning",
      title: "Comparison inconclusive",
      message: messageOf(cell),
    })),
    ...untrusted.map((message): Annotation => ({ level: "warning", title: "Trust", message })),
    ...differences.map((message): Annotation => ({
      level: "warning",
      title: "Different conditions",
      message,
    })),
  ];
}

function messageOf(cell: ComparedCell): string {
  return [sentenceOf(cell), cell.errors].filter(Boolean).join("; ");
}

function gatesAnnotations(gates: readonly GateOutcome[]): Annotation[] {
  return gates.filter(({ outcome }) => outcome !== "pass").map((gate) => ({
    level: gate.outcome === "fail" ? "error" : "warning",
    title: gate.outcome === "fail" ? "Threshold failed" : "Threshold inconclusive",
    message: gateText(gate),
  }));
}

function missingAnnotation(missing: Missing): Annotation {
  const { scenario, repetition, reason } = missing;
  const which = [scenario, cellLabel(missing), repetition && `run ${repetition}`];
  const message = `${which.filter(Boolean).join(", ")}: ${reason}`;
  return { level: "error", title: "Not measured", message };
}

function responseAnnotations(run: Measurement | Run): Annotation[] {
  const { checks: { passed, failed }, reasons } = run;
  if (isUnanswered(run)) {
    const why = [endsText(noResponseOf([run])) || "none was due", ...Object.keys(reasons)].join(
      "; ",
    );
    const message = `${placeOf(run)}: ${why}`;
    return [{ level: "error", title: "No request got a response", message }];
  }
  if (failed === 0) return [];
  const message = `${placeOf(run)}: ${failed} of ${passed + failed} responses were not as expected`;
  return [{ level: "error", title: "Wrong responses", message }];
}

/**
 * A single annotation for all runs. On a disturbed machine, every run has doubts, which would bury the failures if each
 * had an annotation.
 */
function trustAnnotation(trust: TrustModel | null, what: string): Annotation[] {
  if (trust === null || trust.level === "valid") return [];
  const message = [`${trust.text}.`, ...trust.reasons].join(" ");
  return [{ level: "warning", title: `${what} ${trust.level}`, message }];
}

function placeOf(run: Measurement | Run): string {
  return "target" in run ? `${run.scenario}, ${cellLabel(run)}, run ${run.repetition}` : run.url;
}
