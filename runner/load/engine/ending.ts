/**
 * The end of a load of any kind. At the deadline no new request is sent, and those in flight are waited for: up to each
 * request's own time-out, and no longer than `LONGEST_DRAIN_US`, because an endless response, such as a stream, would
 * never let the worker finish. Without the wait, the last latency of every connection would be only a lower bound, even
 * on a fast server. Requests in flight after the wait are unfinished, and an exchange that was due and never sent is
 * dropped: both count in the latency with the time that they waited. Rates count only the exchanges that ended by the
 * deadline.
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

/** How much longer than a request's time-out the load waits for its response, because time-outs are noticed late. */
const LATE_US = 500_000;

/** How long the load waits after the deadline for requests in flight, microseconds. */
export function drainUsOf({ timeoutUs }: Pick<Job, "timeoutUs">): number {
  return Math.min(timeoutUs + LATE_US, LONGEST_DRAIN_US);
}

/**
 * How long a request in flight may still bring a response, counted from the moment when sending ended, before its
 * connection is closed. The response no longer counts. But a server that finds the connection closed may not even have
 * read the request, and client and server would disagree about how many requests there were. Only a load that is
 * stopped lingers: after a drain of at least this length, the server has had enough time for the last requests already.
 */
export const LINGER_US = 100_000;

interface EndingParts {
  readonly recorder: Recorder;
  readonly pacer: Pacer;
  readonly connections: Connections;
  readonly inFlight: InFlight;
  readonly workload: Pick<Workload, "isIdle" | "stepOf" | "skipStep">;
  /** Called at the deadline, before the load waits for requests in flight. */
  readonly onDeadline?: () => void;
}

export class Ending implements InFlightExchanges {
  /** Everything recorded; null until the load is over. */
  totals: WorkerTotals | null = null;
  /** Time from the start until sending ended, microseconds. */
  elapsedUs = 0;
  /** Whether the deadline has passed, so that only requests in flight are waited for. */
  isDraining = false;
  /** The next moment at which the load changes: the deadline, then the end of the drain; −∞ once the load is over. */
  untilUs: number;

  constructor(
    private readonly job: Pick<Job, "stop" | "durationUs" | "timeoutUs" | "waitsForLast">,
    private readonly parts: EndingParts,
  ) {
    // A load in phases goes on until its last virtual user has left; any other load ends after its
    // duration at the latest.
    this.untilUs = job.waitsForLast ? Infinity : job.durationUs;
  }

  /**
   * Once `untilUs` has come, begins the drain or, at the end of the drain, finishes the load. Returns whether the load
   * is over.
   */
  isOver(nowUs: number): boolean {
    if (nowUs < this.untilUs) return false;
    if (this.totals !== null) return true;
    if (!this.isDraining) this.#drain();
    if (this.#isDone(nowUs) || nowUs >= this.untilUs) this.#finish(this.untilUs);
    return this.totals !== null;
  }

  /**
   * Like `isOver`, but for conditions that are checked only now and then: the load was stopped, or nothing is left to
   * do.
   */
  isOverEarly(nowUs: number): boolean {
    const { job: { stop, durationUs, waitsForLast }, parts: { recorder } } = this;
    // A load can also be stopped before its start, and then has lasted no time.
    if (Atomics.load(stop, 0) !== 0) this.#finish(Math.max(0, nowUs));
    else if (this.#isDone(nowUs)) {
      this.#finish(Math.max(recorder.lastUs, waitsForLast ? durationUs : 0));
    }
    return this.totals !== null;
  }

  /**
   * Whether nothing is left to do: a closed loop ends with its last response, and a load in phases with its last
   * virtual user, but a load at a given rate lasts for its whole duration.
   */
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

  /** Counts exchanges that still wait for a dial as unfinished. In a closed loop, each dial stands for one exchange. */
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
   * Counts the requests still in flight as unfinished, and closes idle connections. These were not closed when sending
   * stopped, because closing a thousand of them would have delayed the responses that the load still waited for.
   */
  #leaveUnfinished(endUs: number): void {
    const { recorder, connections, inFlight, workload } = this.parts;
    connections.forEachOpen((slot) => inFlight.count(slot) === 0 && connections.close(slot));
    inFlight.forEach((slot, request, dueUs, sentUs) => {
      recorder.leaveUnfinished(slot, workload.stepOf(slot, request), dueUs, sentUs, endUs);
      inFlight.drop(slot);
    });
  }

  /**
   * After the end: closes the remaining connections once `LINGER_US` have passed since sending ended. Returns when to
   * check again, or Infinity once all are closed.
   */
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
      } else if (begun-- > 0) visit(0, dialedUs, dialedUs, false); // the step is not chosen yet
    });
    inFlight.forEach((slot, request, dueUs, sentUs) =>
      visit(workload.stepOf(slot, request), dueUs, sentUs, true)
    );
  }
}
