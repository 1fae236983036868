/**
 * The sentence for each finding, which states a verdict first and then its reason. Each is made only from the finding's
 * evidence. The terminal, page, markdown, JUnit and annotations all print these sentences.
 */
import type {
  Advice,
  Contention,
  FindingCode,
  FindingOf,
  TrustFinding,
} from "../../runner/result/findings.ts";
import { everyUnsettledText } from "./over_time.ts";
import { sum } from "../writing/spread.ts";
import { formatCount, formatNumber } from "../writing/units.ts";
import { capitalized, counted, wordsOf } from "../writing/words.ts";
import { noResponseText } from "./no_response.ts";

type Worded = { readonly [Code in FindingCode]: (finding: FindingOf<Code>) => string };

/** The sentence for each code, without its full stop. */
const SENTENCES: Worded = {
  "no-response": ({ evidence }) => noResponseText(evidence),
  "nothing-sent": ({ evidence: { elapsedS, delay } }) =>
    `The generator sent no request in ${seconds(elapsedS)}${
      delay > 0 ? `: a worker was held up for up to ${seconds(delay / 1_000)}` : ""
    }`,
  aborted: ({ evidence: { rule, beyond, ended, waiting = 0, afterS } }) =>
    `The load was ended after ${seconds(afterS)} by its rule "${rule}": ${formatCount(beyond)} of ${
      counted(ended + waiting, "request")
    } broke it${waiting > 0 ? `, of which ${formatCount(waiting)} had not ended` : ""}`,
  "worker-ended": ({ evidence: { ended, workers, knownUntil } }) =>
    `Plateau stopped ${ended} of ${counted(workers, "worker")} for not ending in time; ` +
    (knownUntil === 0
      ? `${ended === 1 ? "its" : "their"} results are lost`
      : `only results of the first ${
        seconds(knownUntil / 1_000)
      } count, and requests in flight at that moment count as unfinished`),
  throttled: ({ evidence: { throttled, elapsedS } }) =>
    `A CPU limit (cgroup) paused the generator for ${partText(throttled, elapsedS)}`,
  "target-throttled": ({ evidence: { throttled, elapsedS } }) =>
    `A CPU limit (cgroup) paused the target for ${
      partText(throttled, elapsedS)
    }: the figures include this limit`,
  "low-priority": ({ severity, evidence: { waiting, nice, ...others } }) =>
    `The target did not get the cores that it needed: at nice ${nice} it waited ${
      percent(waiting)
    } of its ` +
    `runnable time, and ${othersText(others)}${heldBackText(severity)}`,
  neighbour: ({ severity, evidence: { waiting, waiter, ...others } }) =>
    `The ${waiter} did not get the cores that it needed: ${
      waiter === "target" ? "it waited" : "its busiest worker waited"
    } ${percent(waiting)} of the time that it had work, and ${othersText(others)}${
      heldBackText(severity)
    }`,
  steal: ({ evidence: { steal } }) =>
    `The hypervisor gave ${percent(steal)} of the cores' time to other machines (steal)`,
  ports: ({ evidence: { failed } }) =>
    `${counted(failed, "request")} failed because this machine ran out of ports`,
  "open-files": ({ evidence: { failed } }) =>
    `${counted(failed, "request")} failed because this machine ran out of open files ` +
    "(each connection counts as one)",
  "shared-cores": ({ evidence: { cores, busy, waiting } }) =>
    `${
      cores === 1
        ? "The only core that Plateau may use was"
        : `All ${cores} cores that Plateau may use were`
    } ` +
    `busy (${percent(busy)})` +
    (waiting === null
      ? ""
      : `, and the busiest worker waited for a core ${percent(waiting)} of the time`),
  "crowded-core": ({ evidence }) =>
    `The system kept a worker on a busy core although others were free: it ${coreUse(evidence)}`,
  "generator-starved": limitText,
  "requests-dropped": ({ evidence: { dropped } }) =>
    `${counted(dropped, "scheduled request")} ${
      dropped === 1 ? "was" : "were"
    } never sent: the busiest worker was saturated`,
  "generator-busy": limitText,
  "near-peak-throughput": ({ evidence: { rate, peakThroughput } }) =>
    `The generator ran at ${percent(rate / peakThroughput)} of its own peak (${
      formatCount(Math.round(rate))
    } of ${
      formatCount(Math.round(peakThroughput))
    } requests/s), so the target may be faster than measured`,
  "worker-paused": ({ evidence: { delay } }) =>
    `The system paused a worker that was not busy: it was up to ${millis(delay)} late (p99), ` +
    "and the latencies include this generator delay",
  "worker-late": ({ evidence: { delay } }) =>
    `A worker was up to ${millis(delay)} late (p99) to send or read; the latencies include this ` +
    "generator delay",
  "sent-late": ({ evidence: { lag } }) =>
    `The generator did not keep up: requests were sent up to ${
      millis(lag)
    } late (p99) although connections were free`,
  connections: ({ evidence: { connections, busy, lag } }) =>
    `All ${formatCount(connections)} connections were busy (${
      formatNumber(busy)
    } on average), so requests ` +
    `waited ${millis(lag)} (p50) for a free one. The target never had more than ${
      formatCount(connections)
    } requests at once`,
  "near-baseline-latency": ({ evidence: { baselineLatency, latency } }) =>
    `Most of the latency comes from the generator and the kernel: p50 is ${
      millis(latency)
    }, and a server that does nothing takes ${millis(baselineLatency)}`,
  "coarse-clock": ({ evidence: { timer } }) =>
    `The clock has steps of ${millis(timer)}, so shorter times are unknown`,
  "too-short": ({ evidence: { elapsedS } }) =>
    `The run took ${millis(elapsedS * 1_000)}, too short to judge the generator`,
  unsteady: ({ evidence }) => {
    const text = everyUnsettledText(evidence);
    return `The run has no steady state${text && ` (${text})`}`;
  },
  "agent-lost": ({ evidence: { lastReportS, reason, unsent } }) =>
    `${
      lastReportS > 0
        ? `The agent's last report came ${seconds(lastReportS)} after the start`
        : "The agent sent no report after the start"
    } (${reason}); its later requests ${
      unsent === "unknown" ? "are in no figure" : "count as dropped"
    }`,
  "agents-apart": ({ evidence: { apart, interval, first, last } }) =>
    `The agents started up to ${
      millis(apart)
    } apart (${first} first, ${last} last), more than an ` +
    `interval of ${millis(interval)}, so the load was incomplete at first`,
  "clock-uncertain": ({ evidence: { agent, uncertainty, interval } }) =>
    `The clock of agent ${agent} is known only to ± ${millis(uncertainty)} (an interval is ${
      millis(interval)
    }), so intervals of the agents may not match`,
  "findings-omitted": ({ evidence: { omitted } }) =>
    `${counted(omitted, "more finding")} of agents ${omitted === 1 ? "is" : "are"} not listed here`,
  text: ({ evidence: { text } }) => text.replace(/\.$/, ""),
};

/**
 * The general meaning of each code, without the evidence of a particular run; docs/findings.md lists these for readers.
 */
export const MEANINGS: Readonly<Record<FindingCode, string>> = {
  "no-response": "No request got a response: nothing was measured",
  "nothing-sent": "The generator sent no request: nothing was measured",
  aborted: "A rule of `abortOn` ended the load early",
  "worker-ended": "A worker did not end in time and was stopped",
  throttled: "A CPU limit (cgroup) paused the generator",
  "target-throttled": "A CPU limit (cgroup) paused the target",
  "low-priority": "The target runs at a low priority beside other programs",
  neighbour: "Other programs took cores from the target or the generator",
  steal: "The hypervisor gave the cores to other machines",
  ports: "This machine ran out of ports",
  "open-files": "This machine ran out of open files",
  "shared-cores": "All cores were busy and the generator waited for one",
  "crowded-core": "A worker was kept on a busy core while others were free",
  "generator-starved": "The busiest worker waited for a core",
  "requests-dropped": "A saturated worker did not send all scheduled requests",
  "generator-busy": "The busiest worker had no time left",
  "near-peak-throughput": "The rate is near the generator's own peak",
  "worker-paused": "The system paused a worker that was not busy",
  "worker-late": "A worker was late to send or read",
  "sent-late": "Requests were sent late although connections were free",
  connections: "All connections were busy, so requests waited for one",
  "near-baseline-latency": "Most of the latency comes from the generator and the kernel",
  "coarse-clock": "The clock has coarse steps",
  "too-short": "The run is too short to judge the generator",
  unsteady: "The run has no steady state",
  "agent-lost": "An agent stopped reporting",
  "agents-apart": "The agents started more than an interval apart",
  "clock-uncertain": "An agent's clock is uncertain by more than an interval",
  "findings-omitted": "The agents have more findings than are listed for the run",
  text: "A sentence of a result file of version 1, kept as it is",
};

/** A sentence names at most this many agents and counts the rest. */
const MOST_NAMES = 8;

/** `agent a: The run took 12 ms, too short to judge the generator. Make the run longer.` */
export function findingSentence(finding: TrustFinding): string {
  return findingSentences([finding])[0];
}

/**
 * The sentences of findings that are listed together. An explanation that several of them need stands only after the
 * last of these, and so does the advice that findings of the same code have in common.
 */
export function findingSentences(findings: readonly TrustFinding[]): string[] {
  return findings.map((finding, i) => {
    const later = findings.slice(i + 1);
    const explanation = EXPLANATIONS[finding.code] ?? "";
    const advice = adviceSentence(finding.advice);
    const isExplained = later.some(({ code }) => EXPLANATIONS[code] === explanation);
    const isAdvised = later.some((one) =>
      one.code === finding.code && adviceSentence(one.advice) === advice
    );
    return [
      `${findingReason(finding)}.`,
      isExplained ? "" : explanation,
      isAdvised ? "" : advice,
    ].filter(Boolean).join(" ");
  });
}

/** A finding's reason: its sentence without explanation, advice and full stop, for use within another sentence. */
export function findingReason(finding: TrustFinding): string {
  const { agents } = finding;
  const prefix = agents === undefined ? "" : `${agentNames(agents)}: `;
  return prefix + wordsOf(SENTENCES, finding.code, finding);
}

/** `agent a`, `agents a, b, c and 97 more` */
function agentNames(names: readonly string[]): string {
  if (names.length === 1) return `agent ${names[0]}`;
  const left = names.length - MOST_NAMES;
  return `agents ${names.slice(0, MOST_NAMES).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

const NOT_STARTED =
  "Programs that Plateau did not start, such as the target's database, count as other programs.";

/** What a reader needs to know to understand the reason, whatever the evidence. */
const EXPLANATIONS: Readonly<Partial<Record<FindingCode, string>>> = {
  "low-priority": NOT_STARTED,
  neighbour: NOT_STARTED,
};

/**
 * Unnamed processes are mentioned only if they used at least this many cores, because interrupts and wake-ups alone
 * account for up to 0.16.
 */
const LEAST_UNNAMED_CORES = 0.2;

/** `other programs used 1.6 cores (stress, PID 4711: 0.91; smaller or short-lived programs: 0.69)` */
function othersText({ others, busiest }: Contention): string {
  const cores = Number(others.toPrecision(2));
  const unnamed = others - sum(busiest, (each) => each.cores);
  const names = busiest.map(({ name, pid, cores }) =>
    `${name}${pid === undefined ? "" : `, PID ${pid}`}: ${Number(cores.toPrecision(2))}`
  );
  const all = names.length === 0 || unnamed < LEAST_UNNAMED_CORES
    ? names
    : [...names, `smaller or short-lived programs: ${Number(unnamed.toPrecision(2))}`];
  return `other programs used ${cores} ${cores === 1 ? "core" : "cores"}${
    all.length === 0 ? "" : ` (${all.join("; ")})`
  }`;
}

/**
 * Contention by other programs makes a run suspect. The run is invalid only if the generator was held back as well,
 * which this clause states.
 */
function heldBackText(severity: TrustFinding["severity"]): string {
  return severity === "invalid"
    ? "; they held the generator back so much that the figures are not those of the target"
    : "";
}

function limitText(
  { severity, evidence }: FindingOf<"generator-busy" | "generator-starved">,
): string {
  return `The generator ${severity === "invalid" ? "was" : "may have been"} the limit, not the ` +
    `target: its busiest worker ${coreUse(evidence)}`;
}

/** The least share of time spent waiting for a core that is stated. Shorter waits are ordinary wake-ups. */
const LEAST_WAITING = 0.02;

/** `used 93 % of a core and waited for a core 2.5 % of the time` */
function coreUse({ cpu, waiting }: FindingOf<"generator-busy">["evidence"]): string {
  const waited = waiting === null || waiting < LEAST_WAITING
    ? ""
    : ` and waited for a core ${percent(waiting)} of the time`;
  return `used ${percent(cpu)} of a core${waited}`;
}

/** `97 %` */
function percent(share: number): string {
  return `${share < 0.1 ? Math.round(share * 1_000) / 10 : Math.round(share * 100)} %`;
}

/** `1.5 ms`, `12.3 s` */
function millis(ms: number): string {
  return ms < 1_000 ? `${Number(ms.toPrecision(2))} ms` : seconds(ms / 1_000);
}

/** `12.3 of 30 s`, `120 ms of 30 s` */
function partText(ms: number, ofS: number): string {
  return ms < 1_000
    ? `${millis(ms)} of ${seconds(ofS)}`
    : `${inSeconds(ms / 1_000)} of ${seconds(ofS)}`;
}

/** `1.25 s` */
function seconds(value: number): string {
  return `${inSeconds(value)} s`;
}

function inSeconds(value: number): number {
  return Number(value.toFixed(value < 10 ? 2 : 1));
}

/** Advice by code. Each text is a clause that begins a sentence, or follows `, or ` or `next: `. */
export const ADVICE: Readonly<Record<Advice, string>> = {
  "check-target": "check that the target runs and is reachable",
  "check-responses": "check the responses of the target",
  "check-agent": "check the log of the agent",
  "check-late-agents": "check the load on the machines of the late agents",
  "see-agents": "read the findings of each agent in the results",
  "more-workers":
    "give the generator more workers (-w of plateau bench, or `workers` of an experiment's load)",
  "more-generator-cores": "give the generator more cores",
  "own-machine": "run the generator on its own machine (plateau agent there, --agents here)",
  "other-machine": "use another machine",
  "larger-machine": "use a larger machine",
  "separate-cores": "give target and generator separate cores (`pin` of an experiment)",
  "stop-other-programs":
    "stop other programs (plateau doctor names them) or measure when they are idle",
  "raise-priority": "give the target normal priority",
  "raise-cpu-limit": "raise or lift the CPU limit",
  "repeat-run": "repeat the run",
  "own-host": "use a host that no one else uses",
  "reuse-connections":
    "keep connections alive, use fewer of them, or widen net.ipv4.ip_local_port_range",
  "raise-open-files": "raise the limit with ulimit -n, or use fewer connections",
  "more-connections":
    "add connections (-c of plateau bench, or `connections` of an experiment's load)",
  "lower-rate": "lower the rate",
  "lower-speed": "replay more slowly",
  "fewer-arrivals": "let fewer virtual users arrive (`arrivals` of the phases of the load)",
  "fewer-connections":
    "use fewer connections (-c of plateau bench, or `connections` of an experiment's load)",
  "longer-run": "make the run longer",
  "inspect-timeline": "inspect the timeline",
  "compare-differences": "compare targets by the difference of their latencies, not by the ratio",
  "heavier-requests": "send requests that take the target more time",
  "nearer-redis": "use a Redis closer to the agents",
};

/**
 * Example: `Give the generator more cores, or run the generator on its own machine.` Returns "" if there is no advice.
 */
export function adviceSentence(advice: readonly Advice[]): string {
  const text = advice.map((one) => ADVICE[one]).join(", or ");
  return text && `${capitalized(text)}.`;
}
