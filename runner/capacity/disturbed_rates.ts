/**
 * Rates at which a trial broke while the machine disturbed it. Such a trial says nothing of the target, but where to go on:
 * the same rate again would be disturbed again where it is far too high, and a lower one that holds counts. Pure.
 */
import type { SearchedTrial, TrialPlan } from "../stats/capacity/search.ts";

interface Steering {
  /** Rates that held, or broke undisturbed. */
  readonly held: readonly number[];
  readonly widthRatio: number;
  readonly shortTrial: (ratePerSec: number) => TrialPlan;
}

/** A target that completes less of the rate than this is overloaded, whatever other programs do. */
const OVERLOADED_BELOW = 0.9;
/** Steps down without any rate that holds, at most. */
const LARGEST_STEP = 4;

/** One after the other, none at a lower rate than those before: then the machine is too busy to measure on. */
const MOST_IN_A_ROW = 5;
/** Disturbed trials in the whole search, at most. */
const MOST_IN_ALL = 12;

export class DisturbedRates {
  #count = 0;
  #inARow = 0;
  #servedPerSec = 0;
  #lowest = Infinity;
  /** Rates above which nothing is tried for now, with what was served there. */
  #ceilings: { readonly ratePerSec: number; readonly servedPerSec: number }[] = [];
  /** How often the search turned down since a trial last counted. */
  #turns = 0;
  #once: number[] = [];

  /** The most in any trial, disturbed or not. */
  get servedPerSec(): number {
    return this.#servedPerSec;
  }

  get isHopeless(): boolean {
    return this.#inARow >= MOST_IN_A_ROW || this.#count >= MOST_IN_ALL;
  }

  /** A rate that the target nearly served is tried a second time before the search turns down. */
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

  /** Below the lowest ceiling; once a rate just below it is known to hold, the ceiling itself again. */
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
      // Twice as far with each turn in a row, as the search itself goes down.
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
