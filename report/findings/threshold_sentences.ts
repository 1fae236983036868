/** Puts the outcome of a threshold into words. */
import type { Finding } from "../blocks.ts";
import type { ClaimOutcome } from "../judge/claims.ts";
import { foundWords, type Outcome, type Reason, reasonText } from "../judge/reasons.ts";
import type { Gate, ThresholdOutcome } from "../judge/thresholds.ts";
import { allOf } from "../writing/words.ts";

const OUTCOMES: Readonly<Record<Outcome, ThresholdOutcome>> = {
  held: "pass",
  broken: "fail",
  inconclusive: "inconclusive",
};

/** A judged threshold with the wording that all reports share. */
export interface GateOutcome extends Omit<Gate, "evidence"> {
  readonly outcome: ThresholdOutcome;
  /**
   * The measured figure and, if the threshold is inconclusive, the reason. Has no full stop: `p99 is 61.2 ms [59.0,
   * 63.1]`.
   */
  readonly found: string;
  /** Why the threshold is inconclusive; absent if it passed or failed. */
  readonly reason?: Reason["code"];
}

export function gateOutcome(
  { evidence: { outcome, found, reason }, threshold, scenario, label }: Gate,
): GateOutcome {
  const { text } = foundWords(found);
  const gate = { threshold, scenario, label, outcome: OUTCOMES[outcome] };
  return reason === null
    ? { ...gate, found: text }
    : { ...gate, found: `${text}: ${reasonText(reason)}`, reason: reason.code };
}

export const MARKS: Readonly<Record<ThresholdOutcome | ClaimOutcome, string>> = {
  ...{ pass: "✓", fail: "✗" },
  ...{ reproduced: "✓", "not reproduced": "✗" },
  inconclusive: "?",
};

/** The style in which a list of findings shows an outcome. */
export const FINDING_OUTCOMES: Readonly<
  Record<ThresholdOutcome | ClaimOutcome, Finding["outcome"]>
> = {
  ...{ pass: "good", fail: "bad" },
  ...{ reproduced: "good", "not reproduced": "bad" },
  inconclusive: "open",
};

/** Example: `✗ p99 < 50ms: static, hono: p99 is 61.2 ms`. */
export function gateLine(gate: GateOutcome): string {
  return `${MARKS[gate.outcome]} ${gateText(gate)}`;
}

/** Example: `p99 < 50ms: static, hono: p99 is 61.2 ms`. */
export function gateText(gate: GateOutcome): string {
  return [gate.threshold, gatePlace(gate), gate.found].filter(Boolean).join(": ");
}

/** Names of the scenario and the cell, such as `static, hono`; "" for a single measurement. */
export function gatePlace({ scenario, label }: GateOutcome): string {
  return scenario === "" ? "" : `${scenario}, ${label}`;
}

export function gatesSentence(gates: readonly GateOutcome[]): string {
  return `${gatesText(gates)}.`;
}

/**
 * Example: `1 of 3 thresholds fails, 1 is inconclusive`. Has no full stop.
 * @param gates One for each threshold and each cell, or pair of cells, to which it applies.
 */
export function gatesText(gates: readonly GateOutcome[]): string {
  const [fail, open] = (["fail", "inconclusive"] as const).map((outcome) =>
    gates.filter((gate) => gate.outcome === outcome).length
  );
  const isOne = gates.length === 1;
  if (fail + open === 0) {
    return isOne ? "The threshold holds" : `${allOf(gates.length, "threshold")} hold`;
  }
  if (isOne) return fail === 1 ? "The threshold fails" : "The threshold is inconclusive";
  const of = `of ${gates.length} thresholds`;
  const are = open === 1 ? "is" : "are";
  if (fail === 0) return `${open} ${of} ${are} inconclusive`;
  const rest = open === 0 ? "" : `, ${open} ${are} inconclusive`;
  return `${fail} ${of} ${fail === 1 ? "fails" : "fail"}${rest}`;
}
