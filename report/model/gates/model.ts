/** The thresholds of an experiment, judged. */
import type { Results } from "../../../runner/result/result.ts";
import type { Grouped, ScenarioRuns } from "../runs/cells.ts";
import { type GateOutcome, judgeCells } from "./gates.ts";
import type { Table } from "../tables/table.ts";
import { counted } from "../numbers/words.ts";
import { gatedCells } from "./cells.ts";
import { gatesTable } from "./table.ts";

export interface GatesModel {
  readonly outcomes: readonly GateOutcome[];
  /** Null without outcomes. */
  readonly table: Table | null;
  /** What could not be judged, and why; "" when all could. */
  readonly note: string;
}

/** @param baseline Null: there is none. */
export function gatesModel(
  scenarios: readonly ScenarioRuns[],
  results: Pick<Results, "experiment" | "startedAt">,
  baseline: Grouped | null,
): GatesModel {
  const thresholds = results.experiment.thresholds ?? [];
  const hasBaseline = baseline !== null;
  const cells = thresholds.length === 0 ? [] : gatedCells(scenarios, results, baseline);
  const outcomes = judgeCells(thresholds, cells, { hasBaseline });
  const left = hasBaseline ? 0 : thresholds.filter(({ against }) => against === "baseline").length;
  return {
    outcomes,
    table: gatesTable(outcomes),
    note: left === 0 ? "" : `${counted(left, "threshold")} not judged here, without a baseline.`,
  };
}
