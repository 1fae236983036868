/**
 * What a lead costs: a target that is ahead may have the longer tail, or use more CPU. Only what is decided as the
 * lead itself is, and large enough for a word, is said.
 */
import { estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { pBeyond, ratioInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import { UNCOUNTED } from "../../../runner/stats/comparison/significance_tests.ts";
import { comparisonVerdict } from "../../../runner/stats/comparison/verdict.ts";
import { exactTest, pairingOf } from "../comparison/between.ts";
import { comparisonOf, type GroupComparison } from "../comparison/comparison.ts";
import { NOTABLE_CHANGE } from "../comparison/standing.ts";
import type { CellRuns } from "../runs/cells.ts";
import { meanCoresOf } from "../runs/resources.ts";

/** Ratios of the one ahead over the next, above 1; null where it costs nothing that is certain and notable. */
export interface Tradeoffs {
  /** Of latency; of a lead by p99 itself null. */
  readonly p99: number | null;
  /** Of the cores that are used on average. */
  readonly cpu: number | null;
}

interface Lead {
  readonly first: CellRuns;
  readonly next: CellRuns;
  /** The first over the next. */
  readonly comparison: GroupComparison;
}

export interface TradeoffOptions {
  /** Of the intervals. */
  readonly level: number;
  /** Leads whose CPU is compared: each makes a false alarm likelier (Bonferroni's correction). */
  readonly leads: number;
}

export function tradeoffsOf(lead: Lead, options: TradeoffOptions): Tradeoffs {
  const p99 = comparisonOf(lead.comparison, 99);
  return {
    p99: p99.verdict === "worse" ? notable(p99.ratio) : null,
    cpu: notable(moreCpuOf(lead, options)),
  };
}

function notable(ratio: number | null): number | null {
  return ratio !== null && ratio >= 1 + NOTABLE_CHANGE ? ratio : null;
}

/** Null where it is not more for certain, or nobody watched both. */
function moreCpuOf(
  { first, next, comparison: { marginRatio } }: Lead,
  { level, leads }: TradeoffOptions,
): number | null {
  const [of, to] = [first, next].map(coresEstimate);
  const ratio = of && to && ratioInterval(of, to, { confidence: level });
  if (!of || !to || !ratio) return null;
  const tested = { interval: ratio, pairing: pairingOf(of, to), sides: [to, of] } as const;
  const { verdict } = comparisonVerdict({
    ratio,
    adjustedP: Math.min(1, leads * pBeyond(ratio, marginRatio)),
    exact: exactTest(tested, marginRatio) ?? UNCOUNTED,
    marginRatio,
    better: "lower",
  });
  return verdict === "worse" ? ratio.value : null;
}

function coresEstimate({ runs, confidence: { estimates } }: CellRuns) {
  if (runs.some(({ resources }) => resources.length === 0)) return null;
  return estimateOfMean(runs.map(meanCoresOf), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: runs.map(({ repetition }) => repetition),
  });
}
