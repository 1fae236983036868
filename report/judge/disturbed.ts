/** Which runs a busy machine, or a generator that was late, may have disturbed. */
import type { FindingCode, TrustFinding } from "../../runner/result/findings.ts";
import type { Measurement } from "../../runner/result/result.ts";

type JudgedTrust = Pick<Measurement, "generator">;

/**
 * Whether neither the generator nor the machine may have been the limit. A run may be so and still have no steady
 * state, and no level to compare: it still has its figures from its first second to its last.
 */
export function isUndisturbed({ generator: { trust, findings } }: JudgedTrust): boolean {
  return trust === "valid" || isUnsteadyAlone(findings);
}

export function isUnsteadyAlone(findings: readonly TrustFinding[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === "unsteady");
}

/** Reasons for which a run is not valid that are of a machine or a generator with too much to do, and of nothing else. */
const BUSY: readonly FindingCode[] = [
  ...["throttled", "target-throttled", "low-priority", "neighbour", "steal"] as const,
  ...["shared-cores", "crowded-core", "generator-starved", "generator-busy"] as const,
  ...["near-peak-throughput", "worker-paused", "worker-late", "sent-late"] as const,
  ...["requests-dropped", "connections", "near-baseline-latency", "coarse-clock"] as const,
  "unsteady",
];

/** Whether a run counts for figures that contention cannot move. */
export function isBusyAtMost({ generator: { findings } }: JudgedTrust): boolean {
  return findings.every((one) => {
    const code = one.code === "text" ? one.evidence.cause : one.code;
    return BUSY.some((busy) => busy === code);
  });
}
