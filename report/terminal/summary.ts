/** What `plateau run` prints at its end. */
import type { ReportModel, ScenarioModel } from "../model.ts";
import { answerText } from "../answer.ts";
import { tableLines } from "./table.ts";
import { encoded, harmless, styled, type TerminalOptions, wrapped } from "./text.ts";

/** The experiment's summary, with a line break at its end. */
export function renderSummary(model: ReportModel, options: TerminalOptions): string {
  const lines = [
    "",
    styled(harmless(model.title), "bold", options),
    ...model.scenarios.flatMap((scenario) => scenarioLines(scenario, options)),
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
    ...wrapped(harmless(answerText(answer)), options.width),
  ];
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
