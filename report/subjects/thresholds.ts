/** The thresholds of an experiment, judged: a table of their outcomes. */
import { type Block, type Finding, list, table, text } from "../blocks.ts";
import { GATE_MARKS, gateLine, type GateOutcome, gatePlace } from "../findings/gate_sentences.ts";
import type { ThresholdOutcome } from "../judge/gates.ts";
import { thresholdsOf } from "../cells/measured.ts";
import { counted } from "../writing/words.ts";
import type { ReportContext, Subject } from "./subject.ts";
import { tableOf, textCell } from "./tables/table.ts";

export const thresholds: Subject<ReportContext> = {
  id: "thresholds",
  title: "Thresholds",
  depth: "summary",
  build: ({ results, baseline, gates }) => {
    const left = baseline === null
      ? thresholdsOf(results).filter(({ against }) => against === "baseline").length
      : 0;
    if (left === 0) return thresholdBlocks(gates);
    const unjudged = `${counted(left, "threshold")} not judged here, without a baseline.`;
    return [...thresholdBlocks(gates), text("thresholds.unjudged", unjudged, "note")];
  },
};

const OUTCOMES: Readonly<Record<ThresholdOutcome, Finding["outcome"]>> = {
  pass: "good",
  fail: "bad",
  inconclusive: "open",
};

const INCONCLUSIVE =
  "Inconclusive: there is not enough evidence for either side of the limit; the last column says what would decide.";

export function thresholdBlocks(gates: readonly GateOutcome[]): Block[] {
  const isUnsure = gates.some(({ outcome }) => outcome === "inconclusive");
  const outcomes = tableOf(
    { caption: "Thresholds", notes: isUnsure ? [INCONCLUSIVE] : [] },
    gates,
    [
      { label: "Threshold", kind: "name", cell: ({ threshold }) => textCell(threshold) },
      { label: "Of", kind: "text", cell: (gate) => textCell(gatePlace(gate) || "–") },
      {
        label: "Outcome",
        kind: "text",
        cell: ({ outcome }) => ({
          text: `${GATE_MARKS[outcome]} ${outcome}`,
          ...outcome !== "pass" && { alarming: true },
        }),
      },
      { label: "Found", kind: "text", cell: ({ found }) => textCell(found) },
    ],
  );
  const lines = gates.map((gate): Finding => ({
    code: `thresholds.${gate.outcome}`,
    text: gateLine(gate),
    outcome: OUTCOMES[gate.outcome],
  }));
  return [list(lines, { forms: ["terminal"] }), table(outcomes, { forms: ["page", "markdown"] })];
}
