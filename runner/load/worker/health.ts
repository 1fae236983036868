/**
 * How a worker fares while it works, told with its intervals to those who watch. What is judged at the
 * end has figures of its own (`trust/evidence.ts`).
 */
import { threadTime } from "../../../base/system/thread_time.ts";
import type { LoopWatch } from "../recording/busy_periods.ts";

export interface Health {
  /** CPU time of the worker's thread over elapsed: a share of one core. */
  readonly cpuRatio: number;
  /** Longest time that something new had to wait for the worker, microseconds. */
  readonly lateUs: number;
}

/** Reading the thread's time takes some 10 µs, so it is not done at every short interval. */
const LEAST_US = 200_000;

export class HealthWatch {
  #sinceUs = 0;
  #cpuUs: number;
  #last: Health = { cpuRatio: 0, lateUs: 0 };
  #isOver = false;

  /** @param now Microseconds since the start of the run, which is when this is made, or soon after. */
  constructor(private readonly now: () => number, private readonly loop: LoopWatch) {
    this.#cpuUs = threadTime().cpuUs;
  }

  /** The load is over: the same is told from now on. */
  end(): void {
    this.tell();
    this.#isOver = true;
  }

  /** Of the time since it was last told; the same again when that was just now. */
  tell(): Health {
    const nowUs = this.now();
    const elapsedUs = nowUs - this.#sinceUs;
    if (elapsedUs < LEAST_US || this.#isOver) return this.#last;
    const { cpuUs } = threadTime();
    const cpuRatio = (cpuUs - this.#cpuUs) / elapsedUs;
    this.#sinceUs = nowUs;
    this.#cpuUs = cpuUs;
    return this.#last = { cpuRatio, lateUs: this.loop.takeLongestUs() };
  }
}
