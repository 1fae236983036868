/**
 * What a fleet of agents would have told of one run, made from a seed with the workers' own recorder, and
 * assembled as a run's measurement is.
 */
import { assemble, type LoadDescription } from "../../runner/measure/assemble.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { WorkerReport } from "../../runner/load/worker/messages.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import type { LoadedAgent } from "../../runner/measure/loader.ts";
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { Timeline } from "../../runner/measure/timeline.ts";
import { randomFrom } from "./intervals.ts";

export interface AgentSpec {
  readonly name: string;
  /** Median service time, without the network. */
  readonly medianMs?: number;
  /** Round trip to the target. */
  readonly networkMs?: number;
  /** Share of a core that its workers use. */
  readonly cpu?: number;
  readonly workers?: number;
  /** Seconds after the start; absent: it finished. */
  readonly lostAt?: number;
  readonly late?: number | null;
  readonly uncertaintyMs?: number;
  /** Share of what was due to it that it never sent (open loop). */
  readonly droppedRatio?: number;
  readonly ceiling?: number;
}

export interface FleetSpec {
  readonly agents: readonly AgentSpec[];
  /** Arrivals per second of the whole; absent: a closed loop. */
  readonly rate?: number;
  readonly seconds?: number;
  readonly seed?: number;
}

const SLOTS = 8;
const INTERVAL_MS = 250;

export function fleetMeasurement(spec: FleetSpec): Measurement {
  const { seconds = 2, seed = 7, rate } = spec;
  const random = randomFrom(seed);
  const timeline = new Timeline(INTERVAL_MS);
  const agents = loadedAgents(spec.agents);
  const workers = agents.reduce((sum, { workers }) => sum + workers, 0);
  timeline.setReportingWorkers(workers);
  const reports = spec.agents.flatMap((agent, i) =>
    Array.from({ length: agents[i].workers }, (_, own) =>
      workerReport(agent, {
        seconds,
        random,
        ratePerSec: rate === undefined ? null : rate / workers,
        onInterval: (part) => void timeline.add(agents[i].firstWorker + own, part),
      }))
  );
  const connections = reports.map(() => SLOTS);
  const script = { kind: "requests" as const, stepNames: [], requests: [], sequence: [] };
  const told = { timeline, script, connections, agents, stage: agents[0].stage };
  return measurement.parse(assemble(askedOf(spec, SLOTS * workers), reports, told));
}

function askedOf({ rate, seconds = 2 }: FleetSpec, connections: number): LoadDescription {
  const any = { connections, keepAlive: true, timeout: 5_000, durationS: seconds };
  return {
    version: "0.1.0",
    url: "http://10.0.0.2:8080/static",
    driver: "epoll",
    load: rate === undefined
      ? { kind: "closed", pipeline: 1, requests: null, ...any }
      : { kind: "rate", rate, arrivals: "uniform", seed: 1, ...any },
  };
}

function loadedAgents(specs: readonly AgentSpec[]): LoadedAgent[] {
  let firstWorker = 0;
  return specs.map((spec, i) => {
    const { name, workers = 2, lostAt, late = 0.2 + i / 10, uncertaintyMs = 0.15, ceiling } = spec;
    const calibration = ceiling === undefined
      ? null
      : { peakThroughput: ceiling, baselineLatency: 0.02 };
    const agent: LoadedAgent = {
      ...{ name, host: `host-${name}`, driver: "epoll", firstWorker, workers },
      stage: {
        hostActivity: { cores: 4, busy: 0.4, steal: 0, throttled: null },
        calibration,
        sharesMachine: false,
      },
      clock: { offsetMs: 12.5 * i, uncertaintyMs },
      startedLateMs: late,
      lost: lostAt === undefined
        ? null
        : { afterMs: lostAt * 1_000, reason: "killed, cut off or stalled" },
    };
    firstWorker += workers;
    return agent;
  });
}

interface Share {
  readonly seconds: number;
  readonly random: () => number;
  /** Null in a closed loop. */
  readonly ratePerSec: number | null;
  readonly onInterval: (part: IntervalPart) => void;
}

interface Exchange {
  readonly dueUs: number;
  readonly doneUs: number;
}

function workerReport(agent: AgentSpec, share: Share): WorkerReport {
  const recorder = new Recorder(INTERVAL_MS * 1_000, share.onInterval);
  const lastUs = (agent.lostAt ?? share.seconds) * 1e6;
  const { networkMs = 0.1 } = agent;
  for (let i = 0; i < SLOTS; i++) recorder.connected((networkMs + 0.02 * share.random()) * 1_000);
  const due = share.ratePerSec === null
    ? closedLoop(agent, lastUs, share.random)
    : openLoop(agent, share.ratePerSec * lastUs / 1e6, { lastUs, random: share.random });
  recorder.due = due.length;
  const done = due.filter(({ doneUs }) => doneUs < lastUs).sort((a, b) => a.doneUs - b.doneUs);
  for (const { dueUs, doneUs } of done) {
    if (share.ratePerSec !== null) recorder.sent(20);
    recorder.complete(0, 200, dueUs, dueUs, doneUs - 5, doneUs);
    recorder.received(180, doneUs);
  }
  recorder.seal(lastUs);
  for (let i = droppedOf(agent, share); i > 0; i--) recorder.drop(0, 0, lastUs);
  for (const { dueUs, doneUs } of due) {
    if (doneUs >= lastUs) recorder.leaveUnfinished(0, 0, dueUs, dueUs, lastUs);
  }
  return {
    totals: recorder.finish(lastUs),
    sessions: new SessionRecorder().totals(),
    elapsedUs: share.seconds * 1e6,
    time: { cpuUs: (agent.cpu ?? 0.5) * share.seconds * 1e6, waitedUs: 0 },
    spunUs: 0,
    busyPeriods: new Histogram().toSparse(),
    timerUs: 0.1,
  };
}

function serviceUs({ medianMs = 0.5, networkMs = 0.1 }: AgentSpec, random: () => number): number {
  return (networkMs + medianMs * (0.8 + 0.4 * random())) * 1_000;
}

function closedLoop(agent: AgentSpec, lastUs: number, random: () => number): Exchange[] {
  return Array.from({ length: SLOTS }).flatMap(() => {
    const exchanges: Exchange[] = [];
    for (let atUs = 0; atUs < lastUs;) {
      const doneUs = atUs + serviceUs(agent, random);
      exchanges.push({ dueUs: atUs, doneUs });
      atUs = doneUs;
    }
    return exchanges;
  });
}

function openLoop(
  agent: AgentSpec,
  count: number,
  { lastUs, random }: { readonly lastUs: number; readonly random: () => number },
): Exchange[] {
  const sent = Math.round(count * (1 - (agent.droppedRatio ?? 0)));
  return Array.from({ length: sent }, (_, i) => {
    const dueUs = i / sent * lastUs;
    return { dueUs, doneUs: dueUs + serviceUs(agent, random) };
  });
}

/** Of an open loop: what the agent was too late for, and what it had still to send when it was lost. */
function droppedOf({ droppedRatio = 0, lostAt }: AgentSpec, share: Share): number {
  const { ratePerSec, seconds } = share;
  if (ratePerSec === null) return 0;
  const heard = Math.round(ratePerSec * (lostAt ?? seconds));
  return heard - Math.round(heard * (1 - droppedRatio)) + Math.round(ratePerSec * seconds) - heard;
}
