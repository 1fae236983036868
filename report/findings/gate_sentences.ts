/** What was found of a threshold: a sentence for each code, without a full stop. */
import { figureRangeText } from "../writing/figure_text.ts";
import type { GateFound, JudgedGate, ThresholdOutcome } from "../judge/gates.ts";
import { formatRatio, percentText } from "../writing/ratios.ts";
import type { Amount, Reason } from "../judge/rules.ts";
import { boundText, GLUE } from "../writing/units.ts";
import { allOf } from "../writing/words.ts";
import { factorText } from "./claim_sentences.ts";
import { absenceText, type Catalogue, reasonText, sentenceIn } from "./rule_sentences.ts";

/** A judged threshold with its words, as every form shows it. */
export interface GateOutcome extends Omit<JudgedGate, "found" | "reason"> {
  /** What was found, and why that decides nothing, without a full stop: `p99 is 61.2 ms [59.0, 63.1]`. */
  readonly found: string;
  /** Why it is inconclusive; absent where it is decided. */
  readonly reason?: Reason["code"];
}

export function gateOutcome({ found, reason, ...gate }: JudgedGate): GateOutcome {
  const text = sentenceIn(FOUND, found);
  return reason === null
    ? { ...gate, found: text }
    : { ...gate, found: `${text}: ${reasonText(reason)}`, reason: reason.code };
}

const FOUND: Catalogue<GateFound> = {
  absent: ({ absence }) => absenceText(absence),
  figure: ({ figure, unit, range }) =>
    `${figure} is ${boundText(figureRangeText(range, unit), range.isAtLeast)}`,
  share: ({ figure, range: { value, interval } }) => {
    if (interval === null) return `${figure} is ${shareText(value, decimalsOf(value))}`;
    const { low, high } = interval;
    const decimals = decimalsOf(value === 0 ? high : value === 1 ? low : value);
    const ends = [low, high].map((end) => shareText(end, decimals)).join(", ");
    return `${figure} is ${shareText(value, decimals)} [${ends}]`;
  },
  baseline: ({ figure, unit, now, before, ratio, marginRatio, isOfSessions }) => {
    const [one, other] = [now, before].map(({ value, isAtLeast }) =>
      boundText(figureRangeText({ value, interval: null }, unit), isAtLeast)
    );
    const values = `${figure} is ${one}, in the baseline ${other}`;
    if (ratio === null) return values;
    return `${values}: ${formatRatio(ratio.value, ratio.interval)}, ${
      percentText(marginRatio)
    } is allowed${isOfSessions ? ", in these two sessions" : ""}`;
  },
  cells: ({ of, to, unit, ratio, relation, factor }) => {
    const text = ({ figure, range: { value } }: Amount): string =>
      `${figure} is ${figureRangeText({ value, interval: null }, unit)}`;
    const values = `${text(of)}, ${text(to)} in ${to.place}`;
    return ratio === null
      ? values
      : `${values}: ${formatRatio(ratio.value, ratio.interval)}, allowed ${relation} ${
        factorText(factor)
      }`;
  },
};

/** As many decimals as two digits of the rarer side take: 99.96 % and 99.92 % are far apart at a limit of 99.95 %. */
function decimalsOf(share: number): number {
  const rarer = Number((100 * Math.min(share, 1 - share)).toPrecision(6));
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(rarer))));
}

function shareText(share: number, decimals: number): string {
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : decimals)}${GLUE}%`;
}

export const GATE_MARKS: Readonly<Record<ThresholdOutcome, string>> = {
  pass: "✓",
  fail: "✗",
  inconclusive: "?",
};

/** `✗ p99 < 50ms: static, hono: p99 is 61.2 ms`. */
export function gateLine(gate: GateOutcome): string {
  return `${GATE_MARKS[gate.outcome]} ${gateText(gate)}`;
}

/** The same without its mark. */
export function gateText(gate: GateOutcome): string {
  return [gate.threshold, gatePlace(gate), gate.found].filter(Boolean).join(": ");
}

/** Scenario and cell; "" for a single measurement. */
export function gatePlace({ scenario, label }: GateOutcome): string {
  return scenario === "" ? "" : `${scenario}, ${label}`;
}

/** `1 of 3 thresholds fails, 1 is inconclusive.` @param gates Of one place each. */
export function gatesSentence(gates: readonly GateOutcome[]): string {
  const count = (outcome: ThresholdOutcome): number =>
    gates.filter((gate) => gate.outcome === outcome).length;
  if (gates.length === 1 && count("pass") === 0) {
    return count("fail") === 1 ? "The threshold fails." : "The threshold is inconclusive.";
  }
  const of = `of ${gates.length} thresholds`;
  const [fail, open] = [count("fail"), count("inconclusive")];
  const are = (many: number): string => many === 1 ? "is" : "are";
  if (fail > 0) {
    const rest = open === 0 ? "" : `, ${open} ${are(open)} inconclusive`;
    return `${fail} ${of} ${fail === 1 ? "fails" : "fail"}${rest}.`;
  }
  if (open > 0) return `${open} ${of} ${are(open)} inconclusive.`;
  return gates.length === 1 ? "The threshold holds." : `${allOf(gates.length, "threshold")} hold.`;
}
