/** The output of `plateau run` at its end. */
import type { ScenarioSummary } from "../../judge/verdict.ts";
import { pairSentence, summaryText } from "../../findings/judgements.ts";
import { cardLines } from "./card.ts";
import type { GateOutcome } from "../../findings/gate_sentences.ts";
import type { ReportModel, ScenarioModel } from "../../model.ts";
import { sum } from "../../writing/spread.ts";
import type { SweepModel } from "../../subjects/sweeps/sweeps.ts";
import { type TerminalOptions, type TextLine, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { shownIn } from "../../blocks.ts";
import { blocksLines } from "./blocks.ts";
import { latencyLines } from "./latency.ts";
import { BLANK, HANGING, indented, lineOf, paragraphLines, trimmed } from "./line.ts";
import { tableLines } from "./table.ts";
import { claimLines, outcomeLines, trustLines, unansweredLines } from "./verdicts.ts";
import type { Column, Table } from "../../subjects/tables/table.ts";
import { formatCount } from "../../writing/units.ts";
import { padStart, widthOf, wrapped } from "../../writing/columns.ts";

/** The experiment's summary, with a line break at its end. */
export function renderSummary(
  model: ReportModel,
  options: TerminalOptions,
): Written<"terminal"> {
  const cells = sum(model.scenarios, (scenario) => scenario.cells.length);
  const isDetailed = cells <= DETAILED_CELLS;
  const lines = [
    BLANK,
    lineOf(model.title, "bold"),
    ...unansweredLines(model, options),
    ...(model.trust === null ? [] : trustLines(model.trust, options)),
    ...agentLines(model.facts, options),
    ...model.scenarios.flatMap((scenario) => scenarioLines(scenario, { ...options, isDetailed })),
    ...sweepLines(model.sweeps, options),
    ...repetitionLines(model, options),
    ...claimLines(model.claims, options),
    ...gateLines(model.gates, options),
    ...blocksLines(shownIn("terminal", model.groups), options),
    ...warningLines(model, options),
    // Last, where a terminal shows it without scrolling back.
    ...cardLines(model.conclusion, options),
  ];
  return writtenLines(lines, options);
}

/** With more cells than these, their distributions are left to the page. */
const DETAILED_CELLS = 24;

interface ScenarioOptions extends TerminalOptions {
  readonly isDetailed: boolean;
}

function scenarioLines(scenario: ScenarioModel, options: ScenarioOptions): TextLine[] {
  const { isDetailed } = options;
  const { name, request, load, summary, tables } = scenario;
  return [
    BLANK,
    trimmed([{ text: name, style: "cyan" }, { text: "  " }, { text: request, style: "dim" }]),
    ...(load === "" ? [] : paragraphLines(`Load: ${load}`, options.width)),
    ...tableLines(tables.summary, options),
    ...(isDetailed ? distributionLines(scenario, options) : []),
    ...verdictLines(summary, options),
    ...restlessLines(scenario, options),
    ...agentFindingLines(scenario, options),
    ...perCpuLines(scenario, options),
    ...bottleneckLines(scenario, options),
    ...profileLines(scenario, options),
  ];
}

/** Latencies and outcomes; the verdict stands below. */
function distributionLines(scenario: ScenarioModel, options: TerminalOptions): TextLine[] {
  const { tables } = scenario;
  return [
    ...latencyLines(scenario, options),
    BLANK,
    ...outcomeTableLines(tables, options),
    BLANK,
    ...tables.steps === null ? [] : [
      lineOf(tables.steps.caption, "cyan"),
      ...tableLines(withoutZeros(tables.steps), options),
      BLANK,
    ],
    ...Object.values(tables.served).flatMap((table: Table | null) =>
      table === null
        ? []
        : [lineOf(table.caption, "cyan"), ...tableLines(withoutZeros(table), options), BLANK]
    ),
  ];
}

function repetitionLines({ repetitions }: ReportModel, { width }: TerminalOptions): TextLine[] {
  return repetitions === "" ? [] : [BLANK, ...paragraphLines(repetitions, width)];
}

/** The verdict, and below it each other target against the fastest. */
function verdictLines(summary: ScenarioSummary, { width }: TerminalOptions): TextLine[] {
  return [
    ...paragraphLines(summaryText(summary), width),
    ...summary.pairs.flatMap((pair) =>
      paragraphLines(pairSentence(pair), width - 2, HANGING).map(indented)
    ),
  ];
}

/** Cells that are not flat: their figures are a mixture. */
function restlessLines({ steadyFindings }: ScenarioModel, options: TerminalOptions): TextLine[] {
  const restless = steadyFindings.filter(({ isFlat }) => !isFlat);
  return restless.flatMap(({ text }) => paragraphLines(text, options.width, HANGING));
}

/** The agents, where there were several. */
function agentLines(facts: ReportModel["facts"], { width }: TerminalOptions): TextLine[] {
  return facts.filter(({ label }) => label === "Agents")
    .flatMap(({ label, text }) => paragraphLines(`${label}  ${text}`, width, HANGING));
}

function agentFindingLines({ agents }: ScenarioModel, { width }: TerminalOptions): TextLine[] {
  return (agents?.findings ?? []).flatMap((text) => paragraphLines(text, width, HANGING));
}

function bottleneckLines(
  { bottlenecks, runtimeFindings }: ScenarioModel,
  { width }: TerminalOptions,
): TextLine[] {
  return [
    ...bottlenecks.map((text) => `Bottleneck of ${text}`),
    ...runtimeFindings.map((text) => `Runtime of ${text}`),
  ].flatMap((text) => paragraphLines(text, width, HANGING));
}

function profileLines({ profiles }: ScenarioModel, { width }: TerminalOptions): TextLine[] {
  if (profiles === null) return [];
  const { cells, differences } = profiles;
  return [...cells.map(({ sentence }) => sentence), ...differences]
    .flatMap((text) => text === "" ? [] : paragraphLines(text, width, HANGING));
}

function perCpuLines({ perCpuFinding }: ScenarioModel, { width }: TerminalOptions): TextLine[] {
  return perCpuFinding === "" ? [] : paragraphLines(perCpuFinding, width);
}

function gateLines(gates: readonly GateOutcome[], options: TerminalOptions): TextLine[] {
  if (gates.length === 0) return [];
  return [BLANK, lineOf("Thresholds", "cyan"), ...outcomeLines(gates, options)];
}

function warningLines({ warnings }: ReportModel, { width }: TerminalOptions): TextLine[] {
  if (warnings.length === 0) return [];
  return [
    BLANK,
    ...warnings.flatMap((text) => paragraphLines(text, width, { style: "yellow" })),
  ];
}

/** What the factors do: the sentences, without the figures. */
function sweepLines(sweeps: readonly SweepModel[], options: TerminalOptions): TextLine[] {
  if (sweeps.length === 0) return [];
  return [
    BLANK,
    lineOf("Sweeps", "cyan"),
    ...sweeps.flatMap((sweep) => factorLines(sweep, options)),
  ];
}

function factorLines(
  { scenario, figures, weights }: SweepModel,
  options: TerminalOptions,
): TextLine[] {
  return [
    ...figures.flatMap(({ factor, findings }) =>
      listLines(`${scenario} by ${factor}`, findings, options)
    ),
    ...(weights === null
      ? []
      : listLines(`Variance explained in ${scenario}`, weights.findings, options)),
  ];
}

function listLines(
  heading: string,
  sentences: readonly string[],
  { width }: TerminalOptions,
): TextLine[] {
  return [
    ...paragraphLines(heading, width),
    ...sentences.flatMap((text) => paragraphLines(text, width - 2, HANGING).map(indented)),
  ];
}

// The outcomes of a scenario's requests: statuses, then errors with their reasons.

function outcomeTableLines(
  { outcomes, reasons }: Pick<ScenarioModel["tables"], "outcomes" | "reasons">,
  options: TerminalOptions,
): TextLine[] {
  const table = withoutZeros(outcomes);
  const all = uniformText(table);
  return [
    ...(all === null ? tableLines(table, options) : paragraphLines(all, options.width)),
    ...(reasons === null ? [] : reasonLines(reasons, options)),
  ];
}

/** Without the columns that are 0 for every target. */
function withoutZeros(table: Table): Table {
  const kept = table.columns.flatMap(({ kind }, i) =>
    kind !== "number" || table.rows.some((row) => row[i].value) ? [i] : []
  );
  return {
    ...table,
    columns: kept.map((i) => table.columns[i]),
    rows: table.rows.map((row) => kept.map((i) => row[i])),
  };
}

/** Besides statuses, of any run that went well. */
const USUAL = ["Target", "Due", "Unfinished"];

/** A sentence where all responses had one status and nothing failed; otherwise null. */
function uniformText({ columns, rows }: Table): string | null {
  const isStatus = ({ label }: Column): boolean => label.startsWith("Status ");
  const statuses = columns.filter(isStatus);
  if (
    statuses.length !== 1 || !columns.every((one) => isStatus(one) || USUAL.includes(one.label))
  ) {
    return null;
  }
  const at = columns.indexOf(statuses[0]);
  const count = sum(rows, (row) => row[at].value ?? 0);
  return `All ${formatCount(count)} responses had ${statuses[0].label.toLowerCase()}.`;
}

/** Not a table, which would lose its last column, the reason, first. */
function reasonLines({ rows }: Table, { width }: TerminalOptions): TextLine[] {
  const counts = rows.map(([, { text }]) => text);
  const widest = Math.max(...counts.map(widthOf));
  const indent = " ".repeat(widest + 4);
  return [
    lineOf("Errors", "dim"),
    ...rows.flatMap(([target, , reason], i) =>
      wrapped(`${target.text}: ${reason.text}`, Math.max(1, width - indent.length))
        .map((line, n) => (n === 0 ? `  ${padStart(counts[i], widest)}  ` : indent) + line)
        .map((line) => lineOf(line))
    ),
  ];
}
