/** What a load takes of its worker: of its thread, and of the time of its loop. */
import { type ThreadTime, threadTime } from "../../../base/system/thread_time.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import type { Health, WorkerReport } from "./messages.ts";

type WorkerUsage = Pick<WorkerReport, "time" | "spunUs" | "busyPeriods" | "timerUs">;

/** A share of a core over less is rough. */
const LEAST_HEALTH_US = 200_000;

export class Usage {
  #before = threadTime();
  /** Once the deadline has passed: the wait after it is not part of the load. */
  #byDeadline: WorkerUsage | null = null;
  #healthSinceUs = 0;
  #healthCpuUs = this.#before.cpuUs;
  #health: Health = { cpuRatio: 0, lateUs: 0 };

  /**
   * @param now Microseconds since the start of the run, which is when this is made, or soon after.
   * @param timerUs Smallest step of that clock.
   */
  constructor(
    private readonly now: () => number,
    private readonly busy: BusyPeriods,
    private readonly timerUs: number,
  ) {}

  /** The load begins. */
  begin(): void {
    this.#before = threadTime();
  }

  /** The deadline: it stays as it is now. */
  end(): void {
    const time = threadTime();
    this.#readHealth(time);
    this.busy.end();
    this.#byDeadline = this.#usageAt(time, this.busy.lengths());
  }

  whole(): WorkerUsage {
    return this.#byDeadline ?? this.#usageAt(threadTime(), this.busy.lengths());
  }

  /** How the worker fares, and what it used; the busy periods are those since the last call. */
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

  /** Health since it was last read; unchanged if that was just now. */
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
