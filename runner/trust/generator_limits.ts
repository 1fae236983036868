/** Signs that the generator was the limit: it was never idle, sent late, or reached its own peak throughput. */
import type { TrustFinding } from "../result/findings.ts";
import { arePaced } from "../result/messages.ts";
import { adviceFor } from "./advice.ts";
import {
  busiestOf,
  type Case,
  harmlessDelay,
  type Limits,
  medianWait,
  occupiedShare,
  severityOf,
} from "./evidence.ts";

/**
 * A worker that is sometimes idle waits for the target; a worker that is never idle keeps the target waiting. Beside
 * servers that are slower than the worker, it is occupied for up to 0.83 of the time, beside nginx for 0.93 (two
 * cores).
 */
export const OCCUPIED: Limits = { suspect: 0.88, invalid: 0.97 };

/**
 * From this share of the time on, waiting for a core is what kept a worker occupied. Even without other programs, a
 * busy worker waits for 0.03 to 0.05 of the time.
 */
const MUCH_WAITING = 0.1;

/**
 * Share of the due requests that a busy worker never sent. Even a worker that keeps up may not send a request that
 * falls due in the last moments.
 */
const DROPPED: Limits = { suspect: 0.001, invalid: 0.01 };

/**
 * A rate above this share of the calibrated peak throughput is limited by the generator, if its workers were about as
 * busy as at that peak.
 */
const NEAR_PEAK = 0.9;
const BUSY_AS_AT_PEAK = 0.75;

/** If half of the connections are free, a request never waits for one longer than some responses take. */
const FREE_SHARE = 0.5;
const FEW_RESPONSES = 3;

/** Seconds. In a shorter run, code is still being compiled, and the system's counters hardly move. */
const SHORTEST_S = 0.1;

export function tooShort({ run: { elapsedS } }: Case): TrustFinding | null {
  if (elapsedS >= SHORTEST_S) return null;
  return { code: "too-short", severity: "suspect", evidence: { elapsedS }, advice: ["longer-run"] };
}

/**
 * Findings about workers that were stopped; made even for a run that is too short for any other finding, because its
 * results are incomplete.
 */
export function endedWorkerFindings(
  { evidence: { ended = [], workers } }: Case,
): TrustFinding[] {
  if (ended.length === 0) return [];
  const knownUntil = Math.max(...ended.map(({ knownUntil }) => knownUntil));
  return [{
    code: "worker-ended",
    severity: "invalid",
    evidence: { ended: ended.length, workers, knownUntil },
    advice: ["check-responses", "repeat-run"],
  }];
}

export function generatorFindings(given: Case): TrustFinding[] {
  const checks = [dropped, occupied, nearPeak, late, sentLate];
  return checks.flatMap((check) => check(given) ?? []);
}

function occupied(given: Case): TrustFinding | null {
  const { cpu, spinning, waiting } = busiestOf(given.evidence);
  const severity = severityOf(occupiedShare(busiestOf(given.evidence)), OCCUPIED);
  if (severity === null) return null;
  const code = (waiting ?? 0) < MUCH_WAITING ? "generator-busy" : "generator-starved";
  const evidence = { cpu: Math.max(0, cpu - spinning), waiting };
  return { code, severity, evidence, advice: adviceFor(["more-generator"], given) };
}

function dropped(given: Case): TrustFinding | null {
  const { evidence, run: { requests: { due, dropped } } } = given;
  const severity = severityOf(dropped / Math.max(1, due), DROPPED);
  const isBusy = severityOf(occupiedShare(busiestOf(evidence)), OCCUPIED) !== null;
  if (severity === null || !isBusy) return null;
  const advice = adviceFor(["less-load", "more-generator"], given);
  return { code: "requests-dropped", severity, evidence: { dropped, due }, advice };
}

function nearPeak(given: Case): TrustFinding | null {
  const { evidence, run: { rate, load } } = given;
  const { peakThroughput, workers } = evidence;
  if (peakThroughput === null || (load.kind === "closed" && load.pipeline > 1)) return null;
  const ofAll = peakThroughput * workers;
  const isBusy = occupiedShare(busiestOf(evidence)) >= BUSY_AS_AT_PEAK;
  if (rate < NEAR_PEAK * ofAll || !isBusy) return null;
  return {
    code: "near-peak-throughput",
    severity: "suspect",
    evidence: { rate, peakThroughput: ofAll },
    advice: adviceFor(["more-generator"], given),
  };
}

/**
 * Higher limits for a closed loop, in which only the loop itself makes requests due, and batches of responses are
 * handled one after the other: p99 is up to 0.5 ms with 50 connections, 1.8 ms beside other programs.
 */
const HARMLESS_CLOSED = { ms: 5, ofMedian: 0.25, hiccup: 30 };

/** From this busy share on, a late worker had too much to do at times; a worker with less work was paused. */
const MUCH_TO_DO = 0.7;

/** A finding if a worker was paused, or not scheduled, although it had time. */
function late(given: Case): TrustFinding | null {
  const { evidence, run } = given;
  const { delay: { p99 } } = evidence;
  const isPaced = run.load.kind !== "closed" || arePaced(run.sockets);
  const limits = isPaced ? harmlessDelay(run) : harmlessClosed(run);
  const severity = severityOf(p99, limits);
  if (severity === null) return null;
  const wasBusy = occupiedShare(busiestOf(evidence)) >= MUCH_TO_DO;
  return {
    code: wasBusy ? "worker-late" : "worker-paused",
    severity,
    evidence: { delay: p99 },
    advice: adviceFor(["less-load", "stop-other-programs", "other-machine"], given),
  };
}

function harmlessClosed(run: Case["run"]): Limits {
  const { ms, ofMedian, hiccup } = HARMLESS_CLOSED;
  const median = medianWait(run);
  const suspect = Math.max(ms, ofMedian * median, hiccup / run.elapsedS);
  return { suspect, invalid: Math.max(4 * suspect, median) };
}

/** A finding if requests were sent late although connections were free for them. */
function sentLate(given: Case): TrustFinding | null {
  const { evidence: { lag, delay }, run } = given;
  const { load, service, connect, rate } = run;
  if (load.kind !== "rate") return null;
  const { suspect } = harmlessDelay(run);
  if (lag.p99 < suspect || delay.p99 >= suspect) return null; // the worker's own delay is reported by another finding
  const busyConnections = rate * service.mean / 1_000; // Little's law
  const explained = FEW_RESPONSES * (service.percentiles["99"] + connect.percentiles["99"]);
  if (busyConnections > FREE_SHARE * load.connections || lag.p99 < explained) return null;
  return {
    code: "sent-late",
    severity: "suspect",
    evidence: { lag: lag.p99 },
    advice: adviceFor(["less-load", "more-generator"], given),
  };
}
