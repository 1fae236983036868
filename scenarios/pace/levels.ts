/**
 * Decides how many virtual users of a closed loop may be present while their number ramps, and when the next one may
 * come. In each stage, the number is constant or changes linearly. It is counted in whole users, as in k6: one more
 * each time the linear value has risen by one, one fewer each time it has fallen by one. There is no clock; times are
 * microseconds since the start.
 */

export interface LoadStage {
  readonly durationUs: number;
  /** Virtual users at the start and at the end of the stage. */
  readonly from: number;
  readonly to: number;
}

/**
 * The stages, and this worker's share of their users. The shares of all workers add up to the number of users in the
 * stages.
 */
export interface LevelsShare {
  readonly stages: readonly LoadStage[];
  readonly worker: number;
  readonly workers: number;
}

/** Tolerance in users: a change of their number that is this close to a whole number counts as whole. */
const ROUNDING = 1e-9;

/**
 * One worker's share of the users. Its methods must be called with rising times, because stages that are over are not
 * visited again.
 */
export class UserLevels {
  #stage = 0;
  #stageStartUs = 0;
  /** Argument and result of the last call of `exceededUs`. The result stays valid until the moment that it names. */
  #present = -1;
  #exceededUs = 0;

  constructor(private readonly share: LevelsShare) {}

  /** Number of this worker's users that may be present at `nowUs`; after the last stage, the number at its end. */
  at(nowUs: number): number {
    const { stages, worker, workers } = this.share;
    this.#goTo(nowUs);
    const level = levelIn(stages[this.#stage], nowUs - this.#stageStartUs);
    return Math.floor((level + workers - 1 - worker) / workers);
  }

  /**
   * The first moment from `nowUs` on at which more than `present` users of this worker may be present; Infinity if
   * there is none.
   */
  exceededUs(present: number, nowUs: number): number {
    if (present === this.#present && nowUs < this.#exceededUs) return this.#exceededUs;
    this.#present = present;
    const { worker, workers } = this.share;
    this.#exceededUs = this.#search(present * workers + worker + 1, nowUs);
    return this.#exceededUs;
  }

  /**
   * The first moment from `nowUs` on at which all workers together may have `level` users; Infinity if there is none.
   */
  #search(level: number, nowUs: number): number {
    const { stages } = this.share;
    this.#goTo(nowUs);
    let startUs = this.#stageStartUs;
    for (let at = this.#stage; at < stages.length; at++) {
      const { durationUs, from, to } = stages[at];
      if (levelIn(stages[at], Math.max(0, nowUs - startUs)) >= level) {
        return Math.max(nowUs, startUs);
      }
      if (to >= level) return startUs + durationUs * (level - from) / (to - from);
      startUs += durationUs;
    }
    return Infinity;
  }

  #goTo(nowUs: number): void {
    const { stages } = this.share;
    while (this.#stage < stages.length - 1) {
      const endUs = this.#stageStartUs + stages[this.#stage].durationUs;
      if (nowUs < endUs) return;
      this.#stage++;
      this.#stageStartUs = endUs;
    }
  }
}

function levelIn({ durationUs, from, to }: LoadStage, sinceUs: number): number {
  const steps = (to - from) * Math.min(1, sinceUs / durationUs);
  return from + Math.trunc(steps + Math.sign(steps) * ROUNDING);
}

/** The highest number of users that all workers together have at once. */
export function mostUsersOf(stages: readonly LoadStage[]): number {
  return Math.max(...stages.map(({ from, to }) => Math.max(from, to)));
}
