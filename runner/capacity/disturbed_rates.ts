/**
 * Rates at which a trial broke while the machine disturbed it. Such a trial says nothing of the target, but where to go on:
 * the same rate again would be disturbed again where it is far too high, and a lower one that holds counts. Pure.
 */
import type { SearchedTrial } from "../stats/capacity/search.ts";

interface PlannedRate {
  readonly ratePerSec: number;
  readonly plannedS: number;
}

interface Steering {
  /** Rates that held, or broke undisturbed. */
  readonly held: readonly number[];
  readonly widthRatio: number;
  readonly shortS: number;
}

/** A target that completes less of the rate is overloaded, whoever else is there. */
const OVERLOADED_BELOW = 0.9;
/** Steps down without any rate that holds, at most. */
const LARGEST_STEP = 4;

export class DisturbedRates {
  #count = 0;
  /** Those above which nothing is tried for now, with what was served there. */
  #ceilings: { readonly ratePerSec: number; readonly servedPerSec: number }[] = [];
  #once: number[] = [];

  /** Of all trials. */
  get count(): number {
    return this.#count;
  }

  /** A rate that the target nearly served is tried a second time before the search turns down. */
  add({ ratePerSec, servedPerSec }: Pick<SearchedTrial, "ratePerSec" | "servedPerSec">): void {
    this.#count++;
    const isAgain = this.#once.includes(ratePerSec);
    if (isAgain || servedPerSec < OVERLOADED_BELOW * ratePerSec) {
      this.#ceilings.push({ ratePerSec, servedPerSec });
    } else {
      this.#once.push(ratePerSec);
    }
  }

  /** Below the lowest ceiling; once a rate just below it is known to hold, the ceiling itself again. */
  steered(planned: PlannedRate, { held, widthRatio, shortS }: Steering): PlannedRate {
    if (this.#ceilings.length === 0) return planned;
    const ceiling = this.#ceilings.reduce((low, one) =>
      one.ratePerSec < low.ratePerSec ? one : low
    );
    if (planned.ratePerSec < ceiling.ratePerSec) return planned;
    const under = held.filter((rate) => rate < ceiling.ratePerSec);
    const near = (1 + widthRatio) ** 2;
    if (under.length === 0) {
      const served = ceiling.servedPerSec / near;
      const least = ceiling.ratePerSec / LARGEST_STEP;
      return {
        ratePerSec: Math.max(least, Math.min(served, ceiling.ratePerSec / near)),
        plannedS: shortS,
      };
    }
    const highest = Math.max(...under);
    if (ceiling.ratePerSec / highest > near) {
      return { ratePerSec: Math.sqrt(highest * ceiling.ratePerSec), plannedS: shortS };
    }
    this.#ceilings = this.#ceilings.filter((one) => one !== ceiling);
    return { ...planned, ratePerSec: ceiling.ratePerSec };
  }
}
