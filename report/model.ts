/**
 * Results → everything that a report says: each number, unit, order and sentence is decided here or
 * in the files beside it, once. Page, terminal, CSV and markdown only lay the model out. Pure.
 */
import type { Results, Run } from "../runner/result.ts";
import { type Answer, answerOf } from "./answer.ts";
import { barsOf } from "./bars.ts";
import { type MissingModel, missingModels, warningsOf } from "./caveats.ts";
import { groupRuns, type ScenarioRuns } from "./cells.ts";
import type { BarsChart, DensityChart, TimelineChart } from "./charts.ts";
import { densityFinding, densityOf } from "./density.ts";
import { commandOf, type Fact, factsOf, machineFacts, methodSentences } from "./method.ts";
import { summaryTable } from "./tables/summary.ts";
import { percentileTable } from "./tables/percentiles.ts";
import { bytesPerSecondTable, requestsPerSecondTable } from "./tables/per_second.ts";
import { outcomesTable, reasonsTable } from "./tables/outcomes.ts";
import { resourcesTable } from "./tables/resources.ts";
import { runsTable } from "./tables/runs.ts";
import type { Table } from "./table.ts";
import { timelineFinding } from "./timeline_finding.ts";
import { timelinesOf } from "./timelines.ts";

export interface ReportModel {
  readonly name: string;
  /** The question, where the experiment has one; otherwise its name. */
  readonly title: string;
  /** Where the experiment comes from, in the words of its file; "" when it does not say. */
  readonly about: string;
  readonly facts: readonly Fact[];
  /** What a reader must know before believing a number. */
  readonly warnings: readonly string[];
  readonly scenarios: readonly ScenarioModel[];
  readonly missing: readonly MissingModel[];
  readonly machine: readonly Fact[];
  readonly method: readonly string[];
  /** The command that repeats the experiment, given `source` as a file. */
  readonly command: string;
  /** The experiment file, word for word. */
  readonly source: string;
  readonly sourceName: string;
  /** The raw runs, by position. */
  readonly runs: readonly Run[];
}

export interface ScenarioModel {
  readonly name: string;
  /** `GET /static`, or "" when the experiment does not say. */
  readonly request: string;
  readonly answer: Answer;
  readonly series: readonly { readonly label: string; readonly color: number }[];
  readonly bars: BarsChart;
  /** One a cell, in the order of `series`. */
  readonly timelines: readonly TimelineChart[];
  readonly timelineFinding: string;
  /** Null when no request has a latency. */
  readonly density: DensityChart | null;
  readonly densityFinding: string;
  readonly tables: {
    readonly summary: Table;
    readonly percentiles: Table;
    readonly requestsPerSecond: Table;
    readonly bytesPerSecond: Table;
    readonly outcomes: Table;
    readonly reasons: Table | null;
    readonly resources: Table | null;
    readonly runs: Table;
  };
}

export function reportModel(results: Results): ReportModel {
  const { experiment, source } = results;
  return {
    name: experiment.name,
    title: experiment.title ?? experiment.name,
    about: typeof experiment.source === "string" ? experiment.source : "",
    facts: factsOf(results),
    warnings: warningsOf(results),
    scenarios: groupRuns(results).map((group) => scenarioModel(group, experiment)),
    missing: missingModels(results.missing),
    machine: machineFacts(results),
    method: methodSentences(results),
    command: commandOf(results),
    source,
    sourceName: `${experiment.name}.yaml`,
    runs: [...results.runs].sort((a, b) => a.order - b.order),
  };
}

function scenarioModel(
  { name, cells }: ScenarioRuns,
  experiment: Results["experiment"],
): ScenarioModel {
  return {
    name,
    request: requestOf(name, experiment.scenarios),
    answer: answerOf(cells),
    series: cells.map(({ label, color }) => ({ label, color })),
    bars: barsOf(cells),
    timelines: timelinesOf(cells),
    timelineFinding: timelineFinding(cells),
    density: densityOf(cells),
    densityFinding: densityFinding(cells),
    tables: {
      summary: summaryTable(name, cells),
      percentiles: percentileTable(name, cells),
      requestsPerSecond: requestsPerSecondTable(cells),
      bytesPerSecond: bytesPerSecondTable(cells),
      outcomes: outcomesTable(name, cells),
      reasons: reasonsTable(name, cells),
      resources: resourcesTable(name, cells),
      runs: runsTable(name, cells),
    },
  };
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];

/** The request line as the experiment file has it. */
function requestOf(name: string, scenarios: unknown): string {
  const scenario = propertyOf(scenarios, name);
  for (const method of METHODS) {
    const path = propertyOf(scenario, method);
    if (typeof path === "string") return `${method.toUpperCase()} ${path}`;
  }
  return "";
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
