/** What stands between two figures that are compared, besides what their runs show. */
import type { Variance } from "../../../runner/stats/confidence/confidence_interval.ts";

/**
 * Nothing, as they were measured in one experiment; two sessions, and nobody knows by how much sessions differ; or so
 * much variance of the logarithm of their ratio (none where each side has sessions of its own: their spread is in its
 * standard error).
 */
export type Between =
  | { readonly kind: "one-session" }
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly variances: readonly Variance[] };

export const ONE_SESSION: Between = { kind: "one-session" };

/** Standard deviation of ln ratio by sessions alone, where it was added; null where none was. */
export function sessionStdevOf(between: Between): number | null {
  if (between.kind !== "known" || between.variances.length === 0) return null;
  return Math.sqrt(between.variances.reduce((sum, { variance }) => sum + variance, 0));
}
