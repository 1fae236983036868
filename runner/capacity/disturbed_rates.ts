/**
 * Rates at which a trial broke a rule while the machine was disturbed. Such a trial does not show whether the target
 * can serve the rate, so the search continues at a lower one. A trial far above the capacity would be disturbed again,
 * whereas a lower rate that holds is a valid result. Pure.
 */
import type { SearchedTrial, TrialPlan } from "../stats/capacity/search.ts";

interface Steering {
  /** Rates at which the rules held, or were broken without a disturbance. */
  readonly held: readonly number[];
  readonly widthRatio: number;
  readonly shortTrial: (ratePerSec: number) => TrialPlan;
}

/** A target that completes less than this share of the rate is overloaded, even if other programs disturb it. */
const OVERLOADED_BELOW = 0.9;
/** The largest factor by which one step lowers the rate while there is no valid trial at any lower rate. */
const LARGEST_STEP = 4;

/**
 * The search gives up after this many disturbed trials in a row, because the machine is too busy. The count begins anew
 * whenever a disturbed trial has a lower rate than all disturbed ones before it.
 */
const MOST_IN_A_ROW = 5;
/** The search also gives up after this many disturbed trials in all. */
const MOST_IN_ALL = 12;

export class DisturbedRates {
  #count = 0;
  #inARow = 0;
  #servedPerSec = 0;
  #lowest = Infinity;
  /** Rates that trials stay below for now, each with the throughput that the target reached there. */
  #ceilings: { readonly ratePerSec: number; readonly servedPerSec: number }[] = [];
  /** How often the search has turned to a lower rate since the last valid trial. */
  #turns = 0;
  #once: number[] = [];

  /** The highest throughput in any trial, disturbed or not. */
  get servedPerSec(): number {
    return this.#servedPerSec;
  }

  get isHopeless(): boolean {
    return this.#inARow >= MOST_IN_A_ROW || this.#count >= MOST_IN_ALL;
  }

  /**
   * Records a trial. A disturbed rate becomes a ceiling at once if the target served far less than it, and otherwise
   * only if a second trial there is disturbed, too.
   */
  add(
    { ratePerSec, servedPerSec }: Pick<SearchedTrial, "ratePerSec" | "servedPerSec">,
    doubt: "generator" | "disturbed" | null,
  ): void {
    this.#servedPerSec = Math.max(this.#servedPerSec, servedPerSec);
    if (doubt === null) [this.#inARow, this.#turns] = [0, 0];
    if (doubt !== "disturbed") return;
    this.#count++;
    this.#inARow = ratePerSec < this.#lowest ? 1 : this.#inARow + 1;
    this.#lowest = Math.min(this.#lowest, ratePerSec);
    const isAgain = this.#once.includes(ratePerSec);
    if (isAgain || servedPerSec < OVERLOADED_BELOW * ratePerSec) {
      this.#ceilings.push({ ratePerSec, servedPerSec });
      this.#turns++;
    } else {
      this.#once.push(ratePerSec);
    }
  }

  /**
   * Keeps a planned trial below the lowest ceiling. Once there is a valid trial at a rate just below that ceiling,
   * tries the ceiling itself again.
   */
  steered(planned: TrialPlan, { held, widthRatio, shortTrial }: Steering): TrialPlan {
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
      // Each further turn to a lower rate doubles the step on a log scale, as the search itself
      // does on its way down.
      const away = near ** (2 ** Math.max(0, this.#turns - 1));
      return shortTrial(Math.max(least, Math.min(served, ceiling.ratePerSec / away)));
    }
    const highest = Math.max(...under);
    if (ceiling.ratePerSec / highest > near) {
      return shortTrial(Math.sqrt(highest * ceiling.ratePerSec));
    }
    this.#ceilings = this.#ceilings.filter((one) => one !== ceiling);
    return { ...planned, ratePerSec: ceiling.ratePerSec };
  }
}
