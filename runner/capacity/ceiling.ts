/**
 * Remembers the rates that the generator probably can't produce, and keeps a search below the lowest of them. If the
 * target keeps all rules at the rates below that one, long trials can give only a lower bound of the capacity. Pure.
 */
import { MOST_PER_SEC } from "../../scenarios/load/load_shape.ts";
import {
  holdsIn,
  longTrial,
  lowerBoundOf,
  type SearchedTrial,
  type SearchGoal,
  shortTrial,
  type TrialPlan,
} from "../stats/capacity/search.ts";

export class GeneratorCeiling {
  /** Rates at which rules were broken, probably because of the generator. */
  readonly #doubted: number[] = [];

  doubt(ratePerSec: number): void {
    this.#doubted.push(ratePerSec);
  }

  /**
   * Keeps a planned trial below the lowest doubtful rate. As long as only one rate is doubtful, that rate is tried a
   * second time instead. Returns "generator" once long trials have confirmed nearly all rates below the lowest doubtful
   * one, so that only the generator limits the search.
   */
  below(
    planned: TrialPlan,
    goal: SearchGoal,
    trials: readonly SearchedTrial[],
  ): TrialPlan | "generator" {
    const isFull = planned.ratePerSec > MOST_PER_SEC;
    if (this.#doubted.length === 0 && !isFull) return planned;
    const doubted = Math.min(MOST_PER_SEC, ...this.#doubted);
    if (planned.ratePerSec < doubted) return planned;
    if (this.#doubted.length === 1 && !isFull) return { ...planned, ratePerSec: doubted };
    const held = trials.filter(({ shares }) => holdsIn(goal, shares))
      .map(({ ratePerSec }) => ratePerSec).filter((rate) => rate < doubted);
    const highest = held.length === 0 ? doubted / 4 : Math.max(...held);
    const near = (1 + goal.widthRatio) ** 2;
    if (doubted / highest > near) return shortTrial(goal, Math.sqrt(highest * doubted));
    const bound = lowerBoundOf(goal, trials);
    return bound !== null && bound >= highest / near ? "generator" : longTrial(goal, highest);
  }
}
