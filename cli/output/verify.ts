/**
 * Functions that throw the error that determines the exit code if measurements failed, can't be trusted or miss a
 * threshold. The module is imported only after the load has ended. Pure.
 */
import { CheckError, InconclusiveError, TargetError, UntrustedError } from "../../base/errors.ts";
import { remedyFor } from "../../base/net/dial_error.ts";
import { endsText, noResponseOf, noResponseText } from "../../report/findings/no_response.ts";
import { findingSentences } from "../../report/findings/sentences.ts";
import type { GateOutcome } from "../../report/findings/threshold_sentences.ts";
import { GLUE } from "../../report/writing/units.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Measurement, Missing, Results, Run } from "../../runner/result/result.ts";

/** Maximum number of reasons that are shown; a target that does not respond causes only one or two. */
const MOST_REASONS = 5;

/** What the output already shows, so that an error need not repeat it. */
interface Told {
  /** Whether the output names the missing measurements and their reasons. */
  readonly hasMissing?: boolean;
  /** Whether the output has a summary, which includes everything that errors would say. */
  readonly hasSummary?: boolean;
}

/** Throws an error if no request got a response, if a rule ended the load early, or if responses were wrong. */
export function verifyMeasurement(
  measurement: Measurement,
  unreachable: string | null = null,
): void {
  const { url, reasons, checks } = measurement;
  if (isUnanswered(measurement)) {
    const causes = measurement.generator.findings.filter(({ code }) =>
      code === "nothing-sent" || code === "aborted"
    );
    // In an open loop, requests that wait for a connection are never sent. So there may be no
    // failed request that tells the reason.
    const known = Object.keys(reasons);
    const all = known.length === 0 && unreachable !== null ? [unreachable] : known;
    const why = all.slice(0, MOST_REASONS).map((reason) => {
      const remedy = remedyFor(reason, "flags");
      return remedy === null ? reason : `${reason}: ${remedy}`;
    });
    throw new TargetError(
      `Cannot measure ${url}: ${lowered(noResponseText(noResponseOf([measurement])))}`,
      [...findingSentences(causes), ...why],
    );
  }
  const [worst] = measurement.generator.findings;
  if (worst?.code === "aborted") {
    throw new CheckError(
      `Ended the load of ${url} early, as the rule "${worst.evidence.rule}" demands`,
    );
  }
  if (checks.failed > 0) {
    const checked = checks.passed + checks.failed;
    throw new CheckError(`${checks.failed} of ${checked} responses of ${url} were not as expected`);
  }
}

/** With --strict: throws an error if the generator or the machine, rather than the target, may have limited any run. */
export function verifyTrust(
  runs: readonly (Measurement | Run)[],
  { hasSummary = false }: Told = {},
): void {
  const doubted = runs.filter(({ generator }) => generator.trust !== "valid");
  if (doubted.length === 0) return;
  const what = runs.length === 1 ? "the run is" : `${doubted.length} of ${runs.length} runs are`;
  throw new UntrustedError(
    `Cannot trust the figures: ${what} not valid`,
    hasSummary ? [] : doubted.map(doubtOf),
  );
}

function doubtOf(run: Measurement | Run): string {
  const { trust } = run.generator;
  const place = "target" in run ? `${run.scenario}, ${run.target}, run ${run.repetition}: ` : "";
  return `${place}${trust}: ${findingSentences(run.generator.findings).join(" ")}`;
}

function lowered(sentence: string): string {
  return sentence[0].toLowerCase() + sentence.slice(1);
}

interface Verified extends Pick<Results, "planned"> {
  readonly runs: readonly Run[];
  readonly missing: readonly Missing[];
}

/**
 * Throws an error if runs are missing or got no response or, otherwise, if responses were wrong. Skipped cells are not
 * an error, unless nothing was measured.
 */
export function verifyResults(
  { runs, missing, planned }: Verified,
  { hasSummary = false, hasMissing = hasSummary }: Told = {},
): void {
  const failed = missing.filter(({ kind }) => kind === "failed");
  const silent = runs.filter(isUnanswered);
  if (failed.length + silent.length > 0) {
    const measured = runs.length - silent.length;
    const message = `Cannot measure the whole plan: ${measured} of ${planned} runs were measured`;
    throw new TargetError(message, [
      ...hasSummary ? [] : silenceOf(silent),
      ...hasMissing ? [] : evidenceOf(failed),
    ]);
  }
  if (runs.length === 0) {
    throw new TargetError(
      "Cannot verify the experiment: nothing was measured",
      hasMissing ? [] : evidenceOf(missing),
    );
  }
  const wrong = runs.filter(({ checks }) => checks.failed > 0);
  if (wrong.length > 0) {
    throw new CheckError(
      `${wrong.length} of ${runs.length} runs had responses that are not as expected`,
      wrong.map(({ scenario, target, repetition, checks }) =>
        `${scenario}, ${target}, run ${repetition}: ${checks.failed} wrong, ${checks.passed} right`
      ),
    );
  }
}

/** Lines about runs that got no response: one for each cell, with how its requests ended. */
function silenceOf(silent: readonly Run[]): string[] {
  const cells = Map.groupBy(
    silent,
    ({ scenario, target, parameters }) => JSON.stringify([scenario, target, parameters]),
  );
  return [...cells.values()].map((runs) => {
    const [{ scenario, target }] = runs;
    const which = runs.map(({ repetition }) => repetition).join(", ");
    const named = `${scenario}, ${target}, run${runs.length === 1 ? "" : "s"} ${which}`;
    return `${named}: no request got a response: ${endsText(noResponseOf(runs)) || "none was due"}`;
  });
}

/** Each distinct reason, followed by the last lines of output of the first target that failed for it. */
function evidenceOf(failed: readonly Missing[]): string[] {
  return [...Map.groupBy(failed, ({ reason }) => reason)].flatMap(([reason, [{ evidence }]]) => [
    reason,
    ...evidence.map((line) => `  ${line}`),
  ]);
}

/**
 * Throws an error if a threshold failed or, otherwise, if one is inconclusive. The module with the wording is imported
 * only if there are thresholds.
 */
export async function verifyGates(
  gates: readonly GateOutcome[],
  { hasSummary = false }: Told = {},
): Promise<void> {
  if (gates.length === 0) return;
  const { gatesText, gateText } = await import("../../report/findings/threshold_sentences.ts");
  const linesOf = (those: readonly GateOutcome[]): string[] =>
    hasSummary ? [] : those.map((gate) => gateText(gate).replaceAll(GLUE, " "));
  const failed = gates.filter(({ outcome }) => outcome === "fail");
  if (failed.length > 0) {
    throw new CheckError(gatesText(gates), linesOf(failed));
  }
  const unsure = gates.filter(({ outcome }) => outcome === "inconclusive");
  if (unsure.length > 0) {
    throw new InconclusiveError(
      `${gatesText(gates)}: there is not enough evidence for a verdict`,
      linesOf(unsure),
    );
  }
}
