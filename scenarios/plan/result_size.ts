/**
 * Estimates how large the results of a plan will be, so that results that would be too large to read back are refused
 * before anything is measured. The sizes assume latencies that spread over two decades, a factor of 100, which is more
 * than in most runs. Pure.
 */
import { DEFAULT_INTERVAL_MS, mostIntervalsOf } from "../../base/intervals.ts";
import { UserError } from "../../base/errors.ts";
import { groupsOfThree, isWithin, LIMITS, mostOf, sizeText } from "../../base/limits.ts";
import { durationMsOf, type PlannedLoad } from "../load/load.ts";
import type { Scenario } from "../request/scenario.ts";

/**
 * Bytes of a run without its intervals. They hold histograms, the slowest requests, and observations of the generator
 * and the target.
 */
const RUN_BYTES = 14_000;
/** Bytes of an interval of 250 ms. They hold its histogram, its figures, and the target's use of resources. */
const INTERVAL_BYTES = 1_100;
/**
 * Relative growth of an interval's size when its length doubles, because more requests have more different latencies.
 */
const GROWTH = 0.5;

/** Bytes of one request of a mix, flow or page. They hold its histogram, and how often it completed in each second. */
const STEP_BYTES = 8_000;

/**
 * Bytes of the messages of a run, or of one request of a mix or flow. They include the times of tokens and 20 names of
 * events. Every gRPC call counts as one with messages, because the plan does not tell whether it has a stream.
 */
const MESSAGES_BYTES = 22_000;
const MESSAGE_KEYS = ["stream", "websocket", "grpc"] as const;

interface SizedCell {
  readonly load: PlannedLoad;
  readonly request: Scenario;
}

/** Bytes of a run's results. @param intervalMs The experiment's `interval`. */
function bytesOfRun({ load, request }: SizedCell, intervalMs: number): number {
  const measuredMs = load.kind === "capacity" ? load.goal.trial[1] : durationMsOf(load) ?? 0;
  const wanted = Math.ceil(measuredMs / intervalMs);
  const doublings = Math.max(0, Math.ceil(Math.log2(wanted / mostIntervalsOf(intervalMs))));
  const lengthMs = intervalMs * 2 ** doublings;
  const steps = Math.min(LIMITS.stepNames.most, stepsOf(request));
  const growth = 1 + GROWTH * Math.max(0, Math.log2(lengthMs / DEFAULT_INTERVAL_MS));
  const intervals = Math.ceil(wanted / 2 ** doublings);
  const messages = messagesIn(request) * MESSAGES_BYTES;
  return RUN_BYTES + steps * STEP_BYTES + messages + intervals * INTERVAL_BYTES * growth;
}

/**
 * How many times the results hold figures of messages: once for the run and, if the scenario has several requests, once
 * for each request with messages.
 */
function messagesIn(request: Scenario): number {
  const requests = requestsIn(request) ?? [request];
  const holding =
    requests.filter((one) => MESSAGE_KEYS.some((key) => Reflect.get(one, key) !== undefined))
      .length;
  if (holding === 0) return 0;
  return 1 + (requests.length > 1 ? Math.min(LIMITS.stepNames.most, holding) : 0);
}

/** Number of requests that have figures of their own; 0 for a scenario that is a single request. */
function stepsOf(request: Scenario): number {
  return "page" in request ? 1 + request.with.length : requestsIn(request)?.length ?? 0;
}

/** The requests of a scenario; null for a single request or a page. */
function requestsIn(request: Scenario): readonly object[] | null {
  if ("flow" in request) return request.flow;
  return "mix" in request ? request.mix : null;
}

/**
 * Throws a UserError if the results of all runs would be too large to be read. @param times Number of runs of each
 * cell.
 */
export function checkResultSize(
  cells: readonly SizedCell[],
  { times, intervalMs }: { readonly times: number; readonly intervalMs: number },
): void {
  const bytes = times * cells.reduce((sum, cell) => sum + bytesOfRun(cell, intervalMs), 0);
  if (isWithin("plannedResults", bytes)) return;
  const runs = times * cells.length;
  const most = Math.floor(runs * LIMITS.plannedResults.most / bytes);
  throw new UserError([{
    place: "plan",
    message: `Cannot run this: the results of ${groupsOfThree(runs)} runs would take about ` +
      `${sizeText(bytes)}, and files of more than ${
        mostOf("plannedResults")
      } may be too large to be read back`,
    fix: most > 0
      ? `split the experiment into several of at most ${
        groupsOfThree(most)
      } runs each, or use a longer interval`
      : "use a longer interval",
  }]);
}
