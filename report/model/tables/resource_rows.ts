/** What each target of a scenario used, and each of its parts, over all runs. */
import type { Run } from "../../../runner/result/result.ts";
import type { Cell } from "../runs/cells.ts";
import { partsOf, type Used } from "../runs/resources.ts";

/** A target or one of its parts. */
export interface ResourceRow {
  readonly cell: Cell;
  /** Null: the whole target, without Redis. */
  readonly part: string | null;
  readonly runs: readonly { readonly run: Run; readonly used: Used }[];
}

/** Targets that nobody could watch have none. */
export function resourceRows(cells: readonly Cell[]): ResourceRow[] {
  return cells.flatMap((cell) => {
    const whole = cell.runs.map((run) => ({ part: null, run, used: run }));
    const parts = cell.runs.flatMap((run) =>
      partsOf(run).map((used) => ({ part: used.name, run, used }))
    );
    const seen = [...whole, ...parts].filter(({ used }) => used.resources.length > 0);
    return [...Map.groupBy(seen, ({ part }) => part)].map(([part, runs]) => ({ cell, part, runs }));
  });
}
