/** Outcomes of thresholds as lines: ✓ passed, ✗ failed, ? inconclusive. */
import type { GateOutcome, Outcome } from "../gates.ts";
import { gateLine } from "../gates/table.ts";
import { harmless, type Style, styled, type TerminalOptions, wrapped } from "./text.ts";

const STYLES: Readonly<Record<Outcome, Style>> = {
  pass: "green",
  fail: "red",
  inconclusive: "yellow",
};

export function outcomeLines(
  outcomes: readonly GateOutcome[],
  options: TerminalOptions,
): string[] {
  return outcomes.flatMap((gate) =>
    wrapped(harmless(gateLine(gate)), options.width, "  ")
      .map((line) => styled(line, STYLES[gate.outcome], options))
  );
}
