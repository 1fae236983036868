/** What shows that the generator was the limit: it was never idle, came late, or reached what it can. */
import {
  busiestOf,
  type Case,
  counted,
  type Finding,
  harmlessDelay,
  levelOf,
  type Limits,
  millis,
  occupiedShare,
  percent,
} from "./finding.ts";

/**
 * A worker that is idle waits for the target; one that never is keeps the target waiting. Beside servers
 * that are slower than it, it is occupied for up to 0.83 of the time, beside nginx for 0.93 (two cores).
 */
export const OCCUPIED: Limits = { suspect: 0.88, invalid: 0.97 };

/** From here on a worker was occupied because it waited for a core; a busy one by itself waits for 0.03 to 0.05. */
const MUCH_WAITING = 0.1;

/**
 * Share of what was due that a busy worker never sent. What falls due in the last moments is, now and
 * then, not sent any more by one that keeps up.
 */
const DROPPED: Limits = { suspect: 0.001, invalid: 0.01 };

/** A rate this near to the calibrated ceiling is the generator's, if it was about as busy as there. */
const NEAR_CEILING = 0.9;
const BUSY_AS_AT_CEILING = 0.75;

/** A request can wait for a connection no longer than some answers take, if half of them are free. */
const FREE_SHARE = 0.5;
const FEW_ANSWERS = 3;

/** Seconds. In less than this code is still being compiled, and the system's counters hardly move. */
const SHORTEST_S = 0.1;

export function tooShort({ run: { elapsedS } }: Case): Finding | null {
  if (elapsedS >= SHORTEST_S) return null;
  return {
    level: "suspect",
    cause: "too-short",
    reason:
      `The run took ${millis(elapsedS * 1_000)}: too short to tell whether the generator was ` +
      "the limit; make it longer, or ask for more requests.",
  };
}

/** Also of a run that is too short for anything else: what it was to measure is not there. */
export function heldFindings({ evidence: { ended = [], workers } }: Case): Finding[] {
  if (ended.length === 0) return [];
  const knownS = Number(
    (Math.max(...ended.map(({ knownUntil }) => knownUntil)) / 1_000).toFixed(2),
  );
  const them = ended.length === 1 ? "it" : "they";
  const what = knownS === 0
    ? `nothing that ${them} measured is known`
    : `what ${them} measured in the first ${knownS} s counts, what was in flight then is unfinished`;
  const reason =
    `Plateau ended ${ended.length} of ${counted(workers, "worker")} that did not end ` +
    `in time: ${what}. Look at what the target answers, and measure again.`;
  return [{ level: "invalid", cause: "worker-ended", reason }];
}

export function generatorFindings(given: Case): Finding[] {
  const checks = [dropped, occupied, nearCeiling, late, sentLate];
  return checks.flatMap((check) => check(given) ?? []);
}

function occupied(given: Case): Finding | null {
  const worker = busiestOf(given.evidence);
  const level = levelOf(occupiedShare(worker), OCCUPIED);
  if (level === null) return null;
  const waited = worker.waiting === null || worker.waiting < 0.02
    ? ""
    : ` and waited for one ${percent(worker.waiting)} of the time`;
  return {
    level,
    cause: (worker.waiting ?? 0) < MUCH_WAITING ? "generator-busy" : "shared-cores",
    reason:
      `The busiest worker used ${percent(worker.cpu - worker.spinning)} of a core${waited}: ` +
      `the generator ${level === "invalid" ? "was" : "may have been"} the limit, not the target; ` +
      `${moreGenerator(given)}.`,
  };
}

/** A flag of the one command, and a key of the file that the other reads. */
const MORE_WORKERS = "give it more workers (-w of bench, workers of a load)";

/** Another worker helps where there is a core for it. */
function moreGenerator({ evidence, sharesMachine }: Case): string {
  const { hostActivity: { cores }, workers } = evidence;
  const needed = workers + (sharesMachine ? 1 : 0);
  return cores !== null && cores <= needed
    ? "give it more cores, or a machine of its own"
    : `${MORE_WORKERS} or another machine`;
}

function dropped(given: Case): Finding | null {
  const { evidence, run: { requests } } = given;
  const level = levelOf(requests.dropped / Math.max(1, requests.due), DROPPED);
  const isBusy = levelOf(occupiedShare(busiestOf(evidence)), OCCUPIED) !== null;
  if (level === null || !isBusy) return null;
  return {
    level,
    cause: "requests-dropped",
    reason: `Of what was due ${counted(requests.dropped, "request")} could not be sent, as the ` +
      `busiest worker had no time: this rate is more than the generator can send here; lower it, or ` +
      `${moreGenerator(given)}.`,
  };
}

function nearCeiling(given: Case): Finding | null {
  const { evidence: { peakThroughput, workers }, evidence, run: { rate, load } } = given;
  if (peakThroughput === null || (load.kind === "closed" && load.pipeline > 1)) return null;
  const most = peakThroughput * workers;
  const isBusy = occupiedShare(busiestOf(evidence)) >= BUSY_AS_AT_CEILING;
  if (rate < NEAR_CEILING * most || !isBusy) return null;
  return {
    level: "suspect",
    cause: "near-ceiling",
    reason: `${counted(Math.round(rate), "request")}/s are ${percent(rate / most)} of what this ` +
      "generator reaches here against a server that does nothing: the target may be faster than it " +
      `could be asked; ${moreGenerator(given)}.`,
  };
}

/**
 * In a closed loop nothing is due but by the loop itself, and batches of answers are worked off one after the
 * other: p99 is up to 0.5 ms with 50 connections, 1.8 ms beside others. So more is forgiven there.
 */
const HARMLESS_CLOSED = { ms: 5, ofMedian: 0.25, hiccup: 30 };

/** From here on a worker comes late because it has much to do at times; whoever has less was stopped. */
const MUCH_TO_DO = 0.7;

/** A worker that was stopped, or that the system forgot, although it had time. */
function late({ evidence, run }: Case): Finding | null {
  const { delay } = evidence;
  const level = run.load.kind === "closed"
    ? levelOf(delay.p99, harmlessClosed(run))
    : levelOf(delay.p99, harmlessDelay(run));
  if (level === null) return null;
  const wasBusy = occupiedShare(busiestOf(evidence)) >= MUCH_TO_DO;
  const why = wasBusy ? "" : ", although it had time: something stopped it";
  return {
    level,
    cause: wasBusy ? "worker-late" : "worker-paused",
    reason: `A worker came up to ${millis(delay.p99)} late to what was due or ready (p99)${why}; ` +
      "the latencies include this delay of the generator. Lower the rate, end other programs, or " +
      "use another machine.",
  };
}

function harmlessClosed({ service, elapsedS }: Case["run"]): Limits {
  const { ms, ofMedian, hiccup } = HARMLESS_CLOSED;
  const suspect = Math.max(ms, ofMedian * service.percentiles["50"], hiccup / elapsedS);
  return { suspect, invalid: Math.max(4 * suspect, service.percentiles["50"]) };
}

/** Requests that were sent late although there were connections for them. */
function sentLate({ evidence: { lag, delay }, run }: Case): Finding | null {
  const { load, service, connect, rate } = run;
  if (load.kind !== "rate") return null;
  const { suspect } = harmlessDelay(run);
  if (lag.p99 < suspect || delay.p99 >= suspect) return null; // or it is told already
  const busyConnections = rate * service.mean / 1_000; // Little's law
  const explained = FEW_ANSWERS * (service.percentiles["99"] + connect.percentiles["99"]);
  if (busyConnections > FREE_SHARE * load.connections || lag.p99 < explained) return null;
  return {
    level: "suspect",
    cause: "sent-late",
    reason:
      `Requests were sent up to ${millis(lag.p99)} late (p99) although connections were free: ` +
      `the generator did not keep up; lower the rate, or ${MORE_WORKERS}.`,
  };
}
