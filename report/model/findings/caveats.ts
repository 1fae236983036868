/** What a reader must know before believing a number: what is missing, and what may be wrong. */
import type { Missing, Results } from "../../../runner/result/result.ts";
import { cellLabel } from "../runs/cells.ts";
import { counted } from "../numbers/words.ts";

export interface MissingModel {
  /** Scenario, targets and runs. */
  readonly what: string;
  readonly kind: Missing["kind"];
  readonly reason: string;
  readonly evidence: readonly string[];
}

/** One entry per reason: three targets without Redis are one matter. */
export function missingModels(missing: readonly Missing[]): MissingModel[] {
  const byReason = Map.groupBy(
    missing,
    ({ scenario, kind, reason, evidence }) => JSON.stringify([scenario, kind, reason, evidence]),
  );
  return [...byReason.values()].map((group) => {
    const { scenario, kind, reason, evidence } = group[0];
    return { what: `${scenario}, ${group.map(partText).join("; ")}`, kind, reason, evidence };
  });
}

function partText(missing: Missing): string {
  const { repetition } = missing;
  return repetition === null ? cellLabel(missing) : `${cellLabel(missing)}, run ${repetition}`;
}

export function warningsOf({ state, runs, planned, missing }: Results): string[] {
  return [
    ...(state === "done"
      ? []
      : [`${STATE_WORDS[state]}: ${runs.length} of ${counted(planned, "planned run")} are in.`]),
    ...(missing.length === 0 ? [] : [
      `${counted(missing.length, "part")} of the plan ${
        missing.length === 1 ? "has" : "have"
      } no measurement.`,
    ]),
  ];
}

const STATE_WORDS = { running: "Still running", interrupted: "Interrupted" } as const;
