/**
 * Turns results into the content of a report. All numbers, units, orders and sentences are decided here or in
 * neighbouring files; the page, the terminal and markdown only lay them out. Pure.
 */
import { isUnanswered } from "../runner/result/outcome.ts";
import type { Run } from "../runner/result/result.ts";
import type { Group } from "./blocks.ts";
import { type Grouped, groupRuns, repeatedOf, type ScenarioRuns } from "./cells/cells.ts";
import { type MeasuredRuns, thresholdsOf, titleOf } from "./cells/measured.ts";
import { choiceIn } from "./cells/recast.ts";
import type { Document } from "./document.ts";
import { type GateOutcome, gateOutcome } from "./findings/threshold_sentences.ts";
import { isHeldBack, isUndisturbed } from "./judge/disturbed_runs.ts";
import { judgeClaims, type JudgedClaim } from "./judge/claims.ts";
import { gatesOf, judgeTogether } from "./judge/thresholds.ts";
import { byResult, leadingRuns, planOf } from "./judge/pairs.ts";
import { areTargetsMovedAlike } from "./judge/slices.ts";
import { otherStatuses, unanswered } from "./subjects/about.ts";
import { settlingOf } from "./subjects/settling.ts";
import { requestText, scenarioLoads } from "./subjects/method/load.ts";
import { SUBJECTS } from "./subjects/registry.ts";
import { groupsOf, type ReportContext } from "./subjects/subject.ts";
import {
  type Again,
  compareScenarios,
  type OtherBase,
  otherBases,
  pageTargets,
} from "./subjects/verdict/compared_scenarios.ts";
import { conclude, type ConclusionModel } from "./subjects/verdict/conclusion.ts";
import { sum } from "./writing/spread.ts";

/**
 * The comparisons without disturbed runs. Null if no run was disturbed, or if every disturbance affected all targets
 * alike.
 */
function judgedAgain(results: MeasuredRuns, scenarios: readonly ScenarioRuns[]): Again | null {
  const { runs } = results;
  if (runs.every(isUndisturbed) || areTargetsMovedAlike(results)) return null;
  const { level } = repeatedOf(results);
  const choice = choiceIn(results);
  const by = (counts: (run: Run) => boolean): Again["undisturbed"] => {
    const those = { ...results, runs: runs.filter(counts) };
    return { results: those, compared: compareScenarios(groupRuns(those), { level, choice }) };
  };
  const leading = leadingRuns(scenarios.map((scenario) => planOf(scenario, choice)));
  const isLeadHeldBack = (run: Run): boolean => leading.has(run.order) && isHeldBack(run);
  return {
    undisturbed: by(isUndisturbed),
    withHeldBack: runs.some((run) => !isUndisturbed(run) && isLeadHeldBack(run))
      ? by((run) => isUndisturbed(run) || isLeadHeldBack(run))
      : null,
  };
}

/** The report of an experiment: the document to be displayed, and the parts that programs read. */
export interface ReportModel extends Document {
  readonly card: ConclusionModel;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  readonly context: ReportContext;
}

/** With more cells than this, distributions are shown only on the page, not in the terminal. */
const ROOMY_CELLS = 24;

/**
 * Makes the report of an experiment.
 * @param baseline The results with which thresholds compare figures; null if there are none.
 */
export function reportModel(results: MeasuredRuns, baseline: Grouped | null = null): ReportModel {
  const asWritten = groupRuns(results);
  const { level } = repeatedOf(results);
  const choice = choiceIn(results);
  const again = judgedAgain(results, asWritten);
  const compared = compareScenarios(asWritten, { level, choice, again });
  const loads = scenarioLoads(results);
  const isRoomy = sum(asWritten, ({ cells }) => cells.length) <= ROOMY_CELLS;
  const claims = judgeClaims(asWritten, results);
  const gates = judgeTogether(gatesOf(thresholdsOf(results), asWritten, results, { baseline }))
    .map(gateOutcome);
  const settling = settlingOf(asWritten);
  const { card, verdicts } = conclude(results, {
    ...{ compared, again, claims, settling },
    isMeasured: !results.runs.every(isUnanswered),
  });
  const scenarios = asWritten.map(({ name, cells }, i) => ({
    name,
    request: requestText(name, results.experiment?.scenarios),
    load: loads.get(name) ?? "",
    cells: byResult(cells),
    compared: compared[i],
    verdict: verdicts.get(name) ?? null,
    roomy: isRoomy ? ["terminal" as const] : [],
    level,
    results,
  }));
  let bases: readonly OtherBase[] | null = null;
  const context: ReportContext = {
    results,
    baseline,
    level,
    scenarios,
    asWritten,
    runs: asWritten.flatMap(({ cells }) => cells.flatMap(({ runs }) => runs))
      .sort((a, b) => a.order - b.order),
    claims,
    gates,
    settling,
    // Computed only for the page, because with many targets this takes longer than all other
    // comparisons.
    bases: () => bases ??= otherBases(compared, { level }, again),
    matrix: card.matrix !== null && card.matrix.columns.length > 1 ? card.matrix : null,
  };
  let groups: readonly Group[] | null = null;
  return {
    kind: "experiment",
    name: results.experiment?.name ?? "bench",
    title: titleOf(results),
    lead: [...unanswered(results), ...otherStatuses(results)],
    card,
    claims,
    gates,
    targets: pageTargets(asWritten, compared),
    // Created on demand, because a caller that only wants verdicts does not need the blocks of the
    // page.
    get groups(): readonly Group[] {
      return groups ??= groupsOf(SUBJECTS, context);
    },
    colors: scenarios.flatMap(({ cells }) => cells.map(({ color }) => color)),
    scenarios,
    context,
  };
}
