/**
 * How many virtual users a closed loop lets in while their number ramps, and when the next may come. Plain mathematics
 * over stages whose number is constant or changes in a straight line, in whole users as k6 counts them: one more when the
 * line has reached it, one fewer when the line has gone down by one. No clock; times are microseconds since the start.
 */

export interface LoadStage {
  readonly durationUs: number;
  /** Virtual users at its start and at its end. */
  readonly from: number;
  readonly to: number;
}

/** Stages, and which users of all are meant: those of one worker, so that all workers' add up to the level. */
export interface LevelsShare {
  readonly stages: readonly LoadStage[];
  readonly worker: number;
  readonly workers: number;
}

/** Share of a step of the line; closer to the next whole user counts as reached. */
const ROUNDING = 1e-9;

/** One worker's part of the level. Moments come in their order, so that a stage that is over is left behind. */
export class UserLevels {
  #stage = 0;
  #stageStartUs = 0;
  /** The last answer of `exceededUs`, and the number that it was for: it stays true until its moment. */
  #present = -1;
  #exceededUs = 0;

  constructor(private readonly share: LevelsShare) {}

  /** How many users may be present at `nowUs`; after the end, as many as at the end. */
  at(nowUs: number): number {
    const { stages, worker, workers } = this.share;
    this.#goTo(nowUs);
    const level = levelIn(stages[this.#stage], nowUs - this.#stageStartUs);
    return Math.floor((level + workers - 1 - worker) / workers);
  }

  /** The first moment from `nowUs` on at which more than `present` may be there; Infinity when they never may. */
  exceededUs(present: number, nowUs: number): number {
    if (present === this.#present && nowUs < this.#exceededUs) return this.#exceededUs;
    this.#present = present;
    const { worker, workers } = this.share;
    this.#exceededUs = this.#search(present * workers + worker + 1, nowUs);
    return this.#exceededUs;
  }

  /** @param level Of all workers, that is reached. */
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

/** The most that are there at once, of all workers. */
export function mostUsersOf(stages: readonly LoadStage[]): number {
  return Math.max(...stages.map(({ from, to }) => Math.max(from, to)));
}
