/**
 * Whether a run measured the target, or the generator or the machine: a pure function of the evidence.
 * Every finding says what was seen and what to do about it; the worst decides.
 */
import { type Cause, CAUSES, type Generator, type Trust } from "../generator.ts";
import type { Case, Finding } from "./finding.ts";
import { generatorFindings, tooShort } from "./generator_limits.ts";
import { machineFindings, shortageFindings } from "./machine_limits.ts";
import { targetFindings } from "./target_limits.ts";

export type Judgement = Required<Pick<Generator, "trust" | "reasons" | "causes">>;

/** Reasons come with the worst first, and causes before what they bring about. */
export function judge(given: Case): Judgement {
  const short = tooShort(given);
  const findings = short === null
    ? withoutSymptoms([
      ...generatorFindings(given),
      ...machineFindings(given),
      ...targetFindings(given),
      ...shortageFindings(given),
    ])
    : [short, ...shortageFindings(given)]; // shares of a moment say nothing
  const ordered = [...of("invalid", findings), ...of("suspect", findings)];
  const trust: Trust = ordered[0]?.level ?? "valid";
  return {
    trust,
    reasons: ordered.map(({ reason }) => reason),
    causes: ordered.map(({ cause }) => cause),
  };
}

function of(level: Finding["level"], findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.level === level)
    .sort((a, b) => CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause));
}

const SYMPTOMS: readonly Cause[] = ["shared-cores", "worker-paused", "worker-late", "sent-late"];

/**
 * Who lacks cores waits for them and comes late. Where the cause is known, that is not another reason: it only
 * says how bad the cause is.
 */
function withoutSymptoms(findings: readonly Finding[]): readonly Finding[] {
  const cause = findings.find(explainsLateness);
  if (cause === undefined) return findings;
  const symptoms = findings.filter((finding) => isSymptomOf(cause, finding));
  const level = symptoms.some(({ level }) => level === "invalid") ? "invalid" : cause.level;
  return findings.filter((finding) => !symptoms.includes(finding))
    .map((finding) => finding === cause ? { ...finding, level } : finding);
}

/** A limit that was hardly felt explains little. */
function explainsLateness({ cause, level }: Finding): boolean {
  return cause === "neighbour" || cause === "low-priority" ||
    (cause === "throttled" && level === "invalid");
}

/** Those who share a core take turns every few milliseconds: for long nobody is stopped by that. */
function isSymptomOf(of: Finding, { cause, level }: Finding): boolean {
  const wasStopped = cause === "worker-paused" && level === "invalid" && of.cause !== "throttled";
  return SYMPTOMS.includes(cause) && !wasStopped;
}
