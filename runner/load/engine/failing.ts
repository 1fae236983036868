/** Failed exchanges: each is recorded with its step and its times, and is then no longer in flight. */
import type { ErrorKind } from "../../result/outcome.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { WaitingExchange } from "./connections.ts";
import type { InFlight } from "./in_flight.ts";
import type { Pacer } from "./pacer.ts";
import type { Workload } from "./workload.ts";

interface FailingParts {
  readonly recorder: Recorder;
  readonly pacer: Pacer;
  readonly inFlight: InFlight;
  readonly workload: Pick<Workload, "stepOf" | "skipStep">;
}

export class Failing {
  constructor(private readonly parts: FailingParts) {}

  all(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    while (this.parts.inFlight.count(slot) > 0) this.oldest(slot, kind, reason, nowUs);
  }

  /** @param step The exchange's step; needed only if the workload has already moved on to the next one. */
  oldest(slot: number, kind: ErrorKind, reason: string, nowUs: number, step?: number): void {
    const { recorder, inFlight, workload } = this.parts;
    step ??= workload.stepOf(slot, inFlight.request(slot));
    const failure = { kind, reason };
    recorder.fail(slot, step, failure, inFlight.dueUs(slot), inFlight.sentUs(slot), nowUs);
    inFlight.drop(slot);
  }

  /**
   * Fails a request that is due but will never be sent, because a hook failed or a value does not fit its gRPC message.
   */
  unsent(slot: number, request: number, reason: string, dueUs: number, nowUs: number): void {
    const { recorder, pacer, workload } = this.parts;
    recorder.due++;
    const sinceUs = pacer.intended ? dueUs : nowUs;
    const step = workload.stepOf(slot, request);
    recorder.fail(slot, step, { kind: "script", reason }, sinceUs, nowUs, nowUs);
  }

  /** Fails the exchange that waits for a dial or, if none waits, the next one that is due, if there is one. */
  dial(
    slot: number,
    waiting: WaitingExchange | null,
    kind: ErrorKind,
    reason: string,
    dialedUs: number,
    nowUs: number,
  ): void {
    const { recorder, pacer, workload } = this.parts;
    const dueUs = waiting?.dueUs ?? pacer.take(nowUs);
    if (dueUs < 0) return;
    if (waiting === null) recorder.due++;
    const step = waiting === null ? workload.skipStep() : workload.stepOf(slot, waiting.request);
    const sinceUs = pacer.intended ? dueUs : dialedUs;
    recorder.fail(slot, step, { kind, reason }, sinceUs, dialedUs, nowUs);
  }
}
