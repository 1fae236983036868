/** The cells of results, and a single measurement, as thresholds are held against them. */
import type { Measurement } from "../../runner/result.ts";
import { RESAMPLES } from "../../runner/stats/cell_estimates.ts";
import { type Grouped, groupRuns, type ScenarioRuns } from "../cells.ts";
import { groupOfBlocks } from "../comparison/group.ts";
import { matchCells, type NamedCell, namedCells } from "../comparison/match.ts";
import { FIGURES } from "../confidence.ts";
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
    const { estimates } = named.cell.confidence;
    return {
      cell: { ...judgedOf(named), estimates, level },
      baseline: base ? redrawn(base, { seed: bases.indexOf(base), level }) : null,
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
    baseline: isOne ? redrawn(bases[0], { seed: 0, level: 0.95 }) : null,
  };
}

/** Drawn anew: a cell and its baseline have one name, and would else be drawn by one seed. */
function redrawn(named: NamedCell, { seed, level }: { seed: number; level: number }): JudgedCell {
  const { runs, parts } = named.cell;
  const blocks = parts.map((part) => part.blocks);
  const { estimates } = groupOfBlocks(runs, blocks, {
    seed,
    figures: FIGURES,
    resamples: RESAMPLES,
  });
  return { ...judgedOf(named), estimates, level };
}

function judgedOf({ scenario, cell: { label, runs } }: NamedCell): Pick<
  JudgedCell,
  "scenario" | "label" | "runs"
> {
  return { scenario, label, runs };
}
