/** The cells of results, and a single measurement, as thresholds are held against them. */
import type { Measurement } from "../../../runner/result/result.ts";
import { type Grouped, groupRuns, repeatedOf, type ScenarioRuns } from "../runs/cells.ts";
import { type Between, ONE_SESSION } from "../comparison/between.ts";
import { matchCells, type NamedCell, namedCells } from "../runs/match.ts";
import { areOneSession, betweenOf, type SessionSpread } from "../comparison/sessions.ts";
import type { ThresholdFigure } from "../runs/figures.ts";
import { estimatedAs, type JudgedCell } from "../runs/figure_range.ts";

/** A cell with its counterpart in the baseline; null when that has none. */
export interface GatedCell {
  readonly cell: JudgedCell;
  readonly baseline: JudgedCell | null;
  /** What stands between the two, besides what their runs show. */
  readonly between: (figure: ThresholdFigure) => Between;
}

/** @param baseline Null: there is none. @param spread By how much sessions differ. Default: nobody knows. */
export function gatedCells(
  scenarios: readonly ScenarioRuns[],
  results: Pick<Grouped, "experiment" | "startedAt">,
  baseline: Grouped | null,
  spread: SessionSpread = () => null,
): GatedCell[] {
  const { level } = repeatedOf(results);
  const cells = namedCells(scenarios);
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const { pairs } = matchCells(bases, cells);
  const isOne = baseline !== null && areOneSession(baseline, results);
  const between = (figure: ThresholdFigure): Between => {
    const estimated = estimatedAs(figure);
    return isOne ? ONE_SESSION : betweenOf(estimated === null ? null : spread(estimated), 2);
  };
  return cells.map((named) => {
    const base = pairs.find(({ next }) => next === named)?.base;
    return {
      cell: { ...judgedOf(named), level },
      baseline: base ? { ...judgedOf(base), level } : null,
      between,
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
    between: () => ({ kind: "unknown" }),
  };
}

function judgedOf({ scenario, cell }: NamedCell): Omit<JudgedCell, "level"> {
  const { label, runs, confidence: { estimates } } = cell;
  return { scenario, label, runs, estimates };
}
