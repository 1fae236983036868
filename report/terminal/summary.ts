/** What `plateau run` prints at its end. */
import type { ReportModel, ScenarioModel } from "../model.ts";
import { type Answer, answerText } from "../answer.ts";
import type { GatesModel } from "../gates/model.ts";
import { sum } from "../spread.ts";
import { claimLines } from "./claims.ts";
import { outcomeLines } from "./gates.ts";
import { latencyLines } from "./latency.ts";
import { outcomeTableLines } from "./outcomes.ts";
import { publishedLines } from "./published.ts";
import { sweepLines } from "./sweeps.ts";
import { tableLines } from "./table.ts";
import { trustLines, unansweredLines } from "./trust.ts";
import { encoded, harmless, styled, type TerminalOptions, wrapped } from "./text.ts";

/** The experiment's summary, with a line break at its end. */
export function renderSummary(model: ReportModel, options: TerminalOptions): string {
  const cells = sum(model.scenarios, (scenario) => scenario.cells.length);
  const isDetailed = cells <= DETAILED_CELLS;
  const lines = [
    "",
    styled(harmless(model.title), "bold", options),
    ...unansweredLines(model, options),
    ...(model.trust === null ? [] : trustLines(model.trust, options)),
    ...agentLines(model.facts, options),
    ...model.scenarios.flatMap((scenario) => scenarioLines(scenario, { ...options, isDetailed })),
    ...sweepLines(model.sweeps, options),
    ...repetitionLines(model, options),
    ...claimLines(model.claims, options),
    ...gateLines(model.gates, options),
    ...publishedLines(model.published, options),
    ...missingLines(model, options),
    ...warningLines(model, options),
  ];
  return encoded(lines.join("\n") + "\n", options);
}

/** With more cells than these, their distributions are left to the page. */
const DETAILED_CELLS = 24;

interface ScenarioOptions extends TerminalOptions {
  readonly isDetailed: boolean;
}

function scenarioLines(scenario: ScenarioModel, options: ScenarioOptions): string[] {
  const { isDetailed } = options;
  const { name, request, load, answer, tables } = scenario;
  return [
    "",
    `${styled(harmless(name), "cyan", options)}  ${styled(harmless(request), "dim", options)}`
      .trimEnd(),
    ...(load === "" ? [] : wrapped(`Load: ${load}`, options.width)),
    ...tableLines(tables.summary, options),
    ...(isDetailed ? distributionLines(scenario, options) : []),
    ...answerLines(answer, options),
    ...restlessLines(scenario, options),
    ...agentFindingLines(scenario, options),
    ...perCpuLines(scenario, options),
  ];
}

/** Latencies, and what became of the requests; what they come to stands below. */
function distributionLines(scenario: ScenarioModel, options: TerminalOptions): string[] {
  const { tables } = scenario;
  return [...latencyLines(scenario, options), "", ...outcomeTableLines(tables, options), ""];
}

function repetitionLines({ repetitions }: ReportModel, { width }: TerminalOptions): string[] {
  return repetitions === "" ? [] : ["", ...wrapped(repetitions, width)];
}

/** The answer, and below it each other target against the fastest. */
function answerLines(answer: Answer, { width }: TerminalOptions): string[] {
  const { verdict, brief: detail, pairs } = answer;
  return [
    ...wrapped(harmless(answerText({ verdict, detail })), width),
    ...pairs.flatMap((pair) => wrapped(harmless(pair), width - 2, "  ").map((line) => `  ${line}`)),
  ];
}

/** Cells that are not flat: their figures are a mixture. */
function restlessLines({ steadyFindings }: ScenarioModel, options: TerminalOptions): string[] {
  const restless = steadyFindings.filter(({ isFlat }) => !isFlat);
  return restless.flatMap(({ text }) => wrapped(harmless(text), options.width, "  "));
}

/** Who loaded, where there were several. */
function agentLines(facts: ReportModel["facts"], { width }: TerminalOptions): string[] {
  return facts.filter(({ label }) => label === "Agents")
    .flatMap(({ label, text }) => wrapped(harmless(`${label}  ${text}`), width, "  "));
}

function agentFindingLines({ agents }: ScenarioModel, { width }: TerminalOptions): string[] {
  return (agents?.findings ?? []).flatMap((text) => wrapped(harmless(text), width, "  "));
}

function perCpuLines({ perCpuFinding }: ScenarioModel, { width }: TerminalOptions): string[] {
  return perCpuFinding === "" ? [] : wrapped(harmless(perCpuFinding), width);
}

function gateLines({ outcomes, note }: GatesModel, options: TerminalOptions): string[] {
  const lines = outcomeLines(outcomes, options);
  const notes = note === "" ? [] : wrapped(note, options.width);
  if (lines.length + notes.length === 0) return [];
  return ["", styled("Thresholds", "cyan", options), ...lines, ...notes];
}

function missingLines({ missing }: ReportModel, options: TerminalOptions): string[] {
  if (missing.length === 0) return [];
  return [
    "",
    styled("Not measured", "yellow", options),
    ...missing.flatMap(({ what, kind, reason, evidence }) => [
      ...wrapped(harmless(`${what}: ${kind}: ${reason}`), options.width, "  "),
      ...evidence.map((line) => styled(`    ${harmless(line)}`, "dim", options)),
    ]),
  ];
}

function warningLines({ warnings }: ReportModel, options: TerminalOptions): string[] {
  if (warnings.length === 0) return [];
  return [
    "",
    ...warnings.flatMap((text) =>
      wrapped(harmless(text), options.width).map((line) => styled(line, "yellow", options))
    ),
  ];
}
