/** The judged thresholds of an experiment, as a table of their outcomes. */
import { type Block, type Finding, list, table, text } from "../blocks.ts";
import {
  FINDING_OUTCOMES,
  gateLine,
  type GateOutcome,
  gatePlace,
  MARKS,
} from "../findings/threshold_sentences.ts";
import { thresholdsOf } from "../cells/measured.ts";
import { counted } from "../writing/words.ts";
import type { ReportContext } from "./subject.ts";
import * as column from "./tables/column.ts";
import { tableOf } from "./tables/table.ts";

export function thresholds({ results, baseline, gates }: ReportContext): Block[] {
  const left = baseline === null
    ? thresholdsOf(results).filter(({ against }) => against === "baseline").length
    : 0;
  if (left === 0) return thresholdBlocks(gates);
  const unjudged = `Not judged, because there is no baseline: ${counted(left, "threshold")}.`;
  return [...thresholdBlocks(gates), text("thresholds.unjudged", unjudged, "note")];
}

const INCONCLUSIVE =
  "Inconclusive: there is not enough evidence for either side of the limit; the last column says what would decide.";

export function thresholdBlocks(gates: readonly GateOutcome[]): Block[] {
  const isUnsure = gates.some(({ outcome }) => outcome === "inconclusive");
  const outcomes = tableOf(
    { caption: "Thresholds", notes: isUnsure ? [INCONCLUSIVE] : [] },
    gates,
    [
      column.name("Threshold", ({ threshold }) => threshold),
      column.text("Of", (gate) => gatePlace(gate) || "–"),
      column.text("Outcome", ({ outcome }) => ({
        text: `${MARKS[outcome]} ${outcome}`,
        ...outcome !== "pass" && { alarming: true },
      })),
      column.text("Found", ({ found }) => found),
    ],
  );
  const lines = gates.map((gate): Finding => ({
    code: `thresholds.${gate.outcome}`,
    text: gateLine(gate),
    outcome: FINDING_OUTCOMES[gate.outcome],
  }));
  return [list(lines, { forms: ["terminal"] }), table(outcomes, { forms: ["page", "markdown"] })];
}
