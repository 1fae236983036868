/**
 * The end of a load of any kind. At the deadline nothing new is sent, and what is in flight is waited for:
 * up to each request's own time-out, and no longer than `LONGEST_DRAIN_US`. Without the wait the last request of
 * every connection would be a lower bound, also on a server that does well. Whatever is left then is unfinished, and
 * an exchange that was due and never sent is dropped: both are in the latency at the time that they waited. Rates end at the deadline.
 */
import type { InFlightExchanges, VisitInFlight } from "../recording/so_far.ts";
import type { WorkerTotals } from "../recording/totals.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Connections } from "./connections.ts";
import type { InFlight } from "./in_flight.ts";
import type { Job } from "./job.ts";
import type { Pacer } from "./pacer.ts";
import type { Workload } from "./workload.ts";

export const LONGEST_DRAIN_US = 5_000_000;

/**
 * How late a time-out may be noticed. The wait ends then, because a response that goes on and on, as a stream may, would
 * keep the worker beyond its time.
 */
const LATE_US = 500_000;

/** How long is waited after the deadline for what is in flight. */
export function drainUsOf({ timeoutUs }: Pick<Job, "timeoutUs">): number {
  return Math.min(timeoutUs + LATE_US, LONGEST_DRAIN_US);
}

/**
 * How long a request in flight at the end may still bring a response before its connection is closed. The
 * response no longer counts; but a server that finds the connection closed may not even have read the
 * request, and the two sides would disagree about how many there were.
 */
export const LINGER_US = 100_000;

interface EndingParts {
  readonly recorder: Recorder;
  readonly pacer: Pacer;
  readonly connections: Connections;
  readonly inFlight: InFlight;
  readonly workload: Pick<Workload, "isIdle" | "stepOf" | "skipStep">;
  /** Called at the deadline, before what is in flight is waited for. */
  readonly onDeadline?: () => void;
}

export class Ending implements InFlightExchanges {
  /** What was recorded; null until the load is over. */
  totals: WorkerTotals | null = null;
  /** Time from the start until sending ended, microseconds. */
  elapsedUs = 0;
  /** Whether the deadline has passed, and what is in flight is waited for. */
  isDraining = false;
  /** The next moment at which the load changes: the deadline, then the end of the drain; −∞ once the load is over. */
  untilUs: number;

  constructor(
    private readonly job: Pick<Job, "stop" | "durationUs" | "timeoutUs" | "waitsForLast">,
    private readonly parts: EndingParts,
  ) {
    // Phases go on until the last virtual user has gone; any other load ends when its time is over.
    this.untilUs = job.waitsForLast ? Infinity : job.durationUs;
  }

  /** Ends what is to end by now; gives whether the load is over. */
  isOver(nowUs: number): boolean {
    if (nowUs < this.untilUs) return false;
    if (this.totals !== null) return true;
    if (!this.isDraining) this.#drain();
    if (this.#isDone(nowUs) || nowUs >= this.untilUs) this.#finish(this.untilUs);
    return this.totals !== null;
  }

  /** Like `isOver`, for conditions that are checked only now and then: whether the load was stopped, or is done. */
  isOverEarly(nowUs: number): boolean {
    const { job: { stop, durationUs, waitsForLast }, parts: { recorder } } = this;
    // Before the start a load can be stopped, too; it has lasted no time then.
    if (Atomics.load(stop, 0) !== 0) this.#finish(Math.max(0, nowUs));
    else if (this.#isDone(nowUs)) {
      this.#finish(Math.max(recorder.lastUs, waitsForLast ? durationUs : 0));
    }
    return this.totals !== null;
  }

  /** A closed loop ends with its last response, phases with the last virtual user; a rate lasts as long as it was to. */
  #isDone(nowUs: number): boolean {
    const { pacer, workload, recorder: { due, completed, failed, unfinished } } = this.parts;
    if (pacer.left + due - completed - failed - unfinished !== 0) return false;
    if (this.isDraining) return true;
    const { waitsForLast, durationUs } = this.job;
    return workload.isIdle && (waitsForLast ? nowUs >= durationUs : !pacer.intended);
  }

  #drain(): void {
    const { durationUs } = this.job;
    this.#stopSending(durationUs);
    this.isDraining = true;
    this.untilUs = durationUs + drainUsOf(this.job);
    this.parts.onDeadline?.();
  }

  #finish(endUs: number): void {
    const { recorder, pacer, workload } = this.parts;
    if (!this.isDraining) this.#stopSending(endUs);
    this.#leaveUnfinished(endUs);
    pacer.drop(
      this.elapsedUs,
      (dueUs) => recorder.drop(workload.skipStep(), dueUs, this.elapsedUs),
    );
    this.totals = recorder.finish(this.elapsedUs);
    this.untilUs = -Infinity;
  }

  /** Gives up what is not yet sent: exchanges that wait for a dial, which in a closed loop each dial begins. */
  #stopSending(endUs: number): void {
    const { recorder, pacer, connections, workload } = this.parts;
    this.elapsedUs = endUs;
    recorder.seal(endUs);
    connections.forEachDial((slot, dialedUs) => {
      const waiting = connections.takeWaiting(slot);
      connections.close(slot);
      if (waiting !== null) {
        const step = workload.stepOf(slot, waiting.request);
        return recorder.leaveUnfinished(slot, step, waiting.dueUs, dialedUs, endUs);
      }
      if (pacer.intended || pacer.take(endUs) < 0) return;
      recorder.due++;
      recorder.leaveUnfinished(slot, workload.skipStep(), dialedUs, dialedUs, endUs);
    });
    pacer.stop();
  }

  /**
   * Closes idle connections only now: with a thousand of them, closing earlier would delay the responses that are
   * waited for.
   */
  #leaveUnfinished(endUs: number): void {
    const { recorder, connections, inFlight, workload } = this.parts;
    connections.forEachOpen((slot) => inFlight.count(slot) === 0 && connections.close(slot));
    inFlight.forEach((slot, request, dueUs, sentUs) => {
      recorder.leaveUnfinished(slot, workload.stepOf(slot, request), dueUs, sentUs, endUs);
      inFlight.drop(slot);
    });
  }

  /** After the end: the moment to look again, Infinity once every connection is closed. */
  linger(nowUs: number, stepUs: number): number {
    const { connections } = this.parts;
    let isOpen = false;
    connections.forEachOpen((slot) => {
      if (nowUs - this.elapsedUs >= LINGER_US) connections.close(slot);
      else isOpen = true;
    });
    return isOpen ? nowUs + stepUs : Infinity;
  }

  forEachInFlight(visit: VisitInFlight): void {
    const { pacer, connections, inFlight, workload } = this.parts;
    let begun = pacer.intended ? 0 : pacer.left;
    connections.forEachDial((slot, dialedUs) => {
      const waiting = connections.waiting(slot);
      if (waiting !== null) {
        visit(workload.stepOf(slot, waiting.request), waiting.dueUs, dialedUs, true);
      } else if (begun-- > 0) visit(0, dialedUs, dialedUs, false); // nobody knows yet which it will be
    });
    inFlight.forEach((slot, request, dueUs, sentUs) =>
      visit(workload.stepOf(slot, request), dueUs, sentUs, true)
    );
  }
}
