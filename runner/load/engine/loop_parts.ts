/** What the loops of a worker work with. */
import type { Driver } from "./driver.ts";
import type { Flow } from "./flow.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { RequestScript } from "./request_script.ts";
import type { SessionRecorder } from "../recording/sessions.ts";
import type { Supply } from "./pacer.ts";

export interface LoopParts {
  readonly driver: Driver;
  readonly recorder: Recorder;
  readonly supply: Supply;
  /** Called at the deadline, before what is in flight is waited for. */
  readonly onDeadline?: () => void;
}

export interface RequestParts extends LoopParts {
  readonly script: RequestScript;
}

export interface SessionParts extends LoopParts {
  readonly flow: Flow;
  readonly sessions: SessionRecorder;
}
