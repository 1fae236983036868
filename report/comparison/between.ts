/** What stands between two figures that are compared, besides what their runs show. */
import type { Variance } from "../../runner/stats/interval.ts";

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
