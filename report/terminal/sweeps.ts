/** What the factors do, in the terminal: the sentences, without the figures. */
import type { SweepModel } from "../model/sweeps/sweeps.ts";
import type { Line, TerminalOptions } from "../writing/terminal.ts";
import { BLANK, HANGING, indented, lineOf, paragraph } from "./line.ts";

export function sweepLines(sweeps: readonly SweepModel[], options: TerminalOptions): Line[] {
  if (sweeps.length === 0) return [];
  return [
    BLANK,
    lineOf("Sweeps", "cyan"),
    ...sweeps.flatMap((sweep) => scenarioLines(sweep, options)),
  ];
}

function scenarioLines(
  { scenario, figures, weights }: SweepModel,
  options: TerminalOptions,
): Line[] {
  return [
    ...figures.flatMap(({ factor, findings }) =>
      listLines(`${scenario} by ${factor}`, findings, options)
    ),
    ...(weights === null
      ? []
      : listLines(`What explains the differences in ${scenario}`, weights.findings, options)),
  ];
}

function listLines(
  heading: string,
  sentences: readonly string[],
  { width }: TerminalOptions,
): Line[] {
  return [
    ...paragraph(heading, width),
    ...sentences.flatMap((text) => paragraph(text, width - 2, HANGING).map(indented)),
  ];
}
