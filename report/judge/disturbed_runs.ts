/** Judges from a run's findings whether the generator or the machine may have disturbed it. Pure. */
import type { FindingCode, TrustFinding } from "../../runner/result/findings.ts";
import type { Measurement } from "../../runner/result/result.ts";

export type RunFilter = (run: Pick<Measurement, "generator">) => boolean;

/**
 * Whether neither the generator nor the machine can have held the run back. An undisturbed run may have no steady
 * state, and so no level to compare, but its figures over the whole run can be used.
 */
export const isUndisturbed: RunFilter = ({ generator: { trust, findings } }) =>
  trust === "valid" || isUnsteadyAlone(findings);

/** Findings that can only mean that the target might have served more requests, never fewer. */
const HELD_BACK: readonly FindingCode[] = [
  ...["generator-busy", "generator-starved", "near-peak-throughput", "worker-paused"] as const,
  ...["shared-cores", "crowded-core", "neighbour", "steal", "throttled"] as const,
  ...["target-throttled", "low-priority", "unsteady"] as const,
];

/**
 * Whether every disturbance of a run can only have lowered its requests/s. A target that is ahead despite such
 * disturbances would be ahead by at least as much without them.
 */
export const isHeldBack: RunFilter = ({ generator: { findings } }) =>
  findings.every(({ code }) => HELD_BACK.includes(code));

export function isUnsteadyAlone(findings: readonly TrustFinding[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === "unsteady");
}

/** Findings that only show that the machine or the generator was overloaded. */
const BUSY: readonly FindingCode[] = [
  ...HELD_BACK,
  ...["worker-late", "sent-late", "requests-dropped", "connections"] as const,
  ...["near-baseline-latency", "coarse-clock"] as const,
];

/** Whether a run can be used for figures that contention does not affect. */
export const isBusyAtMost: RunFilter = ({ generator: { findings } }) =>
  findings.every((one) => {
    const code = one.code === "text" ? one.evidence.cause : one.code;
    return BUSY.some((busy) => busy === code);
  });
