/** What `plateau run` prints at its end. */
import type { ReportModel, ScenarioModel } from "../model.ts";
import { type Answer, answerText } from "../answer.ts";
import type { GatesModel } from "../gates/model.ts";
import { outcomeLines } from "./gates.ts";
import { tableLines } from "./table.ts";
import { trustLines } from "./trust.ts";
import { encoded, harmless, styled, type TerminalOptions, wrapped } from "./text.ts";

/** The experiment's summary, with a line break at its end. */
export function renderSummary(model: ReportModel, options: TerminalOptions): string {
  const lines = [
    "",
    styled(harmless(model.title), "bold", options),
    ...(model.trust === null ? [] : trustLines(model.trust, options)),
    ...model.scenarios.flatMap((scenario) => scenarioLines(scenario, options)),
    ...repetitionLines(model, options),
    ...gateLines(model.gates, options),
    ...missingLines(model, options),
    ...warningLines(model, options),
  ];
  return encoded(lines.join("\n") + "\n", options);
}

function scenarioLines(scenario: ScenarioModel, options: TerminalOptions): string[] {
  const { name, request, answer, tables } = scenario;
  return [
    "",
    `${styled(harmless(name), "cyan", options)}  ${styled(harmless(request), "dim", options)}`
      .trimEnd(),
    ...tableLines(tables.summary, options),
    ...answerLines(answer, options),
    ...restlessLines(scenario, options),
  ];
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
