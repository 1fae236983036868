/**
 * Decides whether a run measured the target, rather than the generator or the machine, from the evidence alone. The
 * worst finding decides. Pure.
 */
import { protocolFailures } from "../../base/http/reason.ts";
import { FINDING_CODES, type FindingCode, type TrustFinding } from "../result/findings.ts";
import type { Generator } from "../result/generator.ts";
import { isUnanswered } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import type { Case } from "./evidence.ts";
import { endedWorkerFindings, generatorFindings, tooShort } from "./generator_limits.ts";
import { machineFindings, shortageFindings } from "./machine_limits.ts";
import { targetFindings } from "./target_limits.ts";

export type TrustJudgement = Pick<Generator, "trust" | "findings">;

/** Judges a run. Findings are sorted by severity, the worst first, and then with causes before effects. */
export function judge(given: Case): TrustJudgement {
  const short = tooShort(given);
  const found = short === null
    ? withoutSymptoms([
      ...generatorFindings(given),
      ...machineFindings(given),
      ...targetFindings(given),
      ...shortageFindings(given),
    ])
    : [short, ...shortageFindings(given)]; // in so short a run, the other checks mean nothing
  const all = [...endedWorkerFindings(given), ...found, ...steadinessFindings(given, found)];
  const findings = [...of("invalid", all), ...of("suspect", all)];
  return { trust: findings[0]?.severity ?? "valid", findings };
}

type RespondedRun = Pick<Measurement, "requests" | "errors" | "reasons" | "bytes" | "elapsedS"> & {
  readonly agents?: readonly { readonly name: string }[];
  readonly generator: Pick<Generator, "delay">;
  readonly load: Pick<Measurement["load"], "timeout">;
  readonly streams?: Pick<NonNullable<Measurement["streams"]>, "events">;
  readonly sockets?: Pick<NonNullable<Measurement["sockets"]>, "received">;
};

/**
 * Judges a run again by its responses. A run without any response has measured nothing, however well the generator
 * worked.
 */
export function judgedByResponses(
  run: RespondedRun,
  { trust, findings }: TrustJudgement,
): TrustJudgement {
  if (!isUnanswered(run)) return { trust, findings };
  if (hasSentNothing(run, findings)) {
    return { trust: "invalid", findings: [nothingSent(run, findings), ...findings] };
  }
  const { requests: { due, unfinished, dropped }, errors, reasons, load: { timeout } } = run;
  const protocol = protocolFailures(errors.protocol ?? 0, reasons);
  const silent: TrustFinding = {
    code: "no-response",
    severity: "invalid",
    evidence: {
      ...{ due, errors, unfinished, dropped, timeout },
      ...Object.keys(protocol).length > 0 && { protocol },
    },
    advice: ["check-target"],
  };
  return { trust: "invalid", findings: [silent, ...findings] };
}

/** A generator that sent nothing was held up if its longest delay was at least this share of the run. */
const HELD_UP = 0.5;
/**
 * Shorter delays are usual while a worker starts. They may also be most of a load that ended early because its server
 * can't be reached.
 */
const LEAST_HELD_UP_MS = 100;

/**
 * Whether the generator was held up before it could send, so that the run says nothing about the target. A generator
 * that is still dialling a silent target has sent nothing either, but was not held up.
 */
function hasSentNothing(run: RespondedRun, findings: readonly TrustFinding[]): boolean {
  const { requests: { failed }, bytes, elapsedS, generator: { delay } } = run;
  if (bytes.out > 0 || failed > 0) return false;
  const isHeldUp = delay.max >= Math.max(LEAST_HELD_UP_MS, HELD_UP * elapsedS * 1_000);
  return isHeldUp || areAllGone(run, findings);
}

/** Whether all workers stopped reporting, so that it is unknown how long they were held up. */
function areAllGone({ agents }: RespondedRun, findings: readonly TrustFinding[]): boolean {
  return findings.some((finding) =>
    finding.code === "worker-ended"
      ? finding.evidence.ended === finding.evidence.workers
      : finding.code === "agent-lost" && (finding.agents?.length ?? 0) >= (agents?.length ?? 1)
  );
}

function nothingSent(
  { elapsedS, generator: { delay } }: RespondedRun,
  findings: readonly TrustFinding[],
): TrustFinding {
  const isOfAgents = findings.some(({ agents }) => agents !== undefined);
  return {
    code: "nothing-sent",
    severity: "invalid",
    evidence: { elapsedS, delay: delay.max },
    advice: ["longer-run", isOfAgents ? "check-late-agents" : "stop-other-programs"],
  };
}

/**
 * Findings about a run without a steady state, whose figures describe a moment rather than the target. There are none
 * if the run is too short to be labelled, or if its load changes by design.
 */
function steadinessFindings(
  { run: { warmup } }: Case,
  found: readonly TrustFinding[],
): TrustFinding[] {
  if (warmup === null || warmup.label !== "no-steady-state") return [];
  const { unsettled = null, driftRatio, cyclePeriodS, freezes } = warmup;
  const evidence = {
    unsettled,
    ...driftRatio !== undefined && { driftRatio },
    ...cyclePeriodS !== undefined && { cyclePeriodS },
    ...freezes && { freezes },
  };
  const isDisturbed = found.some(({ code }) => DISTURBANCES.includes(code));
  const advice: TrustFinding["advice"] = isDisturbed
    ? ["inspect-timeline"]
    : ["longer-run", "inspect-timeline"];
  return [{ code: "unsteady", severity: "suspect", evidence, advice }];
}

/** Findings about other programs that take cores. While they do, a longer run would not settle either. */
const DISTURBANCES: readonly FindingCode[] = ["low-priority", "neighbour", "steal"];

function of(severity: TrustFinding["severity"], findings: readonly TrustFinding[]): TrustFinding[] {
  return findings.filter((finding) => finding.severity === severity)
    .sort((a, b) => FINDING_CODES.indexOf(a.code) - FINDING_CODES.indexOf(b.code));
}

const LATENESS: readonly FindingCode[] = [
  "shared-cores",
  "crowded-core",
  "generator-starved",
  "worker-paused",
  "worker-late",
  "sent-late",
];

/** Causes with their symptoms. A process that lacks cores or has too much to do is late. */
const SYMPTOMS: readonly (readonly [FindingCode, readonly FindingCode[]])[] = [
  ["throttled", LATENESS],
  ["low-priority", LATENESS],
  ["neighbour", LATENESS],
  ["requests-dropped", ["worker-late", "connections"]],
  ["generator-busy", ["worker-late", "connections"]],
];

/** Merges symptoms into the finding about their cause, because they only show how severe it is. */
function withoutSymptoms(findings: readonly TrustFinding[]): readonly TrustFinding[] {
  return SYMPTOMS.reduce((left, [code, symptoms]) => {
    const cause = left.find((finding) => finding.code === code);
    return cause === undefined || hardlyFelt(cause) ? left : merged(left, cause, symptoms);
  }, findings);
}

function merged(
  findings: readonly TrustFinding[],
  cause: TrustFinding,
  codes: readonly FindingCode[],
): TrustFinding[] {
  const isSymptom = (finding: TrustFinding): boolean =>
    codes.includes(finding.code) && !isTooLong(finding, cause);
  const isInvalid = findings.some((finding) =>
    isSymptom(finding) && finding.severity === "invalid"
  );
  return findings.filter((finding) => !isSymptom(finding)).map((finding) =>
    finding === cause && isInvalid ? { ...finding, severity: "invalid" } : finding
  );
}

/** Whether a CPU limit was reached only for a moment, which explains few symptoms. */
function hardlyFelt({ code, severity }: TrustFinding): boolean {
  return code === "throttled" && severity === "suspect";
}

/**
 * Whether a pause is too long for its supposed cause. Threads that share a core alternate every few milliseconds, so
 * only a CPU limit explains a long pause.
 */
function isTooLong({ code, severity }: TrustFinding, of: TrustFinding): boolean {
  return code === "worker-paused" && severity === "invalid" && of.code !== "throttled";
}
