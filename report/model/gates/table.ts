/** Outcomes of thresholds as a table, and as lines of text. */
import type { GateOutcome, Outcome } from "./gates.ts";
import { type Table, tableOf } from "../tables/table.ts";
import { textCell } from "../tables/columns.ts";

const MARKS: Readonly<Record<Outcome, string>> = { pass: "✓", fail: "✗", inconclusive: "?" };

const INCONCLUSIVE_NOTE =
  "Inconclusive: there is not enough evidence for either side of the limit; the last column says what would decide.";

/** Null without outcomes. */
export function gatesTable(outcomes: readonly GateOutcome[]): Table | null {
  if (outcomes.length === 0) return null;
  const isUnsure = outcomes.some(({ outcome }) => outcome === "inconclusive");
  return tableOf({ caption: "Thresholds", notes: isUnsure ? [INCONCLUSIVE_NOTE] : [] }, outcomes, [
    { label: "Threshold", kind: "name", cell: ({ threshold }) => ({ text: threshold }) },
    { label: "Of", kind: "text", cell: (gate) => textCell(placeOf(gate) || "–") },
    {
      label: "Outcome",
      kind: "text",
      cell: ({ outcome }) => ({
        text: `${MARKS[outcome]} ${outcome}`,
        ...(outcome !== "pass" && { alarming: true }),
      }),
    },
    { label: "Found", kind: "text", cell: ({ found }) => textCell(found) },
  ]);
}

/** `✗ p99 < 50ms: static, hono: p99 is 61.2 ms`. */
export function gateLine(gate: GateOutcome): string {
  return `${MARKS[gate.outcome]} ${gateText(gate)}`;
}

/** The same without its mark. */
export function gateText(gate: GateOutcome): string {
  return [gate.threshold, placeOf(gate), gate.found].filter(Boolean).join(": ");
}

/** Scenario and cell; "" for a single measurement. */
export function placeOf({ scenario, label }: GateOutcome): string {
  return scenario === "" ? "" : `${scenario}, ${label}`;
}
