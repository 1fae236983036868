/**
 * What a worker posts at the end of each interval. The cost of posting it depends on what the interval holds, not on
 * how long the run is. The only times of the whole run that every message contains are those of dials, time-outs and
 * sessions, and those of `ResponseGroups`, which cover few responses.
 */
import type { IntervalPart } from "../recording/intervals.ts";
import type { Recorder } from "../recording/recorder.ts";
import { type InFlightExchanges, SoFar } from "../recording/so_far.ts";
import type { SessionRecorder } from "../recording/totals.ts";
import type { HookUse } from "../../result/hooks.ts";
import type { TlsUse } from "../../result/tls.ts";
import type { IntervalMessage } from "./messages.ts";
import type { Usage } from "./usage.ts";

interface HandOverParts {
  readonly recorder: Recorder;
  readonly inFlight: InFlightExchanges;
  readonly sessions: SessionRecorder;
  readonly usage: Usage;
  /** Returns undefined without hooks. */
  readonly hooks: () => HookUse | undefined;
  /** Returns undefined without TLS. */
  readonly tls: () => TlsUse | undefined;
}

export class HandOver {
  readonly #soFar = new SoFar();

  constructor(private readonly parts: HandOverParts) {}

  /** The message must be posted immediately, because its contents continue to change. */
  messageAt(part: IntervalPart, nowUs: number): IntervalMessage {
    const { recorder, inFlight, sessions, usage, tls, hooks } = this.parts;
    const ended = this.#soFar.at(nowUs, recorder, inFlight);
    const { health, usage: used } = usage.sinceLast();
    const soFar = {
      ...ended,
      ...used,
      sessions: sessions.totals(),
      elapsedUs: nowUs,
      tls: tls(),
      hooks: hooks(),
    };
    return { kind: "interval", part, health, soFar };
  }
}
