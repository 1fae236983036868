/**
 * Shows how a target behaves near and beyond its capacity, from the trials at rates near fixed multiples of it. Pure.
 */
import type { CapacityTrial, RunCapacity } from "../result/capacity.ts";

const MULTIPLES = [0.8, 1, 1.1, 1.3];
/** A trial counts for a multiple of the capacity if its rate is within about this share of that multiple. */
const NEAR_RATIO = 0.05;

/** One entry for each multiple that has a valid trial, in ascending order. */
export function breakingOf(
  capacity: number,
  trials: readonly CapacityTrial[],
): RunCapacity["breaking"] {
  return MULTIPLES.flatMap((ofCapacity) => {
    const distance = ({ ratePerSec }: CapacityTrial): number =>
      Math.abs(Math.log(ratePerSec / (capacity * ofCapacity)));
    const [nearest] = trials.filter((trial) => trial.counts && distance(trial) <= NEAR_RATIO)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) return [];
    const { ratePerSec, p99, success, recoveryS } = nearest;
    return [{ ofCapacity, ratePerSec, p99, success, recoveryS }];
  });
}

/** The multiples of the capacity that no valid trial has shown yet, as rates, in the order in which to try them. */
export function unseenAround(capacity: number, trials: readonly CapacityTrial[]): number[] {
  const seen = breakingOf(capacity, trials).map(({ ofCapacity }) => ofCapacity);
  return ORDER.filter((ofCapacity) => !seen.includes(ofCapacity))
    .map((ofCapacity) => capacity * ofCapacity);
}

/** Order of the trials: 1.3 comes last, because a target may not recover from it. */
const ORDER = [1, 0.8, 1.1, 1.3];
