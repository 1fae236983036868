/** The events of a running experiment → its progress, in words. Pure. */
import type { Progress } from "../../runner/result/progress.ts";
import { counted } from "../model/numbers/words.ts";
import { cellLabel } from "../model/runs/cells.ts";
import type { LiveStatus } from "./live_status.ts";

export const GETTING_READY: LiveStatus = {
  done: 0,
  runs: 0,
  text: "Getting ready",
  leftMs: null,
  isOver: false,
};

/** The same object where the event changes nothing of it. */
export function advanceStatus(status: LiveStatus, event: Progress): LiveStatus {
  switch (event.kind) {
    case "planned":
      return { ...status, runs: status.done + event.runs, leftMs: event.expectedMs };
    case "starting": {
      const { order, runs, scenario, repetition, remainingMs } = event;
      const text = `Run ${order} of ${runs}: ${scenario}, ${cellLabel(event)}, run ${repetition}`;
      return { ...status, done: order - 1, runs, text, leftMs: remainingMs };
    }
    case "measured":
      return { ...status, done: event.order, leftMs: event.remainingMs ?? null };
    case "missing":
      return event.missing.repetition === null ? status : { ...status, done: status.done + 1 };
    default:
      return status;
  }
}

/** @param path Where the page lies from now on. */
export function endedStatus(
  { done, runs }: LiveStatus,
  { isWhole, path }: { readonly isWhole: boolean; readonly path: string },
): LiveStatus {
  const ended = isWhole ? "Done" : `Interrupted after ${done} of ${counted(runs, "run")}`;
  const text = `${ended}: this page no longer changes. It is saved as ${path}`;
  return { done, runs: isWhole ? done : runs, text, leftMs: null, isOver: true };
}

/** The experiment stopped early, and there is no last page. */
export function brokenStatus(status: LiveStatus): LiveStatus {
  const text = "Stopped by an error (see the terminal): this page no longer changes. " +
    "Completed runs are in results.json";
  return { ...status, text, leftMs: null, isOver: true };
}
