/**
 * Makes one load on one origin, and returns its `Measurement`. `bench` does this once, and `run` does it for every
 * planned run.
 */
import { replayScript, requestsOf, type Script, scriptOf } from "../../scenarios/request/script.ts";
import { AbortWatch } from "./abort_watch.ts";
import type { LoadDescription } from "./assemble.ts";
import { describeLoad } from "./described_load.ts";
import {
  type Loaded,
  type Loader,
  type LoadRequest,
  originsOfLoad,
  shownOrigin,
} from "./loader.ts";
import type { SliceTotals } from "../load/recording/slices.ts";
import { mergeTails, type TailRequest } from "../load/recording/tail.ts";
import type { FindingOf, TrustFinding } from "../result/findings.ts";
import type { LiveMessages, OnProgress } from "../result/progress.ts";
import type { Measurement } from "../result/result.ts";
import { Timeline, type WholeInterval } from "./timeline.ts";
import { VERSION } from "../../base/version.ts";
import { durationText } from "../../base/quantity.ts";
import { DEFAULT_INTERVAL_MS } from "../../base/intervals.ts";
import { durationMsOf } from "../../scenarios/load/load.ts";
import type { RequestScenario } from "../../scenarios/request/request_scenario.ts";
import type { Replay } from "../../scenarios/replay/schedule.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { Health, WorkerReport } from "../load/worker/messages.ts";
import { valueAtPercentile } from "../stats/histogram/histogram.ts";

interface LoadHooks {
  /** Makes the load. The caller closes the loader. */
  readonly loader: Loader;
  readonly onProgress: OnProgress;
  /** The load starts at this moment, milliseconds since the epoch. */
  readonly onStart?: (atMs: number) => void;
  /** Called if the first dial to finish in a worker of this process has failed. */
  readonly onUnreached?: () => void;
  /** Receives the slowest thousandth of all requests, slowest first, after the load. */
  readonly onTail?: (requests: readonly TailRequest[]) => void;
  /** Receives the slices of each worker after a load that took turns with another load. */
  readonly onSlices?: (slices: readonly SliceTotals[]) => void;
  /** Ends the load early; the measurement then covers the time until then. */
  readonly signal: AbortSignal;
}

export async function measureLoad(
  given: LoadRequest,
  { loader, onProgress, onStart = () => {}, onUnreached, onTail, onSlices, signal }: LoadHooks,
): Promise<Measurement> {
  const request = await withReadyCalls(given, signal);
  const { intervalMs } = request;
  const timeline = new Timeline(intervalMs);
  const live = new LiveFigures(request, onProgress, loader);
  const aborting = new AbortWatch(request, {
    inFlight: () => loader.inFlight?.() ?? [],
    seesAll: loader.live === undefined,
  });
  const report = (whole: WholeInterval): void => {
    live.report(whole);
    if (!signal.aborted) aborting.observe(whole);
  };
  let startMs: number | null = null;
  const loaded = await loader.load(request, {
    onNote: (text) => onProgress({ kind: "note", text }),
    onReady: (workers) => {
      live.count = workers;
      timeline.setReportingWorkers(workers);
    },
    onStart: (atMs) => {
      startMs = atMs;
      onStart(atMs);
    },
    onUnreached,
    onInterval: (worker, part, health) => {
      live.noteHealth(worker, health);
      const whole = timeline.add(worker, part);
      if (whole !== null) report(whole);
    },
    onReportingWorkers: (workers) => timeline.setReportingWorkers(workers).forEach(report),
    signal: AbortSignal.any([signal, aborting.signal]),
  });
  const { assemble } = await import("./assemble.ts"); // loaded after the measurement
  const { reports, connections, stage, agents } = loaded;
  onTail?.(tailOf(reports));
  onSlices?.(reports.flatMap(({ totals }) => totals.slices ?? []));
  if (timeline.isWidened && intervalMs !== DEFAULT_INTERVAL_MS) {
    onProgress({ kind: "note", text: widenedText(intervalMs, timeline) });
  }
  const { script, turns } = request;
  const context = { timeline, script, connections, stage, agents, turns };
  const measurement = assemble(describe(request, loaded, startMs), reports, context);
  return aborting.found === null ? measurement : abortedBy(aborting.found, measurement);
}

/** The request with its gRPC calls encoded. Their code is loaded only if there are any. */
async function withReadyCalls(request: LoadRequest, signal: AbortSignal): Promise<LoadRequest> {
  const { script, load: { timeout: timeoutMs } } = request;
  if (requestsOf(script).every(({ call }) => call === undefined)) return request;
  const { readyCalls, reflectOn } = await import("../grpc/ready_calls.ts");
  const reflect = reflectOn(originsOfLoad(request)[0], timeoutMs, signal);
  return { ...request, script: await readyCalls(script, { timeoutMs, reflect }) };
}

/**
 * The measurement of an aborted load, with a finding that makes it invalid: otherwise the target that fails fastest
 * would seem fastest.
 */
function abortedBy(
  evidence: FindingOf<"aborted">["evidence"],
  { generator, ...measurement }: Measurement,
): Measurement {
  const finding: TrustFinding = {
    code: "aborted",
    severity: "invalid",
    evidence,
    advice: [],
  };
  const findings = [finding, ...generator.findings];
  return { ...measurement, generator: { ...generator, trust: "invalid", findings } };
}

/** A note for a user who asked for shorter intervals than the timeline now has. */
function widenedText(intervalMs: number, timeline: Timeline): string {
  return `The timeline has intervals of ${durationText(timeline.intervalMs)} instead of ` +
    `${
      durationText(intervalMs)
    }, because a result with so many intervals would be too large to read`;
}

function tailOf(reports: readonly WorkerReport[]): TailRequest[] {
  const ended = ({ completed, failed, unfinished }: WorkerTotals): number =>
    completed + failed + unfinished;
  const requests = reports.reduce((sum, { totals }) => sum + ended(totals), 0);
  return mergeTails(reports.map(({ totals }) => totals.tail), requests);
}

/** The URL of the first request, as a user writes it. */
function urlOf(request: Pick<LoadRequest, "origin" | "script">): string {
  const [{ wire }] = requestsOf(request.script);
  return shownOrigin(request) + wire.path;
}

/** @param startMs Start of the load, milliseconds since the epoch; null if it did not start. */
function describe(
  request: LoadRequest,
  { driver, driverNote }: Loaded,
  startMs: number | null,
): LoadDescription {
  const { load, seed } = request;
  return {
    version: VERSION,
    url: urlOf(request),
    driver,
    ...(driverNote !== undefined && { driverNote }),
    load: describeLoad(load, seed),
    ...startMs !== null && { loadStartedAt: new Date(startMs).toISOString() },
  };
}

/** A load on one URL, in the manner of wrk and oha; the scenario has the path of `url`. */
export interface BenchRequest extends Omit<LoadRequest, "origin" | "script" | "implicitCheck"> {
  readonly url: URL;
  readonly scenario: RequestScenario;
  /** Requests and times that replace the scenario's; null: the scenario's own are used. */
  readonly replay?: Replay | null;
}

/** Measures `url`; on abort, returns the measurement so far. */
export async function measureUrl(
  { url, scenario, replay = null, ...request }: BenchRequest,
  hooks: LoadHooks,
): Promise<Measurement> {
  const script = replay ? replayScript(scenario, replay) : scriptOf(scenario, request.seed);
  return await measureLoad({
    ...request,
    script,
    origin: url.origin,
    implicitCheck: false,
  }, hooks);
}

/**
 * Which times the live view shows first. If every request brings messages, these are times of messages, because such
 * requests may last as long as the load; otherwise null, which stands for times of requests.
 */
function leadIn(script: Script): LiveMessages["lead"] {
  const requests = requestsOf(script);
  const holdMessages = requests.every(({ stream, call, socket }) =>
    socket !== undefined ||
    (call === undefined ? stream !== undefined : call.ready?.isUnary === false)
  );
  if (!holdMessages) return null;
  const areAnswered = requests.some(({ socket }) => socket && socket.answer !== "push");
  return areAnswered ? "message" : "gap";
}

/** Reports on a load while it runs, whenever an interval is complete. */
class LiveFigures {
  /** Number of workers in the load. */
  count = 0;
  /** The last health report of each worker. */
  readonly #healths = new Map<number, Health>();
  readonly #url: string;
  readonly #lead: LiveMessages["lead"];

  constructor(
    private readonly request: Pick<LoadRequest, "load" | "intervalMs" | "origin" | "script">,
    private readonly onProgress: OnProgress,
    private readonly loader: Pick<Loader, "live">,
  ) {
    this.#url = urlOf(request);
    this.#lead = leadIn(request.script);
  }

  noteHealth(worker: number, health: Health): void {
    this.#healths.set(worker, health);
  }

  report({ index, completed, failed, latency, completedSoFar, messages }: WholeInterval): void {
    const { load, intervalMs } = this.request;
    const perSec = (count: number): number => count / (intervalMs / 1_000);
    const healths = [...this.#healths.values()];
    this.onProgress({
      kind: "live",
      url: this.#url,
      elapsedMs: (index + 1) * intervalMs,
      durationMs: durationMsOf(load),
      ratePerSec: perSec(completed),
      p50Ms: valueAtPercentile(latency, 50) / 1_000,
      p99Ms: valueAtPercentile(latency, 99) / 1_000,
      failed,
      latency,
      ...messages !== undefined && {
        messages: { ...messages, perSec: perSec(messages.received), lead: this.#lead },
      },
      completed: completedSoFar,
      requests: load.kind === "closed" ? load.requests : null,
      workers: {
        count: this.count,
        cpuRatio: Math.max(...healths.map(({ cpuRatio }) => cpuRatio)),
        lateMs: Math.max(...healths.map(({ lateUs }) => lateUs)) / 1_000,
      },
      ...this.loader.live !== undefined && { agents: this.loader.live() },
    });
  }
}
