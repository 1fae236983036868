/** The cells of results, and a single measurement, as thresholds are held against them. */
import type { Measurement } from "../../runner/result.ts";
import { type Grouped, groupRuns, type ScenarioRuns } from "../cells.ts";
import { matchCells, type NamedCell, namedCells } from "../comparison/match.ts";
import { repeatedOf } from "../repeated.ts";
import type { JudgedCell } from "./range.ts";

/** A cell with its counterpart in the baseline; null when that has none. */
export interface GatedCell {
  readonly cell: JudgedCell;
  readonly baseline: JudgedCell | null;
}

/** @param baseline Null: there is none. */
export function gatedCells(
  scenarios: readonly ScenarioRuns[],
  results: Pick<Grouped, "experiment">,
  baseline: Grouped | null,
): GatedCell[] {
  const { level } = repeatedOf(results);
  const cells = namedCells(scenarios);
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const { pairs } = matchCells(bases, cells);
  return cells.map((named) => {
    const base = pairs.find(({ next }) => next === named)?.base;
    return {
      cell: { ...judgedOf(named), level },
      baseline: base ? { ...judgedOf(base), level } : null,
    };
  });
}

/** A single measurement, with its baseline: null when that has no one cell. */
export function gatedMeasurement(measurement: Measurement, baseline: Grouped | null): GatedCell {
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const isOne = bases.length === 1;
  return {
    cell: {
      scenario: "",
      label: measurement.url,
      runs: [measurement],
      estimates: new Map(),
      level: 0.95,
    },
    baseline: isOne ? { ...judgedOf(bases[0]), level: 0.95 } : null,
  };
}

function judgedOf({ scenario, cell }: NamedCell): Omit<JudgedCell, "level"> {
  const { label, runs, confidence: { estimates } } = cell;
  return { scenario, label, runs, estimates };
}
