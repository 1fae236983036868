/**
 * Merges the reports of workers into one `Measurement`, with all its figures. After every run, this also checks that
 * the counts add up: due = completed + failed + unfinished + dropped.
 */
import { bottleneckOf } from "../trust/bottleneck.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { mergeSlowest } from "../load/recording/slowest.ts";
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { Script } from "../../scenarios/request/script.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { WorkerReport } from "../load/worker/messages.ts";
import { ERRORS } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import { mergeHookUse } from "../result/hooks.ts";
import { mergeTls } from "../result/tls.ts";
import { inRunOf } from "../result/in_run.ts";
import { isChanging, warmupOf } from "../result/warmup.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import { mergeHistograms } from "../stats/histogram/histogram.ts";
import { perSecondOf } from "../stats/quantile.ts";
import { evidenceOf, type Stage } from "../trust/evidence.ts";
import { fleetStage, judgeFleet } from "../trust/fleet_trust.ts";
import { judge, judgedByResponses } from "../trust/judging.ts";
import { assembleAgents } from "./assemble_agents.ts";
import { callFigures } from "./calls.ts";
import { boundedDistributionOf, type BoundedTimes, clockOf, estimateOf } from "./bounded_times.ts";
import { rowUseOf } from "./row_use.ts";
import { stepFigures } from "./steps.ts";
import { messageFigures } from "./messages.ts";
import type { LoadedAgent } from "./loader.ts";
import type { Timeline } from "./timeline.ts";
import { timelinePoints } from "./timeline_points.ts";
import {
  breachOf,
  completedInTime,
  distributionOf,
  histogramsOf,
  reasonsOf,
  requestsOf,
  servedOf,
  serviceOf,
  statusOf,
  sumOf,
  timesOf,
} from "./totals.ts";

/** How the load was made and when it started, under the names that these facts have in the result. */
export type LoadDescription = Pick<
  Measurement,
  "version" | "url" | "driver" | "driverNote" | "load" | "loadStartedAt"
>;

/** A measurement before its generator is judged. */
type UnjudgedMeasurement = Omit<Measurement, "generator" | "agents" | "histogram" | "histograms">;

/** Facts about the load that its workers do not report. */
interface LoadContext {
  readonly timeline: Timeline;
  /** The requests that were sent. */
  readonly script: Script;
  /** Connections of each worker. */
  readonly connections: readonly number[];
  /** The conditions on this machine; each agent has its own. */
  readonly stage: Stage;
  /** Null if the load was made by this process alone. */
  readonly agents: readonly LoadedAgent[] | null;
  /** When the load was allowed to send, if it took turns with another load; absent: always. */
  readonly turns?: TurnsSpec;
}

export function assemble(
  description: LoadDescription,
  reports: readonly WorkerReport[],
  context: LoadContext,
): Measurement {
  const latency = context.timeline.latency();
  const measured = measuredOf(description, reports, { ...context, latency });
  const breach = breachOf(reports.map(({ totals }) => totals), {
    seconds: context.timeline.secondCompleted.reduce((sum, count) => sum + count, 0),
    values: latency.all.count,
    bounds: latency.censored.count,
  });
  if (breach !== null) throw new Error(`The measurement does not add up: ${breach}`);
  const judgement = judged(measured, reports, context);
  const histogram = encodeHistogram(latency.all);
  return openly({
    ...measured,
    ...judgement,
    bottleneck: bottleneckOf({ ...measured, ...judgement, histogram }),
    histogram,
    ...(latency.censored.count > 0 && { censoredHistogram: encodeHistogram(latency.censored) }),
    histograms: histogramsOf(reports),
  });
}

/** The measurement without secrets in texts from outside; all other texts are Plateau's own. */
function openly(measurement: Measurement): Measurement {
  const { url, slowest, agents } = measurement;
  return {
    ...measurement,
    url: withoutSecrets(url),
    ...slowest && {
      slowest: slowest.map(({ request, ...rest }) => ({
        ...rest,
        request: request && withoutSecrets(request),
      })),
    },
    ...agents && {
      agents: agents.map(({ lost, ...rest }) => ({
        ...rest,
        lost: lost && { ...lost, reason: withoutSecrets(lost.reason) },
      })),
    },
  };
}

/** How far the load generator can be trusted: agent by agent, if there are agents. */
function judged(
  run: UnjudgedMeasurement,
  reports: readonly WorkerReport[],
  context: LoadContext,
): Pick<Measurement, "generator" | "agents"> {
  const { agents, timeline } = context;
  const elapsedUs = elapsedUsOf(reports);
  if (agents === null) {
    // Between its turns, a worker is idle, so only the time of its turns counts.
    const loadedUs = context.turns ? new Turns(context.turns).loadedUs(elapsedUs) : elapsedUs;
    const evidence = evidenceOf(reports, loadedUs, context.stage);
    const { sharesMachine } = context.stage;
    const judgement = judge({ evidence, run, sharesMachine });
    const responded = { ...run, generator: evidence };
    return { generator: { ...evidence, ...judgedByResponses(responded, judgement) } };
  }
  const parts = assembleAgents(run, reports, { ...context, agents });
  const evidence = evidenceOf(reports, elapsedUs, fleetStage(agents));
  const judgement = judgedByResponses(
    { ...run, generator: evidence },
    judgeFleet(parts, timeline.intervalMs),
  );
  return { generator: { ...evidence, ...judgement }, agents: parts };
}

function elapsedUsOf(reports: readonly WorkerReport[]): number {
  return Math.max(...reports.map(({ elapsedUs }) => elapsedUs));
}

function measuredOf(
  description: LoadDescription,
  reports: readonly WorkerReport[],
  context: LoadContext & { readonly latency: BoundedTimes },
): UnjudgedMeasurement {
  const totals = reports.map((report) => report.totals);
  const sum = (of: (part: WorkerTotals) => number): number => sumOf(totals, of);
  const lastedUs = elapsedUsOf(reports);
  const elapsedUs = context.turns ? new Turns(context.turns).ownUs(lastedUs) : lastedUs;
  const elapsedS = elapsedUs / 1e6;
  const bytesIn = sum((part) => part.bytesIn);
  const clock = clockOf(description.load);
  const tls = mergeTls(reports.map((report) => report.tls));
  const hooks = mergeHookUse(reports.map((report) => report.hooks));
  const { intervals, intervalMs, secondCompleted, secondBytes } = context.timeline;
  const points = timelinePoints(intervals, { intervalMs, elapsedUs, clock });
  const timeline = { intervalS: intervalMs / 1_000, points };
  const perSec = (inTime: number): number => elapsedS > 0 ? inTime / elapsedS : 0;
  const isSteadyLoad = !isChanging(description.load);
  const warmup = isSteadyLoad ? warmupOf(timeline.points, timeline.intervalS) : null;
  const requests = requestsOf(totals);
  const times = latencyOf(totals, context.latency, clock);
  return {
    schema: "plateau.bench/2",
    ...description,
    ...tls && { tls },
    ...hooks && { hooks },
    ...rowUseOf(context.script, reports),
    elapsedS,
    requests,
    status: statusOf(totals),
    ...servedOf(totals, context.latency),
    ...stepFigures(totals, context.script.stepNames, { elapsedS, clock }),
    ...messageFigures(totals, { elapsedS, clock }),
    ...callFigures(totals),
    errors: Object.fromEntries(
      ERRORS.map((kind, index) => [kind, sum((part) => part.errors[index])]),
    ),
    reasons: reasonsOf(totals),
    checks: { passed: sum((part) => part.checksPassed), failed: sum((part) => part.checksFailed) },
    reconnects: sum((part) => part.reconnects),
    unsolicited: sum((part) => part.unsolicited),
    ...drainOf(totals),
    rate: perSec(completedInTime(totals)),
    bytes: {
      in: bytesIn,
      out: sum((part) => part.bytesOut),
      inPerSecond: perSec(bytesIn - sum(({ drain }) => drain.bytesIn)),
    },
    latency: times,
    service: serviceOf(totals),
    firstByte: timesOf(totals, "firstByte"),
    connect: timesOf(totals, "connect"),
    perSecond: {
      requests: perSecondOf(wholeSeconds(secondCompleted, elapsedS)),
      bytes: perSecondOf(wholeSeconds(secondBytes, elapsedS)),
    },
    timeline,
    warmup,
    ...isSteadyLoad && { inRun: inRunOf({ timeline, warmup, requests, latency: times }) },
    slowest: mergeSlowest(totals.map((part) => part.slowest), context.connections),
    sessions: reports.some(({ sessions }) => sessions.created > 0) ? sessionsOf(reports) : null,
  };
}

/**
 * The wait for requests in flight after the deadline; if two loads take turns, also the requests that ended outside the
 * measured parts of the turns. Absent if there was none of this.
 */
function drainOf(totals: readonly WorkerTotals[]): Pick<UnjudgedMeasurement, "drain"> {
  const us = Math.max(...totals.map(({ drain }) => drain.us));
  const completed = sumOf(totals, ({ drain }) => drain.completed);
  const failed = sumOf(totals, ({ drain }) => drain.failed);
  return us + completed + failed > 0
    ? { drain: { durationS: Math.round(us) / 1e6, completed, failed } }
    : {};
}

function latencyOf(
  totals: readonly WorkerTotals[],
  times: BoundedTimes,
  clock: UnjudgedMeasurement["latency"]["clock"],
): UnjudgedMeasurement["latency"] {
  const fastestUs = Math.min(...totals.map((part) => part.fastestUs));
  const hasNone = fastestUs === Infinity;
  return {
    clock,
    ...boundedDistributionOf(times, estimateOf(clock)),
    ...hasNone ? {} : { min: Math.round(fastestUs) / 1_000 }, // rounded to microseconds, like the other values
    censored: times.censored.count,
    fastest: hasNone ? 0 : fastestUs / 1_000,
  };
}

function sessionsOf(reports: readonly WorkerReport[]): Measurement["sessions"] {
  const sum = (of: (part: WorkerReport["sessions"]) => number): number =>
    reports.reduce((whole, { sessions }) => whole + of(sessions), 0);
  const created = sum((part) => part.created);
  const completed = sum((part) => part.completed);
  const failed = sum((part) => part.failed);
  const length = mergeHistograms(reports.map(({ sessions }) => sessions.length));
  const unfinished = created - completed - failed;
  return { created, completed, failed, unfinished, length: distributionOf(length) };
}

/** The counts of whole seconds: without the last one if it is incomplete. */
function wholeSeconds(counts: readonly number[], elapsedS: number): number[] {
  return Array.from({ length: Math.floor(elapsedS + 1e-9) }, (_, second) => counts[second] ?? 0);
}
