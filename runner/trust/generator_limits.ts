/**
 * Signs that the generator was the limit: it was never idle, sent requests late, or reached its own peak throughput.
 */
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
 * Share of the time for which the busiest worker is occupied. A worker that is sometimes idle waits for the target; one
 * that is never idle keeps the target waiting. Measured on two cores: up to 0.83 with servers that are slower than the
 * worker, and 0.93 with nginx.
 */
export const OCCUPIED: Limits = { suspect: 0.88, invalid: 0.97 };

/**
 * If a worker spent at least this share of the time waiting for a core, that wait is what kept it occupied. Even
 * without other programs, a busy worker waits for 0.03 to 0.05 of the time.
 */
const MUCH_WAITING = 0.1;

/**
 * Share of the due requests that a busy worker never sent. It may exceed 0 even if the worker keeps up, because
 * requests that fall due in the last moments may not be sent.
 */
const DROPPED: Limits = { suspect: 0.001, invalid: 0.01 };

/**
 * If the rate exceeds this share of the calibrated peak throughput, the generator limits it, unless the workers were
 * clearly less busy than at that peak.
 */
const NEAR_PEAK = 0.9;
const BUSY_AS_AT_PEAK = 0.75;

/**
 * If at least this share of the connections is free, no request waits for one longer than a few responses take, so a
 * longer lag is the generator's own.
 */
const FREE_SHARE = 0.5;
const FEW_RESPONSES = 3;

/** Seconds. In a shorter run, code is still being compiled, and the system's counters hardly advance. */
const SHORTEST_S = 0.1;

export function tooShort({ run: { elapsedS } }: Case): TrustFinding | null {
  if (elapsedS >= SHORTEST_S) return null;
  return { code: "too-short", severity: "suspect", evidence: { elapsedS }, advice: ["longer-run"] };
}

/**
 * Findings about workers that had to be stopped. They are made even for a run that is too short for most other
 * findings, because its results are incomplete.
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
 * Harmless p99 delays in a closed loop. They are higher than for scheduled sends, because requests become due only when
 * the loop handles responses, and it handles a batch of them one after the other. The p99 is up to 0.5 ms with 50
 * connections, and 1.8 ms beside other programs.
 */
const HARMLESS_CLOSED = { ms: 5, ofMedian: 0.25, hiccup: 30 };

/**
 * A late worker that was occupied for at least this share of the time had too much to do at times; one with less work
 * was paused.
 */
const MUCH_TO_DO = 0.7;

/** A finding if a worker was late, because it was paused or because it had too much to do at times. */
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

/**
 * A finding for a load of kind `rate` if requests were sent late although connections were free and the worker itself
 * was not late.
 */
function sentLate(given: Case): TrustFinding | null {
  const { evidence: { lag, delay }, run } = given;
  const { load, service, connect, rate } = run;
  if (load.kind !== "rate") return null;
  const { suspect } = harmlessDelay(run);
  // Another finding reports the worker's own delay.
  if (lag.p99 < suspect || delay.p99 >= suspect) return null;
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
