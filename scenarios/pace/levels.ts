/**
 * Decides how many virtual users a closed loop lets in while their number ramps, and when the next may come. Plain
 * mathematics over stages whose number is constant or changes in a straight line, in whole users as k6 counts them: one
 * more when the line has reached the next whole number, one fewer when it has gone down by one. No clock: times are
 * microseconds since the start.
 */

export interface LoadStage {
  readonly durationUs: number;
  /** Virtual users at the start and at the end of the stage. */
  readonly from: number;
  readonly to: number;
}

/** The stages, and this worker's share of their users; the shares of all workers add up to the level. */
export interface LevelsShare {
  readonly stages: readonly LoadStage[];
  readonly worker: number;
  readonly workers: number;
}

/** Tolerance in users: a level this close to the next whole number counts as having reached it. */
const ROUNDING = 1e-9;

/** One worker's part of the level. Queries come in order of time, so stages that are over are left behind. */
export class UserLevels {
  #stage = 0;
  #stageStartUs = 0;
  /** The number of users in the last call of `exceededUs`, and its result, which holds until that moment. */
  #present = -1;
  #exceededUs = 0;

  constructor(private readonly share: LevelsShare) {}

  /** The number of users that may be present at `nowUs`; after the end, the number at the end. */
  at(nowUs: number): number {
    const { stages, worker, workers } = this.share;
    this.#goTo(nowUs);
    const level = levelIn(stages[this.#stage], nowUs - this.#stageStartUs);
    return Math.floor((level + workers - 1 - worker) / workers);
  }

  /** The first moment from `nowUs` on at which more than `present` users may be present; Infinity if there is none. */
  exceededUs(present: number, nowUs: number): number {
    if (present === this.#present && nowUs < this.#exceededUs) return this.#exceededUs;
    this.#present = present;
    const { worker, workers } = this.share;
    this.#exceededUs = this.#search(present * workers + worker + 1, nowUs);
    return this.#exceededUs;
  }

  /** @param level The level of all workers together that is to be reached. */
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

/** The highest number of users of all workers that are present at once. */
export function mostUsersOf(stages: readonly LoadStage[]): number {
  return Math.max(...stages.map(({ from, to }) => Math.max(from, to)));
}
