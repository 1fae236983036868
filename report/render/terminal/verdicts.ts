/** Verdicts as lines: of trust, of thresholds, of claims. Each begins with a word or a sign, as colours do not reach everybody. */
import type { TrustModel } from "../../findings/trust.ts";
import type { Style, TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { wrapped } from "../../writing/columns.ts";
import { HANGING, lineOf, paragraphLines } from "./line.ts";
import { gateLine, type GateOutcome } from "../../findings/gate_sentences.ts";
import type { ThresholdOutcome } from "../../judge/gates.ts";

export const TRUST_STYLES: Readonly<Record<TrustModel["level"], Style>> = {
  valid: "green",
  suspect: "yellow",
  invalid: "red",
};

export function trustLines(
  { level, text, reasons }: TrustModel,
  { width }: TerminalOptions,
): TextLine[] {
  const style = TRUST_STYLES[level];
  return [
    ...paragraphLines(`${level}: ${text}`, width, { style }),
    ...reasons.flatMap((reason) =>
      wrapped(reason, width - 2).map((line) => lineOf(`  ${line}`, style))
    ),
  ];
}

const GATE_STYLES: Readonly<Record<ThresholdOutcome, Style>> = {
  pass: "green",
  fail: "red",
  inconclusive: "yellow",
};

/** Outcomes of thresholds: ✓ passed, ✗ failed, ? inconclusive. */
export function outcomeLines(
  outcomes: readonly GateOutcome[],
  { width }: TerminalOptions,
): TextLine[] {
  return outcomes.flatMap((gate) =>
    paragraphLines(gateLine(gate), width, { ...HANGING, style: GATE_STYLES[gate.outcome] })
  );
}
