/** The part of the plan that was not measured, and what is known about it. Pure. */
import type { Missing } from "../../runner/result/result.ts";
import { type Block, group, text } from "../blocks.ts";
import { capacitySentence } from "./capacity.ts";
import type { ReportContext } from "./subject.ts";
import { counted } from "../writing/words.ts";
import { cellLabel } from "../cells/cell_label.ts";

export function missing({ results }: ReportContext): Block[] {
  return missingModels(results.missing ?? []).map(({ what, kind, reason, evidence }) =>
    group("", [
      text(`missing.${kind}`, `${what}: ${kind}: ${reason}`),
      { kind: "verbatim", text: evidence.join("\n"), fold: null },
    ])
  );
}

/** Parts of the plan that were not measured, all for the same reason. */
interface MissingModel extends Pick<Missing, "kind" | "reason" | "evidence"> {
  /** The scenario, with its targets and runs. */
  readonly what: string;
}

/** One entry for each scenario and reason, because three targets that lack Redis are one problem. */
export function missingModels(missing: readonly Missing[]): MissingModel[] {
  const byReason = Map.groupBy(
    missing,
    ({ scenario, kind, reason, evidence }) => JSON.stringify([scenario, kind, reason, evidence]),
  );
  return [...byReason.values()].map((group) => {
    const { scenario, kind, reason, evidence } = group[0];
    const what = `${scenario}, ${group.map(partText).join("; ")}`;
    return { what, kind, reason, evidence: [...group.flatMap(searchTexts), ...evidence] };
  });
}

/** What a search had found about the capacity before its run failed or was interrupted. */
function searchTexts(missing: Missing): string[] {
  const { capacity } = missing;
  if (capacity === undefined) return [];
  const trials = `${counted(capacity.trials.length, "trial")} of the search for its capacity`;
  return [`${partText(missing)}: ${trials}: ${capacitySentence(capacity)}`];
}

function partText(missing: Missing): string {
  const { repetition } = missing;
  return repetition === null ? cellLabel(missing) : `${cellLabel(missing)}, run ${repetition}`;
}
