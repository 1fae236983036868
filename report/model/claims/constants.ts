/** Sides of claims that are no figure of a cell: quantities, and what cannot be exceeded here. */
import type { ClaimSide } from "../../../runner/result/result.ts";
import { formatRatio } from "../comparison/words.ts";
import { formatNumber } from "../numbers/units.ts";
import { meanRange, quotientOf, type Range } from "../runs/figure_range.ts";
import { type ClaimContext } from "./context.ts";
import {
  type Allowed,
  allowedText,
  type ClaimFinding,
  claimOutcome,
  marginOf,
  timesText,
  undecidedClaim,
} from "./finding.ts";

export interface Constant {
  /** `ceiling(redis)`, or the quantity as it was written. */
  readonly name: string;
  /** In the unit of the figure. */
  readonly range: Range;
}

/** Null: it was not measured. */
export function constantOf(side: ClaimSide, { ceilings }: ClaimContext): Constant | null {
  const name = sideName(side);
  if (side.kind === "quantity") return { name, range: exactly(side.value) };
  const ceiling = side.kind === "ceiling" ? ceilings?.[side.of] ?? null : null;
  if (side.kind !== "ceiling" || ceiling === null) return null;
  const { perSec: value, rounds = [] } = ceiling;
  if (rounds.length > 1) {
    return { name, range: { value, interval: meanRange(rounds, LEVEL).interval } };
  }
  // The best of many slices, as a busy moment makes a generator slower but never faster.
  const interval = side.of === "generator" ? { low: value, high: Infinity } : null;
  return { name, range: { value, interval } };
}

const LEVEL = 0.95;

function exactly(value: number): Range {
  return { value, interval: { low: value, high: value } };
}

/** Why a claim of it, which is inconclusive, is not for the runs to decide; null: it is. */
export function whyOpen({ name, range: { interval } }: Constant): string | null {
  if (interval === null) return `${name} was measured once: no interval`;
  return interval.high === Infinity
    ? `${name} is known to be at least that, and may be more`
    : null;
}

/** Two peaks of throughput, or one and a quantity. */
export function constantsFinding(
  left: ClaimSide,
  right: ClaimSide,
  { allowed, ground }: { allowed: Allowed; ground: ClaimContext },
): ClaimFinding {
  const [of, to] = [constantOf(left, ground), constantOf(right, ground)];
  const ratio = of && to && quotientOf(of.range, to.range);
  if (of === null || to === null || ratio === null) {
    return undecidedClaim(`${sideName(of === null ? left : right)} was not measured`);
  }
  const found = formatRatio(ratio.value, ratio.interval);
  const values = [left, right].map((side) => saidOf(side, side === left ? of : to)).join(", ");
  const said = `${values}: ${found}, claimed ${allowedText(allowed, timesText)}`;
  const outcome = claimOutcome(ratio.interval, allowed);
  const margin = marginOf(ratio.value, allowed);
  if (outcome !== "inconclusive") return { outcome, found, sentence: said, margin };
  const why = whyOpen(of) ?? whyOpen(to) ?? "the interval lies across the limit";
  return { outcome, found, sentence: `${said}; ${why}`, margin };
}

function saidOf({ kind }: ClaimSide, { name, range }: Constant): string {
  return kind === "quantity" ? name : `${name} is ${formatNumber(range.value)}/s`;
}

export function sideName(side: ClaimSide): string {
  if (side.kind === "quantity") return side.text;
  return side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
}
