/** How a target breaks beyond its capacity: the trials that were near multiples of it. Pure. */
import type { CapacityTrial, RunCapacity } from "../result/capacity.ts";

const MULTIPLES = [0.8, 1, 1.1, 1.3];
/** Share of the multiple within which a trial stands for it. */
const NEAR_RATIO = 0.05;

/** In the order of the multiples, where there was a trial that counts. */
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

/** Rates at the multiples of the capacity at which there was no trial that counts, the nearest first. */
export function unseenAround(capacity: number, trials: readonly CapacityTrial[]): number[] {
  const seen = breakingOf(capacity, trials).map(({ ofCapacity }) => ofCapacity);
  return ORDER.filter((ofCapacity) => !seen.includes(ofCapacity))
    .map((ofCapacity) => capacity * ofCapacity);
}

/** A target may not recover from the last. */
const ORDER = [1, 0.8, 1.1, 1.3];
