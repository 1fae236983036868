/**
 * Whether a run measured the target, or the generator or the machine: a pure function of the evidence.
 * Every finding says what was seen and what to do about it; the worst decides.
 */
import type { Generator, Trust } from "../generator.ts";
import type { Case, Finding } from "./finding.ts";
import { generatorFindings, tooShort } from "./generator_limits.ts";
import { machineFindings, shortageFindings } from "./machine_limits.ts";
import { steadinessFindings } from "./steadiness.ts";

export type Judgement = Pick<Generator, "trust" | "reasons">;

/** Reasons come with the worst first. */
export function judge(given: Case): Judgement {
  const short = tooShort(given);
  const findings = short === null
    ? [...generatorFindings(given), ...machineFindings(given), ...shortageFindings(given)]
    : [short, ...shortageFindings(given)]; // shares of a moment say nothing
  findings.push(...steadinessFindings(given));
  const ordered = [...of("invalid", findings), ...of("suspect", findings)];
  const trust: Trust = ordered[0]?.level ?? "valid";
  return { trust, reasons: ordered.map(({ reason }) => reason) };
}

function of(level: Finding["level"], findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.level === level);
}
