/**
 * Results → everything that a report says: each number, unit, order and sentence is decided here or
 * in the files beside it, once. Page, terminal, CSV and markdown only lay the model out. Pure.
 */
import type { Run } from "../runner/result/result.ts";
import { type MeasuredRuns, nameOfMeasured, thresholdsOf, titleOf } from "./cells/measured.ts";
import { agentsModel, type ScenarioAgentsModel } from "./subjects/agents/agents.ts";
import type { ScenarioSummary } from "./judge/verdict.ts";
import type {
  BarsChart,
  DensityChart,
  TailsChart,
  TimelineChart,
} from "./subjects/charts/charts.ts";
import { bottleneckFindings } from "./findings/bottleneck.ts";
import { runtimeFindings } from "./findings/runtime_counters.ts";
import { type MissingModel, missingModels } from "./subjects/missing.ts";
import { caveatSentence } from "./findings/caveat_sentences.ts";
import { noResponseCaveat, stoppedCaveat, warningsOf } from "./findings/caveats.ts";
import { type CellRuns, type Grouped, groupRuns, repeatedOf } from "./cells/cells.ts";
import { judgeClaims, type JudgedClaim } from "./judge/claims.ts";
import { type ConclusionModel, conclusionOf } from "./subjects/verdict/conclusion.ts";
import { choiceIn } from "./cells/recast.ts";
import { type PageTarget, pageTargets } from "./subjects/verdict/compared_scenarios.ts";
import { byResult, rightCells } from "./judge/pairs.ts";
import { type OtherBase, otherBases } from "./subjects/verdict/other_bases.ts";
import { compareScenarios } from "./subjects/verdict/compared_scenarios.ts";
import {
  boundsNote,
  densityFinding,
  densityOf,
  tailsFinding,
  tailsOf,
} from "./subjects/charts/density.ts";
import { type ErrorsModel, errorsModel } from "./subjects/charts/errors.ts";
import type { ForestModel } from "./subjects/charts/forest.ts";
import { gatesOf, judgeTogether } from "./judge/gates.ts";
import { type GateOutcome, gateOutcome } from "./findings/gate_sentences.ts";
import { requestText, scenarioLoads } from "./subjects/method/load.ts";
import type { Fact, Group } from "./blocks.ts";
import { groupOf, SUBJECTS } from "./subjects/registry.ts";
import type { ReportContext, ScenarioContext } from "./subjects/subject.ts";
import { factsOf } from "./subjects/method/method.ts";
import { type ProfilesModel, profilesModel } from "./subjects/profiles/profiles.ts";
import { perCpuFinding, resourcesTable } from "./subjects/tables/resources.ts";
import { type SlowestModel, slowestOf } from "./subjects/tables/slowest.ts";
import { type CapacityModel, capacityModel } from "./subjects/capacity_picture.ts";
import { barsOf, type TradeoffModel, tradeoffOf } from "./subjects/charts/throughput.ts";
import { type SettlingModel, settlingModel } from "./subjects/charts/settling.ts";
import { type SteadyFinding, steadyFindings } from "./findings/steady_finding.ts";
import { type SweepModel, sweepsOf } from "./subjects/sweeps/sweeps.ts";
import { stepScenarios } from "./subjects/steps/step_cells.ts";
import { stepsTable } from "./subjects/steps/table.ts";
import { perSecondTables, runsTable, summaryTable } from "./subjects/tables/summary.ts";
import { percentileTable } from "./subjects/tables/percentiles.ts";
import { connectionsTable } from "./subjects/tables/connections.ts";
import { type ServedTables, servedTables } from "./subjects/tables/served.ts";
import { outcomesTable, reasonsTable } from "./subjects/tables/outcomes.ts";
import type { Table } from "./subjects/tables/table.ts";
import { type SteadyTables, steadyTables } from "./subjects/tables/steady.ts";
import { timelinesOf } from "./subjects/charts/timelines.ts";
import { heatmapText, timelineText } from "./findings/timeline_findings.ts";
import { type TrustModel, trustOfRuns } from "./findings/trust.ts";
import { isUnanswered } from "../runner/result/outcome.ts";

export interface ReportModel {
  readonly name: string;
  /** The question, where the experiment has one; otherwise its name. */
  readonly title: string;
  /** Where the experiment comes from, in the words of its file; "" when it does not say. */
  readonly about: string;
  /** In which runs no request got a response, before anything else is said; "" where all had one. */
  readonly unanswered: string;
  /** Of the whole experiment: what every form shows first. */
  readonly conclusion: ConclusionModel;
  readonly facts: readonly Fact[];
  /** Why there are no more repetitions, and what they can show; "" for a fixed number. */
  readonly repetitions: string;
  /** What a reader must know before believing a number. */
  readonly warnings: readonly string[];
  /** Whether the figures can be believed; null without runs. */
  readonly trust: TrustModel | null;
  readonly claims: readonly JudgedClaim[];
  readonly gates: readonly GateOutcome[];
  /** By which the page can be narrowed. */
  readonly targets: readonly PageTarget[];
  /** What the page can compare with in place of the base. */
  readonly bases: () => readonly OtherBase[];
  readonly scenarios: readonly ScenarioModel[];
  /** Scenarios in which factors vary enough to show. */
  readonly sweeps: readonly SweepModel[];
  /** Null where no latency was ever far from where it ends. */
  readonly settling: SettlingModel | null;
  readonly missing: readonly MissingModel[];
  /** What subjects say, in the order of the page. */
  readonly groups: readonly Group[];
  /** By position; with figures that leave out what the experiment discards. */
  readonly runs: readonly Run[];
}

export interface ScenarioModel {
  readonly name: string;
  /** `GET /static`, in a line; "" when the experiment does not say. */
  readonly request: string;
  /** How it was loaded; "" where all scenarios were loaded alike. */
  readonly load: string;
  readonly summary: ScenarioSummary;
  /** What the page packs, to recompute parts of it. */
  readonly cells: readonly CellRuns[];
  readonly series: readonly { readonly label: string; readonly color: number }[];
  readonly bars: BarsChart;
  /** Null where fewer than two cells responded right. */
  readonly tradeoff: TradeoffModel | null;
  /** Null where no load was a search for a capacity. */
  readonly capacity: CapacityModel | null;
  /** One a cell, in the order of `series`. */
  readonly timelines: readonly TimelineChart[];
  readonly timelineFinding: string;
  readonly heatmapFinding: string;
  /** Null when no request has a latency. */
  readonly density: DensityChart | null;
  readonly densityFinding: string;
  /** What its ≥ mean, and which requests its histograms leave out; "" where no latency is a lower bound. */
  readonly boundsNote: string;
  /** Null when there are too few requests. */
  readonly tails: TailsChart | null;
  readonly tailsFinding: string;
  /** One for each cell; none for a load that itself changes. */
  readonly steadyFindings: readonly SteadyFinding[];
  /** How the targets compare; null where nothing is compared. */
  readonly forest: ForestModel | null;
  readonly errors: ErrorsModel;
  /** Null where no run has kept them. */
  readonly slowest: SlowestModel | null;
  /** Null where one program loaded alone. */
  readonly agents: ScenarioAgentsModel | null;
  /** What a request costs in CPU; "" where no target was watched. */
  readonly perCpuFinding: string;
  /** What kept cells from serving more, a sentence for each kind; none where it is unknown. */
  readonly bottlenecks: readonly string[];
  /** What the targets' runtimes reported, a sentence for each cell; none where they were not observed. */
  readonly runtimeFindings: readonly string[];
  /** Null without profile runs. */
  readonly profiles: ProfilesModel | null;
  readonly tables: {
    readonly summary: Table;
    readonly percentiles: Table;
    readonly steady: SteadyTables | null;
    /** Of requests, then of bytes; null where no run lasted long enough. */
    readonly perSecond: readonly [Table, Table] | null;
    /** Null where nothing was connected to. */
    readonly connections: Table | null;
    /** Null where it has one request alone. */
    readonly steps: Table | null;
    readonly served: ServedTables;
    readonly outcomes: Table;
    readonly reasons: Table | null;
    readonly resources: Table | null;
    /** Every target against the first; null when there is nothing to compare. */
    readonly compared: Table | null;
    readonly runs: Table;
  };
}

/** @param baseline What thresholds compare with; null: nothing. */
export function reportModel(results: MeasuredRuns, baseline: Grouped | null = null): ReportModel {
  const { experiment } = results;
  const scenarios = groupRuns(results);
  const { level } = repeatedOf(results);
  const compared = compareScenarios(scenarios, { level, choice: choiceIn(results) });
  const sorted = scenarios.map(({ name, cells }) => ({ name, cells: byResult(cells) }));
  const loads = scenarioLoads(results);
  const claims = judgeClaims(scenarios, results);
  const gates = judgeTogether(gatesOf(thresholdsOf(results), scenarios, results, { baseline }))
    .map(gateOutcome);
  const context: ReportContext = {
    results,
    baseline,
    claims,
    gates,
    asWritten: scenarios,
    level,
    scenarios: sorted.map(({ name, cells }, i) => ({
      name,
      request: requestText(name, experiment?.scenarios),
      load: loads.get(name) ?? "",
      cells,
      compared: compared[i],
      level,
      results,
    })),
  };
  const sweeps = sweepsOf(sorted, { level });
  const settling = settlingModel(scenarios);
  let bases: readonly OtherBase[] | null = null;
  const isMeasured = !results.runs.every(isUnanswered);
  return {
    name: nameOfMeasured(results),
    title: titleOf(results),
    about: typeof experiment?.source === "string" ? experiment.source : "",
    unanswered: caveatSentence(noResponseCaveat(results.runs)),
    conclusion: conclusionOf(results, { compared, claims, settling, isMeasured }),
    facts: factsOf(results),
    repetitions: caveatSentence(stoppedCaveat(results, scenarios)),
    trust: trustOfRuns(results.runs),
    warnings: warningsOf(results, scenarios).map(caveatSentence),
    claims,
    gates,
    targets: pageTargets(scenarios, compared),
    // For the page alone: of many targets it takes longer than all else that is compared.
    bases: () => bases ??= otherBases(compared, { level }),
    scenarios: context.scenarios.map(scenarioModel),
    sweeps,
    settling,
    missing: missingModels(results.missing ?? []),
    groups: SUBJECTS.flatMap((subject) => groupOf(subject, context) ?? []),
    runs: scenarios.flatMap(({ cells }) => cells.flatMap(({ runs }) => runs))
      .sort((a, b) => a.order - b.order),
  };
}

function scenarioModel(
  { name, request, load, cells, compared, results }: ScenarioContext,
): ScenarioModel {
  const steps = stepScenarios([{ name, cells }], results);
  return {
    name,
    request,
    load,
    summary: compared.summary,
    forest: compared.forest,
    errors: errorsModel(cells),
    slowest: slowestOf(name, cells),
    agents: agentsModel(name, cells),
    cells,
    series: cells.map(({ label, color }) => ({ label, color })),
    bars: barsOf(cells),
    tradeoff: tradeoffOf(name, rightCells(cells)),
    capacity: capacityModel(name, cells),
    timelines: timelinesOf(cells, results),
    timelineFinding: timelineText(cells),
    heatmapFinding: heatmapText(cells),
    density: densityOf(cells),
    densityFinding: densityFinding(cells),
    boundsNote: boundsNote(cells.map(({ latency }) => latency)),
    tails: tailsOf(cells),
    tailsFinding: tailsFinding(cells),
    steadyFindings: steadyFindings(cells),
    perCpuFinding: perCpuFinding(cells),
    bottlenecks: bottleneckFindings(cells),
    runtimeFindings: runtimeFindings(cells),
    profiles: profilesModel(name, cells, results.profiles ?? []),
    tables: {
      summary: summaryTable(name, cells),
      percentiles: percentileTable(name, cells),
      steady: steadyTables(name, cells),
      perSecond: perSecondTables(cells),
      connections: connectionsTable(name, cells),
      steps: stepsTable({ name, cells }, steps),
      served: servedTables(name, cells),
      outcomes: outcomesTable(name, cells),
      reasons: reasonsTable(name, cells),
      resources: resourcesTable(name, cells),
      compared: compared.table,
      runs: runsTable(name, cells),
    },
  };
}
