/** The claims of an experiment, judged. */
import type { Grouped, ScenarioRuns } from "../runs/cells.ts";
import { judgeClaims, type JudgedClaim } from "./claims.ts";
import type { Table } from "../tables/table.ts";
import { type Claimed, groundOf } from "./context.ts";
import { type TrustModel, trustOfRuns } from "../findings/trust.ts";
import { claimsSummary, claimsTable } from "./table.ts";

export interface ClaimsModel {
  readonly judged: readonly JudgedClaim[];
  /** `5 of 9 claims reproduced, 1 not, 3 inconclusive`; "" without claims. */
  readonly summary: string;
  /** Null without claims. */
  readonly table: Table | null;
}

/** @param scenarios Those of the results. */
export function claimsModel(
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
): ClaimsModel {
  const claims = results.experiment.claims ?? [];
  const judged = claims.length === 0 ? [] : judgeClaims(claims, groundOf(scenarios, results));
  const doubt = doubtOf(trustOfRuns(results.runs));
  return { judged, summary: claimsSummary(judged), table: claimsTable(judged, doubt) };
}

function doubtOf(trust: TrustModel | null): string {
  if (trust === null || trust.level === "valid") return "";
  return `These runs are ${trust.level}, and so are the outcomes: ${trust.text}.`;
}
