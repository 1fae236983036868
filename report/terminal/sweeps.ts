/** What the factors do, in the terminal: the sentences, without the figures. */
import type { SweepModel } from "../sweeps.ts";
import { harmless, styled, type TerminalOptions, wrapped } from "./text.ts";

export function sweepLines(sweeps: readonly SweepModel[], options: TerminalOptions): string[] {
  if (sweeps.length === 0) return [];
  return [
    "",
    styled("Sweeps", "cyan", options),
    ...sweeps.flatMap((sweep) => scenarioLines(sweep, options)),
  ];
}

function scenarioLines(
  { scenario, figures, weights }: SweepModel,
  options: TerminalOptions,
): string[] {
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
): string[] {
  return [
    ...wrapped(harmless(heading), width),
    ...sentences.flatMap((text) =>
      wrapped(harmless(text), width - 2, "  ").map((line) => `  ${line}`)
    ),
  ];
}
