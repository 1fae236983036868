/** Sides of claims that are no figure of a cell: quantities, and what cannot be exceeded here. */
import type { ClaimSide } from "../../../runner/result/result.ts";
import { type ClaimContext } from "./context.ts";
import {
  absentFinding,
  type Allowed,
  type ClaimDoubt,
  type ClaimFinding,
  claimOutcome,
  doubt,
  type FoundConstant,
  marginOf,
} from "./finding.ts";
import { meanRange, quotientOf, type Range } from "../../figures/range.ts";

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
export function whyOpen({ name, range: { interval } }: Constant): ClaimDoubt | null {
  if (interval === null) return doubt("measured-once", { name });
  return interval.high === Infinity ? doubt("at-least", { name }) : null;
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
    return constantAbsent(of === null ? left : right);
  }
  const sides = [foundConstant(left, of), foundConstant(right, to)];
  const outcome = claimOutcome(ratio.interval, allowed);
  return {
    code: "constants",
    evidence: { sides, ratio, allowed },
    outcome,
    doubt: outcome === "inconclusive"
      ? whyOpen(of) ?? whyOpen(to) ?? doubt("across-limit", {})
      : null,
    margin: marginOf(ratio.value, allowed),
  };
}

function foundConstant({ kind }: ClaimSide, { name, range }: Constant): FoundConstant {
  return { name, value: kind === "quantity" ? null : range.value };
}

export function constantAbsent(side: ClaimSide): ClaimFinding {
  return absentFinding({ code: "constant-not-measured", evidence: { name: sideName(side) } });
}

function sideName(side: ClaimSide): string {
  if (side.kind === "quantity") return side.text;
  return side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
}
