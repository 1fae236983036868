/** How much of its worker a load uses: CPU time of the thread, and busy time of the loop. */
import { type ThreadTime, threadTime } from "../../../base/system/thread_time.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import type { Health, WorkerReport } from "./messages.ts";

type WorkerUsage = Pick<WorkerReport, "time" | "spunUs" | "busyPeriods" | "timerUs">;

/** The shortest time over which the CPU clock is precise enough to compute the share of a core. */
const LEAST_HEALTH_US = 200_000;

export class Usage {
  #before = threadTime();
  /** Usage up to the deadline, because the wait after it is not part of the load; null before the deadline. */
  #byDeadline: WorkerUsage | null = null;
  #healthSinceUs = 0;
  #healthCpuUs = this.#before.cpuUs;
  #health: Health = { cpuRatio: 0, lateUs: 0 };

  /**
   * @param now Returns microseconds since the start of the run.
   * @param timerUs Smallest step of that clock.
   */
  constructor(
    private readonly now: () => number,
    private readonly busy: BusyPeriods,
    private readonly timerUs: number,
  ) {}

  /** Called when the load begins; earlier usage does not count. */
  begin(): void {
    this.#before = threadTime();
    this.#healthSinceUs = Math.max(0, this.now());
    this.#healthCpuUs = this.#before.cpuUs;
  }

  /** Called at the deadline: freezes the usage, because the wait after it is not part of the load. */
  end(): void {
    const time = threadTime();
    this.#readHealth(time);
    this.busy.end();
    this.#byDeadline = this.#usageAt(time, this.busy.lengths());
  }

  whole(): WorkerUsage {
    return this.#byDeadline ?? this.#usageAt(threadTime(), this.busy.lengths());
  }

  /** Health, and usage since the load began, except that the busy periods are only those since the last call. */
  sinceLast(): { readonly health: Health; readonly usage: WorkerUsage } {
    const busyPeriods = this.busy.takeLengths();
    const ended = this.#byDeadline;
    if (ended !== null) return { health: this.#health, usage: { ...ended, busyPeriods } };
    const time = threadTime(); // takes some 10 µs
    return { health: this.#readHealth(time), usage: this.#usageAt(time, busyPeriods) };
  }

  #usageAt(time: ThreadTime, busyPeriods: SparseHistogram): WorkerUsage {
    const { spunUs } = this.busy;
    return { time: timeBetween(this.#before, time), spunUs, busyPeriods, timerUs: this.timerUs };
  }

  /** Health since the last reading; unchanged if that was less than `LEAST_HEALTH_US` ago. */
  #readHealth({ cpuUs }: ThreadTime): Health {
    const nowUs = this.now();
    const elapsedUs = nowUs - this.#healthSinceUs;
    if (elapsedUs < LEAST_HEALTH_US) return this.#health;
    const cpuRatio = (cpuUs - this.#healthCpuUs) / elapsedUs;
    this.#healthSinceUs = nowUs;
    this.#healthCpuUs = cpuUs;
    return this.#health = { cpuRatio, lateUs: this.busy.takeLongestUs() };
  }
}

function timeBetween(before: ThreadTime, { cpuUs, waitedUs }: ThreadTime): ThreadTime {
  const waited = waitedUs === null || before.waitedUs === null ? null : waitedUs - before.waitedUs;
  return { cpuUs: cpuUs - before.cpuUs, waitedUs: waited };
}
