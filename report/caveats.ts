/** What a reader must know before believing a number: what is missing, and what may be wrong. */
import type { Missing, Results } from "../runner/result.ts";
import { cellLabel } from "./cells.ts";
import { formatShare } from "./units.ts";
import { counted } from "./words.ts";

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

/** From this share of a core on, the generator may be what was measured. */
const BUSY_GENERATOR = 0.9;

export function warningsOf({ state, runs, planned, missing }: Results): string[] {
  const busy = runs.filter(({ generator }) => generator.cpu >= BUSY_GENERATOR);
  const most = Math.max(0, ...busy.map(({ generator }) => generator.cpu));
  return [
    ...(state === "done"
      ? []
      : [`${STATE_WORDS[state]}: ${runs.length} of ${counted(planned, "planned run")} are in.`]),
    ...(missing.length === 0 ? [] : [
      `${counted(missing.length, "part")} of the plan ${
        missing.length === 1 ? "has" : "have"
      } no measurement.`,
    ]),
    ...(busy.length === 0 ? [] : [
      `In ${counted(busy.length, "run")} the load generator used up to ${
        formatShare(most)
      } of a core: there the target may be faster than it could be asked.`,
    ]),
  ];
}

const STATE_WORDS = { running: "Still running", interrupted: "Interrupted" } as const;
