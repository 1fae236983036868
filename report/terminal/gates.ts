/** Outcomes of thresholds as lines: ✓ passed, ✗ failed, ? inconclusive. */
import type { GateOutcome, Outcome } from "../model/gates/gates.ts";
import { gateLine } from "../model/gates/table.ts";
import type { Line, Style, TerminalOptions } from "../writing/terminal.ts";
import { HANGING, paragraph } from "./line.ts";

const STYLES: Readonly<Record<Outcome, Style>> = {
  pass: "green",
  fail: "red",
  inconclusive: "yellow",
};

export function outcomeLines(
  outcomes: readonly GateOutcome[],
  { width }: TerminalOptions,
): Line[] {
  return outcomes.flatMap((gate) =>
    paragraph(gateLine(gate), width, { ...HANGING, style: STYLES[gate.outcome] })
  );
}
