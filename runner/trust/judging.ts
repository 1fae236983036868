/**
 * Whether a run measured the target, or the generator or the machine: a pure function of the evidence.
 * Every finding says what was seen and what to do about it; the worst decides.
 */
import { type Cause, CAUSES, type Generator, type Trust } from "../result/generator.ts";
import { isUnanswered, type Unanswered, unansweredText } from "../result/unanswered.ts";
import type { Case, Finding } from "./finding.ts";
import { generatorFindings, heldFindings, tooShort } from "./generator_limits.ts";
import { machineFindings, shortageFindings } from "./machine_limits.ts";
import { steadinessFindings } from "./steadiness.ts";
import { targetFindings } from "./target_limits.ts";

export type Judgement = Required<Pick<Generator, "trust" | "reasons" | "causes">>;

/** Reasons come with the worst first, and causes before what they bring about. */
export function judge(given: Case): Judgement {
  const short = tooShort(given);
  const found = short === null
    ? withoutSymptoms([
      ...generatorFindings(given),
      ...machineFindings(given),
      ...targetFindings(given),
      ...shortageFindings(given),
    ])
    : [short, ...shortageFindings(given)]; // shares of a moment say nothing
  const findings = [...heldFindings(given), ...found, ...steadinessFindings(given)];
  const ordered = [...of("invalid", findings), ...of("suspect", findings)];
  const trust: Trust = ordered[0]?.level ?? "valid";
  return {
    trust,
    reasons: ordered.map(({ reason }) => reason),
    causes: ordered.map(({ cause }) => cause),
  };
}

/** Where nothing was answered nothing was measured, however well the generator did. */
export function judgedByAnswers(run: Unanswered, judgement: Judgement): Judgement {
  if (!isUnanswered(run)) return judgement;
  return {
    trust: "invalid",
    reasons: [`${unansweredText(run)}.`, ...judgement.reasons],
    causes: ["unanswered", ...judgement.causes],
  };
}

function of(level: Finding["level"], findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.level === level)
    .sort((a, b) => CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause));
}

const LATENESS: readonly Cause[] = ["shared-cores", "worker-paused", "worker-late", "sent-late"];

/** What follows from what: who lacks cores waits for them and comes late, and so does who has too much to do. */
const SYMPTOMS: readonly (readonly [Cause, readonly Cause[]])[] = [
  ["throttled", LATENESS],
  ["low-priority", LATENESS],
  ["neighbour", LATENESS],
  ["requests-dropped", ["worker-late", "connections"]],
  ["generator-busy", ["worker-late", "connections"]],
];

/** Where the cause is known, its symptoms are no reasons of their own: they only say how bad it is. */
function withoutSymptoms(findings: readonly Finding[]): readonly Finding[] {
  return SYMPTOMS.reduce((left, [code, symptoms]) => {
    const cause = left.find(({ cause }) => cause === code);
    return cause === undefined || hardlyFelt(cause) ? left : merged(left, cause, symptoms);
  }, findings);
}

function merged(findings: readonly Finding[], cause: Finding, codes: readonly Cause[]): Finding[] {
  const isSymptom = (finding: Finding): boolean =>
    codes.includes(finding.cause) && !isTooLong(finding, cause);
  const isInvalid = findings.some((finding) => isSymptom(finding) && finding.level === "invalid");
  return findings.filter((finding) => !isSymptom(finding)).map((finding) =>
    finding === cause && isInvalid ? { ...finding, level: "invalid" } : finding
  );
}

/** A limit that held somebody back for a moment explains little. */
function hardlyFelt({ cause, level }: Finding): boolean {
  return cause === "throttled" && level === "suspect";
}

/** Those who share a core take turns every few milliseconds: for long nobody is stopped by that. */
function isTooLong({ cause, level }: Finding, of: Finding): boolean {
  return cause === "worker-paused" && level === "invalid" && of.cause !== "throttled";
}
