/** Whether the run has a level at all: figures of a run that never settles are those of a moment, not of the target. */
import { freezesText, unsettledText } from "../stats/steady_state/unsettled_text.ts";
import type { Case, Finding } from "./finding.ts";

/** None for a run that is too short for a label, and for a load that itself changes. */
export function steadinessFindings({ run: { warmup } }: Case): Finding[] {
  if (warmup === null || warmup.label !== "no-steady-state") return [];
  const why = unsettledText(warmup);
  const frozen = warmup.freezes === undefined || warmup.unsettled === "freezes"
    ? ""
    : freezesText(warmup.freezes);
  const seen = [why, frozen].filter(Boolean).join("; ");
  return [{
    level: "suspect",
    cause: "unsteady",
    reason: `The run has no steady state${
      seen && ` (${seen})`
    }: run longer, or look at the timeline.`,
  }];
}
